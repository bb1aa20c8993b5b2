"""Refuses names in a package that are nearly those which decide verdicts.

The format lets other files lie in a package, and so they are passed over. A checker in `output_validatr/`, settings in
`judge.yml` or a grader for `pyhton3` would be passed over, too, and other verdicts would come of it without a word. So
would a checker in the directory that another version of the format has for it, or none (`checker/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from problems.errors import nearest
from problems.files.entry import source_suffixes
from problems.files.languages import by_name, facts
from problems.files.tree import Tree
from problems.files.yamlfile import lines_of, read_map
from problems.reading.metadata import Metadata

#: Names of the formats, of all their versions, and of ours.
_TOP = (
    *(
        "answer_validators",
        "attachments",
        "data",
        "generators",
        "graders",
        "include",
        "input_format_validators",
        "input_validators",
    ),
    *("input_visualizer", "interactor", "judge.yaml", "manager", "output_validator", "output_validators"),
    *("output_visualizer", "problem.yaml", "problem_statement", "solution", "statement", "static_validator"),
    *("submissions", "test_case_visualizer"),
)
_DATA = ("invalid_input", "invalid_output", "sample", "secret", "static", "valid_output")
#: Names that the format gives to languages that are none of ours, and to all of them together.
_OTHER_LANGUAGES = (
    *("algol68", "apl", "cobol", "crystal", "dart", "default", "forth", "fsharp", "gerbil", "julia", "modula2"),
    *("objectivec", "odin", "python", "python2", "simula", "smalltalk", "snobol", "swift", "visualbasic"),
)
_LANGUAGES = (*_OTHER_LANGUAGES, *by_name("icpc"), *dict.fromkeys(one.grader_key for one in facts().values()))
_SETTINGS = (".yml", ".json", ".toml")
#: By directory: the names that are known there, and those of them that decide verdicts or labels.
_KNOWN: Mapping[str, tuple[tuple[str, ...], frozenset[str]]] = MappingProxyType(
    {
        "": (
            _TOP,
            frozenset({"data", "graders", "include", "interactor", "judge.yaml", "manager", "output_validator"})
            | {"output_validators", "problem.yaml", "static_validator", "input_validators", "submissions"},
        ),
        "data": (_DATA, frozenset(_DATA)),
        "include": (_LANGUAGES, frozenset(_LANGUAGES)),
        "submissions": (("submissions.yaml",), frozenset({"submissions.yaml"})),
    }
)
#: How people call the program that judges, where no version of the format does.
_JUDGES = re.compile(
    r"(?:(?:output|custom|special)[_-]?)?(?:checkers?|chk|spj|validators?|comparators?|interactors?|judge"
    r"|check|comparison|compare|evaluators?|graders?|scorers?|verifiers?)",
    re.IGNORECASE,
)
#: Keys of version `legacy`, and what says the same in others.
_REMEDIES = MappingProxyType(
    {
        "validation": "state it as `type`, and put the program into output_validator/",
        "validator_flags": "write output_validator_args into data/secret/test_group.yaml",
        "grading": "state it in test_group.yaml, or in judge.yaml",
    }
)
#: Two letters of a long name, or one of a short one, or an `s`.
_SIMILAR = 0.85


def refuse_misspelt(tree: Tree) -> None:
    """
    Raises:
        ProblemError: a name is nearly one that decides verdicts or labels, and is not known itself; or something that
            decides them lies above its place.
    """
    _refuse_above(tree)
    for directory, (known, deciding) in _KNOWN.items():
        files, directories = tree.entries(tree.root / directory)
        for path in (*files, *directories):
            if any(path.name == name or path.name.startswith((f"{name}_", f"{name}-", f"{name}.")) for name in known):
                continue  # itself, or what was laid aside
            meant = nearest(path.name.lower(), known, cutoff=_SIMILAR)
            if meant and meant[0] in deciding:
                raise tree.error(path, f"is not read, and its name is nearly {meant[0]}", "correct its name")
            if directory == "include":
                raise tree.error(path, "is not read: it is called like no language", "move it to include/LANGUAGE/")


def _refuse_above(tree: Tree) -> None:
    """Raise ProblemError if tests, files that are compiled with submissions, or settings lie above their place."""
    files, directories = tree.entries(tree.root)
    for path in files:
        if path.stem.lower() == "judge" and path.suffix in _SETTINGS:
            raise tree.error(path, "is not read, and its name is nearly judge.yaml", "correct its name")
    for path in directories:
        if path.name in ("sample", "secret") and any(found.suffix == ".in" for found in tree.walk(path)):
            raise tree.error(path, "is not read: its place is data/", "move it there, or remove it")
    for path in tree.entries(tree.root / "include")[0]:
        if not _is_note(path):
            raise tree.error(path, "is not read: each language has a directory", "move it to include/LANGUAGE/")


def refuse_unread(tree: Tree, metadata: Metadata, validators: Sequence[str], *, managed: bool) -> None:
    """`validators`: the directories that the version of the package has for its output validator. `managed`: judge.yaml
    names a manager.

    Raises:
        ProblemError: something would judge, or says how to, in a place or by a key that this version does not know.
    """
    place = f"{validators[0]}/ is the place of version {metadata.version}"
    judged = any(_holds_something(tree, tree.root / name) for name in validators)
    if metadata.ignored and metadata.version != "legacy":
        _refuse_keys(tree, metadata, judged=judged)
    if (path := tree.file("domjudge-problem.ini")) is not None and not judged:
        _refuse_program_of_site(tree, path)
    reasons = {
        "interactor": None if metadata.interactive else "the problem is not interactive",
        "manager": None if managed else "judge.yaml names no manager",
        "graders": f"version {metadata.version} has none" if metadata.version == "2025-09" else None,
        "static_validator": f"version {metadata.version} has none" if metadata.version == "legacy" else None,
    }
    if not judged:  # else the package is one of both
        reasons |= {name: place for name in ("output_validator", "output_validators")}
    files, directories = tree.entries(tree.root)
    for path in directories:
        why = reasons.get(path.name, None if path.name in _TOP else place)
        if why and (path.name in reasons or _JUDGES.fullmatch(path.name)) and _holds_something(tree, path):
            raise tree.error(path, f"is not read: {why}", "move it there, correct problem.yaml, or remove it")
    refuse_judges(tree, files, place)


def _refuse_program_of_site(tree: Tree, path: Path) -> None:
    """Raise ProblemError if a program judges that an administrator of DOMjudge put there."""
    from problems.reading.legacy import OF_SITE, read_domjudge_ini  # noqa: PLC0415  # few packages have the file

    stated = read_domjudge_ini(tree)
    for key in OF_SITE:
        if stated.get(key, usual := key.removeprefix("special_")) not in ("", usual):
            what = f"{key} = {stated[key][:40]!r} is a program of the site, which is not in the package"
            raise tree.error(path, what, "put the program into output_validators/, and write validation: custom")


def refuse_judges(tree: Tree, files: Iterable[Path], place: str) -> None:
    """Raise ProblemError if a program, or its directory, that lies where none is read is called as one that judges."""
    for path in files:
        is_program = (not path.suffix or path.suffix in source_suffixes()) and path.name != "check.sh"
        if is_program and _JUDGES.fullmatch(path.stem):
            raise tree.error(path, f"is not read: {place}", "move it, or remove it")


def _holds_something(tree: Tree, directory: Path) -> bool:
    """Whether a directory has files other than notes."""
    return not all(_is_note(path) for path in tree.walk(directory))


def _is_note(path: Path) -> bool:
    return path.suffix == ".md" or path.name.startswith("README")


def _refuse_keys(tree: Tree, metadata: Metadata, *, judged: bool) -> None:
    """Raise ProblemError if a key of version `legacy` asks for another judging than the package gets. `judged`: by a
    program of its own."""
    path = tree.root / "problem.yaml"
    stated = read_map(tree, path)
    words = str(stated.get("validation") or "").split()
    asked = {
        "validation: interactive": "interactive" in words and not metadata.interactive,
        "validation: multi-pass": "multi-pass" in words and metadata.passes < 2,
        "validation: score": "score" in words and not metadata.scoring,
        "validation: custom": words[:1] == ["custom"] and not judged,
        "validation: default": words[:1] == ["default"] and judged,
        "validator_flags": bool(stated.get("validator_flags")),
        "grading": _grades(stated.get("grading")),
    }
    for name in (name for name, differs in asked.items() if differs):
        key = name.partition(":")[0]
        line = lines_of(tree, path, [(key,)])[0]
        what = f"{name} is of version legacy, and says nothing in version {metadata.version}"
        raise tree.error(path, what, _REMEDIES[key], line)


def _grades(stated: object) -> bool:
    """Whether `grading` of version `legacy` says more than what is so in other versions."""
    usual = {"objective": "max", "show_test_data_groups": None}
    given = stated if isinstance(stated, dict) else {}
    return any(key not in usual or usual[key] not in (None, value) for key, value in given.items())
