"""Defines `Schema`: the columns of a data set, which of them are read, and the reader of a row.

A column that is not read may hold tests, a checker or a limit under another name. If it is spelt almost like one that
the row lacks, or if its name says that it holds tests or a checker, the row is refused; all others are named in the
report.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from problems.errors import nearest
from trainer_adapter.data import limits
from trainer_adapter.data.deciding import refuse_deciding, refuse_other_calls
from trainer_adapter.data.item import Item, Row, Unusable, without
from trainer_adapter.data.limits import Stated
from trainer_adapter.data.names import find_misspelt
from trainer_adapter.data.references import RIGHT, WRONG
from trainer_adapter.data.tests_column import MAGIC
from trainer_adapter.data.tests_text import refuse_calls_beside

#: Columns that name a problem. Other data sets have other ones, and none decides how a program is judged.
_NAMES = frozenset(
    (
        *("id", "name", "title", "url", "pid", "problem_id", "question_id", "task_id", "in_source_id", "hash_id"),
        *("difficulty", "rating", "cf_rating", "source", "dataset", "platform", "question_title", "problem_title"),
    )
)
#: Columns that are read, but not all that they hold.
_ABOUT = ("extra_info", "labels", "metadata")
#: How alike two names are, of which one may be the other misspelt.
ALIKE = 0.8
#: Shorter names are alike by chance.
SHORT = 4
#: What a row that is not of the schema may make its reader raise.
_FAILURES = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, zlib.error)


def columns(names: str) -> frozenset[str]:
    return frozenset(names.split())


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    #: Columns by which we recognise it. Every row needs them.
    columns: frozenset[str]
    read: Callable[[Row], Item]
    #: Columns that are read beside those, where a row has them.
    beside: frozenset[str] = field(default_factory=frozenset)

    @property
    def reads(self) -> frozenset[str]:
        return self.columns | self.beside


def read(schema: Schema, row: Row) -> Item:
    """The row as an Item: each test once, and the samples not among the hidden tests.

    Raises:
        Unusable: with the reason.
    """
    _refuse_misspelt(schema, row)
    stated = Stated()
    beside = [name for name in row if name in _ABOUT or (name in limits.NAMES and name not in schema.reads)]
    more = stated.take({name: row[name] for name in (*unread(schema, row), *beside)})
    refuse_deciding(more, "a column")
    try:
        item = schema.read(row)
    except _FAILURES:
        raise Unusable(f"is not of the schema {schema.name}") from None
    if not item.statement.strip():
        raise Unusable("there is no statement")
    if item.answer is None and item.reference is None and item.packed is None:
        refuse_other_calls(more, item.function.name if item.function else None)
        item = replace(
            item,
            cpu_ns=max((*stated.cpu_ns, *filter(None, [item.cpu_ns])), default=None),
            memory_bytes=max((*stated.memory_bytes, *filter(None, [item.memory_bytes])), default=None),
        )
    elif item.packed is not None:
        refuse_calls_beside(more, item.packed)
    if stated.is_stated and item.packed is not None and not item.packed.startswith(MAGIC):
        raise Unusable("has limits beside tests: write cpu_ns and memory_bytes into tests")
    _refuse_other_starter(item)
    shown = without(item.samples, ())
    return replace(item, samples=shown, tests=without(item.tests, shown))


def _refuse_other_starter(item: Item) -> None:
    """Raise Unusable if programs that go on with the starter code cannot define what tests call."""
    if not item.starter or item.function is None:
        return
    own = re.search(
        rf"(?m)^(?P<within>[ \t]*)(?:async )?def {item.function.name}\b|^{item.function.name}\s*=", item.starter
    )
    classes = re.findall(r"(?m)^class (\w+)", item.starter)
    if re.search(r"(?m)^[ \t]*(?:async )?def \w", item.starter) and (
        own is None or (own["within"] and classes and "Solution" not in classes)
    ):
        raise Unusable("has starter code that defines another function than tests call")
    if "(" in item.starter and item.function.name not in re.findall(r"\w+", item.starter):
        raise Unusable("has starter code that does not name the function that tests call")


def unread(schema: Schema, row: Row) -> Iterator[str]:
    """The columns of a row that hold something, and are not read."""
    known = {*schema.reads, *RIGHT, *WRONG, *limits.NAMES}
    for name, held in row.items():
        if held is not None and name not in known:
            yield name


def _refuse_misspelt(schema: Schema, row: Row) -> None:
    for name in sorted(schema.columns):
        if name not in row:
            raise Unusable(f"has no column {name!r}")
    held = {name for name, value in row.items() if value is not None}
    known = tuple(sorted((schema.reads | limits.NAMES) - held - _NAMES))
    for name in unread(schema, row):
        if name not in _NAMES and len(name) >= SHORT and (meant := _nearest(name, known)):
            raise Unusable(f"has a column {name!r}, which is not read; is it {meant!r}?")


def _nearest(name: str, known: Collection[str]) -> str | None:
    return find_misspelt(name, known) or next(iter(nearest(name, known, cutoff=ALIKE)), None)
