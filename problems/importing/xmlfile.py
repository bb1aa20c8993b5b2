"""Reads an XML file of a source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from problems.importing.source import Source
from problems.model import MIB

_ENCODING = "utf-8"
#: Those that are read; decoding some others takes quadratic time.
_KNOWN = re.compile(
    r"utf-?(?:8|16)|(?:us-)?ascii|gb2312|gbk|gb18030|big5|iso-8859-[0-9]{1,2}|windows-[0-9]{3,4}|koi8-[ru]"
    r"|euc-(?:jp|kr)|shift_jis",
    re.IGNORECASE,
)
#: Holds all characters of GB2312 and GBK, and those that programs write under these names.
_GBK = "gb18030"
_DECLARED = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._-]{1,40})")


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
    text = _decode(source, source.inside(path))
    source.seen.add(path)
    parser = expat.ParserCreate(_ENCODING)
    parser.StartDoctypeDeclHandler = refuse_declarations
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
        # Without entities there is nothing to expand.
        return ElementTree.fromstring(text, ElementTree.XMLParser(encoding=_ENCODING))  # noqa: S314
    except (ElementTree.ParseError, expat.ExpatError) as error:
        raise source.tree.error(path, f"is not well formed: {error}", "export it again") from None


def _decode(source: Source, path: Path) -> bytes:
    """The text of an XML file in UTF-8. The parser itself knows no encoding of several bytes but those of Unicode, and
    files of Chinese sites are in GBK, too.

    Raises:
        ProblemError: it is not in the encoding that it states.
    """
    text = path.read_bytes()
    stated = _DECLARED.match(text)
    name = stated[1].decode() if stated else "utf-16" if text.startswith((b"\xff\xfe", b"\xfe\xff")) else _ENCODING
    if _KNOWN.fullmatch(name) is None:
        raise source.tree.error(path, f"is in the encoding {name[:40]!r}, which is not read", "save it in UTF-8")
    try:
        return text.decode(_GBK if name.lower() in ("gb2312", "gbk") else name).removeprefix("\ufeff").encode()
    except (LookupError, UnicodeError):
        remedy = "save it in UTF-8, and say so in its first line"
        raise source.tree.error(path, f"is not in the encoding {name[:40]!r} that it states", remedy) from None


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
