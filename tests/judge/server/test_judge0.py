"""Judge0's own client, unmodified, and what it does not ask."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.judge.server.conftest import Serve, Server, make_keys
from tests.judge.server.test_v1 import ADD

ECHO = "print(input())"


@pytest.fixture
def judge0(server: Server) -> Any:
    import judge0

    return judge0


@pytest.fixture
def client(judge0: Any, server: Server) -> Any:
    server.client.get("/languages")  # it asks each compiler for its version once; this client waits 5 s only
    return judge0.Client(str(server.client.base_url).rstrip("/"))


def test_its_client_runs_programs(judge0: Any, client: Any) -> None:
    result = judge0.run(client=client, source_code=ECHO, language=judge0.PYTHON, stdin="x y", expected_output="x y\n")
    assert (result.status, result.stdout, result.exit_code) == (judge0.Status.ACCEPTED, "x y\n", 0)
    assert result.time > 0
    assert result.memory > 0
    added = judge0.run(client=client, source_code=ADD, language=judge0.CPP, stdin="3 4")
    assert (added.status, added.stdout) == (judge0.Status.ACCEPTED, "7")


def test_its_client_runs_test_cases(judge0: Any, client: Any) -> None:
    cases = [judge0.TestCase("1 2", "3"), judge0.TestCase("2 2", "5"), ("10 -3", "7 \n\n")]
    results = judge0.run(client=client, source_code=ADD, language=judge0.CPP, test_cases=cases)
    assert [one.status.name for one in results] == ["ACCEPTED", "WRONG_ANSWER", "ACCEPTED"]


def test_its_client_sends_files(judge0: Any, client: Any) -> None:
    files = judge0.Filesystem(content=[judge0.File(name="given.txt", content="inside")])
    code = "print(open('given.txt').read())"
    result = judge0.run(client=client, source_code=code, language=judge0.PYTHON, additional_files=files)
    assert result.stdout == "inside\n"


@pytest.mark.parametrize(
    ("number", "code", "more", "status"),
    [
        (54, "int main() {", {}, 6),
        (54, "#include <csignal>\nint main() { raise(SIGSEGV); }", {}, 7),
        (54, "#include <csignal>\nint main() { raise(SIGFPE); }", {}, 9),
        (54, "#include <cstdlib>\nint main() { std::abort(); }", {}, 10),
        (71, "import sys; sys.exit(3)", {}, 11),
        (54, "#include <csignal>\nint main() { raise(SIGILL); }", {}, 12),
        (71, "while 1: pass", {"cpu_time_limit": 0.5}, 5),
        (71, "x = bytearray(1 << 30)", {"memory_limit": 65536}, 12),
        (71, "print('x' * (1 << 22))", {"max_file_size": 64}, 8),
    ],
)
def test_how_programs_end(server: Server, number: int, code: str, more: dict[str, object], status: int) -> None:
    body = {"source_code": code, "language_id": number, **more}
    answer = server.client.post("/submissions?wait=true", json=body)
    assert answer.status_code == 201
    found = answer.json()
    assert found["status"]["id"] == status, found
    assert set(found) == {"token", "time", "memory", "stdout", "stderr", "compile_output", "message", "status"}
    assert (found["compile_output"] is not None) == (status == 6)


def test_fields_and_base64(server: Server) -> None:
    code = base64.b64encode(b"import sys; print(sys.argv[1]); print('e', file=sys.stderr)").decode()
    body = {
        "source_code": code,
        "language_id": 71,
        "command_line_arguments": "'a b' c",
        "redirect_stderr_to_stdout": True,
    }
    token = server.client.post("/submissions?base64_encoded=true", json=body).json()["token"]
    where = f"/submissions/{token}"
    while server.client.get(where).json()["status"]["id"] < 3:
        pass
    found = server.client.get(f"{where}?base64_encoded=true&fields=stdout,source_code").json()
    assert found == {"stdout": base64.b64encode(b"a b\ne\n").decode(), "source_code": code}
    everything = server.client.get(f"{where}?fields=*").json()
    assert everything["command_line_arguments"] == "'a b' c"
    assert everything["time"] == f"{float(everything['time']):.3f}"
    wrong = server.client.get(f"{where}?fields=stdout,colour")
    assert (wrong.status_code, wrong.json()) == (400, {"error": "invalid fields: [colour]"})


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"language_id": 71}, "source_code"),
        ({"source_code": "x"}, "language_id"),
        ({"source_code": "x", "language_id": 4711}, "language_id"),
        ({"source_code": "x", "language_id": 71, "cpu_time_limit": 1e9}, "cpu_time_limit"),
        ({"source_code": "x", "language_id": 71, "memory_limit": 1}, "memory_limit"),
        ({"source_code": "x", "language_id": 71, "enable_network": True}, "enable_network"),
        ({"source_code": "x", "language_id": 71, "callback_url": "http://10.0.0.1/"}, "callback_url"),
        ({"source_code": "x", "language_id": 54, "compiler_options": "-O0"}, "compiler_options"),
        ({"source_code": "x", "language_id": 71, "command_line_arguments": "'"}, "command_line_arguments"),
        ({"source_code": "x", "language_id": 71, "additional_files": "?"}, "additional_files"),
        ({"source_code": "x", "language_id": 71, "additional_files": "AAAA"}, "additional_files"),
    ],
)
def test_bad_submissions(server: Server, body: dict[str, object], field: str) -> None:
    answer = server.client.post("/submissions", json=body)
    assert answer.status_code == 422, answer.text
    assert list(answer.json()) == [field]
    both = {"submissions": [body, {"source_code": "print(1)", "language_id": 71}]}
    one, other = server.client.post("/submissions/batch", json=both).json()
    assert list(one) == [field]
    assert list(other) == ["token"]


def test_files_that_leave_the_directory(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../escape", "x")
    files = base64.b64encode(packed.getvalue()).decode()
    answer = server.client.post("/submissions", json={"source_code": "x", "language_id": 71, "additional_files": files})
    assert answer.status_code == 422
    assert "plain file name" in answer.text


def test_batches_and_what_there_is(server: Server) -> None:
    twenty_one = {"submissions": [{"source_code": "x", "language_id": 71}] * 21}
    assert server.client.post("/submissions/batch", json=twenty_one).status_code == 400
    assert server.client.post("/submissions/batch", json={}).status_code == 400
    assert server.client.get("/submissions/none").status_code == 404
    assert server.client.get("/submissions/batch?tokens=none,").json() == {"submissions": [None]}
    assert len(server.client.get("/statuses").json()) == 14
    listed = server.client.get("/languages").json()
    assert {50, 54, 71} <= {each["id"] for each in listed}
    assert server.client.get("/languages/52").json()["id"] == 52
    assert server.client.get("/languages/4711").status_code == 404
    assert server.client.get("/about").json()["version"] == "1.13.1"
    (worker,) = server.client.get("/workers").json()
    assert worker["available"] >= 1


def test_a_submission_is_its_owner_s(serve: Serve, tmp_path: Path) -> None:
    """And its clients' header holds a key as ours does."""
    keys = [{"X-Auth-Token": key} for key in make_keys(tmp_path / "keys.toml", "one", "other")]
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "judge0")
    body = {"source_code": ECHO, "language_id": 71}
    assert server.client.post("/submissions", json=body).status_code == 401
    token = server.client.post("/submissions", json=body, headers=keys[0]).json()["token"]
    assert server.client.get(f"/submissions/{token}", headers=keys[1]).status_code == 404
    assert server.client.get(f"/submissions/{token}", headers=keys[0]).status_code == 200


def test_what_was_accepted_survives_kill_9(serve: Serve, tmp_path: Path) -> None:
    how = ("--database", str(tmp_path / "kept.sqlite"), "--compat", "judge0")
    server = serve(*how)
    body = {"submissions": [{"source_code": f"print({n})", "language_id": 71} for n in range(10)]}
    tokens = [each["token"] for each in server.client.post("/submissions/batch", json=body).json()]
    server.kill()
    server = serve(*how)
    where = f"/submissions/batch?tokens={','.join(tokens)}&fields=stdout,status_id"
    found = [{"status_id": 1}]
    while any(each["status_id"] < 3 for each in found):
        found = server.client.get(where).json()["submissions"]
    assert [each["stdout"] for each in found] == [f"{n}\n" for n in range(10)]
