"""The built-in comparisons of output and answer (docs/packages.md, "Comparing output").

    exact             byte for byte
    exact-lines       byte for byte, but CR at line ends does not count, nor whether the last line ends with a newline
    exact-trimmed     byte for byte, but white space at the end of the file does not count
    lines             blanks at line ends and newlines at the end of the file ignored
    full-lines        lines ended by LF, CR LF or CR, byte for byte, but white space after the answer's last line
                      does not count, nor whether the empty lines at its end are there
    stripped-lines    blanks at line ends ignored; CR ends a line as LF does, and each line end counts
    alike-spaces      tokens and the white space between them: of the same length, or a line end for blanks, while
                      blanks before a line end, and white space at the end of the file, do not count
    tokens            split at ASCII white space, byte for byte
    tokens-ci         the same, ASCII letters in either case
    float             tokens; numbers of the answer within a tolerance; if there is none, equal in value
    numbers           the same, after each byte other than 0 to 9, . and - became a blank
    yesno             tokens; the answer's are yes or no, in either case
    tokens-by-line    lines that are not blank, white space in them as for tokens; CR ends a line, too; numbers as in
                      float if there is a tolerance
    tokens-by-every-line  lines, of which blank ones count, unless they are the last; white space in them as for tokens
    sorted-lines      lines that are not empty, in any order, white space in them as for tokens; CR ends a line, too
    unordered-tokens  tokens in any order
    json              what a function returned: one of the answer's lines, each a JSON value; numbers as in float,
                      but two integers are to be equal

ICPC's default output validator is `tokens` with its flags: `case_sensitive`, `space_sensitive` (every white-space byte
counts) and a tolerance, which makes numbers compare as in `float`. A flag that makes no sense for a mode is refused.

Identical bytes are accepted at once. Differences in white space alone are skipped at the speed of memory (`resync`).
Only at other differences do we split the text into tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import assert_never

from judge.checkers.difference import SPACE, Difference, Span, Unit, describe, first_difference
from judge.checkers.numbers import Tolerance
from judge.checkers.resync import Places, same_lines, same_tokens
from judge.checkers.stream import (
    FILLED_LINES,
    LINES,
    RUNS,
    SPACED_LINES,
    TOKENS,
    Differs,
    Items,
    TokenStream,
    common_start,
    first_break,
)
from judge.checkers.values import MEMORY, written_values
from judge.common.errors import CheckerError
from problems.model import Comparison, Mode

_TOKEN_MODES = frozenset({Mode.TOKENS, Mode.TOKENS_CI, Mode.FLOAT})
_SPACES = bytes.maketrans(SPACE, b" " * len(SPACE))
#: Begins at the first of several CR: long ones cost no more than their length.
_LINE_END = re.compile(rb"(?<!\r)\r++\n")
_WITH_TOLERANCE = _TOKEN_MODES | {Mode.NUMBERS, Mode.TOKENS_BY_LINE, Mode.JSON}
#: Blanks before a line end or the end. Begins at the first of several, as the above.
_LAST_BLANKS = re.compile(rb"(?<![ \t\v\f])[ \t\v\f]++(?=\n|\Z)")
_NOT_NUMBERS = bytes(byte if byte in b"0123456789.-" else 0x20 for byte in range(256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a checker says about one output."""

    score: float  # in [0, 1]; more where it wrote more points than the test counts for
    detail: str
    #: True: the tokens are right, only white space is wrong, and the problem asks for that distinction.
    presentation: bool
    #: What a validator of version legacy wrote to score.txt when it accepted, perhaps 0.
    points: float | None = None
    #: What it wrote where raw scores have no ceiling (`problems.model.Objective`).
    raw_score: float | None = None


def compare(output: bytes, answer: bytes, comparison: Comparison) -> Checked:
    """Judge `output` against `answer`.

    Raises:
        CheckerError: the comparison contradicts itself, or the answer does not fit it.
    """
    found = difference(output, answer, comparison)
    if found is None:
        return Checked(score=1.0, detail="", presentation=False)
    return Checked(score=0.0, detail=str(found), presentation=_same_tokens(output, answer, comparison))


def difference(output: bytes, answer: bytes, comparison: Comparison) -> Difference | None:
    """The first difference of output and answer; None: the output is right. Raises CheckerError as `compare` does."""
    _check(comparison)
    if output == answer and comparison.mode is not Mode.YESNO:  # which first checks the answer
        return None
    fold = not comparison.case_sensitive or comparison.mode in {Mode.TOKENS_CI, Mode.YESNO}
    match comparison.mode:
        case Mode.EXACT | Mode.EXACT_LINES | Mode.EXACT_TRIMMED | Mode.STRIPPED_LINES:
            return _exact(_what_counts(output, comparison.mode), _what_counts(answer, comparison.mode), fold)
        case Mode.LINES:
            return _lines(output, answer, fold)
        case Mode.FULL_LINES:
            return _full_lines(_with_one_end(output), _with_one_end(answer), fold)
        case Mode.ALIKE_SPACES:
            return _alike_spaces(output, answer, fold)
        case Mode.TOKENS_BY_LINE if _numeric(comparison):
            return _numbers_by_line(output, answer, comparison, fold)
        case Mode.TOKENS_BY_LINE:
            return _tokens_by_line(output, answer, FILLED_LINES, fold)
        case Mode.TOKENS_BY_EVERY_LINE:
            return _tokens_by_line(output.rstrip(SPACE), answer.rstrip(SPACE), LINES, fold)
        case Mode.SORTED_LINES:
            return _compare_in_any_order(output, answer, SPACED_LINES, fold)
        case Mode.UNORDERED_TOKENS:
            return _compare_in_any_order(output, answer, TOKENS, fold)
        case Mode.YESNO:
            if strange := set(answer.lower().split()) - {b"yes", b"no"}:
                raise CheckerError(
                    f"comparison yesno: the answer holds {min(strange)!r}; correct the answer, or use tokens"
                )
            return _tokens(output, answer, fold)
        case Mode.JSON:
            found = [_numbers(output, value, comparison, False) for value in written_values(answer)]
            return None if None in found else found[0]
        case Mode.NUMBERS:
            return _numbers(output.translate(_NOT_NUMBERS), answer.translate(_NOT_NUMBERS), comparison, fold)
        case Mode.TOKENS | Mode.TOKENS_CI | Mode.FLOAT:
            if _numeric(comparison):
                return _numbers(output, answer, comparison, fold)
            if comparison.space_sensitive:
                return _exact(output, answer, fold)
            return _tokens(output, answer, fold)
        case _:
            assert_never(comparison.mode)


def memory_bytes(comparison: Comparison, answer_bytes: int) -> int:
    """The most that `compare` takes for an answer of this size, with the answer itself and without the output."""
    return (MEMORY if comparison.mode is Mode.JSON else 3) * answer_bytes


def _numeric(comparison: Comparison) -> bool:
    tolerances = comparison.absolute_tolerance, comparison.relative_tolerance
    return comparison.mode is Mode.FLOAT or tolerances != (None, None)


def _check(comparison: Comparison) -> None:
    mode = comparison.mode
    for tolerance in (comparison.absolute_tolerance, comparison.relative_tolerance):
        if tolerance is None:
            continue
        if mode not in _WITH_TOLERANCE:
            raise CheckerError(f"comparison {mode} has no tolerance: use float")
        if not (math.isfinite(tolerance) and tolerance >= 0):
            raise CheckerError(f"comparison {mode}: a tolerance of {tolerance} is not a finite number from 0 on")
    if comparison.space_sensitive and mode not in _TOKEN_MODES | {Mode.EXACT}:
        raise CheckerError(f"comparison {mode} cannot be space-sensitive: use exact or tokens")


def _same_tokens(output: bytes, answer: bytes, comparison: Comparison) -> bool:
    """Whether only white space differs. False if white space does not count, or if the problem does not ask for PE."""
    spaces_count = comparison.space_sensitive or comparison.mode in {Mode.EXACT, Mode.LINES}
    if not (comparison.presentation_error and spaces_count):
        return False
    mode = comparison.mode if comparison.mode in _TOKEN_MODES else Mode.TOKENS
    return difference(output, answer, replace(comparison, mode=mode, space_sensitive=False)) is None


def _exact(output: bytes, answer: bytes, fold: bool) -> Difference | None:
    ours, theirs = (output.lower(), answer.lower()) if fold else (output, answer)
    if ours == theirs:
        return None
    at = first_difference(ours, theirs)
    # Up to `at` both are the same, so their lines begin at the same place.
    start = output.rfind(b"\n", 0, at) + 1
    return describe(output, answer, _line(output, start), _line(answer, start), unit="line", ordered=True)


def _what_counts(text: bytes, mode: Mode) -> bytes:
    """The bytes that a mode compares one by one."""
    match mode:
        case Mode.EXACT_LINES:
            return _with_plain_ends(text)
        case Mode.EXACT_TRIMMED:
            return text.rstrip(SPACE)
        case Mode.STRIPPED_LINES:
            return _LAST_BLANKS.sub(b"", text.replace(b"\r", b"\n"))
        case Mode.EXACT:
            return text
        case _:
            raise ValueError(mode)


def _line(data: bytes, start: int) -> Span | None:
    """The line that begins at `start`, with its newline."""
    if start >= len(data):
        return None
    end = data.find(b"\n", start) + 1
    return Span(start=start, end=end or len(data))


def _lines(output: bytes, answer: bytes, fold: bool) -> Difference | None:
    places = same_lines(output, answer)
    if places is None:
        return None
    ours, theirs = (
        TokenStream(data, LINES, start=start, stop=len(data.rstrip()), fold=fold)
        for data, start in zip((output, answer), places, strict=True)
    )
    return _compare_in_order(output, answer, ours, theirs, _differing_line, unit="line")


def _with_plain_ends(text: bytes) -> bytes:
    """Each line without CR at its end, with a newline."""
    plain = _LINE_END.sub(b"\n", text)
    return plain if plain.endswith(b"\n") or not plain else plain.rstrip(b"\r") + b"\n"


def _with_one_end(text: bytes) -> bytes:
    """The text with LF for each line end."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _full_lines(output: bytes, answer: bytes, fold: bool) -> Difference | None:
    """Both with LF at line ends. Empty lines at the end of the answer may be missing in the output, but only the last
    of them may be blanks there."""
    last = answer.rstrip(b"\n")
    rest = output[len(last) :]
    ends = max(len(answer) - len(last) - 1, 1 if last else 0)
    if not rest.strip() and not rest[:ends].strip(b"\n"):
        output = output[: len(last)]
    return _exact(output, last, fold)


def _alike_spaces(output: bytes, answer: bytes, fold: bool) -> Difference | None:
    ours, theirs = (TokenStream(data, RUNS, stop=len(data.rstrip(SPACE)), fold=fold) for data in (output, answer))
    return _compare_in_order(output, answer, ours, theirs, _differing_runs, unit="token")


def _differing_runs(got: list[bytes], expected: list[bytes]) -> int | None:
    if got == expected:
        return None
    for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        if ours != theirs and not (ours.isspace() and theirs.isspace() and _are_alike(ours, theirs)):
            return index
    return None


def _are_alike(ours: bytes, theirs: bytes) -> bool:
    """Whether HUSTOJ, which reads two stretches of white space in step, sees no difference: at a line end it passes
    over the blanks of the other, up to their line end if there is one."""
    ends = min(ours.count(b"\n"), theirs.count(b"\n"))
    ours, theirs = (text.split(b"\n", ends)[-1] for text in (ours, theirs))
    for one, other in ((ours, theirs), (theirs, ours)):
        if b"\n" in one:
            return one.find(b"\n") == len(one) - 1 < len(other)
    return len(ours) == len(theirs)


def _numbers_by_line(output: bytes, answer: bytes, comparison: Comparison, fold: bool) -> Difference | None:
    tolerance = _tolerance(output, answer, comparison)

    def differs(got: list[bytes], expected: list[bytes]) -> int | None:
        if got == expected:
            return None
        for index, (ours, theirs) in enumerate(zip(map(bytes.split, got), map(bytes.split, expected), strict=True)):
            if len(ours) != len(theirs) or tolerance.first_difference(ours, theirs) is not None:
                return index
        return None

    ours, theirs = _streams(output, answer, (0, 0), FILLED_LINES, fold)
    return _compare_in_order(output, answer, ours, theirs, differs, unit="line")


def _tolerance(output: bytes, answer: bytes, comparison: Comparison) -> Tolerance:
    return Tolerance(
        comparison.absolute_tolerance,
        comparison.relative_tolerance,
        output=output,
        answer=answer,
        integers=comparison.mode is not Mode.JSON,
    )


def _tokens_by_line(output: bytes, answer: bytes, items: Items, fold: bool) -> Difference | None:
    start = common_start(output, answer, b"\n")
    ours, theirs = (TokenStream(data, items, start=start, fold=fold) for data in (output, answer))
    return _compare_in_order(output, answer, ours, theirs, _differing_tokens, unit="line")


def _differing_tokens(got: list[bytes], expected: list[bytes]) -> int | None:
    if got == expected:
        return None
    return _differing(list(map(_squeeze_line, got)), list(map(_squeeze_line, expected)))


def _squeeze_line(line: bytes) -> bytes:
    """The line with one space for each stretch of white space, in a fixed number of copies of it: it may be long."""
    line = line.translate(_SPACES).strip()
    while b"  " in line:  # each step halves the longest stretch
        line = line.replace(b"  ", b" ")
    return line


def _tokens(output: bytes, answer: bytes, fold: bool) -> Difference | None:
    places = same_tokens(output, answer, fold=fold)
    if places is None:
        return None
    ours, theirs = _streams(output, answer, places, TOKENS, fold)
    return _compare_in_order(output, answer, ours, theirs, _differing, unit="token")


def _streams(output: bytes, answer: bytes, places: Places, items: Items, fold: bool) -> tuple[TokenStream, TokenStream]:
    return TokenStream(output, items, start=places[0], fold=fold), TokenStream(
        answer, items, start=places[1], fold=fold
    )


def _numbers(output: bytes, answer: bytes, comparison: Comparison, fold: bool) -> Difference | None:
    tolerance = _tolerance(output, answer, comparison)
    places: Places | None = (0, 0)
    items = RUNS if comparison.space_sensitive else TOKENS
    if comparison.space_sensitive:
        start = len(output[: common_start(output, answer)].rstrip())  # not in the middle of a stretch of white space
        places = start, start
    else:
        places = same_tokens(output, answer)
    if places is None:
        return None
    if not comparison.space_sensitive and tolerance.close_at_once(output, answer, places):
        return None
    ours, theirs = _streams(output, answer, places, items, fold)
    return _compare_in_order(output, answer, ours, theirs, tolerance.first_difference, unit="token")


def _compare_in_order(
    output: bytes, answer: bytes, ours: TokenStream, theirs: TokenStream, differs: Differs, *, unit: Unit
) -> Difference | None:
    found = first_break(ours, theirs, differs)
    if found is None:
        return None
    return describe(output, answer, *found, unit=unit, ordered=True)


def _differing_line(got: list[bytes], expected: list[bytes]) -> int | None:
    if got == expected:
        return None
    return _differing(list(map(bytes.rstrip, got)), list(map(bytes.rstrip, expected)))


def _differing(got: list[bytes], expected: list[bytes]) -> int | None:
    if got == expected:
        return None
    return next(index for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)) if ours != theirs)


def _compare_in_any_order(output: bytes, answer: bytes, items: Items, fold: bool) -> Difference | None:
    """Compare items in any order. The answer's distinct items bound the memory, whatever the output holds."""
    unit: Unit = "token" if items is TOKENS else "line"
    if _same_counts(output, answer, items, fold):
        return None
    left: dict[bytes, int] = {}
    for batch in TokenStream(answer, items, fold=fold).batches():
        for item in batch:
            left[item] = left.get(item, 0) + 1
    stream = TokenStream(output, items, fold=fold)
    for batch in stream.batches():
        for index, item in enumerate(batch):
            remaining = left.get(item, 0)
            if not remaining:
                return describe(output, answer, stream.back(len(batch) - index), None, unit=unit, ordered=False)
            left[item] = remaining - 1
    missing = next((item for item, count in left.items() if count), None)
    if missing is None:
        return None
    return describe(
        output, answer, None, _find(missing, TokenStream(answer, items, fold=fold)), unit=unit, ordered=False
    )


def _same_counts(output: bytes, answer: bytes, items: Items, fold: bool) -> bool:
    """Whether both hold the same items, equally often. A common beginning is skipped: it adds the same to both."""
    start = common_start(output, answer, SPACE if items is TOKENS else b"\n")
    expected, found = Counter[bytes](), Counter[bytes]()
    for batch in TokenStream(answer, items, start=start, fold=fold).batches():
        expected.update(batch)
    for batch in TokenStream(output, items, start=start, fold=fold).batches():
        if not expected.keys() >= set(batch):
            return False
        found.update(batch)
    return found == expected


def _find(item: bytes, stream: TokenStream) -> Span | None:
    for batch in stream.batches():
        if item in batch:
            return stream.back(len(batch) - batch.index(item))
    return None
