"""Reads the rows of well-known data sets. `detect` recognises each data set by its columns."""

from __future__ import annotations

import pickletools
import re
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from problems.errors import nearest
from problems.model import Function
from problems.text.statement import Sample, samples
from trainer_adapter.data import luogu
from trainer_adapter.data.assertions import Assertions, read_assertions
from trainer_adapter.data.calls import function_name, joined, read_tests
from trainer_adapter.data.checkers import printing
from trainer_adapter.data.item import (
    Item,
    Row,
    Unusable,
    cases,
    loads,
    megabytes,
    seconds,
    text,
    without,
)
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.data.tests_text import as_text, unzipped


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    #: Columns by which we recognise it.
    columns: frozenset[str]
    read: Callable[[Row], Item]


def codeforces(row: Row) -> Item:
    """open-r1/codeforces. A test that ends in "..." was cut by the site."""
    if text(row, "interaction_format"):
        raise Unusable("is interactive")
    if row.get("executable") is False:
        raise Unusable("the data set says that it cannot be judged")
    parts = (("", "description"), ("Input", "input_format"), ("Output", "output_format"), ("Note", "note"))
    shown = cases(row.get("examples"))
    official = cases(row.get("official_tests"))
    whole = tuple(one for one in official if not (_is_cut(one.input) or _is_cut(one.output)))
    checker = text(row, "generated_checker")
    files = row.get("input_mode") == "file"
    return Item(
        id=text(row, "id"),
        title=text(row, "title"),
        statement=_sections((head, text(row, name)) for head, name in parts),
        difficulty=text(row, "rating"),
        samples=shown,
        tests=whole,
        missing=len(official) - len(whole) or int(row.get("official_tests_complete") is False),
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=megabytes(row.get("memory_limit")),
        checker=printing(checker) if checker else None,
        input_file="input.txt" if files else None,
        output_file="output.txt" if files else None,
    )


def _is_cut(test: str) -> bool:
    return test.rstrip().endswith(("...", "…"))


def _sections(parts: Any) -> str:
    return "\n\n".join(f"## {head}\n\n{found.strip()}" if head else found.strip() for head, found in parts if found)


def verifiable(row: Row) -> Item:
    """open-r1/verifiable-coding-problems-python, PrimeIntellect/verifiable-coding-problems."""
    info = loads(row.get("verification_info"))
    if not isinstance(info, Mapping):
        raise Unusable("there are no tests")
    tests = read_tests(info.get("test_cases"))
    statement = _unwrapped(text(row, "problem_statement", "prompt"))
    return Item(
        id=text(row, "problem_id", "in_source_id"),
        statement=statement,
        samples=() if tests.function else samples(statement),
        tests=tests.cases,
        function=tests.function,
    )


def code_contests(row: Row) -> Item:
    """deepmind/code_contests. It has no checkers."""
    statement = text(row, "description")
    tests = cases(row.get("private_tests")) + cases(row.get("generated_tests"))
    return Item(
        id=text(row, "name"),
        title=text(row, "name"),
        statement=statement,
        difficulty=text(row, "cf_rating"),
        samples=cases(row.get("public_tests")),
        tests=tests,
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=int(row.get("memory_limit_bytes") or 0) or None,
        input_file=_file_name(row, "input_file", "stdin"),
        output_file=_file_name(row, "output_file", "stdout"),
    )


def _file_name(row: Row, column: str, stream: str) -> str | None:
    name = text(row, column).strip()
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", name) or name == stream:
        return None
    return name


def apps(row: Row) -> Item:
    """APPS, and TACO, which adds limits."""
    statement = text(row, "question")
    tests = read_tests(row.get("input_output") or None)
    return Item(
        id=text(row, "problem_id", "id", "url", "name"),
        title=text(row, "name"),
        statement=statement,
        difficulty=text(row, "difficulty"),
        samples=() if tests.function else samples(statement),
        tests=tests.cases,
        function=tests.function,
        **_beside(tests.held),
        starter=_starter(row, tests.function),
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=megabytes(row.get("memory_limit")),
    )


def livecodebench(row: Row) -> Item:
    """livecodebench/code_generation and code_generation_lite. `metadata` names the function."""
    about = loads(row.get("metadata") or None)
    name = str(about.get("func_name") or "") if isinstance(about, Mapping) else ""
    shown = read_tests(row.get("public_test_cases"), name=name)
    tests = read_tests(_private(text(row, "private_test_cases")), name=name)
    function = joined(shown, tests).function
    return Item(
        id=text(row, "question_id"),
        title=text(row, "question_title"),
        statement=text(row, "question_content"),
        difficulty=text(row, "difficulty"),
        samples=shown.cases,
        tests=tests.cases,
        function=function,
        starter=_starter(row, function),
    )


def _starter(row: Row, function: Function | None) -> str:
    starter = text(row, "starter_code")
    if starter and function is None:
        raise Unusable("has starter code, and tests that call no function")
    return starter


#: Operations of a pickle that holds one string. We read the pickle, and never run it: other operations can call any
#: function by name, and even one that stores a value under a number can take all memory.
_STRING = frozenset({"BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE"})
_AROUND = frozenset({"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"})
#: A pickle of one string has at most six operations.
_MOST_STEPS = 16


def _private(value: str) -> Any:
    """JSON, or base64 of zlib of a pickled string of JSON."""
    if not value or value.lstrip().startswith(("[", "{")):
        return value or None
    try:
        steps = [(step.name, held) for step, held, _ in islice(pickletools.genops(unzipped(value)), _MOST_STEPS)]
    except (ValueError, zlib.error, DataError):
        raise Unusable("private tests are neither JSON nor a packed string") from None
    found = [held for name, held in steps if name in _STRING]
    if len(found) != 1 or steps[-1][0] != "STOP" or not {name for name, _ in steps} <= _STRING | _AROUND:
        raise Unusable("private tests are neither JSON nor a packed string")
    return found[0]


def deepcoder(row: Row) -> Item:
    """agentica-org/DeepCoder-Preview-Dataset, any of its configurations."""
    about = loads(row.get("metadata")) if row.get("metadata") else {}
    name = str(about.get("func_name") or about.get("fn_name") or "") if isinstance(about, Mapping) else ""
    tests = read_tests(row.get("tests"), name=name)
    statement = _unwrapped(text(row, "problem"))
    return Item(
        id=text(row, "problem_id", "id", "name"),
        statement=statement,
        samples=() if tests.function else samples(statement),
        tests=tests.cases,
        function=tests.function,
        starter=_starter(row, tests.function),
    )


def eurus(row: Row) -> Item:
    """PRIME-RL/Eurus-2-RL-Data (the schema of verl); its mathematics is left out."""
    model = row.get("reward_model")
    if text(row, "ability") not in ("", "code") or not isinstance(model, Mapping):
        raise Unusable("is no programming problem")
    prompt = row.get("prompt")
    turns = [prompt] if isinstance(prompt, str) else [one["content"] for one in prompt or () if one["role"] == "user"]
    statement = _unwrapped(turns[-1] if turns else "")
    tests = read_tests(model.get("ground_truth"))
    return Item(
        id=_index(row),
        statement=statement,
        samples=() if tests.function else samples(statement),
        tests=tests.cases,
        function=tests.function,
    )


def _index(row: Row) -> str:
    extra = row.get("extra_info")
    extra = extra if isinstance(extra, Mapping) else {}
    number = extra.get("index")
    return "" if number is None else f"{text(row, 'data_source')}-{extra.get('split', 'train')}-{number}"


def asserted(row: Row) -> Item:
    """MBPP (`test_list`), HumanEval (`test`, `entry_point`), KodCode (`test`, `test_info`), AceCode (`test_cases`)."""
    about = row.get("test_info")
    first = about[0] if isinstance(about, Sequence) and about and isinstance(about[0], Mapping) else {}
    stated = text(row, "entry_point") or first.get("function_name")
    name = function_name(stated) if stated else ""
    column = next(one for one in ("test_list", "test_cases", "test") if row.get(one) is not None)
    held = read_assertions(row[column], name)
    statement = text(row, "problem_description", "question", "prompt", "text")
    return Item(
        id=text(row, "task_id", "question_id", "id"),
        statement=statement,
        tests=held.tests,
        function=held.function,
        starter=str(first.get("function_declaration") or ""),
        **_beside(held),
    )


def _beside(held: Assertions | None) -> dict[str, Any]:
    """What assertions say beside the tests themselves."""
    if held is None:
        return {}
    return {
        "missing": held.left_out,
        "absolute_tolerance": held.absolute_tolerance,
        "relative_tolerance": held.relative_tolerance,
    }


def gsm8k(row: Row) -> Item:
    """openai/gsm8k: `answer` keeps the working and the number behind ####."""
    return Item(id=text(row, "id"), statement=text(row, "question"), answer=text(row, "answer"))


#: What PrimeIntellect's and Eurus's authors put around statements, but for white space.
_WRAPPER = re.compile(
    r"\A\s*+Solve the following coding problem using the programming language \w+:\s*|"
    r"The input will be stdin and you should print your solution to stdout.{0,200}\Z|"
    r"Now solve the problem and return the code\.?\s*\Z|"
    r"Write Python code to solve the problem\.\s*Present the code in\s*```python\s*Your code\s*```"
    r"\s*at the end.{0,99}\Z",
    re.IGNORECASE | re.DOTALL,
)


def _unwrapped(prompt: str) -> str:
    """The prompt without its own orders on language and form of the answer: our prompt gives others."""
    return _WRAPPER.sub("", prompt).strip()


def _columns(names: str) -> frozenset[str]:
    return frozenset(names.split())


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
    name, tests = text(row, "problem_id"), row.get("tests")
    try:
        packed = as_text(tests) if tests else None
    except DataError as error:
        raise Unusable(str(error)) from None
    return Item(
        id=name,
        statement=asked[-1],
        difficulty=text(row, "difficulty"),
        prompt=tuple({"role": one["role"], "content": one["content"]} for one in prompt),
        packed=packed,
        reference=None if tests else name,
    )


#: In the order in which we try them: those with the most telling columns first.
SCHEMAS = (
    Schema("livecodebench", _columns("question_content public_test_cases private_test_cases"), livecodebench),
    Schema("code_contests", _columns("description public_tests private_tests generated_tests"), code_contests),
    Schema("codeforces", _columns("description official_tests examples"), codeforces),
    Schema("verifiable", _columns("verification_info"), verifiable),
    Schema("eurus", _columns("reward_model data_source"), eurus),
    Schema("apps", _columns("question input_output"), apps),
    Schema("humaneval", _columns("prompt entry_point test"), asserted),
    Schema("mbpp", _columns("test_list"), asserted),
    Schema("kodcode", _columns("question test test_info"), asserted),
    Schema("acecode", _columns("question test_cases"), asserted),
    Schema("deepcoder", _columns("problem tests"), deepcoder),
    Schema("gsm8k", _columns("question answer"), gsm8k),
    Schema("luogu", _columns("pid"), luogu.read),
    Schema("luogu", _columns("markdown"), luogu.read),
    Schema("luogu", _columns("description samples"), luogu.read),
    Schema("own", _columns("prompt problem_id"), own),
)


def detect(columns: Collection[str]) -> Schema:
    """The schema of rows with these columns.

    Raises:
        DataError: none is known.
    """
    for schema in SCHEMAS:
        if schema.columns <= set(columns):
            return schema
    raise DataError(
        f"rows with the columns {', '.join(sorted(columns)[:20])} are of no known schema; "
        f"name one by --schema or data.schema: {', '.join(names())}"
    )


def get(name: str) -> Schema:
    for schema in SCHEMAS:
        if schema.name == name:
            return schema
    close = nearest(name, names())
    raise DataError(f"there is no schema {name!r}; {f'did you mean {close[0]!r}?' if close else ', '.join(names())}")


def names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(schema.name for schema in SCHEMAS))


def read(schema: Schema, row: Row) -> Item:
    """The row as an Item: each test once, and the samples not among the hidden tests.

    Raises:
        Unusable: with the reason.
    """
    try:
        item = schema.read(row)
    except (TypeError, ValueError, LookupError, AttributeError):
        raise Unusable(f"is not of the schema {schema.name}") from None
    if not item.statement.strip():
        raise Unusable("there is no statement")
    shown = without(item.samples, ())
    return replace(item, samples=shown, tests=without(item.tests, shown))


def shown_tests(found: tuple[Sample, ...]) -> str:
    """Samples as a statement shows them."""
    blocks = (
        f"### {head} {number}\n\n```\n{shown.rstrip()}\n```"
        for number, one in enumerate(found, 1)
        for head, shown in (("Input", one.input), ("Output", one.output))
    )
    return "\n\n".join(["## Examples", *blocks])


def shown_conversations(found: tuple[str, ...]) -> str:
    """Sample conversations as a statement shows them."""
    told = (
        'A line that your program reads begins with "<", one that it writes with ">"; "---" stands between runs of it.'
    )
    blocks = (f"### Conversation {number}\n\n```\n{shown.rstrip()}\n```" for number, shown in enumerate(found, 1))
    return "\n\n".join(["## Examples", told, *blocks])
