"""Problems of UOJ."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems import Aggregation
from problems.importing import import_problems
from problems.model import MIB, SECOND_NS
from tests.packages import write_files
from tests.problems.importing.examples import (
    UOJ,
    imported,
    only,
)


def test_a_package_of_uoj(tmp_path: Path) -> None:
    problem = only(tmp_path, UOJ)
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (SECOND_NS // 2, 64 * MIB)
    assert [case.limits and case.limits.cpu_ns for case in problem.cases] == [None, None, None, 2 * SECOND_NS]
    assert [case.sample for case in problem.cases] == [True, False, False, False]
    groups = {group.name: (group.points, group.aggregation, group.requires) for group in problem.groups[1:]}
    assert groups == {
        "secret/001": (30, Aggregation.MIN, ()),
        "secret/002": (70, Aggregation.MIN, ("secret/001",)),
    }
    assert [one.path.name for one in problem.submissions] == ["std.py"]
    without = {**UOJ, "problem.conf": UOJ["problem.conf"].partition("n_subtasks")[0] + "point_score_2 50\n"}
    (one,) = import_problems(write_files(tmp_path / "other", without), tmp_path / "again")
    assert one.package is not None
    assert [case.weight for case in problems.load(one.package).cases][1:] == [33, 50, 33]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("use_builtin_judger on", "use_builtin_judger off"), "its own judger"),
        (("use_builtin_judger on", "use_builtin_judger on\nsubmit_answer on"), "submit_answer"),
        (("checker ncmp", "checker bcmp"), "problem.conf: use_builtin_checker 'bcmp'"),
        (("use_builtin_checker ncmp\n", ""), "'chk.cpp', which is not there"),
        (("n_tests 3", "n_tests 4"), "test 4 is in no subtask"),
        (("n_tests 3", "n_tests x"), "problem.conf:3: n_tests 'x'"),
        (("n_tests 3", "n_tests 3\nn_tests 3"), "problem.conf:4: key 'n_tests' is there twice"),
        (("subtask_end_2 3", "subtask_end_2 1"), "subtask_end_2 is 1"),
        (("dependence_2_1 1", "dependence_2_1 9"), "needs '9'"),
        (("n_ex_tests 1", "n_ex_tests 3"), "2 extra tests"),
        (("input_pre sum", "input_pre ../sum"), "names the file"),
        (("memory_limit 64", "memory_limit 64\ncolour red"), "problem.conf:13: key 'colour'"),
    ],
)
def test_what_of_uoj_does_not_fit(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    files = {**UOJ, "problem.conf": UOJ["problem.conf"].replace(*change, 1)}
    assert files != UOJ
    (one,) = imported(tmp_path, files)
    assert one.package is None
    assert says in (one.error or "")
