"""Nodes on the machines of a Ray cluster: one actor on each, which owns the machine. Packages are sent once, through
Ray's object store, to nodes that have no equal one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from containers import Unavailable
from judge.common.errors import JudgeError
from judge.common.models import Options, Submission
from judge.judging.known import Context
from judge.many import packages
from judge.many.cluster.actor import Actor, Candidate, Dead, Failed
from judge.many.cluster.node import Answer, NodeSettings, Opened, Refusal, Row
from judge.many.cluster.whole import WholeNode
from judge.many.packages import Package, once
from judge.store.recent import Recent
from problems.files import parcel

#: How many calls an actor handles at the same time: packages come while rows do.
_CALLS = 256
#: `_KEPT` packages stay in the object store for nodes that have not asked yet. Others are packed again on demand.
_KEPT = 64


class RayActor:
    """The `Actor` of a Ray actor."""

    def __init__(self, handle: Any, cpus: int) -> None:
        self.handle, self._cpus = handle, cpus

    async def call(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except RayTaskError as error:
            raise Failed(repr(error.cause)) from error
        except RayError as error:
            raise Dead(_line(error)) from error

    async def open(self) -> Opened | Refusal:
        opened: Opened | Refusal = await self.call(self.handle.open.remote(self._cpus))
        return opened

    async def begin(self, rows: Sequence[Row]) -> None:
        await self.call(self.handle.begin.remote(rows))

    async def answers(self) -> list[tuple[int, Answer]]:
        answers: list[tuple[int, Answer]] = await self.call(self.handle.answers.remote())
        return answers

    def stop(self, number: int) -> None:
        self.handle.stop.remote(number)

    async def close(self) -> None:
        await self.call(self.handle.close.remote())

    def kill(self) -> None:
        ray.kill(self.handle)


class RayFleet:
    """The `Fleet` of a Ray cluster, to which this process is connected."""

    #: Calls go over a network.
    ahead_s, spare = 0.1, 2

    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._candidates: dict[str, Candidate] = {}
        self._packages = _Packages()

    async def find(self) -> Mapping[str, Candidate]:
        try:
            nodes = await asyncio.to_thread(ray.nodes)
        except RayError as error:
            raise Dead(f"the Ray cluster does not say which nodes it has: {_line(error)}") from error
        # Users keep work off a node (often the head) by telling Ray that it has no CPUs.
        self._candidates = {
            node["NodeID"]: Candidate(
                name=f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})", cpus=int(node["Resources"]["CPU"])
            )
            for node in nodes
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        }
        return self._candidates

    def start(self, id_: str) -> Actor:
        # We claim no CPUs from Ray: a claim that is not granted would wait for ever, and the node counts slots itself.
        # We bind the actor to the node, and start new ones ourselves: its files are there.
        handle = (
            ray.remote(WholeNode)
            .options(
                num_cpus=0,
                max_restarts=0,
                max_concurrency=_CALLS,
                scheduling_strategy=NodeAffinitySchedulingStrategy(id_, soft=False),
            )
            .remote(self._settings)
        )
        return RayActor(handle, self._candidates[id_].cpus)

    def is_there(self, submission: Submission) -> bool:
        return False

    async def bring(self, actor: Actor, submission: Submission) -> str | Refusal | None:
        actor = cast("RayActor", actor)  # as `start` made it
        package, name = await self._packages.find(submission), submission.problem_name
        named = isinstance(submission.problem, (str, Path)) and "/" not in name
        if named and await actor.call(actor.handle.has.remote(name, package.digest)):
            return None
        content = await self._packages.content(package)
        refused: Refusal | None = await actor.call(actor.handle.hold.remote(package.digest, package.path.name, content))
        return refused or package.digest

    def learn(self, submission: Submission, options: Options, context: Context) -> None:
        """Nodes do not tell: this machine may have other compilers than they."""

    def explain(self, why: str) -> Unavailable:
        return Unavailable(f"no node of the Ray cluster can judge: {why or 'none with CPUs is alive'}")

    def close(self) -> None:
        self._packages.close()


class _Packages(packages.Packages):
    """The packages of the driver. Each is read once, is packed only if a node lacks it, and stays in the object store
    while nodes fetch it. Use it in one event loop only."""

    def __init__(self) -> None:
        super().__init__()
        self._packed = Recent[asyncio.Task["ray.ObjectRef[bytes]"]](_KEPT)

    async def content(self, package: Package) -> ray.ObjectRef[bytes]:
        """
        Raises:
            ProblemError: the package cannot be packed.
            JudgeError: Ray's object store does not take it.
        """
        return await once(self._packed, package.digest, lambda: _pack(package))


def _pack(package: Package) -> ray.ObjectRef[bytes]:
    try:
        return ray.put(parcel.pack(package.path))
    except RayError as error:
        raise JudgeError(f"{package.path}: Ray's object store does not take it: {error}") from error


def _line(error: RayError) -> str:
    """First and last line of a message of Ray, which can fill pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if len(lines) <= 1 else f"{lines[0]} {lines[-1]}"
