"""/v1, over HTTP, as a client meets it."""

from __future__ import annotations

import base64
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest

from judge.server.guarding.door import is_own
from problems.files import parcel
from problems.lookup import find
from tests.judge.server.conftest import Serve, Server

ADD = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
WRONG = ADD.replace("a + b", "a - b")
SLEEPER = "import time\ntime.sleep(0.05)\nprint(sum(map(int, input().split())))\n"


def judged(server: Server, source: str, **more: object) -> dict[str, object]:
    answer = server.client.post("/v1/judgements?wait=60", json={"source": source, "problem": "P1001", **more})
    assert answer.status_code == 200, answer.text
    judgement: dict[str, object] = answer.json()["judgement"]
    return judgement


def test_a_judgement(server: Server) -> None:
    right, wrong = judged(server, ADD, id="mine"), judged(server, WRONG, options={"stop": "first_failure"})
    assert (right["verdict"], right["score"], right["id"]) == ("AC", 1, "mine")
    assert (wrong["verdict"], wrong["complete"]) == ("WA", False)


def test_accepted_first_and_asked_for_later(server: Server) -> None:
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001", "options": {"stop": "first_failure"}}
    answer = server.client.post("/v1/judgements", json=sent)
    assert (answer.status_code, answer.json()["state"]) == (202, "accepted")
    where = answer.headers["location"]
    assert server.client.get(where).status_code == 202
    done = server.client.get(where, params={"wait": 60})
    assert (done.status_code, done.json()["state"]) == (200, "done")
    assert server.client.get(where).json() == done.json()


def test_many(server: Server) -> None:
    rows = [{"source": text, "problem": "P1001", "id": str(n)} for n, text in enumerate((ADD, WRONG, "int main() {"))]
    ids = server.client.post("/v1/judgements/many", json=rows).json()["ids"]
    found = [server.client.get(f"/v1/judgements/{one}", params={"wait": 60}).json()["judgement"] for one in ids]
    assert [(one["id"], one["verdict"]) for one in found] == [("0", "AC"), ("1", "WA"), ("2", "CE")]


def test_an_execution(server: Server) -> None:
    body = {
        "source": "import sys\nopen('out', 'wb').write(sys.stdin.buffer.read() + open('given', 'rb').read())",
        "language": "python",
        "stdin_base64": base64.b64encode(b"\0\xff").decode(),
        "files": {"given": base64.b64encode(b"g").decode()},
        "collect": ["out"],
    }
    done = server.client.post("/v1/executions?wait=60", json=body).json()["execution"]
    assert (done["verdict"], done["exit_code"]) == (None, 0)
    assert base64.b64decode(done["files"]["out"]) == b"\0\xffg"


def test_events(server: Server) -> None:
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001", "options": {"stop": "first_failure"}}
    where = server.client.post("/v1/judgements", json=sent).headers["location"]
    with server.client.stream("GET", f"{where}/events") as stream:
        lines = [line for line in stream.iter_lines() if line]
    assert [line for line in lines if line.startswith("event")] == ["event: accepted", "event: result"]
    assert json.loads(lines[-1].removeprefix("data: "))["verdict"]


def test_a_call_that_there_is_not(server: Server) -> None:
    for method, path, status in (("GET", "/v1/batches//results", 404), ("PATCH", "/v1/judgements", 405)):
        answer = server.client.request(method, path)
        assert (answer.status_code, answer.json()) == (
            status,
            {"error": f"no such call: {method} {path}; /docs lists them"},
        )


def test_events_of_each_test(server: Server) -> None:
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001"}
    where = server.client.post("/v1/judgements", json=sent).headers["location"]
    with server.client.stream("GET", f"{where}/events", params={"tests": True}) as stream:
        lines = [line for line in stream.iter_lines() if line.startswith(("event", "data"))]
    events = [(name[7:], json.loads(data[6:])) for name, data in zip(lines[::2], lines[1::2], strict=True)]
    result = events[-1][1]
    told = [data for name, data in events if name == "test"]
    assert told
    assert told == result["tests"][: len(told)]
    assert (events[0][0], events[-1][0]) == ("accepted", "result")


def test_an_idempotency_key_is_accepted_once(server: Server) -> None:
    sent, once = {"source": ADD, "problem": "P1001"}, {"Idempotency-Key": f"key{time.time_ns()}"}
    first, second = (server.client.post("/v1/judgements?wait=60", json=sent, headers=once).json() for _ in range(2))
    assert first == second


def test_an_idempotency_key_holds_for_many(server: Server) -> None:
    rows, once = [{"source": ADD, "problem": "P1001"}] * 3, {"Idempotency-Key": f"many{time.time_ns()}"}
    first, second = (server.client.post("/v1/judgements/many", json=rows, headers=once).json() for _ in range(2))
    assert first == second
    assert len(set(first["ids"])) == 3
    again = server.client.post("/v1/judgements/many", json=rows).json()
    assert not {*again["ids"]} & {*first["ids"]}


def test_an_idempotency_key_is_of_one_request(server: Server) -> None:
    one, other = ({"source": text, "problem": "P1001", "language": "cpp17"} for text in (ADD, WRONG))
    batch = json.dumps(one)
    calls: dict[str, list[dict[str, Any]]] = {
        "/v1/judgements?wait=1": [{"json": one}, {"json": other}],
        "/v1/judgements/many": [{"json": [one]}, {"json": [one, one]}],
        "/v1/executions?wait=1": [{"json": {"source": ADD}}, {"json": {"source": WRONG}}],
        "/v1/batches?stop=first_failure": [{"content": batch}, {"content": batch + "\n"}],
    }
    for path, (first, second) in calls.items():
        headers = {"Idempotency-Key": f"key{time.time_ns()}"}
        assert server.client.post(path, headers=headers, **first).is_success
        assert server.client.post(path, headers=headers, **first).is_success
        elsewhere = next(each for each in calls if each != path)
        for at, how in ((path, second), (elsewhere, calls[elsewhere][0])):
            answer = server.client.post(at, headers=headers, **how)
            assert (answer.status_code, answer.json()["where"]) == (422, ["header", "idempotency-key"]), (at, path)
            assert "a new request needs a new key" in answer.json()["error"]


def test_what_was_accepted_is_told_though_the_queue_is_full(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_WAITING", "1")
    server = serve("--slots", "1")
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001"}
    first, again = (server.client.post("/v1/judgements", json=sent, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (202, 202, first.json())


def test_what_waits_can_be_cancelled(serve: Serve) -> None:
    server = serve("--slots", "1")
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001"}
    first, second = (server.client.post("/v1/judgements", json=sent).headers["location"] for _ in range(2))
    assert server.client.delete(second).json() == {"cancelled": True}
    done = server.client.get(second, params={"wait": 60}).json()["judgement"]
    assert (done["verdict"], done["error"]) == ("IE", "cancelled by its client")
    assert server.client.get(first, params={"wait": 60}).json()["judgement"]["verdict"] != "IE"


def test_problems_languages_limits_health(server: Server) -> None:
    assert "P1001" in server.client.get("/v1/problems").json()["problems"]
    shown = server.client.get("/v1/problems/P1001").json()
    assert (shown["title"], shown["titles"]["en"]) == ("A+B Problem", "A+B Problem")
    assert shown["samples"][0].keys() == {"input", "answer"}
    assert shown["tests"] > len(shown["samples"])
    assert shown["statements"]["en"]["format"] == "md"
    assert "sum" in shown["statements"]["en"]["text"]
    assert "{{" not in shown["statements"]["zh"]["text"]
    assert shown["package"] == parcel.digest(find("P1001"))
    (talk,) = server.client.get("/v1/problems/guess").json()["samples"]
    assert talk == {"interaction": "<7\n>? 4\n<>\n>? 6\n<<\n>? 5\n<=\n>! 5\n"}
    named = {one["name"]: one for one in server.client.get("/v1/languages").json()["languages"]}
    assert named["python3"]["version"].startswith("3.")
    assert server.client.get("/v1/limits").json()["slots"] >= 1
    assert server.client.get("/healthz").json() == {"status": "ok"}
    assert server.client.get("/readyz").json()["status"] == "ready"
    assert server.client.get("/openapi.json").json()["info"]["title"] == "judge"
    assert server.client.get("/docs").status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "JSON"),
        (b"[" * 100_000, 400, ""),
        (b'"text"', 422, "valid dictionary"),
        (b"{}", 422, "Field required"),
        (json.dumps({"source": ADD, "problem": "P1001", "sourc": 1}).encode(), 422, "did you mean 'source'?"),
        (json.dumps({"source": ADD, "problem": "P1001", "options": {"xyzzy": 1}}).encode(), 422, "known are stop, "),
        (json.dumps({"source": 1, "problem": "P1001"}).encode(), 422, "valid string"),
        (json.dumps({"source": ADD, "problem": "P10001"}).encode(), 422, "unknown problem 'P10001'; did you mean"),
        (json.dumps({"source": ADD, "problem": "/etc"}).encode(), 422, "unknown problem '/etc'; /problems and"),
        (json.dumps({"source": ADD, "problem": "../library/P1001"}).encode(), 422, "unknown problem"),
        (json.dumps({"source": ADD, "problem": "P1001", "language": "c++71"}).encode(), 422, "unknown language"),
        (json.dumps({"source": ADD, "problem": "P1001", "options": {"cpu_ns": -1}}).encode(), 422, "greater than 0"),
        (json.dumps({"source": ADD, "problem": "P1001", "options": {"cpu_ns": 1 << 80}}).encode(), 422, "less than"),
        (json.dumps({"source": "\ud800", "problem": "P1001", "language": "klingon"}).encode(), 422, "klingon"),
    ],
)
def test_bad_judgements(server: Server, body: bytes, status: int, said: str) -> None:
    answer = server.client.post("/v1/judgements", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert said in answer.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"stdin_base64": "!"}, "not base64"),
        ({"source_base64": "!"}, "not base64"),
        ({"files": {"../x": ""}}, "not a relative path"),
        ({"files": {"x": "?"}}, "x: not base64"),
        ({"collect": ["a//b"]}, "not a relative path"),
        ({"arguments": ["a\0b"]}, "has a zero byte"),
        ({"memory_bytes": 1 << 50}, "less than or equal"),
    ],
)
def test_bad_executions(server: Server, body: dict[str, object], said: str) -> None:
    answer = server.client.post("/v1/executions", json={"source": "", **body})
    assert answer.status_code == 422
    assert said in answer.json()["error"]


@pytest.mark.parametrize("header", [{}, {"content-type": "application/x-www-form-urlencoded"}])
def test_json_that_is_not_called_json(server: Server, header: dict[str, str]) -> None:
    body = json.dumps({"source": ADD, "problem": "P1001"}).encode()
    answer = server.client.post("/v1/judgements", content=body, headers=header)
    assert answer.status_code == 415
    assert "content-type: application/json" in answer.json()["error"]


@pytest.mark.parametrize("name", ["a%00b", "..", "%2e%2e%2fx", "x.zip", "nowhere"])
def test_what_names_no_problem(server: Server, name: str) -> None:
    assert server.client.get(f"/v1/problems/{name}").status_code == 404
    sent = {"source": "", "problem": unquote(name)}
    assert server.client.post("/v1/judgements", json=sent).status_code == 422


def test_a_lone_surrogate_is_judged(server: Server) -> None:
    body = json.dumps({"source": "print('\ud800')", "language": "python3"}).encode()
    answer = server.client.post("/v1/executions?wait=60", content=body, headers={"content-type": "application/json"})
    assert answer.json()["execution"]["stdout"] == "\ufffd\n"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("piston/api/v2/execute", {"language": "\ud800", "version": "*", "files": [{"content": ""}]}),
        ("piston/api/v2/execute", {"language": "python", "version": "\ud800", "files": [{"content": ""}]}),
        ("sandbox-fusion/submit", {"dataset": "x", "id": 1, "completion": "", "config": {"dataset_type": "\ud800"}}),
    ],
)
def test_a_lone_surrogate_that_a_message_would_say_again(server: Server, path: str, body: dict[str, object]) -> None:
    sent = {"content": json.dumps(body), "headers": {"content-type": "application/json"}}
    answer = server.client.post(f"/compat/{path}", **sent)
    assert (answer.status_code, "half a character" in answer.text) == (422, True)
    assert "Traceback" not in server.said


def test_large_and_slow_requests_end(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_BODY", "2000")
    monkeypatch.setenv("JUDGE_SERVE_BODY_SECONDS", "0.5")
    server = serve()
    large = server.client.post("/v1/executions", json={"source": "x" * 3000})
    assert (large.status_code, large.json()["error"]) == (413, "a request may have 2000 bytes")

    def slow() -> object:
        yield b'{"source": '
        time.sleep(1.5)
        yield b'""}'

    with suppress(httpx.TransportError):  # it may hang up first
        assert server.client.post("/v1/executions", content=slow()).status_code == 408  # type: ignore[arg-type]
    assert server.client.get("/healthz").status_code == 200


def test_more_than_may_wait_is_told_when_to_come_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_WAITING", "2")
    server = serve("--slots", "1")
    sent = {"source": SLEEPER, "language": "python3", "problem": "P1001", "options": {"stop": "first_failure"}}
    answers = [server.client.post("/v1/judgements", json=sent) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert int(answers[2].headers["retry-after"]) >= 1
    for answer in answers[:2]:
        assert server.client.get(answer.headers["location"], params={"wait": 60}).status_code == 200


def test_what_never_fits_is_not_told_to_come_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_WAITING", "2")
    server = serve()
    answer = server.client.post("/v1/judgements/many", json=[{"source": ADD, "problem": "P1001"}] * 3)
    assert (answer.status_code, answer.headers.get("retry-after")) == (413, None)
    assert "lets 2 wait: send no more than that at once, not 3" in answer.json()["error"]
    fits = server.client.post("/v1/judgements/many", json=[{"source": ADD, "problem": "P1001"}] * 2)
    assert fits.status_code == 202


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("POST", "/v1/judgements?wiat=1", "unknown field 'wiat'; did you mean 'wait'?"),
        ("POST", "/v1/batches?stpo=first_failure", "unknown field 'stpo'; did you mean 'stop'?"),
        ("POST", "/v1/judgements/many?x=", "unknown field 'x'; known are none"),
        ("GET", "/v1/batches/none/results?xyzzy=1&follow=1", "unknown field 'xyzzy'; known are after, follow"),
        ("PUT", f"/v1/packages/{'0' * 64}?nmae=x", "unknown field 'nmae'; did you mean 'name'?"),
        ("GET", "/v1/limits?a=1&b=2", "unknown field 'a'; known are none"),
    ],
)
def test_an_unknown_parameter_is_named(server: Server, method: str, path: str, said: str) -> None:
    body = [] if path.startswith("/v1/judgements/many") else {"source": ADD, "problem": "P1001"}
    answer = server.client.request(method, path, json=body if method == "POST" else None)
    assert (answer.status_code, answer.json()["error"]) == (422, said)
    assert answer.json()["where"] == ["query", path.partition("?")[2].partition("=")[0]]


def test_keys(serve: Serve, tmp_path: Path) -> None:
    from judge.server.guarding.keys import new_key

    (submit, lines), (admin, more), (other, last) = new_key("trainer"), new_key("boss"), new_key("other")
    more = more.replace('["submit"]', '["admin"]')
    (tmp_path / "keys.toml").write_text(lines + more + last)
    server = serve("--keys", str(tmp_path / "keys.toml"))
    body = {"source": WRONG, "problem": "P1001"}

    def ask(key: str | None, method: str, path: str) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return server.client.request(method, path, json=body if method == "POST" else None, headers=headers)

    for nobody in (None, "wrong", f"{submit}x", "-"):
        assert ask(nobody, "POST", "/v1/judgements").status_code == 401
    answer = ask(submit, "POST", "/v1/judgements?wait=60")
    where, shown = answer.headers["location"], answer.json()["judgement"]
    hidden = [test for test in shown["tests"] if not test["name"].startswith("sample/")]
    assert hidden
    assert all(not test["stdout"] and not test["detail"] for test in hidden)
    assert ask(other, "GET", where).status_code == 404
    full = ask(admin, "GET", where).json()["judgement"]
    assert any(test["stdout"] for test in full["tests"] if not test["name"].startswith("sample/"))
    assert ask(None, "GET", "/healthz").status_code == 200
    assert submit not in (tmp_path / "keys.toml").read_text()
    assert submit not in server.said


def test_what_was_accepted_survives_kill_9(serve: Serve, tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "2")
    server = serve(*database)
    owed: list[str] = []
    for turn in range(4):
        for number in range(6):
            source = ADD.replace("a + b", f"a + b + 0 * {turn * 10 + number}") if number % 2 else SLEEPER
            language = "cpp17" if number % 2 else "python3"
            sent = {"source": source, "language": language, "problem": "P1001", "options": {"stop": "first_failure"}}
            owed.append(server.client.post("/v1/judgements", json=sent).headers["location"])
        time.sleep(0.2 * turn)
        server.kill()
        server = serve(*database)
    results = [server.client.get(where, params={"wait": 60}) for where in owed]
    assert {answer.status_code for answer in results} == {200}
    assert {answer.json()["judgement"]["verdict"] for answer in results} <= {"AC", "TLE"}
    assert [server.client.get(where).json() for where in owed] == [answer.json() for answer in results]


def test_it_ends_when_asked_and_keeps_what_it_owes(serve: Serve, tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "1")
    server = serve(*database)
    sent = [
        {"source": f"{SLEEPER}\n#{n}", "language": "python3", "problem": "P1001"} for n in range(3)
    ]  # equal are one job
    owed = [server.client.post("/v1/judgements", json=body).headers["location"] for body in sent]
    assert server.stop() in (0, 143)
    server = serve(*database)
    assert {server.client.get(where, params={"wait": 60}).status_code for where in owed} == {200}


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "evil-localhost"),
        *("evil.example.", "localhost..", "10.0.0.1", "0.0.0.0", "[::2]:80", "[::ffff:10.0.0.1]", "[", "."),
    ],
)
def test_a_foreign_name_for_this_machine_is_refused(server: Server, host: str) -> None:
    """DNS rebinding: the page of a foreign site has its name point here."""
    assert not is_own(host)
    assert server.client.get("/v1/problems", headers={"Host": host}).status_code in (400, 403)
    assert server.client.get("/v1/problems", headers={"Origin": f"http://{host}"}).status_code == 403
    assert server.client.get("/v1/problems").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.8.0.1", "[::1]:8080", "a.localhost", None),
        *("localhost.", "localhost.:8080", "127.0.0.1."),
    ],
)
def test_names_of_this_machine(host: str | None) -> None:
    assert is_own(host)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        *(
            (own, 200)
            for own in ("http://localhost", "HTTP://LOCALHOST:3000", "https://[::1]:80", "http://127.0.0.1.:1")
        ),
        *(
            (foreign, 403)
            for foreign in ("null", "", "localhost", "file://", "http://[::1", "http://localhost, http://x")
        ),
    ],
)
def test_pages_by_their_origins(server: Server, origin: str, status: int) -> None:
    assert server.client.get("/v1/problems", headers={"Origin": origin}).status_code == status


def test_a_foreign_page_has_nothing_judged(server: Server) -> None:
    """A browser lets any page send a request that needs no leave, and names the page's site."""
    row = '{"id": "1", "problem": "P1001", "source": "int main() {}"}\n'
    for origin, status in (("https://evil.example", 403), ("null", 403), (str(server.client.base_url), 201)):
        sent = server.client.post("/v1/batches", content=row, headers={"Origin": origin, "Content-Type": "text/plain"})
        assert sent.status_code == status
