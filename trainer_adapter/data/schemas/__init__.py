"""Reads the rows of well-known data sets. `detect` recognises each data set by its columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from problems.errors import nearest
from trainer_adapter.data import luogu
from trainer_adapter.data.item import Item, Row, Unusable, label, text
from trainer_adapter.data.schemas import asserted, contests, rows
from trainer_adapter.data.schemas.schema import ALIKE, SHORT, Schema, columns, read, unread
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.data.tests_text import as_text

__all__ = ["SCHEMAS", "Schema", "detect", "get", "names", "read", "unread"]


def gsm8k(row: Row) -> Item:
    """openai/gsm8k: `answer` keeps the working and the number behind ####."""
    return Item(id=label(row, "id"), statement=text(row, "question"), answer=text(row, "answer"))


def own(row: Row) -> Item:
    """Rows as this package makes them: a prompt, and a problem that the judge knows or its tests."""
    prompt = row.get("prompt")
    if isinstance(prompt, str):
        prompt = [{"role": "user", "content": prompt}]
    if not isinstance(prompt, Sequence) or not all(
        isinstance(one, Mapping) and isinstance(one.get("role"), str) and isinstance(one.get("content"), str)
        for one in prompt
    ):
        raise Unusable("the prompt is no list of messages with role and content")
    asked = [one["content"] for one in prompt if one["role"] == "user"]
    if not asked:
        raise Unusable("the prompt has no message of the user's")
    name, tests = label(row, "problem_id"), row.get("tests")
    try:
        packed = as_text(tests) if tests else None
    except DataError as error:
        raise Unusable(str(error)) from None
    return Item(
        id=name,
        statement=asked[-1],
        difficulty=label(row, "difficulty"),
        prompt=tuple({"role": one["role"], "content": one["content"]} for one in prompt),
        packed=packed,
        reference=None if tests else name,
    )


_LUOGU = columns(
    "pid title name problem_id id difficulty description background inputFormat formatI input_format outputFormat "
    "formatO output_format hint content markdown statement prompt question problem samples tests test_cases testcases "
    "testCases limits time_limit memory_limit"
)

#: In the order in which we try them: those with the most telling columns first.
SCHEMAS = (
    *contests.SCHEMAS[:3],
    *rows.SCHEMAS[:6],
    *asserted.SCHEMAS[:1],
    *rows.SCHEMAS[6:7],
    *asserted.SCHEMAS[1:],
    *rows.SCHEMAS[7:],
    *contests.SCHEMAS[3:],
    Schema("gsm8k", columns("question answer"), gsm8k, columns("id")),
    Schema("luogu", columns("pid"), luogu.read, _LUOGU),
    Schema("luogu", columns("markdown"), luogu.read, _LUOGU),
    Schema("luogu", columns("description samples"), luogu.read, _LUOGU),
    Schema("own", columns("prompt problem_id"), own, columns("tests difficulty answer")),
)

#: Data sets whose tests only a program of theirs makes or runs: by their columns, why, and what to take instead.
_NOT_DATA = (
    (
        columns("base_input plus_input entry_point"),
        "EvalPlus's own files, which have inputs, and a program in place of the answers: take "
        "evalplus/humanevalplus or evalplus/mbppplus, whose test holds both",
    ),
    (
        columns("complete_prompt instruct_prompt test"),
        "BigCodeBench's, whose tests are a class of unittest with files and stand-ins: its own harness runs them",
    ),
    (columns("code_context reference_code"), "DS-1000's, whose tests are a program: its own harness runs them"),
    (
        columns("skeleton methods_info test"),
        "ClassEval's, whose tests are classes of unittest: its own harness runs them",
    ),
    (
        columns("doctests stop_tokens tests"),
        "MultiPL-E's, whose tests are the end of a program: its own harness runs them",
    ),
)


def detect(columns: Collection[str]) -> Schema:
    """The schema of rows with these columns.

    Raises:
        DataError: none is known.
    """
    for telling, why in _NOT_DATA:
        if telling <= set(columns):
            raise DataError(f"rows are {why}")
    for schema in SCHEMAS:
        if schema.columns <= set(columns):
            _refuse_misspelt(schema, columns)
            return schema
    raise DataError(
        f"rows with the columns {', '.join(sorted(columns)[:20])} are of no known schema; "
        f"name one by --schema or data.schema: {', '.join(names())}"
    )


def _refuse_misspelt(found: Schema, columns: Collection[str]) -> None:
    """Raises DataError if a column that is not read is almost the only one that an earlier schema lacks."""
    others = [name for name in columns if name not in found.reads and len(name) >= SHORT]
    for schema in SCHEMAS[: SCHEMAS.index(found)]:
        missing = schema.columns - set(columns)
        if len(missing) == 1 and (close := nearest(next(iter(missing)), others, cutoff=ALIKE)):
            raise DataError(
                f"rows have a column {close[0]!r}, which the schema {found.name} does not read: is it "
                f"{next(iter(missing))!r} of {schema.name}? Correct it, or name a schema by --schema or data.schema"
            )


def get(name: str) -> Schema:
    for schema in SCHEMAS:
        if schema.name == name:
            return schema
    close = nearest(name, names())
    raise DataError(f"there is no schema {name!r}; {f'did you mean {close[0]!r}?' if close else ', '.join(names())}")


def names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(schema.name for schema in SCHEMAS))
