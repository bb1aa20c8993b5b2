"""SIGKILL at random moments, at a batch that works: to the driver, its launchers, stubs and compilers.

Rounds of a batch of quick programs of every verdict, half of them compiled anew. In each round the driver is killed
once (the same command with --resume goes on), the others every now and then. At the end of a round each row stands
there once, with the verdict that it earns, or, where it was hit twice, with an error that says so; and neither a
process nor a cgroup nor a temporary file is left, but for the half of an entry that a killed driver was writing.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.processes import descendants
from tests.robustness.job import Broken, Job, mixed, sweep

KINDS = ("driver", "launcher", "stub", "compiler")
_COMPILERS = ("cc1", "as", "ld", "collect2", "gcc", "g++", "x86_64-linux-gn", "aarch64-linux-g", "mold")
_LAUNCHER, _RELAY = "judge-launcher", "judge-relay"
_ROWS = 48
#: Between two strikes at what the driver has started: seldom does one hit the second try of a row.
_PAUSE_S = (0.1, 0.5)
#: A compile that was killed is tried once more, within this time.
_SECOND_TRY_S = 1.5
#: What is said of a row that was hit in both of its tries.
_TWICE = "the sandbox failed twice"


def kinds(judge: int) -> dict[str, list[int]]:
    """Processes below a judge, by what they are: a launcher or a relay is its child, a stub a launcher's."""
    found: dict[str, list[int]] = {kind: [] for kind in KINDS}
    found["driver"] = [judge]
    for pid in descendants(judge):
        with suppress(OSError):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            if name in (_LAUNCHER[:15], _RELAY):
                found["launcher" if parent == judge else "stub"].append(pid)
            elif name.startswith(_COMPILERS):
                found["compiler"].append(pid)
    return found


class Round:
    """One batch, until it is whole."""

    def __init__(self, job: Job, wanted: Counter[str], chance: random.Random) -> None:
        self.killed: Counter[str] = Counter()
        self.errors = 0
        self._job, self._wanted, self._chance = job, wanted, chance
        self._spare_compilers_s = 0.0
        self._judges: list[int] = []
        self._seen: set[int] = set()

    def play(self) -> None:
        """
        Raises:
            Broken: a promise did not hold.
        """
        self._job.out.unlink(missing_ok=True)
        while self._start() != "whole":
            pass
        self._look()

    def _start(self) -> str:
        """Run the batch until it ends, or is killed."""
        patience = self._chance.uniform(0.5, 6.0) if self._wanted["driver"] > self.killed["driver"] else None
        judge = subprocess.Popen(
            self._job.command("-j", "3"),
            env=self._job.environment(),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        self._judges.append(judge.pid)
        began = time.monotonic()
        try:
            while judge.poll() is None:
                if patience is not None and time.monotonic() - began > patience:
                    self._seen |= descendants(judge.pid)
                    judge.send_signal(signal.SIGKILL)
                    self.killed["driver"] += 1
                    break
                pause = self._chance.uniform(*_PAUSE_S)
                with suppress(subprocess.TimeoutExpired):
                    judge.wait(pause if patience is None else min(pause, max(0.0, began + patience - time.monotonic())))
                if judge.poll() is None:
                    self._strike(judge.pid)
        finally:
            judge.kill()
            _, said = judge.communicate()
        match judge.returncode:
            case 0 | 1:
                return "whole"
            case -9:
                return "killed"
            case code:
                raise Broken(f"exit code {code} after {dict(self.killed)}: {said.decode(errors='replace')}")

    def _strike(self, judge: int) -> None:
        found = kinds(judge)
        self._seen |= {pid for pids in found.values() for pid in pids} - {judge}
        open_ = [kind for kind in KINDS[1:] if found[kind] and self._wanted[kind] > self.killed[kind]]
        if time.monotonic() < self._spare_compilers_s:
            open_ = [kind for kind in open_ if kind != "compiler"]
        if not open_:
            return
        kind = "compiler" if "compiler" in open_ else self._chance.choice(open_)  # they live for a moment only
        with suppress(ProcessLookupError):
            os.kill(self._chance.choice(sorted(found[kind])), signal.SIGKILL)
            self.killed[kind] += 1
            if kind == "compiler":
                self._spare_compilers_s = time.monotonic() + _SECOND_TRY_S

    def _look(self) -> None:
        found = self._job.written()
        twice = {id_ for id_, facts in found.items() if facts[0] == "IE" and _TWICE in str(facts[-1])}
        missing = [expected.id for expected in self._job.rows if expected.id not in found]
        wrong = {id_: facts for id_, facts in self._job.wrong(found).items() if id_ not in twice}
        if missing or wrong:
            raise Broken(f"after {dict(self.killed)}: missing {missing}, another verdict {wrong}")
        self.errors = len(twice)
        if 2 * self.errors > self.killed.total():
            raise Broken(f"{self.errors} errors of {dict(self.killed)}")
        for _ in range(500):
            running = [pid for pid in self._seen if alive(pid)]
            if not running:
                break
            time.sleep(0.02)
        if running:
            raise Broken(f"processes that are left: {running}")
        for judge in self._judges:
            sweep(judge)
            self._job.left(judge, killed=self.killed["driver"])


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def play(root: Path, wanted: Mapping[str, int], number: int, seed: int) -> Round:
    """One round with at most so many kills of each kind.

    Raises:
        Broken: a promise did not hold.
    """
    rows = tuple(mixed(root, _ROWS, first=number * _ROWS))
    job = Job(root=root, rows=rows)
    job.prepare()
    chance = random.Random(f"{seed} {number}")
    limits = Counter({"driver": min(1, wanted.get("driver", 0)), **{kind: wanted.get(kind, 0) for kind in KINDS[1:]}})
    round_ = Round(job, limits, chance)
    round_.play()
    return round_
