"""Reads an XML file of a source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from problems.importing.source import Source
from problems.model import MIB


def read_xml(source: Source, path: Path, most_bytes: int) -> ElementTree.Element:
    """The root of an XML file.

    Entities, and document types that declare something, are refused before the text is parsed: a few of them expand to
    gigabytes, or name files of this machine. A document type that lies elsewhere is only a name: it is not fetched.

    Raises:
        ProblemError: it is too large, not well formed, or declares such.
    """

    def refuse(*_: object) -> None:
        raise source.tree.error(path, "declares a document type or entities", "remove them: problems need none")

    def refuse_declarations(_name: str, _system: str | None, _public: str | None, declares: bool) -> None:
        if declares:
            refuse()

    if not path.is_file():
        raise source.tree.error(path, "is not there", "name the format that it has, or leave out --format")
    if path.stat().st_size > most_bytes:
        raise source.tree.error(path, f"is larger than {most_bytes // MIB} MiB", "split it")
    text = source.inside(path).read_bytes()
    source.seen.add(path)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse_declarations
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
        return ElementTree.fromstring(text)  # noqa: S314 - without entities there is nothing to expand
    except (ElementTree.ParseError, expat.ExpatError) as error:
        raise source.tree.error(path, f"is not well formed: {error}", "export it again") from None


def lose_unknown(
    source: Source,
    path: Path,
    element: ElementTree.Element,
    elements: Mapping[str, tuple[str, str]],
    label: str = "",
) -> None:
    """Lose each attribute and child of `element`, and of those in it, that a format does not have. `elements`: names of
    the attributes and children that each may have, separated by blanks.

    Raises:
        ProblemError: one is not to be lost.
    """
    attributes, children = (names.split() for names in elements.get(element.tag, ("", "")))
    for key in list(element.attrib):
        if key not in attributes and not key.startswith("value-"):
            source.lose_key(path, f"{label}<{element.tag}>.{key}", attributes)
    for child in element:
        if child.tag not in children:
            source.lose_key(path, f"{label}<{element.tag}>.{child.tag}", children)
        else:
            lose_unknown(source, path, child, elements, label)
