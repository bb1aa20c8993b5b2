"""Free problem sets as HUSTOJ writes and judges them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Submission
from tests.problems.importing.examples import ADD, imported, judged, only

_PUBLIC = (
    '<!DOCTYPE fps PUBLIC "-//freeproblemset//An opensource XML standard//EN" "http://hustoj.com/fps.current.dtd">'
)


def _set(item: str, before: str = "") -> dict[str, str]:
    return {"set.xml": f'<?xml version="1.0"?>{before}<fps version="1.4"><item><title>Sum</title>{item}</item></fps>'}


def _test(given: str, answer: str, name: str = "") -> str:
    stated = f' name="{name}"' if name else ""
    return f"<test_input{stated}>{given}\n</test_input><test_output{stated}>{answer}\n</test_output>"


def _sample(given: str, answer: str) -> str:
    return f"<sample_input>{given}</sample_input><sample_output>{answer}</sample_output>"


@pytest.mark.parametrize("before", [_PUBLIC, '<!DOCTYPE fps SYSTEM "fps.dtd">', "<!DOCTYPE fps>"])
def test_a_document_type_that_declares_nothing_is_only_a_name(tmp_path: Path, before: str) -> None:
    assert len(only(tmp_path, _set(_test("1 2", "3"), before)).cases) == 1


@pytest.mark.parametrize(
    "before",
    ['<!DOCTYPE fps [<!ENTITY a "b">]>', "<!DOCTYPE fps []>", '<!DOCTYPE fps SYSTEM "x.dtd" [<!ELEMENT fps ANY>]>'],
)
def test_declarations_are_refused(tmp_path: Path, before: str) -> None:
    with pytest.raises(problems.ProblemError, match="declares a document type or entities"):
        imported(tmp_path, _set(_test("1 2", "3"), before))


def test_an_entity_that_another_file_would_declare_is_refused(tmp_path: Path) -> None:
    with pytest.raises(problems.ProblemError, match="not well formed"):
        imported(tmp_path, _set(_test("&a;", "3"), _PUBLIC))


@pytest.mark.parametrize(
    ("stated", "used"), [("GBK", "gbk"), ("gb2312", "gbk"), ("Big5", "big5"), ("UTF-8", "utf-8-sig")]
)
def test_the_encoding_is_the_one_that_is_stated(tmp_path: Path, stated: str, used: str) -> None:
    text = _set(f"<description>加法</description>{_test('1 2', '3')}")["set.xml"]
    text = text.replace('<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{stated}"?>')
    problem = only(tmp_path, {"set.xml": text.encode(used)})
    assert "加法" in problem.statements["zh"].read_text("utf-8")


@pytest.mark.parametrize(("stated", "what"), [("UTF-8", "is not in the encoding"), ("punycode", "is not read")])
def test_another_encoding_is_refused_by_name(tmp_path: Path, stated: str, what: str) -> None:
    text = f'<?xml version="1.0" encoding="{stated}"?><fps><item><title>加法</title>{_test("1 2", "3")}</item></fps>'
    with pytest.raises(problems.ProblemError, match=what):
        imported(tmp_path, {"set.xml": text.encode("gbk")})


def test_samples_are_tests_and_count(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    alone = only(tmp_path / "alone", _set(_sample("1 2", "3")))
    assert judged(judges, alone, ADD).accepted
    assert judged(judges, alone, b"print(4)").score == 0
    both = only(tmp_path / "both", _set(_sample("1 2", "3") + _test("2 2", "4")))
    assert judged(judges, both, b"print(4)").score == 0.5
    (none,) = imported(tmp_path / "none", _set(_sample("", "")))
    assert "has no tests" in (none.error or "")


def test_outputs_belong_to_inputs_by_name_and_names_tell_points(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    one, other = _test("1 2", "3", "a[30]"), _test("2 2", "4", "b[70]")
    crossed = one.split("</test_input>")[0] + "</test_input>" + other + "<test_output" + one.split("<test_output")[1]
    problem = only(tmp_path, _set(crossed))
    assert judged(judges, problem, ADD).accepted
    assert judged(judges, problem, b"print(3)").score == pytest.approx(0.3)
    (wrong,) = imported(tmp_path / "wrong", _set(one.replace('<test_output name="a[30]">', '<test_output name="c">')))
    assert "names of <test_input> and <test_output> are not the same" in (wrong.error or "")


def test_items_in_sql_are_for_sql(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    tables = "drop table user; create table user(id int, name text); insert into user values(1, 'tom'); select 7;"
    program = '<solution language="SQL(sqlite3)">select name from user;</solution>'
    append = '<append language="SQL(sqlite3)">select count(*) from user;</append>'
    plain = only(tmp_path / "plain", _set(_test(tables, "tom") + program))
    after = only(tmp_path / "after", _set(_test(tables, "tom\n1") + program + append))
    assert plain.languages == ("sql",)
    for problem in (plain, after):
        for source, right in ((b"select name from user;", True), (b"select id from user;", False)):
            found = judges().judge(Submission(source=source, problem=problem.directory, language="sql"))
            assert found.accepted is right, found


@pytest.mark.parametrize(
    "item",
    [
        '<time_limit uint="ms">1500</time_limit>',
        '<spj langauge="C++">int main() {}</spj>',
        '<interactor language="C++">int main() {}</interactor>',
        "<spjj>int main() {}</spjj>",
    ],
)
def test_what_is_unknown_is_never_passed_over(tmp_path: Path, item: str) -> None:
    (one,) = imported(tmp_path, _set(_test("1 2", "3") + item))
    assert "is unknown here" in (one.error or "")


@pytest.mark.parametrize(
    "element",
    ["<time_limit>2</time_limit>", '<spj language="C++">int main() {}</spj>', "<memory_limit>9</memory_limit>"],
)
def test_what_decides_stands_there_once(tmp_path: Path, element: str) -> None:
    (one,) = imported(tmp_path, _set(_test("1 2", "3") + 3 * element))
    assert "more than once" in (one.error or "")


@pytest.mark.parametrize("own", ["", "<test_input></test_input><test_output></test_output>"])
def test_an_item_that_another_site_judges_is_refused_without_tests(tmp_path: Path, own: str) -> None:
    """Its samples, or a test of nothing, would stand for the tests there."""
    item = f"{_sample('1 2', '3')}{own}<remote_oj>poj</remote_oj><remote_id>1000</remote_id>"
    (one,) = imported(tmp_path / "remote", _set(item))
    assert "judged by another site (poj)" in (one.error or "")
    assert only(tmp_path / "tests", _set(item.replace(own, "") + _test("5 6", "11"))).cases
    assert only(tmp_path / "empty", _set(f"{_sample('1 2', '3')}<remote_oj></remote_oj>")).cases
