"""Which rows a server claims: of each party some, however many parties there are."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest

from judge.many.pool import Judge
from judge.server.guarding.keys import Keys
from judge.server.problem_facts import ProblemFacts
from judge.server.queueing.rows import Rows
from judge.server.queueing.turns import Job, Turns
from judge.server.requests import ExecutionRequest
from judge.server.storing.packages import Packages
from judge.server.storing.store import Row, Store


class Line:
    """Turns that come for nobody."""

    slots = 2

    def __init__(self) -> None:
        self.parties = Counter[str]()

    def submit(self, party: str, begin: Any, *, repeats: bool = True) -> Job[Any]:
        self.parties[party] += 1
        return Job(party=party, begin=cast("Any", Future), repeats=repeats)


def row(party: int, number: int) -> Row:
    request = ExecutionRequest(source=f"print({number})", language="python3").model_dump_json()
    return Row(id=f"{party}-{number}", kind="execution", owner="", request=request, party=f"10.0.0.{party}")


@pytest.mark.parametrize(("parties", "rows", "claimed"), [(1, 100, 64), (70, 3, 3), (200, 30, 20)])
def test_each_party_has_rows_in_line(tmp_path: Path, parties: int, rows: int, claimed: int) -> None:
    store, line = Store(tmp_path / "x.sqlite"), Line()
    store.add([row(party, number) for number in range(rows) for party in range(parties)])
    judge, turns, keys = cast("Judge", line), cast("Turns", line), Keys(None)
    lines = {"judgement": turns, "execution": turns}
    one = Rows(
        store,
        judge,
        judge,
        cast("Any", lines),
        keys,
        Packages(store, 1),
        ProblemFacts(1000),
        cast("Any", None),
        lambda *_: None,
        claim_s=60,
    )
    deadline = time.monotonic() + 60
    while line.parties.total() < parties * claimed and time.monotonic() < deadline:
        time.sleep(0.01)
    one.end_threads()
    one.close()
    store.close()
    assert set(line.parties.values()) == {claimed}
    assert len(line.parties) == parties
