"""The attack suite: hostile programs on every backend and tier.

attacks/<class>/*       a program for each mechanism; judge/selftest/head.py describes their head
test_attacks.py         each of them, on every variant: nothing escapes, nothing is left, nobody is disturbed
test_controls.py        each of them outside the sandbox: it works there, so the attack is one
test_compile.py         those of the class `compile`, through the judge's compiler
judged/, test_judged.py programs that aim at the verdict, through a Judge; judged.py describes their head
benign/, test_benign.py honest programs, which must be accepted
canaries, watch, neighbour     what must not be read, reached, changed, disturbed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from containers import Sandbox
from judge import Judge
from judge.many import local
from judge.selftest import head
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from tests.containers.conformance.conftest import open_slot, tier  # noqa: F401 - the variants of the conformance suite
from tests.containers.escape.programs import Programs

HERE = Path(__file__).parent
_DIRECTORIES = (HERE / "attacks", Path(head.__file__).parent / "attacks")
ATTACKS = [attack for directory in _DIRECTORIES for attack in head.load(directory)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`attack`: those that run; `compile_attack`: those that are compiled."""
    for name, compiled in (("attack", False), ("compile_attack", True)):
        if name in metafunc.fixturenames:
            chosen: list[Attack] = [attack for attack in ATTACKS if (attack.kind == "compile") is compiled]
            metafunc.parametrize(name, chosen, ids=[attack.name for attack in chosen])


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    made = Programs(tmp_path_factory.mktemp("attacks"))
    yield made
    made.close()


@pytest.fixture
def canaries() -> Iterator[Canaries]:
    with Canaries() as planted:
        yield planted


@pytest.fixture
def judge(
    open_slot: Callable[..., Sandbox],  # noqa: F811
    shared_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Judge]:
    """On the variant, with two slots."""
    open_slot().close()  # where it is not granted, this skips
    monkeypatch.setattr(local, "open_sandbox", lambda _backend, *, require, hide, held: open_slot(hide))
    with Judge(slots=2, cache_directory=shared_cache) as made:
        yield made
