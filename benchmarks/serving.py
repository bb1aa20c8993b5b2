"""`judge serve` under load, beside `judge batch` on the same rows.

    python benchmarks/serving.py [--connections N] [--seconds S] [--warm S] [--hostile SHARE] [--leaving SHARE]
                                 [--slots N] [--batch S] [--json FILE]

Each of N connections sends a row (labelled submissions of the library in C++, C and Python, made distinct by a
comment), waits for its judgement, and sends the next. Before and after, `judge batch` with as many slots judges the
same rows from the first on, for `--batch` seconds (default: half as long), as a process of its own that gets them
through a pipe. Each begins with an empty cache, and is counted from `--warm` seconds after its start until so many
seconds later. The server is counted by its own metrics: rows whose client has left are judged, too.

Every verdict of the server is compared with that of `judge batch` for the same row. `--hostile`: so many of the rows
hold memory, time, output or processes until they are stopped. `--leaving`: so many clients break off a moment after
they have sent a row.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
from resume import rows
from served import serving

_HOSTILE = {
    "memory": "x = []\nwhile 1: x.append(bytearray(1 << 24))\n",
    "time": "while 1: pass\n",
    "output": "while 1: print('x' * 65536)\n",
    "processes": "import os\nwhile 1: os.fork()\n",
}
_EVERY = 10_000_000
_LOOKS = 20
#: Rows that `judge batch` is given ahead, for each slot.
_AHEAD = 16
#: Rows that are told whose verdicts differ.
_TOLD = 20


@dataclass(slots=True, kw_only=True)
class Load:
    connections: int
    seconds: float
    warm: float
    #: For so long `judge batch` is counted, each time.
    batch: float
    hostile: float
    leaving: float
    #: Of what was answered while it was counted.
    times_s: list[float] = field(default_factory=list)
    #: By row.
    verdicts: dict[str, str] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    left: int = 0
    judged: float = 0.0
    memory_mib: list[int] = field(default_factory=list)


def sent(hostile: float) -> Iterator[dict[str, str]]:
    """Rows without end, the same each time."""
    fresh = rows(_EVERY)
    for number in count():
        if hostile and number % round(1 / hostile) == 0:
            kind = list(_HOSTILE)[number // round(1 / hostile) % len(_HOSTILE)]
            source = f"{_HOSTILE[kind]}# {number}\n"
            yield {"id": f"{kind}-{number}", "problem": "P1001", "language": "python3", "source": source}
        else:
            yield next(fresh)


def batch_rate(load: Load, slots: int, known: dict[str, str]) -> float:
    """Judgements a second of `judge batch`, which adds its verdicts to `known`."""
    until_s = load.warm + load.batch
    how = ("-j", str(slots), "--first-failure", "--no-verdict-cache")
    with tempfile.TemporaryDirectory() as directory:
        batch = subprocess.Popen(
            (sys.executable, "-m", "judge", "batch", "-", "-o", "-", *how),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "JUDGE_CACHE_DIR": f"{directory}/cache"},
        )
        began, ahead = time.monotonic(), threading.Semaphore(_AHEAD * slots)

        def feed(pipe: Any) -> None:
            with pipe:
                for row in sent(load.hostile):
                    ahead.acquire()
                    if time.monotonic() > began + until_s:
                        return
                    pipe.write(json.dumps(row).encode() + b"\n")
                    pipe.flush()

        feeder = threading.Thread(target=feed, args=(batch.stdin,))
        feeder.start()
        counted = 0
        for line in batch.stdout or ():
            counted += load.warm <= time.monotonic() - began <= until_s
            found = json.loads(line)
            known[found["id"]] = found["verdict"]
            ahead.release()
        feeder.join()
        batch.wait()
    return counted / load.batch


async def one_connection(address: str, load: Load, source: Iterator[dict[str, str]], began: float) -> None:
    until = began + load.warm + load.seconds
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        for number in count():
            if time.monotonic() >= until:
                return
            row = next(source)
            sent_s = time.monotonic()
            leaves = load.leaving and number % round(1 / load.leaving) == 0
            try:
                verdict = await asked(client, row, 0.05 if leaves else 300)
            except httpx.TimeoutException:
                load.left += 1
                continue
            except (httpx.HTTPError, KeyError, ValueError) as error:
                load.errors[f"{type(error).__name__}: {error}"[:100]] += 1
                continue
            load.verdicts[row["id"]] = verdict
            if verdict == "IE":
                load.errors["IE"] += 1
            if began + load.warm <= time.monotonic() <= until:
                load.times_s.append(time.monotonic() - sent_s)


async def asked(client: httpx.AsyncClient, row: dict[str, str], patience_s: float) -> str:
    body = {**row, "options": {"stop": "first_failure"}}
    answer = await client.post("/v1/judgements", params={"wait": 60}, json=body, timeout=patience_s)
    while answer.status_code == 202:
        answer = await client.get(answer.headers["location"], params={"wait": 60})
    return str(answer.json()["judgement"]["verdict"])


def served(load: Load, slots: int) -> None:
    with serving(slots) as server:
        asyncio.run(_loaded(server.address, load, psutil.Process(server.process.pid)))


async def _loaded(address: str, load: Load, server: psutil.Process) -> None:
    source, began = sent(load.hostile), time.monotonic()
    work = asyncio.gather(*(one_connection(address, load, source, began) for _ in range(load.connections)))
    await asyncio.sleep(load.warm)
    before, then = await _judged(address), time.monotonic()
    for look in range(1, _LOOKS + 1):
        await asyncio.sleep(max(0.0, began + load.warm + load.seconds * look / _LOOKS - time.monotonic()))
        load.memory_mib.append(server.memory_info().rss >> 20)
    load.judged = (await _judged(address) - before) / (time.monotonic() - then)
    await work


async def _judged(address: str) -> float:
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        text = (await client.get("/metrics")).text
    return sum(float(value) for value in re.findall(r"^judge_ended_total\{.*\} (\S+)$", text, re.MULTILINE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--warm", type=float, default=20)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--batch", type=float)
    parser.add_argument("--hostile", type=float, default=0.0)
    parser.add_argument("--leaving", type=float, default=0.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.batch = arguments.batch or arguments.seconds / 2
    how = {name: getattr(arguments, name) for name in ("connections", "seconds", "warm", "batch", "hostile", "leaving")}
    load, known = Load(**how), dict[str, str]()
    rates = [batch_rate(load, arguments.slots, known)]
    served(load, arguments.slots)
    rates.append(batch_rate(load, arguments.slots, known))
    cuts = statistics.quantiles(load.times_s, n=100)
    differ = {
        id_: (verdict, known[id_]) for id_, verdict in load.verdicts.items() if known.get(id_, verdict) != verdict
    }
    figures = {
        **how,
        "answered": len(load.times_s),
        "judged_per_s": load.judged,
        "batch_per_s": rates,
        "share": load.judged / statistics.mean(rates),
        "p50_s": cuts[49],
        "p99_s": cuts[98],
        "memory_mib": load.memory_mib,
        "errors": dict(load.errors),
        "left": load.left,
        "verdicts": dict(Counter(load.verdicts.values())),
        "compared": len(load.verdicts.keys() & known.keys()),
        "differ": dict(list(differ.items())[:_TOLD]),
    }
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures) + "\n")
    sys.exit(1 if load.errors or differ else 0)


if __name__ == "__main__":
    main()
