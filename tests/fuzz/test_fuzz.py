"""The launcher's parsers on the seed corpus, and on what a fuzzer makes of it in a little time.

JUDGE_FUZZ_SECONDS is the time of all targets together; by hand: ``python -m tests.fuzz.fuzz --seconds 3600``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import fuzz
from tests.fuzz.fuzz import TARGETS, Target
from tests.fuzz.seeds import CORPUS, seeds

SECONDS = int(os.environ.get("JUDGE_FUZZ_SECONDS", "15"))
REQUIRED = "fuzz" in os.environ.get("JUDGE_REQUIRE", "").split(",")


@pytest.fixture(params=TARGETS, ids=lambda target: target.name)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    yield request.param


def test_the_corpus_is_what_the_driver_sends() -> None:
    """After a change of the protocol: python -m tests.fuzz.seeds."""
    assert {str(path.relative_to(CORPUS)): path.read_bytes() for path in CORPUS.glob("*/*")} == seeds()


def test_every_seed_is_taken_or_refused_as_its_name_says(target: Target, tmp_path: Path) -> None:
    said = fuzz.replay(target, tmp_path, sorted(target.corpus.iterdir()))
    wrong = {name: what for name, what in said.items() if "-" in name and not name.startswith(what)}
    assert len(said) > 5
    assert not wrong


@pytest.mark.parametrize(
    ("check", "weakened"),
    [
        ("(size_t)(cursor->end - cursor->at) < bytes", "bytes > 0x1000000"),  # reads beyond the message
        ("part[1] == '.'", "false"),  # a name that leads out
        ("out->length > room", "false"),  # writes beyond the programs
        ("run->args > ARGS_MAX", "run->args > 2 * ARGS_MAX"),  # writes beyond argv
    ],
)
def test_a_parser_without_one_of_its_checks_is_caught(
    check: str, weakened: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "src"
    shutil.copytree(fuzz.SOURCES, copy)
    source = (copy / "request.c").read_text()
    assert source.count(check) == 1
    (copy / "request.c").write_text(source.replace(check, weakened))
    monkeypatch.setattr(fuzz, "SOURCES", copy)
    target = TARGETS[0]
    with pytest.raises(subprocess.CalledProcessError):
        fuzz.replay(target, tmp_path, sorted(target.corpus.iterdir()))


def test_a_fuzzer_finds_nothing(target: Target, tmp_path: Path) -> None:
    if shutil.which("clang") is None and not REQUIRED:
        pytest.skip("no clang here: apt-get install clang")
    said, broken = fuzz.fuzz(target, tmp_path, max(1, SECONDS // len(TARGETS)))
    assert broken is None, f"{said}\nthe input: {broken.read_bytes().hex()}"
