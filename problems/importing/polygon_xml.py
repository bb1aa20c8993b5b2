"""The elements and attributes of Polygon's problem.xml: what is none of them is not passed over, and what asks for
another way of judging is refused. (purplesyringa/problem-xml-specs describes the format.)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from xml.etree.ElementTree import Element

from problems.importing.draft import Draft
from problems.importing.xmlfile import lose_unknown

_PROGRAM = "source binary"
_FILE = ("path type", "")
_PATTERNS = "test-count input-path-pattern answer-path-pattern output-path-pattern tests"
#: Attributes and children of each element.
_ELEMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "problem": (
            "revision short-name url id",
            "names statements tutorials judging files assets properties stresses documents attachments tags",
        ),
        "names": ("", "name"),
        "name": ("language value id main", ""),
        "statements": ("", "statement"),
        "tutorials": ("", "tutorial"),
        **dict.fromkeys(("statement", "tutorial"), ("type language path charset mathjax id", "")),
        "judging": (
            "cpu-name cpu-speed input-file output-file run-count treat-points-from-checker-as-percent",
            "testset",
        ),
        "testset": ("name", f"time-limit memory-limit groups {_PATTERNS}"),
        "tests": ("", "test"),
        "test": ("method cmd sample points group description verdict from-file", ""),
        "groups": ("", "group"),
        "group": ("name points points-policy feedback-policy", "dependencies"),
        "dependencies": ("", "dependency"),
        "dependency": ("group", ""),
        "files": ("", "resources executables attachments"),
        "attachments": ("", "file attachment"),
        "attachment": ("path type location", ""),
        "resources": ("", "file"),
        "file": ("path type for-type for-types location secure-grader", "stages assets"),
        "stages": ("", "stage"),
        "stage": ("name", ""),
        "asset": ("name", ""),
        "executables": ("", "executable"),
        "executable": ("", _PROGRAM),
        **dict.fromkeys(("source", "binary", "copy"), _FILE),
        "assets": ("", "checker interactor validators solutions asset"),
        "checker": ("name type", f"{_PROGRAM} copy testset"),
        "interactor": ("", f"{_PROGRAM} runs"),
        "runs": ("", "run"),
        "validators": ("", "validator"),
        "validator": ("", f"{_PROGRAM} testset"),
        "solutions": ("", "solution"),
        "solution": ("tag note", f"{_PROGRAM} extra-tags"),
        "extra-tags": ("", "extra-tag"),
        "extra-tag": ("tag testset group test", ""),
        "properties": ("", "property"),
        "property": ("name value", ""),
        "stresses": ("", "stress-count stress-path-pattern list"),
        "list": ("", "stress"),
        "stress": ("path index", ""),
        "documents": ("", "document"),
        "document": _FILE,
        "tags": ("", "tag"),
        "tag": ("value", ""),
    }
)
#: What a program that runs twice is called by.
_TWICE = "run-twice"


def refuse_unknown(draft: Draft, root: Element) -> None:
    """Lose each element and attribute that the format does not have.

    Raises:
        ProblemError: one is not to be lost, or asks for judging that is not imported.
    """
    lose_unknown(draft.source, draft.path, root, _ELEMENTS)
    judging = root.find("judging")
    count = "1" if judging is None else judging.get("run-count", "1")
    if count != "1" or root.find("assets/interactor/runs") is not None or root.find(f"tags/tag[@value='{_TWICE}']"):
        raise draft.error("run-count: a program that runs several times is not imported", "write it by hand")
    for file in root.findall("files/resources/file"):
        if any(asset.get("name", "").lower() == "solution" for asset in file.findall("assets/asset")):
            what = f"{file.get('path')!r} is compiled with submissions, or lies beside them: it is not imported"
            raise draft.error(what, "write the package by hand, with the file in include/")


def placed_paths(root: Element) -> Iterator[str]:
    """Paths of files for which problem.xml says what they are: not those of its checker, interactor and tests, of which
    a reader says why it does not need them."""
    for place in ("files/executables/executable", "assets/checker", "assets/interactor", "assets/validators/validator"):
        for one in (*root.findall(f"{place}/binary"), *root.findall(f"{place}/copy")):
            yield one.get("path") or ""
    for place in (
        *("files/executables/executable/source", "files/resources/file", "files/attachments/file"),
        *("assets/solutions/solution/binary", "stresses/list/stress"),
    ):
        yield from (one.get("path") or "" for one in root.findall(place))
