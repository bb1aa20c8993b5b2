"""Tests of Hydro that no config.yaml names."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import Aggregation
from problems.importing.hydro_files import by_names
from problems.model import MIB, SECOND_NS
from tests.problems.importing.examples import imported, only

HEAD = {"problem.yaml": "pid: H1\ntitle: x\n"}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a2.in", "a2.out", "a10.in", "a10.ans"], [(1, "sum", [("a2.in", "a2.out"), ("a10.in", "a10.ans")])]),
        (["1.IN", "1.OUT", "2.in.txt", "2.out.txt"], [(1, "sum", [("1.IN", "1.OUT"), ("2.in.txt", "2.out.txt")])]),
        (["input1.txt", "output1.txt"], [(1, "sum", [("input1.txt", "output1.txt")])]),
        (["a.in2", "a.ou2", "b.in1", "b.out1"], [(1, "sum", [("b.in1", "b.out1"), ("a.in2", "a.ou2")])]),
        (["s-1.in", "s-1.out"], [(1, "sum", [("s-1.in", "s-1.out")])]),
        (["1_1.in", "1_1.out", "2_1.in", "2_1.out"], [(n, "min", [(f"{n}_1.in", f"{n}_1.out")]) for n in (1, 2)]),
        (["3-last.in", "3-last.ans"], [(1, "sum", [("3-last.in", "3-last.ans")])]),
        (["1.in", "game.in", "game.out"], []),
    ],
)
def test_names_tell_subtasks(names: list[str], found: list[tuple[int, str, list[tuple[str, str]]]]) -> None:
    assert [(one.id, one.type, one.cases) for one in by_names(names)] == found


def _pairs(*stems: str) -> dict[str, str]:
    return {f"testdata/{stem}.{end}": text for stem in stems for end, text in (("in", "1 2\n"), ("out", "3\n"))}


def test_subtasks_by_names(tmp_path: Path) -> None:
    problem = only(tmp_path, {**HEAD, **_pairs("a1-1", "a1-2", "a2-1", "a3-1")})
    assert [(group.name, group.points, group.aggregation) for group in problem.groups] == [
        ("secret/001", 33, Aggregation.MIN),
        ("secret/002", 33, Aggregation.MIN),
        ("secret/003", 34, Aggregation.MIN),
    ]
    assert [case.group for case in problem.cases] == ["secret/001", "secret/001", "secret/002", "secret/003"]


def test_a_configuration_may_leave_the_cases_of_its_subtasks_to_names(tmp_path: Path) -> None:
    config = "time: 2s\nsubtasks: [{id: 1, score: 20, type: max}]\n"
    problem = only(tmp_path, {**HEAD, **_pairs("1-1", "2-1"), "testdata/config.yaml": config})
    assert [(one.points, one.aggregation) for one in problem.groups] == [(20, Aggregation.MAX), (80, Aggregation.MIN)]
    assert problem.limits.cpu_ns == 2 * SECOND_NS


def test_pairs_of_other_names_are_tests_too(tmp_path: Path) -> None:
    assert len(only(tmp_path / "alone", {**HEAD, **_pairs("game")}).cases) == 1
    (one,) = imported(tmp_path / "beside", {**HEAD, **_pairs("game", "1")})
    assert "game.in: is named by no test" in (one.error or "")


def test_the_old_config_ini(tmp_path: Path) -> None:
    ini = "2\na1.in|a1.out|2|30|65536\na2.in|a2.out|1|70\n"
    problem = only(tmp_path, {**HEAD, **_pairs("a1", "a2"), "testdata/config.ini": ini})
    assert [group.points for group in problem.groups] == [30, 70]
    limits = [case.limits or problem.limits for case in problem.cases]
    assert [(one.cpu_ns, one.memory_bytes) for one in limits] == [(2 * SECOND_NS, 64 * MIB), (SECOND_NS, 256 * MIB)]


@pytest.mark.parametrize(
    ("ini", "says"),
    [
        ("", "config.ini:1: does not begin with the number of tests"),
        ("many\n", "config.ini:1: does not begin with the number of tests"),
        ("9\na1.in|a1.out|1|10\n", "config.ini:1: 9 tests, but 1 lines"),
        ("1\na1.in|a1.out\n", "config.ini:2: 'a1.in|a1.out' is no test"),
        ("1\na1.in|a9.out|1|10\n", "names the file 'a9.out', which is not there"),
        ("1\na1.in|a1.out|soon|10\n", "time 'soons' is none"),
    ],
)
def test_what_of_config_ini_does_not_fit(tmp_path: Path, ini: str, says: str) -> None:
    (one,) = imported(tmp_path, {**HEAD, **_pairs("a1"), "testdata/config.ini": ini})
    assert says in (one.error or "")


def test_a_subtask_of_too_large_a_number_stops_no_other_problem(tmp_path: Path) -> None:
    stems = {"a": "1-1", "b": "1234567-1", "c": "1-1"}
    files = {f"{name}/{path}": text for name, stem in stems.items() for path, text in {**HEAD, **_pairs(stem)}.items()}
    a, b, c = imported(tmp_path, files)
    assert "b/testdata/1234567-1.in: names a subtask above 1000000; give it a smaller number" in (b.error or "")
    assert (a.error, c.error) == (None, None)


def test_config_ini_grants_a_mebibyte_at_least(tmp_path: Path) -> None:
    problem = only(tmp_path, {**HEAD, **_pairs("a1"), "testdata/config.ini": "1\na1.in|a1.out|1|100|512\n"})
    assert [(case.limits or problem.limits).memory_bytes for case in problem.cases] == [MIB]


def test_pictures_of_a_statement_come_along(tmp_path: Path) -> None:
    files = {
        "problem_zh.md": "![](file://map.png) and ![](file://none.png), [data](file://big.zip)\n",
        "additional_file/map.png": b"\x89PNG",
        "additional_file/big.zip": b"PK",
        "additional_file/1.in": "an example to download\n",
        "additional_file/start.cpp": "int main() {}\n",
    }
    (one,) = imported(tmp_path, {**HEAD, **_pairs("1"), **files})
    assert one.package is not None, one.error
    statement = (one.package / "statement" / "problem.zh.md").read_text()
    assert statement == "![](map.png) and ![](file://none.png), [data](file://big.zip)\n"
    assert (one.package / "statement" / "map.png").read_bytes() == b"\x89PNG"
    assert [(loss.file.rpartition("/")[2], loss.message) for loss in one.losses] == [
        ("1.in", "is not imported"),
        ("big.zip", "is not imported"),
        ("start.cpp", "is not imported"),
    ]
