"""Sends the submissions of one queue to nodes: machines of a cluster, or worker processes of this machine (`Fleet`).
Everything here runs in one event loop.

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
from collections.abc import Awaitable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, assert_never

from containers import Isolation, Unavailable, Unsupported
from judge.common.errors import Cancelled, JudgeError
from judge.common.execution import Execution
from judge.common.models import Judgement, Submission, Verdict, make_internal_error
from judge.many.cluster.actor import Dead, Failed, Fleet
from judge.many.cluster.node import Answer, Compiled, Forgotten, Learned, Lent, Opened, Refusal, Row, Tested, chunk
from judge.many.cluster.served import RemoteTask, Served
from problems.errors import ProblemError

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

#: After `_LOSSES` losses a submission is IE: it may itself be what kills the nodes.
_LOSSES = 4
#: After `_DEATHS` deaths of its actors in a row without an answer a node is refused.
_DEATHS = 6
_LOOK_S = 2.0
#: How long we wait for nodes to stop what runs.
_CLOSE_S = 5.0


class Lost(Exception):
    """A node died with a submission. The message says how."""


class Dispatcher:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
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

    async def begin(self) -> None:
        """Begin to open the nodes that there are. What is submitted meanwhile waits for the first one."""
        await self._find_nodes()
        self._watcher = asyncio.create_task(self._watch())

    async def wait_open(self, patience_s: float) -> None:
        """Wait, `patience_s` at most, until all nodes are open that were found.

        Raises:
            Unavailable: no node can judge.
        """
        if self._opening:
            await asyncio.wait(self._opening.values(), timeout=patience_s)
        if not self._nodes:
            raise self._nobody()

    def submit(self, tasks: Sequence[RemoteTask]) -> None:
        if self._closed:
            for task in tasks:
                task.future.cancel()
            return
        had_room = not self._waiting
        self._waiting.extend(tasks)
        if had_room:  # else every node is full already
            self._dispatch()

    def stop(self, future: Future[Any]) -> None:
        """Stop what runs for this future, if it does."""
        for node in self._nodes.values():
            for number, task in node.running.items():
                if task.future is future:
                    task.is_stopped = True
                    node.actor.stop(number)
                    return

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
            await asyncio.wait([asyncio.ensure_future(_close_node(node)) for node in nodes], timeout=_CLOSE_S)
        for node in nodes:
            self._drop(node, "the judge was closed")
        await asyncio.gather(*(work for node in nodes for work in node.work), return_exceptions=True)
        self._fleet.close()

    def _dispatch(self) -> None:
        """Give what waits to the nodes, until none waits or all are full: several to one at once, because to choose
        among many nodes takes time."""
        while self._waiting and (node := self._best(self._waiting[0])) is not None:
            free = node.at_once - len(node.running)
            share = math.ceil(len(self._waiting) / len(self._nodes))
            self._fill(node, max(1, min(share, free if free > 0 else node.room)))

    def _fill(self, node: Served, most: int) -> None:
        """Give the node so many at most: one, and those after it whose package it has."""
        for _ in range(min(most, len(self._waiting))):
            self._give(node, self._waiting.popleft())
            if not self._waiting or self._waiting[0].problem_key not in node.packages:
                break

    def _best(self, task: RemoteTask) -> Served | None:
        """The node to send it to: best one with a free slot, and among those one that has the package."""
        key = task.problem_key
        return min(
            (node for node in self._nodes.values() if node.room > 0),
            key=lambda node: (
                len(node.running) >= node.at_once,
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
        work = task.work
        if not isinstance(work, Submission) or self._fleet.is_there(work):
            if task.problem_key not in node.packages:
                node.remember(task.problem_key, None)
            self._put(node, number, task, None)
            return
        package = node.packages.get(task.problem_key)
        if package is not None and package.done() and not package.cancelled() and package.exception() is None:
            self._put(node, number, task, package.result())
        else:
            self._start(node, self._put_with_package(node, number, task, work))

    def _put(self, node: Served, number: int, task: RemoteTask, held: str | None) -> None:
        work = task.work
        if isinstance(work, Submission) and not self._fleet.is_there(work):
            work = replace(work, problem=work.problem_name)
        node.outgoing.append((number, work, task.options, held, task.watch is not None))
        node.any_outgoing.set()

    async def _put_with_package(self, node: Served, number: int, task: RemoteTask, submission: Submission) -> None:
        try:
            held = await self._send_package(node, submission)
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
                await self._call(node, node.actor.begin(rows))
            except JudgeError as error:
                for row in rows:
                    self._settle(node, row[0], error)

    async def _receive_chunks(self, node: Served) -> None:
        while True:
            answers = await self._call(node, node.actor.answers())
            node.count(len(answers))
            self._deaths.pop(node.id, None)
            for number, answer in answers:
                self._settle(node, number, answer)
            while self._waiting and node.room > 0:  # all others are full
                self._fill(node, node.room)

    def _settle(self, node: Served, number: int, answer: Answer | Exception) -> None:
        """Hand the answer to who waits for it. If the node was given up, it is not awaited any more."""
        task = node.running.get(number)
        match answer:
            case Lent(count):
                node.lent = count
                return
            case Learned(context):
                if task is not None and isinstance(task.work, Submission):
                    self._fleet.learn(task.work, task.options, context)
                return
            case Compiled(result, tests):
                if task is not None and task.watch is not None:
                    task.watch.on_compiled(result, tests)
                return
            case Tested(result, sample):
                if task is not None and task.watch is not None:
                    task.watch.on_tested(result, sample=sample)
                return
            case Refusal() if task is not None and task.is_stopped and issubclass(answer.kind, Cancelled):
                ended: Judgement | Execution | Exception = Cancelled()
            case Refusal():
                ended = self._refusal(node, answer)
            case _:
                ended = answer
        if (task := node.running.pop(number, None)) is None:
            return
        match ended:
            case Forgotten():  # the node made room for other packages
                node.packages.pop(task.problem_key, None)
                self._lose_task(task, str(ended))
            case Judgement(verdict=Verdict.IE) if node.name:
                task.future.set_result(replace(ended, error=f"node {node.name}: {ended.error}"))
            case Judgement() | Execution():
                task.future.set_result(ended)
            case _:
                task.future.set_exception(ended)

    async def _call(self, node: Served, call: Awaitable[_Result]) -> _Result:
        """The answer of a call.

        Raises:
            Lost: the node is gone.
            JudgeError: the call failed.
        """
        try:
            return await call
        except Failed as error:
            raise JudgeError(f"{_name_node(node)}unexpected failure: {error}") from error
        except Dead as error:
            self._drop(node, str(error))
            raise Lost(f"{_name_node(node)}{node.lost}") from error

    def _refusal(self, node: Served, answer: Refusal) -> Exception:
        """The error of one submission; or `Lost`, if the node itself cannot judge: then it is given up."""
        refused = answer.error(node.name)
        if self._closed or not isinstance(refused, (Unavailable, Cancelled)) or isinstance(refused, Unsupported):
            return refused
        self._refuse(node.id, str(refused))
        self._drop(node, answer.message)
        return Lost(str(refused))

    def _lose_task(self, task: RemoteTask, how: str) -> None:
        task.losses.append(how)
        if self._closed or task.is_stopped:
            task.future.set_exception(Cancelled())
        elif len(task.losses) < _LOSSES:
            self._waiting.appendleft(task)
        else:
            why = f"lost {len(task.losses)} times: {'; '.join(dict.fromkeys(task.losses))}"
            if isinstance(task.work, Submission):
                task.future.set_result(make_internal_error(task.work, why))
            else:
                task.future.set_exception(JudgeError(why))

    def _fail_waiting(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, deque()
        for task in waiting:
            if task.losses or task.future.set_running_or_notify_cancel():
                task.future.set_exception(error)

    async def _send_package(self, node: Served, submission: Submission) -> str | None:
        """Make sure that the node has the package; send it at most once. Returns what `Served.packages` says."""
        key = submission.problem_key
        sending = node.packages.get(key)
        if sending is None:
            sending = asyncio.create_task(self._send(node, submission))
            node.remember(key, sending)
            sending.add_done_callback(lambda done: done.cancelled() or done.exception())  # `_send_package` raises it
        try:
            return await asyncio.shield(sending)
        except (JudgeError, ProblemError):
            node.packages.pop(key, None)
            raise

    async def _send(self, node: Served, submission: Submission) -> str | None:
        brought = await self._call(node, self._fleet.bring(node.actor, submission))
        if isinstance(brought, Refusal):
            raise self._refusal(node, brought)
        return brought

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), _LOOK_S)
            self._look.clear()
            try:
                await self._find_nodes()
            except Dead as error:
                _log.warning("where nodes can be is not known: %s", error)
            if not self._nodes and not self._opening:
                self._fail_waiting(self._nobody())

    async def _find_nodes(self) -> None:
        """
        Raises:
            Dead: the fleet does not say where nodes can be.
        """
        found = await self._fleet.find()
        for node in list(self._nodes.values()):
            if node.id not in found:
                self._drop(node, "the node left the cluster")
        for id_, candidate in found.items():
            if id_ not in self._nodes and id_ not in self._opening and id_ not in self._refused:
                self._opening[id_] = asyncio.create_task(self._open(id_, candidate.name))

    async def _open(self, id_: str, name: str) -> None:
        try:
            await self._try(id_, name)
        finally:
            del self._opening[id_]

    async def _try(self, id_: str, name: str) -> None:
        try:
            actor = self._fleet.start(id_)
        except Dead as error:
            self._bury_node(id_, name, str(error))
            return
        try:
            opened = await actor.open()
        except (Dead, Failed) as error:
            self._bury_node(id_, name, str(error))
            actor.kill()
            return
        except asyncio.CancelledError:
            actor.kill()
            raise
        match opened:
            case Opened():
                node = Served(
                    id=id_,
                    name=name,
                    actor=actor,
                    slots=opened.slots,
                    isolation=opened.isolation,
                    ahead_s=self._fleet.ahead_s,
                    spare=self._fleet.spare,
                )
                self._nodes[id_] = node
                self._start(node, self._send_chunks(node))
                self._start(node, self._receive_chunks(node))
                self._dispatch()
            case Refusal():
                self._refuse(id_, str(opened.error(name)))
                actor.kill()
            case _:
                assert_never(opened)

    def _refuse(self, id_: str, why: str) -> None:
        self._refused[id_] = why
        _log.warning("not used: %s", why)

    def _bury_node(self, id_: str, name: str, how: str) -> None:
        deaths = self._deaths.setdefault(id_, [])
        deaths.append(how)
        if len(deaths) >= _DEATHS:
            self._refuse(id_, f"{f'node {name}' if name else f'worker {id_}'}: it died {len(deaths)} times: {how}")
        self._look.set()

    def _drop(self, node: Served, why: str) -> None:
        """Give a node up. Its submissions are lost, and judged elsewhere."""
        if node.lost is not None:
            return
        node.lost = why
        self._nodes.pop(node.id, None)
        if not self._closed and node.id not in self._refused:
            _log.warning("%slost with %d submissions: %s", _name_node(node), len(node.running), why)
            self._bury_node(node.id, node.name, why)
        node.actor.kill()
        current = asyncio.current_task()
        for work in node.work:
            if work is not current:
                work.cancel()
        lost, node.running = list(node.running.values()), {}
        for task in reversed(lost):  # each goes to the front
            self._lose_task(task, f"{_name_node(node)}{why}")
        self._dispatch()

    def _nobody(self) -> Unavailable:
        died = (f"node {id_[:8]}: {deaths[-1]}" for id_, deaths in self._deaths.items() if id_ not in self._refused)
        return self._fleet.explain("; ".join((*self._refused.values(), *died)))


def _name_node(node: Served) -> str:
    """The beginning of a message about it."""
    return f"node {node.name}: " if node.name else f"worker {node.id}: "


def _size(row: Row) -> int:
    work = row[1]
    files = work.files if isinstance(work, Submission) else (*work.sources, *work.files.items())
    return len(work.source) + sum(len(content) for _, content in files)


async def _close_node(node: Served) -> None:
    try:
        await node.actor.close()
    except (Dead, Failed) as error:
        _log.debug("%s%s", _name_node(node), error)
