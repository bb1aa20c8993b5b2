"""Counts the files and functions of ours between a door and the engine.

post    a submission is sent over HTTP ─► `Engine.judge`       run     `judge run` ─► `Engine.judge`
answer  `Engine.judge` ─► the client has the judgement        reward  `reward_funcs.accepted` ─► `Engine.judge`

Each call in each thread counts, also where a function that waited goes on. Every road is walked twice, by two different
programs, and the second walk counts: what is made once in a process, or looked up once a second, is on no road.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from inspect import CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from unittest.mock import patch

import httpx

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = tuple(f"{ROOT / package}{os.sep}" for package in ("judge", "problems", "containers", "trainer_adapter"))


class Walk:
    """The profiler: what was entered, in order, before the engine and after it."""

    def __init__(self, engine: CodeType) -> None:
        self.engine, self.before, self.after, self.at = engine, list[CodeType](), list[CodeType](), list[CodeType]()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code is self.engine and event in {"call", "return"}:
            self.at = [] if event == "call" else self.after  # within the engine nothing is counted
        elif event == "call":
            self.at.append(frame.f_code)


def list_hops(entered: list[CodeType]) -> dict[str, list[str]]:
    """By file, the functions of ours in the order in which they were first entered. The body of a class is none."""
    hops: dict[str, list[str]] = {}
    for code in dict.fromkeys(entered):
        if code.co_filename.startswith(PACKAGES) and code.co_flags & CO_OPTIMIZED and "<" not in code.co_name:
            hops.setdefault(str(Path(code.co_filename).relative_to(ROOT)), []).append(code.co_qualname)
    return hops


@contextmanager
def post(directory: Path) -> Iterator[Callable[[str], bool]]:
    import uvicorn  # noqa: PLC0415 - the profiler is set first

    from judge.server import app, connection, settings  # noqa: PLC0415
    from judge.server.guarding.keys import Keys  # noqa: PLC0415
    from judge.server.storing.store import Store  # noqa: PLC0415

    asked = settings.Settings(slots=1)
    served = app.application(asked, Keys(None), Store(directory / "server.sqlite"))
    http = connection.make_protocols(asked, served.state.held)[0]
    server = uvicorn.Server(uvicorn.Config(served, http=http, ws="none", log_config=None))
    listening = socket.create_server(("127.0.0.1", 0))
    (serving := threading.Thread(target=server.run, args=([listening],))).start()

    def step(source: str) -> bool:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1/judgements?wait=60"
        body = {"source": source, "problem": "P1001", "language": "python3"}
        return bool(httpx.post(url, json=body, timeout=120).json()["judgement"]["accepted"])

    try:
        yield step
    finally:
        server.should_exit = True
        serving.join()


@contextmanager
def run(directory: Path) -> Iterator[Callable[[str], bool]]:
    from judge.cli import main as judge  # noqa: PLC0415

    path = directory / "a.py"
    with redirect_stdout(StringIO()):
        yield lambda source: path.write_text(source) > 0 and judge(["run", str(path), "--problem", "P1001"]) == 0


@contextmanager
def reward(_: Path) -> Iterator[Callable[[str], bool]]:
    from trainer_adapter.reward_funcs import accepted, close  # noqa: PLC0415

    yield lambda source: accepted(completions=[f"```python\n{source}\n```"], problem_id=["P1001"]) == [1.0]
    close()


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from judge.judging.engine import Engine  # noqa: PLC0415

    still = SimpleNamespace(monotonic=float)  # a walk may last for longer than a second
    with tempfile.TemporaryDirectory() as name, patch("judge.store.recent.time", still):
        os.environ["JUDGE_CACHE_DIR"] = name  # nothing is known
        walk, roads = Walk(Engine.judge.__code__), dict[str, dict[str, list[str]]]()
        threading.setprofile(walk)
        sys.setprofile(walk)
        for road in (post, run, reward):
            with road(Path(name)) as step:
                for comment in ("warm", road.__name__):
                    walk.before, walk.after = [], []
                    walk.at = walk.before
                    if not step(f"print(sum(map(int, input().split())))  # {comment}"):
                        sys.exit(f"{road.__name__}: a right program was refused")
                roads |= {road.__name__: list_hops(walk.before)}
                roads |= {"answer": list_hops(walk.after)} if road is post else {}
    rows = [f"{road:7} {len(hops):3} files {sum(map(len, hops.values())):4} functions" for road, hops in roads.items()]
    print(json.dumps(roads, indent=2) if "--json" in sys.argv else "\n".join(rows))


if __name__ == "__main__":
    main()
