"""Whether the judge stays as it is over many runs: descriptors, memory, processes, leases, mounts, cgroups.

    python benchmarks/endurance.py [--runs 20000] [--step 1000] [--slots 2] [--tier restricted-root]

Submissions of ten tests each, honest and hostile, of every way to end, now and then a new one to compile; each must get
the verdict that it earned, also the last. A line for each step; at the end whether it is flat: nothing of what is
counted more than at the first line, memory that grew by less than a twentieth (and 4 MiB, for a short run) since then,
and nothing left when the judge is closed. Exit code 1 if it is not.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import psutil

from containers import native
from judge import Judge, Submission, Verdict
from judge.selftest.bench import line_of_its_own

MIB = 1 << 20
TESTS = 10
#: One submission in so many is compiled anew.
FRESH = 50
HEAD = """int scanf(const char *, ...); int printf(const char *, ...); int sprintf(char *, const char *, ...);
void *malloc(unsigned long); int fork(void); int kill(int, int); int mkdir(const char *, unsigned);
"""
READ = HEAD + 'int main(void) { int n; scanf("%d", &n); '
WRITE = 'printf("%d\\n", n); }'
PROGRAMS = (
    (READ + WRITE, Verdict.AC),
    (READ + 'printf("%d\\n", n + 1); }', Verdict.WA),
    (READ + "return n % 3 + 1; }", Verdict.RE),
    (READ + "*(volatile int *)0 = n; }", Verdict.RE),
    (READ + 'for (int i = 0; i < 4000; i++) printf("%d\\n", n); }', Verdict.WA),
    (READ + "for (int i = 0; i < 64; i++) malloc(1 << 16); " + WRITE, Verdict.AC),
    (READ + "for (int i = 0; i < 100; i++) fork(); " + WRITE, Verdict.AC),
    (READ + "kill(-1, 9); " + WRITE, Verdict.AC),
    (READ + 'char name[9]; for (int i = 0; i < 200; i++) sprintf(name, "%d", i), mkdir(name, 0); ' + WRITE, Verdict.AC),
    (READ + 'for (;;) printf("%d\\n", n); }', Verdict.OLE),
    (READ + "for (volatile char *byte = malloc(1 << 30);; byte += 4096) *byte = 1; }", Verdict.MLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    runs: int
    descriptors: int
    children: int
    #: Of user ids and directories that slots hold.
    locks: int
    directories: int
    mounts: int
    cgroups: int
    #: Resident, of this process and of its launchers.
    python_bytes: int
    launchers_bytes: int


def resident(pid: int) -> int:
    with suppress(psutil.Error):
        return psutil.Process(pid).memory_info().rss
    return 0


def sample(runs: int) -> Sample:
    gc.collect()
    me = os.getpid()
    process = psutil.Process()
    children = [child.pid for child in process.children()]
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    held = [lock[5] for lock in locks if lock[4] == str(me)]  # major:minor:inode
    homes = [path.stat().st_ino for path in Path("/tmp").glob("judge-slot-*")]  # noqa: S108 - theirs
    return Sample(
        runs=runs,
        descriptors=process.num_fds(),
        children=len(children),
        locks=len(held),
        directories=sum(lock.endswith(f":{inode}") for inode in homes for lock in held),
        mounts=len(psutil.disk_partitions(all=True)),
        cgroups=sum(1 for _ in Path("/sys/fs/cgroup").glob(f"**/judge-{me}-*")),
        python_bytes=resident(me),
        launchers_bytes=sum(map(resident, children)),
    )


def package(root: Path) -> Path:
    head = "problem_format_version: 2025-09\nname: endurance\nuuid: 3e9f2ac5-8a43-4d2c-9d5c-6c1f2a7b8c9e\n"
    head += "limits:\n  memory: 32\n  output: 1\n"
    contents = {"problem.yaml": head, "statement/problem.en.md": "Print the number.\n"}
    for number in range(TESTS):
        contents |= {f"data/secret/{number}.in": f"{number}\n", f"data/secret/{number}.ans": f"{number}\n"}
    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def rows(problem: Path) -> Iterator[tuple[Submission, Verdict]]:
    for number, (program, verdict) in zip(itertools.count(), itertools.cycle(PROGRAMS)):
        line = line_of_its_own(number if number % FRESH == 0 else 0)
        yield Submission(source=(program + line).encode(), problem=problem, language="c17"), verdict


def judge_all(judge: Judge, some: Iterable[tuple[Submission, Verdict]]) -> None:
    for future, verdict, row in [(judge.submit(row), verdict, row) for row, verdict in some]:
        result = future.result()
        if result.verdict is not verdict:
            found = f"{result.verdict} ({result.error}), not {verdict}"
            raise SystemExit(f"a submission was given {found}:\n{row.source.decode()}")


def samples(judge: Judge, problem: Path, runs: int, step: int) -> Iterator[Sample]:
    judge_all(judge, itertools.islice(rows(problem), 4 * len(PROGRAMS)))  # everything once, on every slot
    stream = rows(problem)
    for done in range(step, runs + 1, step):
        some = itertools.islice(stream, step // TESTS)
        for group in iter(lambda: list(itertools.islice(some, 4 * judge.slots)), []):  # noqa: B023
            judge_all(judge, group)
        yield sample(done)


def grown(first: Sample, last: Sample) -> list[str]:
    found = []
    for field in fields(Sample)[1:]:
        before, after = getattr(first, field.name), getattr(last, field.name)
        allowed = max(before // 20, 4 * MIB) if field.name.endswith("bytes") else 0
        if after > before + allowed:
            found.append(f"{field.name} grew from {before} to {after}")
    return found


def left(before: Sample, after: Sample) -> list[str]:
    """What a closed judge has not given back. Memory is not: the interpreter keeps some."""
    names = [field.name for field in fields(Sample)[1:] if not field.name.endswith("bytes")]
    changes = ((name, getattr(after, name) - getattr(before, name)) for name in names)
    return [f"{more} {name} are left" for name, more in changes if more > 0]


def pin(tier: str) -> None:
    """Slots of this tier, though the machine may grant a stronger one."""
    plan = next((plan for plan in native._candidates() if native._tier(plan) == tier), None)
    if plan is None:
        raise SystemExit(f"tier {tier} cannot be had by this user")
    native._settled.settle(plan)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--step", type=int, default=1000)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--tier", help="default: the strongest that this machine grants")
    arguments = parser.parse_args()
    if arguments.tier:
        pin(arguments.tier)
    taken: list[Sample] = []
    before = sample(0)
    with tempfile.TemporaryDirectory(prefix="judge-endurance-", dir="/tmp") as directory:
        Path(directory).chmod(0o755)  # the users that slots lease pass through
        cache = Path(directory, "cache")
        cache.mkdir()
        with Judge(slots=arguments.slots, cache_directory=cache) as judge:
            print(f"tier {judge.isolation.tier}, {arguments.slots} slots", flush=True)
            print("  ".join(field.name.replace("_bytes", " MiB") for field in fields(Sample)))
            for taken_now in samples(judge, package(Path(directory, "problem")), arguments.runs, arguments.step):
                taken.append(taken_now)
                *counts, python, launchers = astuple(taken_now)
                print("  ".join([*map(str, counts), f"{python / MIB:.1f}", f"{launchers / MIB:.1f}"]), flush=True)
    verdict = grown(taken[0], taken[-1]) + left(before, sample(arguments.runs))
    print("flat" if not verdict else "not flat: " + "; ".join(verdict))
    return 1 if verdict else 0


if __name__ == "__main__":
    raise SystemExit(main())
