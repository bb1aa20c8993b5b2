"""Reads an XML file of a source."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from problems.importing.source import Source
from problems.model import MIB


def read_xml(source: Source, path: Path, most_bytes: int) -> ElementTree.Element:
    """The root of an XML file.

    Entities and document types are refused before the text is parsed: a few of them expand to gigabytes, or name files
    of this machine.

    Raises:
        ProblemError: it is too large, not well formed, or declares such.
    """

    def refuse(*_: object) -> None:
        raise source.tree.error(path, "declares a document type or entities", "remove them: problems need none")

    if not path.is_file():
        raise source.tree.error(path, "is not there", "name the format that it has, or leave out --format")
    if path.stat().st_size > most_bytes:
        raise source.tree.error(path, f"is larger than {most_bytes // MIB} MiB", "split it")
    text = source.inside(path).read_bytes()
    source.seen.add(path)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
        return ElementTree.fromstring(text)  # noqa: S314 - without entities there is nothing to expand
    except (ElementTree.ParseError, expat.ExpatError) as error:
        raise source.tree.error(path, f"is not well formed: {error}", "export it again") from None
