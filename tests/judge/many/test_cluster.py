"""More machines than one: a real Ray, its nodes simulated on this machine.

Without Ray the tests are skipped, and fail where JUDGE_REQUIRE names `ray`.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import logging
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from containers import Unavailable
from containers.native import grant
from judge import Cancelled, ConfigError, Judge, Judgement, ProblemError, Submission, Verdict

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

from tests.conftest import MakePackage
from tests.judge.many.c_rows import ADD, PATIENT, SLEEP, facts, rows
from tests.judge.server.conftest import Server

REQUIRED = "ray" in os.environ.get("JUDGE_REQUIRE", "").split(",")
ROOT = Path(__file__).parents[3]
MIB = 1 << 20

pytestmark = [
    pytest.mark.skipif(
        not REQUIRED and importlib.util.find_spec("ray") is None,
        reason="Ray is not installed: pip install ray",
    ),
    pytest.mark.xdist_group("ray"),
    # Ray leaves its sockets and processes to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("1 2\n", "3\n")})


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for number in range(3):
            cluster.add_node(**node(), wait=False, **({"include_dashboard": False} if number == 0 else {}))
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def node() -> dict[str, Any]:
    return {"num_cpus": 1, "object_store_memory": 80 * MIB}


@pytest.fixture(scope="module")
def judge(cluster: Cluster, backend: str, shared_cache: Path) -> Iterator[Judge]:
    with Judge(executor="ray", backend=backend, cache_directory=shared_cache) as judge:
        yield judge


def actors() -> set[str]:
    """Those that live, by their ids."""
    from ray._private.state import actors

    return {id_ for id_, actor in actors().items() if actor["State"] != "DEAD"}


def alive() -> list[dict[str, Any]]:
    """Nodes."""
    import ray

    return [node for node in ray.nodes() if node["Alive"]]


def kill_actors(judge: Judge) -> None:
    for served in list(judge._executor._driver._dispatcher._nodes.values()):  # type: ignore[attr-defined]
        served.actor.kill()


def wait_for(what: Callable[[], object]) -> None:
    while not what():
        time.sleep(0.02)


def test_a_node_that_is_killed_half_way_loses_nothing(
    cluster: Cluster, judge: Judge, judges: Callable[..., Judge], problem: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert judge.slots == 3
    submissions = rows(problem, 60)
    found: list[Judgement] = []
    for judgement in judge.judge_many(submissions):
        found.append(judgement)
        if len(found) == 20:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    assert sorted(judgement.id or "" for judgement in found) == sorted(str(i) for i in range(60))
    local = {judgement.id: facts(judgement) for judgement in judges(slots=2).judge_many(submissions)}
    assert {judgement.id: facts(judgement) for judgement in found} == local
    # Its place is taken by whoever joins.
    cluster.add_node(**node())
    wait_for(lambda: judge.slots == 3)


def test_a_package_that_no_node_has(judge: Judge, package: MakePackage) -> None:
    here = package({"secret/1": ("1 2\n", "3\n")}, name="here")
    assert judge.judge(Submission(source=ADD, problem=here, language="c17")).accepted
    shutil.rmtree(here)
    found = list(judge.judge_many(replace(row, problem=here) for row in rows(here, 16)))
    assert {judgement.problem for judgement in found} == {"here"}
    assert sum(judgement.accepted for judgement in found) == 4
    assert [judgement.error for judgement in found if judgement.error] == []


def test_packages_that_nodes_have_no_more_are_sent_again(judge: Judge, package: MakePackage) -> None:
    here = package({"secret/1": ("1 2\n", "3\n")}, name="again")
    for served in judge._executor._driver._dispatcher._nodes.values():  # type: ignore[attr-defined]
        served.packages[str(here)] = sent = Future[str]()  # as if each had made room
        sent.set_result("0" * 64)
    found = list(judge.judge_many(rows(here, 8)))
    assert [judgement.error for judgement in found if judgement.error] == []
    assert sum(judgement.accepted for judgement in found) == 2


def test_the_library_is_not_sent(judge: Judge) -> None:
    assert judge.judge(Submission(source=ADD, problem="P1001", language="c17")).accepted
    nodes = judge._executor._driver._dispatcher._nodes.values()  # type: ignore[attr-defined]
    sent = [served.packages["P1001"].result() for served in nodes if "P1001" in served.packages]
    assert set(sent) == {None}


def test_errors_name_the_node_and_leave_the_others(judge: Judge, problem: Path) -> None:
    batch = [*rows(problem, 1), replace(rows(problem, 1)[0], language="cobol", id="cobol")]
    found = {judgement.id: judgement for judgement in judge.judge_many(batch)}
    assert found["0"].accepted
    assert found["cobol"].verdict is Verdict.IE
    assert (found["cobol"].error or "").startswith("node ")
    assert "cobol" in (found["cobol"].error or "")
    with pytest.raises(ProblemError, match="P1OO1"):
        judge.judge(Submission(source=ADD, problem="P1OO1", language="c17"))


def test_what_is_lost_again_and_again_is_an_error_of_ours(judge: Judge, problem: Path) -> None:
    future = judge.submit(Submission(source=SLEEP, problem=problem, language="c17", id="x"), PATIENT)
    while not future.done():
        wait_for(lambda: future.done() or any(judge._executor._driver._dispatcher._nodes.values()))  # type: ignore[attr-defined]
        kill_actors(judge)
    judgement = future.result()
    assert (judgement.id, judgement.verdict, judgement.score) == ("x", Verdict.IE, None)
    assert (judgement.error or "").startswith("lost 4 times: node ")
    wait_for(lambda: judge.slots == 3)  # new actors were started
    assert judge.judge(rows(problem, 1)[0]).accepted


def test_close_cancels_and_leaves_no_actor(cluster: Cluster, backend: str, shared_cache: Path, problem: Path) -> None:
    before = actors()
    judge = Judge(executor="ray", backend=backend, cache_directory=shared_cache)
    sleeping = [
        judge.submit(Submission(source=SLEEP + b"//%d" % i, problem=problem, language="c17"), PATIENT)
        for i in range(20)
    ]
    threading.Timer(0.5, judge.close).start()
    for future in sleeping:
        with pytest.raises(Cancelled):
            future.result()
    judge.close()
    wait_for(lambda: actors() <= before)
    with pytest.raises(Cancelled):
        judge.submit(rows(problem, 1)[0])


def no_mounts() -> None:
    """Takes mount(2) from this process and what it starts, as a container's profile does: no tier full any more."""
    libc = ctypes.CDLL(None, use_errno=True)
    load, equal, give = 0x20, 0x15, 0x06  # seccomp(2): look at the call's number, and refuse one with EPERM
    mount = {"x86_64": 165, "aarch64": 40}[os.uname().machine]
    rules = [(load, 0, 0, 0), (equal, 0, 1, mount), (give, 0, 0, 0x00050001), (give, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, program) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def test_a_node_that_grants_less_is_refused(
    cluster: Cluster, shared_cache: Path, problem: Path, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        grant("full")
    except Unavailable as error:
        pytest.skip(f"full is not granted here: {error}")
    code = f"from {__name__} import no_mounts; no_mounts(); import ray.scripts.scripts as ray; ray.main()"
    how = [f"--address={cluster.address}", "--block", "--num-cpus=1", f"--object-store-memory={80 * MIB}"]
    weak_node = [sys.executable, "-c", code, "start", *how]
    at_once = {**os.environ, "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0"}  # nothing there is worth waiting for
    with subprocess.Popen(weak_node, cwd=ROOT, env=at_once, stdout=subprocess.DEVNULL) as weak:
        try:
            wait_for(lambda: len(alive()) == 4 or weak.poll() is not None)
            with Judge(executor="ray", require="full", cache_directory=shared_cache) as judge:
                # A Judge goes on without a node whose actor died while it opened, or took long, until that is open.
                wait_for(lambda: (not_used(caplog) and judge.slots == 3) or judge.slots > 3 or weak.poll() is not None)
                refused = not_used(caplog)  # before the node ends: then the other tests' Judge may say that it died
                assert (judge.slots, weak.poll()) == (3, None)
                found = list(judge.judge_many(rows(problem, 12)))
        finally:
            weak.terminate()
    assert {judgement.isolation and judgement.isolation.tier for judgement in found} == {"full"}
    wait_for(lambda: len(alive()) == 3)
    # Where nothing weaker is granted either, for any judge: this one, and that of the other tests.
    assert len(refused) == 1
    assert re.match(r"not used: node \S+ \(\w+\): (tier full is required, but|no sandbox: )", refused.pop())


def not_used(caplog: pytest.LogCaptureFixture) -> set[str]:
    return {record.getMessage() for record in caplog.records if "not used" in record.getMessage()}


def test_when_no_node_grants_it_that_is_the_error(cluster: Cluster) -> None:
    before = actors()
    with pytest.raises(Unavailable, match=r"no node of the Ray cluster can judge: node .*nothing.*node .*nothing"):
        Judge(executor="ray", backend="nothing")
    wait_for(lambda: actors() <= before)


def test_an_address_where_nobody_answers_is_an_error_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]  # free again after this
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    rows.write_text("")
    command = (
        sys.executable,
        "-m",
        "judge",
        "batch",
        rows,
        "-o",
        out,
        "--executor",
        "ray",
        "--address",
        f"127.0.0.1:{port}",
    )
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)  # Ray waits longer
    assert ran.returncode == 2
    assert f"no Ray cluster answers at 127.0.0.1:{port} (" in ran.stderr


def test_the_command_interrupted(cluster: Cluster, tmp_path: Path, problem: Path) -> None:
    before = actors()
    given, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    with given.open("w") as file:
        for row in (*rows(problem, 4), Submission(source=SLEEP, problem=problem, id="sleeps")):
            fields = {"id": row.id, "problem": str(problem), "language": "c17", "source": row.source.decode()}
            file.write(json.dumps(fields) + "\n")
    command = [sys.executable, "-m", "judge", "batch", str(given), "-o", str(out), "--time-limit", "50s"]
    where = ["--executor", "ray", "--address", cluster.address]
    with subprocess.Popen(command + where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as judging:
        wait_for(lambda: judging.poll() is not None or (out.exists() and out.read_bytes().count(b"\n") == 4))
        judging.send_signal(signal.SIGINT)
        printed, errors = judging.communicate()
    assert (judging.returncode, printed) == (130, ""), errors
    assert "--resume goes on" in errors
    results = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted((row["id"], row["verdict"]) for row in results) == [
        ("0", "AC"),
        ("1", "WA"),
        ("2", "RE"),
        ("3", "CE"),
    ]
    wait_for(lambda: actors() <= before)


def test_a_server_before_a_cluster(
    cluster: Cluster, backend: str, tmp_path: Path, shared_cache: Path, problem: Path
) -> None:
    """Each node judges rows of it; one is lost meanwhile, and SIGTERM still ends it as it should."""
    before = actors()
    two = cluster.add_node(**node())
    wait_for(lambda: len(alive()) >= 4)
    how = ("--executor", "ray", "--address", cluster.address, "--log-format", "json")
    server = Server(tmp_path, shared_cache, backend, *how)
    try:
        wait_for(lambda: server.client.get("/v1/limits").json()["slots"] >= 4)
        texts = [f"int main() {{ return {number % 2}; }}" for number in range(40)]
        sent = [{"source": text, "problem": "P1001", "language": "c17", "id": text} for text in texts]
        where = server.client.post("/v1/judgements/many", json=sent).json()["ids"]
        run = {"source": "print(7)", "language": "python3"}
        done = server.client.post("/v1/executions?wait=60", json=run).json()["execution"]
        assert done["stdout"] == "7\n", "this machine runs what is of no problem"
        cluster.remove_node(two)
        results = [server.client.get(f"/v1/judgements/{one}", params={"wait": 60}).json()["judgement"] for one in where]
        assert [(one["id"], one["verdict"]) for one in results] == [
            (text, "RE" if number % 2 else "WA") for number, text in enumerate(texts)
        ]
    finally:
        assert server.stop() == 0
    wait_for(lambda: actors() <= before)


def test_without_ray_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['ray'] = None; import judge; judge.Judge(executor='ray')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install ray" in run.stderr.splitlines()[-1]


def test_an_address_needs_the_executor() -> None:
    with pytest.raises(ConfigError, match="ask for its executor"):
        Judge(address="127.0.0.1:6379")


with suppress(ImportError):
    import ray  # noqa: F401 - loaded once, before warnings are errors
