"""Sends the submissions of one queue to the nodes of a cluster. Everything here runs in one event loop.

    submit ──► waiting ──► a node with room (`_best`) ──► answer ──► the future
                  ▲                  │
                  └── lost ◄─────────┘  the actor or its node died: sent elsewhere, at most `_LOSSES` times in all

Submissions and answers travel in chunks, because a call costs more than a submission. To each node one chunk is under
way at a time; what is given to the node meanwhile goes with the next one, and so do answers on the way back. So chunks
are as large as the load makes them, and with little load each submission is sent at once.

We look for nodes every `_LOOK_S`, and when a node is lost. A node serves once its actor has opened a sandbox as the
settings ask. If it cannot, the node is refused for good. If an actor dies while its node lives, we start another.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
from collections import deque
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from containers import Isolation, Unavailable, Unsupported
from judge.common.errors import Cancelled, JudgeError
from judge.common.models import Judgement, Submission, Verdict
from judge.judging.engine import failed
from judge.many.cluster.node import Forgotten, Node, NodeSettings, Opened, Refusal, Row, chunk
from judge.many.cluster.served import RemoteTask, Served
from judge.many.cluster.shipping import Packages
from problems.errors import ProblemError

_log = logging.getLogger(__name__)

#: After so many losses a submission is IE: it may itself be what kills the nodes.
_LOSSES = 4
#: After so many deaths of its actors in a row without an answer a node is refused.
_DEATHS = 6
_LOOK_S = 2.0
#: How long we wait for nodes to stop what runs.
_CLOSE_S = 5.0
#: How many calls an actor handles at the same time: packages come while rows do.
_CALLS = 256


#: So many packages of a node are remembered: others are sent again.
_PACKAGES = 1 << 16


class Lost(Exception):
    """A node died with a submission. The message says how."""


class Dispatcher:
    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._packages = Packages()
        self._waiting: deque[RemoteTask] = deque()
        self._nodes: dict[str, Served] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._refused: dict[str, str] = {}  # by id: the name, and why
        self._deaths: dict[str, list[str]] = {}
        self._look = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._numbers = itertools.count()
        self._closed = False

    @property
    def slots(self) -> int:
        return sum(node.slots for node in tuple(self._nodes.values()))  # other threads ask

    @property
    def isolation(self) -> Isolation:
        """That of the node that has served longest. Each Judgement tells its own."""
        for node in tuple(self._nodes.values()):
            return node.isolation
        raise self._nobody()

    async def begin(self, patience_s: float) -> None:
        """Open the nodes of the cluster, and wait `patience_s` at most.

        Raises:
            Unavailable: no node can judge.
        """
        await self._find_nodes()
        if self._opening:
            await asyncio.wait(self._opening.values(), timeout=patience_s)
        if not self._nodes:
            raise self._nobody()
        self._watcher = asyncio.create_task(self._watch())

    def submit(self, tasks: Sequence[RemoteTask]) -> None:
        self._waiting.extend(tasks)
        self._dispatch()

    async def close(self) -> None:
        """Cancel everything, and leave no actor behind."""
        self._closed = True
        if self._watcher is not None:
            self._watcher.cancel()
        self._fail_waiting(Cancelled())
        for opening in (openings := list(self._opening.values())):
            opening.cancel()
        await asyncio.gather(*openings, return_exceptions=True)  # each kills its actor
        nodes = list(self._nodes.values())
        if nodes:
            await asyncio.wait([asyncio.ensure_future(_closed(node)) for node in nodes], timeout=_CLOSE_S)
        for node in nodes:
            self._drop(node, "the judge was closed")
        await asyncio.gather(*(work for node in nodes for work in node.work), return_exceptions=True)
        self._packages.close()

    def _dispatch(self) -> None:
        """Give what waits to the nodes: several to one node at once, because to choose among many nodes takes time."""
        while self._waiting and (node := self._best(self._waiting[0])) is not None:
            free = node.slots - len(node.running)
            share = math.ceil(len(self._waiting) / len(self._nodes))
            for _ in range(max(1, min(share, free if free > 0 else node.room))):
                self._give(node, self._waiting.popleft())
                if not self._waiting or self._waiting[0].submission.problem_key not in node.packages:
                    break

    def _best(self, task: RemoteTask) -> Served | None:
        """The node to send it to: best one with a free slot, and among those one that has the package."""
        key = task.submission.problem_key
        return min(
            (node for node in self._nodes.values() if node.room > 0),
            key=lambda node: (
                len(node.running) >= node.slots,
                key not in node.packages,
                len(node.running) / node.slots,
            ),
            default=None,
        )

    def _give(self, node: Served, task: RemoteTask) -> None:
        if not task.losses and not task.future.set_running_or_notify_cancel():
            return
        number = next(self._numbers)
        node.running[number] = task
        package = node.packages.get(task.submission.problem_key)
        if package is not None and package.done() and not package.cancelled() and package.exception() is None:
            self._put(node, number, task, package.result())
        else:
            self._start(node, self._put_with_package(node, number, task))

    def _put(self, node: Served, number: int, task: RemoteTask, held: str | None) -> None:
        submission = replace(task.submission, problem=task.submission.problem_name)
        node.outgoing.append((number, submission, task.options, held))
        node.any_outgoing.set()

    async def _put_with_package(self, node: Served, number: int, task: RemoteTask) -> None:
        try:
            held = await self._sent(node, task.submission)
        except Exception as error:  # the task's, whatever it is: nobody else waits for it
            self._settle(node, number, error)
        else:
            self._put(node, number, task, held)

    def _start(self, node: Served, work: Coroutine[None, None, None]) -> None:
        started = asyncio.create_task(self._working(node, work))
        node.work.add(started)
        started.add_done_callback(node.work.discard)

    async def _working(self, node: Served, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except Lost:
            pass  # the node was given up, and what it had goes elsewhere
        except Exception as error:
            _log.exception("node %s: unexpected failure", node.name)
            self._drop(node, f"unexpected failure: {error!r}")

    async def _send_chunks(self, node: Served) -> None:
        while True:
            await node.any_outgoing.wait()
            node.any_outgoing.clear()
            rows = chunk(node.outgoing, _size)
            if node.outgoing:
                node.any_outgoing.set()
            try:
                await self._call(node, node.actor.begin.remote(rows))
            except JudgeError as error:
                for row in rows:
                    self._settle(node, row[0], error)

    async def _receive_chunks(self, node: Served) -> None:
        while True:
            answers = await self._call(node, node.actor.answers.remote())
            node.count(len(answers))
            self._deaths.pop(node.id, None)
            for number, answer in answers:
                self._settle(node, number, answer)
            self._dispatch()

    def _settle(self, node: Served, number: int, answer: Judgement | Refusal | Exception) -> None:
        """Hand the answer to who waits for it. If the node was given up, it is not awaited any more."""
        if isinstance(answer, Refusal):
            answer = self._refusal(node, answer)
        if (task := node.running.pop(number, None)) is None:
            return
        match answer:
            case Forgotten():  # the node made room for other packages
                node.packages.pop(task.submission.problem_key, None)
                self._lost(task, str(answer))
            case Judgement(verdict=Verdict.IE):
                task.future.set_result(replace(answer, error=f"node {node.name}: {answer.error}"))
            case Judgement():
                task.future.set_result(answer)
            case _:
                task.future.set_exception(answer)

    async def _call(self, node: Served, call: Any) -> Any:
        """The answer of a call.

        Raises:
            Lost: the node is gone, or has just been refused.
            JudgeError, ProblemError, Unsupported: the submission cannot be judged.
        """
        try:
            answer = await call
        except RayTaskError as error:
            raise JudgeError(f"node {node.name}: unexpected failure: {error.cause!r}") from error
        except RayError as error:
            self._drop(node, _line(error))
            raise Lost(f"node {node.name}: {node.lost}") from error
        if isinstance(answer, Refusal):
            raise self._refusal(node, answer)
        return answer

    def _refusal(self, node: Served, answer: Refusal) -> Exception:
        """The error of one submission; or `Lost`, if the node itself cannot judge: then it is given up."""
        refused = answer.error(node.name)
        if self._closed or not isinstance(refused, (Unavailable, Cancelled)) or isinstance(refused, Unsupported):
            return refused
        self._refuse(node.id, str(refused))
        self._drop(node, answer.message)
        return Lost(str(refused))

    def _lost(self, task: RemoteTask, how: str) -> None:
        task.losses.append(how)
        if self._closed:
            task.future.set_exception(Cancelled())
        elif len(task.losses) < _LOSSES:
            self._waiting.appendleft(task)
        else:
            causes = "; ".join(dict.fromkeys(task.losses))
            task.future.set_result(failed(task.submission, f"lost {len(task.losses)} times: {causes}"))

    def _fail_waiting(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, deque()
        for task in waiting:
            if task.losses or task.future.set_running_or_notify_cancel():
                task.future.set_exception(error)

    async def _sent(self, node: Served, submission: Submission) -> str | None:
        """Make sure that the node has the package; send it at most once. Returns what `Served.packages` says."""
        key = submission.problem_key
        sending = node.packages.get(key)
        if sending is None:
            if len(node.packages) >= _PACKAGES:
                del node.packages[next(iter(node.packages))]
            sending = node.packages[key] = asyncio.create_task(self._send(node, submission))
            sending.add_done_callback(lambda done: done.cancelled() or done.exception())  # `_sent` raises it
        try:
            return await asyncio.shield(sending)
        except (JudgeError, ProblemError):
            node.packages.pop(key, None)
            raise

    async def _send(self, node: Served, submission: Submission) -> str | None:
        package, name = await self._packages.find(submission), submission.problem_name
        named = isinstance(submission.problem, (str, Path)) and "/" not in name
        if named and await self._call(node, node.actor.has.remote(name, package.digest)):
            return None
        content = await self._packages.content(package)
        await self._call(node, node.actor.hold.remote(package.digest, package.path.name, content))
        return package.digest

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), _LOOK_S)
            self._look.clear()
            try:
                await self._find_nodes()
            except RayError as error:
                _log.warning("the Ray cluster does not say which nodes it has: %s", _line(error))
            if not self._nodes and not self._opening:
                self._fail_waiting(self._nobody())

    async def _find_nodes(self) -> None:
        # Users keep work off a node (often the head) by telling Ray that it has no CPUs.
        alive = {
            found["NodeID"]: found
            for found in await asyncio.to_thread(ray.nodes)
            if found["Alive"] and found["Resources"].get("CPU", 0) >= 1
        }
        for node in list(self._nodes.values()):
            if node.id not in alive:
                self._drop(node, "the node left the cluster")
        for id_, found in alive.items():
            if id_ not in self._nodes and id_ not in self._opening and id_ not in self._refused:
                self._opening[id_] = asyncio.create_task(self._open(id_, found))

    async def _open(self, id_: str, found: dict[str, Any]) -> None:
        try:
            await self._try(id_, found)
        finally:
            del self._opening[id_]

    async def _try(self, id_: str, found: dict[str, Any]) -> None:
        name = f"{found['NodeManagerAddress']} ({id_[:8]})"
        # We claim no CPUs from Ray: a claim that is not granted would wait for ever, and the node counts slots itself.
        # We bind the actor to the node, and start new ones ourselves: its files are there.
        actor = (
            ray.remote(Node)
            .options(
                num_cpus=0,
                max_restarts=0,
                max_concurrency=_CALLS,
                scheduling_strategy=NodeAffinitySchedulingStrategy(id_, soft=False),
            )
            .remote(self._settings)
        )
        try:
            opened = await actor.open.remote(int(found["Resources"]["CPU"]))
        except RayError as error:
            self._died(id_, name, _line(error))
            ray.kill(actor)
            return
        except asyncio.CancelledError:
            ray.kill(actor)
            raise
        match opened:
            case Opened():
                node = Served(id=id_, name=name, actor=actor, slots=opened.slots, isolation=opened.isolation)
                self._nodes[id_] = node
                self._start(node, self._send_chunks(node))
                self._start(node, self._receive_chunks(node))
                self._dispatch()
            case Refusal():
                self._refuse(id_, str(opened.error(name)))
                ray.kill(actor)
            case _:
                assert_never(opened)

    def _refuse(self, id_: str, why: str) -> None:
        self._refused[id_] = why
        _log.warning("not used: %s", why)

    def _died(self, id_: str, name: str, how: str) -> None:
        deaths = self._deaths.setdefault(id_, [])
        deaths.append(how)
        if len(deaths) >= _DEATHS:
            self._refuse(id_, f"node {name}: its actor died {len(deaths)} times: {how}")
        self._look.set()

    def _drop(self, node: Served, why: str) -> None:
        """Give a node up. Its submissions are lost, and judged elsewhere."""
        if node.lost is not None:
            return
        node.lost = why
        self._nodes.pop(node.id, None)
        if not self._closed and node.id not in self._refused:
            _log.warning("node %s is lost with %d submissions: %s", node.name, len(node.running), why)
            self._died(node.id, node.name, why)
        ray.kill(node.actor)
        current = asyncio.current_task()
        for work in node.work:
            if work is not current:
                work.cancel()
        lost, node.running = list(node.running.values()), {}
        for task in reversed(lost):  # each goes to the front
            self._lost(task, f"node {node.name}: {why}")
        self._dispatch()

    def _nobody(self) -> Unavailable:
        died = (f"node {id_[:8]}: {deaths[-1]}" for id_, deaths in self._deaths.items() if id_ not in self._refused)
        why = "; ".join((*self._refused.values(), *died)) or "none with CPUs is alive"
        return Unavailable(f"no node of the Ray cluster can judge: {why}")


def _size(row: Row) -> int:
    submission = row[1]
    return len(submission.source) + sum(len(content) for _, content in submission.files)


async def _closed(node: Served) -> None:
    try:
        await node.actor.close.remote()
    except RayError as error:
        _log.debug("node %s: %s", node.name, error)


def _line(error: RayError) -> str:
    """First and last line of a message of Ray, which can fill pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if len(lines) <= 1 else f"{lines[0]} {lines[-1]}"
