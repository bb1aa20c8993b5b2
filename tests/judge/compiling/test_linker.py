"""Every linker that is installed makes programs that run, with the freopen wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import File, Sandbox, open_sandbox
from judge import languages
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling import linker
from judge.compiling.linker import COMPILE_ARGUMENTS, Linking
from judge.compiling.toolchain import TINY, Toolchain, works
from judge.store.cache import Cache

CPP = languages.get("cpp17")


@pytest.fixture(scope="module")
def sandbox(backend: str, shared_cache: Path) -> Iterator[Sandbox]:
    with open_sandbox(backend, hide=config.hidden_directories(shared_cache)) as opened:
        yield opened


@pytest.mark.parametrize(("name", "arguments"), linker._CANDIDATES, ids=[name for name, _ in linker._CANDIDATES])
def test_candidate(name: str, arguments: tuple[str, ...], sandbox: Sandbox, shared_cache: Path) -> None:
    if name != "default" and not Path(f"/usr/bin/ld.{name}").exists():
        pytest.skip(f"linker {name} is not installed")
    toolchain = Toolchain.of(CPP, Cache(shared_cache))
    linker.prepare(toolchain, CPP, sandbox)
    linking = Linking(linker=name, arguments=(*linker._LINK_ARGUMENTS, *arguments))
    program = toolchain.build(
        sandbox,
        *("-std=c++17", "-O2", *COMPILE_ARGUMENTS, "../in/tiny.cpp"),
        *linking.argv(toolchain, wrap_freopen=True),
        files=(File(name="tiny.cpp", content=TINY),),
        output="tiny",
    )
    assert works(program, sandbox)


def test_the_choice_is_made_once(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    toolchain = Toolchain.of(CPP, Cache(tmp_path / "cache"))
    choice = linker.prepare(toolchain, CPP, sandbox)
    monkeypatch.setattr(linker, "_choose", lambda *_: pytest.fail("chosen again"))
    assert linker.prepare(toolchain, CPP, sandbox) == choice


def test_no_working_linker_is_reported(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linker, "_CANDIDATES", (("none", ("-fuse-ld=bfd", "-Wl,--no-such-option")),))
    with pytest.raises(LanguageError, match="apt-get install --reinstall g"):
        linker.prepare(Toolchain.of(CPP, Cache(tmp_path / "cache")), CPP, sandbox)
