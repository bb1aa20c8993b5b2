"""The same rows, C++ with ten tests each, sent by SandboxFusion's own client to two servers in turn: ours, and a peer.

    python benchmarks/rivals.py [--rows N] [--connections N] [--json FILE]

SandboxFusion itself installs with conda and images, not from PyPI. The peer does what its source says, and no more:
`/submit` runs the whole of `/run_code` for each test, which writes the program to a fresh directory, compiles it with
`g++ -std=c++17` and runs it as a subprocess; as many at a time as there are cores; nothing is kept. It has no walls,
and so none of their cost. Rows are labelled submissions of the library, made distinct by a comment, so that nobody has
compiled one before. Both servers are asked in turn, block after block, so that the load of the machine meets both.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
import sandbox_fusion
import uvicorn
from fastapi import FastAPI

import problems
from judge.selftest.bench import fresh

_TESTS = 10
_BLOCKS = 3
_START_S = 60.0
_MOST_BYTES = 20_000


def rows(count: int) -> list[dict[str, Any]]:
    """Requests for /submit: a completion, and ten tests of its problem."""
    found: list[tuple[str, list[dict[str, Any]]]] = []
    for name in problems.names():
        problem = problems.load(name)
        given = [(case.read_input(), case.read_answer()) for case in problem.cases if case.answer is not None]
        given = [pair for pair in given if sum(map(len, pair)) < _MOST_BYTES]
        plain = problem.kind == "batch" and not (problem.function or problem.grader or problem.file_io)
        if len(given) < 3 or not plain or not isinstance(problem.checker, problems.model.Comparison):
            continue
        tests = [
            {"input": {"stdin": one.decode()}, "output": {"stdout": two.decode()}}
            for one, two in itertools.islice(itertools.cycle(given), _TESTS)
        ]
        found += [
            (path.read_text(), tests)
            for path in sorted((problem.directory / "submissions" / "accepted").glob("*.cpp"))[:1]
        ]
    made = []
    for number, (source, tests) in zip(range(count), itertools.cycle(found), strict=False):
        completion = f"```cpp\n{fresh(source)}```"
        config = {
            "dataset_type": "CommonOJDataset",
            "language": "cpp",
            "provided_data": {"id": number, "test": tests},
            "extra": {"run_all_cases": True},
        }
        made.append({"dataset": "rows", "id": number, "completion": completion, "config": config})
    return made


def peer(port: int) -> None:
    """Serve as SandboxFusion does."""
    app = FastAPI()
    cores = asyncio.Semaphore(os.cpu_count() or 1)

    async def command(directory: Path, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes]:
        process = await asyncio.create_subprocess_exec(
            *arguments,
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        out, _ = await asyncio.wait_for(process.communicate(stdin), 10)
        return process.returncode or 0, out

    async def run_code(code: str, test: dict[str, Any]) -> bool:
        async with cores:
            with tempfile.TemporaryDirectory() as name:
                directory = Path(name)
                (directory / "main.cpp").write_text(code)
                compiled, _ = await command(directory, "g++", "-std=c++17", "main.cpp", "-o", "test")
                if compiled != 0:
                    return False
                code_, out = await command(directory, "./test", stdin=test["input"]["stdin"].encode())
        got, wanted = (text.strip().split("\n") for text in (out.decode(), test["output"]["stdout"]))
        return code_ == 0 and [line.strip().lower() for line in got] == [line.strip().lower() for line in wanted]

    @app.post("/submit")
    async def submit(body: dict[str, Any]) -> dict[str, Any]:
        block = re.search(r"```cpp\n(.*?)\n```", body["completion"], re.DOTALL)
        code = "" if block is None else block[1]
        tests = body["config"]["provided_data"]["test"]
        passed = await asyncio.gather(*(run_code(code, test) for test in tests))
        return {"id": body["id"], "accepted": all(passed), "extracted_code": code, "tests": []}

    uvicorn.run(app, port=port, log_level="warning")


@contextmanager
def serving(*command: str, port: int, directory: Path) -> Iterator[str]:
    """A server as a process of its own: its address."""
    address = f"http://127.0.0.1:{port}"
    with (directory / "log").open("ab") as log:
        process = subprocess.Popen((sys.executable, *command), stderr=log, stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + _START_S
        while time.monotonic() < until and process.poll() is None:
            try:
                requests.get(address, timeout=1)
                break
            except requests.RequestException:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def measure(address: str, asked: list[dict[str, Any]], connections: int) -> tuple[float, list[bool]]:
    """Seconds, and what was accepted."""

    def one(row: dict[str, Any]) -> bool:
        request = sandbox_fusion.SubmitRequest(**row)
        return bool(sandbox_fusion.submit(request, endpoint=address, max_attempts=1).accepted)

    began = time.monotonic()
    with ThreadPoolExecutor(connections) as threads:
        accepted = list(threads.map(one, asked))
    return time.monotonic() - began, accepted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=30, help="of each server")
    parser.add_argument("--connections", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peer", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments.peer)
        return
    times = {"ours": 0.0, "peer": 0.0}
    count = 0
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        ours = ("-m", "judge", "serve", "--port", "8991", "--compat", "sandbox-fusion")
        with (
            serving(*ours, "--database", str(directory / "db.sqlite"), port=8991, directory=directory) as our_address,
            serving(__file__, "--peer", "8992", port=8992, directory=directory) as peer_address,
        ):
            measure(our_address, rows(1), 1)  # headers are precompiled once for a machine
            for _ in range(_BLOCKS):
                for server, address in (("ours", our_address), ("peer", peer_address)):
                    asked = rows(arguments.rows // _BLOCKS)
                    spent, accepted = measure(address, asked, arguments.connections)
                    if not all(accepted):
                        raise SystemExit(f"{server}: a right program was refused")
                    times[server] += spent
                count += arguments.rows // _BLOCKS
    rates = {server: count / spent for server, spent in times.items()}
    print(f"rows with {_TESTS} tests each, a second: ours {rates['ours']:.2f}, peer {rates['peer']:.3f}")
    print(f"ours is {rates['ours'] / rates['peer']:.1f} times as fast")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": count, "tests": _TESTS, **rates}))


if __name__ == "__main__":
    main()
