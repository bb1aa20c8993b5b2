"""A node of a cluster without Ray: packages that were sent to it make room, but none that a row needs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from judge import Options, Submission, Verdict
from judge.common.models import Judgement
from judge.many.cluster.node import Forgotten, Node, NodeSettings, Refusal, own_version
from judge.many.packages import Packages
from problems.files import archive, parcel
from problems.lookup import load
from tests.conftest import MakePackage
from tests.trainer_adapter.programs import CASES, RIGHT

_SLEEPS = 'int usleep(int); int main(void) { usleep(100000); __builtin_printf("3\\n"); }'


async def answers(node: Node, *rows: tuple[str, str]) -> list[Judgement | Refusal]:
    """What becomes of these sources, each for the package of that digest."""
    numbered = [
        (number, Submission(source=source.encode(), problem="x", language="c17"), Options(), digest)
        for number, (source, digest) in enumerate(rows)
    ]
    await node.begin(numbered)
    found: dict[int, Judgement | Refusal] = {}
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
    return Node(settings)


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
