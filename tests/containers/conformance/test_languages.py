"""Every language on every variant: what a runtime needs of the sandbox, and what becomes of programs that ask too much.

One program in each language does what the first line of its input says, so that it is compiled once for all variants.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from containers import Outcome, RunLimits, Sandbox
from containers.outcome import counts_processes
from judge import languages
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiler, Executable
from judge.languages import Language
from judge.ruling.classify import Allowed, Ruling, classify
from judge.store.cache import Cache
from judge.store.memfd import memfd
from tests.containers.conformance.conftest import MIB, SECOND, TIME_SCALE
from tests.containers.variants import REQUIRED, VETTED, granted

PROGRAMS = Path(__file__).parent / "programs"
NAMES = ("java", "rust", "go", "javascript", "pascal")
#: Languages whose programs do less. These recurse a million calls deep.
DEEP = (
    *(
        "ada",
        "csharp",
        "d",
        "elixir",
        "erlang",
        "haskell",
        "kotlin",
        "lisp",
        "nim",
        "ocaml",
        "perl",
        "php",
        "prolog",
        "racket",
    ),
    *("ruby", "scala", "scheme", "typescript", "typescript-strict", "zig"),
)
#: These have no deep recursion, or an exit code that the program cannot choose (SQL), or nothing that sorts (assembly).
SHALLOW = ("awk", "bash", "clojure", "fortran", "lua", "luajit", "octave", "r", "sql", "nasm")


def these(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "language", [pytest.param(name, marks=pytest.mark.long) for name in names], indirect=True
    )


def less(*left_out: str) -> pytest.MarkDecorator:
    return these(*(name for name in (*DEEP, *SHALLOW) if name not in left_out))


def only(*tiers: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("tier", [tier for tier in tiers if tier in granted()])


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The language's program in a slot."""

    language: Language
    program: Executable
    slot: Sandbox

    def __call__(
        self, mode: str, n: int = 0, *, data: str = "", memory: int = 256, cpu_s: float = 10 * TIME_SCALE
    ) -> tuple[Outcome, Ruling | None]:
        cpu_ns = int(cpu_s * SECOND)
        limits = RunLimits(
            cpu_ns=cpu_ns,
            wall_ns=120 * TIME_SCALE * SECOND,
            memory_bytes=memory * MIB,
            processes=self.language.processes,
            open_files=self.language.open_files,
        )
        with memfd("input", f"{mode} {n}\n{data}\n".encode()) as stdin:
            outcome = self.slot.run(self.program.spec(limits=limits, stdin=stdin))
        allowed = Allowed(
            cpu_ns=cpu_ns,
            wall_ns=limits.wall_ns,
            memory_bytes=limits.memory_bytes,
            output_bytes=limits.output_bytes,
            runtime_bytes=self.language.run.files_mib * MIB,
        )
        compiled = self.program.executable is not None
        return outcome, classify(outcome, allowed, out_of_memory=self.language.out_of_memory, compiled=compiled)


@pytest.fixture(params=NAMES)
def language(request: pytest.FixtureRequest) -> Language:
    found = languages.get(request.param)
    if (problem := found.status().problem) is not None:
        if ("languages" if request.param in NAMES else "every-language") in REQUIRED:
            pytest.fail(problem)
        pytest.skip(problem)
    return found


@pytest.fixture
def asked(language: Language, tier: str, shared_cache: Path, open_slot: Callable[..., Sandbox]) -> Iterator[Asked]:
    slot = open_slot(config.hidden_directories(shared_cache))
    if tier.endswith(VETTED) and language.threads:
        pytest.skip("refused here: test_what_the_walls_do_not_allow_is_refused")
    if language.proc and (tier.startswith(("restricted", "nsjail")) or tier in ("docker", "docker-userns")):
        pytest.skip("refused here: test_where_proc_is_hidden_what_reads_it_is_refused")
    if language.hostile_processes and not counts_processes(slot.isolation):
        with pytest.raises(LanguageError, match="nothing bounds together"):
            language.check(slot.isolation)
        pytest.skip("refused here")
    source = (PROGRAMS / f"program{Path(language.smoke).suffix}").read_bytes()
    compiled = Compiler(Cache(shared_cache)).compile(source, language, slot)
    assert compiled.program is not None, compiled.result
    with compiled.program as program:
        yield Asked(language=language, program=program, slot=slot)


def well(result: tuple[Outcome, Ruling | None]) -> str:
    outcome, ruling = result
    assert ruling is None, (ruling, outcome.stderr[:2000])
    assert outcome.stderr == b""
    return outcome.stdout.decode().rstrip("\n")


def verdict(result: tuple[Outcome, Ruling | None]) -> str:
    outcome, ruling = result
    assert ruling is not None, outcome
    return ruling.verdict.value


def test_large_input_is_read_and_sorted(asked: Asked) -> None:
    sorts(asked, 100_000)


def sorts(asked: Asked, count: int) -> None:
    numbers = random.Random(7).choices(range(-(10**12), 10**12), k=count)
    printed = well(asked("sort", len(numbers), data=" ".join(map(str, numbers))))
    assert printed.split() == [str(number) for number in sorted(numbers)]


def test_recursion_may_be_deep(asked: Asked) -> None:
    assert well(asked("deep", 1_000_000)) == "1000000"


@pytest.mark.parametrize("memory", [256, 512])
def test_much_memory_may_be_used(asked: Asked, memory: int) -> None:
    assert well(asked("large", 200_000_000, memory=memory)) == "1"


def test_little_memory_is_enough_for_much_garbage(asked: Asked) -> None:
    assert well(asked("garbage", 200_000, memory=64)) == str(200_000 * 1024)


@pytest.mark.parametrize("language", ["rust", "pascal"], indirect=True)
def test_a_refused_allocation_is_for_want_of_memory(asked: Asked) -> None:
    assert verdict(asked("refused", 1000)) == "MLE"


def test_threads_work(tier: str, asked: Asked) -> None:
    if tier.endswith(VETTED) and asked.language.family == "pascal":
        pytest.skip("its threads open a library as they end, and here threads open nothing")
    assert well(asked("threads", 8, memory=512)) == "36"


def test_files_can_be_written_and_read(asked: Asked) -> None:
    outcome, ruling = asked("file", 42)
    assert well((outcome, ruling)) == "42"
    assert set(outcome.suspicious) <= set(asked.language.harmless)


@pytest.mark.parametrize("memory", [64, 256])
def test_endless_allocation_exceeds_memory(asked: Asked, memory: int) -> None:
    assert verdict(asked("hoard", memory=memory)) == "MLE"


def test_endless_recursion_is_no_time_out(asked: Asked) -> None:
    assert verdict(asked("deep", 10**15 if asked.language.family != "java" else 2**31 - 1)) in ("MLE", "RE")


def test_a_loop_exceeds_time(asked: Asked) -> None:
    assert verdict(asked("spin", cpu_s=0.5)) == "TLE"


def test_an_exception_is_a_runtime_error(asked: Asked) -> None:
    outcome, ruling = asked("throw")
    assert verdict((outcome, ruling)) == "RE"
    assert b"thrown" in outcome.stderr


def test_an_exit_code_is_a_runtime_error(asked: Asked) -> None:
    outcome, ruling = asked("exit", 3)
    assert verdict((outcome, ruling)) == "RE"
    assert outcome.exit_code == 3


@pytest.mark.parametrize("language", ["java", "go", "javascript"], indirect=True)
@only(f"restricted-root{VETTED}", f"restricted-user{VETTED}")
def test_what_the_walls_do_not_allow_is_refused(
    language: Language, shared_cache: Path, open_slot: Callable[..., Sandbox]
) -> None:
    with pytest.raises(LanguageError, match="it opens files from several threads"):
        Compiler(Cache(shared_cache)).compile(b"", language, open_slot())


@pytest.mark.parametrize("language", ["csharp", "d"], indirect=True)
@only("restricted-root", "restricted-user", "nsjail", "docker")
def test_where_proc_is_hidden_what_reads_it_is_refused(
    language: Language, shared_cache: Path, open_slot: Callable[..., Sandbox]
) -> None:
    with pytest.raises(LanguageError, match="its runtime reads /proc"):
        Compiler(Cache(shared_cache)).compile(b"", language, open_slot())


@less("nasm")
def test_input_is_read_and_sorted(asked: Asked) -> None:
    sorts(asked, 10_000)


@these(*DEEP)
def test_a_recursion_may_be_deep(asked: Asked) -> None:
    assert well(asked("deep", 100_000)) == "100000"


@less()
def test_memory_is_exceeded(asked: Asked) -> None:
    assert verdict(asked("hoard")) == "MLE"


@less()
def test_time_is_exceeded(asked: Asked) -> None:
    assert verdict(asked("spin", cpu_s=2)) == "TLE"


@less()
def test_what_is_thrown_is_a_runtime_error(asked: Asked) -> None:
    outcome, ruling = asked("throw")
    assert verdict((outcome, ruling)) == "RE"
    assert b"thrown" in outcome.stderr


@less("sql")
def test_a_chosen_exit_code_is_a_runtime_error(asked: Asked) -> None:
    outcome, ruling = asked("exit", 3)
    assert verdict((outcome, ruling)) == "RE"
    assert outcome.exit_code == 3
