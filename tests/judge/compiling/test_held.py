"""A compiler that is held makes the same programs, byte for byte, and says the same, as g++ as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from containers import File, Outcome, Sandbox, open_sandbox
from containers.launcher.driver import LauncherSandbox
from judge import languages
from judge.common import config
from judge.common.models import CompileResult
from judge.compiling import held as held_compiler
from judge.compiling import linker
from judge.compiling.compiler import Compiler
from judge.compiling.headers import SIGHTINGS, Headers
from judge.compiling.held import HELD_AFTER, Frontend
from judge.compiling.toolchain import Toolchain
from judge.store.cache import Cache
from tests.distinct import declaration

CPP = languages.get("cpp17")
ALL = "#include <bits/stdc++.h>\n"
SET = "#include <iostream>\n#include <vector> // as many do\n#include <algorithm>\n"
EXTRA = (File(name="lib.h", content=b"#pragma once\ninline int twice(int x) { return 2 * x; }\n#include <cassert>\n"),)
MAIN = "int main() { std::vector<int> v{3, 1, 2}; std::sort(v.begin(), v.end()); std::cout << v[0] << std::endl; }\n"
#: What goes on after the includes; each is a whole program.
PROGRAMS = {
    "plain": MAIN,
    "assert": f"#include <cassert>\nvoid f(int x) {{ assert(x > 3); }}\n{MAIN}",
    "assert off": f"#define NDEBUG\n#include <cassert>\nvoid f(int x) {{ assert(x > 3); }}\n{MAIN}",
    "header again": f"#define NDEBUG\n{ALL}void f(int x) {{ assert(x > 3); }}\n{MAIN}",
    "places": f"const char *places[] = {{__FILE__, __BASE_FILE__, __builtin_FILE()}};\nint line = __LINE__;\n{MAIN}",
    "a name from a line": f'#line 7 "elsewhere.cpp"\nconst char *file = __FILE__;\nint line = __LINE__;\n{MAIN}',
    "counter": f"int counted[] = {{__COUNTER__, __COUNTER__}};\n{MAIN}",
    "level": f"int level = __INCLUDE_LEVEL__;\n{MAIN}",
    "level in parts": f"#define JOIN(a, b) a##b\nint level = JOIN(__INCLUDE, _LEVEL__);\n{MAIN}",
    "optimize": f'#pragma GCC optimize("O3,unroll-loops")\n#pragma GCC target("avx2")\n{MAIN}',
    "main file only": f"#pragma once\n#pragma GCC system_header\n{MAIN}",
    "nameless": "namespace { struct A { A() { std::cout << 1; } } a; int n; }\nint main() { return n; }\n",
    "no end of line": MAIN.rstrip("\n"),
    "extra file": f'#include "lib.h"\nint four = twice(2);\n{MAIN}',
    "warning": f"int f(int x) {{ }}\nint g = 1 / 0;\n{MAIN}",
    "warning in a macro": f"#define HALF(x) (1 / x)\nint f() {{ return HALF(0); }}\n{MAIN}",
    "warning in a file": f'#include "lib.h"\nint big = 99999999999;\n{MAIN}',
    "error": "int main() { return undeclared; }\n",
    "error in a template": 'int main() { std::vector<int> v; v.push_back("x"); std::sort(1, 2); }\n',
    "error at the end": "int main() {\n",
    "error command": "#error stop\n",
    "no such file": '#include "none.h"\nint main() {}\n',
    "never closed": f"#if 1\n{MAIN}",
    "comment never closed": f"{MAIN}/* and so on\n",
    "no main": "int other() { return 1; }\n",
    "undefined": "int f(int);\nint main() { return f(1); }\n",
    "assembler": '__asm__("no such instruction");\nint main() {}\n',
    "many words": "int main() {\n" + "std::vector<int> v = 1; undeclared++; std::sort(1, 2);\n" * 400 + "}\n",
    "specialised": "namespace std { template <> inline const int &max<int>(const int &a, const int &) { return a; } }\n"
    "int main() { return std::max(3, 4); }\n",
    "nothing": "",
}
#: Those that are left to the whole; the last only where the header has instantiated that (not with g++ 14).
LEFT = {(name, head) for name in ("level", "level in parts", "main file only") for head in (ALL, SET)}
if not CPP.find().name.endswith("-14"):
    LEFT |= {("specialised", ALL)}


@pytest.fixture(scope="module")
def compiler(shared_cache: Path) -> Compiler:
    return Compiler(Cache(shared_cache))


@pytest.fixture(scope="module")
def sandbox(shared_cache: Path, compiler: Compiler) -> Iterator[Sandbox]:
    with open_sandbox(hide=config.hidden_directories(shared_cache)) as opened:
        if not opened.holds:
            pytest.skip(f"nothing is held on {opened.isolation}")
        for head in (ALL, SET):
            for _ in range(SIGHTINGS + HELD_AFTER):
                made(compiler, f"{head}{MAIN}{declaration()}", opened)
        assert holding(opened) == 2
        yield opened


def made(compiler: Compiler, text: str, sandbox: Sandbox, extra: tuple[File, ...] = ()) -> tuple[CompileResult, bytes]:
    compiled = compiler.compile(text.encode(), CPP, sandbox, extra=extra)
    if compiled.program is None:
        return compiled.result, b""
    with compiled.program as program:
        assert program.executable is not None
        return compiled.result, os.pread(program.executable, 1 << 26, 0)


@pytest.fixture
def held(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each compile went on in one that is held, and led somewhere. Our own program, by which a compile error
    is believed, is not among them."""
    monkeypatch.setattr(Cache, "get", lambda *_: None)
    used = []
    original = Frontend.compile

    def seen(*arguments: Any, **more: Any) -> Outcome | None:
        outcome = original(*arguments, **more)
        if CPP.smoke_source() not in arguments:
            used.append(outcome is not None)
        return outcome

    monkeypatch.setattr(Frontend, "compile", seen)
    return used


@pytest.mark.parametrize("head", [ALL, SET], ids=["all", "set"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_makes_what_the_whole_makes(
    name: str, head: str, compiler: Compiler, sandbox: Sandbox, held: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"// {name}\n{head}{PROGRAMS[name]}"
    result, program = made(compiler, text, sandbox, extra=EXTRA)
    assert held == [(name, head) not in LEFT]
    monkeypatch.setattr(LauncherSandbox, "holds", False)
    whole, expected = made(compiler, text, sandbox, extra=EXTRA)
    assert len(held) == 1
    assert (result.verdict, result.output) == (whole.verdict, whole.output)
    assert program == expected


def holding(sandbox: Sandbox) -> int:
    assert isinstance(sandbox, LauncherSandbox)
    return sum(held is not None and held.argv[0].endswith("/cc1plus") for _, held in sandbox._launchers)


@pytest.mark.usefixtures("sandbox")  # where nothing can be held, it says so
def test_it_is_held_when_that_pays(compiler: Compiler, shared_cache: Path) -> None:
    with open_sandbox(hide=config.hidden_directories(shared_cache)) as fresh:
        for _ in range(HELD_AFTER):
            assert made(compiler, f"{ALL}{MAIN}{declaration()}", fresh)[0].verdict == "ok"
            assert holding(fresh) == 0
        assert made(compiler, f"{ALL}{MAIN}{declaration()}", fresh)[0].verdict == "ok"
        assert holding(fresh) == 1


def test_without_it_the_whole_is_used(
    compiler: Compiler, sandbox: Sandbox, held: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Frontend, "of", lambda *_: Frontend())
    assert made(compiler, f"{ALL}{MAIN}", sandbox)[0].verdict == "ok"
    assert held == [False]


def test_one_that_answers_otherwise_is_not_used(sandbox: Sandbox, shared_cache: Path) -> None:
    """A compiler that starts no cc1plus."""
    toolchain = Toolchain.of(CPP, Cache(shared_cache))
    ours = Headers(
        toolchain=replace(toolchain, compiler=Path("/bin/true")),
        language=CPP,
        linking=linker.prepare(toolchain, CPP, sandbox),
        sandbox=sandbox,
    )
    assert held_compiler._ask_compiler(ours, ours.directory / "bits/stdc++.h") == Frontend()
