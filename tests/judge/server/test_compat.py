"""Clients of other judges, unmodified, against ours."""

from __future__ import annotations

import asyncio
import base64
import re
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from judge.common.execution import Execution
from judge.common.models import Verdict
from judge.server.compat import code_judge
from judge.server.guarding.keys import new_key
from tests.judge.server.conftest import Serve, Server

ADD = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
TRAP = "int main() { __builtin_trap(); }\n"


@pytest.fixture
def fusion(server: Server) -> object:
    import sandbox_fusion

    sandbox_fusion.set_endpoint(str(server.client.base_url).rstrip("/"))
    return sandbox_fusion


@pytest.mark.parametrize(
    ("asked", "status", "ran", "compiled"),
    [
        ({"code": "print(input())", "stdin": "x"}, "Success", ("Finished", 0, "x\n"), None),
        ({"code": "import sys; sys.exit(3)"}, "Failed", ("Finished", 3, ""), None),
        ({"code": "print(", "stdin": ""}, "Failed", ("Finished", 1, ""), None),
        ({"code": "while 1: pass", "run_timeout": 0.5}, "Failed", ("TimeLimitExceeded", None, ""), None),
        ({"code": ADD, "stdin": "3 4", "language": "cpp"}, "Success", ("Finished", 0, "7"), ("Finished", 0)),
        ({"code": "int main() {", "language": "cpp"}, "Failed", None, ("Finished", 1)),
        (
            {"code": "int main() { __builtin_trap(); }", "language": "cpp"},
            "Failed",
            ("Finished", -4, ""),
            ("Finished", 0),
        ),
    ],
)
def test_sandbox_fusion_s_own_client(
    fusion: object,
    asked: dict[str, object],
    status: str,
    ran: tuple[object, ...] | None,
    compiled: tuple[object, ...] | None,
) -> None:
    request = fusion.RunCodeRequest(**{"language": "python", **asked})  # type: ignore[attr-defined]
    answer = fusion.run_code(request, max_attempts=1)  # type: ignore[attr-defined]
    assert answer.status == status
    run = answer.run_result
    assert (run and (run.status, run.return_code, run.stdout)) == ran
    made = answer.compile_result
    assert (made and (made.status, made.return_code)) == compiled


def test_sandbox_fusion_s_files(fusion: object) -> None:
    request = fusion.RunCodeRequest(  # type: ignore[attr-defined]
        code="open('out', 'w').write(open('given').read() * 2)",
        language="python",
        files={"given": base64.b64encode(b"ab").decode()},
        fetch_files=["out"],
    )
    answer = fusion.run_code(request, max_attempts=1)  # type: ignore[attr-defined]
    assert base64.b64decode(answer.files["out"]) == b"abab"


@pytest.mark.parametrize("page", ["compat.md", "compat.zh-CN.md"])
def test_sandbox_fusion_without_a_language(server: Server, page: str) -> None:
    """The page lists each."""
    text = (Path(__file__).parents[3] / "docs" / page).read_text()
    for language in ("cuda", "python_gpu", "julia", "lean", "swift"):
        asked = {"code": "x", "language": language}
        answer = server.client.post("/compat/sandbox-fusion/run_code", json=asked)
        assert (answer.status_code, f"`{language}`" in text) == (422, True)
        assert f"unknown language {language!r}" in answer.json()["error"]


@pytest.mark.parametrize("busy", [False, True])
def test_sandbox_fusion_s_time_out_is_wall_time(server: Server, busy: bool) -> None:
    """Its clients size theirs by it: a program that sleeps ends there, as one that computes."""
    code = "import time\nwhile time.process_time() < 9: pass" if busy else "import time; time.sleep(9)"
    asked = {"code": code, "language": "python", "run_timeout": 1}
    answer = server.client.post("/compat/sandbox-fusion/run_code", json=asked).json()
    assert answer["run_result"]["status"] == "TimeLimitExceeded"
    assert answer["run_result"]["execution_time"] < 2.9, "twice the limit and a second, as it was"


def piston(server: Server, **more: object) -> tuple[int, dict[str, object]]:
    body = {"language": "python", "version": "3", "files": [{"content": "print(input())"}], "stdin": "x", **more}
    answer = server.client.post("/api/v2/execute", json=body)
    return answer.status_code, answer.json()


def test_piston_runs(server: Server) -> None:
    status, answer = piston(server, args=["a"])
    assert (status, answer["language"]) == (200, "python3")
    run = answer["run"]
    assert isinstance(run, dict)
    assert (run["code"], run["signal"], run["stdout"], run["status"]) == (0, None, "x\n", None)
    assert "compile" not in answer


@pytest.mark.parametrize(
    ("more", "code", "signal", "status"),
    [
        ({"files": [{"content": "raise SystemExit(4)"}]}, 4, None, "RE"),
        ({"files": [{"content": "while 1: pass"}], "run_cpu_time": 300}, None, "SIGKILL", "TO"),
        ({"files": [{"content": "import os; os.abort()"}]}, None, "SIGABRT", "SG"),
        ({"files": [{"content": "x = 'y' * 10**9"}], "run_memory_limit": 100 << 20}, None, "SIGKILL", "SG"),
    ],
)
def test_how_piston_s_runs_end(
    server: Server, more: dict[str, object], code: int | None, signal: str | None, status: str
) -> None:
    _, answer = piston(server, **more)
    run = answer["run"]
    assert isinstance(run, dict)
    assert (run["code"], run["signal"], run["status"]) == (code, signal, status)


def test_of_piston_s_failed_compile_the_run_is_a_copy(server: Server) -> None:
    status, answer = piston(server, language="c++", version="*", files=[{"content": "int main() {"}])
    assert status == 200
    assert answer["run"] == answer["compile"]
    assert isinstance(answer["run"], dict)
    assert answer["run"]["code"] == 1


def test_piston_s_other_files(server: Server) -> None:
    files = [{"content": "print(open('b.txt').read())"}, {"name": "b.txt", "content": "aGk=", "encoding": "base64"}]
    _, answer = piston(server, files=files)
    assert isinstance(answer["run"], dict)
    assert answer["run"]["stdout"] == "hi\n"


def test_files_in_directories(server: Server) -> None:
    files = [
        {"content": "print(open('data/deep/in.txt').read())"},
        {"name": "data/deep/in.txt", "content": "given"},
    ]
    status, answer = piston(server, files=files)
    assert (status, answer["run"]["stdout"]) == (200, "given\n"), answer  # type: ignore[index]


MODULES = {
    "python": ("from lib.more import f\nprint(f())", {"lib/more.py": "def f(): return 5"}),
    "c++": ('#include <cstdio>\n#include "in/a.h"\nint main() { printf("%d\\n", A); }', {"in/a.h": "#define A 5"}),
}


@pytest.mark.parametrize("language", MODULES)
def test_modules_and_headers_are_found(server: Server, language: str) -> None:
    source, others = MODULES[language]
    files = [{"content": source}, *({"name": name, "content": text} for name, text in others.items())]
    _, answer = piston(server, language=language, version="*", files=files)
    assert answer["run"]["stdout"] == "5\n", answer  # type: ignore[index]
    packed = {name: base64.b64encode(text.encode()).decode() for name, text in others.items()}
    body = {"code": source, "language": language.replace("c++", "cpp"), "files": packed}
    answer = server.client.post("/compat/sandbox-fusion/run_code", json=body).json()
    assert answer["run_result"]["stdout"] == "5\n", answer


def test_units_of_piston_s_programs_are_compiled_along(server: Server) -> None:
    unit = {"name": "f.cpp", "content": "int f() { return 5; }"}
    files = [{"content": '#include <cstdio>\nint f();\nint main() { printf("%d\\n", f()); }'}, unit]
    _, answer = piston(server, language="c++", version="*", files=files)
    assert answer["run"]["stdout"] == "5\n", answer  # type: ignore[index]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"language": None}, "language is required as a string"),
        ({"version": 3}, "version is required as a string"),
        ({"version": "2.7"}, "python-2.7 runtime is unknown"),
        ({"language": "klingon"}, "klingon-3 runtime is unknown"),
        ({"files": "x"}, "files is required as an array"),
        ({"files": [{}]}, "files[0].content is required as a string"),
        ({"files": [{"content": "x"}, {"name": "../y", "content": ""}]}, "not a relative path"),
        ({"run_timeout": 10**9}, "run_timeout cannot exceed the configured limit"),
        ({"run_memory_limit": "much"}, "run_memory_limit must be of type number"),
        ({"stdin": 3}, "stdin must be of type string"),
    ],
)
def test_bad_requests_to_piston(server: Server, more: dict[str, object], said: str) -> None:
    status, answer = piston(server, **more)
    assert status == 400
    assert said in str(answer["message"])


def test_piston_takes_json_only(server: Server) -> None:
    answer = server.client.post("/api/v2/execute", content=b"{}", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["message"]) == (415, "requests must be of type application/json")


def test_piston_s_runtimes(server: Server) -> None:
    found = server.client.get("/api/v2/runtimes").json()
    assert any("c++" in one["aliases"] and one["version"] for one in found)
    assert server.client.get("/compat/piston/api/v2/packages").json()[0]["installed"] is True


SUM = "print(sum(map(int, input().split())))"


def test_code_judge_judges_and_runs(server: Server) -> None:
    asked = {"type": "python", "solution": SUM, "input": "1 2\n", "expected_output": "3"}
    right = server.client.post("/judge", json={**asked, "sub_id": "a"}).json()
    assert (right["sub_id"], right["success"], right["run_success"], right["reason"]) == ("a", True, True, "")
    wrong = server.client.post("/judge", json={**asked, "expected_output": "33"}).json()
    assert (wrong["success"], wrong["run_success"]) == (False, True)
    ran = server.client.post("/run", json={"type": "cpp", "solution": ADD, "input": "3 4"}).json()
    assert (ran["success"], ran["stdout"], ran["stderr"]) == (True, "7", "")
    failed = server.client.post("/run", json={"type": "python", "solution": "1 / 0"}).json()
    assert (failed["success"], failed["run_success"]) == (False, False)
    assert "ZeroDivisionError" in failed["stderr"]


def test_code_judge_tells_a_time_out() -> None:
    late = Execution(language="python3", verdict=Verdict.TLE, stdout=b"x\n", wall_ns=10**10)
    asked = code_judge.CodeJudgeSubmission(type="python", solution="while 1: pass")

    async def execute(*_: object, **__: object) -> Execution:
        return late

    service = SimpleNamespace(execute=execute)
    found = asyncio.run(code_judge.run_one(asked, service))  # type: ignore[arg-type]  # as much of it as is asked
    assert (found["success"], found["run_success"], found["reason"]) == (False, False, "worker_timeout")
    assert found["stdout"] == "x\nSuicide from timeout.\n"


def test_a_prefix_of_the_answer_is_wrong(server: Server) -> None:
    asked = {"type": "python", "solution": "print(1)", "expected_output": "1 2 3"}
    assert server.client.post("/judge", json=asked).json()["success"] is False


@pytest.mark.parametrize("path", ["/judge/batch", "/judge/long-batch", "/compat/code-judge/judge/batch"])
def test_code_judge_s_batches(server: Server, path: str) -> None:
    rows = [
        {"sub_id": str(n), "type": "python", "solution": SUM, "input": f"{n} 2", "expected_output": "4"}
        for n in range(4)
    ]
    rows.append({"sub_id": "math", "type": "math", "solution": "x"})
    found = server.client.post(path, json={"sub_id": "all", "type": "batch", "submissions": rows}).json()
    assert found["sub_id"] == "all"
    assert [(one["sub_id"], one["success"], one["reason"]) for one in found["results"]] == [
        ("0", False, ""),
        ("1", False, ""),
        ("2", True, ""),
        ("3", False, ""),
        ("math", False, "invalid_input"),
    ]


def test_a_batch_of_code_judge_s_may_be_longer_than_the_queue(serve: Serve, tmp_path: Path) -> None:
    """It is taken, or refused before any of it has run."""
    (tmp_path / "serve.toml").write_text("most_waiting = 1\n")
    server = serve("--config", str(tmp_path / "serve.toml"), "--slots", "1", "--compat", "code-judge")
    rows = [{"type": "python", "solution": "import time; time.sleep(0.2); print(1)"} for _ in range(5)]
    body = {"type": "batch", "submissions": rows}
    answers: list[httpx.Response] = []
    asking = threading.Thread(target=lambda: answers.append(server.client.post("/run/long-batch", json=body)))
    asking.start()
    while server.client.get("/status").json()["queue"] == 0 and asking.is_alive():
        pass
    refused = {server.client.post("/judge/long-batch", json=body).status_code for _ in range(2)}
    asking.join()
    assert [one["stdout"] for one in answers[0].json()["results"]] == ["1\n"] * 5
    assert refused <= {429, 200}
    found = server.client.get("/metrics").text
    ran = re.search(r'judge_ended_total\{kind="execution",verdict="none"\} (\d+)', found)
    assert ran is not None
    assert int(ran[1]) in (5, 10, 15), "what is refused has not run"


def test_a_batch_of_code_judge_s_ends_when_its_client_leaves(serve: Serve) -> None:
    server = serve("--slots", "1", "--compat", "code-judge")
    rows = [{"type": "python", "solution": "import time; time.sleep(0.5)"} for _ in range(100)]
    with pytest.raises(httpx.ReadTimeout):
        server.client.post("/run/long-batch", json={"type": "batch", "submissions": rows}, timeout=1)
    while server.client.get("/status").json()["queue"]:
        time.sleep(0.1)
    ran = re.search(r'judge_ended_total\{kind="execution",verdict="none"\} (\d+)', server.client.get("/metrics").text)
    assert ran is None or int(ran[1]) < 50


def test_a_batch_of_code_judge_s_is_refused_as_a_whole(serve: Serve, tmp_path: Path) -> None:
    """None of its programs begins while another thread looks up what the key has used."""
    key, lines = new_key("me")
    lines = lines.replace('"submit"', '"submit", "read"')
    (tmp_path / "keys.toml").write_text(lines + "cpu_seconds_per_hour = 0.01\n")
    server = serve("--keys", str(tmp_path / "keys.toml"), "--slots", "2", "--compat", "code-judge")
    head = {"Authorization": f"Bearer {key}"}
    row = {"type": "cpp", "solution": "int main() { for (volatile int i = 0; i < 200000000; i++); }"}
    assert server.client.post("/run", json=row, headers=head).status_code == 200
    body = {"type": "batch", "submissions": [row] * 20}
    assert {server.client.post("/run/batch", json=body, headers=head).status_code for _ in range(5)} == {429}
    found = server.client.get("/metrics", headers=head).text
    ran = re.search(r'judge_ended_total\{kind="execution",verdict="none"\} (\d+)', found)
    assert ran is not None
    assert int(ran[1]) == 1


def test_code_judge_s_status(server: Server) -> None:
    assert server.client.get("/ping").json() == "pong"
    assert server.client.get("/status").json()["num_workers"] >= 1
    assert server.client.post("/judge/batch", json={"type": "batch", "submissions": []}).status_code == 422


@pytest.mark.parametrize("page", ["compat.md", "compat.zh-CN.md"])
def test_each_row_of_the_page_names_its_test(page: str) -> None:
    here = Path(__file__)
    text = (here.parents[3] / "docs" / page).read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(rows) > 25
    written = "".join(path.read_text() for path in here.parent.glob("test_*.py"))
    assert not [name for row in rows for name in re.findall(r"`(test_\w+)`", row) if f"def {name}(" not in written]
