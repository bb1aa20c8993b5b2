"""Languages that start faster than their tools do: the program cannot tell.

Held interpreters other than CPython's (which `tests/containers/conformance/test_held.py` tries), Ruby without RubyGems,
and virtual machines that find their classes in an archive.
"""

from __future__ import annotations

import re
import shutil
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Outcome, Sandbox, Termination, open_sandbox
from containers.launcher.driver import LauncherSandbox
from judge import Judge, Submission, languages
from judge.common.errors import LanguageError
from judge.compiling.compiler import Compiler, Executable
from judge.compiling.toolchain import RUN_LIMITS
from judge.store.cache import Cache
from judge.store.memfd import memfd

Run = Callable[..., Outcome]
INPUT = b"3 4\nsecond line\n"


@pytest.fixture(scope="module")
def sandbox(backend: str) -> Iterator[Sandbox]:
    with open_sandbox(backend) as opened:
        yield opened


@pytest.fixture
def compiled(sandbox: Sandbox, shared_cache: Path) -> Iterator[Callable[[str, str], Executable]]:
    made: list[Executable] = []

    def compile_(name: str, source: str) -> Executable:
        try:
            result = Compiler(Cache(shared_cache)).compile(source.encode(), languages.get(name), sandbox)
        except LanguageError as error:  # `test_smoke` fails where the toolchain is wanted
            pytest.skip(str(error))
        assert result.program is not None, result.result.output
        made.append(result.program)
        return result.program

    yield compile_
    for program in made:
        program.close()


@pytest.fixture
def run(sandbox: Sandbox, compiled: Callable[[str, str], Executable]) -> Run:
    """Runs a program; `held`: in an interpreter that is held."""

    def run_(name: str, source: str, *, held: bool = False, stdin: bytes = INPUT) -> Outcome:
        program = compiled(name, source)
        for _ in range(3 if held else 1):
            with memfd("input", stdin) as fd:
                spec = replace(program.spec(limits=RUN_LIMITS, stdin=fd), warm=int(held))
                outcome = sandbox.run(spec)
        assert isinstance(sandbox, LauncherSandbox)
        if held and not any(one and one.argv == spec.argv for _, one in sandbox._launchers):
            pytest.skip("no interpreter is held here")
        return outcome

    return run_


def facts(outcome: Outcome) -> tuple[object, ...]:
    said = (re.sub(rb"0x[0-9a-f]+", b"", text) for text in (outcome.stdout, outcome.stderr))
    return outcome.termination, outcome.exit_code, outcome.signal, *said, outcome.suspicious


_FDS = "import os\nprint([fd for fd in range(99) if os.path.exists(f'/proc/self/fd/{fd}')])\n"
#: Programs that end in every way, and look at what a fork could change.
PROGRAMS = {
    "pypy3": (
        "a, b = map(int, input().split())\nprint(a + b, input())\n",
        "import sys, os\nprint(sys.argv, __file__, os.getcwd(), sorted(os.environ.items()), sys.flags)\n",
        "import threading\ndone = []\nfor i in range(8):\n    t = threading.Thread(target=done.append, args=(i,))\n"
        "    t.start()\n    t.join()\nprint(done, threading.current_thread().name)\n",
        "print(sum(i * i % 7 for i in range(3_000_000)))\n",
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return n and 1 + f(n - 1)\nprint(f(100_000))\n",
        "import atexit\natexit.register(print, 'end')\nraise ValueError('é')\n",
        "import sys\nsys.exit(7)\n",
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n",
        "import signal\nprint([signal.getsignal(number) for number in (2, 13, 17, 25)])\n",
        "import gc\ngc.collect()\nclass A:\n    def __del__(self): print('gone')\na = A()\ndel a\ngc.collect()\n",
        "import subprocess\nsubprocess.run(['true'])\n",
        _FDS,
    ),
    "php": (
        "<?php [$a, $b] = explode(' ', fgets(STDIN)); echo $a + $b, ' ', fgets(STDIN);",
        "<?php var_dump($argv, __FILE__, getcwd(), getenv(), ini_get_all(null, false));",
        "<?php throw new Exception('é');",
        "<?php register_shutdown_function(function () { echo 'end'; }); exit(7);",
        "<?php function f($n) { return $n ? 1 + f($n - 1) : 0; } echo f(100000);",
        "<?php $a = []; for ($i = 0; $i < 300000; $i++) $a[] = [$i]; echo count($a);",
        "<?php echo undefined(1);",
        "<?php echo md5('x'), ' ', preg_match('/(a+)+b/', 'aaab'), ' ', json_encode(['a' => 1.5]);",
        "no code\n",
        '<?php print_r(array_filter(range(0, 99), fn($fd) => file_exists("/proc/self/fd/$fd")));',
        "<?php foreach (['stdin', 'stdout', 'stderr'] as $s) var_dump(is_resource(fopen(\"php://$s\", 'r+')));",
    ),
    "prolog": (
        "main :- read_term(user_input, X, []), print(X), nl.\n",
        "main :- read(X), X == 1.\n",
        "main :- X is 1 / 0, print(X).\n",
        "len([], 0).\nlen([_|T], N) :- len(T, M), N is M + 1.\nmain :- numlist(1, 100000, L), len(L, N), print(N).\n",
        "main :- thread_create(true, T), thread_join(T, S), print(S), current_prolog_flag(argv, A), print(A).\n",
        "main :- halt(7).\n",
        "main :- garbage_collect, atom_length(abc, N), print(N), working_directory(D, D), print(D).\n",
        "main :- catch(open('../in/x', read, _), E, true), E = error(K, _), print(K).\n",
    ),
}
_HELD = [(name, source) for name, sources in PROGRAMS.items() for source in sources]


@pytest.mark.parametrize(("name", "source"), _HELD, ids=[f"{name}-{at}" for at, (name, _) in enumerate(_HELD)])
def test_program_cannot_tell(name: str, source: str, run: Run) -> None:
    stdin = INPUT if name != "prolog" else b"'3 4'.\n"
    assert facts(run(name, source, held=True, stdin=stdin)) == facts(run(name, source, stdin=stdin))


#: Three numbers, from each source of them that programs use.
RANDOM = {
    "pypy3": "import os, random, uuid\nprint(random.random(), os.urandom(4), uuid.uuid4())\n",
    "php": "<?php echo mt_rand(), ' ', random_int(0, PHP_INT_MAX), ' ', lcg_value(), ' ', uniqid();",
    "prolog": "main :- random(X), random_between(1, 1000000000000, Y), print(X-Y).\n",
}


@pytest.mark.parametrize("name", RANDOM)
def test_randomness_is_new_in_each_run(name: str, run: Run) -> None:
    seen = [run(name, RANDOM[name], held=True).stdout.split(b" ") for _ in range(3)]
    for one in zip(*seen, strict=True):
        assert len(set(one)) == 3, seen


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("pypy3", "data = bytearray(b'x') * (20 << 20)"),
        ("pypy3", "data = list(map(str, range(600_000)))"),
        ("php", "<?php $data = str_repeat('x', 20 << 20);"),
        ("php", "<?php $data = range(0, 300000); shuffle($data);"),
        ("prolog", "main :- numlist(1, 300000, L), length(L, _).\n"),
    ],
)
def test_memory_is_one_figure(name: str, source: str, run: Run) -> None:
    held = statistics.median(run(name, source, held=True).usage.memory_bytes for _ in range(3))
    executed = statistics.median(run(name, source).usage.memory_bytes for _ in range(5))
    assert abs(held - executed) <= 1024 * 1024


def test_nothing_of_a_run_is_left_for_the_next(run: Run) -> None:
    marks = (
        "import builtins, os, sys\nbuiltins.left = sys.left = 1\nos.environ['LEFT'] = '1'\nopen('left', 'w').close()\n"
    )
    look = "import builtins, os\nprint(hasattr(builtins, 'left'), 'LEFT' in os.environ, os.listdir())\n"
    assert run("pypy3", marks, held=True).exit_code == 0
    assert run("pypy3", look, held=True).stdout == b"False False []\n"


def test_an_interpreter_with_descriptors_of_its_own_is_executed(run: Run, sandbox: Sandbox) -> None:
    """A run has the streams alone. Ruby keeps a pipe to itself, and would miss it, or take a file for it."""
    program = "puts gets.split.sum(&:to_i)"
    with pytest.raises(pytest.skip.Exception, match="no interpreter is held"):
        run("ruby", program, held=True)
    assert run("ruby", program).stdout == b"7\n"


#: Of Ruby: what it prints with RubyGems, which it starts without.
RUBY = {
    "a library": ("require 'set'; p require('json'), Set[1].size", b"true\n1\n"),
    "a gem": ("require 'prime'; require 'matrix'; p Prime.first(3), Matrix[[2]].det", b"[2, 3, 5]\n2\n"),
    "a gem in a method": ("class A; def f; require 'prime'; 7.prime?; end; end; p A.new.f", b"true\n"),
    "RubyGems by name": ("p Gem::Version.new('1.10') > Gem::Version.new('1.9')", b"true\n"),
    "gem": ("gem 'prime'; require 'prime'; p 5.prime?", b"true\n"),
    "what is not there": (
        "begin; require 'no/such'; rescue LoadError => e; p e.path, e.message, e.cause; end",
        b'"no/such"\n"cannot load such file -- no/such"\nnil\n',
    ),
    "a private method": (
        "p Kernel.private_method_defined?(:require), Kernel.private_method_defined?(:gem)",
        b"true\ntrue\n",
    ),
    "another argument": (
        "begin; require 5; rescue TypeError => e; puts e.message; end",
        b"no implicit conversion of Integer into String\n",
    ),
    "a thread": ("p Thread.new { require 'prime'; 2.prime? }.value", b"true\n"),
    "data": ("p DATA.read, __FILE__ == $0\n__END__\nx", b'"x"\ntrue\n'),
}


@pytest.mark.parametrize(("source", "output"), RUBY.values(), ids=RUBY)
def test_ruby_finds_its_gems(source: str, output: bytes, run: Run) -> None:
    outcome = run("ruby", source)
    assert (outcome.stdout, outcome.exit_code) == (output, 0), outcome


def test_a_run_does_without_an_archive_that_was_removed(tmp_path: Path, sandbox: Sandbox) -> None:
    """It may be removed at any time: by `judge cache clear`, or to make room."""
    language = languages.get("clojure")
    if (problem := language.status().problem) is not None:
        pytest.skip(problem)
    program = Compiler(Cache(tmp_path)).compile(language.smoke_source(), language, sandbox).program
    assert program is not None
    assert program.library is not None
    with memfd("input", b"3 4\n") as stdin:
        spec = program.spec(limits=RUN_LIMITS, stdin=stdin)
        assert spec.mounts == (program.library,)
        assert sandbox.run(spec).stdout == b"7\n"
    shutil.rmtree(program.library)
    with memfd("input", b"3 4\n") as stdin:
        spec = program.spec(limits=RUN_LIMITS, stdin=stdin)
        assert spec.mounts == ()
        assert sandbox.run(spec).stdout == b"7\n"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("javascript", "syntax.cjs"),
        ("go", "go-build.sh"),
        ("java", "solution.jar"),
        ("ruby", "gems.rb"),
        ("cpp17", "solution.s"),
    ],
)
def test_a_file_of_the_judge_s_name_is_the_submission_s_error(
    name: str, file: str, judges: Callable[..., Judge]
) -> None:
    """Two files of one name were a failure of ours, which a submission could choose."""
    submission = Submission(source=b"x = 1", problem="P1001", language=name, files=((file, b"x"),))
    judgement = judges().judge(submission)
    assert judgement.verdict == "CE"
    assert judgement.compile is not None
    assert f"a second file is called {file}" in judgement.compile.output


def test_a_held_program_ends_at_its_limits(
    run: Run, sandbox: Sandbox, compiled: Callable[[str, str], Executable]
) -> None:
    run("pypy3", "pass", held=True)
    program = compiled("pypy3", "while True: pass")
    limits = replace(RUN_LIMITS, cpu_ns=200_000_000)
    assert sandbox.run(program.spec(limits=limits)).termination is Termination.CPU_LIMIT
