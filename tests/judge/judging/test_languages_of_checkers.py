"""Checkers, interactors and input validators in other languages than C, C++ and Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, LanguageError, ProblemError, Submission
from judge.checkers.program import run_limits
from problems import load
from problems.model import Program
from tests.judge.languages.test_languages import installed

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: Accepts the input's number.
JAVA = """\
import java.nio.file.*;
import java.util.*;
public class Check {
    public static void main(String[] args) throws Exception {
        String wanted = Files.readString(Path.of(args[0])).strip();
        String said = new Scanner(System.in).next();
        Files.writeString(Path.of(args[2], "judgemessage.txt"), Said.of(said));
        System.exit(said.equals(wanted) ? 42 : 43);
    }
}
"""
SAID = 'class Said { static String of(String word) { return "heard " + word; } }\n'
BASH = '[ "$(cat "$1")" = "$(cat)" ] && exit 42\nexit 43\n'
NODE = """\
const fs = require("fs");
process.exit(fs.readFileSync(0, "utf8").trim() === fs.readFileSync(process.argv[2], "utf8").trim() ? 42 : 43);
"""
TALKS = """\
echo "$(cat "$1")"
read -r answer
[ "$answer" = "$(cat "$1")" ] && exit 42
exit 43
"""


@pytest.mark.parametrize(
    ("language", "files"),
    [
        ("java", {"output_validator/Check.java": JAVA, "output_validator/Said.java": SAID}),
        ("bash", {"output_validator/check.sh": BASH}),
        ("node", {"output_validator/check.js": NODE}),
        ("bash", {"problem.yaml": "validation: custom\n", "output_validators/check/check.sh": BASH}),
    ],
    ids=["java", "bash", "node", "legacy"],
)
def test_checkers(judges: Judges, package: MakePackage, language: str, files: dict[str, str]) -> None:
    installed(language)
    problem = package({"secret/1": ("7\n", "")}, files=files)
    for said, verdict in (("7", "AC"), ("8", "WA")):
        judged = judges().judge(Submission(source=f"print({said})".encode(), problem=problem, language="python3"))
        assert [test.verdict for test in judged.tests] == [verdict], judged.tests
        if language == "java":
            assert judged.tests[0].detail == f"heard {said}"


@pytest.mark.parametrize(("says", "verdict"), [("input()", "AC"), ("0", "WA")])
def test_an_interactor(judges: Judges, package: MakePackage, says: str, verdict: str) -> None:
    files = {"output_validator/talk.sh": TALKS}
    problem = package({"secret/1": ("7\n", "")}, metadata="type: interactive\n", files=files)
    judged = judges().judge(Submission(source=f"print({says})".encode(), problem=problem, language="python3"))
    assert [test.verdict for test in judged.tests] == [verdict], judged.tests


def test_input_validators(judges: Judges, package: MakePackage) -> None:
    files = {
        "input_validators/even.sh": "read -r n\n[ $((n % 2)) = 0 ] && exit 42\nexit 43\n",
        "input_validators/old.viva": "x\n",
    }
    problem = load(package({"secret/1": ("7\n", "7\n"), "secret/2": ("8\n", "8\n")}, files=files))
    assert [program.sources[0].name for program in problem.input_validators] == ["even.sh"]
    [found] = [one for one in judges().validate(problem) if "even" in one.message]
    assert found.file.endswith("data/secret/1.in")


def test_a_language_that_no_machine_has_is_named(judges: Judges, package: MakePackage) -> None:
    problem = package({"secret/1": ("7\n", "7\n")}, files={"output_validator/check.a68": "x\n"})
    assert isinstance((checker := load(problem).checker), Program)
    assert run_limits(checker).processes == 0
    with pytest.raises((LanguageError, ProblemError), match=r"checker .*check\.a68"):
        judges().judge(Submission(source=b"print(7)", problem=problem, language="python3"))
