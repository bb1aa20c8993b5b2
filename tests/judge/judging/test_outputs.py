"""Problems whose outputs are handed in, instead of a program that makes them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Options, ProblemError, Stop, Submission
from judge.common.models import OUTPUTS
from judge.judging import outputs
from judge.many.verify import verify
from problems import load
from problems.writing.write import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

CASES = {
    "sample/1": ("1\n", "1\n"),
    "secret/a/01": ("2\n", "4\n"),
    "secret/b/01": ("3\n", "9\n"),
    "secret/c/02": ("", ""),
}
METADATA = "type: submit-answer\nlimits: {output: 1}\n"
RIGHT = {"1.out": "1", "secret/a/01.ans": "4 ", "secret/b/01": "9\n\n", "02.txt": ""}


def zipped(files: Mapping[str, str | bytes], below: str = "", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(below + name, content)
    return made.getvalue()


def judged(judges: Judges, package: MakePackage, source: bytes, files: Mapping[str, str] | None = None) -> Judgement:
    named = tuple((name, text.encode()) for name, text in (files or {}).items())
    problem = package(CASES, metadata=METADATA)
    return judges().judge(Submission(source=source, problem=problem, language=OUTPUTS, files=named))


@pytest.mark.parametrize("below", ["", "mine/"])
def test_a_zip_of_outputs(judges: Judges, package: MakePackage, below: str) -> None:
    judgement = judged(judges, package, zipped(RIGHT, below))
    assert (judgement.verdict, judgement.score, judgement.language) == ("AC", 1.0, "outputs")
    assert [test.stdout for test in judgement.tests] == ["1", "4 ", "9\n\n", ""]


def test_files_of_outputs(judges: Judges, package: MakePackage) -> None:
    assert judged(judges, package, b"", RIGHT).verdict == "AC"


@pytest.mark.parametrize(
    ("change", "test", "verdict", "detail"),
    [
        ({"1.out": "2"}, 0, "WA", 'expected "1"'),
        ({"secret/a/01.ans": None}, 1, "WA", "no output was handed in"),
        ({"secret/a/01.ans": None, "01.out": "4"}, 1, "WA", "no output was handed in"),  # of which of the two?
        ({"secret/b/01": "9" * (1 << 20) + "\n"}, 2, "OLE", "more than 1048576 bytes"),
        ({"02.txt": "x"}, 3, "WA", ""),
    ],
)
def test_each_output_is_judged_by_itself(
    judges: Judges, package: MakePackage, change: dict[str, str | None], test: int, verdict: str, detail: str
) -> None:
    files = {name: text for name, text in {**RIGHT, **change}.items() if text is not None}
    judgement = judged(judges, package, zipped(files))
    assert [one.verdict for one in judgement.tests] == ["AC"] * test + [verdict] + ["AC"] * (3 - test)
    assert detail in judgement.tests[test].detail
    assert (judgement.verdict, judgement.score) == (verdict, 0.75)


#: Claims to hold another content than it does.
DAMAGED = zipped({"1.out": "1" * 1000}).replace(b"PK\x03\x04", b"PK\x03\x05")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"", "no sound zip"),
        (b"1\n", "no sound zip"),
        (DAMAGED, "no sound zip"),
        (zipped({"?": "1"}).replace(b"?", b"\0"), "no sound zip"),
        (zipped(RIGHT, method=zipfile.ZIP_LZMA), "not compressed by deflate"),  # it may ask for 4 GiB of memory
        (zipped(RIGHT, method=zipfile.ZIP_BZIP2), "not compressed by deflate"),  # 1 KiB may take seconds
    ],
    ids=["empty", "text", "damaged", "nameless", "lzma", "bzip2"],
)
def test_what_is_no_zip_is_ce(judges: Judges, package: MakePackage, source: bytes, says: str) -> None:
    judgement = judged(judges, package, source)
    assert (judgement.verdict, judgement.score) == ("CE", 0.0)
    assert says in judgement.compile.output


def test_a_zip_is_bounded(judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "MAX_ENTRIES", 4)
    assert judged(judges, package, zipped(RIGHT)).verdict == "AC"
    assert "more than 4 files" in judged(judges, package, zipped({**RIGHT, "more": ""})).compile.output
    monkeypatch.setattr(outputs, "MOST_UNPACKED_BYTES", 5)
    assert "more than 0 MiB in all" in judged(judges, package, zipped(RIGHT)).compile.output
    monkeypatch.setattr(outputs, "MOST_BYTES", 10)
    assert "hand in less" in judged(judges, package, zipped(RIGHT)).compile.output


def test_a_bomb_costs_no_more_than_an_output(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges, package, zipped({**RIGHT, "02.txt": bytes(64 << 20)}))
    assert [test.verdict for test in judgement.tests] == ["AC", "AC", "AC", "OLE"]


def test_a_program_may_make_the_outputs(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, metadata=METADATA)
    text = b"import sys\nfor word in sys.stdin.read().split():\n    print(int(word) ** 2)\n"
    assert judges().judge(Submission(source=text, problem=problem, language="python3")).verdict == "AC"


def test_the_first_failure_ends_it(judges: Judges, package: MakePackage) -> None:
    problem = package(CASES, metadata=METADATA)
    submission = Submission(source=zipped({**RIGHT, "1.out": "2"}), problem=problem, language=OUTPUTS)
    judgement = judges().judge(submission, Options(stop=Stop.FIRST_FAILURE))
    assert [test.verdict for test in judgement.tests] == ["WA", "SK", "SK", "SK"]
    assert not judgement.complete


def test_other_problems_take_no_outputs(judges: Judges, package: MakePackage) -> None:
    submission = Submission(source=zipped(RIGHT), problem=package(CASES), language=OUTPUTS)
    with pytest.raises(ProblemError, match="takes programs, not outputs"):
        judges().judge(submission)


def test_labelled_outputs(judges: Judges, package: MakePackage, tmp_path: Path) -> None:
    flat = {"sample/1": ("1\n", "1\n"), "secret/2": ("2\n", "4\n")}
    files = {
        "submissions/accepted/all/1.out": "1\n",
        "submissions/accepted/all/2.out": "4\n",
        "submissions/wrong_answer/half/1.out": "1\n",
        "submissions/wrong_answer/half/README.txt": "one is missing\n",
        "submissions/wrong_answer/program.py": "print(1)\n",
    }
    problem = package(flat, metadata=METADATA, files=files)
    (problem / "submissions/wrong_answer/zipped.zip").write_bytes(zipped({"1.out": "1", "2.out": "5"}))
    again = write(load(problem), tmp_path / "again")
    for root in (problem, again):
        assert {one.name: one.complaint for one in verify(judges(), root)} == {
            "accepted/all": None,
            "wrong_answer/half": None,
            "wrong_answer/program.py": None,
            "wrong_answer/zipped.zip": None,
        }


@pytest.mark.parametrize("language", [OUTPUTS, "python3"])
def test_no_output_that_breaks_the_checker_chooses_ie(judges: Judges, package: MakePackage, language: str) -> None:
    """The answers are notes, so the checker fails on them, too: what the package hands in tells that it works."""
    checker = "import sys\nsys.exit(42 if int(sys.stdin.read()) == 1 else 43)\n"
    files = {"output_validator/c.py": checker, "submissions/accepted/all/1.out": "1\n"}
    source = zipped({"1.out": "junk"}) if language == OUTPUTS else b"print('junk')"

    def verdict(files: Mapping[str, str], name: str) -> str:
        problem = package({"secret/1": ("1\n", "some notes\n")}, metadata=METADATA, files=files, name=name)
        return judges().judge(Submission(source=source, problem=problem, language=language)).verdict

    assert verdict(files, "sound") == "WA"
    assert verdict({**files, "submissions/accepted/all/1.out": "words\n"}, "broken") == "IE", "the control"
