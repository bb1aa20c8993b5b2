"""Programs without a problem: what they did is told, and what they may do is what submissions may."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from judge import ConfigError, Execution, Judge, LanguageError, Program, Verdict

MIB = 1 << 20
Execute = Callable[..., Execution]


@pytest.fixture
def execute(pinned: str, judges: Callable[..., Judge]) -> Execute:
    judge = judges()

    def run(source: str, language: str = "python3", **more: object) -> Execution:
        return judge.execute(Program(source=source.encode(), language=language, **more))  # type: ignore[arg-type]

    return run


def test_input_arguments_and_files_go_in_and_files_come_out(execute: Execute) -> None:
    done = execute(
        "import sys\nopen('out', 'wb').write(open('given', 'rb').read()[::-1])\nprint(input(), sys.argv[1:])\n"
        "open('given', 'w').write('changed')\nsys.stderr.write('told')",
        stdin=b"typed\n",
        arguments=("a b", "-c"),
        files={"given": b"\0\xff123"},
        collect=("out", "given", "absent"),
    )
    assert (done.verdict, done.exit_code) == (None, 0)
    assert done.stdout == b"typed ['a b', '-c']\n"
    assert done.stderr == b"told"
    assert dict(done.files) == {"out": b"321\xff\0", "given": b"changed"}
    assert done.cpu_ns and done.wall_ns and done.memory_bytes
    assert done.isolation is not None


@pytest.mark.parametrize(
    ("source", "language", "verdict", "said"),
    [
        ("int main() { return 3; }", "cpp17", "RE", "exit code 3"),
        ("int main() { __builtin_trap(); }", "cpp17", "RE", "SIGILL"),
        ("int main() { for (;;); }", "cpp17", "TLE", "over the limit"),
        ("#include <unistd.h>\nint main() { for (;;) pause(); }", "c17", "TLE", "wall time"),
        ("a = []\nwhile 1: a.append('x' * 1000000)", "python3", "MLE", "used more|refused|died"),
        ("while 1: print('x' * 1000000)", "python3", "OLE", "wrote more"),
        ("int main() {", "cpp17", "CE", ""),
        ("", "cpp17", "CE", ""),
    ],
)
def test_how_it_ended(execute: Execute, source: str, language: str, verdict: str, said: str) -> None:
    wall_ns = 1_500_000_000 if said == "wall time" else 60_000_000_000  # a loop gets its share of a core at last
    done = execute(source, language, cpu_ns=500_000_000, wall_ns=wall_ns, memory_bytes=64 * MIB, output_bytes=MIB)
    assert done.verdict == verdict
    assert done.compile is not None
    assert not said or any(part in done.detail for part in said.split("|"))
    assert len(done.stdout) <= MIB
    if verdict == "CE":
        assert done.compile.output
        assert done.exit_code is None


@pytest.mark.parametrize(
    "leaves",
    ["os.symlink('/etc/passwd', 'out')", "os.mkfifo('out')", "os.mkdir('out')"],
)
def test_only_regular_files_come_back(execute: Execute, leaves: str) -> None:
    done = execute(f"import os\n{leaves}\n", files={"given": b"x"}, collect=("out",))
    assert not done.files


def test_files_in_directories(execute: Execute) -> None:
    source = "import os\nos.makedirs('out/deep')\nopen('out/deep/b', 'w').write(open('data/in.txt').read() + '!')\n"
    collect = ("out/deep/b", "data/in.txt", "link/passwd", "out")
    done = execute(source + "os.symlink('/etc', 'link')\n", files={"data/in.txt": b"given"}, collect=collect)
    assert dict(done.files) == {"out/deep/b": b"given!", "data/in.txt": b"given"}


def test_a_file_may_be_as_large_as_the_directory_and_no_larger(execute: Execute) -> None:
    done = execute("open('out', 'wb').write(b'x' * (200 << 20))", collect=("out",))
    assert done.verdict in (Verdict.OLE, Verdict.RE, Verdict.MLE)
    assert len(done.files.get("out", b"")) <= 64 * MIB


def test_freopen_works(execute: Execute) -> None:
    source = '#include <cstdio>\nint main() { freopen("out", "w", stdout); puts("there"); }'
    done = execute(source, "cpp17", collect=("out",))
    assert done.stdout == b""
    assert dict(done.files) == {"out": b"there\n"}


def test_nothing_of_one_program_is_left_for_the_next(execute: Execute) -> None:
    execute("open('left', 'w').write('x')", collect=("left",))
    assert execute("import os; print(os.listdir('.'))").stdout == b"[]\n"


def test_json(execute: Execute) -> None:
    done = execute("import sys; sys.stdout.buffer.write(b'\\xe9\\n')")
    found = json.loads(done.to_json())
    assert found == done.as_dict()
    assert found["stdout"] == "\ufffd\n"
    assert found["verdict"] is None
    with_file = execute("open('out', 'wb').write(b'\\xff')", collect=("out",))
    assert json.loads(with_file.to_json())["files"] == {"out": base64.b64encode(b"\xff").decode()}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"files": {"a/../b": b""}}, "not a relative path"),
        ({"files": {"a/b": b"", "a": b""}}, "'a' is a file, and the directory of 'a/b'"),
        ({"files": {"/".join("a" * 9): b""}}, "more than 8 parts"),
        ({"collect": ("..",)}, "not a relative path"),
        ({"arguments": ("a\0",)}, "has a zero byte"),
        ({"arguments": ("a",) * 401}, "401 arguments, more than 400"),
        ({"files": {str(n): b"" for n in range(61)}}, "61 files are to be given, more than 60"),
        ({"collect": ("\ud800",)}, "no text"),
        ({"cpu_ns": 0}, "cpu_ns must be positive"),
        ({"wall_ns": 1 << 64}, "wall_ns must be at most"),
        ({"memory_bytes": 1 << 60}, "memory_bytes must be at most"),
        ({"memory_bytes": 1 << 44}, "memory budget"),
    ],
)
def test_what_cannot_be_run_is_refused(execute: Execute, more: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        execute("print(1)", **more)


def test_as_many_arguments_and_files_as_may_be_given_fit_the_launcher(execute: Execute) -> None:
    """Modules lie twice. What does not fit the launcher's request is IE, and the program would choose it."""
    names = [f"{'d' * 247}{n:05}.py" for n in range(60)]
    done = execute(
        "import sys, os; print(len(sys.argv), len(os.listdir('.')))",
        arguments=("a" * 160,) * 400,
        files=dict.fromkeys(names, b""),
        sources=tuple((f"{'s' * 247}{n:05}.py", b"") for n in range(32)),
        collect=tuple(names[:16]),
    )
    assert (done.verdict, done.stdout, len(done.files)) == (None, b"401 92\n", 16), done.detail


DATA = {"many": {f"m{n}.py": b"x = 1" for n in range(40)}, "large": {"m0.py": b"x = 1" + b"\n" * 400_000}}
DATA["no text"] = {"m0.py": b"x = 1", "m1.py": b"\0\xff"}


@pytest.mark.parametrize("files", DATA.values(), ids=list(DATA))
def test_files_that_look_like_modules_are_data_until_they_are_imported(
    execute: Execute, files: dict[str, bytes]
) -> None:
    done = execute("import os, m0; print(m0.x, sum(map(os.path.getsize, os.listdir('.'))))", files=files)
    assert (done.verdict, done.stdout) == (None, b"1 %d\n" % sum(map(len, files.values()))), done.compile


def test_units_among_the_files_are_not_compiled_along(execute: Execute) -> None:
    source = "int main() { return 0; }"
    assert execute(source, "cpp17", files={"other.cpp": source.encode()}).verdict is None


@pytest.mark.parametrize(("file", "source"), [("m.py/a.py", "m.py"), ("m.py", "m.py/a.py")])
def test_a_source_that_clashes_with_a_file_is_ce(execute: Execute, file: str, source: str) -> None:
    done = execute("print(1)", files={file: b""}, sources=((source, b""),))
    assert done.verdict == "CE"
    assert done.compile is not None
    assert "is a file, and the directory of" in done.compile.output


def test_an_unknown_language_is_refused(execute: Execute) -> None:
    with pytest.raises(LanguageError, match="unknown language 'klingon'"):
        execute("x", "klingon")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"source": "print(1)"}, "source is of type str: give bytes"),
        ({"language": None}, "language is of type NoneType"),
        ({"files": {"a": "text"}}, "file 'a' is of type str: give bytes"),
        ({"files": (("a", b""),)}, "files is of type tuple: give a map"),
        ({"sources": {"a.py": b""}}, "sources is of type dict: give a tuple of pairs"),
        ({"sources": ("a.py",)}, "sources holds what is no pair"),
        ({"arguments": "abc"}, "arguments is of type str: give a tuple"),
        ({"collect": (1,)}, "what is in collect is of type int"),
        ({"cpu_ns": 1.5}, "cpu_ns is of type float: give a whole number"),
    ],
)
def test_what_is_of_a_wrong_type_is_told_with_the_remedy(more: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Program(**{"source": b"print(1)"} | more)


def test_a_star_is_the_name_of_one_file(execute: Execute) -> None:
    """It once stood for all files, whose names a program chooses."""
    left = "for name in (b'*', b'a', b'\\xff'): open(name, 'w').write('x')"
    assert dict(execute(left, collect=("*",)).files) == {"*": b"x"}
    with pytest.raises(ConfigError, match="not a relative path"):
        execute(left, collect=(".",))
