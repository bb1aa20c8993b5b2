"""Refuses what a row of a data set, or a trainer's task, holds beside what is read, if it may decide how programs are
judged: tests, a checker, or a function to call that the tests do not name.

Only names tell (`trainer_adapter.data.names`). A count of tests decides nothing, nor does a flag that is not set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from judge.checkers.calls import is_list
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.item import Unusable, loads
from trainer_adapter.data.names import Decides, find_meant, squeeze

_PROGRAM = "_?(?:code|func|function|program|script|type|mode|method)"
#: Names of what says how outputs are judged, and of what holds tests.
_DECIDES = re.compile(
    r".{0,40}(?:che?c?ker|interact|special_?judge|grader|scorer|comparator|verifier|evaluator|validator|tolerance).{0,40}"
    rf"|(?:.{{0,40}}_)?(?:chk|spj|grading|(?:check|eval|evaluation|verify|verification|scoring){_PROGRAM}"
    rf"|judge{_PROGRAM}|compare(?:r|{_PROGRAM})?|[ar](?:bs|el)?_?tol|eps|epsilon|precision|multi(?:ple)?_?(?:answers?|outputs?))(?:_.{{0,40}})?",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:(?:hidden|private|public|secret|generated|stress|extra|additional|more|plus|all|unit|full|official|held_?out)_?)?"
    r"(?:unit_?)?(?:test|asserts?|assertions?|"
    r"(?:tests|test_?(?:cases?|list|data|inputs?|outputs?|code|suite|script|files?))(?:_.{0,40})?)"
    r"|(?:base|plus|hidden|private|secret)_?(?:cases|inputs?|outputs?)",
    re.IGNORECASE,
)
#: Names of what says which function or class tests call.
_CALLED = re.compile(r"(?:fn|func|function|method|class)_?name|entry_?(?:point|func|function|method)", re.IGNORECASE)
#: What says that programs read and write as they do without it.
_STANDARD = frozenset(("stdin", "stdout", "stdio", "standard"))
#: What a test has, whatever the column is called.
_GIVEN = frozenset(("in", "input", "inputs", "stdin"))
_EXPECTED = frozenset(("ans", "answer", "expected", "expected_output", "out", "output", "outputs", "stdout"))
#: Columns of tests that a statement shows.
_SHOWN = re.compile(r"(?:sample|example|demo|few_?shot).{0,40}", re.IGNORECASE)
#: Ends of names that only tell something about tests.
_ABOUT = re.compile(
    r".{0,80}_(?:count|id|info|language|name|number|passed|source|split|status|type|url)", re.IGNORECASE
)
#: How a column says that it holds nothing.
_NOTHING = frozenset(("", "0", "0.0", "false", "nan", "no", "none", "null"))
#: What is so unless a row says no to it.
_STRICT = frozenset(("casesensitive", "ordermatters", "ordersensitive", "exactmatch"))
_DENIES = frozenset(("0", "false", "no"))
#: What a row of any type says, or is tagged with, whose outputs are not judged by comparison with its answers.
_KINDS = frozenset(
    (
        *("anyorder", "checker", "communication", "customchecker", "customjudge", "interactive", "interactiveproblem"),
        *(
            "interactor",
            "multipleanswers",
            "multiplesolutions",
            "outputonly",
            "special",
            "specialjudge",
            "specialjudged",
        ),
        "spj",
    )
)
_KEY = re.compile(r'"(\w{2,20})"\s{0,4}:')
#: No longer text is read for what it holds, and nothing deeper.
_LONGEST, DEEPEST = 1 << 16, 3
#: A longer text is no list of tags.
_LONGEST_TAGS = 200


def refuse_deciding(held: Mapping[str, Any], where: str, depth: int = 0) -> None:
    """
    Raises:
        Unusable: one of these, which are not read, says how outputs are judged, or holds tests.
    """
    for name, value in held.items():
        found = open_text(value)
        if not holds(found) and not _denies_strictness(str(name), found):
            continue
        if _decides(str(name), found):
            meant = find_meant(str(name))
            hint = f"; is it {meant[1]!r}?" if meant is not None and meant[1] != name else ""
            raise Unusable(f"has {where} {name!r}, which is not read and may decide how programs are judged{hint}")
        if depth < DEEPEST:
            for inner in found if is_list(found) else (found,):
                if isinstance(inner, Mapping):
                    refuse_deciding(inner, f"{where} {name!r} with", depth + 1)


def _denies_strictness(name: str, value: Any) -> bool:
    return squeeze(name) in _STRICT and str(value).strip().lower() in _DENIES


def _tells_kind(value: Any) -> bool:
    """Whether it is one of a few words, or a list of tags with one of them, of problems that have a checker."""
    words = value if is_list(value) else re.split("[,;|/]", value) if _is_short(value) else ()
    return any(_is_short(word) and squeeze(word) in _KINDS for word in words)


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TAGS


def find_called(held: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, str]]:
    """What names a function or a class to call, which is not read, and its name. `Solution` is what we look for."""
    for name, value in held.items():
        found = open_text(value)
        found = found[0] if is_list(found) and len(found) == 1 and isinstance(found[0], str) else found
        if isinstance(found, Mapping):
            if depth < DEEPEST:
                yield from find_called(found, depth + 1)
        elif isinstance(found, str) and holds(found) and _names_call(str(name)) and found.strip() != "Solution":
            yield str(name), found


def _names_call(name: str) -> bool:
    meant = find_meant(name)
    return _CALLED.fullmatch(name) is not None or (meant is not None and meant[0] is Decides.CALLED)


def refuse_other_calls(held: Mapping[str, Any], function: str | None) -> None:
    """
    Raises:
        Unusable: one of these, which are not read, names another function than the tests call, or they call none.
    """
    for name, called in find_called(held):
        if function is None or function not in re.findall(r"\w+", called):
            calls = "no function" if function is None else "another"
            raise Unusable(f"has {name!r}, which is not read and names what to call, and tests that call {calls}")


def open_text(value: Any) -> Any:
    """What a text of JSON holds; anything else as it is."""
    value = as_list(value)
    if _begins_as_json(value) and len(value) <= _LONGEST:
        try:
            return loads(value)
        except Unusable:
            return value
    return value


def _begins_as_json(value: Any) -> bool:
    return isinstance(value, str) and value[:_LONGEST].lstrip().startswith(("[", "{"))


def holds(value: Any) -> bool:
    """Whether a column says anything."""
    if isinstance(value, str | int | float):
        return str(value).strip().lower() not in _NOTHING
    return not _is_hollow(value, 0)


def _is_hollow(value: Any, depth: int) -> bool:
    """Whether there is nothing in it but lists and maps without content."""
    value = as_list(value)
    inner = list(value.values()) if isinstance(value, Mapping) else value
    if not is_list(inner):
        return inner is None or inner == ""
    return depth <= DEEPEST and all(_is_hollow(one, depth + 1) for one in inner)


def _decides(name: str, value: Any) -> bool:
    spellings = (re.sub(r"[\W_]+", "_", name), squeeze(name))
    if _denies_strictness(name, value) or _tells_kind(value):
        return True
    if any(map(_DECIDES.fullmatch, spellings)):
        return True
    if any(map(_TESTS.fullmatch, spellings)):
        return _may_be_tests(spellings[0], value)
    kind = (find_meant(name) or (None,))[0]
    match kind:
        case Decides.OUTPUTS | Decides.STARTER | Decides.LIMITS:
            return True
        case Decides.STREAMS:
            return str(value).strip().lower() not in _STANDARD
        case Decides.TESTS:
            return _may_be_tests(spellings[0], value)
        case Decides.HELD_TESTS:
            return not isinstance(value, str | int | float) or _begins_as_json(value) or "assert " in str(value)
        case Decides.CALLED | None:
            return _are_tests(name, value)
        case _:
            assert_never(kind)


def _are_tests(name: str, value: Any) -> bool:
    """Whether it holds what tests have, whatever its name, and is none of those that a statement shows."""
    tests = value if is_list(value) else [value]
    keys = [{str(key).lower() for key in one} for one in tests if isinstance(one, Mapping)]
    if _begins_as_json(value):  # too long to be read
        keys.append({key.lower() for key in _KEY.findall(value[:_LONGEST] + value[-_LONGEST:])})
    return not _SHOWN.fullmatch(name) and any(_GIVEN & each and _EXPECTED & each for each in keys)


def _may_be_tests(name: str, value: Any) -> bool:
    """A number counts them."""
    if _ABOUT.fullmatch(name):
        return False
    return not isinstance(value, int | float) and not (isinstance(value, str) and value.strip().isdecimal())
