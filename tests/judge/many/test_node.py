"""A node of a cluster without Ray: what it judges, and the packages that were sent to it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Isolation, Unavailable
from judge import JudgeError, Options, ProblemError, Submission, Verdict
from judge.common.models import Judgement
from judge.many.cluster.node import Answer, Forgotten, Node, NodeSettings, Opened, Refusal, chunk, own_version
from judge.many.cluster.served import Served
from judge.many.cluster.whole import WholeNode
from judge.many.packages import Packages
from problems.files import archive, parcel
from problems.lookup import find, load
from tests.conftest import MakePackage
from tests.trainer_adapter.programs import CASES, RIGHT

_SLEEPS = 'int usleep(int); int main(void) { usleep(100000); __builtin_printf("3\\n"); }'


async def answers(node: Node, *rows: tuple[str, str]) -> list[Answer]:
    """What becomes of these sources, each for the package of that digest."""
    numbered = [
        (number, Submission(source=source.encode(), problem="x", language="c17"), Options(), digest, False)
        for number, (source, digest) in enumerate(rows)
    ]
    await node.begin(numbered)
    found: dict[int, Answer] = {}
    while len(found) < len(rows):
        found |= dict(await node.answers())
    return [found[number] for number in range(len(rows))]


def node(backend: str, shared_cache: Path) -> Node:
    settings = NodeSettings(
        slots=1,
        backend=backend,
        require=None,
        cache_directory=shared_cache,
        packages_bytes=1,  # no more than the last one
        version=own_version(),
    )
    return WholeNode(settings)


def test_packages_make_room_for_others(package: MakePackage, backend: str, shared_cache: Path) -> None:
    one = package(CASES, name="one")
    zipped = package(CASES, name="two")
    two = zipped.with_suffix(".zip")
    two.write_bytes(parcel.pack(zipped))
    digests = {path: parcel.digest(path) for path in (one, two)}

    async def play() -> None:
        there = node(backend, shared_cache)
        await there.open(1)
        before = set(archive._unpacked)

        def left() -> int:
            return len(list(there._directory.iterdir()))

        for path, others in ((one, two), (two, one), (one, two)):
            assert await there.hold(digests[path], path.name, parcel.pack(path)) is None
            right, forgotten = await answers(there, (RIGHT, digests[path]), (RIGHT, digests[others]))
            assert isinstance(right, Judgement), right
            assert right.verdict is Verdict.AC, right
            assert isinstance(forgotten, Refusal)
            assert isinstance(forgotten.error("x"), Forgotten)
            assert left() == 1
        assert set(archive._unpacked) == before, "a zip file is kept as a directory that can be removed"
        asked = asyncio.create_task(answers(there, (_SLEEPS, digests[one])))
        await asyncio.sleep(0)  # it has begun
        assert await there.hold(digests[two], two.name, parcel.pack(two)) is None
        (slept,) = await asked
        assert isinstance(slept, Judgement), slept
        assert {test.verdict for test in slept.tests} == {Verdict.AC, Verdict.WA}, "it had its package to the end"
        assert await there.hold(digests[two], two.name, parcel.pack(two)) is None
        assert left() == 1
        refused = await there.hold("0", "broken", b"PK\5\6")
        assert refused is not None
        assert left() == 1
        await there.close()

    asyncio.run(play())


def test_what_was_written_to_be_sent_does_not_stay(
    package: MakePackage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("judge.many.packages._REMEMBERED", 6)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    problems = [load(package(CASES, name=name)) for name in ("one", "two", "three")]

    async def play() -> None:
        packages = Packages()
        found = [await packages.find(Submission(source=b"", problem=problem)) for problem in problems]
        assert [one.path.exists() for one in found] == [True] * 3
        last = found[-1].path
        again = await packages.find(Submission(source=b"", problem=problems[0]))
        first = again.path
        assert (again.digest, first == found[0].path) == (found[0].digest, False)
        del found
        assert (last.exists(), first.exists()) == (False, True)
        packages.close()
        assert not first.exists()

    asyncio.run(play())


class TestNode:
    @pytest.fixture
    def node(self, backend: str, shared_cache: Path) -> Node:
        return WholeNode(
            NodeSettings(slots=1, backend=backend, require=None, cache_directory=shared_cache, version=own_version())
        )

    def test_judges_what_it_holds_and_forgets_it(self, node: Node, package: MakePackage) -> None:
        problem = package(CASES)
        content, digest = parcel.pack(problem), parcel.digest(problem)
        row = Submission(source=RIGHT.encode(), problem="/nowhere", language="c17")

        async def work() -> tuple[object, ...]:
            opened = await node.open(8)
            assert isinstance(opened, Opened)
            held = await asyncio.gather(*(node.hold(digest, problem.name, content) for _ in range(2)))
            sent = (digest, None, "0" * 64)
            await node.begin([(number, row, Options(), one, False) for number, one in enumerate(sent)])
            answered: dict[int, Answer] = {}
            while len(answered) < 3:
                answered.update(await node.answers())
            unpacked = node._directory
            assert any(unpacked.iterdir())
            await node.close()
            assert not unpacked.exists()
            return (opened.slots, *held, *(answered[number] for number in range(3)))

        slots, first, second, good, bad, missing = asyncio.run(work())
        assert (slots, first, second) == (1, None, None)
        assert isinstance(good, Judgement)
        assert good.accepted
        assert isinstance(bad, Refusal)
        assert (bad.kind, "/nowhere" in bad.message) == (ProblemError, True)
        said = "was asked for a package that it was not sent, or has no more"
        assert missing == Refusal(kind=Forgotten, message=said)

    def test_an_unexpected_failure_is_of_one_row(self, node: Node) -> None:
        row = Submission(source=RIGHT.encode(), problem="P1001", language="c17")

        async def work() -> list[tuple[int, Judgement | Refusal]]:
            await node.begin([(7, row, Options(), None, False)])  # not open
            node._executor = object()  # type: ignore[assignment]
            await node.begin([(8, row, Options(), None, False)])
            return await node.answers()

        answers = dict(asyncio.run(work()))
        assert answers[7] == Refusal(kind=JudgeError, message="was asked to judge before it was opened")
        assert isinstance(answers[8], Refusal)
        assert answers[8].message.startswith("unexpected failure: AttributeError(")

    def test_has_only_what_is_the_same(self, node: Node) -> None:
        same = parcel.digest(find("P1001"))
        found = asyncio.run(self._has(node, same))
        assert found == (True, False, False)

    @staticmethod
    async def _has(node: Node, same: str) -> tuple[bool, ...]:
        return await node.has("P1001", same), await node.has("P1001", "0" * 64), await node.has("none", same)

    def test_another_version_is_refused(self, node: Node) -> None:
        node._settings = replace(node._settings, version="0.0.1")
        refused = asyncio.run(node.open(1))
        assert isinstance(refused, Refusal)
        error = refused.error("10.0.0.1")
        assert isinstance(error, Unavailable)
        assert str(error).startswith("node 10.0.0.1: has judge ")
        assert "0.0.1" in str(error)


def test_a_node_that_answers_fast_gets_more_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    isolation = Isolation(backend="native", tier="full", layers=(), missing=())
    how = {"isolation": isolation, "ahead_s": 0.1, "spare": 2, "looked_s": now_s}
    served = Served(id="1", name="one", actor=None, slots=2, **how)  # type: ignore[arg-type]
    assert served.room == 4  # a submission a slot, and two on the way
    for _ in range(20):  # what it was given comes back within 25 ms, but its slots do no more than 50 in this time
        now_s += 0.125
        served.count(min(5 * served.most, 50))
    assert served.room == pytest.approx(4 + 40, abs=1)  # what they do in 0.1 s
    for _ in range(20):
        now_s += 1
        served.count(1)
    assert served.room == 4


def test_chunks_are_bounded() -> None:
    items = deque([1 << 20] * 10)
    assert [len(chunk(items, int)) for _ in range(3)] == [4, 4, 2]
    assert chunk(deque([1 << 30, 1]), int) == [1 << 30]
