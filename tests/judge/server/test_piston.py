"""Piston beyond plain runs: its clients from PyPI, its socket, and what open-r1's client sends."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.judge.server.conftest import Server


@pytest.fixture
def address(server: Server) -> str:
    return f"{str(server.client.base_url).rstrip('/')}/api/v2"


def test_a_client_from_pypi(address: str) -> None:
    from pistonapi import PistonAPI

    client = PistonAPI(address)
    assert "python3" in client.languages
    assert client.runtimes["python3"]["version"]


def test_another_client_from_pypi(address: str) -> None:
    import asyncio

    import piston_rspy

    async def ran() -> Any:
        client = piston_rspy.Client.with_url(address)
        names = [one.language for one in await client.fetch_runtimes()]
        assert "python3" in names
        file = piston_rspy.File("main.py", "print(input()[::-1])")
        executor = piston_rspy.Executor("python", "3", [file], "abc")
        return await client.execute(executor)

    answer = asyncio.run(ran())
    assert (answer.language, answer.run.stdout, answer.run.code) == ("python3", "cba\n", 0)


def test_a_client_that_names_no_file(address: str) -> None:
    """`ultra_piston` sends null for the name of a file that has none."""
    import ultra_piston

    client = ultra_piston.PistonClient(base_url=f"{address}/", rate_limit=0)
    assert "python3" in [one.language for one in client.get_runtimes()]
    answer = client.post_execute("python3", "3", ultra_piston.File(content="print(input()[::-1])"), stdin="abc")
    assert (answer.run.stdout, answer.run.code) == ("cba\n", 0)
    late = client.post_execute("c++", "*", ultra_piston.File(content="int main() { for (;;); }"), run_timeout=500)
    assert late.run.signal == "SIGKILL"


EMPTY_NAMES = """
import asyncio, sys
import pyston

async def main():
    client = pyston.PystonClient(base_url=sys.argv[1])
    assert "python3" in await client.languages()
    code = "import sys, os; print(input()[::-1], sys.argv[1:], os.path.exists('file1.code'))"
    files = [pyston.File(code), pyston.File("beside")]
    print(await client.execute("python", files, stdin="abc", args=["x"]), end="")
    await client.close_session()

asyncio.run(main())
"""


def test_a_client_that_sends_empty_names(address: str) -> None:
    """`aiopyston`, in a process of its own: it warns, and outlives its event loop."""
    command = (sys.executable, "-c", EMPTY_NAMES, f"{address}/")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "cba ['x'] True\n"), done.stderr


@pytest.mark.parametrize("nothing", [None, 0, "", False])
def test_what_is_empty_is_not_given(server: Server, nothing: object) -> None:
    """As there: each value that is false in JavaScript."""
    names = ("stdin", "args", "run_timeout", "run_cpu_time", "run_memory_limit", "compile_timeout")
    files = [{"name": nothing, "content": "print(1)", "encoding": nothing}]
    body = {"language": "python", "version": "3", "files": files, **dict.fromkeys(names, nothing)}
    answer = server.client.post("/api/v2/execute", json=body)
    assert (answer.status_code, answer.json()["run"]["stdout"]) == (200, "1\n"), answer.text


def open_r1(server: Server, data: dict[str, Any], language: str) -> tuple[int, Any]:
    """As `PistonClient.send_execute` does."""
    answer = server.client.post("/api/v2/execute", json=data | {"language": language, "version": "*"})
    return answer.status_code, answer.json()


CHECKER = """import sys
given, answer, output = (open(path).read().split() for path in sys.argv[1:4])
print(1 if sorted(output) == sorted(answer) else 0)
"""
SORTED = (
    '#include <cstdio>\nint main() { int a, b; scanf("%d %d", &a, &b); printf("%d %d", a < b ? a : b, a < b ? b : a); }'
)


def codeforces(
    server: Server, submission: str, language: str = "cpp", checker: str = "", mode: str = "stdio", **limits: object
) -> Any:
    """As `score_single_test_case` asks; its `language` is cpp or python."""
    config = {"TIME_LIMIT": 1.0, "MEMORY_LIMIT": 256.0, "INPUT_MODE": mode, **limits}
    files = [
        {"name": f"main.{language}", "content": submission},
        *([{"name": "checker.py", "content": checker}] if checker else []),
        {"name": "input.txt", "content": "5 3\n"},
        {"name": "correct_output.txt", "content": "3 5\n"},
        {"name": "grader_config", "content": "\n".join(f"{name}={value}" for name, value in config.items())},
    ]
    package = "cf_python3" if language == "python" else "c++17"
    status, answer = open_r1(server, {"files": files, "run_timeout": 4000}, package)
    assert status == 200, answer
    return answer


@pytest.mark.parametrize(
    ("asked", "compiled", "score", "said"),
    [
        ({"submission": SORTED}, 0, "1", "correct"),
        ({"submission": SORTED.replace("a < b", "b < a")}, 0, "0", "Output isn't correct"),
        ({"submission": SORTED.replace("a < b", "b < a"), "checker": CHECKER}, 0, "1", "correct"),
        ({"submission": "int main() {"}, 1, "", ""),
        ({"submission": "int main() { for (;;); }"}, 0, "0", "Time limit exceeded"),
        ({"submission": "int main() { __builtin_trap(); }"}, 0, "0", "SIGILL"),
        ({"submission": "print(*sorted(map(int, input().split())))", "language": "python"}, 0, "1", "correct"),
        (
            {"submission": "x = bytearray(1 << 29)", "language": "python", "MEMORY_LIMIT": 64},
            0,
            "0",
            "Memory limit exceeded",
        ),
        (
            {
                "submission": "print(*sorted(open('input.txt').read().split()), file=open('output.txt', 'w'))",
                "language": "python",
                "mode": "file",
            },
            0,
            "1",
            "correct",
        ),
    ],
)
def test_open_r1_s_codeforces_package(
    server: Server, asked: dict[str, Any], compiled: int, score: str, said: str
) -> None:
    answer = codeforces(server, **asked)
    assert answer["compile"]["code"] == compiled
    assert (answer["run"]["stdout"], said in answer["run"]["stderr"]) == (score, True), answer
    assert answer["run"]["code"] == compiled


GRADER = (
    '#include <cstdio>\n#include "sum.h"\nint main() { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", sum(a, b)); }'
)
SUM = '#include "sum.h"\nint sum(int a, int b) { return a + b; }'
HALF = """#include <fstream>
#include <iostream>
int main(int, char **paths) {
    std::ifstream answer(paths[2]), output(paths[3]);
    int a = 0, b = 1;
    answer >> a, output >> b;
    std::cout << (a == b ? 1.0 : a + 1 == b ? 0.5 : 0.0) << "\\n";
    std::cerr << (a == b ? "Output is correct" : "Output is partially correct") << "\\n";
}
"""


def ioi(server: Server, submission: str, *more: tuple[str, str]) -> tuple[int, Any]:
    """As `run_submission` of open-r1's ioi_scoring sends it."""
    files = [
        {"name": "graders/sum.cpp", "content": submission},
        {"name": "input.txt", "content": "1 2\n"},
        {"name": "correct_output.txt", "content": "3\n"},
        {"name": "graders/grader.cpp", "content": GRADER},
        {"name": "graders/sum.h", "content": "int sum(int a, int b);\n"},
        *({"name": name, "content": content} for name, content in more),
    ]
    data = {"files": files, "run_timeout": 4000, "run_memory_limit": 256 << 20}
    return open_r1(server, data, "cms_ioi")


def test_open_r1_s_ioi_package(server: Server) -> None:
    status, right = ioi(server, SUM)
    assert (status, right["compile"]["code"], right["run"]["stdout"]) == (200, 0, "1"), right
    _, wrong = ioi(server, SUM.replace("a + b", "a - b"))
    assert (wrong["run"]["stdout"], "Output isn't correct" in wrong["run"]["stderr"]) == ("0", True)
    _, partly = ioi(server, SUM.replace("a + b", "a + b + 1"), ("checker/checker.cpp", HALF))
    assert partly["run"]["stdout"] == "0.5"
    _, broken = ioi(server, "int sum(")
    assert (broken["compile"]["code"], "error" in broken["compile"]["stderr"]) == (1, True)
    _, late = ioi(server, SUM.replace("return", "for (;;); return"))
    assert (late["run"]["stdout"], "Time limit exceeded" in late["run"]["stderr"]) == ("0", True)


def test_a_checker_that_fails(server: Server) -> None:
    """On the submission's output alone, that is the submission's failure; on the right answer, too, the caller's."""
    strict = "import sys\nint(open(sys.argv[3]).read().split()[0])\nprint(1)"
    garbage = codeforces(server, "print('x')", "py", strict)
    assert garbage["run"]["stdout"] == "0"
    assert codeforces(server, "print('7')", "py", strict)["run"]["stdout"] == "1"
    files = [
        {"name": "main.py", "content": "print(1)"},
        {"name": "checker.py", "content": "raise SystemExit(1)"},
        {"name": "input.txt", "content": ""},
        {"name": "correct_output.txt", "content": "1"},
        {"name": "grader_config", "content": ""},
    ]
    status, answer = open_r1(server, {"files": files}, "codeforces")
    assert (status, "the checker fails" in answer["message"]) == (400, True), answer
    assert "/judge-tests-" not in answer["message"], "where its files lie on the server is told to nobody"


@pytest.mark.parametrize(
    ("files", "language", "said"),
    [
        (
            [{"name": f"graders/{name}", "content": ""} for name in ("x.cpp", "x.h", "sub/x.h")],
            "cms_ioi",
            "two files are called x.h",
        ),
        ([{"name": "main.cpp", "content": "x"}, {"name": "grader_config", "content": ""}], "c++17", "input.txt"),
        ([{"name": "main.cpp", "content": "x"}], "cms_ioi", "first file is graders/NAME.cpp"),
        ([{"name": "graders/../x.cpp", "content": "x"}], "cms_ioi", "input.txt"),
        (
            [{"name": "m.cpp", "content": "x"}, {"name": "grader_config", "content": "TIME_LIMIT=x"}],
            "c++17",
            "no number",
        ),
        (
            [{"name": "m.cpp", "content": "x"}, {"name": "grader_config", "content": "TIME_LIMIT=1e9"}],
            "c++17",
            "larger than",
        ),
        ("x", "cms_ioi", "files is required"),
    ],
)
def test_what_these_packages_refuse(server: Server, files: object, language: str, said: str) -> None:
    status, answer = open_r1(server, {"files": files}, language)
    assert (status, said in answer["message"]) == (400, True), answer


def test_packages_are_the_machine_s(server: Server) -> None:
    def ask(method: str, language: object) -> tuple[int, Any]:
        body = {"language": language, "version": "*"}
        answer = server.client.request(method, "/api/v2/packages", json=body)
        return answer.status_code, answer.json()

    status, installed = ask("POST", "python")
    assert (status, installed["language"]) == (200, "python")
    assert ask("POST", "cms_ioi") == (200, {"language": "cms_ioi", "version": "1.0.0"})
    assert ask("POST", "klingon")[0] == 404
    assert ask("DELETE", "klingon")[0] == 404
    assert ask("DELETE", "python")[0] == 403
    assert ask("POST", 3)[0] == 400
    assert server.client.post("/api/v2/packages", content=b"{").status_code == 400


def socket_to(server: Server) -> ClientConnection:
    return connect(f"{str(server.client.base_url).replace('http', 'ws', 1).rstrip('/')}/api/v2/connect")


def init(source: str, language: str = "python", **more: object) -> str:
    files = [{"content": source}]
    return json.dumps({"type": "init", "language": language, "version": "*", "files": files, **more})


def heard(socket: ClientConnection) -> tuple[list[dict[str, Any]], int]:
    """All messages up to the end, and the code with which the server closed."""
    found = []
    try:
        while True:
            found.append(json.loads(socket.recv(timeout=60)))
    except ConnectionClosed as end:
        assert end.rcvd is not None
        return found, end.rcvd.code


def test_its_socket(server: Server) -> None:
    with socket_to(server) as socket:
        socket.send(init("x = input()\nprint(x[::-1], flush=True)\nimport sys\nprint(input(), file=sys.stderr)"))
        for expected in ({"type": "runtime", "language": "python3"}, {"type": "stage", "stage": "run"}):
            message = json.loads(socket.recv(timeout=60))
            assert expected.items() <= message.items()
        socket.send(json.dumps({"type": "data", "stream": "stdin", "data": "abc\n"}))
        said = ""
        while not said.endswith("\n"):
            message = json.loads(socket.recv(timeout=60))
            assert (message["type"], message["stream"]) == ("data", "stdout")
            said += message["data"]
        assert said == "cba\n"
        socket.send(json.dumps({"type": "data", "stream": "stdin", "data": "told\n"}))
        assert heard(socket) == (
            [
                {"type": "data", "stream": "stderr", "data": "told\n"},
                {"type": "exit", "stage": "run", "code": 0, "signal": None},
            ],
            4999,
        )


def test_stages_of_what_is_compiled(server: Server) -> None:
    with socket_to(server) as socket:
        socket.send(init('#include <cstdio>\nint main() { puts("x"); }', "c++"))
        found, code = heard(socket)
    assert [(one["type"], one.get("stage")) for one in found] == [
        ("runtime", None), ("stage", "compile"), ("exit", "compile"), ("stage", "run"), ("data", None), ("exit", "run"),
    ]  # fmt: skip
    assert code == 4999
    with socket_to(server) as socket:
        socket.send(init("int main() {", "c++"))
        found, code = heard(socket)
    assert ([one["type"] for one in found], found[-1]["code"], code) == (["runtime", "stage", "data", "exit"], 1, 4999)


def test_a_signal_ends_it(server: Server) -> None:
    with socket_to(server) as socket:
        socket.send(init("print(1, flush=True)\nwhile 1: pass"))
        while json.loads(socket.recv(timeout=60))["type"] != "data":
            pass
        socket.send(json.dumps({"type": "signal", "signal": "SIGTERM"}))
        found, code = heard(socket)
    assert (found[-1], code) == ({"type": "exit", "stage": "run", "code": None, "signal": "SIGTERM"}, 4999)


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([], 4001),
        ([{"type": "data", "stream": "stdin", "data": "x"}], 4003),
        ([{"type": "signal", "signal": "SIGKILL"}], 4003),
        ([init("input()"), init("")], 4000),
        ([init("input()"), {"type": "data", "stream": "stdout", "data": ""}], 4004),
        ([init("input()"), {"type": "signal", "signal": "SIGNOT"}], 4005),
        (["{"], 4002),
        (["[]"], 4002),
        ([{"type": "init"}], 4002),
        ([init("", "klingon")], 4002),
        ([b"x"], 4002),
    ],
)
def test_how_its_socket_closes(server: Server, messages: list[Any], code: int) -> None:
    with socket_to(server) as socket:
        for message in messages:
            socket.send(json.dumps(message) if isinstance(message, dict) else message)
        assert heard(socket)[1] == code
