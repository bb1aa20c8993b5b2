"""From source to program: verdicts, diagnostics, caching."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from containers import File, Outcome, RunSpec, Sandbox, SandboxError, Termination, open_sandbox
from judge import languages
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiled, Compiler
from judge.compiling.toolchain import RUN_LIMITS, limits
from judge.store.cache import Cache
from judge.store.memfd import memfd
from problems.model import SECOND_NS
from tests.distinct import declaration

Compile = Callable[..., Compiled]

CPP = languages.get("cpp17")


@pytest.fixture(scope="module")
def cache(shared_cache: Path) -> Cache:
    return Cache(shared_cache)


@pytest.fixture(scope="module")
def sandbox(backend: str, cache: Cache) -> Iterator[Sandbox]:
    with open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as opened:
        yield opened


@pytest.fixture
def compile_(cache: Cache, sandbox: Sandbox) -> Compile:
    def compile_(text: str, language: str = "cpp17", **how: Any) -> Compiled:
        return Compiler(cache).compile(text.encode(), languages.get(language), sandbox, **how)

    return compile_


def run(compiled: Compiled, sandbox: Sandbox, given: bytes = b"") -> Outcome:
    assert compiled.program is not None, compiled.result
    with compiled.program as program, memfd("input", given) as stdin:
        return sandbox.run(program.spec(limits=RUN_LIMITS, stdin=stdin))


class Wrapped:
    """A real sandbox that counts its runs, and may lower their limits."""

    def __init__(self, sandbox: Sandbox, **lower: int) -> None:
        self._sandbox = sandbox
        self._lower = lower
        self.runs = 0
        self.isolation, self.holds = sandbox.isolation, sandbox.holds

    def run(self, spec: RunSpec) -> Outcome:
        self.runs += 1
        return self._sandbox.run(replace(spec, limits=replace(spec.limits, **self._lower)))


class Starving(Wrapped):
    """One in which the compiler may start no part of its own for so many runs."""

    def __init__(self, sandbox: Sandbox, runs: int) -> None:
        super().__init__(sandbox)
        self.isolation, self.holds = sandbox.isolation, sandbox.holds
        self._left = runs

    def run(self, spec: RunSpec) -> Outcome:
        self._left -= 1
        if self._left < 0:
            return super().run(spec)
        said = b"gcc: fatal error: cannot execute 'as': vfork: Resource temporarily unavailable\n"
        return replace(super().run(spec), termination=Termination.EXITED, exit_code=1, signal=None, stderr=said)


def unique(name: str) -> str:
    """Makes a source that no cache holds yet."""
    return f"// {name}{declaration()}"


# What is compiled runs


@pytest.mark.parametrize("language", ["cpp11", "cpp14", "cpp17", "cpp20", "cpp23"])
def test_the_standard_is_the_named_one(language: str, compile_: Compile, sandbox: Sandbox) -> None:
    text = '#include <cstdio>\nint main() { std::printf("%ld", __cplusplus); }\n'
    printed = int(run(compile_(text, language), sandbox).stdout)
    standards = {"cpp11": 201103, "cpp14": 201402, "cpp17": 201703, "cpp20": 202002}
    assert printed == standards[language] if language in standards else printed > 202002


def test_flags_are_those_promised(compile_: Compile, sandbox: Sandbox) -> None:
    text = "#include <cstdio>\nint main() {\n"
    text += '#if defined ONLINE_JUDGE && defined __OPTIMIZE__\nstd::puts("both");\n#endif\n}'
    assert run(compile_(text), sandbox).stdout == b"both\n"


@pytest.mark.parametrize(
    "body",
    [
        'try { throw std::runtime_error("x"); } catch (const std::exception &e) { std::cout << e.what(); }',
        "std::thread t([] { std::cout << 'x'; }); t.join();",
        "std::cout << std::use_facet<std::ctype<char>>(std::locale()).tolower('X');",
        "std::locale l(\"C.UTF-8\"); std::cout.imbue(l); std::cout << 'x';",
        'thread_local std::string s = "x"; std::cout << s;',
        "auto f = std::async(std::launch::async, [] { return 'x'; }); std::cout << f.get();",
        "std::regex r(\"[a-z]\"); std::cout << (std::regex_match(\"x\", r) ? 'x' : 'y');",
        "static char big[300 << 20]; big[123456789] = 'x'; std::cout << big[123456789];",
        'std::ofstream("f") << \'x\'; std::cout << std::ifstream("f").rdbuf();',
    ],
)
def test_the_library_works(body: str, compile_: Compile, sandbox: Sandbox) -> None:
    outcome = run(compile_(f"#include <bits/stdc++.h>\nint main() {{ {body} }}\n"), sandbox)
    assert (outcome.exit_code, outcome.stdout) == (0, b"x"), outcome.stderr


def test_c_has_its_mathematics(compile_: Compile, sandbox: Sandbox) -> None:
    text = "#include <math.h>\n#include <stdio.h>\n"
    text += 'int main(void) { double x; scanf("%lf", &x); printf("%.1f", exp(x)); }'
    assert run(compile_(text, "c11"), sandbox, b"0").stdout == b"1.0"


@pytest.mark.parametrize("spelling", ["freopen", "std::freopen", "(*&freopen)", "MACRO", "freopen64"])
def test_standard_streams_are_not_redirected(spelling: str, compile_: Compile, sandbox: Sandbox) -> None:
    text = (
        "#include <cstdio>\n#define MACRO freopen\nint main() {\n"
        f'{spelling}("a.in", "r", stdin); {spelling}("a.out", "w", stdout);\n'
        'int x; scanf("%d", &x); printf("%d", x + 1); }\n'
    )
    assert run(compile_(text), sandbox, b"41").stdout == b"42"
    assert run(compile_(text, wrap_freopen=False), sandbox, b"41").stdout == b""


def test_extra_units_are_compiled_along_and_headers_found(compile_: Compile, sandbox: Sandbox) -> None:
    extra = (
        File(name="lib.h", content=b"int twice(int);\n"),
        File(
            name="grader.cpp",
            content=b'#include "lib.h"\n#include <cstdio>\nint main() { std::printf("%d", twice(4)); }',
        ),
    )
    compiled = compile_('#include "lib.h"\nint twice(int x) { return 2 * x; }\n', extra=extra)
    assert run(compiled, sandbox).stdout == b"8"


def test_python_imports_extra_files(compile_: Compile, sandbox: Sandbox) -> None:
    extra = (File(name="lib.py", content=b"def twice(x): return 2 * x\n"),)
    assert run(compile_("import lib\nprint(lib.twice(4))\n", "python3", extra=extra), sandbox).stdout == b"8\n"


def test_a_program_cannot_change_its_executable(compile_: Compile, sandbox: Sandbox) -> None:
    text = (
        "#include <cstdio>\n#include <fcntl.h>\n#include <unistd.h>\n"
        'int main() { int fd = open("/proc/self/exe", O_RDWR); printf("%d", fd < 0 ? 0 : (int)write(fd, "x", 1)); }\n'
    )
    compiled = compile_(text)
    assert compiled.program is not None
    fd = compiled.program.executable
    assert fd is not None
    assert os.fstat(fd).st_mode & 0o222 == 0
    with pytest.raises(PermissionError):
        os.pwrite(fd, b"x", 0)
    assert run(compiled, sandbox).stdout in (b"0", b"-1")


# Diagnostics


def test_errors_name_the_users_lines_and_no_path_of_ours(compile_: Compile, cache: Cache) -> None:
    text = "// one\n#include <iostream>\n#include <bits/stdc++.h>\nstruct P {};\n\nint main() { std::cout << P(); }\n"
    for source in (text, text.replace("#include <iostream>\n", "\n"), text.replace("bits/stdc++.h", "vector")):
        result = compile_(source).result
        assert result.verdict == "error"
        assert "solution.cpp:6:24: error: no match for" in result.output
        assert "from solution.cpp:" in result.output
        for word in ("../in", "judge-headers", str(cache.directory), "<command-line>", "/headers/"):
            assert word not in result.output


def test_link_errors_name_no_path_of_ours(compile_: Compile, cache: Cache) -> None:
    result = compile_("int f();\nint main() { return f(); }\n").result
    assert result.verdict == "error"
    assert "f()" in result.output
    for word in ("/tmp", "/work", "../in", str(cache.directory)):
        assert word not in result.output


def test_warnings_are_kept(compile_: Compile, sandbox: Sandbox) -> None:
    compiled = compile_("int main() { int *p = 0; delete (void *)p; }\n")
    assert compiled.result.verdict == "ok"
    assert "solution.cpp:1:" in compiled.result.output
    assert "warning" in compiled.result.output
    assert compiled.program is not None
    compiled.program.close()


def test_diagnostics_are_cut_and_bad_bytes_replaced(compile_: Compile) -> None:
    result = compile_('#error "' + "x" * 300_000 + '"\n').result
    assert len(result.output.encode()) < 70_000
    assert result.output.endswith("(cut)")


def test_bad_bytes_are_replaced(cache: Cache, sandbox: Sandbox) -> None:
    result = Compiler(cache).compile(b"int \xff\xfe = 1;\nint main() {}\n", CPP, sandbox).result
    assert result.verdict == "error"
    assert "solution.cpp:1" in result.output


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("x = 1\nif x\n    pass\n", 2, "SyntaxError"),
        ("def f():\nreturn 1\n", 2, "IndentationError"),
        ("x = '\\ud800'\ny = (\n", 2, "SyntaxError"),
        ("return 5\n", 1, "SyntaxError"),
    ],
)
@pytest.mark.parametrize("language", ["python3", "pypy3"])
def test_python_syntax_errors_are_compile_errors(
    language: str, text: str, line: int, error: str, compile_: Compile
) -> None:
    if (problem := languages.get(language).status().problem) is not None:
        pytest.skip(problem)
    result = compile_(text, language).result
    assert result.verdict == "error"
    assert result.output.startswith('  File "solution.py", line ')
    assert error in result.output
    if language == "python3":  # PyPy names the line where it gave up
        assert f"line {line}\n" in result.output


def test_python_is_only_read_not_run(compile_: Compile, sandbox: Sandbox) -> None:
    compiled = compile_("import sys\nsys.exit(3)\n", "python3")
    assert compiled.result.verdict == "ok"
    assert run(compiled, sandbox).exit_code == 3


# Limits


@pytest.mark.parametrize(
    ("mib", "said"), [(100, "its program has 100 MiB, more than 64 MiB"), (512, "it wrote files of more than 256 MiB")]
)
def test_the_limit_of_a_huge_executable_is_named(mib: int, said: str, compile_: Compile) -> None:
    result = compile_(f"char big[{mib} << 20] = {{1}};\nint main() {{ return big[5]; }}\n").result
    assert result.verdict == "output"
    assert result.output.strip().startswith(f"the compiler was stopped: {said}")


#: Forks in two at each step: more than any limit allows. Takes memory slowly.
TEMPLATE_BOMB = """
template <int N, long K> struct S { static constexpr long v = S<N - 1, 2 * K>::v + S<N - 1, 2 * K + 1>::v; };
template <long K> struct S<0, K> { static constexpr long v = 1; };
static_assert(S<40, 1>::v);
int main() {}
"""


def test_the_defaults_are_ten_seconds_and_one_gibibyte() -> None:
    slow = {"d", "haskell", "kotlin", "kotlin-script", "nim", "scala", "zig"}  # their compilers are
    for name in languages.names():
        allowed = limits(languages.get(name))
        assert allowed.memory_bytes == 1 << 30
        usual = 2 if name == "perl" else 10  # Perl's check executes the program
        assert allowed.cpu_ns == usual * 10**9 or (name in slow and allowed.cpu_ns <= 30 * 10**9)


@pytest.mark.parametrize(
    ("under", "verdict", "said"),
    [
        ((10**9, None), "time", "1 s of CPU time were not enough; --compile-time 3 gives it more"),
        ((60 * 10**9, 128 << 20), "memory", "128 MiB of memory were not enough; --compile-memory 256MiB gives it more"),
    ],
)
def test_a_compile_over_the_callers_limits_is_an_error_of_its_own(
    under: tuple[int | None, int | None], verdict: str, said: str, cache: Cache, sandbox: Sandbox
) -> None:
    text, counting = (unique(verdict) + TEMPLATE_BOMB).encode(), Wrapped(sandbox)
    result = Compiler(cache).compile(text, CPP.compiled_under(*under), sandbox).result
    assert (result.verdict, result.output.strip()) == (verdict, f"the compiler was stopped: {said}")
    again = Compiler(cache).compile(text, CPP.compiled_under(*under), cast(Sandbox, counting)).result
    assert (again.verdict, again.output, again.cached, counting.runs) == (verdict, result.output, True, 0)


def test_a_compile_stopped_with_precompiled_headers_is_not_run_again_without(cache: Cache, sandbox: Sandbox) -> None:
    counting = Wrapped(sandbox)
    counting.isolation = replace(sandbox.isolation, layers=("vetted",))  # g++ as a whole
    text = ("#include <bits/stdc++.h>\n" + unique("headers") + TEMPLATE_BOMB).encode()
    result = Compiler(cache).compile(text, CPP.compiled_under(10**9, None), cast(Sandbox, counting)).result
    assert (result.verdict, counting.runs) == ("time", 1)


def test_what_was_too_much_under_one_limit_is_compiled_under_another(cache: Cache, sandbox: Sandbox) -> None:
    text = (unique("more") + '#include <bits/stdc++.h>\nint main() { std::regex r("x"); }\n').encode()
    compiler = Compiler(cache)
    verdicts = []
    for cpu_ns in (10**6, None, 10**6):
        compiled = compiler.compile(text, CPP.compiled_under(cpu_ns, None), sandbox)
        verdicts.append(compiled.result.verdict)
        with compiled.program or nullcontext():
            pass
    assert verdicts == ["time", "ok", "time"]


@pytest.mark.parametrize("language", ["java", "go"])
def test_a_compiler_is_told_how_much_memory_it_has(language: str, cache: Cache, sandbox: Sandbox) -> None:
    told: list[RunSpec] = []

    class Recording(Wrapped):
        def run(self, spec: RunSpec) -> Outcome:
            told.append(spec)
            return super().run(spec)

    try:
        asked = languages.get(language).compiled_under(None, 512 << 20)
        asked.find()
    except LanguageError:
        pytest.skip(f"{language} is not installed")
    text = asked.smoke_source() + f"// {os.urandom(8).hex()}\n".encode()
    compiled = Compiler(cache).compile(text, asked, cast(Sandbox, Recording(sandbox)))
    assert compiled.result.verdict == "ok"
    with compiled.program or nullcontext():
        heap = {"java": "-Xmx358m", "go": "486MiB"}[language]
        assert heap in (*told[-1].argv, *told[-1].env.values())


# The cache


def test_the_second_compile_runs_nothing(cache: Cache, sandbox: Sandbox) -> None:
    text = (unique("twice") + "int main() { return 0; }\n").encode()
    counting: Any = Wrapped(sandbox)
    first = Compiler(cache).compile(text, CPP, counting)
    assert (first.result.cached, counting.runs) == (False, 1)
    second = Compiler(cache).compile(text, CPP, counting)
    assert (second.result.cached, counting.runs) == (True, 1)
    assert replace(second.result, cached=False) == first.result
    assert run(first, sandbox).exit_code == run(second, sandbox).exit_code == 0


def test_programs_of_the_same_tokens_are_compiled_once(cache: Cache, sandbox: Sandbox) -> None:
    program = declaration() + "int main() { return 7; } // %s\n"
    counting: Any = Wrapped(sandbox)
    compiled = [
        Compiler(cache).compile((program % said).encode(), CPP, counting) for said in ("one", "two", "two", "one")
    ]
    assert [one.result.cached for one in compiled] == [False, "same tokens", "same tokens", True]
    assert [run(one, sandbox).exit_code for one in compiled] == [7] * 4
    assert counting.runs == 1


def test_what_a_compiler_says_is_said_of_its_own_text(cache: Cache, sandbox: Sandbox) -> None:
    """The lines that it names are others."""
    for body, word in (
        ("int main() { return undeclared; }", "error"),
        ('#warning "it is late"\nint main() {}', "late"),
    ):
        texts = [f"{lines}{unique('lines')}{body}\n" for lines in ("", "// a line\n")]
        texts[1] = texts[0].replace("\n", "\n// a line\n", 1)
        first, second = (Compiler(cache).compile(text.encode(), CPP, sandbox).result for text in texts)
        assert word in first.output
        assert (second.cached, first.output != second.output) == (False, True)


def test_compile_errors_are_remembered(cache: Cache, sandbox: Sandbox) -> None:
    text = (unique("error") + "int main( {}\n").encode()
    counting: Any = Wrapped(sandbox)
    results = [Compiler(cache).compile(text, CPP, counting).result for _ in range(2)]
    assert [result.cached for result in results] == [False, True]
    assert results[0].output == results[1].output
    assert counting.runs == 1


def test_compiles_that_took_too_long_are_remembered(cache: Cache, sandbox: Sandbox) -> None:
    """A copy of the program does not hold a slot again."""
    perl = languages.get("perl").compiled_under(SECOND_NS // 4, None)
    text = b"BEGIN { sleep 1000 }\n# %s\n" % os.urandom(8).hex().encode()
    counting: Any = Wrapped(sandbox)
    results = [Compiler(cache).compile(text, perl, counting).result for _ in range(2)]
    assert [(result.verdict, result.cached) for result in results] == [("time", False), ("time", True)]
    assert counting.runs == 1


def test_all_that_matters_is_in_the_key(cache: Cache, sandbox: Sandbox) -> None:
    text = (unique("key") + '#include "x.h"\nint main() { return X; }\n').encode()
    compiler = Compiler(cache)
    seen = []
    for language, number, wrap in (("cpp17", 1, True), ("cpp17", 2, True), ("cpp20", 1, True), ("cpp17", 1, False)):
        extra = (File(name="x.h", content=b"#define X %d\n" % number),)
        compiled = compiler.compile(text, languages.get(language), sandbox, extra=extra, wrap_freopen=wrap)
        seen.append(compiled.result.cached)
        assert run(compiled, sandbox).exit_code == number
    assert seen == [False] * 4


def test_a_damaged_entry_is_compiled_again(cache: Cache, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (unique("damage") + "int main() { return 7; }\n").encode()
    kept, put = dict[str, bytes](), cache.put
    monkeypatch.setattr(cache, "put", kept.__setitem__)  # others write to this cache, too: which entry is ours?
    run(Compiler(cache).compile(text, CPP, sandbox), sandbox)
    monkeypatch.undo()
    ((key, value),) = kept.items()
    put(key, value)
    entry = cache.directory / "objects" / key[:2] / key
    entry.write_bytes(entry.read_bytes()[:-100])
    again = Compiler(cache).compile(text, CPP, sandbox)
    assert not again.result.cached
    assert run(again, sandbox).exit_code == 7
    assert Compiler(cache).compile(text, CPP, sandbox).result.cached


def test_equal_sources_at_once_are_compiled_once(cache: Cache, backend: str) -> None:
    text = (unique("race") + "int main() { return 0; }\n").encode()
    results: list[Compiled] = []

    def work() -> None:
        with open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as own:
            results.append(Compiler(cache).compile(text, CPP, own))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(compiled.result.cached for compiled in results) == [False, True, True]
    for compiled in results:
        assert compiled.program is not None
        compiled.program.close()


def test_a_cancelled_compile_is_no_result(tmp_path: Path, backend: str) -> None:
    """Nor is a cancelled preparation remembered as a compiler that does not work."""
    cache = Cache(tmp_path / "cache")
    text = b"#include <bits/stdc++.h>\nint main() {}\n"
    with open_sandbox(backend, hide=config.hidden_directories(cache.directory)) as own:
        canceller = threading.Timer(0.5, own.stop)
        canceller.start()
        with pytest.raises(SandboxError, match="cancelled"):
            Compiler(cache).compile(text, CPP, own)
        canceller.join()
    assert not list(cache.directory.glob("headers/*/*/state.json"))
    assert cache.stats().entries == 0


def test_graders_are_not_given_the_headers_of_the_submission(compile_: Compile, sandbox: Sandbox) -> None:
    grader = (
        b"#define _GLIBCXX_DEBUG\n#include <vector>\nint f(); int main() { std::vector<int> v; f(); return v[0]; }\n"
    )
    text = "#include <iostream>\n#include <bits/stdc++.h>\nint f() { return 0; }\n"
    outcome = run(compile_(text, extra=(File(name="grader.cpp", content=grader),)), sandbox)
    assert b"out-of-bounds" in outcome.stderr  # debug mode is on in the grader


def test_long_words_in_diagnostics_cost_nothing(compile_: Compile) -> None:
    for word in ("x/", "from /headers/", "/ccabcdef."):
        result = compile_(f"#error {word * (60_000 // len(word))}\n").result
        assert result.verdict == "error"


# A machine without processes


def test_a_compiler_that_lacked_processes_is_asked_again(cache: Cache, sandbox: Sandbox, compile_: Compile) -> None:
    compile_("int main(void) { return 0; }", "c17")  # the toolchain is tried and known
    text = unique("starved") + "int main(void) { return 0; }"
    starving: Any = Starving(sandbox, runs=1)
    assert Compiler(cache).compile(text.encode(), languages.get("c17"), starving).result.verdict == "ok"


def test_a_compiler_that_lacks_processes_is_our_failure(cache: Cache, sandbox: Sandbox, compile_: Compile) -> None:
    compile_("int main(void) { return 0; }", "c17")
    text = unique("starved") + "int main(void) { return 0; }"
    starving: Any = Starving(sandbox, runs=99)
    with pytest.raises(SandboxError, match="raise the limit of processes"):
        Compiler(cache).compile(text.encode(), languages.get("c17"), starving)


def test_a_program_that_speaks_of_processes_is_a_compile_error(compile_: Compile) -> None:
    compiled = compile_(unique("said") + "#error vfork: Resource temporarily unavailable\n", "c17")
    assert compiled.result.verdict == "error"
