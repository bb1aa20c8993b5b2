"""What the API tells of a problem is bounded, and costs little when it is asked again."""

from __future__ import annotations

import asyncio
import json
import os
import time

import pytest

from judge.judging import fingerprint
from judge.server.api import about
from problems.files import parcel
from tests.conftest import MakePackage
from tests.trainer_adapter.programs import CASES, METADATA


def test_an_answer_is_bounded(package: MakePackage) -> None:
    """A tiny zip file may hold samples and statements of any size."""
    path = package({f"sample/{number:02}": ("x" * 100_000, "1\n") for number in range(30)}, metadata=METADATA)
    for place in path.glob("**/problem.en.md"):
        place.write_bytes(b"\0" * (2 << 20))
    content = about.describe_package(path, "0")
    values = json.loads(content)
    first = values["samples"][0]
    assert (len(first["input"]), first["answer"], first["cut"]) == (about.PART_BYTES, "1\n", ["input"])
    assert sum(len(one["input"]) + len(one["answer"]) for one in values["samples"]) <= about.ALL_BYTES
    assert len(values["samples"]) + values["samples_left_out"] == values["tests"] == 30
    statement = values["statements"]["en"]
    assert about.ALL_BYTES - 100 < len(statement["text"]) <= about.ALL_BYTES
    assert statement["cut"]


def test_small_samples_are_whole(package: MakePackage) -> None:
    path = package({"sample/1": ("1 2\n", "3\n"), **CASES}, metadata=METADATA)
    values = json.loads(about.describe_package(path, "0"))
    assert values["samples"] == [{"input": "1 2\n", "answer": "3\n"}]
    assert "samples_left_out" not in values


def test_a_package_is_hashed_once(package: MakePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    path = package(CASES, metadata=METADATA)
    first = asyncio.run(about.digest(path))
    assert first == parcel.digest(path)
    monkeypatch.setattr(fingerprint, "_SETTLED_NS", -1_000_000_000)
    assert asyncio.run(about.digest(path)) == first
    monkeypatch.setattr(parcel, "digest", lambda path: "other")
    assert asyncio.run(about.digest(path)) == first
    changed = path / "problem.yaml"
    os.utime(changed, ns=(0, 0))  # its size stays
    assert asyncio.run(about.digest(path)) == "other"


def test_many_samples_are_found_soon(package: MakePackage) -> None:
    """It took minutes: the directory was listed for each."""
    path = package({f"sample/{number}": ("1\n", "1\n") for number in range(2000)}, metadata=METADATA)
    begun = time.process_time()
    assert len(json.loads(about.describe_package(path, "0"))["samples"]) == 2000
    assert time.process_time() - begun < 20


def test_a_limit_that_is_not_stated_is_none(package: MakePackage) -> None:
    """Else the least that the format's rule can give was shown as the limit."""
    for limits, expected in (("limits: {memory: 64}\n", None), ("limits: {time_limit: 2}\n", 2 * 10**9)):
        path = package(CASES, metadata=limits, name=f"stated{expected}")
        assert json.loads(about.describe_package(path, "0"))["limits"]["cpu_ns"] == expected
