"""Defines `Item`, into which every schema reads its rows, and reads the forms that tests have in data sets."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.checkers.values import Number
from problems.model import MIB, SECOND_NS, Function
from problems.text.objects import KeyTwice, make_once
from problems.text.statement import Sample
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.names import Decides, find_meant
from trainer_adapter.data.tests_column import Checker

Row = Mapping[str, Any]


class Unusable(Exception):
    """This row cannot be used to train on. The message is the reason, worded alike for all such rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One problem of a data set, as its schema gives it."""

    id: str
    statement: str
    title: str = ""
    difficulty: str = ""
    #: Shown in the statement.
    samples: tuple[Sample, ...] = ()
    #: Shown instead, of interactive problems: lines of the judge begin with "<", of the program with ">".
    conversations: tuple[str, ...] = ()
    tests: tuple[Sample, ...] = ()
    #: How many tests the row mentions, but lacks or holds only in part.
    missing: int = 0
    cpu_ns: int | None = None
    memory_bytes: int | None = None
    checker: Checker | None = None
    #: As the tests state it; None: they state none.
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    input_file: str | None = None
    output_file: str | None = None
    #: What the tests call; None: programs read input. `starter` is the code that the row offers for it.
    function: Function | None = None
    starter: str = ""
    #: Name or path by which the judge knows the problem; then only the statement is needed of the above.
    reference: str | None = None
    #: Its tests come apart from the row, as a package that the judge may not know yet.
    packaged: bool = False
    #: How many pictures the statement had, as the row says.
    pictures: int = 0
    #: The first of the row's reference programs, each with its language.
    solutions: tuple[tuple[str, str], ...] = ()
    #: The prompt as a row in our own form has it.
    prompt: tuple[Mapping[str, str], ...] | None = None
    #: Its tests, as `Inline.pack` writes them.
    packed: str | None = None
    #: The columns that the user keeps.
    kept: Mapping[str, Any] = field(default_factory=dict)
    #: The right answer of a question that asks for no program (GSM8K).
    answer: str | None = None


def label(row: Row, *names: str) -> str:
    """The text or the number in the first of these columns that holds any; "": none does. It decides nothing."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def text(row: Row, *names: str) -> str:
    """As `label`.

    Raises:
        Unusable: none does, and one holds something else: a list, a map, or a flag that is set.
    """
    found = label(row, *names)
    if not found:
        for name in names:
            value = as_list(row.get(name))
            if value is True or (value and not isinstance(value, str | int | float)):
                raise Unusable(f"has {name!r}, which is no text")
    return found


def program(row: Row, name: str) -> str:
    """The program in this column; "": none. Raises Unusable if it is something else."""
    found = text(row, name)
    if found and not isinstance(row[name], str):
        raise Unusable(f"has {name!r}, which is no program")
    return found


def is_false(value: Any) -> bool:
    """Whether a flag is stated, and not set."""
    return value is not None and str(value).strip().lower() in ("0", "0.0", "false", "no")


def loads(value: Any) -> Any:
    """JSON in a column. Numbers stay as they are written: answers may have thousands of digits.

    Raises:
        Unusable: it is none, or gives a key twice, of which Python takes the last.
    """
    if not isinstance(value, (str, bytes)):
        return value
    try:
        return json.loads(
            value, parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=make_once
        )
    except KeyTwice as error:
        raise Unusable(f"tests are not understood: {error}") from None
    except (ValueError, RecursionError):
        raise Unusable("tests are no JSON") from None


#: Keys of one test that are understood, or that say nothing about how it is judged.
TEST_NAMES = frozenset(
    (
        *("input", "output", "answer", "expected_output", "type", "testtype", "fn_name", "func_name", "metadata"),
        *("id", "index", "name", "explanation", "note"),
    )
)
_OUTPUTS = ("output", "answer", "expected_output")
_COLUMNS = (("inputs", "input"), ("outputs", "output"))
_CALLS = frozenset(("function_call", "functional", "function"))
_READS = frozenset(("stdin_stdout", "stdin", "stdio"))


def refuse_unknown_keys(value: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise Unusable if a key that holds anything is none of these. Arrow fills in None for what a row lacks."""
    for key, held in value.items():
        if key not in known and held is not None:
            raise Unusable(f"tests have a key that is not understood: {str(key)[:40]!r}")


def calls_function(test: Mapping[str, Any], *, named: bool = False) -> bool:
    """Whether a test calls a function. `named`: the row names one apart from its tests.

    Raises:
        Unusable: its type is not understood, or contradicts the name.
    """
    kind = str(first_held(test, "type", "testtype") or "").lower()
    if kind and kind not in _CALLS | _READS:
        raise Unusable(f"tests are of a type that is not understood: {kind[:40]!r}")
    about = test.get("metadata")
    places = (test, about) if isinstance(about, Mapping) else (test,)
    own = any(place.get(key) for place in places for key in ("fn_name", "func_name"))
    if kind in _READS and (own or named):
        raise Unusable("tests name a function, and give input to read")
    return own or named or kind in _CALLS


def cases(value: Any) -> tuple[Sample, ...]:
    """Tests that give input to read, in any of these forms: `{"inputs": […], "outputs": […]}`,
    `{"input": […], "output": […]}`, `[{"input": …, "output": …}, …]`, or JSON of one of these.

    Raises:
        Unusable: they call a function of the program, or they are none of these.
    """
    value = loads(value)
    if isinstance(value, Mapping):
        if calls_function(value):
            raise Unusable("tests call a function, where the row cannot say which")
        refuse_unknown_keys(value, ("inputs", "outputs", "input", "output", "type", "testtype", "fn_name", "func_name"))
        given, wanted = pair_columns(value)
        return tuple(Sample(_read(one), _read_printed(other)) for one, other in zip(given, wanted, strict=True))
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return tuple(_case(one) for one in value)
    if value is None:
        return ()
    raise Unusable("tests are of no known form")


def pair_columns(value: Mapping[str, Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Inputs and outputs. Raises Unusable if one is missing, there are not as many of them, or both are texts of lists:
    one test whose input is a list, or the list of all tests."""
    if all(any(_is_text_of_list(value.get(name)) for name in names) for names in _COLUMNS):
        raise Unusable("inputs and outputs are texts of lists: give the lists")
    given, wanted = (_list_items(value, *names) for names in _COLUMNS)
    if len(given) != len(wanted):
        raise Unusable("tests have not as many inputs as outputs")
    return given, wanted


def _is_text_of_list(value: Any) -> bool:
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return False
    try:
        return isinstance(loads(value), list)
    except Unusable:
        return False


def _case(value: Any) -> Sample:
    if not isinstance(value, Mapping):
        if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:  # Luogu's [input, output]
            return Sample(_read(value[0]), _read_printed(value[1]))
        raise Unusable("tests are of no known form")
    if calls_function(value):
        raise Unusable("tests call a function, where the row cannot say which")
    refuse_half_a_test(value)
    return Sample(_read(value["input"]), _read_printed(first_held(value, *_OUTPUTS)))


def refuse_half_a_test(test: Mapping[str, Any]) -> None:
    """Raise Unusable unless a test has an input and an output, by keys that are understood."""
    refuse_unknown_keys(test, TEST_NAMES)
    if test.get("input") is None:
        raise Unusable("tests have no inputs")
    about = test.get("metadata")
    for key, held in about.items() if isinstance(about, Mapping) else ():
        if held and (meant := find_meant(str(key))) is not None and meant[0] is Decides.OUTPUTS:
            raise Unusable(f"tests have metadata that are not understood: {str(key)[:40]!r}")
    if not any(name in test for name in _OUTPUTS):
        raise Unusable("tests have no outputs")


def first_held(value: Mapping[str, Any], *names: str) -> Any:
    """What these keys hold; None: nothing. Raises Unusable if they hold different things."""
    held = [value[name] for name in names if value.get(name) is not None]
    if any(not _is_alike(one, held[0]) for one in held[1:]):
        raise Unusable(f"tests say different things by {' and '.join(name for name in names if name in value)}")
    return held[0] if held else None


def _is_alike(one: Any, other: Any) -> bool:
    return type(one) is type(other) and as_list(one) == as_list(other)


def _list_items(value: Mapping[str, Any], *names: str) -> Sequence[Any]:
    found: Any = first_held(value, *names)
    if found is None:
        raise Unusable(f"tests have no {names[0]}")
    found = as_list(found)
    return [found] if isinstance(found, str) or not isinstance(found, Sequence) else found


def _read(value: Any) -> str:
    """The text that a program reads. Numbers are values: somebody meant them for a call. None is not empty."""
    if value is None:
        raise Unusable("tests have no inputs")
    lines = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(isinstance(line, Number) or not isinstance(line, str | None) for line in lines):
        raise Unusable("inputs are values, as for a call, and the tests name no function")
    return _join_lines(value)


def _read_printed(value: Any) -> str:
    """The text that a program is to print. A missing one is not an empty one: every silent program would be right."""
    if value is None:
        raise Unusable("tests have no outputs")
    return _join_lines(value)


def _join_lines(value: Any) -> str:
    """The text of a test's input or output. TACO has some as lists of lines."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Sequence) and all(isinstance(line, (str, int)) for line in value):
        return "".join(f"{line}\n" for line in value)
    raise Unusable("outputs are values, not texts that a program could print")


def without(found: Iterable[Sample], others: Iterable[Sample]) -> tuple[Sample, ...]:
    """The tests of `found`, each once, without those in `others`. White space at the ends makes no difference."""
    seen = {(one.input.strip(), one.output.strip()) for one in others}
    kept = []
    for one in found:
        key = (one.input.strip(), one.output.strip())
        if key not in seen:
            seen.add(key)
            kept.append(one)
    return tuple(kept)


#: Units of limits, in ns and in bytes. A prefix is binary, as problem sites mean it.
_TIMES = {"s": SECOND_NS, "sec": SECOND_NS, "secs": SECOND_NS, "second": SECOND_NS, "seconds": SECOND_NS} | {
    name: SECOND_NS // 1000 for name in ("ms", "millisecond", "milliseconds")
}
_SIZES = {name: MIB for name in ("m", "mb", "mib", "megabyte", "megabytes")} | {
    "b": 1, "byte": 1, "bytes": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10, "kilobyte": 1 << 10,
    "kilobytes": 1 << 10, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30, "gigabyte": 1 << 30, "gigabytes": 1 << 30,
}  # fmt: skip
_UNLIMITED = ("", "none", "null", "unlimited", "inf")
#: Less or more is no limit that anybody sets: the number is in another unit.
_TIME_RANGE, _SIZE_RANGE = (SECOND_NS // 100, 300 * SECOND_NS), (MIB, 64 << 30)


def seconds(value: Any) -> int | None:
    """CPU time in ns out of 2, "2.0 seconds", "1.00s", "1000ms" or {"seconds": 2, "nanos": 0}; None: not stated.

    Raises:
        Unusable: it is nothing of that kind.
    """
    complaint = "time limit is not understood: write 2, '2 s' or '2000 ms'"
    if isinstance(value, Mapping):
        if not value.keys() <= {"seconds", "nanos"}:
            raise Unusable(complaint)
        total = int(value.get("seconds") or 0) * SECOND_NS + int(value.get("nanos") or 0)
        return total or None
    return _limit(value, _TIMES, (SECOND_NS, *_TIME_RANGE), complaint)


def megabytes(value: Any) -> int | None:
    """Bytes out of 256, "256.0 megabytes", "512.00MB" or "256 MiB"; None: not stated.

    Raises:
        Unusable: it is nothing of that kind.
    """
    return _limit(
        value, _SIZES, (MIB, *_SIZE_RANGE), "memory limit is not understood: write 256, '256 MB' or '262144 KiB'"
    )


def _limit(value: Any, units: Mapping[str, int], bounds: tuple[int, int, int], complaint: str) -> int | None:
    """`bounds`: the unit of a plain number, the least that is a limit, and the most."""
    plain, least, most = bounds
    text = str(value).strip().lower()
    if value is None or text in _UNLIMITED or (isinstance(value, float) and math.isnan(value)):
        return None
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    try:
        amount = float(number) * (units[unit] if unit else plain)
    except (ValueError, KeyError):
        raise Unusable(complaint) from None
    if amount and not least <= amount <= most:
        raise Unusable(complaint)
    return round(amount) or None
