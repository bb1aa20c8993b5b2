"""A judge that is killed while it works: what it has written stays, the rest is done when it is started again, and what
it could not clear away itself is gone then.

JUDGE_KILL_JUDGES is how often it is killed in each tier.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from containers import Sandbox
from tests.conftest import MakePackage
from tests.containers.conformance.test_lifecycle import wait_gone
from tests.processes import descendants
from tests.robustness.machine import cgroups, locks, remains
from tests.robustness.rows import CASES, row

KILLS = int(os.environ.get("JUDGE_KILL_JUDGES", "2"))
ROWS = 24
ROOT = Path(__file__).parents[2]
_CODE = """
import sys
from pathlib import Path
import pytest
from tests.robustness.machine import use
use(sys.argv.pop(1), Path(sys.argv.pop(1)), pytest.MonkeyPatch())
from judge.cli import process
sys.exit(process())
"""
_FLAGS = ("--slots", "2", "--time-limit", "200ms", "--memory-limit", "64MiB", "--resume")


def written(path: Path) -> list[dict[str, object]]:
    """The complete lines."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def age(judge: int, place: Path) -> None:
    """What a judge left is swept when it is a minute old, for a younger one may only be about to be used."""
    for path in (*cgroups(judge), *place.iterdir()):
        os.utime(path, (0, 0))


def test_results_are_resumed_and_nothing_stays(
    tier: str,
    open_slot: Callable[[], Sandbox],
    place: Path,
    cache: Path,
    tmp_path: Path,
    package: MakePackage,
) -> None:
    open_slot().close()  # skips where the tier is not granted
    problem = package(CASES)
    rows = [row(number, problem) for number in range(ROWS)]
    given, out = tmp_path / "rows.jsonl", tmp_path / "results.jsonl"
    given.write_text(
        "".join(
            json.dumps({"id": s.id, "problem": str(problem), "language": s.language, "source": s.source.decode()})
            + "\n"
            for _, s in rows
        )
    )
    command = (sys.executable, "-c", _CODE, tier, str(place), "batch", str(given), "-o", str(out), *_FLAGS)
    environment = {**os.environ, "JUDGE_CACHE_DIR": str(cache)}
    order = random.Random(3)
    judges: list[int] = []
    for kill in range(1, KILLS + 1):
        judge = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
        judges.append(judge.pid)
        while len(written(out)) < ROWS * kill // (KILLS + 2) and judge.poll() is None:
            time.sleep(0.005)
        time.sleep(order.uniform(0, 0.1))
        below = descendants(judge.pid)
        judge.send_signal(signal.SIGKILL)
        _, said = judge.communicate()
        assert judge.returncode == -signal.SIGKILL, said.decode()
        assert below
        assert wait_gone(below), "the launchers end by themselves, with all that they started"
        assert not locks(judge.pid)
        age(judge.pid, place)
    last = subprocess.run(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, check=False)
    assert last.returncode == 0, last.stderr.decode()
    found = written(out)
    assert sorted(str(result["id"]) for result in found) == sorted(str(s.id) for _, s in rows), "each exactly once"
    assert {str(result["id"]): result["verdict"] for result in found} == {s.id: verdict for verdict, s in rows}
    for judge_number in judges:
        assert remains(judge_number, place, set()) == {}
