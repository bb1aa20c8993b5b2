"""Reads submissions/: labelled programs and the verdicts that they may get.

A directory's name labels its programs; submissions.yaml labels them by glob patterns. The specification speaks of the
verdicts AC, WA, TLE and RTE of single cases. We turn them into the set of verdicts that the submission as a whole may
get: the verdict of its first case that is not AC.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from problems.files.entry import entry, source_suffixes
from problems.files.tree import TEXT_BYTES, Tree
from problems.model import LabelledSubmission, Requirement

if TYPE_CHECKING:
    from problems.reading.submission_rules import RuleYaml

_ACCEPTED = frozenset({"AC"})
_FAILED = frozenset({"WA", "PE", "PC", "TLE", "RE", "MLE", "OLE"})

#: Directory names of the specification, then DOMjudge's and ours. The specification limits memory and output, and has
#: no verdict for either: a program that is stopped for them has a run-time error (2025-09, "Default directories").
DIRECTORIES: Mapping[str, frozenset[str]] = {
    "accepted": frozenset({"AC"}),
    "rejected": _FAILED,
    "wrong_answer": frozenset({"WA"}),
    "time_limit_exceeded": frozenset({"TLE"}),
    "run_time_error": frozenset({"RE", "MLE", "OLE"}),
    "brute_force": frozenset({"TLE", "RE", "MLE", "OLE"}),
    "partially_accepted": _FAILED,
    "memory_limit_exceeded": frozenset({"MLE"}),
    "output_limit_exceeded": frozenset({"OLE"}),
    "presentation_error": frozenset({"PE"}),
    "partially_correct": frozenset({"PC"}),
    "compile_error": frozenset({"CE"}),
    "compiler_error": frozenset({"CE"}),
    "no_output": frozenset({"WA"}),
    "output_limit": frozenset({"OLE"}),
    "memory_limit": frozenset({"MLE"}),
    # Right, but slower than its authors want: it bounds no time limit.
    "slow_accepted": frozenset({"AC", "TLE"}),
}
#: Directories whose submissions bound no time limit.
NOT_TIMED = ("slow_accepted",)

STANDARD = ("accepted", "rejected", "wrong_answer", "time_limit_exceeded", "run_time_error", "brute_force")

#: In version `legacy` these submissions may fail in another way first.
LEGACY = {
    "time_limit_exceeded": frozenset({"TLE", "WA", "PE", "PC"}),
    "run_time_error": _FAILED,
}


def must_time_out(submission: LabelledSubmission) -> bool:
    """Whether its label asks for a time-out on some test, so that its times bound the time limit from above."""
    return submission.expected in ({"TLE"}, LEGACY["time_limit_exceeded"])


class Found(NamedTuple):
    """One program below submissions/."""

    path: Path
    name: str  # below submissions/
    files: tuple[Path, ...] = ()
    #: It holds outputs instead of a program.
    outputs: bool = False


#: The language of submissions that are outputs.
_OUTPUTS = "outputs"


def read_submissions(
    tree: Tree, version: str, total_points: float, exact: Mapping[str, Iterable[str]], *, outputs: bool = False
) -> tuple[LabelledSubmission, ...]:
    """Submissions in known directories, or covered by submissions.yaml.

    `exact`: verdicts that judge.yaml states, by the program's name below submissions/.
    """
    rules = _rules(tree)
    found = []
    for file, name, others, handed_in in programs(tree, rules, outputs=outputs):
        submission = _label(file, name, rules, legacy=version == "legacy", points=total_points)
        if submission is not None:
            submission = dataclasses.replace(submission, files=others)
        if submission is not None and handed_in:
            submission = dataclasses.replace(submission, language=_OUTPUTS)
        if submission is not None and name in exact:
            submission = dataclasses.replace(submission, expected=frozenset(exact[name]))
        if submission is not None:
            found.append(submission)
    return tuple(found)


def programs(
    tree: Tree, rules: Mapping[str, RuleYaml] = MappingProxyType({}), *, outputs: bool = False
) -> Iterator[Found]:
    """The programs below submissions/. One with files that lie neither beside its first nor below it is not judged.
    `outputs`: a zip, or a directory without sources, holds outputs that are handed in."""
    for directory in tree.entries(tree.root / "submissions")[1]:
        files, directories = tree.entries(directory)
        for file in files:
            if file.suffix in source_suffixes():
                yield Found(path=file, name=f"{directory.name}/{file.name}")
            elif outputs and file.suffix == ".zip":
                yield Found(path=file, name=f"{directory.name}/{file.name}", outputs=True)
        for program in directories:
            name = f"{directory.name}/{program.name}"
            path = _entry(tree, program, name, rules)
            others = [file for file in tree.walk(program) if file != path]
            handed_in = path is None and outputs
            if handed_in and others:
                path, *others = others
            if path is not None and all(file.is_relative_to(path.parent) for file in others):
                yield Found(path=path, name=name, files=tuple(others), outputs=handed_in)


def _entry(tree: Tree, program: Path, name: str, rules: Mapping[str, RuleYaml]) -> Path | None:
    """The file with which a program begins: by submissions.yaml, or of the sources of the directory itself, if any."""
    sources = [file for file in tree.walk(program) if file.suffix in source_suffixes()]
    sources = [file for file in sources if file.parent == program] or sources
    if len(sources) < 2:
        return sources[0] if sources else None
    stated = None
    for pattern, rule in rules.items():
        if rule.entrypoint is not None and _matches(pattern, name):
            stated = rule.entrypoint
    texts = [(file, file.read_bytes()[:TEXT_BYTES]) for file in sources]
    found = entry(texts, stated)
    if found is None:
        where = tree.root / "submissions" / "submissions.yaml"
        raise tree.error(where, f"{name} has no file of the entrypoint {stated!r}", "name one of its files")
    return found


def _matches(pattern: str, name: str) -> bool:
    from problems.reading.submission_rules import matches  # noqa: PLC0415  # most packages have none

    return matches(pattern, name)


def _rules(tree: Tree) -> Mapping[str, RuleYaml]:
    path = tree.file("submissions", "submissions.yaml")
    if path is None:
        return {}
    from problems.reading.submission_rules import read_rules  # noqa: PLC0415  # most packages have none

    return read_rules(tree, path)


def _label(
    file: Path, name: str, rules: Mapping[str, RuleYaml], *, legacy: bool, points: float
) -> LabelledSubmission | None:
    directory = name.partition("/")[0]
    expected = DIRECTORIES.get(directory)
    if legacy:
        expected = _read_tags(file) or LEGACY.get(directory, expected)
    language = score = None
    requirements: list[Requirement] = []
    timed: bool | Literal["lower", "upper"] = directory not in NOT_TIMED
    if rules:
        from problems.reading.submission_rules import matches, stated_verdicts  # noqa: PLC0415
    for pattern, rule in rules.items():
        if not matches(pattern, name):
            continue
        language = rule.language or language
        timed = timed if rule.use_for_time_limit is None else rule.use_for_time_limit
        if rule.score is not None and len(set(rule.score)) == 1 and points:
            score = rule.score[0] / points
        if expected == _ACCEPTED and not legacy and any(0 < one < points for one in rule.score or ()):
            expected = _ACCEPTED | {"PC"}  # the format calls a test accepted whatever its score
        requirements += rule.requirements()
        stated = stated_verdicts(rule)
        if stated is not None:
            # By the specification, the bare name of one of its directories replaces the default; other patterns add.
            if expected is None or (pattern == directory and directory in STANDARD):
                expected = stated
            else:
                expected = stated & expected or stated
    if expected is None:
        return None
    if language is None and file.suffix == ".pl" and _is_prolog(file):
        language = "prolog"
    if language is None and file.suffix in (".py", ".py2") and _is_python2(file):
        language = "python2"
    return LabelledSubmission(
        path=file, expected=expected, language=language, score=score, use_for_time_limit=timed,
        requirements=tuple(requirements),
    )  # fmt: skip


def _is_python2(file: Path) -> bool:
    """`.py` is Python 3, unless the program names the other one, which is no language of ours: it is not judged."""
    with file.open("rb") as stream:
        first = stream.readline(200)
    return file.suffix == ".py2" or (first.startswith(b"#!") and b"python2" in first)


def _is_prolog(file: Path) -> bool:
    """The specification calls .pl Prolog, and DOMjudge's packages call it Perl: its clauses tell."""
    text = file.read_bytes()[:TEXT_BYTES]
    return b":-" in text and not text.startswith(b"#!")


#: DOMjudge's words. It reads those of directories, too (`WRONG_ANSWER`), and in any case. It does not find out that a
#: program had too little memory: that is a run-time error there.
_RUN_ERROR = ("RE", "MLE")
_RESULTS = {
    "CORRECT": ("AC",),
    "ACCEPTED": ("AC",),
    "WRONG-ANSWER": ("WA",),
    "TIMELIMIT": ("TLE",),
    "TIME-LIMIT-EXCEEDED": ("TLE",),
    "RUN-ERROR": _RUN_ERROR,
    "RUN-TIME-ERROR": _RUN_ERROR,
    "MEMORY-LIMIT": ("MLE",),
    "OUTPUT-LIMIT": ("OLE",),
    "NO-OUTPUT": ("WA",),
    "COMPILER-ERROR": ("CE",),
}


def _read_tags(file: Path) -> frozenset[str] | None:
    """DOMjudge's `@EXPECTED_RESULTS@: CORRECT, TIMELIMIT` in a comment of the source."""
    match = re.search(rb"@EXPECTED_RESULTS@:([ A-Za-z_,-]+)", file.read_bytes()[: 1 << 20])
    if match is None:
        return None
    words = match[1].decode().upper().replace("_", "-").replace(",", " ").split()
    return frozenset(code for word in words for code in _RESULTS.get(word, ())) or None
