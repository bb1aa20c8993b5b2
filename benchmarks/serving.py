"""`judge serve` under load, beside the same rows in a Judge of this process.

    python benchmarks/serving.py [--connections N] [--seconds S] [--hostile SHARE] [--leaving SHARE] [--json FILE]

Each of N connections sends a row (labelled submissions of the library, made distinct by a comment), waits for its
judgement, and sends the next. Before and after, a Judge with as many slots judges such rows for half as long: the
server's rate is a share of that. Every judgement is compared with that of the same submission on this machine.
`--hostile`: so many of the rows hold memory, time, output or processes until they are stopped. `--leaving`: so many
clients break off a moment after they have sent a row.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
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

from judge import Judge, Options, Stop, Submission

_HOSTILE = {
    "memory": "x = []\nwhile 1: x.append(bytearray(1 << 24))\n",
    "time": "while 1: pass\n",
    "output": "while 1: print('x' * 65536)\n",
    "processes": "import os\nwhile 1: os.fork()\n",
}
_EVERY = 10_000_000
_OPTIONS = Options(stop=Stop.FIRST_FAILURE)


@dataclass(slots=True, kw_only=True)
class Load:
    seconds: float
    hostile: float
    leaving: float
    times_s: list[float] = field(default_factory=list)
    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    left: int = 0


def sent(hostile: float) -> Iterator[dict[str, str]]:
    """Rows without end."""
    fresh = rows(_EVERY)
    for number in count():
        if hostile and number % round(1 / hostile) == 0:
            kind = list(_HOSTILE)[number % len(_HOSTILE)]
            source = f"{_HOSTILE[kind]}# {number}\n"
            yield {"id": f"{kind}-{number}", "problem": "P1001", "language": "python3", "source": source}
        else:
            yield next(fresh)


async def one_connection(address: str, load: Load, source: Iterator[dict[str, str]], until: float) -> None:
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        for number in count():
            if time.monotonic() >= until:
                return
            row = next(source)
            body = {**row, "options": {"stop": "first_failure"}}
            began = time.monotonic()
            leaves = load.leaving and number % round(1 / load.leaving) == 0
            try:
                patience = 0.05 if leaves else 300
                answer = await client.post("/v1/judgements", params={"wait": 60}, json=body, timeout=patience)
                while answer.status_code == 202:
                    answer = await client.get(answer.headers["location"], params={"wait": 60})
                verdict = answer.json()["judgement"]["verdict"]
            except httpx.TimeoutException:
                load.left += 1
                continue
            except (httpx.HTTPError, KeyError, ValueError) as error:
                load.errors[f"{type(error).__name__}: {error}"[:100]] += 1
                continue
            load.times_s.append(time.monotonic() - began)
            load.verdicts.setdefault(key(row), Counter())[verdict] += 1


def key(row: dict[str, str]) -> str:
    name = row["id"].partition("-")[0]
    comment = re.sub(r"\n(//|#) \d+\n$", "", row["source"])
    return name if name in _HOSTILE else f"{row['problem']}/{len(comment)}/{row['language']}"


def local_rate(seconds: float, slots: int, hostile: float, known: dict[str, Counter[str]]) -> float:
    """Judgements a second of a Judge in this process."""
    done, began = 0, time.monotonic()
    with Judge(slots=slots) as judge:
        by_id: dict[str, str] = {}

        def submissions() -> Iterator[Submission]:
            for row in sent(hostile):
                if time.monotonic() > began + seconds:
                    return
                by_id[row["id"]] = key(row)
                source = row["source"].encode() + f"\n{'#' if row['language'] == 'python3' else '//'} {began}".encode()
                yield Submission(source=source, problem=row["problem"], language=row["language"], id=row["id"])

        for judgement in judge.judge_many(submissions(), _OPTIONS):
            known.setdefault(by_id.pop(str(judgement.id)), Counter())[judgement.verdict.value] += 1
            done += 1
    return done / (time.monotonic() - began)


def served(arguments: argparse.Namespace, load: Load) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "log"
        command = (sys.executable, "-m", "judge", "serve", "--port", "0", "--slots", str(arguments.slots))
        with log.open("wb") as said:
            server = subprocess.Popen((*command, "--database", f"{directory}/s.sqlite"), stderr=said)
        try:
            while (found := re.search(r"judge: (http://\S+:\d+)/docs", log.read_text())) is None:
                time.sleep(0.05)
            memory = asyncio.run(_loaded(found[1], arguments.connections, load, psutil.Process(server.pid)))
        finally:
            server.terminate()
            server.wait()
    return {"memory_mib": memory}


async def _loaded(address: str, connections: int, load: Load, server: psutil.Process) -> list[int]:
    source, until = sent(load.hostile), time.monotonic() + load.seconds
    work = asyncio.gather(*(one_connection(address, load, source, until) for _ in range(connections)))
    memory: list[int] = []
    while not work.done():
        memory.append(server.memory_info().rss >> 20)
        await asyncio.wait([work], timeout=load.seconds / 10)
    await work
    return memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--hostile", type=float, default=0.0)
    parser.add_argument("--leaving", type=float, default=0.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    known: dict[str, Counter[str]] = {}
    load = Load(seconds=arguments.seconds, hostile=arguments.hostile, leaving=arguments.leaving)
    how = (arguments.seconds / 2, arguments.slots, arguments.hostile, known)
    rates = [local_rate(*how)]
    began = time.monotonic()
    figures = served(arguments, load)
    rate = len(load.times_s) / (time.monotonic() - began)
    rates.append(local_rate(*how))
    own = statistics.mean(rates)
    cuts = statistics.quantiles(load.times_s, n=100)
    differ = {
        name: (dict(found), dict(known[name]))
        for name, found in load.verdicts.items()
        if name in known and set(found) != set(known[name])
    }
    figures |= {
        "judgements": len(load.times_s),
        "per_s": rate,
        "own_per_s": rates,
        "share": rate / own,
        "p50_s": cuts[49],
        "p99_s": cuts[98],
        "errors": dict(load.errors),
        "left": load.left,
        "differ": differ,
    }
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
