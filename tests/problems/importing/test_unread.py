"""What of a source is in no package is told, whatever its reader knows of it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from problems.importing import import_problems
from tests.packages import write_files
from tests.problems.importing.examples import EXAMPLES, FPS, FRONTIER, HYDRO, PACKAGES, UOJ


def _losses(tmp_path: Path, files: Mapping[str, str | bytes]) -> list[list[str]]:
    """Of each problem, without what was assumed."""
    source = write_files(tmp_path / "source", files)
    made = list(import_problems(source, tmp_path / "made"))
    assert [one.error for one in made] == [None] * len(made)
    told = [[(one.file.removeprefix(f"{source}/"), one.message) for one in each.losses] for each in made]
    return [[f"{file}: {what}" for file, what in each if not what.startswith("assumed")] for each in told]


@pytest.mark.parametrize("name", EXAMPLES)
def test_of_what_is_read_whole_nothing_is_told(tmp_path: Path, name: str) -> None:
    assert not any(_losses(tmp_path, EXAMPLES[name]))


@pytest.mark.parametrize(
    "name", sorted(EXAMPLES.keys() - {"icpc", "luogu", "hydro"})
)  # these refuse or take what is strange
def test_what_nobody_reads_is_told(tmp_path: Path, name: str) -> None:
    files = {**EXAMPLES[name], "strange/one.x": "", "strange/two.x": "", "odd/deep/down.x": "", ".git/config": ""}
    *before, last = _losses(tmp_path, files)
    assert not any(before), "the last line of a collection tells what lies beside its problems"
    assert last == ["odd/deep/down.x: is not imported", "strange: 2 files are not imported"]


def test_many_files_among_others_have_one_line(tmp_path: Path) -> None:
    (few,) = _losses(tmp_path / "few", {**UOJ, **{f"{n}.x": "" for n in range(8)}})
    assert few == [f"{n}.x: is not imported" for n in range(8)]
    ((many,),) = _losses(tmp_path / "many", {**UOJ, **{f"{n}.x": "" for n in range(9)}})
    assert many.endswith(": 9 files are not imported")


def test_each_problem_of_a_collection_tells_of_its_own_directory(tmp_path: Path) -> None:
    two = {**HYDRO, **{name.replace("sum/", "two/"): text for name, text in HYDRO.items()}}
    first, second = _losses(tmp_path, {**two, "sum/testdata/config.ini": "1\n", "read.me": "", "three/notes": ""})
    assert first == ["sum/testdata/config.ini: is not imported: config.yaml stands for it"]
    assert second == ["read.me: is not imported", "three/notes: is not imported"]


def test_what_a_failed_problem_would_have_read_is_not_told(tmp_path: Path) -> None:
    packages = {f"{name}/{file}": text for name, files in PACKAGES.items() for file, text in files.items()}
    files = {**packages, "new/data/secret/01.ans": None, "read.me": ""}
    new, old = import_problems(write_files(tmp_path / "source", files), tmp_path / "made")
    assert new.error is not None
    assert [one.message for one in (*new.losses, *old.losses)] == ["is not imported"]
    (tmp_path / "other").mkdir()
    (failed,) = import_problems(write_files(tmp_path / "other", {**UOJ, "sum1.in": None}), tmp_path / "made")
    assert (failed.error is None, failed.losses) == (False, ())


def test_what_lies_unread_in_a_zip_of_the_source_is_told(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in {"1.in": "1 2\n", "1.out": "3\n", "left.txt": "x"}.items():
            archive.writestr(name, text)
    init = "archive: data.zip\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n"
    (losses,) = _losses(tmp_path, {"init.yml": init, "data.zip": packed.getvalue()})
    assert losses == ["data.zip/left.txt: is not imported"]


def test_limits_and_templates_that_are_not_ours_are_told(tmp_path: Path) -> None:
    conf = UOJ["problem.conf"] + "real_time_limit 9\nchecker_time_limit 7\nchecker_time_limit_2 7\n"
    (losses,) = _losses(tmp_path / "uoj", {**UOJ, "problem.conf": conf})
    assert losses == [
        f"problem.conf:{20 + n}: {key} is not imported: the judge's own limit holds"
        for n, key in enumerate(("real_time_limit", "checker_time_limit", "checker_time_limit_2"))
    ]
    template = '<template language="C++">int x;</template></item>'
    first, _ = _losses(tmp_path / "fps", {"set.xml": FPS["set.xml"].replace("</item>", template, 1)})
    assert [one.split("> ")[0].split(", ")[0] for one in first] == ["set.xml: problem 1 (Sum of two): <template>"]


_SUM = {"p/testdata/1.in": "1 2\n", "p/testdata/1.out": "3\n"}


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", ["chk.cc", "interactor.cc", "config.yaml", "x1.cpp", "judge.py"])
@pytest.mark.parametrize("place", ["", "p/", "p/testdata/"])
def test_bare_files_have_no_programs_and_settings_beside_or_above_them(
    tmp_path: Path, place: str, name: str, lenient: bool
) -> None:
    source = write_files(tmp_path / "source", {**_SUM, f"{place}{name}": "int main() {}\n"})
    (one,) = import_problems(source, tmp_path / "made", format="bare", lenient=lenient)
    assert one.error is not None
    assert f"{place}{name}: is " in one.error
    assert not list((tmp_path / "made").glob("*")), "and no package is left"


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", ["checker.cc", "zzz.cpp", "lib/manager.py", "validator.cpp", "solutions/checker.cpp"])
def test_a_program_that_nobody_reads_is_never_lost(tmp_path: Path, name: str, lenient: bool) -> None:
    source = write_files(tmp_path / "source", {**UOJ, name: "int main() {}\n"})
    (one,) = import_problems(source, tmp_path / "made", lenient=lenient)
    assert one.error is not None
    assert f"{name}: is a program that the format gives no place" in one.error
    assert not list((tmp_path / "made").glob("*"))


@pytest.mark.parametrize("name", ["solutions/x1.cpp", "gen.py", "brute_force.cpp", "std2.cpp", "testlib.h", "note.txt"])
def test_what_only_solves_or_makes_something_is_told(tmp_path: Path, name: str) -> None:
    (one,) = import_problems(write_files(tmp_path / "source", {**UOJ, name: "x\n"}), tmp_path / "made")
    assert one.error is None
    assert one.whole


@pytest.mark.parametrize("name", ["more.yaml", "sub/2.in"])
def test_settings_and_tests_that_nobody_reads_are_a_loss(tmp_path: Path, name: str) -> None:
    source = write_files(tmp_path / "source", {**UOJ, name: "x\n"})
    (refused,) = import_problems(source, tmp_path / "made")
    assert refused.error is not None
    assert f"{name}: is " in refused.error
    (one,) = import_problems(source, tmp_path / "made", lenient=True)
    assert one.error is None
    assert not one.whole, "which makes the exit code 1"
    assert f"{name}: is not imported" in [
        f"{loss.file.removeprefix(f'{source}/')}: {loss.message}" for loss in one.losses
    ]


_EXAMPLES: Mapping[str, Mapping[str, str | bytes]] = {**EXAMPLES, "bare": _SUM, "frontier": FRONTIER}
_LENIENCE = pytest.mark.parametrize("lenient", [False, True])
#: A place for a file in a source of each format, which the format does not know.
_PLACES = {
    **{("bare", place): place for place in ("p", "p/testdata")},
    ("hydro", "testdata"): "sum/testdata",
    ("hydro", "problem"): "sum",
    ("luogu", "data"): "",
    ("uoj", "data"): "",
    ("syzoj", "data"): "",
    ("dmoj", "problem"): "",
    ("qduoj", "problem"): "1",
    ("cms", "task"): "",
    ("tps", "directory"): "checker",
    ("omegaup", "problem"): "",
    ("sinol", "package"): "sum",
    ("lemon", "data"): "data",
    ("polygon", "package"): "",
    ("frontier", "problem"): "",
}


def _refused(tmp_path: Path, files: Mapping[str, str | bytes], *, lenient: bool) -> str:
    """Of the import of a source: the error of its problems."""
    source = write_files(tmp_path / "source", files)
    made = list(import_problems(source, tmp_path / "made", lenient=lenient))
    return " | ".join(one.error for one in made if one.error is not None)


@_LENIENCE
@pytest.mark.parametrize(("name", "content"), [("checker", "x\n"), ("spj", b"\x7fELF\x02"), ("x1", "#!/bin/sh\n")])
@pytest.mark.parametrize(("kind", "place"), _PLACES.items())
def test_a_program_without_a_suffix_is_never_lost(
    tmp_path: Path, kind: tuple[str, str], place: str, name: str, content: str | bytes, lenient: bool
) -> None:
    files = _EXAMPLES[kind[0]]
    path = f"{place}/{name}".lstrip("/")
    error = _refused(tmp_path, {**files, path: content}, lenient=lenient)
    assert path in error
    assert not list((tmp_path / "made").glob("*"))


@_LENIENCE
@pytest.mark.parametrize(
    "name",
    ["checker.bin", "checker.out", "chk.dat", "Checker.txt", "my_checker", "checker/run", "spj/a.o", "grader.json"],
)
def test_the_name_of_what_decides_is_never_lost_whatever_its_suffix(tmp_path: Path, name: str, lenient: bool) -> None:
    assert f"{name}: is a program" in _refused(tmp_path, {**UOJ, name: "x\n"}, lenient=lenient)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("checker.md", "x\n"),
        ("interactive.png", "x\n"),
        ("chk.cpp.bak", "x\n"),
        ("gen", b"\x7fELF"),
        ("std", "#!/bin/sh\n"),
        ("checker/README", "x\n"),
        ("checker/Makefile", "all:\n"),
        ("special.txt", "x\n"),
        ("notes", "x\n"),
        ("sub/.git/checker", "x\n"),
    ],
)
def test_papers_and_what_only_solves_are_told(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert not _refused(tmp_path, {**UOJ, name: content}, lenient=False)


@pytest.mark.parametrize("name", ["chk", "chk.exe", "chk.o"])
def test_what_was_compiled_from_the_checker_is_no_other_program(tmp_path: Path, name: str) -> None:
    conf = UOJ["problem.conf"].replace("use_builtin_checker ncmp\n", "")
    files: dict[str, str | bytes] = {**UOJ, "problem.conf": conf, "chk.cpp": "int main() {}\n", name: b"\x7fELF"}
    assert not _refused(tmp_path, files, lenient=False)


@_LENIENCE
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("hydro", name) for name in ("sum/chk.cc", "sum/checker/chk.cc", "sum/testdata/checker/chk.cc")),
        *(("luogu", name) for name in ("chk.cpp", "checker.py", "checker/checker.cpp", "deep/er/spj")),
        *(("bare", name) for name in ("p/testdata/sub/chk.cc", "p/chk", "p/checker/chk", "checkers/chk.cpp")),
    ],
)
def test_a_directory_or_file_that_is_left_out_holds_no_checker(
    tmp_path: Path, kind: str, name: str, lenient: bool
) -> None:
    assert name in _refused(tmp_path, {**_EXAMPLES[kind], name: "int main() {}\n"}, lenient=lenient)
    assert not list((tmp_path / "made").glob("*"))


@_LENIENCE
def test_a_checker_beside_the_problems_of_a_collection_is_an_error(tmp_path: Path, lenient: bool) -> None:
    two = {**HYDRO, **{name.replace("sum/", "two/"): text for name, text in HYDRO.items()}}
    more = {**two, "tools/x.py": "x\n", "checkers/chk.cpp": "int main() {}\n"}
    assert "checkers/chk.cpp: is a program" in _refused(tmp_path, more, lenient=lenient)
    bare = {**_SUM, **{name.replace("p/", "q/"): text for name, text in _SUM.items()}}
    error = _refused(tmp_path / "bare", {**bare, "checkers/chk.cpp": "int main() {}\n"}, lenient=lenient)
    assert error.count("checkers/chk.cpp: is a program beside tests") == 2, "of each problem"


def test_tools_beside_packages_say_nothing_of_them(tmp_path: Path) -> None:
    packages = EXAMPLES["icpc"]
    files = {**packages, "tools/check.py": "x\n", "common/checker": "#!/bin/sh\n"}
    assert not _refused(tmp_path, files, lenient=False)


@_LENIENCE
@pytest.mark.parametrize(
    ("kind", "file", "old", "new"),
    [
        ("hydro", "sum/testdata/config.yaml", "\n", "\nuser_extra_files: [lib.py]\n"),
        ("syzoj", "data.yml", "", "extraSourceFiles: [{language: cpp, files: [{name: lib.py, dest: lib.py}]}]\n"),
        ("sinol", "sum/config.yml", "", "extra_execution_files: {cpp: [lib.cpp]}\n"),
        ("sinol", "sum/config.yml", "", "library: [lib.cpp]\n"),
    ],
)
def test_a_program_put_beside_submissions_is_never_lost(
    tmp_path: Path, kind: str, file: str, old: str, new: str, lenient: bool
) -> None:
    text = _EXAMPLES[kind][file]
    assert isinstance(text, str)
    files = {**_EXAMPLES[kind], file: text.replace(old, new, 1) if old else f"{new}{text}"}
    beside = {"hydro": "sum/testdata/lib.py", "syzoj": "lib.py", "sinol": "sum/prog/lib.cpp"}[kind]
    assert new.partition(":")[0].strip() in _refused(tmp_path, {**files, beside: "x\n"}, lenient=lenient)


@_LENIENCE
def test_a_flag_that_changes_a_program_is_never_lost(tmp_path: Path, lenient: bool) -> None:
    init = "test_cases:\n- {in: 1.in, out: 1.out, points: 5}\n"
    init += "checker: {name: bridged, args: {files: chk.cpp, lang: CPP17, flags: [-DEXACT]}}\n"
    files = {"init.yml": init, "1.in": "1\n", "1.out": "1\n", "chk.cpp": "int main() {}\n"}
    assert "'-DEXACT' changes the program" in _refused(tmp_path, files, lenient=lenient)


def test_a_pipe_among_the_files_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody writes into it: who opens it as a file waits for ever."""
    place = tmp_path / "sum" / "tests"
    place.mkdir(parents=True)
    (place / "1.in").write_text("1 2\n")
    (place / "1.out").write_text("3\n")
    os.mkfifo(place.parent / "notes")
    code = "import sys; from pathlib import Path; from problems.importing import import_problems\n"
    code += "print([str(one.error) for one in import_problems(Path(sys.argv[1]), Path(sys.argv[2]))])\n"
    command = (sys.executable, "-c", code, str(tmp_path / "sum"), str(tmp_path / "out"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
