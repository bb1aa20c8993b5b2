"""What one client of `judge serve` has to wait for others, who would hold the server.

    python benchmarks/fairness.py [--slots N] [--asked N] [--json FILE]

Three servers are started one after the other:

- 200 clients send endless programs and hang up. Then one sends `print(1)`: how long it takes.
- One key sends `--asked` small programs, one after the other: first alone, then beside another key that has sent 1 000
  endless ones. How long 99 of 100 take at most, and the ratio.
- 100 clients wait when the server is told to end: how long it takes, and what it says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import signal
import socket
import time
from pathlib import Path

import httpx
from served import Server, serving

from judge.server.guarding.keys import new_key

_LOOP = "while True: pass\n"
_RUN = "/compat/sandbox-fusion/run_code"
_HANG_UP, _LOOPS, _WAITING = 200, 1000, 100
_SECOND_NS = 1_000_000_000


def asked_s(client: httpx.Client, number: int) -> float:
    """How long a small program takes that nobody has sent before."""
    began = time.monotonic()
    ran = client.post(_RUN, json={"code": f"print({number})", "language": "python"}).json()
    if ran["run_result"]["stdout"] != f"{number}\n":
        raise SystemExit(f"the server said {ran}")
    return time.monotonic() - began


def after_those_who_left(slots: int) -> dict[str, float]:
    with serving(slots) as server, httpx.Client(base_url=server.address, timeout=300) as client:
        asked_s(client, 0)
        url = client.base_url
        for number in range(_HANG_UP):
            body = json.dumps({"code": f"{_LOOP}#{number}", "language": "python", "run_timeout": 300}).encode()
            head = f"POST {_RUN} HTTP/1.1\r\nHost: {url.host}\r\nContent-Type: application/json\r\n"
            with socket.create_connection((url.host, url.port or 80)) as gone:
                gone.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return {"after_200_that_left_s": asked_s(client, 1)}


def beside_another_key(slots: int, asked: int) -> dict[str, float]:
    keys, lines = zip(*(new_key(name) for name in ("many", "few")), strict=True)
    many, few = ({"Authorization": f"Bearer {key}"} for key in keys)
    loop = {"language": "python3", "cpu_ns": 20 * _SECOND_NS}
    with (
        serving(slots, "".join(lines)) as server,
        httpx.Client(base_url=server.address, timeout=300, headers=few) as client,
        httpx.Client(base_url=server.address, timeout=300, headers=many) as other,
    ):
        asked_s(client, -1)
        alone = [asked_s(client, number) for number in range(asked)]
        for number in range(_LOOPS):
            other.post("/v1/executions", json={**loop, "source": f"{_LOOP}#{number}"}).raise_for_status()
        beside = [asked_s(client, number) for number in range(asked, 2 * asked)]
    alone_s, beside_s = (sorted(times)[math.ceil(0.99 * asked) - 1] for times in (alone, beside))
    return {"p99_alone_s": alone_s, "p99_beside_1000_loops_s": beside_s, "ratio": beside_s / alone_s}


def told_to_end(slots: int) -> dict[str, float]:
    async def wait(server: Server) -> float:
        loop = {"source": _LOOP, "language": "python3", "cpu_ns": 300 * _SECOND_NS}
        fusion = {"language": "python", "run_timeout": 300}
        limits = httpx.Limits(max_connections=_WAITING + 1)
        async with httpx.AsyncClient(base_url=server.address, timeout=300, limits=limits) as client:
            asking = [
                asyncio.create_task(client.post(_RUN, json={**fusion, "code": f"{_LOOP}#{number}"}))
                if number % 10 == 0
                else asyncio.create_task(client.post("/v1/executions?wait=60", json={**loop, "id": str(number)}))
                for number in range(_WAITING)
            ]
            while f"judge_waiting {_WAITING}" not in (await client.get("/metrics")).text:
                await asyncio.sleep(0.05)
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(server.process.wait)
            ended_s = time.monotonic() - began
            answers = await asyncio.gather(*asking)
        if {answer.status_code for answer in answers} != {202, 503}:
            raise SystemExit(f"who waited was told {[answer.status_code for answer in answers]}")
        return ended_s

    with serving(slots) as server:
        ended_s = asyncio.run(wait(server))
        return {"told_to_end_s": ended_s, "tracebacks": server.log.read_text().count("Traceback")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--asked", type=int, default=100)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    said = after_those_who_left(arguments.slots)
    said |= beside_another_key(arguments.slots, arguments.asked)
    said |= told_to_end(arguments.slots)
    print("\n".join(f"{key}: {value:.2f}" for key, value in said.items()))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(said))


if __name__ == "__main__":
    main()
