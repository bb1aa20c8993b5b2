"""Frontier-CS, as its own judge reads and judges it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from judge import Judge
from problems.model import MIB, SECOND_NS
from tests.problems.importing.examples import imported, judged, only

_CONFIG = "type: default\ntime: 2s\nmemory: 64m\nsubtasks:\n- score: 100\n  n_cases: 2\n"
_CHECKER = """#include <cstdio>
#include <fstream>
int main(int, char **at) {
    double share = 0;
    std::ifstream(at[2]) >> share;
    std::fprintf(stderr, "points %.4f Value: 1. Ratio: %.4f, RatioUnbounded: 3.0\\n", share, share);
    return 7;
}
"""
_FILES = {
    "config.yaml": _CONFIG,
    "statement.txt": "Print a share.\n",
    "chk.cc": _CHECKER,
    **{f"testdata/{name}.{end}": "1\n" for name in "12" for end in ("in", "ans")},
}


def test_the_mean_of_what_its_checker_gives(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    problem = only(tmp_path, _FILES)
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (2 * SECOND_NS, 64 * MIB)
    quarter = judged(judges, problem, b"print(0.25)")
    assert (quarter.score, quarter.raw_score) == (pytest.approx(0.25), 3.0)
    assert judged(judges, problem, b"print(1)").accepted


def test_an_interactive_problem(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    talk = """#include <cstdio>
int main() {
    int said = 0;
    std::puts("20"), std::fflush(stdout);
    if (std::scanf("%d", &said) != 1 || said != 21) { std::fputs("wrong answer no\\n", stderr); return 1; }
    std::fputs("points 0.5 Ratio: 0.5000\\n", stderr);
    return 7;
}
"""
    files = {**_FILES, "config.yaml": _CONFIG.replace("default", "interactive"), "interactor.cc": talk}
    del files["chk.cc"]
    problem = only(tmp_path, files)
    assert problem.kind == "interactive"
    assert judged(judges, problem, b"print(int(input()) + 1)").score == pytest.approx(0.5)
    assert judged(judges, problem, b"print(int(input()) + 2)").score == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("time: 2s", "cheker_type: testlib", "key 'cheker_type' is unknown here; write 'checker_type', or remove it"),
        ("time: 2s", "interactor: talk.cc", "interactor is not used with type default"),
        ("default", "leetcode", "type: "),
        ("n_cases: 2", "score_: 2", "config.yaml"),
        ("n_cases: 2", "n_cases: 3", "names the file '3.in', which is not there"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    (one,) = imported(tmp_path, {**_FILES, "config.yaml": _CONFIG.replace(old, new)}, lenient=True)
    assert says in (one.error or "")


def test_a_problem_without_its_checker_is_refused(tmp_path: Path) -> None:
    (one,) = imported(tmp_path, {name: text for name, text in _FILES.items() if name != "chk.cc"}, lenient=True)
    assert "names the file 'chk.cc', which is not there" in (one.error or "")
