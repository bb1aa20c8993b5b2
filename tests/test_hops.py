"""scripts/hops.py: what stands between a door and the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "scripts/hops.py"
#: Files and functions. They may become fewer.
MOST = {"post": (29, 118), "answer": (25, 74), "run": (31, 92), "reward": (18, 88)}


def test_no_road_to_the_engine_becomes_longer() -> None:
    done = subprocess.run((sys.executable, SCRIPT, "--json"), check=True, capture_output=True, text=True)
    roads = json.loads(done.stdout)
    assert "Service.accept" in roads["post"]["judge/server/service.py"]
    assert "Store.finish" in roads["answer"]["judge/server/storing/store.py"]
    assert not any("judge/judging/trial.py" in hops for hops in roads.values())  # the engine's inside is on no road
    found = {name: (len(hops), sum(map(len, hops.values()))) for name, hops in roads.items()}
    assert found.keys() == MOST.keys()
    assert {name: figures for name, figures in found.items() if any(map(int.__gt__, figures, MOST[name]))} == {}
