"""What is known of a language without running anything: its text, and what formats and sites call it.

Each language is one file, `judge/languages/NAME.toml`, with all that we know of it. This floor reads its tables `text`
and `names`, for importers, exporters and what shows programs; `judge.languages` reads the rest, to compile and run. A
language that has no table `text` is another compiler or dialect of its family, and has the family's.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from problems.files.stored import Store

#: What changed less than this ago may change again within the same tick of the file system's clock.
SETTLED_NS = 2_000_000_000
#: The files lie beside the programs that they name. They are data: nothing of that package is imported.
DIRECTORY = Path(__file__).resolve().parents[2] / "judge" / "languages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """How to look at a program."""

    #: What begins a comment that ends with the line; empty: the language has none.
    comment: str
    #: The name that Pygments has for it; empty: it has none.
    lexer: str
    #: Regular expression: found in a file, the program says that it begins there. Empty: programs need not say it.
    main: str = ""
    #: Regular expression: a file that begins so is a part of a program only.
    part: str = ""
    #: Suffixes of files that are parts of programs only.
    part_suffixes: tuple[str, ...] = ()
    #: Whether CR alone has a meaning in a source: then it stays.
    keeps_cr: bool = False
    #: Whether a program begins with a class, not with a file.
    begins_with_class: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What others call it. A name that nobody has is left out."""

    #: In the ICPC package format (specification, "Languages"): `include/NAME`, static validators.
    icpc: str = ""
    #: `source type` in Polygon's problem.xml.
    polygon: str = ""
    #: `language` in FPS files, in lower case (HUSTOJ's `$language_name`).
    hustoj: tuple[str, ...] = ()
    #: `language` in QDUOJ's problem.json.
    qduoj: str = ""
    #: `language_id`; several of them may be one language of ours.
    judge0: tuple[int, ...] = ()
    #: Where it is no name of ours, or means another language than with us.
    sandbox_fusion: tuple[str, ...] = ()
    #: `type` in code-judge's requests.
    code_judge: str = ""
    #: Number in CodeContests' `language` columns.
    code_contests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFacts:
    name: str
    family: str
    suffixes: tuple[str, ...]
    text: Text
    names: Names

    @property
    def grader_key(self) -> str:
        """The language's name in `problems.model.Grader`."""
        return "cpp" if self.family == "c++" else self.family


_Tables = Mapping[str, Mapping[str, Any]]
#: What `tables` read.
_tables: _Tables | None = None


def tables(store: Store | None = None) -> _Tables:
    """The content of each file, by the language's name. A process reads them once; with a `store`, it parses them only
    if one of them has changed."""
    global _tables  # noqa: PLW0603 - a process has one set of languages
    if _tables is None:
        paths = sorted(entry.path for entry in os.scandir(DIRECTORY) if entry.name.endswith(".toml"))
        read = _parse(paths) if store is None else _recall(paths, store)
        _tables = MappingProxyType({name: MappingProxyType(table) for name, table in read.items()})
    return _tables


def _parse(paths: Iterable[str]) -> dict[str, dict[str, Any]]:
    import tomllib  # noqa: PLC0415 - a process that recalls the tables does not parse

    read = (tomllib.loads(Path(path).read_text(encoding="utf-8")) for path in paths)
    return {table["name"]: table for table in read}


def _recall(paths: Iterable[str], store: Store) -> dict[str, dict[str, Any]]:
    """As `_parse`, from the store if it has what these very files hold: as for packages (`problems.files.stored`), what
    changed a moment ago is not stored."""
    found = [(path, os.stat(path)) for path in paths]  # noqa: PTH116 - a Path takes three times as long
    state = [(path, status.st_size, status.st_dev, status.st_ino, status.st_ctime_ns) for path, status in found]
    key = hashlib.sha256(repr(("language tables", state)).encode("utf-8", "surrogateescape")).hexdigest()
    if (known := store.get(key)) is not None:
        recalled: dict[str, dict[str, Any]] = json.loads(known)
        return recalled
    read = _parse(paths)
    if max(status.st_ctime_ns for _, status in found) < time.time_ns() - SETTLED_NS:
        store.put(key, json.dumps(read).encode())
    return read


@functools.cache
def facts() -> Mapping[str, LanguageFacts]:
    """Of each language, by its name."""
    families = {table["family"]: table for table in tables().values() if "text" in table}
    return MappingProxyType({name: _facts(table, families[table["family"]]) for name, table in tables().items()})


def _facts(table: Mapping[str, Any], family: Mapping[str, Any]) -> LanguageFacts:
    text, names = ({**family.get(key, {}), **table.get(key, {})} for key in ("text", "names"))
    return LanguageFacts(
        name=table["name"],
        family=table["family"],
        suffixes=tuple(table.get("suffixes", ())),
        text=Text(**_freeze(text)),
        names=Names(**_freeze(names)),
    )


def _freeze(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


@functools.cache
def _by_suffix() -> Mapping[str, LanguageFacts]:
    return {suffix: language for language in facts().values() for suffix in language.suffixes}


def suffixes() -> frozenset[str]:
    """Suffixes by which a language of ours is known."""
    return frozenset(_by_suffix())


@functools.cache
def keeps_cr(family: str) -> bool:
    return any(language.text.keeps_cr for language in facts().values() if language.family == family)


@functools.cache
def part_suffixes() -> frozenset[str]:
    """Suffixes of files that are parts of programs only."""
    return frozenset(suffix for language in facts().values() for suffix in language.text.part_suffixes)


def by_suffix(suffix: str) -> LanguageFacts | None:
    """The language that a file with this suffix is written in; None: none of ours."""
    return _by_suffix().get(suffix)


@functools.cache
def by_name(site: str) -> Mapping[Any, LanguageFacts]:
    """Languages by what a field of `Names` calls them. Only a language's own file says it, not that of its family."""
    found: dict[Any, LanguageFacts] = {}
    for name, table in tables().items():
        names = table.get("names", {}).get(site, [])
        found |= dict.fromkeys(names if isinstance(names, list) else [names], facts()[name])
    return MappingProxyType(found)


def suffix_of(site: str, name: object) -> str:
    """The suffix of a program in the language that a field of `Names` calls so; empty: it calls none of ours so."""
    language = by_name(site).get(name)
    return language.suffixes[0] if language else ""


@functools.cache
def pattern(written: str) -> re.Pattern[bytes] | None:
    """A regular expression of `Text`, for the bytes of a source; None: there is none."""
    return re.compile(written.encode()) if written else None
