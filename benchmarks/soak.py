"""A long time of what a trainer does: whether the judge stays as it is, and every verdict is its label's.

    python benchmarks/soak.py [--count 100000] [--minutes M] [--samples 100] [--slots 2] [--seed 1] [--json FILE]

Labelled programs of the library and hostile ones, drawn by chance: of a hundred rows 60 are compiled already, 24 are
known from an equal one before (the verdict cache), 12 are new Python programs, 1 is a new C or C++ program, 1 is
JavaScript, 2 belong to packages that are added, judged on and removed, and one in a hundred is hostile (bombs of
processes, threads, memory, output and files, sleepers, spinners, crashes). Sources are made new by a comment.

When nothing runs, samples are taken of what the judge holds. A line is fitted through those of the second half: what
it grows by over that half, with twice its standard error. A quantity is flat when that, less the error, is within the
bound that its row states. Prints a table; exit code 1 if something is not flat, left at the end, or judged otherwise
than labelled.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from endurance import MIB, READ, WRITE, package, resident

import problems
from judge import Judge, Judgement, Options, Stop, Submission, Verdict
from judge import languages as known_languages
from judge.common.errors import LanguageError
from judge.compiling.toolchain import HEADERS_BYTES
from judge.selftest.bench import line_of_its_own
from judge.store.cache import Cache

#: Small enough that it is full, and evicts, long before the half.
CACHE_BYTES = 96 * MIB
QUICK = {"AC", "WA", "RE", "CE"}
LANGUAGES = {".cpp": "cpp17", ".c": "c17", ".py": "python3", ".js": "javascript"}
#: Test data of a problem: larger ones would measure the programs.
DATA_BYTES = 5000
HOSTILE_OPTIONS = Options(cpu_ns=200_000_000, memory_bytes=32 * MIB)
#: Rows of one package before it is removed.
PACKAGE_ROWS = 10

DECLARED = (
    "int open(const char *, int, ...); int usleep(unsigned); int pause(void); void abort(void);\n"
    "int pthread_create(unsigned long *, void *, void *(*)(void *), void *);\n"
)
READ_MORE = DECLARED + READ
HOSTILE: Sequence[tuple[str, Verdict, str]] = (
    ("fork bomb", Verdict.AC, READ_MORE + "for (int i = 0; i < 500; i++) fork(); " + WRITE),
    (
        "thread bomb",
        Verdict.AC,
        "void *wait_(void *a); "
        + READ_MORE
        + "unsigned long t; for (int i = 0; i < 300; i++) pthread_create(&t, 0, wait_, 0); "
        + WRITE
        + " void *wait_(void *a) { pause(); return a; }",
    ),
    ("memory bomb", Verdict.MLE, READ_MORE + "for (volatile char *b = malloc(1 << 30);; b += 4096) *b = 1; }"),
    ("output flood", Verdict.OLE, READ_MORE + 'for (;;) printf("%d\\n", n); }'),
    ("sleeper", Verdict.TLE, READ_MORE + "for (;;) pause(); }"),
    ("spinner", Verdict.TLE, READ_MORE + "for (volatile int i = 0;; i++) ; }"),
    ("descriptor hog", Verdict.AC, READ_MORE + 'while (open("/dev/null", 0) >= 0) ; ' + WRITE),
    (
        "file hog",
        Verdict.AC,
        READ_MORE + 'char f[9]; for (int i = 0; i < 3000; i++) sprintf(f, "%d", i), mkdir(f, 0); ' + WRITE,
    ),
    ("killer", Verdict.AC, READ_MORE + "kill(-1, 9); " + WRITE),
    ("segmentation fault", Verdict.RE, READ_MORE + "*(volatile int *)0 = n; }"),
    ("abort", Verdict.RE, READ_MORE + "abort(); }"),
    ("exit code", Verdict.RE, READ_MORE + "return n % 3 + 1; }"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    kind: str
    submission: Submission
    options: Options
    allowed: frozenset[str]


#: Rows judged before, and what was held then.
Sample = tuple[int, dict[str, float]]
#: Flat: what it grows by over the second half, less twice its error, is at most this.
BOUNDS: dict[str, float] = {
    "descriptors": 2,
    "memory files": 2,
    "processes": 1,
    "threads": 1,
    "leases": 1,
    "mounts": 0.5,
    "cgroups": 1,
    "temporary directories": 1,
    "cache MiB": 0.1 * CACHE_BYTES / MIB,
    "headers MiB": HEADERS_BYTES / MIB,  # one for each set that programs include: bounded by this alone
    "RSS MiB": 8,
    "PSS MiB": 8,
    "launchers MiB": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Fitted through samples: growth over them, and twice its standard error."""

    growth: float
    error: float

    @classmethod
    def through(cls, xs: Sequence[float], ys: Sequence[float]) -> Line:
        count = len(xs)
        middle, height = sum(xs) / count, sum(ys) / count
        spread = sum((x - middle) ** 2 for x in xs)
        slope = sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / spread
        rest = sum((y - height - slope * (x - middle)) ** 2 for x, y in zip(xs, ys, strict=True))
        length = xs[-1] - xs[0]
        error = math.sqrt(rest / max(1, count - 2) / spread)
        return cls(growth=slope * length, error=2 * error * length)


def _library(problem_names: Sequence[str]) -> dict[str, list[tuple[str, str, str, frozenset[str]]]]:
    """Quick labelled programs by language: problem, language, source, verdicts."""
    found: dict[str, list[tuple[str, str, str, frozenset[str]]]] = {}
    for name in problem_names:
        problem = problems.load(name)
        size = sum(case.input.stat().st_size for case in problem.cases)
        if problem.generated or size > DATA_BYTES or problem.kind != "batch" or problem.interactor is not None:
            continue
        for labelled in problem.submissions:
            language = LANGUAGES.get(labelled.path.suffix)
            if language is not None and labelled.expected <= QUICK:
                text = labelled.path.read_text()
                found.setdefault(language, []).append((name, language, text, frozenset(labelled.expected)))
    return found


class Rows:
    """Endless, by chance."""

    def __init__(self, seed: int, directory: Path) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a draw
        self._directory = directory
        self._programs = _library(problems.names())
        with suppress(LanguageError):
            known_languages.get("javascript").find()
        self._hostile = package(directory / "hostile")
        self._number = 0
        self._package: Path | None = None
        self._used = 0
        #: Packages that no row needs any more.
        self.over: list[Path] = []
        self._draw: Sequence[tuple[float, Callable[[], Row]]] = (
            (59, self._again),
            (24, self._known),
            (12, self._new_python),
            (1, self._new_compiled),
            (1, self._javascript),
            (2, self._of_a_package),
            (1, self._attack),
        )

    def __iter__(self) -> Iterator[Row]:
        weights = [weight for weight, _ in self._draw]
        makers = [make for _, make in self._draw]
        while True:
            self._number += 1
            yield self._chance.choices(makers, weights)[0]()

    def _of(self, language: str, *, kind: str, new: bool = False, cache: bool = False) -> Row:
        name, language, text, allowed = self._chance.choice(self._programs[language])
        source = text + line_of_its_own(self._number, language) if new else text
        return Row(
            kind=kind,
            submission=Submission(source=source.encode(), problem=name, language=language, id=str(self._number)),
            options=Options(stop=Stop.FIRST_FAILURE, verdict_cache=cache),
            allowed=allowed,
        )

    def _again(self) -> Row:
        return self._of(self._chance.choice(("cpp17", "cpp17", "c17", "python3")), kind="compiled already")

    def _known(self) -> Row:
        return self._of(self._chance.choice(("cpp17", "python3")), kind="known", cache=True)

    def _new_python(self) -> Row:
        return self._of("python3", kind="new, Python", new=True)

    def _new_compiled(self) -> Row:
        language = self._chance.choice(("c17", "cpp17"))
        return self._of(language, kind="new, C or C++", new=True)

    def _javascript(self) -> Row:
        if "javascript" not in self._programs:
            return self._again()
        return self._of("javascript", kind="JavaScript")

    def _of_a_package(self) -> Row:
        if self._package is None or self._used >= PACKAGE_ROWS:
            if self._package is not None:
                self.over.append(self._package)
            self._package, self._used = package(self._directory / f"added-{self._number}"), 0
        self._used += 1
        source = "print(input())\n" if self._used % 2 else "print(int(input()) + 1)\n"
        return Row(
            kind="of an added package",
            submission=Submission(
                source=source.encode(), problem=self._package, language="python3", id=str(self._number)
            ),
            options=Options(stop=Stop.FIRST_FAILURE),
            allowed=frozenset({"AC" if self._used % 2 else "WA"}),
        )

    def _attack(self) -> Row:
        name, verdict, text = self._chance.choice(HOSTILE)
        return Row(
            kind="hostile",
            submission=Submission(
                source=text.encode(), problem=self._hostile, language="c17", id=f"{self._number} ({name})"
            ),
            options=Options(
                stop=Stop.FIRST_FAILURE, cpu_ns=HOSTILE_OPTIONS.cpu_ns, memory_bytes=HOSTILE_OPTIONS.memory_bytes
            ),
            allowed=frozenset({verdict.value}),
        )


def _links() -> list[str]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists them
            found.append(str(entry.readlink()))
    return found


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return found + [below for child in found for below in _children(child)]


def _pss(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def sample(cache: Path, directory: Path) -> dict[str, float]:
    gc.collect()
    me = os.getpid()
    links, below = _links(), _children(me)
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    others = {int(lock[-3].rpartition(":")[2]) for lock in locks if lock[-4] != str(me)}  # inodes
    groups = (name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names)
    stats = Cache(cache).stats()
    slots = []
    for path in Path("/tmp").glob("judge-slot-*"):  # noqa: S108 - theirs
        with suppress(FileNotFoundError):  # another judge's
            slots += [path] if path.lstat().st_ino not in others else []
    with suppress(FileNotFoundError):
        slots += [path for path in directory.iterdir() if path.name.startswith(("judge-", "tmp"))]
    return {
        "descriptors": len(links),
        "memory files": sum(link.startswith("/memfd:") for link in links),
        "processes": len(below),
        "threads": threading.active_count(),
        "leases": sum(str(me) in lock for lock in locks),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "cgroups": sum(name.startswith(f"judge-{me}-") for name in groups),
        "temporary directories": len(slots),
        "cache MiB": (stats.objects_bytes + stats.testdata_bytes) / MIB,
        "headers MiB": stats.headers_bytes / MIB,
        "RSS MiB": resident(me) / MIB,
        "PSS MiB": _pss(me) / MIB,
        "launchers MiB": sum(map(resident, below)) / MIB,
    }


class Soak:
    def __init__(self, judge: Judge, rows: Rows) -> None:
        self.judge, self.rows = judge, iter(rows)
        self._source = rows
        self.kinds, self.languages, self.verdicts = Counter[str](), Counter[str](), Counter[str]()
        self.differing: list[str] = []
        self.cached = 0
        self._lock = threading.Lock()
        self._room = threading.Semaphore(4 * judge.slots)

    def run(self, count: int) -> None:
        """Judge so many, and wait for all of them."""
        begun: list[Future[Judgement]] = []
        for _ in range(count):
            row = next(self.rows)
            self._room.acquire()
            future = self.judge.submit(row.submission, row.options)
            future.add_done_callback(partial(self._done, row))
            begun.append(future)
        for future in begun:
            future.exception()
        while self._source.over:
            shutil.rmtree(self._source.over.pop())

    def _done(self, row: Row, future: Future[Judgement]) -> None:
        self._room.release()
        error = future.exception()
        with self._lock:
            self.kinds[row.kind] += 1
            self.languages[row.submission.language] += 1
            if error is not None:
                self.differing.append(f"row {row.submission.id}: {error!r}")
                return
            judgement = future.result()
            self.cached += judgement.cached
            self.verdicts[judgement.verdict] += 1
            if judgement.verdict not in row.allowed:
                times = [(test.name, test.verdict.value, test.cpu_ns, test.wall_ns) for test in judgement.tests]
                shown = [time for time in times if time[1] not in ("AC", "SK")]
                wanted = "/".join(sorted(row.allowed))
                self.differing.append(
                    f"row {row.submission.id} ({row.kind}, {row.submission.problem}, {row.submission.language}): "
                    f"{judgement.verdict}, not {wanted}: {judgement.error or shown}"
                )


def judged(soak: Soak, cache: Path, directory: Path, arguments: argparse.Namespace) -> list[Sample]:
    """Samples, by the number of rows before each."""
    step = max(1, arguments.count // arguments.samples)
    began = time.monotonic()
    taken: list[Sample] = []
    done = 0
    while done < arguments.count and time.monotonic() - began < 60 * arguments.minutes:
        soak.run(min(step, arguments.count - done))
        done += min(step, arguments.count - done)
        taken.append((done, sample(cache, directory)))
        rate = done / (time.monotonic() - began)
        last = taken[-1][1]
        print(
            f"{done} rows, {rate:.1f}/s, {soak.cached} known, {len(soak.differing)} differ; "
            + ", ".join(f"{name} {value:.0f}" for name, value in last.items()),
            file=sys.stderr,
            flush=True,
        )
    return taken


def table(taken: Sequence[Sample]) -> dict[str, dict[str, float | str]]:
    """Of each quantity: at the first sample, the middle and the last, and whether the second half is flat."""
    half = taken[len(taken) // 2 :]
    found: dict[str, dict[str, float | str]] = {}
    for name, bound in BOUNDS.items():
        line = Line.through([float(x) for x, _ in half], [values[name] for _, values in half])
        found[name] = {
            "first": round(taken[0][1][name], 1),
            "middle": round(half[0][1][name], 1),
            "last": round(taken[-1][1][name], 1),
            "growth": round(line.growth, 2),
            "± 2 errors": round(line.error, 2),
            "bound": round(bound, 1),
            "flat": "yes" if line.growth - line.error <= bound else "NO",
        }
    return found


def markdown(rows: dict[str, dict[str, float | str]]) -> str:
    columns = list(next(iter(rows.values())))
    head = [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    return "\n".join(head + [f"| {name} | {' | '.join(str(row[c]) for c in columns)} |" for name, row in rows.items()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=1e6, help="at most")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ["JUDGE_CACHE_LIMIT"] = str(CACHE_BYTES)
    with tempfile.TemporaryDirectory(prefix="judge-soak-", dir="/tmp") as name:
        directory = Path(name)
        directory.chmod(0o755)  # the users that slots lease pass through
        cache = directory / "cache"
        cache.mkdir()
        before = sample(cache, directory)
        with Judge(slots=arguments.slots, cache_directory=cache) as judge:
            soak = Soak(judge, Rows(arguments.seed, directory))
            began = time.monotonic()
            taken = judged(soak, cache, directory, arguments)
            seconds = time.monotonic() - began
            tier = judge.isolation.tier
        after = sample(cache, directory)
    gone = ("descriptors", "memory files", "processes", "leases", "mounts", "cgroups", "temporary directories")
    left = {name: after[name] - before[name] for name in gone if after[name] > before[name]}
    rows = table(taken) if len(taken) > 4 else {}
    total = soak.kinds.total()
    print(f"tier {tier}, {arguments.slots} slots: {total} judgements in {seconds:.0f} s, {total / seconds:.1f}/s")
    for what, counts in (("rows", soak.kinds), ("languages", soak.languages), ("verdicts", soak.verdicts)):
        print(f"{what}: {', '.join(f'{count} {name}' for name, count in counts.most_common())}")
    print(f"{soak.cached} were known, {len(soak.differing)} differ from their label; left: {left or 'nothing'}")
    print("\n".join(soak.differing[:50]))
    if rows:
        print(markdown(rows))
    if arguments.json:
        figures = {
            "soak": rows,
            "soak-rows": {name: {"rows": count} for name, count in soak.kinds.most_common()},
            "soak-summary": {
                "judgements": {"": total},
                "judgements each second": {"": round(total / seconds, 1)},
                "known from the verdict cache": {"": soak.cached},
                "other than labelled": {"": len(soak.differing)},
                "left at the end": {"": sum(left.values())},
            },
        }
        arguments.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    return 1 if soak.differing or left or any(row["flat"] == "NO" for row in rows.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
