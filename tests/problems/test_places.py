"""What would judge, or say how to, in a place of another version or of none is refused, and never passed over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from problems.errors import ProblemError
from problems.model import Comparison, Program
from problems.reading.package import read
from tests.packages import LEGACY, MINIMAL, PROBLEM, write_files

_LAX, _STRICT = "import sys\nsys.exit(42)\n", "import sys\nsys.exit(43)\n"
_MAIN = "int main() { return 42; }\n"
_CUSTOM = {**LEGACY, "problem.yaml": "name: Sum\nvalidation: custom\n"}
#: By version: the package, and where its validator lies.
_VERSIONS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "2025-09": (MINIMAL, "output_validator"),
    "legacy": (_CUSTOM, "output_validators"),
}
both = pytest.mark.parametrize(("files", "place"), _VERSIONS.values(), ids=_VERSIONS)


def refused(tmp_path: Path, files: Mapping[str, str], what: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(what)):
        read(write_files(tmp_path / "p", files))


@pytest.mark.parametrize(
    "beside",
    [
        {"a_lax.py": _LAX, "validate.py": _STRICT},
        {"a_lax.cpp": _MAIN, "validate.py": _STRICT},
        {"a_lax.cpp": _MAIN, "validate.cpp": _MAIN},
        {"a_lax.sh": "exit 42\n", "validate.py": _STRICT},
        {"Lax.java": "class Lax { public static void main(String[] a) {} }\n", "validate.py": _STRICT},
        {"a.rb": "exit 42\n", "b.js": "process.exit(43)\n"},
        {"v/a_lax.py": _LAX, "v/validate.py": _STRICT},
        {"a/a_lax.py": _LAX, "b/validate.py": _STRICT},
        {"a_lax.py": _LAX, "b/validate.py": _STRICT},
        {"a_lax.py": "# validate\n" + _LAX, "validate.py": "# import nothing\nprint('a_lax')\n"},
    ],
    ids="-".join,
)
@both
def test_validators_side_by_side_are_refused(
    tmp_path: Path, files: Mapping[str, str], place: str, beside: Mapping[str, str]
) -> None:
    more = {f"{place}/{name}": text for name, text in beside.items()}
    refused(tmp_path, {**files, **more}, f"{place}: has several programs (")


@pytest.mark.parametrize(
    ("beside", "main"),
    [
        (
            {"check.cpp": '#include "lib.h"\n' + _MAIN, "lib.h": "int f();\n", "lib.cpp": "int f() { return 1; }\n"},
            "check.cpp",
        ),
        ({"a_tools.py": "def f(): pass\n", "validate.py": "from a_tools import f\n" + _LAX}, "validate.py"),
        ({"a_tools.py": "X = 1\n", "validate.py": "import sys, a_tools\n"}, "validate.py"),
        ({"v/a_tools.py": "X = 1\n", "v/validate.py": "import a_tools\n"}, "validate.py"),
        (
            {"v/lib/__init__.py": "", "v/lib/words.py": "X = 1\n", "v/validate.py": "from lib.words import X\n"},
            "validate.py",
        ),
        ({"v/build": "#!/bin/sh\n", "v/a.cpp": _MAIN, "v/gen.py": "print(1)\n"}, "build"),
        ({"v/main.py": "import b\n", "v/a.py": "print(1)\n", "v/b.py": ""}, "main.py"),
        ({"v/a.js": "exports.x = 1\n", "v/check.js": 'const a = require("./a")\n'}, "check.js"),
        ({"V.java": "class V { public static void main(String[] a) {} }\n", "Help.java": "class Help {}\n"}, "V.java"),
        ({"check.cpp": _MAIN, "README.md": "x\n", "notes.txt": "x\n", "Makefile": "all:\n"}, "check.cpp"),
        ({"check.cpp": _MAIN, "template.cpp": _MAIN}, "check.cpp"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
@both
def test_what_lies_beside_a_validator_is_read_with_it(
    tmp_path: Path, files: Mapping[str, str], place: str, beside: Mapping[str, str], main: str
) -> None:
    checker = read(
        write_files(tmp_path, {**files, **{f"{place}/{name}": text for name, text in beside.items()}})
    ).checker
    assert isinstance(checker, Program)
    assert checker.sources[0].name == main


@both
def test_judge_yaml_chooses_among_validators(tmp_path: Path, files: Mapping[str, str], place: str) -> None:
    more = {f"{place}/a_lax.py": _LAX, f"{place}/v.py": _STRICT, "judge.yaml": "checker: {main: v.py}\n"}
    checker = read(write_files(tmp_path, {**files, **more})).checker
    assert isinstance(checker, Program)
    assert checker.sources[0].name == "v.py"


@pytest.mark.parametrize("place", ["output_validator", "static_validator"])
@pytest.mark.parametrize("name", ["check er.py", "README.md", "README", "чек.py", "my checker/v.py", "-v.py"])
def test_a_directory_of_a_program_without_one_is_refused(tmp_path: Path, place: str, name: str) -> None:
    refused(tmp_path, {**MINIMAL, f"{place}/{name}": _STRICT}, "lies where a program judges, and no program does")


def test_a_validator_with_a_wrong_name_is_none_in_version_legacy(tmp_path: Path) -> None:
    refused(tmp_path, {**_CUSTOM, "output_validators/check er.py": _STRICT}, "check er.py: lies where a program judges")


@pytest.mark.parametrize("name", [".gitkeep", "__pycache__/v.pyc"])
def test_an_empty_directory_of_a_validator_is_none(tmp_path: Path, name: str) -> None:
    problem = read(write_files(tmp_path, {**MINIMAL, f"output_validator/{name}": ""}))
    assert isinstance(problem.checker, Comparison)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "checker/v.py",
            "checkers/v.py",
            "checker/chk",
            "validator/v.py",
            "validators/a/v.cpp",
            "output_checker/v.py",
        ),
        *("Checker/v.py", "chk/v.cpp", "spj/spj.cc", "special_judge/v.py", "comparator/v.cpp", "custom_checker/v.py"),
        *("checker.cpp", "chk.cc", "validator.py", "spj.cpp", "checker", "judge/v.py", "judge.py"),
        *("check.cpp", "verifier.py", "grader.cpp", "compare/run"),
    ],
)
@pytest.mark.parametrize("files", [MINIMAL, LEGACY], ids=["2025-09", "legacy"])
def test_a_checker_in_a_place_of_no_version_is_refused(tmp_path: Path, files: Mapping[str, str], name: str) -> None:
    refused(tmp_path, {**files, name: _STRICT}, f"/{name.partition('/')[0]}: is not read: output_validator")


@pytest.mark.parametrize("files", [MINIMAL, LEGACY], ids=["2025-09", "legacy"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("data/3.in", "is not read as a test; move it to data/secret"),
        ("data/secret/3.IN", "is not read as a test; rename it to 3.in"),
        ("data/secret/3.Ans", "is not read as a test; rename it to 3.ans"),
        ("data/secret/3.in.gz", "is not read as a test: it is packed; unpack it"),
        ("data/secret/3.ans.xz", "is not read as a test: it is packed; unpack it"),
        ("data/secret/01.args", "is not read as arguments of a test; write args into 01.yaml"),
        ("data/secret/01.ARGS", "is not read as arguments of a test; write args into 01.yaml"),
        ("data/secret/test_group.yml", "is not read; rename it to test_group.yaml"),
        ("data/secret/testdata.YAML", "is not read; rename it to testdata.yaml"),
        ("data/testdata.yml", "is not read; rename it to testdata.yaml"),
        ("data/secret/01.yml", "is not read; rename it to 01.yaml"),
        ("data/secret/checker.py", "is not read: it lies among the tests; move it, or remove it"),
        ("data/spj.cpp", "is not read: it lies among the tests; move it, or remove it"),
    ],
)
def test_what_is_nearly_a_test_is_refused(tmp_path: Path, files: Mapping[str, str], name: str, said: str) -> None:
    refused(tmp_path, {**files, name: "x\n"}, f"{name}: {said}")


def test_a_file_of_arguments_is_of_the_draft(tmp_path: Path) -> None:
    """Until its revision of August 2024; from then on they are in NAME.yaml."""
    draft = {**MINIMAL, "problem.yaml": MINIMAL["problem.yaml"].replace("2025-09", "2023-07-draft")}
    more = {"data/secret/01.args": "--fast 3\n\tx\n", "data/secret/test_group.yaml": "args: [y]\n"}
    cases = {case.name: case.arguments for case in read(write_files(tmp_path / "draft", {**draft, **more})).cases}
    assert cases.pop("secret/01") == ("--fast", "3", "x")
    assert cases["secret/02"] == ("y",)
    twice = {**draft, **more, "data/secret/01.yaml": "args: []\n"}
    refused(tmp_path / "twice", twice, "01.args: states arguments, and 01.yaml does, too; remove one of them")
    described = {**draft, **more, "data/secret/01.yaml": "hint: think\n"}
    assert ("--fast", "3", "x") in {case.arguments for case in read(write_files(tmp_path / "d", described)).cases}
    refused(tmp_path / "long", {**draft, "data/secret/01.args": "x " * 401}, "01.args: 401 words")
    refused(
        tmp_path / "alone", {**draft, "data/secret/9.args": "x"}, "9.args: configures a test case that does not exist"
    )


@pytest.mark.parametrize("files", [MINIMAL, LEGACY], ids=["2025-09", "legacy"])
@pytest.mark.parametrize("name", ["hidden", "main/large", "group1"])
def test_tests_in_a_directory_that_is_not_read_are_refused(tmp_path: Path, files: Mapping[str, str], name: str) -> None:
    """problemtools has them as a group of tests, and its verification refuses them."""
    more = {f"data/{name}/9.in": "1\n", f"data/{name}/9.ans": "1\n"}
    refused(tmp_path / "tests", {**files, **more}, f"data/{name.partition('/')[0]}: holds tests, and is not read")
    for aside in ("secret_old", "bad", "invalid_answers"):
        more = {f"data/{aside}/9.in": "1\n", f"data/{aside}/9.ans": "1\n"}
        found = read(write_files(tmp_path / aside, {**files, **more})).cases
        assert {case.name.partition("/")[0] for case in found} <= {"sample", "secret"}


@pytest.mark.parametrize("name", ["judge.yaml", "data/secret/test_group.yaml"])
def test_settings_that_are_no_file_are_refused(tmp_path: Path, name: str) -> None:
    refused(tmp_path, {**MINIMAL, f"{name}/x.md": "x\n"}, f"{name}: is no file; put a file there, or remove it")


@pytest.mark.parametrize(
    ("files", "name", "why"),
    [
        (MINIMAL, "output_validators/v.py", "output_validator/ is the place of version 2025-09"),
        (LEGACY, "output_validator/v.py", "output_validators/ is the place of version legacy"),
        (MINIMAL, "interactor/v.py", "the problem is not interactive"),
        (MINIMAL, "manager/v.py", "judge.yaml names no manager"),
    ],
)
def test_a_program_in_the_place_of_another_version_or_kind_is_refused(
    tmp_path: Path, files: Mapping[str, str], name: str, why: str
) -> None:
    refused(tmp_path, {**files, name: _STRICT}, f"/{name.partition('/')[0]}: is not read: {why}")


def test_a_validator_that_is_asked_for_may_lie_in_the_newer_place(tmp_path: Path) -> None:
    """As in DOMjudge's own examples."""
    assert isinstance(read(write_files(tmp_path, {**_CUSTOM, "output_validator/v.py": _LAX})).checker, Program)


@both
def test_a_package_of_both_versions_is_read_by_its_own(tmp_path: Path, files: Mapping[str, str], place: str) -> None:
    more = {"output_validator/new.py": _LAX, "output_validators/old.py": _STRICT}
    checker = read(write_files(tmp_path, {**files, **more})).checker
    assert isinstance(checker, Program)
    assert checker.sources[0].parent.name == place


@pytest.mark.parametrize(
    "name",
    [
        *("answer_validators/v.py", "input_validators/v.py", "checker/README.md", "solutions/checker.py", "tools/v.py"),
        *("judge.yaml", "check.sh", "notes/checker", "checker.md", "output_validators_old/v.py"),
    ],
)
def test_what_judges_nothing_may_lie_in_a_package(tmp_path: Path, name: str) -> None:
    problem = read(write_files(tmp_path, {**MINIMAL, name: "" if name == "judge.yaml" else "x\n"}))
    assert isinstance(problem.checker, Comparison)


@pytest.mark.parametrize("text", ["output_validator_flags: case_sensitive\n", "range: 0 100\n", "grading: custom\n"])
@pytest.mark.parametrize("directory", ["data", "data/secret", "data/sample"])
def test_settings_of_version_legacy_are_refused_in_another(tmp_path: Path, directory: str, text: str) -> None:
    what = f"{directory}/testdata.yaml: is not read in version 2025-09; write it as test_group.yaml"
    refused(tmp_path, {**MINIMAL, f"{directory}/testdata.yaml": text}, what)


def test_settings_of_another_version_are_refused_in_version_legacy(tmp_path: Path) -> None:
    files = {**LEGACY, "data/test_group.yaml": "output_validator_args: case_sensitive\n"}
    refused(tmp_path, files, "data/test_group.yaml: is not read in version legacy; write it as testdata.yaml")


@pytest.mark.parametrize(
    ("files", "own", "other"),
    [(MINIMAL, "test_group.yaml", "testdata.yaml"), (LEGACY, "testdata.yaml", "test_group.yaml")],
    ids=["2025-09", "legacy"],
)
def test_settings_of_both_versions_are_read_by_their_own(
    tmp_path: Path, files: Mapping[str, str], own: str, other: str
) -> None:
    key = "output_validator_args" if own == "test_group.yaml" else "output_validator_flags"
    more = {f"data/{own}": f"{key}: case_sensitive\n", f"data/{other}": "strange: 1\n"}
    checker = read(write_files(tmp_path, {**files, **more})).checker
    assert isinstance(checker, Comparison)
    assert checker.case_sensitive
    assert read(write_files(tmp_path / "empty", {**files, f"data/{other}": "\n"})).checker != checker


_VALIDATOR = {"output_validator/v.py": _STRICT}


@pytest.mark.parametrize(
    ("stated", "beside", "name"),
    [
        ("validation: custom interactive\n", _VALIDATOR, "validation: interactive"),
        ("validation: custom multi-pass\n", _VALIDATOR, "validation: multi-pass"),
        ("validation: custom score\n", _VALIDATOR, "validation: score"),
        ("validation: custom\n", {}, "validation: custom"),
        ("validation: default\n", _VALIDATOR, "validation: default"),
        ("validator_flags: case_sensitive\n", {}, "validator_flags"),
        ("validator_flags: [x]\n", _VALIDATOR, "validator_flags"),
        ("grading: {objective: min}\n", {}, "grading"),
        ("grading: {on_reject: grade}\n", {}, "grading"),
    ],
)
@pytest.mark.parametrize("version", ["2025-09", "2023-07-draft"])
def test_keys_of_version_legacy_that_ask_for_more_are_refused(
    tmp_path: Path, version: str, stated: str, beside: Mapping[str, str], name: str
) -> None:
    text = PROBLEM.replace("2025-09", version) + stated
    what = f"problem.yaml:{text.count(chr(10))}: {name} is of version legacy, and says nothing in version {version}"
    refused(tmp_path, {**MINIMAL, **beside, "problem.yaml": text}, what)


@pytest.mark.parametrize(
    ("stated", "beside"),
    [
        ("validation: default\n", {}),
        ("validation: custom\n", _VALIDATOR),
        ("type: interactive\nvalidation: custom interactive\n", _VALIDATOR),
        ("type: scoring\nvalidation: custom score\n", _VALIDATOR),
        ("validator_flags:\n", {}),
        ("grading: {objective: max, show_test_data_groups: true}\n", {}),
        ("author: us\n", {}),
    ],
)
def test_keys_of_version_legacy_that_say_the_same_may_stay(
    tmp_path: Path, stated: str, beside: Mapping[str, str]
) -> None:
    read(write_files(tmp_path, {**MINIMAL, **beside, "problem.yaml": PROBLEM + stated}))
