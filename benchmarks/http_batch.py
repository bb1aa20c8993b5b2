"""How many rows a second `judge serve` takes as batches whose verdicts it knows.

    python benchmarks/http_batch.py [-n ROWS] [--batches N] [--distinct N] [--database URL] [--json FILE]

One client on one connection that stays open sends batches of so many rows, and reads the results of each while they
come. The rows are labelled submissions of the library, so many different ones. The first batch is judged and not
counted. Server and client share the cores of this machine; the processor time of the server for each row is told, too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
from resume import rows


@contextmanager
def server(directory: str, database: str | None = None) -> Iterator[tuple[str, psutil.Process]]:
    """Its address, and its process."""
    log = Path(directory) / "log"
    where = database or f"{directory}/s.sqlite"
    command = (sys.executable, "-m", "judge", "serve", "--port", "0", "--database", where)
    with log.open("wb") as said:
        process = subprocess.Popen(command, stderr=said)
    try:
        while (found := re.search(r"judge: (http://\S+:\d+)/docs", log.read_text())) is None:
            time.sleep(0.05)
        yield found[1], psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def batch(client: httpx.Client, body: bytes) -> int:
    """Judge one batch: how many results came."""
    made = client.post("/v1/batches", params={"stop": "first_failure"}, content=body)
    made.raise_for_status()
    results = f"/v1/batches/{made.json()['id']}/results"
    with client.stream("GET", results, params={"follow": "true"}) as lines:
        verdicts = [json.loads(line)["judgement"]["verdict"] for line in lines.iter_lines()]
    if "IE" in verdicts:
        raise SystemExit("a row could not be judged")
    return len(verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rows", type=int, default=5000)
    parser.add_argument("--batches", type=int, default=4)
    parser.add_argument("--distinct", type=int, default=100)
    parser.add_argument("--database", help="postgresql://… (default: an SQLite file)")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    distinct = itertools.cycle(rows(arguments.distinct))
    chosen = [{**row, "id": str(number)} for number, row in zip(range(arguments.rows), distinct, strict=False)]
    body = "".join(json.dumps(row) + "\n" for row in chosen).encode()
    with tempfile.TemporaryDirectory() as directory, server(directory, arguments.database) as (address, process):
        with httpx.Client(base_url=address, timeout=600) as client:
            batch(client, body)
            began, before = time.monotonic(), sum(process.cpu_times()[:2])
            count = sum(batch(client, body) for _ in range(arguments.batches))
            seconds, used_s = time.monotonic() - began, sum(process.cpu_times()[:2]) - before
        memory = process.memory_info().rss >> 20
    figures = {"rows": count, "rate": count / seconds, "server_us": 1e6 * used_s / count, "memory_mib": memory}
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
