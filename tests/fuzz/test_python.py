"""The parsers that are written in Python, on the kept corpus and on what chance makes of it in a little time.

By hand: ``python -m tests.fuzz.python --count 1000000``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.fuzz import python
from tests.fuzz.parsers import PARSERS, Parser, clean_up

COUNT = int(os.environ.get("JUDGE_FUZZ_COUNT", "400"))


@pytest.fixture(autouse=True, scope="module")
def scratch() -> Iterator[None]:
    yield
    clean_up()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_any_bytes_are_understood_or_refused(parser: Parser) -> None:
    python.plain(parser, COUNT, seconds=60, seed=1)


def test_a_parser_that_breaks_its_promise_is_found() -> None:
    def call(data: bytes) -> None:
        if b"7" in data:
            raise KeyError(data)

    broken = Parser(name="broken", call=call, seeds=lambda: [b"123"], modules=())
    with pytest.raises(python.Finding, match="KeyError"):
        python.plain(broken, 10_000, seconds=60, seed=1)


def test_what_is_kept_is_small() -> None:
    files = [path for path in python.CORPUS.glob("*/*") if path.is_file()]
    assert {path.parent.name for path in files} <= {parser.name for parser in PARSERS}
    assert sum(path.stat().st_size for path in files) < 1 << 20
