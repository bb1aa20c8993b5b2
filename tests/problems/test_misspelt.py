"""Nothing of a package of the ICPC formats is read without a word: each key misspelt, each name that decides, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from problems.errors import ProblemError
from problems.reading.package import read
from problems.validate import validate
from tests.packages import MINIMAL, PROBLEM, write_files

_ACCEPTS = "import sys\nsys.exit(42)\n"
_COMMON = {
    "data/sample/1.in": MINIMAL["data/sample/1.in"],
    "data/sample/1.ans": MINIMAL["data/sample/1.ans"],
    "data/secret/g/1.in": "1 2\n",
    "data/secret/g/1.ans": "3\n",
    "data/invalid_input/a.in": "x\n",
    "input_validators/check.py": _ACCEPTS,
    "include/python3/helper.py": "x = 1\n",
    "submissions/accepted/right.py": "print(3)\n",
    "submissions/wrong_answer/wrong.py": "print(4)\n",
}
_NEW = {
    **_COMMON,
    "problem.yaml": PROBLEM
    + "type: scoring\nlimits:\n  time_limit: 1\n  memory: 64\n  output: 1\n  compilation_time: 10\n"
    + "  time_multipliers: {ac_to_time_limit: 2, time_limit_to_tle: 1.5}\n"
    + "keywords: [a]\nconstants: {n: 5}\nlicense: cc0\n",
    "output_validator/judge.py": _ACCEPTS,
    "submissions/submissions.yaml": "accepted/right.py:\n  language: python3\n  permitted: [AC]\n"
    + "  use_for_time_limit: lower\n",
    "data/secret/g/test_group.yaml": "max_score: 100\nscore_aggregation: min\nrequire_pass: [sample]\n",
    "data/secret/g/1.yaml": "args: [a]\nfull_feedback: true\n",
    "judge.yaml": "checker: {arguments: [x]}\n",
}
_LEGACY = {
    **_COMMON,
    "problem.yaml": "name: Sum\ntype: scoring\nvalidation: custom score\nlimits: {memory: 64, output: 1}\n"
    + "grading: {objective: max}\nkeywords: a\nlicense: cc0\nrights_owner: us\n",
    "output_validators/judge.py": _ACCEPTS,
    "data/testdata.yaml": "on_reject: continue\ngrading: default\ngrader_flags: sum\n",
    "data/secret/testdata.yaml": "range: 0 100\n",
    "data/secret/g/testdata.yaml": "range: 0 100\naccept_score: 50\noutput_validator_flags: x\n",
}
PACKAGES: Mapping[str, Mapping[str, str]] = {"2025-09": _NEW, "legacy": _LEGACY}
_KEY = re.compile(r"(?:(?<=[{ \n])|\A)([A-Za-z_]+)(?=: |:\n)")
#: Names of the author's own: languages of titles, constants, keys of a draft that any key may stand for.
_FREE = {"en", "zh", "n"}


def findings(root: Path, files: Mapping[str, str]) -> list[str] | None:
    """What is told of a package that can be read; None: it is refused."""
    try:
        return [str(finding) for finding in validate(read(write_files(root / "p", files)))]
    except ProblemError:
        return None


def keys() -> Iterator[tuple[str, str, str]]:
    for version, files in PACKAGES.items():
        for file, text in files.items():
            if file.endswith(".yaml"):
                yield from ((version, file, key) for key in dict.fromkeys(_KEY.findall(text)) if key not in _FREE)


@pytest.mark.parametrize("version", PACKAGES)
def test_the_packages_are_read_as_they_are(tmp_path: Path, version: str) -> None:
    assert findings(tmp_path, PACKAGES[version]) is not None


@pytest.mark.parametrize(("version", "file", "key"), list(keys()))
def test_a_misspelt_key_is_told(tmp_path: Path, version: str, file: str, key: str) -> None:
    files = PACKAGES[version]
    wrong = key[:1] + key[2:] if len(key) > 3 else f"{key}z"
    misspelt = {**files, file: re.sub(rf"(?<![A-Za-z_]){key}(?=:)", wrong, files[file])}
    assert misspelt != files
    told = findings(tmp_path / "misspelt", misspelt)
    assert told is None or told != findings(tmp_path / "right", files)


_NAMES = (
    ("output_validator", "output_validatr"),
    ("output_validators", "output_validater"),
    ("input_validators", "input_validater"),
    ("include", "includes"),
    ("include/python3", "include/pyhton3"),
    ("submissions", "submission"),
    ("submissions/submissions.yaml", "submissions/submissions.yml"),
    ("data/sample", "data/samples"),
    ("data/invalid_input", "data/invalid_inputs"),
    ("judge.yaml", "judge.yml"),
    ("judge.yaml", "Judge.yaml"),
)


def renamed(files: Mapping[str, str], name: str, wrong: str) -> dict[str, str]:
    return {re.sub(rf"\A{re.escape(name)}(?=/|\Z)", wrong, file): text for file, text in files.items()}


def test_each_name_stands_in_a_package() -> None:
    assert all(any(renamed(files, *pair) != files for files in PACKAGES.values()) for pair in _NAMES)


@pytest.mark.parametrize(
    ("version", "name", "wrong"),
    [(version, *pair) for version, files in PACKAGES.items() for pair in _NAMES if renamed(files, *pair) != files],
)
def test_a_misspelt_name_is_refused(tmp_path: Path, version: str, name: str, wrong: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(wrong)):
        read(write_files(tmp_path, renamed(PACKAGES[version], name, wrong)))


@pytest.mark.parametrize(
    "beside", ["output_validators_old/a.py", "judge.yaml.bak", "solutions/a.py", "tools/a.py", "README.md", "tests/a"]
)
def test_what_is_laid_aside_is_no_misspelling(tmp_path: Path, beside: str) -> None:
    assert read(write_files(tmp_path, {**_NEW, beside: "x\n"})).checker


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("include/helper.py", "x = 1\n", "each language has a directory"),
        ("include/py/helper.py", "x = 1\n", "called like no language"),
        ("secret/9.in", "1 2\n", "its place is data/"),
        ("data/secret/more.zip", "PK", "it is packed"),
        ("data/secret/g/more.tar.gz", "x", "it is packed"),
        ("data/output_validator/judge.py", _ACCEPTS, "lies among the tests"),
        ("judge.json", "{}", "nearly judge.yaml"),
    ],
)
@pytest.mark.parametrize("version", PACKAGES)
def test_what_decides_is_not_passed_over_in_another_place(
    tmp_path: Path, version: str, name: str, text: str, what: str
) -> None:
    with pytest.raises(ProblemError, match=what):
        read(write_files(tmp_path, {**PACKAGES[version], name: text}))


@pytest.mark.parametrize("name", ["a b", "g (1)/1", "\u00e9/1"])
def test_tests_of_version_legacy_are_not_passed_over_for_their_names(tmp_path: Path, name: str) -> None:
    """Other judges run them. 2025-09 says that such a file is not there."""
    more = {f"data/secret/{name}.in": "1 1\n", f"data/secret/{name}.ans": "2\n"}
    with pytest.raises(ProblemError, match="is no name of a test"):
        read(write_files(tmp_path / "old", {**_LEGACY, **more}))
    names = [case.name for case in read(write_files(tmp_path / "new", {**_NEW, **more})).cases]
    assert names == [case.name for case in read(write_files(tmp_path / "p", _NEW)).cases]


@pytest.mark.parametrize("key", ["max_score: 3", "score_aggregation: min", "require_pass: [sample]"])
def test_a_pass_fail_problem_has_no_scores(tmp_path: Path, key: str) -> None:
    """A `type: scoring` that was lost would make all labels all or nothing."""
    files = {**_NEW, "problem.yaml": PROBLEM, "judge.yaml": "", "data/secret/g/test_group.yaml": f"{key}\n"}
    with pytest.raises(ProblemError, match="a problem that is pass-fail has none"):
        read(write_files(tmp_path, files))


def test_words_of_the_default_grader_of_version_legacy(tmp_path: Path) -> None:
    def refused(name: str, flags: str, head: str) -> str:
        more = {"problem.yaml": head, "data/secret/testdata.yaml": f"grader_flags: {flags}\n"}
        with pytest.raises(ProblemError) as error:
            read(write_files(tmp_path / name, {**MINIMAL, **more}))
        return str(error.value)

    assert "'bogus' is no word of the default grader" in refused("a", "sum bogus", "name: x\ntype: scoring\n")
    for number, flag in enumerate(("accept_if_any_accepted", "always_accept", "ignore_sample")):
        assert f"{flag} is not read where type is pass-fail" in refused(str(number), flag, "name: x\n")


def test_a_grader_and_a_static_validator_have_their_version(tmp_path: Path) -> None:
    grader, static = {"graders/grade.py": _ACCEPTS}, {"static_validator/check.py": _ACCEPTS}
    with pytest.raises(ProblemError, match="version 2025-09 has none"):
        read(write_files(tmp_path / "new", {**_NEW, **grader}))
    with pytest.raises(ProblemError, match="version legacy has none"):
        read(write_files(tmp_path / "old", {**_LEGACY, **static}))
    for name, files in (("graders", {**_LEGACY, **grader}), ("static_validator", {**_NEW, **static})):
        assert any(f"{name}: is not used" in one for one in findings(tmp_path / name, files) or ())


def test_a_program_that_the_site_has_is_not_passed_over(tmp_path: Path) -> None:
    stated = {"domjudge-problem.ini": "timelimit = 3\nspecial_compare = 'mine'\n"}
    with pytest.raises(ProblemError, match="special_compare = 'mine' is a program of the site"):
        read(write_files(tmp_path / "alone", {**MINIMAL, **stated}))
    assert read(write_files(tmp_path / "own", {**_NEW, **stated})).checker
    usual = {"domjudge-problem.ini": "timelimit = 3\nspecial_compare = 'compare'\n"}
    assert read(write_files(tmp_path / "usual", {**MINIMAL, **usual})).limits.cpu_ns == 3 * 10**9
    with pytest.raises(ProblemError, match="did you mean 'timelimit'"):
        read(write_files(tmp_path / "misspelt", {**MINIMAL, "domjudge-problem.ini": "timelmit = 3\n"}))


@pytest.mark.parametrize("stated", ["{memory: true}", "{time_limit: yes}", "{output: on}"])
def test_a_truth_value_is_no_limit(tmp_path: Path, stated: str) -> None:
    with pytest.raises(ProblemError, match="is true; write a"):
        read(write_files(tmp_path, {**MINIMAL, "problem.yaml": f"{PROBLEM}limits: {stated}\n"}))
