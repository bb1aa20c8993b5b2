"""The memory budget: what it is made of, who is refused, and that what runs together stays within it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

import pytest

from containers import Isolation, Outcome, RunLimits, RunSpec, Sandbox, open_sandbox
from judge import ConfigError, Judge, Options, Submission, Verdict, languages
from judge.common.errors import LanguageError
from judge.compiling.toolchain import BUILD_LIMITS, limits
from judge.judging.generated import GENERATOR_LIMITS
from judge.judging.limits import check_memory
from judge.languages import Language
from judge.many import local
from judge.many import machine as machines
from judge.slots.budget import BASE_BYTES, COMPILE_BYTES, SLOT_BYTES, Budget, budget, cost
from judge.slots.capacity import Slots, available
from judge.slots.gate import Gate
from problems import load
from problems.model import Limits
from tests.distinct import declaration

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

MIB, GIB = 1 << 20, 1 << 30
ADD = b'#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'
CASES = {f"secret/{number}": (f"{number} 2\n", f"{number + 2}\n") for number in range(3)}
CHECKER = """
#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
    int answer = 0, output = 0;
    if (std::fscanf(std::fopen(argv[2], "r"), "%d", &answer) != 1 || std::scanf("%d", &output) != 1) return 43;
    return output == answer ? 42 : 43;
}
"""

FULL = Isolation(backend="native", tier="full", layers=("mount", "cgroup"))
USERNS = Isolation(backend="native", tier="userns", layers=("mount",))
RESTRICTED = Isolation(backend="native", tier="restricted-root", layers=("uid",))


def machine(available_bytes: int, cores: int = 4) -> Slots:
    return Slots(count=cores, bound_by="CPU affinity", affinity=cores, quota=None, memory_bytes=available_bytes)


def row(problem: Path, source: bytes = ADD) -> Submission:
    return Submission(source=source, problem=problem, language="c17")


def unique() -> bytes:
    return ADD + declaration().encode()


# What it is made of


def test_the_parts_are_the_whole() -> None:
    planned = budget(8 * GIB, 4, machine(64 * GIB))
    slots = (4 + planned.spares) * (SLOT_BYTES + planned.held * 40 * MIB)
    parts = BASE_BYTES + planned.inputs_bytes + slots + planned.programs_bytes
    assert parts == planned.bytes == 8 * GIB
    assert planned.spares > 0
    assert planned.programs_bytes >= 4 * COMPILE_BYTES  # what is held takes none of that away


def test_without_a_word_it_is_what_is_available_less_a_reserve() -> None:
    planned = budget(None, 4, machine(64 * GIB))
    assert planned.bytes == 56 * GIB
    assert "reserve" in str(planned)


@pytest.mark.parametrize("slots", [1, 16])
@pytest.mark.parametrize("isolation", [FULL, USERNS, RESTRICTED])
def test_on_the_smallest_machine_there_is_room_for_what_every_judgement_needs(slots: int, isolation: Isolation) -> None:
    planned = budget(None, slots, machine(GIB))
    needed = [cost(BUILD_LIMITS, isolation, collects=True)]
    needed += [cost(limits(languages.get(name)), isolation, collects=True) for name in languages.names()]
    assert max(needed) <= planned.programs_bytes


def test_more_slots_than_the_budget_can_carry_are_an_error() -> None:
    with pytest.raises(ConfigError, match=r"1024 MiB leaves nothing for programs beside 16 slots; give it \d+ MiB"):
        Judge(slots=16, memory_bytes=GIB)
    with pytest.raises(ConfigError, match="must be positive"):
        Judge(memory_bytes=0)


def test_what_a_run_may_take_is_counted_in_full() -> None:
    run = RunLimits(wall_ns=1, memory_bytes=256 * MIB)
    assert 256 * MIB + run.output_bytes <= cost(run, FULL) <= 256 * MIB + run.output_bytes + 8 * MIB
    assert cost(run, RESTRICTED) >= cost(run, FULL) + run.directory_bytes  # which no tmpfs of its own counts
    assert cost(run, FULL, files_bytes=MIB) == cost(run, FULL) + 2 * MIB
    small = replace(run, memory_bytes=4 * MIB)  # bringing its files back takes more than it took itself
    assert cost(small, FULL, collects=True) >= 3 * run.directory_bytes + 2 * run.output_bytes
    compile_ = limits(languages.get("cpp17"))
    assert cost(compile_, FULL, collects=True) <= COMPILE_BYTES


# Who is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            Options(memory_bytes=8 * GIB),
            r"a test with a memory limit of 8192 MiB may need \d+ MiB, but .* leaves \d+ MiB",
        ),
        (Options(compile_memory_bytes=8 * GIB), r"compiling c17 with a memory limit of 8192 MiB may need \d+ MiB, but"),
    ],
)
def test_a_run_that_never_fits_is_refused_before_anything_runs(
    options: Options, said: str, judges: Judges, package: MakePackage
) -> None:
    problem, judge = package(CASES), judges(memory_bytes=4 * GIB)
    with pytest.raises(ConfigError, match=said):
        judge.judge(row(problem), options)
    (judgement,) = judge.judge_many([row(problem)], options)
    assert (judgement.verdict, judgement.score, judgement.compile) == (Verdict.IE, None, None)
    assert "raise --memory-budget" in (judgement.error or "")
    assert judge.judge(row(problem)).accepted  # others go on


def test_a_language_that_starts_processes_is_at_fault_where_others_fit() -> None:
    """Else a fence that names it would be an error of the budget, and choose not to be scored."""
    problem = replace(load("P1001"), limits=Limits(memory_bytes=2 * GIB))
    fits = cost(RunLimits(wall_ns=1, memory_bytes=2 * GIB, output_bytes=Limits().output_bytes), USERNS)
    bash, c = languages.get("bash"), languages.get("c17")

    def check(language: Language, memory_bytes: int, walls: Isolation = USERNS) -> None:
        slot = SimpleNamespace(gate=Gate(1, memory_bytes), program=SimpleNamespace(isolation=walls))
        check_memory(problem, Options(), language, slot)  # type: ignore[arg-type]

    check(c, fits)
    check(bash, fits, FULL)
    with pytest.raises(LanguageError, match="2048 MiB may need"):
        check(bash, fits)
    with pytest.raises(ConfigError, match="2048 MiB may need"):
        check(bash, fits - 1)


def test_a_problem_whose_limit_never_fits_is_refused(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, metadata="limits: {memory: 8192}\n")
    with pytest.raises(ConfigError, match="problem package: a test with a memory limit of 8192 MiB may need"):
        judges(memory_bytes=4 * GIB).judge(row(problem))


# What runs together


class Weighed:
    """A real sandbox that adds up what all runs at this moment may take, and counts the compiles among them."""

    lock: ClassVar = threading.Lock()
    now = peak = most_compiles = compiles = 0

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.isolation, self.holds = inner.isolation, inner.holds
        self.stop, self.close = inner.stop, inner.close

    def run(self, spec: RunSpec) -> Outcome:
        need = cost(spec.limits, self.isolation, collects=bool(spec.collect))
        compiles = int(spec.limits.memory_bytes >= GIB)
        self._add(need, compiles)
        try:
            return self._inner.run(spec)
        finally:
            self._add(-need, -compiles)

    @classmethod
    def _add(cls, need: int, compiles: int) -> None:
        with cls.lock:
            cls.now, cls.compiles = cls.now + need, cls.compiles + compiles
            cls.peak, cls.most_compiles = max(cls.peak, cls.now), max(cls.most_compiles, cls.compiles)


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Weighed]]:
    monkeypatch.setattr(machines, "FEW_SLOTS", 8)  # one process: what runs in others is not weighed here

    def opened(*args: object, **how: object) -> Weighed:
        return Weighed(open_sandbox(*args, **how))  # type: ignore[arg-type]

    monkeypatch.setattr(local, "open_sandbox", opened)
    monkeypatch.setattr(Slots, "cores", 8)
    Weighed.now = Weighed.peak = Weighed.most_compiles = Weighed.compiles = 0
    yield Weighed


def test_compiles_and_runs_together_stay_within_the_budget(
    judges: Judges, package: MakePackage, weighed: type[Weighed]
) -> None:
    judge = judges(slots=8, memory_bytes=4 * GIB)
    planned: Budget = judge._executor.budget  # type: ignore[attr-defined]
    rows = [row(package(CASES), unique()) for _ in range(24)]
    assert {judgement.verdict for judgement in judge.judge_many(rows)} == {"AC"}
    assert 1 <= weighed.most_compiles <= planned.compiles < 8  # eight cores would have taken eight
    assert weighed.peak <= planned.programs_bytes


@pytest.mark.parametrize("memory", [900, 2048])
def test_checkers_with_large_limits_take_turns_and_nobody_waits_for_ever(
    memory: int, judges: Judges, package: MakePackage, weighed: type[Weighed]
) -> None:
    problem = package(
        CASES,
        metadata=f"limits: {{validation_memory: {memory}}}\n",
        files={"output_validator/check.cpp": CHECKER + declaration()},
    )
    judge = judges(slots=8, memory_bytes=5 * GIB)
    rows = [row(problem, unique()) for _ in range(16)]
    rows += [row(problem, unique().replace(b"a + b", b"a - b")) for _ in range(4)]
    verdicts = [judgement.verdict.value for judgement in judge.judge_many(rows)]
    assert sorted(verdicts) == ["AC"] * 16 + ["WA"] * 4
    assert weighed.peak <= judge._executor.budget.programs_bytes  # type: ignore[attr-defined]


def test_generators_fit_a_usual_budget() -> None:
    planned = budget(None, 2, machine(8 * GIB))
    assert cost(GENERATOR_LIMITS, RESTRICTED) <= planned.programs_bytes


def test_this_machine() -> None:
    grants = available()
    planned = budget(None, grants.count, grants)
    assert planned.compiles >= 1
    assert planned.bound_by in str(planned)
