"""Names of columns that decide how programs are judged. A name means one of them also where it is spelt otherwise: in
other case, with other marks between its words, or wrong by one letter. Two neighbours that changed places count as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache


class Decides(StrEnum):
    OUTPUTS = "how outputs are judged"
    TESTS = "tests"
    #: Tests, where they are no plain text: other columns have such names, too.
    HELD_TESTS = "tests that lists and maps hold"
    CALLED = "what tests call"
    STARTER = "what programs go on with"
    LIMITS = "limits"
    STREAMS = "where programs read and write"


_WHOSE = "public private hidden secret generated official extra additional more plus all full stress held_out"
#: Each schema's columns that decide are here (tests/trainer_adapter/test_misspelt.py), and what other data sets have.
NAMES: Mapping[Decides, tuple[str, ...]] = {
    kind: tuple(names.split())
    for kind, names in {
        Decides.OUTPUTS: "checker generated_checker output_checker checker_code check_program special_judge interactor "
        "interaction_format is_interactive grader scorer comparator comparison comparison_mode compare_function "
        "validator output_validator verifier evaluator eval_script judge_code judge_type tolerance float_tolerance "
        "absolute_tolerance relative_tolerance absolute_error relative_error abs_error rel_error precision "
        "multiple_answers any_order ignore_case checking_function output_only driver_code",
        Decides.TESTS: "test_cases test_list test_code test_data test_inputs test_outputs test_script unit_tests "
        "challenge_test_list assert_case assertions "
        + " ".join(f"{whose}_{what}" for whose in _WHOSE.split() for what in ("tests", "test_cases")),
        Decides.HELD_TESTS: "test tests input_output ground_truth verification_info reward_model verifier_metadata",
        Decides.CALLED: "func_name fn_name function_name method_name class_name entry_point entry_func",
        Decides.STARTER: "starter_code",
        Decides.LIMITS: "time_limit time_limit_ms cpu_time_limit limits memory_limit memory_limit_mb "
        "memory_limit_bytes",
        Decides.STREAMS: "input_mode input_file output_file input_filename output_filename io_mode io_type",
    }.items()
}
#: Words that judge, but only as they are: others that are nearly so are no misspelt ones.
_SAY = frozenset(("insensitive", "spj", "tol", "unordered"))
#: Words that judge in a name that has one of the others, too: `custom_judge`, but no `online_judge`.
_MAY, _WITH = frozenset(("check", "judge")), frozenset(("answer", "custom", "code", "fn", "func", "output", "special"))
#: Words that judge, wherever in a name they stand.
_JUDGES = ("checker", "interactor", "interactive", "comparator", "verifier", "evaluator", "validator", "tolerance")
#: What was done with a row, or came of it.
_DONE = frozenset(("checked", "graded", "scored", "verified", "verifies"))
#: Words of their own right that differ from one of those by a letter.
_OTHER_WORDS = _DONE | frozenset(
    (
        *("score", "scores", "grade", "grades", "input", "output", "text", "texts"),
        *("best", "rest", "rests", "nest", "tess", "tex"),
    )
)
#: Shorter names are alike by chance.
_SHORT = 6
#: Longer names are nobody's.
_LONGEST = 80
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")


def squeeze(name: str) -> str:
    """The name without case, and without what stands between its words."""
    return re.sub(r"[\W_]+", "", name[: _LONGEST + 1]).lower()


@lru_cache(1 << 12)
def find_meant(name: str) -> tuple[Decides, str] | None:
    """Which column that decides this name means, if it is not another word. One that is spelt right means itself."""
    whole = squeeze(name)
    if not whole or len(name) > _LONGEST or whole in _OTHER_WORDS:
        return None
    for known in _find_close(whole):
        kind, meant = _columns()[known]
        if known == whole or len(known) >= _SHORT or kind is Decides.HELD_TESTS:
            return kind, meant
    words = sorted({word.lower() for word in _WORD.findall(name)} - _OTHER_WORDS)
    if not _SAY.isdisjoint(words) or not (_MAY.isdisjoint(words) or _WITH.isdisjoint(words)):
        return Decides.OUTPUTS, "checker"
    judges = (known for word in words for known in _find_close(word) if known in _JUDGES)
    return next(((Decides.OUTPUTS, judge) for judge in judges), None)


def find_misspelt(name: str, known: Iterable[str]) -> str | None:
    """Which of these names this one means, though it is spelt otherwise; None: it is none of them, or like none."""
    whole = squeeze(name)
    for one in () if whole in _DONE else known:
        other = squeeze(one)
        if one != name and (whole == other or (min(len(whole), len(other)) >= _SHORT and _is_close(whole, other))):
            return one
    return None


def _find_close(word: str) -> Iterator[str]:
    """The known names that differ from it by one letter at most; itself first."""
    known = _spellings()
    found = {one: None for spelling in (word, *_shorten(word)) for one in known.get(spelling, ())}
    yield from sorted((one for one in found if _is_close(word, one)), key=lambda one: (one != word, one))


@cache
def _columns() -> Mapping[str, tuple[Decides, str]]:
    found = {squeeze(name): (kind, name) for kind, names in NAMES.items() for name in names}
    return {word: (Decides.OUTPUTS, word) for word in _JUDGES} | found


@cache
def _spellings() -> Mapping[str, tuple[str, ...]]:
    """Each known name, and it without any one of its letters: of which names those are."""
    found: dict[str, tuple[str, ...]] = {}
    for name in _columns():
        for spelling in {name, *_shorten(name)}:
            found[spelling] = (*found.get(spelling, ()), name)
    return found


def _shorten(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


def _is_close(one: str, other: str) -> bool:
    """Whether they differ by one letter more, less or wrong, or by two neighbours that changed places, at most."""
    same = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return abs(len(one) - len(other)) <= 1
    a, b = one[same:], other[same:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
