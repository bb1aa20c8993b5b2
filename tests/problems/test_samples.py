"""What is shown of samples."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems.exporting import export
from problems.reading.samples import samples
from problems.writing.write import write
from tests.packages import LEGACY, MINIMAL, PROBLEM, Files, write_files

TALK = "<3\n>4\n"
INTERACTIVE = {**MINIMAL, "problem.yaml": PROBLEM + "type: interactive\n", "output_validator/talk.py": "exit(42)\n"}
OLD = {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom interactive\n", "output_validators/v.py": "exit(42)\n"}
BY_DEFAULT = {"input": "1 2\n", "answer": "3\n"}
BESIDE = {"data/sample/1.in.statement": "1 …\n", "data/sample/1.out": "03\n"}
LAST = {"data/sample/1.ans.statement": "3!\n"}


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (MINIMAL, [BY_DEFAULT]),
        ({**MINIMAL, **BESIDE}, [{"input": "1 …\n", "answer": "03\n"}]),
        ({**MINIMAL, **BESIDE, **LAST}, [{"input": "1 …\n", "answer": "3!\n"}]),
        ({**MINIMAL, "data/sample/1.interaction": TALK}, [BY_DEFAULT]),
        (INTERACTIVE, [BY_DEFAULT]),
        ({**INTERACTIVE, "data/sample/1.interaction": TALK}, [{"interaction": TALK}]),
        ({**INTERACTIVE, "data/sample/more.interaction": TALK}, [BY_DEFAULT, {"interaction": TALK}]),
        (OLD, []),
        ({**OLD, "data/sample/1.interaction": TALK}, [{"interaction": TALK}]),
        ({**OLD, "data/sample/1.in.statement": "1 ?\n"}, [{"input": "1 ?\n", "answer": ""}]),
    ],
)
def test_what_is_shown(files: Files, shown: list[dict[str, str]], tmp_path: Path) -> None:
    problem = problems.load(write_files(tmp_path / "sum", files))
    assert [sample.texts() for sample in samples(problem)] == shown
    if problem.format != "legacy":
        again = problems.load(write(problem, tmp_path / "again"))
        assert [sample.texts() for sample in samples(again)] == shown


def test_an_export_to_the_legacy_format_tells_what_it_has_no_place_for(tmp_path: Path) -> None:
    problem = problems.load(write_files(tmp_path / "sum", {**MINIMAL, **BESIDE}))
    assert "what statements show instead of samples (NAME.in.statement, NAME.out) is left out" in (
        export(problem, "kattis", tmp_path / "old").notes
    )
