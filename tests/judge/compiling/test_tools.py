"""Compilers that are not whole, as while they are being installed: what they refuse is nobody's fault, and not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Sandbox, open_sandbox
from containers.launcher.held import HeldPrograms
from containers.spec import RunLimits, RunSpec
from judge import languages
from judge.common.errors import LanguageError
from judge.compiling import toolchain
from judge.compiling.compiler import Compiled, Compiler
from judge.store.cache import Cache
from tests.judge.put import put_language

#: Accepts each program while a file of its own is there: the program itself says whether it is.
CHECKS = "case $(cat {source}) in *missing*) echo no library >&2; exit 1;; *) exit 0;; esac"
WRONG = b"missing: an error of the program\n"


@pytest.fixture(scope="module")
def sandbox(backend: str) -> Iterator[Sandbox]:
    with open_sandbox(backend) as opened:
        yield opened


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What changes when something is installed."""
    monkeypatch.setattr(toolchain, "SYSTEM", (str(tmp_path / "status"),))
    (tmp_path / "status").write_text("whole\n")
    return tmp_path / "status"


@pytest.fixture
def compile_(
    tmp_path: Path, sandbox: Sandbox, system: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[bytes, bool], Compiled]:
    """Compiles a text by a script. `whole`: as long as it is not, the script refuses all programs, ours too."""
    shell = languages.get("bash")

    def compile_one(text: bytes, whole: bool) -> Compiled:
        script = CHECKS if whole else "echo no library: cannot execute cc1 >&2; exit 1"
        steps = replace(shell.compile, argv=("{compiler}", "-c", script))
        language = replace(shell, name="scripted", compile=steps)
        put_language(monkeypatch, language)
        # One name and one key, whatever the state of its files.
        monkeypatch.setattr("judge.compiling.compiler._facts", lambda _: "scripted")
        return Compiler(Cache(tmp_path / "cache")).compile(text, language, sandbox)

    return compile_one


def test_what_a_broken_compiler_refuses_is_not_kept(compile_: Callable[[bytes, bool], Compiled], system: Path) -> None:
    with pytest.raises(LanguageError, match=r"its compiler refuses a program of ours, too: no library"):
        compile_(b"right\n", False)
    system.write_text("now it is whole\n")
    assert compile_(b"right\n", True).result.verdict == "ok"


def test_what_a_whole_compiler_refuses_is_kept_until_something_is_installed(
    compile_: Callable[[bytes, bool], Compiled], system: Path
) -> None:
    first, again = compile_(WRONG, True).result, compile_(WRONG, True).result
    assert (first.verdict, first.cached) == ("error", False)
    assert (again.verdict, again.cached) == ("error", True)
    system.write_text("another package\n")
    assert not compile_(WRONG, True).result.cached
    assert compile_(WRONG, True).result.cached


def test_a_part_that_is_lost_after_all_was_whole_is_noticed(compile_: Callable[[bytes, bool], Compiled]) -> None:
    """Nothing says that something was installed: the compiler's own words do."""
    assert compile_(WRONG, True).result.verdict == "error"
    with pytest.raises(LanguageError, match=r"refuses a program of ours, too: no library: cannot execute cc1"):
        compile_(b"right\n", False)
    assert compile_(b"right\n", True).result.verdict == "ok"


def test_another_interpreter_is_not_the_held_one(tmp_path: Path) -> None:
    """A server that runs while Python is upgraded."""
    interpreter = tmp_path / "python3"
    interpreter.write_text("old")
    spec = RunSpec(argv=(str(interpreter),), limits=RunLimits(cpu_ns=1, wall_ns=1, memory_bytes=1), warm=True)
    held = HeldPrograms()
    assert held.find_wanted(spec) is None
    before = held.find_wanted(spec)
    assert before is not None
    assert held.find_wanted(spec) == before
    interpreter.unlink()
    interpreter.write_text("new")
    assert held.find_wanted(spec) is None
    after = held.find_wanted(spec)
    assert after is not None
    assert after != before
