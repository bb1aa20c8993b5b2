"""Finds what is wrong or doubtful in a package that can be read. Runs nothing: validators run in the sandbox.

`load` refuses what cannot be judged. This finds what can be judged, but is not as the specification or a careful author
wants it. An error makes a verdict wrong, or leaves a submission without one; everything else is a warning. What is done
on purpose (the same input in several groups, or as a link) is no finding.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from problems.files.entry import source_suffixes
from problems.files.tree import VALID_NAME, Tree
from problems.model import Problem, Program, TestCase
from problems.reading.generated import read_sums
from problems.reading.package import read_metadata
from problems.reading.programs import lacks_testlib, read_generator, writes_score
from problems.reading.submissions import DIRECTORIES, programs
from problems.reading.validators import left_out

#: The specification's advice for version control and archives.
LARGE_BYTES = 100 * 1024 * 1024

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DIRECTORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_CASE_FILES = [
    ".in",
    ".ans",
    ".out",
    ".yaml",
    ".args",
    ".files",
    ".hint",
    ".desc",
    ".interaction",
    ".png",
    ".jpg",
    ".jpeg",
    ".svg",
    ".in.statement",
    ".ans.statement",
    ".in.download",
    ".ans.download",
]
#: By all versions, and as drafts called them.
_VISUALISERS = ("input_visualizer", "output_visualizer", "output_visualizers", "test_case_visualizer")
_TEXTS = frozenset({".yaml", ".md", ".tex", ".txt", ".py", ".c", ".cpp", ".cc", ".h"})


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    severity: Severity
    #: Path below the package's directory.
    file: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.file}: {self.message}; {self.remedy}"


def validate(problem: Problem) -> list[Finding]:
    """All findings, errors first, then by file.

    Raises:
        ProblemError: a file of the package can no longer be read.
    """
    tree = Tree(problem.directory, problem.name)
    checks: tuple[Callable[[Tree, Problem], Iterator[Finding]], ...] = (
        _metadata,
        _statements,
        _submissions,
        _cases,
        _check_generated,
        _programs,
        _names,
        _texts,
        _lost_papers,
    )
    findings = {finding for check in checks for finding in check(tree, problem)}
    return sorted(findings, key=lambda finding: (finding.severity, finding.file, finding.message))


def _error(tree: Tree, path: Path, message: str, remedy: str) -> Finding:
    return Finding(severity=Severity.ERROR, file=tree.show(path), message=message, remedy=remedy)


def _warning(tree: Tree, path: Path, message: str, remedy: str) -> Finding:
    return Finding(severity=Severity.WARNING, file=tree.show(path), message=message, remedy=remedy)


def _metadata(tree: Tree, problem: Problem) -> Iterator[Finding]:
    path = tree.root / "problem.yaml"
    metadata = read_metadata(tree)
    for key in metadata.ignored:
        what = f"key {key!r} is of another version of the format, so it says nothing"
        yield _warning(tree, path, what, "remove it, or change problem_format_version")
    if metadata.joined:
        yield _warning(tree, path, "names several types in one string", "write a list: type: [pass-fail, interactive]")
    if "cpu_ns" in metadata.unstated:
        what = "states no time limit: it follows from the accepted submissions, and each machine measures another"
        yield _warning(tree, path, what, "add limits.time_limit (judge problems calibrate --write)")
    if not problem.uuid and problem.format != "legacy":
        yield _warning(tree, path, "has no uuid", "add one (python3 -c 'import uuid; print(uuid.uuid4())')")
    elif problem.uuid and not _UUID.fullmatch(problem.uuid):
        yield _warning(tree, path, f"uuid {problem.uuid!r} is none", "write 8-4-4-4-12 hexadecimal digits")
    if problem.license not in {"", "public domain"} and not (problem.authors or problem.source):
        yield _warning(tree, path, f"license {problem.license!r} without an owner", "add credits or source")
    if not _DIRECTORY.fullmatch(problem.name):
        yield _warning(tree, tree.root, "the package's name is not allowed", "use letters and digits")
    if not tree.walk(tree.root / "input_validators") and not tree.walk(tree.root / "input_format_validators"):
        yield _warning(tree, tree.root / "input_validators", "there is no input validator", "add one")
    for name in _VISUALISERS:
        if tree.walk(tree.root / name):
            yield _warning(tree, tree.root / name, "is not run: no pictures are made here", "it may stay for others")
    for path in left_out(tree):
        yield _warning(tree, path, "cannot be run here, so it checks nothing", "write it as a program")


def _statements(tree: Tree, problem: Problem) -> Iterator[Finding]:
    place = tree.root / "statement"
    if not problem.statements:
        yield _warning(tree, place, "there is no statement", "add problem.en.md or problem.zh.md")
        return
    if problem.format == "legacy":
        return
    for language in sorted(problem.title.keys() - problem.statements.keys()):
        yield _warning(tree, place, f"no statement in {language!r}, which has a name", f"add problem.{language}.md")
    for language in sorted(problem.statements.keys() - problem.title.keys()):
        path = problem.statements[language]
        yield _warning(tree, path, f"problem.yaml has no name in {language!r}", f"add name.{language}")


def _submissions(tree: Tree, problem: Problem) -> Iterator[Finding]:
    root = tree.root / "submissions"
    if not any(submission.expected == {"AC"} for submission in problem.submissions):
        yield _warning(tree, root / "accepted", "there is no accepted submission", "add a right solution")
    for submission in problem.submissions:
        for one in submission.requirements:
            if one.use_for_time_limit is not None:
                what = f"use_for_time_limit of {submission.path.name} on {one.tests} is not used"
                yield _warning(tree, root / "submissions.yaml", what, "say it of the whole submission")
    labelled = {submission.path for submission in problem.submissions}
    outputs = problem.kind == "submit-answer"
    judged = {found.path for found in programs(tree, outputs=outputs)}
    for directory in tree.entries(root)[1]:
        files, directories = tree.entries(directory)
        for path in files:
            if path.suffix == ".zip" and not outputs:
                what = "is a zip: the format knows directories of several files, so it is not judged"
                yield _warning(tree, path, what, "unpack it into a directory of its own")
            elif path.suffix not in source_suffixes() and not (outputs and path.suffix == ".zip"):
                yield _warning(
                    tree, path, "is no source of a known language, so it is not judged", "remove or rename it"
                )
            elif path not in labelled:
                names = ", ".join(DIRECTORIES)
                remedy = f"use one of {names}, or describe it in submissions.yaml"
                yield _warning(tree, directory, "its name says no verdict, so it is not judged", remedy)
        for path in directories:
            if not judged & set(tree.walk(path)):
                remedy = "put its files into this directory itself"
                yield _warning(tree, path, "has files neither beside nor below its first, so it is not judged", remedy)


def _cases(tree: Tree, problem: Problem) -> Iterator[Finding]:
    if not any(case.sample for case in problem.cases) and all(case.group != "sample" for case in problem.generated):
        yield _warning(tree, tree.root / "data" / "sample", "there are no samples", "add NAME.in and NAME.ans")
    seen: dict[tuple[object, ...], TestCase] = {}
    again: list[tuple[TestCase, TestCase]] = []
    for case in problem.cases:
        data = case.read_input()
        yield from _case_file(tree, case.input, data)
        key = (case.group, hashlib.sha256(data).digest(), case.arguments, bool(case.files))
        first = seen.setdefault(key, case)
        if first is not case and not case.files and case.input.resolve() != first.input.resolve():
            again.append((first, case))
        if case.answer is not None:
            yield from _case_file(tree, case.answer, case.read_answer())
    if again:
        first, case = again[0]
        more = f" ({len(again)} tests in all repeat one of their group)" if len(again) > 1 else ""
        yield _warning(tree, case.input, f"is the same input as {first.name}{more}", "remove what says nothing more")
    for top in ("sample", "secret"):
        yield from _strays(tree, tree.root / "data" / top)


def _case_file(tree: Tree, path: Path, data: bytes) -> Iterator[Finding]:
    if data.startswith(b"\xef\xbb\xbf"):
        yield _error(tree, path, "begins with a byte-order mark, which programs read as data", "save it without")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield _error(tree, path, "is UTF-16", "save it as UTF-8")
    elif b"\r\n" in data:
        yield _warning(tree, path, "has CRLF line ends", "convert it (sed -i 's/\\r$//')")
    elif data and not data.endswith(b"\n"):
        yield _warning(tree, path, "does not end with a newline", "add one")
    if len(data) > LARGE_BYTES:
        yield _warning(tree, path, "is larger than 100 MiB", "generate it at first use (generators/generators.yaml)")


def _strays(tree: Tree, directory: Path) -> Iterator[Finding]:
    files, directories = tree.entries(directory)
    names = {path.name for path in files}
    for path in files:
        suffix = next((suffix for suffix in reversed(_CASE_FILES) if path.name.endswith(suffix)), None)
        if path.name in {"test_group.yaml", "testdata.yaml"}:
            continue
        if suffix is None or f"{path.name.removesuffix(suffix)}.in" not in names:
            if suffix == ".interaction":
                continue
            yield _warning(tree, path, "belongs to no test case", "name it after its NAME.in, or remove it")
    for path in directories:
        if path.suffix != ".files":
            yield from _strays(tree, path)
        elif f"{path.stem}.in" not in names:
            yield _warning(tree, path, "belongs to no test case", "name it after its NAME.in, or remove it")


def _check_generated(tree: Tree, problem: Problem) -> Iterator[Finding]:
    path = tree.root / "generators" / "sha256sums"
    names = {f"{case.name}.{suffix}" for case in problem.generated for suffix in ("in", "ans")}
    sums = read_sums(tree)
    if problem.generated and problem.solution is None:
        yield _error(tree, path.with_name("generators.yaml"), "names no solution to print the answers", "add solution:")
    if len(names) > 2 and not sums:
        what = f"does not pin any of the {len(names)} files of generated tests"
        yield _warning(tree, path, what, "run judge problems pin")
    for name in sorted(names - sums.keys()) if sums or len(names) <= 2 else ():
        yield _warning(tree, path, f"does not pin {name}", "run judge problems pin")
    for name in sorted(sums.keys() - names):
        committed = None if ".." in name.split("/") else tree.file("data", *name.split("/"))
        if committed is None:
            yield _error(tree, path, f"pins {name}, which is not generated", "remove the line, or correct the name")
        elif hashlib.sha256(committed.read_bytes()).hexdigest() != sums[name]:
            yield _error(tree, path, f"the sum of {name} is not that of the file in data/", "build it again")


def _programs(tree: Tree, problem: Problem) -> Iterator[Finding]:
    manager = problem.manager.program if problem.manager is not None else None
    generators = [read_generator(path) for path in problem.generators]
    judging = (problem.checker, problem.interactor, manager, *generators)
    for program in (*judging, *problem.input_validators):
        if isinstance(program, Program) and lacks_testlib(program):
            say = _error if program in judging else _warning
            yield say(tree, program.sources[0], "includes testlib.h, which is not there", "put it beside it")
    metadata, place = read_metadata(tree), tree.root / "output_validators"
    if metadata.custom is False and not isinstance(problem.checker, Program) and tree.walk(place):
        what = "is not used: problem.yaml asks for the default comparison"
        yield _warning(tree, place, what, "write validation: custom, or remove it")
    if (
        metadata.version == "legacy"
        and tree.walk(tree.root / "graders")
        and not any(one.grader for one in problem.groups)
    ):
        yield _warning(
            tree, tree.root / "graders", "is not used", "write grading: custom in testdata.yaml, or remove it"
        )
    if problem.static_validator is not None and not problem.static_cases:
        what = "is not used: no test_group.yaml states static_validation_score"
        yield _warning(tree, tree.root / "static_validator", what, "state it, or remove it")
    judge = problem.interactor or problem.checker
    shares = any(case.full_score == 1 and not case.sample for case in problem.cases)
    scoring = problem.format == "legacy" and metadata.scoring
    if scoring and shares and isinstance(judge, Program) and writes_score(judge):
        what = "writes score.txt, and no range says up to what, so it must be a number from 0 to 1"
        yield _warning(tree, judge.sources[0], what, "add range: 0 100, say, to data/secret/testdata.yaml")


def _names(tree: Tree, problem: Problem) -> Iterator[Finding]:
    """Files that look intended, but that the specification says to ignore."""
    for top in ("data", "output_validator", "output_validators", "include", "generators", "submissions", "statement"):
        say = _warning if top in ("submissions", "statement") else _error
        waiting = [tree.root / top]
        while waiting:
            directory = waiting.pop()
            if not directory.is_dir() or directory.is_symlink():
                continue
            for path in sorted(directory.iterdir()):
                if path.name.startswith((".", "__pycache__")):
                    continue
                if not VALID_NAME.fullmatch(path.name):
                    remedy = "use letters, digits, '_', '.' and '-' only"
                    yield say(tree, path, "has a name that is not allowed, so it is ignored", remedy)
                elif path.is_dir():
                    waiting.append(path)


def _lost_papers(tree: Tree, problem: Problem) -> Iterator[Finding]:
    for path in tree.lost_papers():
        yield _warning(tree, path, "is a link to nowhere here, so nobody can read it", "put the file there")


def _texts(tree: Tree, problem: Problem) -> Iterator[Finding]:
    """Text files other than test data: UTF-8, no byte-order mark, LF."""
    for path in tree.walk(tree.root):
        if path.suffix not in _TEXTS or any(path.is_relative_to(tree.root / top) for top in ("submissions", "data")):
            continue
        data = path.read_bytes()
        if data.startswith(b"\xef\xbb\xbf"):
            yield _warning(tree, path, "begins with a byte-order mark", "save it without")
        if b"\r\n" in data:
            yield _warning(tree, path, "has CRLF line ends", "convert it (sed -i 's/\\r$//')")
        try:
            data.decode()
        except UnicodeDecodeError:
            yield _warning(tree, path, "is not UTF-8", "convert it (iconv -f GB18030 -t UTF-8, say)")
