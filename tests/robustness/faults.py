"""What becomes of a batch when something fails beneath it.

    python -m tests.robustness.faults kills   [--count 1000] [--minutes M] [--seed N] [--json FILE]
    python -m tests.robustness.faults actors  [--count 50]   [--minutes M] [--seed N] [--json FILE]
    python -m tests.robustness.faults writes  [--every] [--from K] [--count N] [--minutes M] [--json FILE]
    python -m tests.robustness.faults places  [--only WORDS] [--minutes M] [--json FILE]

kills    SIGKILL at random moments to drivers, launchers, stubs and compilers: 15, 35, 35, 15 of a hundred (kills.py)
actors   the same to the actors of a Ray cluster (actors.py)
writes   ENOSPC and EIO, once and from then on, at each place that the cache and the results are written at: the first
         and the last call of each; --every: every call (writes.py)
places   a full disk, a read-only cache, few descriptors, few processes, little memory, a clock that jumps (places.py)

Each ends in the same results or in a clear error; a run without the fault completes the results; nothing is lost, left,
or judged twice. Counts are added to those in FILE. What breaks a promise is printed; exit code 1. Needs root and gcc.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count as numbers
from pathlib import Path

from tests.robustness import actors, kills, places, writes
from tests.robustness.job import Broken, Job, every_writer
from tests.robustness.tally import Tally

#: Of a hundred kills. A driver's takes a whole start; compilers live for moments.
_SHARES = {"driver": 15, "launcher": 35, "stub": 35, "compiler": 15}


class Report:
    """What was tried, and what broke."""

    def __init__(self, tally: Tally, seconds: float) -> None:
        self.broken = 0
        self._tally = tally
        self._end_s = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        return time.monotonic() > self._end_s

    @property
    def left_s(self) -> float:
        return self._end_s - time.monotonic()

    def add(self, row: str, columns: dict[str, int], said: str) -> None:
        self._tally.add(row, columns)
        print(f"{row}: {said}", file=sys.stderr, flush=True)

    def breaks(self, row: str, error: Broken) -> None:
        self.broken += 1
        self._tally.add(row, {"broken": 1})
        print(f"BROKEN {row}: {error}", flush=True)


def _kills(root: Path, arguments: argparse.Namespace, report: Report) -> None:
    left = {kind: arguments.count * share // 100 for kind, share in _SHARES.items()}
    for number in numbers():
        if report.over or not any(left.values()):
            return
        try:
            played = kills.play(root, left, number, arguments.seed)
        except Broken as error:
            report.breaks("kills", error)
            if report.broken > 20:
                return
            continue
        for kind, killed in played.killed.items():
            left[kind] -= killed
            report.add(f"SIGKILL to a {kind}", {"tried": killed}, f"{killed} in round {number}, {left[kind]} to go")
        report.add("rows hit in both tries", {"clear error": played.errors}, str(played.errors))


def _actors(root: Path, arguments: argparse.Namespace, report: Report) -> None:
    try:
        found = actors.kill(root, arguments.count, report.left_s, arguments.seed)
    except Broken as error:
        report.breaks("SIGKILL to a Ray actor", error)
        return
    columns = {"tried": found["kills"], "clear error": found["errors in rows"]}
    report.add("SIGKILL to a Ray actor", columns, f"{found}")


def _writes(root: Path, arguments: argparse.Namespace, report: Report) -> None:
    job = Job(root=root, rows=tuple(every_writer(root)))
    scratch = root / "scratch"
    scratch.mkdir()
    shim = writes.Shim(directory=scratch, library=writes.build("fail_write.c", scratch))
    sites = writes.survey(job, shim)
    chosen = sorted(sites) if arguments.every else writes.first_of_each(sites)
    chosen = [number for number in chosen if number >= arguments.start]
    print(f"{len(sites)} calls at {len(set(sites.values()))} places; {len(chosen)} to try", file=sys.stderr, flush=True)
    for tried, fault in enumerate(writes.faults(sites, chosen)):
        if report.over or tried >= arguments.count:
            print(f"--from {fault.at} goes on", file=sys.stderr)
            return
        try:
            report.add(fault.site, {"tried": 1, writes.attempt(job, shim, fault): 1}, str(fault))
        except Broken as error:
            report.breaks(fault.site, error)


def _places(root: Path, arguments: argparse.Namespace, report: Report) -> None:
    job = Job(root=root, rows=tuple(every_writer(root)))
    scratch = root / "scratch"
    scratch.mkdir()
    job.prepare()
    for name, make in places.lacks(job, scratch):
        if report.over:
            return
        if arguments.only in name:
            try:
                how = places.attempt(job, make)
                report.add(name, {"tried": 1, how: 1}, how)
            except Broken as error:
                report.breaks(name, error)


PARTS = {"kills": _kills, "actors": _actors, "writes": _writes, "places": _places}


def _default_count(part: str) -> int:
    return {"kills": 1000, "actors": 50}.get(part, 1 << 30)


def _options(arguments: Iterator[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--count", type=int, help="how many faults")
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--from", dest="start", type=int, default=1, metavar="K")
    parser.add_argument("--only", default="", metavar="WORDS")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(None if arguments is None else list(arguments))
    options.count = options.count or _default_count(options.part)
    return options


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally(options.json)
    report = Report(tally, 60 * options.minutes)
    root = Path(tempfile.mkdtemp(prefix="judge-faults-", dir="/tmp"))
    root.chmod(0o755)  # users that slots lease pass through
    try:
        PARTS[options.part](root, options, report)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        report.broken += 1
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(tally.table())
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
