"""go-judge's clients: one from PyPI, unmodified, and requests as Hydro's judge and the README's examples send them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judge.server.conftest import Serve, Server, make_keys

ADD = "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }"
COLLECTORS = [{"name": "stdout", "max": 10240}, {"name": "stderr", "max": 10240}]
ENV = ["PATH=/usr/bin:/bin"]
LIMITS = {"cpuLimit": 10_000_000_000, "memoryLimit": 400 << 20, "procLimit": 50}
SHELL = "/bin/sh"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Server]:
    directory = tmp_path_factory.mktemp("go-judge")
    (directory / "data").mkdir()
    (directory / "data" / "1.in").write_text("40 2\n")
    (directory / "data" / "link").symlink_to("/etc/passwd")
    config = directory / "serve.toml"
    config.write_text(f'source_directories = ["{directory / "data"}"]\nfiles_bytes = 4000000\n')
    one = Server(directory, shared_cache, backend, "--compat", "go-judge", "--config", str(config))
    one.directory = directory  # type: ignore[attr-defined]
    yield one
    one.stop()


def command(*args: str, stdin: str = "", **more: object) -> dict[str, Any]:
    return {"args": list(args), "env": ENV, "files": [{"content": stdin}, *COLLECTORS], **LIMITS, **more}


def run(server: Server, *commands: dict[str, Any], **more: object) -> Any:
    answer = server.client.post("/run", json={"cmd": list(commands), **more})
    assert answer.status_code == 200, answer.text
    return answer.json() if len(commands) > 1 else answer.json()[0]


def test_its_client_from_pypi(server: Server) -> None:
    from go_judge import RemoteSandbox

    client = RemoteSandbox(str(server.client.base_url).rstrip("/"))
    assert client.check_health()
    found = client.run_multiple("cpp", ADD, ["1 2", "40 2", "-1 1"])
    assert [(one["status"], one["exit_code"], one["stdout"]) for one in found] == [
        ("Accepted", 0, "3\n"),
        ("Accepted", 0, "42\n"),
        ("Accepted", 0, "0\n"),
    ]
    assert all(one["time_ns"] > 0 and one["memory_b"] > 0 for one in found)
    assert client.run("cpp", "int main() {")["status"] == "Compile Error"
    python = client.run("python", "print(input() + '!')", "x")
    assert (python["status"], python["stdout"]) == ("Accepted", "x!\n")
    late = client.run("python", "while 1: pass", exec_cpu_limit_ns=300_000_000)
    assert (late["status"], late["exit_code"]) == ("Time Limit Exceeded", 9)
    assert client.run("python", "1 / 0")["status"] == "Nonzero Exit Status"
    client.close()
    assert server.client.get("/file").json() == {}  # it deletes what it made


def test_the_example_of_its_readme(server: Server) -> None:
    compile_ = command(
        "/usr/bin/g++", "a.cc", "-o", "a", copyIn={"a.cc": {"content": ADD}},
        copyOut=["stdout", "stderr"], copyOutCached=["a.cc", "a"],
    )  # fmt: skip
    made = run(server, compile_)
    assert (made["status"], made["exitStatus"], made["files"]) == ("Accepted", 0, {"stdout": "", "stderr": ""})
    assert set(made["fileIds"]) == {"a", "a.cc"}
    assert {"time", "memory", "runTime"} <= made.keys()
    ran = run(server, command("a", stdin="1 1", copyIn={"a": {"fileId": made["fileIds"]["a"]}}))
    assert (ran["status"], ran["files"]) == ("Accepted", {"stdout": "2\n", "stderr": ""})
    shown = server.client.get(f"/file/{made['fileIds']['a.cc']}")
    assert shown.text == ADD
    assert shown.headers["content-disposition"] == 'attachment; filename="a.cc"'
    for id_ in made["fileIds"].values():
        assert server.client.delete(f"/file/{id_}").status_code == 200
        assert server.client.delete(f"/file/{id_}").status_code == 404
        assert server.client.get(f"/file/{id_}").status_code == 404


def test_commands_joined_as_in_its_readme(server: Server) -> None:
    writer = command("/bin/cat", "1", copyIn={"1": {"content": "TEST 1"}}, copyOut=["stderr"])
    writer["files"][1] = None
    reader = command("/bin/cat", copyOut=["stdout", "stderr"])
    reader["files"][0] = None
    pipe = {"in": {"index": 0, "fd": 1}, "out": {"index": 1, "fd": 0}}
    one, other = run(server, writer, reader, pipeMapping=[pipe])
    assert (one["status"], one["files"]) == ("Accepted", {"stderr": ""})
    assert (other["status"], other["files"]) == ("Accepted", {"stdout": "TEST 1", "stderr": ""})
    back = {"in": {"index": 1, "fd": 1}, "out": {"index": 0, "fd": 0}}
    one, other = run(server, reader, writer, pipeMapping=[back])
    assert (one["files"]["stdout"], other["files"]) == ("TEST 1", {"stderr": ""})


def hydro(execute: str, stdin: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    """As packages/hydrojudge/src/sandbox.ts makes them."""
    size = 4 << 20
    return {
        "args": execute.split(),
        "env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/w", "HYDRO_LANG=cc"],
        "files": [stdin or {"content": ""}, {"name": "stdout", "max": size}, {"name": "stderr", "max": size}],
        "cpuLimit": 2_000_000_000, "clockLimit": 6_000_000_000, "memoryLimit": 256 << 20, "strictMemoryLimit": False,
        "addressSpaceLimit": False, "stackLimit": 0, "procLimit": 32, "copyOutMax": 3 * size, "copyIn": {},
        "copyOut": [], "copyOutCached": [], **more,
    }  # fmt: skip


CHECKER = """#include <fstream>
#include <iostream>
int main(int, char **paths) {
    std::ifstream out(paths[2]), answer(paths[3]);
    int a = 0, b = 1;
    out >> a, answer >> b;
    std::cerr << (a == b ? "ok " : "wrong answer ") << a;
    return a != b;
}"""


def test_hydro_s_way_from_a_submission_to_its_verdict(server: Server) -> None:
    data = server.directory / "data"  # type: ignore[attr-defined]
    compile_ = "/usr/bin/g++ -x c++ -Wall -std=c++17 -o foo foo.cc -lm"
    ids = []
    for source in (ADD, CHECKER):
        made = run(server, hydro(compile_, copyIn={"foo.cc": {"content": source}}, copyOutCached=["foo"]))
        assert made["status"] == "Accepted", made
        ids.append({"fileId": made["fileIds"]["foo"]})
    ran = run(
        server,
        hydro(
            "/w/foo", {"src": str(data / "1.in")}, copyIn={"foo": ids[0]}, copyOutCached=["stdout", "stderr", "x.out?"]
        ),
    )
    assert (ran["status"], ran["files"], set(ran["fileIds"])) == ("Accepted", {}, {"stdout", "stderr"})
    assert server.client.get(f"/file/{ran['fileIds']['stdout']}").text == "42\n"
    for answer, said, status in (("42", "ok 42", "Accepted"), ("41", "wrong answer 42", "Nonzero Exit Status")):
        copied = {
            "in": {"src": str(data / "1.in")},
            "user_out": {"fileId": ran["fileIds"]["stdout"]},
            "answer": {"content": answer},
            "checker": ids[1],
        }
        checked = run(server, hydro("/w/checker /w/in /w/user_out /w/answer", copyIn=copied))
        assert (checked["status"], checked["files"]["stderr"]) == (status, said)
    diff = {"usrout": {"content": "a b \n"}, "answer": {"content": "a b\n\n"}}
    assert run(server, hydro("/usr/bin/diff -BZ usrout answer", copyIn=diff))["files"]["stdout"] == ""


GUESSES = """import sys
low, high = 0, 1000
while low < high:
    middle = (low + high) // 2
    print(middle, flush=True)
    if input() == "less":
        low = middle + 1
    else:
        high = middle
print("!", low, flush=True)
"""
KNOWS = """import sys
secret = int(open("in").read())
for line in sys.stdin:
    if line[0] == "!":
        print("ok" if int(line[1:]) == secret else "wrong answer", file=sys.stderr)
        open("tout", "w").write(line)
        break
    print("less" if int(line) < secret else "no", flush=True)
"""


def test_hydro_s_interactive_problems(server: Server) -> None:
    user = hydro("/usr/bin/python3 foo.py", copyIn={"foo.py": {"content": GUESSES}})
    interactor = hydro(
        "/usr/bin/python3 /w/knows.py /w/in",
        copyIn={"knows.py": {"content": KNOWS}, "in": {"content": "617"}}, copyOut=["/w/tout?", "/w/absent?"],
    )  # fmt: skip
    user["files"][:2] = interactor["files"][:2] = [None, None]
    size = 4 << 20
    pipes = [
        {"in": {"index": 0, "fd": 1}, "out": {"index": 1, "fd": 0}, "name": "userToInteractor"},
        {"in": {"index": 1, "fd": 1}, "out": {"index": 0, "fd": 0}, "name": "interactorToUser"},
    ]
    one, other = run(server, user, interactor, pipeMapping=[{"proxy": True, "max": size, **pipe} for pipe in pipes])
    assert (one["status"], other["status"]) == ("Accepted", "Accepted"), (one, other)
    assert other["files"]["stderr"] == "ok\n"
    assert other["files"]["/w/tout"] == "! 617\n"
    assert one["files"]["userToInteractor"].startswith("500\n750\n625\n")


@pytest.mark.parametrize(
    ("script", "more", "status", "code"),
    [
        ("exit 3", {}, "Nonzero Exit Status", 3),
        ("echo 'int main(){return 5;}' >a.c && gcc a.c -o a && ./a", {"procLimit": 50}, "Nonzero Exit Status", 5),
        ("kill -SEGV $$", {}, "Signalled", 11),
        ("while :; do :; done", {"cpuLimit": 300_000_000}, "Time Limit Exceeded", 9),
        ("exec sleep 9", {"cpuLimit": 300_000_000, "clockLimit": 400_000_000}, "Time Limit Exceeded", 9),
        ("exec /usr/bin/yes", {}, "Output Limit Exceeded", 9),
        ("head -c 20000 /dev/zero", {}, "Output Limit Exceeded", 0),
        ("exec python3 -c 'x = bytearray(1 << 29)'", {"memoryLimit": 64 << 20}, "Memory Limit Exceeded", 9),
        (":", {"copyOut": ["absent"]}, "File Error", 0),
        (":", {"copyOut": ["absent?"]}, "Accepted", 0),
        ("mkdir d", {"copyOut": ["d"]}, "File Error", 0),
        ("ln -s /etc/passwd l", {"copyOut": ["l"]}, "File Error", 0),
        ("head -c 99 /dev/zero >f", {"copyOut": ["f"], "copyOutMax": 9}, "File Error", 0),
        ("head -c 99 /dev/zero >f", {"copyOut": ["f"], "copyOutMax": 9, "copyOutTruncate": True}, "File Error", 0),
        ("exit 3", {"copyOut": ["absent"]}, "Nonzero Exit Status", 3),
    ],
)
def test_how_commands_end(server: Server, script: str, more: dict[str, object], status: str, code: int) -> None:
    found = run(server, command(SHELL, "-c", script, **more))
    assert (found["status"], found["exitStatus"]) == (status, code), found


def test_its_directory_of_temporary_files(server: Server) -> None:
    script = "ls /tmp; cat $1 $IN; echo more >>$1"
    argv = (SHELL, "-c", script.replace("/tmp", "$2"), "sh", "/tmp/a/b", "/tmp")
    copied = {"/tmp/a/b": {"content": "text\n"}}
    found = run(server, command(*argv, copyIn=copied, copyOut=["/tmp/a/b"], env=["PATH=/usr/bin", "IN=/tmp/a/b"]))
    assert found["status"] == "Accepted", found
    assert found["files"]["stdout"] == "a\ntext\ntext\n"
    assert found["files"]["/tmp/a/b"] == "text\nmore\n"
    unused = run(server, command("/bin/echo", "/tmp/x"))
    assert unused["files"]["stdout"] == "/tmp/x\n", "who copies nothing there means the text"


def test_what_its_file_errors_say(server: Server) -> None:
    script = "printf 123 >large; echo more than four"
    more = {"copyOut": ["absent", "large"], "copyOutMax": 2}
    found = run(server, {**command(SHELL, "-c", script, **more), "files": [None, {"name": "out", "max": 4}, None]})
    assert [(one["name"], one["type"]) for one in found["fileError"]] == [
        ("out", "CollectSizeExceeded"),
        ("absent", "CopyOutOpen"),
        ("large", "CopyOutSizeExceeded"),
    ]
    assert found["files"] == {"out": "more"}
    found = run(server, command(SHELL, "-c", script, **more, copyOutTruncate=True))
    assert found["files"]["large"] == "12"
    assert [(one["name"], one["type"]) for one in found["fileError"]][1:] == [("large", "CopyOutSizeExceeded")]
    copied = {"x": {"src": str(server.directory / "data" / "absent")}}  # type: ignore[attr-defined]
    found = run(server, command("/bin/cat", copyIn=copied))
    assert (found["status"], found["fileError"][0]["type"]) == ("File Error", "CopyInOpenFile")


@pytest.mark.parametrize(
    ("program", "status", "code"),
    [
        ("#!/bin/sh -e\necho $1\nfalse\n", "Nonzero Exit Status", 1),
        ("#!/nowhere/interpreter\n", "Nonzero Exit Status", 127),
        ("no program", "Nonzero Exit Status", 127),
        ("\x7fELF", "Nonzero Exit Status", 127),
        ("", "Nonzero Exit Status", 127),
    ],
)
def test_a_program_of_the_caller_s_fails_by_itself(server: Server, program: str, status: str, code: int) -> None:
    """It can choose no error of ours."""
    found = run(server, command("./own", "a", copyIn={"own": {"content": program}}))
    assert (found["status"], found["exitStatus"]) == (status, code)


def test_only_programs_of_the_machine_start_others(server: Server) -> None:
    source = "#include <unistd.h>\nint main() { return fork() < 0 ? 7 : 0; }"
    made = run(
        server, command("/usr/bin/gcc", "f.c", "-o", "f", copyIn={"f.c": {"content": source}}, copyOutCached=["f"])
    )
    copied = {"f": {"fileId": made["fileIds"]["f"]}}
    assert run(server, command("f", copyIn=copied))["exitStatus"] == 7
    assert run(server, command(SHELL, "-c", "./f; echo $?", copyIn=copied))["files"]["stdout"] == "0\n"


def test_links_to_standard_input_and_output(server: Server) -> None:
    """As Hydro's file problems and go-judge's own test have them; and the file of nothing."""
    links = {"input.txt": {"symlink": "/dev/stdin"}, "output.txt": {"symlink": "/dev/stdout"}}
    found = run(server, command(SHELL, "-c", "cat input.txt > output.txt", stdin="40 2", copyIn=links))
    assert (found["status"], found["files"]["stdout"]) == ("Accepted", "40 2")
    nothing = command(SHELL, "-c", "wc -c") | {"files": [{"src": "/dev/null"}, *COLLECTORS]}
    assert run(server, nothing)["files"]["stdout"].strip() == "0"


def test_files_in_directories(server: Server) -> None:
    given = {"a/in.txt": {"content": "given"}, "out/.keep": {"content": ""}, "/w/b/x": {"content": "of w"}}
    made = run(
        server,
        command(SHELL, "-c", "read x < a/in.txt; echo $x >out/b.txt", copyIn=given, copyOut=["out/b.txt", "/w/b/x"]),
    )
    assert (made["files"]["out/b.txt"], made["files"]["/w/b/x"]) == ("given\n", "of w"), made


@pytest.mark.parametrize(
    ("cmd", "said"),
    [
        (None, "no cmd provided"),
        ([], "no cmd provided"),
        ([{}], "args"),
        ([{"args": []}], "args"),
        ([{"args": ["x"], "cpuLimit": -1}], "cpuLimit"),
        ([{"args": ["x"], "cpuLimit": 10**18}], "cpuLimit"),
        ([{"args": ["x"], "memoryLimit": "much"}], "memoryLimit"),
        ([{"args": ["no-such-program"]}], "no program 'no-such-program'"),
        ([command("/bin/cat", copyIn={"../x": {"content": ""}})], "not a relative path"),
        ([command("/bin/cat", copyIn={"a/../b": {"content": ""}})], "not a relative path"),
        ([command("/bin/cat", copyIn={"x": {"src": "/etc/passwd"}})], "source_directories"),
        ([command("/bin/cat", copyIn={"x": {"src": "DATA/link"}})], "source_directories"),
        ([command("/bin/cat", copyIn={"x": {"src": "DATA/../../x"}})], "source_directories"),
        ([command("/bin/cat", copyIn={"x": {"src": "DATA\0"}})], "source_directories"),
        ([command("/bin/cat", copyIn={"x": {"fileId": "AAAA"}})], "there is no file 'AAAA'"),
        ([command("/bin/cat", copyIn={"x": {}})], "file is not valid for cmd"),
        ([command("/bin/cat", copyIn={"x": {"symlink": "/etc/passwd"}})], "symlink"),
        ([command("/bin/cat", copyOut=[f"f{n}" for n in range(17)])], "more than 16"),
        ([command("/bin/cat", files=[{"name": "x", "max": 3}])], "file is not valid for cmd"),
        ([command("/bin/cat", files=[None, {"content": "x"}])], "collectors"),
        ([command("/bin/cat", files=[None, *COLLECTORS, {"name": "x", "max": 3}])], "three descriptors"),
        ([command("/bin/cat", "\0")], "zero byte"),
        ([command("/bin/cat", tty=True)], "tty"),
    ],
)
def test_wrong_requests(server: Server, cmd: object, said: str) -> None:
    body = json.dumps({"cmd": cmd}).replace("DATA", str(server.directory / "data"))  # type: ignore[attr-defined]
    answer = server.client.post("/run", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert said in answer.json()


def test_pipes_that_are_not_there(server: Server) -> None:
    three = [command("/bin/cat")] * 3
    pipe = {"in": {"index": 0, "fd": 1}, "out": {"index": 1, "fd": 0}}
    for cmd, pipes in (
        (three, [pipe]),
        (three[:2], [pipe, pipe]),
        (three[:2], [{**pipe, "out": {"index": 9, "fd": 0}}]),
        (three[:2], [{**pipe, "in": {"index": 0, "fd": 2}}]),
        (three[:1], [{"in": {"index": 0, "fd": 1}, "out": {"index": 0, "fd": 0}}]),
    ):
        answer = server.client.post("/run", json={"cmd": cmd, "pipeMapping": pipes})
        assert (answer.status_code, "pipes join two commands" in answer.text) == (400, True)
    assert server.client.post("/run", content=b"{").status_code == 400
    assert server.client.post("/run", content=b"[]").status_code == 400


def test_kept_files_are_bounded(server: Server) -> None:
    files = [server.client.post("/file", files={"file": (f"{n}", b"x" * 1_500_000)}).json() for n in range(3)]
    kept = server.client.get("/file").json()
    assert [id_ in kept for id_ in files] == [False, True, True]  # its own oldest had to go
    assert kept[files[2]] == "2"
    full = server.client.post("/file", files={"file": ("large", b"x" * 5_000_000)})
    assert (full.status_code, "no room" in full.json()) == (400, True)
    large = command(SHELL, "-c", "head -c 5000000 /dev/zero >f", copyOutCached=["f"])
    found = run(server, large)
    assert (found["status"], found["fileError"][0]["type"]) == ("File Error", "CopyOutCreateFile")
    for id_ in server.client.get("/file").json():
        server.client.delete(f"/file/{id_}")
    assert server.client.post("/file", files={"other": ("x", b"x")}).status_code == 400
    odd = server.client.post("/file", files={"file": ('"\r\nX: é', b"x")}).json()
    assert server.client.get(f"/file/{odd}").content == b"x"


def test_a_file_is_its_owner_s(serve: Serve, tmp_path: Path) -> None:
    keys = make_keys(tmp_path / "keys.toml", "one", "other")
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "go-judge")
    one, other = ({"Authorization": f"Bearer {key}"} for key in keys)
    assert server.client.get("/file").status_code == 401
    assert server.client.post("/run", json={"cmd": [command("/bin/cat")]}).status_code == 401
    id_ = server.client.post("/file", files={"file": ("f", b"x")}, headers=one).json()
    assert server.client.get(f"/file/{id_}", headers=one).text == "x"
    assert server.client.get(f"/file/{id_}", headers=other).status_code == 404
    assert server.client.delete(f"/file/{id_}", headers=other).status_code == 404
    assert server.client.get("/file", headers=other).json() == {}
    body = {"cmd": [command("/bin/cat", copyIn={"x": {"fileId": id_}})]}
    assert server.client.post("/run", json=body, headers=other).status_code == 400


def test_what_it_says_of_itself(server: Server) -> None:
    about = server.client.get("/version").json()
    assert about["copyOutOptional"] is True
    assert about["buildVersion"].split("v")[1] > "1.8"
    told = server.client.get("/config").json()
    assert (told["fixSymlinkEscape"], told["runnerConfig"]["cgroupType"]) == (True, 0)


def test_a_full_queue_is_said(serve: Serve, tmp_path: Path) -> None:
    config = tmp_path / "serve.toml"
    config.write_text("most_waiting = 1\n")
    server = serve("--config", str(config), "--compat", "go-judge", "--slots", "1")
    answers = []

    def ask(seconds: str) -> None:
        answers.append(server.client.post("/run", json={"cmd": [command("/bin/sleep", seconds)]}))

    # Equal requests would be answered together.
    threads = [threading.Thread(target=ask, args=(seconds,)) for seconds in ("3", "3.0", "3.00", "3.000")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429, 429]
    full = next(answer for answer in answers if answer.status_code == 429)
    assert (full.json(), int(full.headers["retry-after"]) > 0) == ("worker queue is full", True)


def test_two_rivals_with_one_path(serve: Serve) -> None:
    with pytest.raises(AssertionError, match="both have /run"):
        serve("--compat", "go-judge,code-judge")
