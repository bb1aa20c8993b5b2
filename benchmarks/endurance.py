"""Whether the judge stays as it is over many runs: descriptors, memory, processes, leases, cgroups.

    python benchmarks/endurance.py [--runs 20000] [--step 1000] [--slots 2] [--tier restricted-root]

Submissions of ten tests each, of every way to end, now and then a new one to compile. A line for each step; at the end
whether it is flat: no descriptor, process, lease or cgroup more than at the first line, and memory that
grew by less than a twentieth (and 4 MiB, for a short run) since then. Exit code 1 if it is not.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from containers.native import plans
from judge import Judge, Options, Submission

MIB = 1 << 20
TESTS = 10
#: One submission in so many is compiled anew.
FRESH = 50
HEAD = "int scanf(const char *, ...); int printf(const char *, ...); void *malloc(unsigned long);\n"
READ = HEAD + 'int main(void) { int n; scanf("%d", &n); '
PROGRAMS = (
    READ + 'printf("%d\\n", n); }',
    READ + 'printf("%d\\n", n + 1); }',
    READ + "return n % 3; }",
    READ + "*(volatile int *)0 = n; }",
    READ + 'for (int i = 0; i < 4000; i++) printf("%d\\n", n); }',
    READ + 'for (int i = 0; i < 64; i++) malloc(1 << 16); printf("%d\\n", n); }',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    runs: int
    descriptors: int
    children: int
    #: Of user ids and directories that slots hold.
    locks: int
    cgroups: int
    #: Resident, of this process and of its launchers.
    python_bytes: int
    launchers_bytes: int


def resident(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def sample(runs: int) -> Sample:
    gc.collect()
    me = os.getpid()
    tasks = Path(f"/proc/{me}/task").glob("*/children")
    children = [int(pid) for task in tasks for pid in task.read_text().split()]
    locks = Path("/proc/locks").read_text().splitlines()
    return Sample(
        runs=runs,
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        children=len(children),
        locks=sum(line.split()[4] == str(me) for line in locks),
        cgroups=sum(1 for _ in Path("/sys/fs/cgroup").glob(f"**/judge-{me}-*")),
        python_bytes=resident(me),
        launchers_bytes=sum(map(resident, children)),
    )


def package(root: Path) -> Path:
    head = "problem_format_version: 2025-09\nname: endurance\nuuid: 3e9f2ac5-8a43-4d2c-9d5c-6c1f2a7b8c9e\n"
    contents = {"problem.yaml": head, "statement/problem.en.md": "Print the number.\n"}
    for number in range(TESTS):
        contents |= {f"data/secret/{number}.in": f"{number}\n", f"data/secret/{number}.ans": f"{number}\n"}
    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def rows(problem: Path) -> Iterator[Submission]:
    for number, program in zip(itertools.count(), itertools.cycle(PROGRAMS)):
        comment = number if number % FRESH == 0 else 0
        yield Submission(source=f"{program}\n// {comment}\n".encode(), problem=problem, language="c17")


def samples(judge: Judge, problem: Path, runs: int, step: int) -> Iterator[Sample]:
    futures = [judge.submit(row) for row in itertools.islice(rows(problem), 4 * len(PROGRAMS))]
    for future in futures:  # everything has been done once, on every slot
        future.result()
    stream = rows(problem)
    for done in range(step, runs + 1, step):
        some = itertools.islice(stream, step // TESTS)
        for submission_group in iter(lambda: list(itertools.islice(some, 4 * judge.slots)), []):  # noqa: B023
            for future in [judge.submit(row, Options()) for row in submission_group]:
                result = future.result()
                if result.error is not None:
                    raise SystemExit(f"a submission failed: {result.error}")
        yield sample(done)


def grown(first: Sample, last: Sample) -> list[str]:
    found = []
    for field in fields(Sample)[1:]:
        before, after = getattr(first, field.name), getattr(last, field.name)
        allowed = max(before // 20, 4 * MIB) if field.name.endswith("bytes") else 0
        if after > before + allowed:
            found.append(f"{field.name} grew from {before} to {after}")
    return found


def pin(tier: str) -> None:
    """Slots of this tier, though the machine may grant a stronger one."""
    plans._settled[:] = [plan for plan in plans._candidates() if plans._tier(plan) == tier][:1]
    if not plans._settled:
        raise SystemExit(f"tier {tier} cannot be had by this user")


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
    verdict = grown(taken[0], taken[-1])
    print("flat" if not verdict else "not flat: " + "; ".join(verdict))
    return 1 if verdict else 0


if __name__ == "__main__":
    raise SystemExit(main())
