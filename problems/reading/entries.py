"""Refuses names in a package that are nearly those which decide verdicts.

The format lets other files lie in a package, and so they are passed over. A checker in `output_validatr/`, settings in
`judge.yml` or a grader for `pyhton3` would be passed over, too, and other verdicts would come of it without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from problems.errors import nearest
from problems.files.languages import by_name
from problems.files.tree import Tree

#: Names of the formats, of all their versions, and of ours.
_TOP = (
    *("attachments", "data", "generators", "graders", "include", "input_format_validators", "input_validators"),
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
_LANGUAGES = (*_OTHER_LANGUAGES, *by_name("icpc"))
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
#: Two letters of a long name, or one of a short one, or an `s`.
_SIMILAR = 0.85


def refuse_misspelt(tree: Tree) -> None:
    """
    Raises:
        ProblemError: a name is nearly one that decides verdicts or labels, and is not known itself.
    """
    for directory, (known, deciding) in _KNOWN.items():
        files, directories = tree.entries(tree.root / directory)
        for path in (*files, *directories):
            if any(path.name == name or path.name.startswith((f"{name}_", f"{name}-", f"{name}.")) for name in known):
                continue  # itself, or what was laid aside
            meant = nearest(path.name.lower(), known, cutoff=_SIMILAR)
            if meant and meant[0] in deciding:
                raise tree.error(path, f"is not read, and its name is nearly {meant[0]}", "correct its name")
