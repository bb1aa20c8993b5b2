"""What an interpreter or a library gives to every program of its language (`powers.toml`): language × power.

Inside the walls each power must come to what `POWERS` says, on every backend and tier; outside, as an ordinary user,
it must work: so each try is one. One program of a language tries all that let it go on; the long tests give every cell
a program of its own.
"""

from __future__ import annotations

import os
import signal
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from containers import Outcome, RunLimits, Sandbox, Termination, open_sandbox
from judge import languages
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiler
from judge.store.cache import Cache
from judge.store.memfd import memfd
from tests.containers.conformance.conftest import MIB, SECOND, TIME_SCALE
from tests.containers.conformance.test_streams import describe_input
from tests.containers.escape.control import User, control_user, work_directory
from tests.containers.escape.test_interpreters import OUTSIDE, installed
from tests.judge.languages.test_languages import INSTALLED

#: What is given as input; a run must leave no mark on it.
_INPUT = b"precious\n"
_MEMORY_BYTES = 256 * MIB


class Power(NamedTuple):
    why: str
    #: The most that a program may get of it; None: it is refused.
    most: int | None = None
    #: Or how it ends, when a limit stops it.
    stopped: Termination | None = None


#: In the order in which one program tries them: what may be ended by a limit comes last.
POWERS = {
    "child": Power("a run has threads, but no processes"),
    "signal": Power("the walls let a program reach nobody but itself"),
    "reopen": Power("an input is read-only, by whatever name it is opened"),
    "pass": Power("descriptors cannot be sent, so none is kept where nobody counts"),
    "mode": Power("an input is shared by all runs of a test"),
    "time": Power("an input is shared by all runs of a test"),
    "lock": Power("a run beside this one would see it"),
    "descriptors": Power("a run has so many", most=64),
    "threads": Power("a run has so many", most=64),
    "shared": Power("shared memory counts", most=_MEMORY_BYTES // MIB, stopped=Termination.MEMORY_LIMIT),
    "unlinked": Power("files without a name count", most=64, stopped=Termination.OUTPUT_LIMIT),
    "sparse": Power("a file is no larger than its directory may be", stopped=Termination.SIGNALED),
    "busy": Power("CPU time of all threads and processes counts", stopped=Termination.CPU_LIMIT),
    "sleep": Power("time counts, too", stopped=Termination.WALL_LIMIT),
}
#: These may end a program, so each has one of its own. Outside, some go on for ever.
_ENDING, _LONG = ("unlinked", "sparse"), ("busy", "sleep")
#: What the kernel sends for a file that is too large; and what ends a run at a limit.
_SIGNALS = (signal.SIGXFSZ, signal.SIGKILL)
#: Scripts that may start processes, where all of them are counted. Marking an input seems to succeed, and does nothing.
_SCRIPTS = {"child": Power("as many as its language may have, and 64 tasks more", most=96)}
_SEEMS = ("mode", "time", "lock")
TABLE: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("powers.toml").read_text(encoding="utf-8"))
for _cells in TABLE.values():
    if (_like := _cells.pop("like", None)) is not None:
        _cells |= {**TABLE[_like], **_cells}
_OUTSIDE = {**OUTSIDE, "python3": ("python3",)}
#: A parent that belongs to the same user.
_PARENT = ("sh", "-c", '"$@"; :', "sh")
_LIMITS = ("--nproc=600", f"--fsize={1 << 41}", "--nofile=512", "--cpu=10", "--core=0")
#: Languages that are those of another one here: the same compiler or runtime, and the same library.
_SAME = {
    **dict.fromkeys(("c99", "c11", "cpp11", "cpp14", "cpp17", "cpp20", "cpp23", "cpp17-clang", "cpp20-clang"), "c17"),
    **dict.fromkeys(("javascript-module", "typescript", "typescript-strict"), "javascript"),
    "java-assertions": "java",
}
names = pytest.mark.parametrize("name", TABLE)


@pytest.fixture(scope="module")
def sandbox(backend: str) -> Iterator[Sandbox]:
    """What compiles the programs of the controls."""
    with open_sandbox(backend) as opened:
        yield opened


def cells(name: str) -> list[str]:
    return [power for power in POWERS if power in TABLE[name]]


def rule(name: str, power: str) -> Power:
    scripted = languages.get(name).processes > 0
    return _SCRIPTS.get(power, POWERS[power]) if scripted else POWERS[power]


def source(name: str, powers: list[str]) -> bytes:
    """A program of some cells of a language."""
    row = TABLE[name]
    return "".join([row["head"], *(row[power] for power in powers), row.get("tail", "")]).lstrip().encode()


@names
def test_powers(name: str, open_slot: Callable[..., Sandbox], shared_cache: Path) -> None:
    """All that let a program go on, in one."""
    slot = open_slot()
    tried = [power for power in cells(name) if power not in (*_ENDING, *_LONG)]
    for powers in (tried, *([power] for power in _ENDING if power in TABLE[name])):
        with run_cells(slot, name, powers, shared_cache) as outcome:
            check(name, powers, outcome)


@pytest.mark.long
@pytest.mark.parametrize(("name", "power"), [(name, power) for name in TABLE for power in cells(name)])
def test_power(name: str, power: str, open_slot: Callable[..., Sandbox], shared_cache: Path) -> None:
    with run_cells(open_slot(), name, [power], shared_cache) as outcome:
        check(name, [power], outcome)


@names
def test_powers_outside(name: str, sandbox: Sandbox, shared_cache: Path) -> None:
    """The control: where nothing stops it, each power works."""
    tried = [power for power in cells(name) if power not in _LONG]
    with control_user() as user, work_directory(user) as work:
        said, marked = outside(user, work, name, tried, sandbox, shared_cache)
    for power in tried:
        found = said.get(power)
        assert found is not None, (power, said)
        most = rule(name, power).most
        assert found is True if most is None else found > most, (power, said)
    assert marked >= {"mode", "time"} & set(tried)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "power"), [(name, power) for name in TABLE for power in _LONG if power in TABLE[name]]
)
def test_what_ends_a_program_goes_on_outside(name: str, power: str, sandbox: Sandbox, shared_cache: Path) -> None:
    with control_user() as user, work_directory(user) as work:
        began = time.monotonic()
        outside(user, work, name, [power], sandbox, shared_cache, timeout_s=3)
        assert time.monotonic() - began > 2


@pytest.mark.parametrize("name", [name for name in TABLE if "compile" in TABLE[name]])
def test_a_compile_step_that_sleeps_ends(name: str, open_slot: Callable[..., Sandbox], shared_cache: Path) -> None:
    """A compile step that executes the program may sleep for a second, not for as long as a compiler may."""
    slot, language = open_slot(), installed(name).compiled_under(SECOND, None)
    assert language.compile.runs
    written = TABLE[name]["head"].encode() + TABLE[name]["compile"].encode()
    made = Compiler(Cache(shared_cache)).compile(written, language, slot)
    assert made.program is None
    assert "it had not ended after 2 s" in made.result.output


def test_every_language_has_its_row() -> None:
    """Or the one that is the same has; and a row holds no cell that nobody tries."""
    for name in INSTALLED:
        assert _SAME.get(name, name) in TABLE, name
    for name, row in TABLE.items():
        assert row.keys() <= POWERS.keys() | {"head", "tail", "compile"}, name
        assert languages.get(name).compile.runs == ("compile" in row), name


@contextmanager
def run_cells(slot: Sandbox, name: str, powers: list[str], cache: Path) -> Iterator[Outcome]:
    """A run of some cells of a language. Its input shows no mark of the run."""
    language = installed(name)
    try:
        language.check(slot.isolation)
    except LanguageError as error:
        pytest.skip(str(error))
    limits = RunLimits(
        cpu_ns=(SECOND // 2 if powers == ["busy"] else 10 * SECOND) * TIME_SCALE,
        wall_ns=(2 * SECOND if powers[0] in _LONG else 30 * SECOND) * TIME_SCALE,
        memory_bytes=_MEMORY_BYTES,
        processes=language.processes,
        open_files=language.open_files,
    )
    made = Compiler(Cache(cache)).compile(source(name, powers), language, slot)
    assert made.program is not None, made.result.output
    with made.program as program, memfd("input", _INPUT) as given:
        before = describe_input(given)
        own = os.open(f"/proc/self/fd/{given}", os.O_RDONLY)
        try:
            yield slot.run(program.spec(limits=limits, stdin=own))
        finally:
            os.close(own)
        assert describe_input(given) == before


def check(name: str, powers: list[str], outcome: Outcome) -> None:
    """That each power came to what it must."""
    said, seems = understood(outcome.stdout), _SEEMS if languages.get(name).processes else ()
    for power in powers:
        must = rule(name, power)
        if power == powers[-1] and outcome.termination is must.stopped:
            assert outcome.signal in _SIGNALS, outcome
            continue
        assert power in said, (power, outcome)
        if must.most is not None:
            assert said[power] <= must.most, (power, outcome)
        else:
            assert said[power] is False or power in seems, (power, outcome)


def understood(output: bytes) -> dict[str, int]:
    """By power: whether it worked, or how much of it a program got."""
    found: dict[str, int] = {}
    for line in output.decode(errors="replace").splitlines():
        match line.split():
            case ["GOT", power, amount]:
                found[power] = int(amount)
            case ["ESCAPED" | "HELD" as word, power, *_]:
                found[power] = word == "ESCAPED"
    return found


def outside(
    user: User, work: Path, name: str, powers: list[str], sandbox: Sandbox, cache: Path, timeout_s: float = 60
) -> tuple[Mapping[str, int], set[str]]:
    """What a program says where nothing stops it, and which marks it left on its input."""
    language, path = installed(name), work.parent / ("Main.java" if name == "java" else "attack")
    argv: tuple[str, ...] = (str(path),)
    if language.native:
        made = Compiler(Cache(cache)).compile(source(name, powers), language, sandbox)
        assert made.program is not None, made.result.output
        with made.program as program:
            assert program.executable is not None
            path.write_bytes(Path(f"/proc/self/fd/{program.executable}").read_bytes())
    else:
        path.write_bytes(source(name, powers))
        command = _OUTSIDE[name]
        argv = tuple(part.format(source=path) for part in command)
        argv = argv if any(str(path) in part for part in argv) else (*argv, str(path))
    path.chmod(0o755)
    done = user.run((*_PARENT, *argv), cwd=work, stdin=_INPUT, limits=_LIMITS, timeout_s=timeout_s)
    status = (work / ".stdin").stat()
    marks = {"mode": status.st_mode & 0o777 == 0o600, "time": status.st_mtime == 1}
    return understood(done.stdout), {mark for mark, left in marks.items() if left}
