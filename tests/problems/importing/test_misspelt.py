"""Nothing of a source is read without a word: each key of each example misspelt, and each of its programs renamed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

from problems import ProblemError
from problems.importing import Imported, import_problems
from problems.importing.understood import Part, Weight, part_of
from tests.packages import write_files
from tests.problems.importing.examples import EXAMPLES, FRONTIER, HYDRO, SYZOJ, UOJ

_SETTINGS = (".yaml", ".yml", ".json", ".conf", ".xml", ".cdf")
_KEYS = {
    ".conf": re.compile(r"^([a-z_]+)(?=[ _0-9])", re.MULTILINE),
    ".xml": re.compile(r"(?<=<)([A-Za-z_-]+)(?=[ >/])|(?<= )([A-Za-z_-]+)(?==\")"),
    ".json": re.compile(r"\"([A-Za-z_]+)\"(?=:)"),
    ".cdf": re.compile(r"\"([A-Za-z_]+)\"(?=:)"),
    ".yaml": re.compile(r"(?:(?<=[{ \n])|\A)([A-Za-z_]+)(?=: |:\n)"),
    ".yml": re.compile(r"(?:(?<=[{ \n])|\A)([A-Za-z_]+)(?=: |:\n)"),
}
#: Names of the author's own, and words of which the formats say that tools may put in what they like.
_FREE = {("lemon", "gcc"), ("polygon", "xml"), ("fps", "xml"), ("fps", "fps"), ("fps", "generator")}
#: HTML in a statement.
_FREE |= {("fps", "img"), ("fps", "src")}
_JUDGED = {
    **EXAMPLES,
    "frontier-cs": FRONTIER,
    "hydro-checker": {
        **HYDRO,
        "sum/testdata/config.yaml": HYDRO["sum/testdata/config.yaml"] + "checker_type: kattis\nchecker: chk.cc\n",
        "sum/testdata/chk.cc": "int main() {}\n",
    },
    "hydro-interactor": {
        **HYDRO,
        "sum/testdata/config.yaml": HYDRO["sum/testdata/config.yaml"] + "type: interactive\ninteractor: talk.cc\n",
        "sum/testdata/talk.cc": "int main() {}\n",
    },
    "syzoj-checker": {
        **SYZOJ,
        "data.yml": SYZOJ["data.yml"] + "specialJudge: {language: cpp, fileName: spj.cpp}\n",
        "spj.cpp": "int main() {}\n",
    },
    "uoj-checker": {
        **UOJ,
        "problem.conf": UOJ["problem.conf"].replace("use_builtin_checker ncmp\n", ""),
        "chk.cpp": "int main() {}\n",
    },
}


def _variants() -> Iterator[tuple[str, str, str]]:
    for name, files in _JUDGED.items():
        if name == "icpc":  # its reader has tests of its own
            continue
        for file, text in files.items():
            pattern = _KEYS.get(PurePosixPath(file).suffix)
            if pattern is None or not isinstance(text, str):
                continue
            keys = dict.fromkeys(
                match[1] or match[2] if match.re.groups > 1 else match[1] for match in pattern.finditer(text)
            )
            yield from ((name, file, key) for key in keys if (name, key) not in _FREE and len(key) > 2)


def _imported(tmp_path: Path, files: Mapping[str, str | bytes], *, lenient: bool) -> list[Imported]:
    try:
        return list(import_problems(write_files(tmp_path / "p", files), tmp_path / f"made-{lenient}", lenient=lenient))
    except ProblemError as error:
        return [Imported(name="", format="", package=None, error=str(error))]


@pytest.mark.parametrize(("name", "file", "key"), list(_variants()))
def test_a_misspelt_key_is_told(tmp_path: Path, name: str, file: str, key: str) -> None:
    files = _JUDGED[name]
    text = files[file]
    assert isinstance(text, str)
    wrong = key[:1] + key[2:] if len(key) > 3 else f"{key}z"
    misspelt = {**files, file: re.sub(rf"(?<![A-Za-z_-]){re.escape(key)}(?=[\":= >/_0-9\n])", wrong, text)}
    assert misspelt[file] != text
    assert any(one.error is not None for one in _imported(tmp_path, misspelt, lenient=False))
    assert not all(one.whole for one in _imported(tmp_path, misspelt, lenient=True)), "exit code 1"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (name, file)
        for name, files in _JUDGED.items()
        for file in files
        if name != "icpc" and PurePosixPath(file).suffix in (".cpp", ".cc", ".c", ".py")
    ],
)
def test_a_renamed_program_is_told(tmp_path: Path, name: str, file: str) -> None:
    files = dict(_JUDGED[name])
    path = PurePosixPath(file)
    files[str(path.with_name(f"zz9{path.suffix}"))] = files.pop(file)
    decides = part_of(path) is Part.DECIDING
    for lenient in (False, True):
        found = _imported(tmp_path, files, lenient=lenient)
        told = [loss for one in found for loss in one.losses if loss.weight is not Weight.ASSUMED]
        assert told or any(one.error is not None for one in found)
        assert not decides or any(one.error is not None for one in found), "it is never lost"


def test_the_examples_are_read_as_they_are(tmp_path: Path) -> None:
    for name, files in _JUDGED.items():
        found = _imported(tmp_path / name, files, lenient=False)
        assert all(one.whole for one in found), (name, [one.error for one in found])


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        ("hydro-checker", "sum/testdata/config.yaml", "checker_type: kattis", "cheker_type: kattis"),
        ("hydro-interactor", "sum/testdata/config.yaml", "interactor:", "interactr:"),
        ("syzoj-checker", "data.yml", "specialJudge", "specialjudge_"),
        ("uoj-checker", "problem.conf", "use_builtin_judger on\n", "use_builtin_judger on\nuse_builtin_cheker wcmp\n"),
        ("polygon", "problem.xml", "<assets><checker", "<assets><chekcer"),
        ("qduoj", "1/problem.json", '"spj": null', '"spjj": {"language": "C++", "code": "int main() {}"}'),
        ("lemon", "contest.cdf", '"comparisonMode"', '"comparisonMod"'),
        ("omegaup", "settings.json", '"Validator"', '"Validatr"'),
        ("dmoj", "init.yml", "checker:", "cheker:"),
    ],
)
def test_what_decides_verdicts_is_lost_under_no_option(
    tmp_path: Path, name: str, file: str, old: str, new: str
) -> None:
    text = _JUDGED[name][file]
    assert isinstance(text, str)
    assert old in text
    found = _imported(tmp_path, {**_JUDGED[name], file: text.replace(old, new)}, lenient=True)
    assert any(one.error is not None for one in found)


def test_a_key_is_named_with_its_file_and_line(tmp_path: Path) -> None:
    text = json.dumps({"title": "x", "time_limit": 1, "memory_limit": 1, "spjj": 1}, indent=1)
    (one,) = _imported(tmp_path, {"problem.json": text, "testcase/1.in": "", "testcase/1.out": ""}, lenient=True)
    assert "problem.json:5: key 'spjj' is unknown here; write 'spj', or remove it" in (one.error or "")
