"""The `tests` column: packed, unpacked, and made a package that the judge takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import problems
from judge import Judge, Submission, Verdict
from problems.model import FileIO, Limits, Mode
from trainer_adapter.data.tests_column import Case, Checker, DataError, Inline, write_package
from trainer_adapter.data.tests_text import as_text, unpack

SUM = Inline(
    tests=(Case(input="1 2\n", output="3\n", sample=True), Case(input="5 6\n", output="11\n")),
    cpu_ns=1_500_000_000,
    memory_bytes=100_000_000,
)
ADDS = b"a, b = map(int, input().split())\nprint(a + b)\n"


def test_packed_is_opaque_and_whole() -> None:
    long = SUM.model_copy(update={"tests": (*SUM.tests, Case(input="31415926 " * 99, output="一行\n\n 27\r\n"))})
    text = long.pack()
    assert unpack(text) == long
    assert text.isascii()
    assert "31415926" not in text


@pytest.mark.parametrize(
    "form",
    [
        [{"input": "1 2\n", "output": "3\n"}],
        {"tests": [{"input": "1 2\n", "output": "3\n"}]},
        {"inputs": ["1 2\n"], "outputs": ["3\n"]},
        {"input": ["1 2\n"], "output": ["3\n"]},
    ],
)
def test_what_people_write(form: object) -> None:
    wanted = Inline(tests=(Case(input="1 2\n", output="3\n"),))
    assert unpack(json.dumps(form)) == unpack(as_text(form)) == wanted


def test_arrow_fills_in_what_rows_do_not_state() -> None:
    rows = [
        [{"input": "1 2\n", "output": "3\n", "sample": None}, {"input": "5 6\n", "output": "11\n", "sample": True}],
        {"tests": [{"input": "1 2\n", "output": "3\n", "sample": None}], "cpu_ns": None},
        {"inputs": [[1, 2]], "outputs": [3], "fn_name": "add", "cpu_ns": 5},
    ]
    first, second, third = (unpack(as_text(row)) for row in rows)
    assert [case.sample for case in first.tests] == [False, True]
    assert second == Inline(tests=(Case(input="1 2\n", output="3\n"),))
    assert (third.function, third.tests[0].input, third.cpu_ns) == ("add", "1\n2\n", 5)


def test_arrays_of_data_frames() -> None:
    array = pytest.importorskip("numpy").array
    case = {"input": "1 2\n", "output": "3\n"}
    wanted = Inline(tests=(Case(**case), Case(**case)))
    columns = {"inputs": array([case["input"]] * 2, dtype=object), "outputs": array([case["output"]] * 2, dtype=object)}
    for form in (array([case] * 2, dtype=object), {"tests": array([case] * 2, dtype=object)}, columns):
        assert unpack(as_text(form)) == wanted


def test_what_no_text_can_hold() -> None:
    loop: list[object] = []
    loop.append(loop)
    for wrong in (b"bytes", object(), loop, [{"input": {1, object()}}]):
        with pytest.raises(DataError, match=f"of type {type(wrong).__name__}"):
            as_text(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no list like"),
        ("7", "tests: no list like"),
        ("null", "tests: no list like"),
        ("[]", "tests: tests: Tuple should have at least 1 item"),
        ('[{"input": "secret", "ouput": "secret"}]', "a key that is not understood: 'ouput'"),
        ('{"inputs": ["secret"], "outputs": []}', "not as many inputs as outputs"),
        ('{"inputs": [], "outputs": []}', "holds no tests"),
        ("judge1:e30", "no list like"),
        (SUM.pack()[:-8], "cut off"),
        ("[" * 100_000, "no list like"),
    ],
)
def test_refused_without_quoting_data(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as refusal:
        unpack(text)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("name", ["sum", "sum.zip"])
def test_package(tmp_path: Path, name: str) -> None:
    for _ in range(2):  # the second finds the first's
        write_package(SUM, tmp_path / "store" / name, statement="Add.")
    assert [path.name for path in (tmp_path / "store").iterdir()] == [name]
    problem = problems.load(tmp_path / "store" / name)
    assert [case.name for case in problem.cases] == ["sample/0001", "secret/0002"]
    assert problem.limits == Limits(cpu_ns=1_500_000_000, memory_bytes=100_000_000)
    assert problem.checker == problems.Comparison()
    assert problem.statements["en"].read_text() == "Add."


def test_package_with_its_own_rules(tmp_path: Path) -> None:
    inline = SUM.model_copy(update={"comparison": Mode.LINES, "input_file": "sum.in"})
    problem = problems.load(write_package(inline, tmp_path / "sum"))
    assert problem.checker == problems.Comparison(mode=Mode.LINES)
    assert problem.file_io == FileIO(input="sum.in")


def test_a_surrogate_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="lone surrogate"):
        write_package(Inline(tests=(Case(input="\ud800", output=""),)), tmp_path / "bad")
    assert list(tmp_path.iterdir()) == []


def test_judged(tmp_path: Path) -> None:
    """A checker of the data set's own: any number that is larger than the answer."""
    source = "import sys\nsys.exit(int(open(sys.argv[2]).read()) <= int(open(sys.argv[3]).read()))\n"
    larger = SUM.model_copy(update={"checker": Checker(source=source, suffix="py")})
    write_package(SUM, tmp_path / "sum")
    write_package(larger, tmp_path / "larger.zip")
    with Judge(slots=1) as judge:

        def verdict(program: bytes, problem: str) -> Verdict:
            return judge.judge(Submission(source=program, problem=tmp_path / problem, language="python3")).verdict

        assert verdict(ADDS, "sum") is Verdict.AC
        assert verdict(ADDS, "larger.zip") is Verdict.WA
        assert verdict(ADDS.replace(b"a + b", b"a + b + 1"), "larger.zip") is Verdict.AC
