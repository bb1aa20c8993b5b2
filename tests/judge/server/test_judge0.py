"""Judge0's own client, unmodified, and what it does not ask."""

from __future__ import annotations

import asyncio
import base64
import io
import socket
import threading
import time
import zipfile
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from judge.server.compat.judge0 import callbacks
from judge.server.compat.judge0.requests import Wrong, read
from problems.files.languages import by_name
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
        ({"source_code": "x", "language_id": 71, "compiler_options": "-O0"}, "compiler_options"),
        ({"source_code": "x", "language_id": 73, "compiler_options": "-O0"}, "compiler_options"),
        ({"source_code": "x", "language_id": 54, "compiler_options": "-O3 -fplugin=x.so"}, "compiler_options"),
        ({"source_code": "x", "language_id": 54, "compiler_options": "-Wall " * 100}, "compiler_options"),
        ({"source_code": "x", "language_id": 71, "number_of_runs": 0}, "number_of_runs"),
        ({"source_code": "x", "language_id": 71, "number_of_runs": 21}, "number_of_runs"),
        ({"source_code": "x", "language_id": 71, "number_of_runs": 7, "wall_time_limit": 100}, "number_of_runs"),
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


@pytest.mark.parametrize("what", ["nameless", "bytes that are not deflated"])
def test_files_that_are_no_sound_zip_are_refused(server: Server, what: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("?", bytes(1000))
    packed = bytearray(buffer.getvalue())
    if what == "nameless":
        packed = packed.replace(b"?", b"\0")
    else:
        packed[31] = 0xFF  # behind the head of 30 bytes and the name
    body = {"source_code": "x", "language_id": 71, "additional_files": base64.b64encode(packed).decode()}
    answer = server.client.post("/submissions", json=body)
    assert (answer.status_code, list(answer.json())) == (422, ["additional_files"])


STANDARD = """#include <iostream>
int main() { std::cout << __cplusplus << ' ' << N << ' ' << __OPTIMIZE__; int unused; }
"""


def test_compiler_options(judge0: Any, client: Any, server: Server) -> None:
    """They stand behind ours, and the compiler's warnings are told."""
    how = {"client": client, "source_code": STANDARD, "language": judge0.CPP}
    for number, dialect, said in ((1, "-std=c++11", "201103 1 1"), (2, "--std=gnu++20", "202002 2 1")):
        options = f"-O1 {dialect} -Wall -Wextra -DN={number} -lm -lpthread -pthread"
        result = judge0.run(**how, compiler_options=options)
        assert (result.status, result.stdout) == (judge0.Status.ACCEPTED, said)
        assert "unused variable" in result.compile_output
    assert "was not declared" in judge0.run(**how).compile_output, "no other program is compiled with them"
    body = {"source_code": "int main(void) { return N; }", "language_id": 50, "compiler_options": "-std=c99 -DN=0"}
    found = server.client.post("/submissions?wait=true&fields=*", json=body).json()
    assert (found["status"]["id"], found["compiler_options"]) == (3, "-std=c99 -DN=0")
    body["compiler_options"] = "-DN=1 -Dmain=other"
    assert server.client.post("/submissions?wait=true", json=body).json()["status"]["id"] == 6
    config = server.client.get("/config_info").json()
    assert (config["enable_compiler_options"], config["max_number_of_runs"]) == (True, 20)


@pytest.mark.parametrize(
    "option",
    [
        "-B.", "-wrapper", "-fplugin=./x.so", "@options", "-o", "-o../x", "-I/", "-include", "-imacros", "-xassembler",
        "-Wl,--wrap=main", "-Wa,-a", "-Wp,-MD,x", "-Wl", "-specs=x", "-save-temps", "-E", "-S", "-c", "-MD",
        "-dumpbase", "-lc", "-l:x.a", "-L.", "x.c", "/etc/passwd", "-", "--", "-D", "-DN=`id`", "-DN=$(id)", "-DF(x)=x",
        '-DN="x"', "-DN=/etc", "-std=c11", "-std=", "-O9", "-O1;id", "-fuse-ld=x", "-Xlinker", "-march=native",
        "-Werror=x", "-T",
    ],
)  # fmt: skip
def test_options_that_no_compiler_gets(option: str) -> None:
    """With the option's name."""
    body = {"source_code": "", "language_id": 54, "compiler_options": f"-O2 {option} -Wall"}
    with pytest.raises(Wrong) as wrong:
        read(body, False, ())
    assert list(wrong.value.fields) == ["compiler_options"]
    assert repr(option) in wrong.value.fields["compiler_options"][0]


def test_runs_are_averaged(server: Server, judge0: Any, client: Any) -> None:
    code = "import time\nuntil = time.process_time() + {}\nwhile time.process_time() < until: pass\nprint(1)"
    assert (
        judge0.run(client=client, source_code=code.format(0), language=judge0.PYTHON, number_of_runs=3).stdout == "1\n"
    )
    body = {"source_code": code.format(0.2), "language_id": 71, "number_of_runs": 4, "expected_output": "1"}
    began = time.monotonic()
    found = server.client.post("/submissions?wait=true&fields=*", json=body).json()
    assert time.monotonic() - began > 0.8
    assert (found["status"]["id"], found["number_of_runs"]) == (3, 4)
    assert 0.2 <= float(found["time"]) < 0.6
    began = time.monotonic()
    failing = {**body, "source_code": code.format(0.5) + "\nraise SystemExit(3)", "number_of_runs": 20}
    assert server.client.post("/submissions?wait=true", json=failing).json()["status"]["id"] == 11
    assert time.monotonic() - began < 8, "the first run that fails is the last one"


def test_bodies_of_forms(server: Server) -> None:
    form = {
        "source_code": "print(input() + '&=é')", "language_id": "71", "stdin": "a b+c%", "expected_output": "a b+c%&=é",
        "cpu_time_limit": "2.5", "number_of_runs": "2", "redirect_stderr_to_stdout": "true", "memory_limit": "",
    }  # fmt: skip
    found = server.client.post("/submissions?wait=true&fields=*", data=form).json()
    assert (found["status"]["id"], found["stdout"], found["redirect_stderr_to_stdout"]) == (3, "a b+c%&=é\n", True)
    assert (found["cpu_time_limit"], found["memory_limit"], found["number_of_runs"]) == (2.5, 128_000, 2)
    encoded = {"source_code": base64.b64encode(b"print(1)").decode(), "language_id": "71"}
    more = {"base64_encoded": "true", "wait": "true"}
    assert server.client.post("/submissions", data={**encoded, **more}).json()["stdout"] == "MQo="
    several = {"language_id": "89", "additional_files": multi_file(run="echo 1")["additional_files"]}
    assert server.client.post("/submissions?wait=true", data=several).json()["stdout"] == "1\n"
    for wrong, field in (({"language_id": "71"}, "source_code"), ({**form, "language_id": "x"}, "language_id")):
        answer = server.client.post("/submissions", data=wrong)
        assert (answer.status_code, list(answer.json())) == (422, [field])
    for how in (
        {"content": b"a&" * 200},
        {"content": b"{}", "kind": "text/plain"},
        {"content": b"[", "kind": "application/json"},
    ):
        kind = how.get("kind", "application/x-www-form-urlencoded")
        answer = server.client.post("/submissions", content=how["content"], headers={"Content-Type": kind})
        assert answer.status_code == 422, how


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (91, "java"), (92, "python3"), (93, "javascript"), (94, "typescript"), (95, "go"), (97, "javascript"),
        (98, "php"), (99, "r"), (100, "python3"), (101, "typescript"), (102, "javascript"), (103, "c17"),
        (104, "c17"), (105, "cpp17"), (106, "go"), (107, "go"), (108, "rust"), (109, "python3"), (110, "c17"),
        (111, "kotlin"), (112, "scala"), (113, "python3"),
    ],
)  # fmt: skip
def test_numbers_of_current_images(number: int, name: str) -> None:
    """90 (Dart) and 96 (JavaFX) are not here."""
    assert by_name("judge0")[number].name == name


def test_files_that_leave_the_directory(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../escape", "x")
    files = base64.b64encode(packed.getvalue()).decode()
    answer = server.client.post("/submissions", json={"source_code": "x", "language_id": 71, "additional_files": files})
    assert answer.status_code == 422
    assert "not a relative path" in answer.text


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


def multi_file(**scripts: str) -> dict[str, object]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in scripts.items():
            archive.writestr(name.replace("__", "/"), text)
    return {"language_id": 89, "additional_files": base64.b64encode(packed.getvalue()).decode(), "stdin": "3 4"}


def test_programs_of_several_files(server: Server) -> None:
    source = (
        '#include "lib/add.hpp"\n#include <iostream>\n'
        "int main() { int a, b; std::cin >> a >> b; std::cout << add(a, b); }"
    )
    scripts = {"compile": "g++ -I. src/main.cpp -o main && echo 3 4 | ./main", "run": "./main", "src__main.cpp": source}
    more = {"lib__add.hpp": "inline int add(int a, int b) { return a + b; }"}
    body = {**multi_file(**scripts, **more), "expected_output": "7"}
    found = server.client.post("/submissions?wait=true&fields=*", json=body).json()
    assert (found["status"]["id"], found["stdout"], found["source_code"]) == (3, "7", None), found
    assert found["language"] == {"id": 89, "name": "Multi-file program"}
    broken = server.client.post("/submissions?wait=true", json=multi_file(**scripts)).json()
    assert (broken["status"]["id"], "lib/add.hpp" in broken["compile_output"]) == (6, True)
    python = multi_file(run="python3 a/b.py x", **{"a__b.py": "import sys; print(sys.argv[1], input())"})
    assert server.client.post("/submissions?wait=true", json=python).json()["stdout"] == "x 3 4\n"
    for wrong in (multi_file(compile="true"), multi_file(run="", **{"..__x": ""}), multi_file(run="", **{"__x": ""})):
        answer = server.client.post("/submissions", json=wrong)
        assert (answer.status_code, list(answer.json())) == (422, ["additional_files"])


def test_another_client_of_its(server: Server) -> None:
    from judge0_client.client import Judge0Client
    from judge0_client.models.multi_file_submission import MultiFileSubmission
    from judge0_client.models.single_file_submission import SingleFileSubmission

    async def used() -> None:
        async with Judge0Client(str(server.client.base_url).rstrip("/"), timeout=60) as client:
            one = SingleFileSubmission(language_id=71, source_code=ECHO, stdin="x")
            several = MultiFileSubmission(additional_files={"run": "cat d/f", "d/f": "inside"})
            for asked, said in ((one, "x\n"), (several, "inside")):
                token = (await client.create_submission(asked)).token
                while (detail := await client.get_submission(token)).status.id < 3:
                    await asyncio.sleep(0.05)
                assert detail.stdout == said
            assert (await client.get_workers())[0].available >= 1
            assert (await client.get_about()).version == "1.13.1"
            assert await client.get_isolate()
            assert await client.get_license() == "Apache-2.0"

    asyncio.run(used())


def test_clients_that_ask_about_their_key_first(serve: Serve, tmp_path: Path) -> None:
    """`judge0api` asks with the key in the address, `judge0-api-wrapper` 1.1.3 with it in a header."""
    import judge0api
    import requests
    from judge0api import submission

    (key,) = make_keys(tmp_path / "keys.toml", "one")
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "judge0")
    where = str(server.client.base_url).rstrip("/")
    client = judge0api.Client(where, auth_token=key)
    done = submission.submit(client, ECHO.encode(), 71, stdin=b"x", expected_output=b"x")
    assert (done.status["id"], done.stdout) == (3, b"x\n")
    assert submission.get(client, done.token).exit_code == 0
    with pytest.raises(requests.HTTPError, match="401"):
        judge0api.Client(where, auth_token="another")
    for call in ("/authenticate", "/authorize"):
        answer = server.client.post(call, headers={"X-Auth-Token": key, "X-Auth-User": "somebody"})
        assert (answer.status_code, answer.content) == (200, b"")
        assert server.client.post(call).status_code == 401
    assert server.client.get("/languages", params={"X-Auth-Token": key}).status_code == 401, "an address is logged"


def test_what_it_says_of_itself(server: Server) -> None:
    version = server.client.get("/compat/judge0/version")
    assert (version.text, version.headers["content-type"]) == ("1.13.1", "text/plain; charset=utf-8")
    found = server.client.get("/system_info").json()
    assert int(found["CPU(s)"]) > 0
    assert float(found["Mem"].removesuffix("G")) > 0


def test_a_submission_that_runs_says_so(serve: Serve) -> None:
    server = serve("--slots", "1", "--compat", "judge0")
    slow = [
        {"source_code": f"import time; time.sleep({s})", "language_id": 71} for s in ("2", "2.0")
    ]  # equal are one job
    tokens = [server.client.post("/submissions", json=body).json()["token"] for body in slow]
    where = f"/submissions/batch?tokens={','.join(tokens)}&fields=status_id,created_at,finished_at"
    seen: list[list[int]] = []
    while not seen or min(seen[-1]) < 3:
        found = server.client.get(where).json()["submissions"]
        if (now := [one["status_id"] for one in found]) not in seen:
            seen.append(now)
        time.sleep(0.05)
    assert [2, 1] in seen
    assert [3, 2] in seen
    assert seen == sorted(seen)
    for one in found:
        began, ended = (datetime.fromisoformat(one[name]) for name in ("created_at", "finished_at"))
        assert 2 < (ended - began).total_seconds() < 60


def test_submissions_are_listed_and_deleted(serve: Serve, tmp_path: Path) -> None:
    keys = [{"X-Auth-Token": key} for key in make_keys(tmp_path / "keys.toml", "one", "other")]
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "judge0")
    bodies = [{"source_code": f"print({n})", "language_id": 71} for n in range(5)]
    for body in bodies:
        assert server.client.post("/submissions?wait=true", json=body, headers=keys[0]).status_code == 201
    first = server.client.get("/submissions?per_page=2&fields=token,stdout", headers=keys[0]).json()
    assert [one["stdout"] for one in first["submissions"]] == ["4\n", "3\n"]
    assert first["meta"] == {
        "current_page": 1, "next_page": 2, "prev_page": None, "total_pages": 3, "total_count": 5,
    }  # fmt: skip
    last = server.client.get("/submissions?per_page=2&page=3", headers=keys[0]).json()
    assert (len(last["submissions"]), last["meta"]["next_page"], last["meta"]["prev_page"]) == (1, None, 2)
    assert server.client.get("/submissions", headers=keys[1]).json()["meta"]["total_count"] == 0
    counted = server.client.get("/statistics", headers=keys[0]).json()
    assert counted["submissions"]["total"] == counted["submissions"]["today"] == 5
    assert [(one["language"]["id"], one["count"]) for one in counted["languages"]] == [(71, 5)]
    where = f"/submissions/{first['submissions'][0]['token']}"
    assert server.client.delete(where, headers=keys[1]).status_code == 404
    assert server.client.delete(f"{where}?fields=stdout", headers=keys[0]).json() == {"stdout": "4\n"}
    assert server.client.get(where, headers=keys[0]).status_code == 404
    slow = {"source_code": "import time; time.sleep(3)", "language_id": 71}
    token = server.client.post("/submissions", json=slow, headers=keys[0]).json()["token"]
    refused = server.client.delete(f"/submissions/{token}", headers=keys[0])
    assert (refused.status_code, "cannot be deleted" in refused.json()["error"]) == (400, True)
    assert server.client.get("/submissions?page=0", headers=keys[0]).status_code == 422


def test_callbacks_go_only_where_the_settings_say(serve: Serve, tmp_path: Path) -> None:
    """And not even there if that is this machine."""
    config = tmp_path / "serve.toml"
    config.write_text('callback_hosts = ["localhost"]\n')
    server = serve("--config", str(config), "--compat", "judge0")
    assert server.client.get("/config_info").json()["enable_callbacks"] is True
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        body = {"source_code": "print(1)", "language_id": 71}
        for url in (
            f"http://127.0.0.1:{port}/",
            f"ftp://localhost:{port}/",
            f"http://x@localhost:{port}/",
            "http://localhost:x/",
            "localhost",
            f"http://localhost:{port}/\r\nX: y",
        ):
            answer = server.client.post("/submissions", json={**body, "callback_url": url})
            assert (answer.status_code, list(answer.json())) == (422, ["callback_url"]), url
        asked = {**body, "callback_url": f"http://localhost:{port}/done"}
        assert server.client.post("/submissions?wait=true", json=asked).status_code == 201
        deadline = time.monotonic() + 30
        while "no callback: localhost is not on the public network" not in server.said:
            assert time.monotonic() < deadline, server.said
            time.sleep(0.05)
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_what_a_callback_sends() -> None:
    """Here to this machine, and no redirect is followed."""
    seen: list[tuple[str, str, bytes]] = []

    class Told(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            seen.append((self.path, self.headers["Host"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(302 if self.path == "/away" else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Told) as told:
        thread = threading.Thread(target=told.serve_forever)
        thread.start()
        url = f"http://localhost:{told.server_port}"
        assert callbacks.send(f"{url}/done?a=1", b"{}", lambda _: True)
        assert callbacks.put(f"{url}/away", b"{}", lambda _: True) == 302
        told.shutdown()
        thread.join()
    host = f"localhost:{told.server_port}"
    assert seen == [("/done?a=1", host, b"{}"), ("/away", host, b"{}")]
    with pytest.raises(callbacks.Refused):
        callbacks.put(f"{url}/done", b"{}", lambda address: address.is_global)


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
