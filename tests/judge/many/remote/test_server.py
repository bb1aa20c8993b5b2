"""`Judge(executor="server")` against a `judge serve` of its own."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import problems
from judge import (
    Cancelled,
    ConfigError,
    Execution,
    Judge,
    Judgement,
    LanguageError,
    Options,
    ProblemError,
    Program,
    Stop,
    Submission,
    Unavailable,
    Verdict,
)
from judge.many.remote import connection
from judge.many.remote.messages import HERE_ONLY
from judge.server.guarding.keys import new_key
from judge.server.requests import OptionsRequest
from tests.conftest import MakePackage
from tests.judge.server.conftest import Serve, Server, serve, server
from tests.judge.server.test_v1 import ADD, SLEEPER, WRONG
from tests.trainer_adapter.programs import CASES, HALF, METADATA, RIGHT
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import CodeReward, Settings

__all__ = ["serve", "server"]


@pytest.fixture
def judge(server: Server) -> Iterator[Judge]:
    with Judge(executor="server", address=str(server.client.base_url)) as one:
        yield one


def test_the_judgement_is_that_of_this_machine(judge: Judge, judges: object) -> None:
    submission = Submission(source=WRONG.encode(), problem="P1001", id="seven")
    found, own = judge.judge(submission), judges().judge(submission)  # type: ignore[operator]
    assert (found.id, found.verdict, found.score) == ("seven", Verdict.WA, own.score)
    assert [(test.name, test.verdict, test.detail) for test in found.tests] == [
        (test.name, test.verdict, test.detail) for test in own.tests
    ]
    assert judge.slots >= 1
    assert judge.isolation == judges().isolation  # type: ignore[operator]


def test_options_go_with_it(judge: Judge) -> None:
    submission = Submission(source=WRONG.encode(), problem="P1001")
    found = judge.judge(submission, Options(stop=Stop.FIRST_FAILURE))
    assert not found.complete


def test_packages_of_this_machine_are_sent_once(judge: Judge, server: Server, package: MakePackage) -> None:
    path = package(CASES, metadata=METADATA, name="sum")
    verdicts = {}
    refs: dict[str, Any] = {"path": path, "text": str(path), "object": problems.load(path)}
    for name, problem in refs.items():
        for program in (RIGHT, HALF):
            found = judge.judge(Submission(source=program.encode(), problem=problem, language="c17"))
            verdicts[name, program] = (found.verdict, found.problem)
    assert set(verdicts.values()) == {(Verdict.AC, "sum"), (verdicts["path", HALF][0], "sum")}
    assert verdicts["path", HALF][0] is not Verdict.AC


def test_bytes_that_are_no_text(judge: Judge) -> None:
    source = b"// \xff\n" + ADD.encode()
    assert judge.judge(Submission(source=source, problem="P1001")).verdict is Verdict.AC


def test_many_at_once(judge: Judge) -> None:
    rows = [
        Submission(source=f"{ADD if n % 2 else WRONG}// {n}".encode(), problem="P1001", id=str(n)) for n in range(20)
    ]
    found = {each.id: each.accepted for each in judge.judge_many(rows, Options(stop=Stop.FIRST_FAILURE))}
    assert found == {str(n): bool(n % 2) for n in range(20)}


def test_a_program_without_a_problem(judge: Judge) -> None:
    source = (
        b"import sys; open('out','wb').write(b'\\xfe' + sys.stdin.buffer.read() + open('in','rb').read()); print('y')"
    )
    program = Program(source=source, language="python3", stdin=b"\xff", files={"in": b"\0"}, collect=("out",))
    found = judge.execute(program)
    assert (found.stdout, dict(found.files), found.verdict) == (b"y\n", {"out": b"\xfe\xff\0"}, None)
    source = b"from lib.add import X\nprint(X)"
    several = Program(source=source, sources=(("lib/add.py", b"X = 5\n"),), language="python3")
    assert judge.execute(several).stdout == b"5\n"


def test_a_program_of_several_files(judge: Judge) -> None:
    head = b'#include "add.h"\n#include <cstdio>\n'
    source = head + b'int main() { int a, b; scanf("%d %d", &a, &b); printf("%d", add(a, b)); }'
    header = b"// \xff\nstatic int add(int a, int b) { return a + b; }\n"
    for name, verdict in (("add.h", "AC"), ("other.h", "CE"), ("../add.h", "CE")):
        found = judge.judge(Submission(source=source, problem="P1001", files=((name, header),)))
        assert found.verdict == verdict, found.compile


def test_more_files_than_a_server_takes_are_a_compile_error(judge: Judge) -> None:
    """As on this machine: an error would be no score, which a submission must not choose."""
    for count, verdict in ((32, "WA"), (33, "CE")):
        files = tuple((f"m{number}.py", b"x = 1") for number in range(count))
        given = Submission(source=b"print('no')", problem="P1001", language="python3", files=files, id="many")
        judgement = judge.judge(given)
        assert (judgement.verdict, judgement.score, judgement.id) == (verdict, 0.0, "many")


def test_from_a_coroutine(judge: Judge) -> None:
    async def both() -> tuple[Judgement, Execution]:
        return await asyncio.gather(
            judge.ajudge(Submission(source=ADD.encode(), problem="P1001")),
            judge.aexecute(Program(source=b"print(6 * 7)", language="python3")),
        )

    judgement, execution = asyncio.run(both())
    assert (judgement.accepted, execution.stdout) == (True, b"42\n")


def test_what_cannot_be_judged(judge: Judge, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="nowhere"):
        judge.judge(Submission(source=b"", problem="nowhere"))
    with pytest.raises(LanguageError, match="klingon"):
        judge.judge(Submission(source=b"", problem="P1001", language="klingon"))
    with pytest.raises(ProblemError, match="nothing"):
        judge.judge(Submission(source=b"", problem=tmp_path / "nothing"))


def test_addresses_and_keys(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong, said in ((None, "needs an address"), ("localhost:1", "http://HOST:PORT")):
        with pytest.raises(ConfigError, match=said):
            Judge(executor="server", address=wrong)
    command = (sys.executable, "-m", "judge", "serve", "--new-key", "trainer")
    key, lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n", 1)
    (tmp_path / "keys.toml").write_text(lines)
    address = str(serve("--keys", str(tmp_path / "keys.toml")).client.base_url)
    submission = Submission(source=ADD.encode(), problem="P1001")
    with Judge(executor="server", address=address) as judge, pytest.raises(ConfigError, match="JUDGE_SERVER_KEY"):
        judge.judge(submission)
    with Judge(executor="server", address=address, key=key) as judge:
        assert judge.judge(submission).accepted
    monkeypatch.setenv("JUDGE_SERVER_KEY", key)
    with Judge(executor="server", address=address) as judge:
        assert judge.judge(submission).accepted
    with Judge(executor="server", address=address, key="other") as judge, pytest.raises(ConfigError, match="`key`, or"):
        judge.judge(submission)
    for wrong in ("a\nb", "a b", "schl\u00fcssel"):
        with pytest.raises(ConfigError, match="no key has"):
            Judge(executor="server", address=address, key=wrong)
    with pytest.raises(ConfigError, match="ask for the executor server"):
        Judge(key=key)


def test_a_server_that_is_away_is_no_verdict(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(connection, "PATIENCE_S", 0.5)
    monkeypatch.setattr(connection, "_TOLD_S", 0.0)
    caplog.set_level("INFO", "judge.many.remote")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with Judge(executor="server", address=f"http://127.0.0.1:{port}") as judge:
        with pytest.raises(Unavailable, match="judge serve"):
            judge.judge(Submission(source=ADD.encode(), problem="P1001"))
        with pytest.raises(Unavailable):
            judge.isolation  # noqa: B018 - asking is the check
    told = [line for line in caplog.messages if line.startswith(f"waiting for http://127.0.0.1:{port}, ")]
    assert len(told) == 1, "once, however often it was tried"


def test_a_server_that_is_killed_and_comes_again_loses_nothing(
    tmp_path: Path, shared_cache: Path, backend: str
) -> None:
    how = (tmp_path, shared_cache, backend, "--slots", "2")
    first = Server(*how)
    port = first.client.base_url.port
    assert port is not None
    rows = [Submission(source=f"{SLEEPER}# {n}".encode(), problem="P1001", language="python3") for n in range(12)]
    options = Options(stop=Stop.FIRST_FAILURE)
    with Judge(executor="server", address=str(first.client.base_url)) as judge:
        futures = [judge.submit(row, options) for row in rows]
        time.sleep(2)
        first.kill()
        again = Server(*how, port=port)
        try:
            assert not wait(futures, timeout=120).not_done
            assert {future.result().verdict for future in futures} == {Verdict.AC}
        finally:
            again.stop()
            first.stop()


def test_who_closes_waits_for_nobody(judge: Judge) -> None:
    futures = [
        judge.submit(Submission(source=f"{SLEEPER}# closed {n}".encode(), problem="P1001", language="python3"))
        for n in range(40)
    ]
    threading.Timer(0.5, judge.close).start()
    for future in futures:
        with suppress(Cancelled):
            assert future.result(60).accepted
    with pytest.raises(Cancelled):
        judge.submit(Submission(source=b"", problem="P1001"))


def test_rewards_from_a_server(serve: Serve, package: MakePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PATIENCE_S", 1.0)
    server = serve()
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    settings = Settings(language="c17", executor="server", address=str(server.client.base_url))
    reward = CodeReward(settings=settings)
    programs = [f"```c\n{code}```\n" for code in (RIGHT, HALF)]
    tests = json.dumps([{"input": "1 2\n", "output": "3\n"}])
    try:
        assert reward(completions=programs, problem_id=[problem, problem]) == [1.0, 0.0]
        assert reward(completions=programs[:1], problem_id=["a"], tests=[tests]) == [1.0]
        server.kill()
        fresh = [f"```c\n{RIGHT}// fresh\n```\n"]
        assert reward(completions=fresh, problem_id=[problem]) == [None]
    finally:
        reward_funcs.close()


def test_a_batch_on_a_server(server: Server, tmp_path: Path) -> None:
    rows = [{"id": str(n), "problem": "P1001", "source": f"{ADD if n else WRONG}// {n}"} for n in range(3)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "out.jsonl"
    command = (sys.executable, "-m", "judge", "batch", str(tmp_path / "rows.jsonl"), "-o", str(out))
    subprocess.run((*command, "--executor", "server", "--address", str(server.client.base_url)), check=True)
    found = {row["id"]: row["verdict"] for row in map(json.loads, out.read_text().splitlines())}
    assert found == {"0": "WA", "1": "AC", "2": "AC"}


def test_who_is_to_come_again_in_hours_is_told_now(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, lines = new_key("poor")
    (tmp_path / "keys.toml").write_text(lines + "cpu_seconds_per_day = 0.000001\n")
    server = serve("--keys", str(tmp_path / "keys.toml"))
    monkeypatch.setenv("JUDGE_SERVER_KEY", key)
    with Judge(executor="server", address=str(server.client.base_url)) as one:
        one.execute(Program(source=b"print(1)", language="python3"))
        with pytest.raises(Unavailable, match="has used its 1e-06 s of CPU time of this day; try again in"):
            one.execute(Program(source=b"print(1)", language="python3"))


def test_all_options_travel() -> None:
    """An option that the server does not know would end each call."""
    assert OptionsRequest.model_fields.keys() == {field.name for field in dataclasses.fields(Options)} - {HERE_ONLY}
