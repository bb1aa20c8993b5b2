"""Attacks from an interpreter that is held and forked for each run: the walls around it are those of a program that was
executed. Those in C take its place, behind the same walls."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from containers import File, RunSpec, Sandbox
from containers.launcher.driver import LauncherSandbox
from judge import languages
from judge.languages import ENVIRONMENT
from judge.selftest import trial
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from judge.store.inputs import stream
from tests.containers.conformance.test_held import HOLDING, skip_where_none_is_held
from tests.containers.escape.conftest import ATTACKS
from tests.containers.escape.neighbour import Neighbour, honest_run
from tests.containers.escape.programs import Programs
from tests.containers.escape.test_attacks import shortened
from tests.containers.escape.watch import Watch

_EXECUTE = b"import os\nos.execv('../in/attack', ['attack'])\n"
#: Of those in C; others differ from these in nothing that a fork could change.
_CHOSEN = {"inherited_descriptors", "kernel_calls", "own_memory", "process_attributes"}


_HELD = [
    attack
    for attack in ATTACKS
    if attack.kind != "compile"
    and not attack.limits.processes
    and (attack.path.suffix == ".py" or attack.path.stem in _CHOSEN or os.environ.get("JUDGE_HELD") == "all")
]


def _spec(attack: Attack, programs: Programs) -> RunSpec:
    argv = (str(languages.get("python3").find()), "-s", "-E", "-B", "../in/solution.py")
    program = programs.of(attack)
    if program is None:
        helper = (trial.INCLUDE / "attack.py").read_bytes()
        files = (
            File(name="solution.py", content=attack.path.read_bytes()),
            File(name="attack.py", content=helper),
        )
    else:
        content = os.pread(program, os.fstat(program).st_size, 0)
        files = (
            File(name="solution.py", content=_EXECUTE),
            File(name="attack", content=content, executable=True),
        )
    return RunSpec(argv=argv, env=ENVIRONMENT, limits=attack.limits, files=files, warm=True)


def _hold(slot: Sandbox, spec: RunSpec) -> None:
    nothing = replace(spec, files=(File(name="solution.py", content=b""),))
    for _ in range(2):
        assert slot.run(nothing).exit_code == 0
    assert isinstance(slot, LauncherSandbox)
    assert any(held for _, held in slot._launchers)


@pytest.mark.parametrize("tier", HOLDING)
@pytest.mark.parametrize("held", _HELD, ids=[attack.name for attack in _HELD])
def test_attack(
    held: Attack, open_slot: Callable[..., Sandbox], tier: str, programs: Programs, canaries: Canaries
) -> None:
    spec, honest = _spec(held, programs), programs.neighbour
    watch = Watch(canaries)
    slot, other = open_slot(canaries.hide), open_slot(canaries.hide)
    skip_where_none_is_held(slot)
    _hold(slot, spec)
    watch.opened()
    with Neighbour(other, honest, canaries) as neighbour, stream(canaries.lines(neighbour=neighbour.pid)) as stdin:
        outcome = slot.run(replace(spec, stdin=stdin))
    found = trial.weaknesses(held, outcome, canaries)
    side_effects = neighbour.complaints() + honest_run(slot, honest, canaries)
    slot.close()
    other.close()
    side_effects += watch.found()
    if found or side_effects:
        pytest.fail("\n".join([*found, *side_effects, shortened(outcome.stdout)]), pytrace=False)
