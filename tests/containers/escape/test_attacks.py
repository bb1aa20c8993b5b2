"""Every attack, on every backend and tier: contained, without side effects, and nobody else notices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from containers import Outcome, Sandbox, Unsupported
from judge.common.errors import LanguageError
from judge.selftest import trial
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from judge.selftest.trial import Said
from tests.containers.escape import record
from tests.containers.escape.neighbour import Neighbour, honest_run
from tests.containers.escape.programs import Programs
from tests.containers.escape.watch import Watch
from tests.containers.variants import VARIANTS


def test_attack(
    attack: Attack, open_slot: Callable[..., Sandbox], tier: str, programs: Programs, canaries: Canaries
) -> None:
    program, honest = programs.of(attack), programs.neighbour
    attack = attack.on_sentry() if VARIANTS[tier].gvisor else attack
    watch = Watch(canaries)
    slot, other = open_slot(canaries.hide), open_slot(canaries.hide)
    watch.opened()
    with Neighbour(other, honest, canaries) as neighbour:
        stdin = canaries.lines(neighbour=neighbour.pid, **_kernel(tier))
        try:
            outcome = trial.run(attack, program, slot, stdin)
        except (Unsupported, LanguageError) as error:
            pytest.skip(str(error))
    found = trial.weaknesses(attack, outcome, canaries)
    side_effects = neighbour.complaints() + honest_run(slot, honest, canaries)
    slot.close()
    other.close()
    side_effects += watch.found()
    _record(attack, tier, outcome, found, side_effects)
    if found or side_effects:
        pytest.fail("\n".join([*found, *side_effects, shortened(outcome.stdout)]), pytrace=False)
    if absent := Said.of(outcome.stdout).absent:
        pytest.skip(f"this machine has no {', '.join(absent)}")


def _kernel(tier: str) -> dict[str, str]:
    """Told to programs: there what the kernel says is said by gVisor's, which is the slot's own."""
    return {"sentry": "yes"} if VARIANTS[tier].gvisor else {}


def shortened(output: bytes) -> str:
    return f"it printed: {output[:500]!r} … {output[-1000:]!r}"


def _record(attack: Attack, tier: str, outcome: Outcome, found: list[str], side_effects: list[str]) -> None:
    said = Said.of(outcome.stdout)
    record.write(
        attack=attack.name,
        tries=attack.tries,
        variant=f"{outcome.isolation.backend}/{tier}",
        result="ESCAPED"
        if found
        else "held"
        if said.held and not outcome.termination.endswith("limit")
        else "contained",
        termination=outcome.termination,
        found=found,
        held=said.held[:8],
        got=said.got,
        bound=None if attack.bound is None else f"{attack.bound.most} {attack.bound.unit}",
        suspicious=outcome.suspicious,
        side_effects=side_effects,
    )
