"""Tests of CMS tasks that are to be generated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from judge import Judge
from problems import load
from tests.problems.importing.contest_examples import CMS
from tests.problems.importing.examples import imported
from tests.problems.importing.test_contests import changed


def test_tests_of_cms_that_programs_make(tmp_path: Path, judges: Callable[..., Judge]) -> None:
    """Without input/ and output/ the lines of gen/GEN make the tests, and the solution answers them, in its files."""
    files = {name: text for name, text in CMS.items() if not name.startswith(("input/", "output/", "check/"))}
    files = changed(files, "gen/GEN", ("# COPY: hand.txt", "#COPY: gen/hand.txt"))
    files = changed(files, "task.yaml", ("infile: ''\noutfile: ''", "infile: in.txt\noutfile: out.txt"))
    solution = "print(sum(map(int, open('in.txt').read().split())), file=open('out.txt', 'w'))\n"
    generator = "import sys\nprint(*reversed(sys.argv[1:]))\n"
    files |= {"sol/solution.py": solution, "gen/generatore.py": generator, "gen/hand.txt": "5 5\n"}
    (one,) = imported(tmp_path, files)
    assert one.package is not None, one.error
    assert "3 of 3 tests are built at first use" in str(one.losses)
    problem = load(one.package)
    with judges().build_tests(problem) as whole:
        made = [(case.name, case.read_input(), case.read_answer()) for case in whole.cases]
    assert made == [
        ("secret/001/000", b"2 1\n", b"3\n"),
        ("secret/002/001", b"2 2\n", b"4\n"),
        ("secret/003/002", b"5 5\n", b"10\n"),
    ]
    refused: tuple[tuple[dict[str, str | None], str], ...] = (
        ({"sol/solution.py": None}, "gen/GEN:3: test 0 is not in the task, and there is no sol/solution"),
        ({"sol/grader.py": ""}, "gen/GEN:3: test 0 is not in the task, and its answer is not what a program prints"),
        ({"gen/generatore.py": None}, "gen: has no source of a generator"),
        ({"gen/GEN": "# ST: 100\n#COPY: ../hand.txt\n1\n1\n"}, "gen/GEN:2: names the file '../hand.txt'"),
        ({"gen/GEN": "#COPY: /etc/passwd\n1\n1\n"}, "names the file '/etc/passwd'"),
        ({"gen/GEN": "1\n{name}\n1\n"}, "gen/GEN:2: test 1 is not in the task, and packages read {seed} and {name}"),
        (
            {"gen/GEN": "1\n" * 1001, "task.yaml": str(files["task.yaml"]).replace("n_input: 3\n", "")},
            "gen/GEN:1001: test 1000 is not in the task, and it is one of more than 1000",
        ),
        ({"gen/GEN": "#COPY:\n1\n1\n"}, "names the file ''"),
    )
    for number, (change, says) in enumerate(refused):
        left = {name: text for name, text in {**files, **change}.items() if text is not None}
        (one,) = imported(tmp_path / f"{number}", left)
        assert says in (one.error or "")


def test_what_checks_inputs_of_cms_is_passed_over(tmp_path: Path) -> None:
    validators = {"gen/valida.py": "import sys\n", "gen/validator.cpp": "int main() {}\n"}
    (one,) = imported(tmp_path, {**CMS, **validators})
    assert one.whole, one.error
    told = {loss.file.rpartition("/")[2]: loss.message for loss in one.losses}
    assert told.items() >= dict.fromkeys(("valida.py", "validator.cpp"), "is not imported: it checks inputs").items()
    (one,) = imported(tmp_path / "other", {**CMS, "gen/checker.cpp": "int main() {}\n"})
    assert "gen/checker.cpp: is a program that the format gives no place" in (one.error or "")
