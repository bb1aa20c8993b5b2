"""What a submission controls never makes it "not scored": the ways to IE of docs/security.md that need no sandbox of
their own."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge import Judge, Submission, Verdict, languages
from judge.checkers.compare import compare
from judge.common.errors import LanguageError, SourceError
from judge.compiling import linker, source
from judge.judging import generators
from judge.many.rows import read
from problems.model import Comparison, Mode
from tests.conftest import MakePackage
from tests.judge.put import put_language

Judges = Callable[..., Judge]
#: Bytes that text is made of here: those that mean something to a parser of ours, and some that are no UTF-8.
PIECES = st.sampled_from(
    [
        *(
            b"freopen(",
            b"stdin",
            b'"',
            b"'",
            b'R"(',
            b')"',
            b"//",
            b"/*",
            b"*/",
            b"\\",
            b"\n",
            b"\r",
            b"#include <",
            b">",
        ),
        *(
            b"#line 1 ",
            b"??/",
            b"\x00",
            b"\xff",
            b"\xed\xa0\x80",
            b"\xef\xbb\xbf",
            b"\xe2\x80\xa8",
            b"\xd9\xa1",
            b"nan",
        ),
        *(b"1e999999999", b"-0x1p-1074", b"9" * 5000, b"1_0", b" ", b"\t", b"\x0b", b"inf", b".", b"e", b"a"),
    ]
)
TEXT = st.lists(PIECES, max_size=30).map(b"".join)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/null/x", "/usr", "/etc/passwd", "../in/none", "a" * 300])
def test_a_loader_that_cannot_be_opened(
    judges: Judges, package: MakePackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """By a linker that takes a program's own section for the loader's name."""
    if shutil.which("ld.gold") is None:
        pytest.skip("no gold: apt-get install binutils-gold")
    monkeypatch.setattr(linker, "_CANDIDATES", (("gold", ("-fuse-ld=gold",)),))
    text = f'__asm__(".section .interp,\\"a\\"\\n.asciz \\"{path}\\"\\n.previous");\nint main(void) {{ return 0; }}\n'
    submission = Submission(source=text.encode(), problem=package({"secret/1": ("1\n", "1\n")}), language="c17")
    judgement = judges(cache_directory=tmp_path / "cache").judge(submission)
    assert (judgement.verdict, judgement.score, judgement.error) == (Verdict.RE, 0.0, None)
    assert "could not be started" in judgement.tests[0].detail


@settings(deadline=None, max_examples=300)
@given(TEXT, st.sampled_from(sorted({languages.get(name).family for name in languages.names()})))
def test_no_source_makes_the_judge_raise(text: bytes, family: str) -> None:
    with suppress(SourceError):  # a compile error
        source.clean(text, family=family, limit_bytes=1 << 18)


@settings(deadline=None, max_examples=300)
@given(TEXT, TEXT, st.sampled_from(list(Mode)))
def test_no_output_makes_a_comparison_raise(output: bytes, answer: bytes, mode: Mode) -> None:
    if mode is Mode.YESNO:  # others are the problem's fault, whatever is written
        answer = b"yes"
    if mode is Mode.JSON:
        answer = json.dumps([answer.decode("latin-1"), 1.5]).encode()
    tolerance = 1e-6 if mode in (Mode.FLOAT, Mode.JSON) else None
    how = Comparison(mode=mode, absolute_tolerance=tolerance, relative_tolerance=tolerance)
    assert 0 <= compare(output, answer, how).score <= 1


@pytest.mark.parametrize("page", ["security.md", "security.zh-CN.md"])
def test_the_table_of_ways_names_tests_that_exist(page: str) -> None:
    tests = Path(__file__).parents[2]
    rows = re.findall(r"^\|.*\| (`.*`) \|$", (tests.parent / "docs" / page).read_text("utf-8"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w/.-]+(?:::\w+)?)`", row)]
    assert len(rows) >= 18
    for name in named:
        path, _, function = name.partition("::")
        assert (tests / path).is_file(), name
        assert f"def {function}(" in (tests / path).read_text("utf-8") or not function, name


LANGUAGES = {
    "a function": "calls the function solve",
    "a grader": "has no files for python3",
    "no toolchain": "no such",
    "no toolchain of its own": "no such",
}


@pytest.mark.parametrize("trouble", LANGUAGES)
def test_a_language_that_the_program_chose(
    trouble: str, judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fence in a language that the problem or the machine does not take. Stated by the caller it is an error."""
    language, default, problem = "python3", "c17", package({"secret/1": ("1\n", "1\n")})
    if trouble == "a function":
        function = {"judge.yaml": "function: {name: solve}\n"}
        language, problem = "cpp17", package({"secret/1": ("[1]\n", "1\n")}, files=function)
    elif trouble == "a grader":
        problem = package({"secret/1": ("1\n", "1\n")}, files={"include/c/main.c": "int main(void) { return 0; }\n"})
    else:  # PyPy is of the family of the default
        language, default = ("python3", "c17") if trouble == "no toolchain" else ("pypy3", "python3")
        lacking = replace(languages.get(language).toolchain, commands=("no such",))
        put_language(monkeypatch, replace(languages.get(language), toolchain=lacking))
    judge = judges()
    submission = Submission(source=b"print(1)\n", problem=problem, language=language)
    with pytest.raises(LanguageError, match=LANGUAGES[trouble]):
        judge.judge(submission)
    judgement = judge.judge(replace(submission, default_language=default))
    assert (judgement.verdict, judgement.score) == (Verdict.CE, 0.0)
    assert judgement.compile is not None and LANGUAGES[trouble] in judgement.compile.output


def test_a_fence_that_names_no_language(judges: Judges, package: MakePackage) -> None:
    """A problem does not take the default that holds then: with a fence for Python it would have been scored."""
    problem = package({"secret/1": ("[1]\n", "1\n")}, files={"judge.yaml": "function: {name: solve}\n"})
    completions = {fence: f"```{fence}\ndef solve(x): return x[0]\n```" for fence in ("", "python")}
    rows = [{"id": f"id {name}", "problem": str(problem), "completion": text} for name, text in completions.items()]
    lines = read([json.dumps(row).encode() for row in rows], "cpp17")
    submissions = [line.submission for line in lines if line.submission is not None]
    found = {one.id: one.verdict for one in judges().judge_many(submissions)}
    assert found == {"id ": Verdict.CE, "id python": Verdict.AC}


def test_what_a_generator_lacks_is_no_programs_fault(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever language the program chose: the machine lacks what makes the tests."""
    files = {
        "generators/generators.yaml": "solution: /submissions/accepted/echo.py\n"
        'data: {secret: {data: [{"2-big": "gen.py n=5"}]}}\n',
        "generators/gen.py": f"import cyaron\nprint({time.time_ns()})\n",  # no earlier run has made its tests
        "submissions/accepted/echo.py": "print(input())\n",
    }
    monkeypatch.setattr(generators, "_LIBRARIES", ("no_such_library",))
    generators._libraries.cache_clear()
    problem = package({"secret/1": ("1\n", "1\n")}, files=files)
    submission = Submission(source=b"print(input())", problem=problem, language="python3", default_language="cpp17")
    try:
        with pytest.raises(LanguageError, match="imports cyaron, which is not here"):
            judges().judge(submission)
    finally:
        generators._libraries.cache_clear()


def test_what_the_default_language_lacks_is_no_programs_fault(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine whose g++ is gone scores nothing, whatever fences say."""
    lacking = replace(languages.get("cpp17").toolchain, commands=("no such",))
    for name in ("cpp17", "cpp20"):
        put_language(monkeypatch, replace(languages.get(name), toolchain=lacking))
    problem = package({"secret/1": ("1\n", "1\n")})
    submission = Submission(source=b"int main() {}", problem=problem, language="cpp17", default_language="cpp20")
    with pytest.raises(LanguageError, match="no such"):
        judges().judge(submission)
