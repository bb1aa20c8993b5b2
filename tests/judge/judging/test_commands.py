"""Command lines without a language: alone, joined by pipes, and talked to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from judge import Cancelled, ConfigError, Judge, Program, Verdict
from judge.common.command import Command
from judge.judging.commands import Pipes, Ran
from judge.judging.streaming import Streams

MIB = 1 << 20
Run = Callable[..., list[Ran]]


@pytest.fixture
def judge(judges: Callable[..., Judge]) -> Judge:
    return judges()


def python(code: str, **more: object) -> Command:
    limits = {"cpu_ns": 2 * 10**9, "memory_bytes": 128 * MIB, **more}
    return Command(argv=("/usr/bin/python3", "-u", "-c", code), **limits)  # type: ignore[arg-type]


def test_files_and_a_program_of_the_caller_s(judge: Judge) -> None:
    made = Command(
        argv=("/usr/bin/gcc", "a.c", "-o", "a"),
        env={"PATH": "/usr/bin:/bin"},
        files={"a.c": b"#include <stdio.h>\nint main() { int c = getchar(); putchar(c + 1); return 3; }"},
        collect=("a", "absent"),
        processes=50,
    )
    (compiled,) = judge.submit_commands([made]).result()
    assert (compiled.ruling, list(compiled.outcome.files)) == (None, ["a"])
    (ran,) = judge.submit_commands([Command(argv=("a",), executable=compiled.outcome.files["a"], stdin=b"x")]).result()
    assert ran.outcome.stdout == b"y"
    assert ran.ruling is not None
    assert (ran.ruling.verdict, ran.outcome.exit_code) == (Verdict.RE, 3)


def test_one_pipe_and_two(judge: Judge) -> None:
    one, other = judge.submit_commands(
        [python("print(input() * 2)", stdin=b"ab"), python("print(input() + '!')")], Pipes.FORWARD
    ).result()
    assert (one.piped, one.outcome.stdout, other.piped, other.outcome.stdout) == (b"abab\n", b"", None, b"abab!\n")
    asks = python("print(20)\nraise SystemExit(int(input()))")
    one, other = judge.submit_commands([asks, python("print(int(input()) + 1)")], Pipes.BOTH).result()
    assert (one.outcome.exit_code, one.piped, other.piped) == (21, b"20\n", b"21\n")


def test_a_writer_whose_reader_is_gone(judge: Judge) -> None:
    endless = Command(argv=("/usr/bin/yes",), output_bytes=MIB)
    one, other = judge.submit_commands([endless, Command(argv=("/usr/bin/head", "-n", "1"))], Pipes.FORWARD).result()
    assert one.ruling is not None
    assert (one.ruling.verdict, other.ruling, other.outcome.stdout) == (Verdict.OLE, None, b"y\n")


def test_both_wait_for_each_other(judge: Judge) -> None:
    waits = python("input()", cpu_ns=10**8, wall_ns=4 * 10**8)
    verdicts = [one.ruling and one.ruling.verdict for one in judge.submit_commands([waits, waits], Pipes.BOTH).result()]
    assert verdicts[0] == Verdict.TLE or verdicts[1] == Verdict.TLE


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": {"a/../b": b""}},
        {"files": {f"f{n}": b"" for n in range(61)}},
        {"collect": ("..",)},
        {"collect": tuple(f"f{n}" for n in range(17))},
        {"argv": ("/bin/echo", "\0")},
        {"argv": ("/bin/echo", "\ud800")},
        {"argv": ("/bin/echo", "x" * 70_000)},
        {"cpu_ns": 0},
    ],
)
def test_what_is_no_command(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Command(**{"argv": ("/bin/true",), **wrong})  # type: ignore[arg-type]


class Talker:
    def __init__(self, judge: Judge, what: Command | Program, most_input: int = MIB) -> None:
        self.said = b""
        self._news = threading.Condition()
        self.streams = Streams(self._hear, most_input)
        self.future = judge.stream(what, self.streams)

    def _hear(self, content: bytes) -> None:
        with self._news:
            self.said += content
            self._news.notify_all()

    def until(self, text: bytes) -> None:
        with self._news:
            assert self._news.wait_for(lambda: text in self.said, 60), self.said


@pytest.mark.parametrize("language", [None, "python3", "cpp17"])
def test_a_program_is_talked_to(judge: Judge, language: str | None) -> None:
    code = "while x := input():\n    print(x[::-1])\nraise SystemExit(4)"
    if language == "cpp17":
        code = (
            "#include <algorithm>\n#include <iostream>\nint main() { std::string x; while (getline(std::cin, x) && "
            'x != "") std::reverse(x.begin(), x.end()), std::cout << x << std::endl; return 4; }'
        )
    talker = Talker(judge, Program(source=code.encode(), language=language) if language else python(code))
    for text in (b"abc\n", b"xyz\n"):
        assert talker.streams.write(text)
        talker.until(text[-2::-1] + b"\n")
    talker.streams.write(b"\n")
    done = talker.future.result()
    assert (done.outcome if isinstance(done, Ran) else done).exit_code == 4
    assert talker.said == b"cba\nzyx\n"


def test_a_talk_ends(judge: Judge) -> None:
    reader = Talker(judge, python("import sys\nprint(len(sys.stdin.read()))"), most_input=10)
    assert reader.streams.write(b"x" * 10)
    reader.streams.end_input()
    assert reader.future.result().ruling is None  # type: ignore[union-attr]
    assert reader.said == b"10\n"
    deaf = Talker(judge, python("print('began')\nwhile 1: pass"), most_input=200_000)
    deaf.until(b"began")
    assert deaf.streams.write(b"x" * 200_000)
    while deaf.streams.write(b"x" * 100_000):  # the pipe takes some of it
        time.sleep(0.01)
    deaf.streams.stop()
    ruling = deaf.future.result().ruling  # type: ignore[union-attr]
    assert ruling is not None
    assert (ruling.verdict, ruling.detail) == (Verdict.RE, "stopped by its client")
    loud = Talker(judge, Command(argv=("/usr/bin/yes",), output_bytes=100_000))
    ruling = loud.future.result().ruling  # type: ignore[union-attr]
    assert ruling is not None
    assert (ruling.verdict, len(loud.said)) == (Verdict.OLE, 100_000)


def test_a_talk_when_the_judge_is_closed(judges: Callable[..., Judge]) -> None:
    judge = judges()
    talker = Talker(judge, python("print('began')\nwhile 1: pass", cpu_ns=100 * 10**9))
    talker.until(b"began")
    judge.close()
    with pytest.raises(Cancelled):
        talker.future.result()


def test_an_idle_slot_holds_no_memory(judges: Callable[..., Judge]) -> None:
    """Two slots whose runs fit the budget only one after the other."""
    judge = judges(slots=2, memory_bytes=3000 * MIB)
    begun = [
        judge.submit_program(
            Program(source=b"import time; time.sleep(0.3)", language="python3", memory_bytes=1200 * MIB)
        )
        for _ in range(2)
    ]
    for future in begun:
        assert future.result(60).verdict is None
    assert judge.submit_program(Program(source=b"", language="python3", memory_bytes=1900 * MIB)).result(60) is not None
