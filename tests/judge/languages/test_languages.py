"""Languages as data, and what is found of them on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Isolation, Sandbox, Trust, open_sandbox
from judge import Judge, Submission, languages
from judge.cli.smoke import smoke
from judge.common.errors import LanguageError
from judge.compiling import scripts
from judge.compiling.compiler import Compiler, Executable
from judge.compiling.toolchain import RUN_LIMITS
from judge.compiling.toolchain import limits as compile_limits
from judge.languages import Language, Tool
from judge.ruling.classify import NEARLY_ALL
from judge.store.cache import Cache
from problems.model import SECOND_NS

ALL = languages.names()
#: What scripts/setup.sh and .ci/run install. The toolchains of the others have 2 GB: only .ci/full installs them.
INSTALLED = (
    *(
        "c99",
        "c11",
        "c17",
        "cpp11",
        "cpp14",
        "cpp17",
        "cpp20",
        "cpp23",
        "cpp17-clang",
        "cpp20-clang",
        "python3",
        "pypy3",
    ),
    *("java", "java-assertions", "rust", "go", "javascript", "javascript-module", "pascal", "awk", "bash", "fortran"),
    *("lua", "luajit", "nasm", "perl", "php", "ruby", "sql"),
)


@pytest.fixture(scope="module")
def sandbox(backend: str) -> Iterator[Sandbox]:
    with open_sandbox(backend) as opened:
        yield opened


def installed(name: str) -> Language:
    """Skips the test where it is not, and fails where JUDGE_REQUIRE names it."""
    language = languages.get(name)
    if (problem := language.status().problem) is not None:
        if ("languages" if name in INSTALLED else "every-language") in os.environ.get("JUDGE_REQUIRE", "").split(","):
            pytest.fail(problem)
        pytest.skip(problem)
    return language


@pytest.mark.parametrize("name", ALL)
def test_smoke(name: str, sandbox: Sandbox, shared_cache: Path) -> None:
    language = installed(name)
    assert smoke(language, Compiler(Cache(shared_cache)), sandbox) is None


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *[("cpp", "cpp17"), ("C++17", "cpp17"), ("gnu++20", "cpp20"), ("c", "c17"), ("gnu11", "c11")],
        *[("py", "python3"), (" pypy ", "pypy3"), ("c++17-strict", "cpp17-strict"), ("c11-strict", "c11-strict")],
        *[("cpp14-strict", "cpp14-strict"), ("C++20-clang-strict", "cpp20-clang-strict")],
    ],
)
def test_alias(alias: str, name: str) -> None:
    assert languages.get(alias).name == name


def test_aliases_are_unambiguous() -> None:
    every = [alias for name in ALL for alias in (name, *languages.get(name).aliases)]
    assert len(every) == len(set(every))


#: What the standard's own dialect refuses: C's, and that of C++ (whose libraries want GNU's functions in any dialect).
GNU_C = {
    "M_PI": "#include <math.h>\nint main(void) { return M_PI < 3; }\n",
    "typeof": "int main(void) { typeof(1) x = 0; return x; }\n",
    "usleep": "#include <unistd.h>\nint (*pause_)(useconds_t) = usleep;\nint main(void) { return pause_(1); }\n",
    "a raw string": '#include <string.h>\nint main(void) { return strcmp(R"(a"b)", "a\\"b"); }\n',
}
GNU_CXX = {
    "typeof": "int main() { typeof(1) x = 0; return x; }\n",
    "__int128": "#include <type_traits>\nint main() { return !std::is_integral<__int128>::value; }\n",
    "unix": "int main() { return unix - 1; }\n",
}
IN_CXX = "#include <cmath>\n#include <unistd.h>\nint main() { return M_PI < 3 || usleep(1); }\n"
DIALECTS = (
    *[("c11", text) for text in GNU_C.values()],
    *[(name, text) for name in ("cpp17", "cpp17-clang") for text in GNU_CXX.values()],
)


@pytest.mark.parametrize(("name", "text"), DIALECTS)
def test_the_dialect_is_gnu_s_unless_strict(name: str, text: str, sandbox: Sandbox, shared_cache: Path) -> None:
    assert _exit_code(name, text, sandbox, shared_cache) == 0
    assert _exit_code(f"{name}-strict", text, sandbox, shared_cache) != 0


@pytest.mark.parametrize("name", ["cpp17", "cpp17-strict"])
def test_programs_in_c_plus_plus_have_gnu_s_functions(name: str, sandbox: Sandbox, shared_cache: Path) -> None:
    assert _exit_code(name, IN_CXX, sandbox, shared_cache) == 0


def _exit_code(name: str, text: str, sandbox: Sandbox, cache: Path) -> int | None:
    """None: it does not compile."""
    language = languages.get(name)
    if (problem := language.status().problem) is not None:
        pytest.skip(problem)
    compiled = Compiler(Cache(cache)).compile(text.encode(), language, sandbox)
    if compiled.program is None:
        assert compiled.result.verdict == "error"
        return None
    with compiled.program as program:
        return sandbox.run(program.spec(limits=RUN_LIMITS)).exit_code


def test_strict_dialects_differ_in_the_standard_alone() -> None:
    for name in ALL:
        language = languages.get(name)
        if language.family not in ("c", "c++"):
            assert not language.gnu
            if f"{name}-strict" not in ALL:  # TypeScript's checks types: it is a language of its own
                with pytest.raises(LanguageError):
                    languages.get(f"{name}-strict")
            continue
        strict = languages.get(f"{name}-strict")
        assert language.gnu
        assert not strict.gnu
        changed = [(a, b) for a, b in zip(language.compile.argv, strict.compile.argv, strict=True) if a != b]
        assert changed == [(f"-std=gnu{changed[0][0][8:]}", f"-std=c{changed[0][0][8:]}")]
        assert strict.time_multiplier == language.time_multiplier
        assert strict.out_of_memory == language.out_of_memory


def test_unknown_language_names_the_nearest() -> None:
    with pytest.raises(LanguageError, match=r"unknown language 'cpp71'; did you mean .*cpp17"):
        languages.get("cpp71")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        *[("a.cpp", "cpp17"), ("b.cc", "cpp17"), ("c.c", "c17"), ("d.py", "python3"), ("Main.java", "java")],
        *[
            ("e.rs", "rust"),
            ("f.go", "go"),
            ("g.js", "javascript"),
            ("h.pas", "pascal"),
            ("i.R", "r"),
            ("j.sh", "bash"),
        ],
    ],
)
def test_language_by_suffix(file: str, name: str) -> None:
    assert languages.for_path(Path(file)).name == name


def test_unknown_suffix_says_what_to_do() -> None:
    with pytest.raises(LanguageError, match=r"'x\.cob'.*--language"):
        languages.for_path(Path("x.cob"))


@pytest.mark.parametrize("limit_mib", [64, 128, 256, 1024, 8192])
@pytest.mark.parametrize("name", ["java", "go", "javascript"])
def test_a_runtime_is_told_a_heap_that_ends_before_the_limit(name: str, limit_mib: int) -> None:
    run = languages.get(name).run
    told = {key: int(value) for key, value in run.memory(limit_mib * 2**20).items()}
    assert limit_mib // 4 <= told["heap_mib"] <= NEARLY_ALL * limit_mib - min(run.reserve_mib, limit_mib // 4)
    assert told["stack_kib"] < 1024 * told["heap_mib"]


def test_absent_toolchain_is_reported_with_its_remedy() -> None:
    absent = Tool(commands=("no-such-compiler",), version="(.*)", package="no-such-package")
    language = replace(languages.get("cpp17"), toolchain=absent)
    with pytest.raises(LanguageError, match="apt-get install no-such-package"):
        language.find()
    assert language.status().version is None
    assert "no-such-compiler" in (language.status().problem or "")


def test_a_toolchain_of_which_a_part_is_missing_is_notinstalled() -> None:
    language = languages.get("cpp17")
    partial = replace(language, toolchain=replace(language.toolchain, needs=("/usr/lib/no-such-part",)))
    with pytest.raises(LanguageError, match="no /usr/lib/no-such-part; install it: apt-get install"):
        partial.find()


def test_a_program_of_the_same_name_is_not_taken_for_the_toolchain() -> None:
    impostor = Tool(commands=("cat",), version=r"^g\+\+ (\S+)", package="g++")
    status = replace(languages.get("cpp17"), toolchain=impostor).status()
    assert status.path is None
    assert "not the expected toolchain" in (status.problem or "")


def test_toolchains_outside_the_view_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g++").symlink_to("/bin/true")
    outside = tmp_path / "python3"
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    monkeypatch.setattr(languages, "_SEARCH", (tmp_path,))
    with pytest.raises(LanguageError):
        languages.get("python3").find()


#: merl's transform applies the call at once, to the forms of a module that speaks as it is loaded.
MERL = """-module(solution).
-export([main/0]).
-compile({parse_transform, merl_transform}).
main() -> merl:compile_and_load([{attribute, 1, module, evil}, {attribute, 1, on_load, {f, 0}},
    {function, 1, f, 0, [{clause, 1, [], [], [
        {call, 1, {remote, 1, {atom, 1, io}, {atom, 1, put_chars}}, [{string, 1, "it ran"}]},
        {call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, halt}}, [{integer, 1, 1}]}]}]}]).
"""
#: What links is gcc, which starts each of its programs by the command that it is given.
GNATLINK = """procedure Solution is
   pragma Linker_Options ("-wrapper");
   pragma Linker_Options ("sh,-c,echo it ran >&2; exit 1");
begin null; end Solution;
"""


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("ada", GNATLINK),
        ("perl", 'BEGIN { die "it ran" }\n'),
        ("erlang", MERL),
        ("nim", 'static: echo staticExec("echo it ran")\nlet x: int = "no"\n'),
        ("lisp", '(eval-when (:compile-toplevel) (error "it ran"))\n'),
        ("prolog", ':- format(user_error, "it ran", []), halt(1).\n'),
    ],
)
def test_compilers_that_run_code_of_the_program_are_known(judges: Callable[..., Judge], name: str, source: str) -> None:
    language = installed(name)
    judgement = judges().judge(Submission(source=source.encode(), problem="P1001", language=name))
    assert judgement.compile is not None
    if "undefined parse transform" in judgement.compile.output:
        pytest.skip("no merl: apt-get install erlang-syntax-tools")
    assert ("it ran" in judgement.compile.output, language.compile.runs) == (True, True)


#: Who may start processes, in which step, and why. All other steps have threads alone.
PROCESSES = {
    "ada": {"compile"},  # a compiler, a binder and a linker
    "bash": {"run"},  # pipes, substitutions, and the tools that scripts are made of
    "elixir": {"run"},  # the machine starts one for the programs that it might start
    "erlang": {"compile", "run"},
    "haskell": {"compile"},  # an assembler and a linker
    "nim": {"compile"},  # a C compiler
    "r": {"run"},  # its library asks for the system's name
}
#: Whose compile steps can be made to run code of the program, and by what.
EVALUATES = {
    "ada": "pragma Linker_Options: -wrapper",
    "clojure": "#=",
    "erlang": "parse transforms: merl's applies what it is given",
    "haskell": "Template Haskell, -F -pgmF",
    "lisp": "macros, #.",
    "nim": "macros, static blocks",
    "perl": "BEGIN blocks, use",
    "prolog": "directives",
    "racket": "macros, reader extensions",
    "scheme": "macros, eval-when",
}


@pytest.mark.parametrize("name", ALL)
def test_each_step_says_who_wrote_what_it_executes(name: str) -> None:
    """A run is hostile. A compile step is a tool's, unless it can be made to run code of the program."""
    language = languages.get(name)
    assert language.compile.trust == (Trust.HOSTILE if name in EVALUATES else Trust.TOOL)
    program = Executable(
        run=language.run, paths=dict.fromkeys(("compiler", "bin", "source", "output", "library"), "/x")
    )
    limits = replace(RUN_LIMITS, processes=language.processes)
    assert program.spec(limits=limits).trust is Trust.HOSTILE
    steps = {
        step
        for step, hostile, processes in (
            ("run", True, language.processes),
            ("compile", language.compile.trust is Trust.HOSTILE, compile_limits(language).processes),
        )
        if hostile and processes
    }
    assert steps == PROCESSES.get(name, set())
    walls = Isolation(backend="native", tier="userns", layers=("mount", "proc"))
    if steps:
        with pytest.raises(LanguageError, match="nothing bounds together on the tier userns"):
            language.check(walls)
        language.check(replace(walls, layers=(*walls.layers, "cpu")))
    else:
        language.check(walls)


def test_a_check_that_executes_the_program_has_no_more_time_than_it_needs() -> None:
    """A package's limit for compilers is not one for programs: they would sleep in a BEGIN block, and hold a slot."""
    asked = {
        name: languages.get(name).compiled_under(60 * SECOND_NS, None).compile.cpu_ns for name in ("perl", "cpp17")
    }
    assert asked == {"perl": 2 * SECOND_NS, "cpp17": 60 * SECOND_NS}
    assert languages.get("haskell").compiled_under(60 * SECOND_NS, None).compile.cpu_ns == 60 * SECOND_NS
    assert languages.get("perl").compiled_under(SECOND_NS, None).compile.cpu_ns == SECOND_NS


def test_build_scripts_are_hostile() -> None:
    assert scripts.language().compile.trust is Trust.HOSTILE
    assert scripts.language().hostile_processes


def test_a_toolchain_is_asked_for_its_version_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all processes together, until its file changes; one that is broken is asked again each time."""
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\necho asked >>{tmp_path}/asked\necho version $(cat {tmp_path}/version)\n")
    tool.chmod(0o755)
    (tmp_path / "version").write_text("one")
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    toolchain = Tool(commands=("tool",), version=r"version (\S+)", package="x")

    def version(changed_ns: int) -> str:
        languages._version.cache_clear()  # as in another process
        return languages._version(tool, changed_ns, toolchain)

    assert [version(1), version(1)] == ["one", "one"]
    (tmp_path / "version").write_text("two")
    assert [version(1), version(2)] == ["one", "two"]
    assert (tmp_path / "asked").read_text().count("asked") == 2
    (tmp_path / "version").write_text("")
    for _ in range(2):
        with pytest.raises(LanguageError):
            version(3)
    assert (tmp_path / "asked").read_text().count("asked") == 4
    (tmp_path / "version").write_text("three")
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tool))  # no directory
    assert version(1) == "three"
