"""Names what may be wrong with the problem of a row: why right programs would be refused, or wrong ones paid.

Each hazard has a name, a reason, what is done with the problem unless `data.hazards` says otherwise, and what
`judge-train filter` can see of it later. `find` looks at a problem's text and tests; nothing is run. What only a run
tells, of the row's own reference programs, is found by `trainer_adapter.data.reference_check`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from problems.text.freedom import ORDER, SEVERAL
from problems.text.statement import Sample, squeeze
from trainer_adapter.data.cut import ends_in_a_sentence, is_cut
from trainer_adapter.data.item import Item


class Does(StrEnum):
    """What is done with a problem that has a hazard."""

    KEEP = "keep"
    DROP = "drop"


class Hazard(StrEnum):
    SEVERAL_ANSWERS = "several-answers"
    ANY_ORDER = "any-order"
    UNORDERED_RESULT = "unordered-result"
    SOLUTION_IN_PROMPT = "solution-in-prompt"
    TWO_ANSWERS = "two-answers"
    SAMPLE_CONTRADICTS = "sample-contradicts"
    INTERACTIVE = "interactive"
    FILES = "files"
    NO_FUNCTION_NAMED = "no-function-named"
    NO_OUTPUT_AT_ALL = "no-output-at-all"
    NUL = "nul"
    REFUSED_REFERENCE = "refused-reference"
    SLOW_REFERENCE = "slow-reference"
    NOT_JUDGED = "not-judged"
    DECIMAL = "decimal"
    MISSING_TESTS = "missing-tests"
    ONLY_SAMPLES = "only-samples"
    SINGLE_TEST = "single-test"
    CONSTANT_ANSWER = "constant-answer"
    EMPTY_OUTPUT = "empty-output"
    IMAGE = "image"
    LINES_FOR_CALL = "lines-for-call"
    CUT_STATEMENT = "cut-statement"


_REFUSES = "right programs are refused: leaves it out where all are, and cannot tell it from a hard problem"
_PAYS = "wrong programs are paid: leaves it out where all are, and cannot tell it from an easy problem"
_LEAVES = "no program is accepted: leaves it out"
_UNSEEN = "sees nothing of it"
_NOT_JUDGED = "no rollout is judged: leaves it out"


@dataclass(frozen=True, slots=True)
class About:
    reason: str
    usual: Does
    #: What `judge-train filter` does about it, where the problem is kept.
    filter: str


ABOUT: Mapping[Hazard, About] = {
    Hazard.SEVERAL_ANSWERS: About("accepts several answers, and there is no checker", Does.DROP, _REFUSES),
    Hazard.ANY_ORDER: About("accepts any order, and there is no checker", Does.DROP, _REFUSES),
    Hazard.UNORDERED_RESULT: About("accepts a result in any order, and there is no checker", Does.DROP, _REFUSES),
    Hazard.TWO_ANSWERS: About("one input has two answers, and there is no checker", Does.DROP, _LEAVES),
    Hazard.SAMPLE_CONTRADICTS: About("a sample of the statement contradicts a test", Does.DROP, _REFUSES),
    Hazard.INTERACTIVE: About("the statement is of an interactive problem, without interactor", Does.DROP, _LEAVES),
    Hazard.FILES: About("the statement asks for files, and tests are standard input and output", Does.DROP, _REFUSES),
    Hazard.NO_FUNCTION_NAMED: About("asks for a function or a class, and tests name none to call", Does.DROP, _LEAVES),
    Hazard.SOLUTION_IN_PROMPT: About("the statement holds the reference solution", Does.DROP, _PAYS),
    Hazard.NO_OUTPUT_AT_ALL: About("every output is empty: a program that prints nothing is paid", Does.DROP, _PAYS),
    Hazard.NUL: About("the statement holds NUL", Does.DROP, _UNSEEN),
    Hazard.REFUSED_REFERENCE: About("the tests refuse the row's reference solution", Does.KEEP, _REFUSES),
    Hazard.SLOW_REFERENCE: About("the reference solution is too slow, or nearly so", Does.KEEP, _REFUSES),
    Hazard.NOT_JUDGED: About("the judge cannot judge the reference solution (IE)", Does.KEEP, _NOT_JUDGED),
    Hazard.DECIMAL: About("answers are decimal numbers, compared as text: set data.tolerance", Does.KEEP, _REFUSES),
    Hazard.MISSING_TESTS: About("some of its tests are missing or cut off", Does.KEEP, _PAYS),
    Hazard.ONLY_SAMPLES: About("its only tests are the samples, which the model sees", Does.KEEP, _PAYS),
    Hazard.SINGLE_TEST: About("has a single test", Does.KEEP, _PAYS),
    Hazard.CONSTANT_ANSWER: About("all tests have the same answer: a program that prints it is paid", Does.KEEP, _PAYS),
    Hazard.EMPTY_OUTPUT: About("some outputs are empty", Does.KEEP, _PAYS),
    Hazard.IMAGE: About("the statement needs an image, which the model does not see", Does.KEEP, _REFUSES),
    Hazard.LINES_FOR_CALL: About("arguments of the function are texts that look like values", Does.KEEP, _LEAVES),
    Hazard.CUT_STATEMENT: About("the statement ends in the middle of a sentence", Does.KEEP, _REFUSES),
}

_INTERACTIVE = re.compile(
    r"(?<!\bnot an )(?<!\bnon-)\binteractive\*{0,2}\s+(?:problem|task)\b|"
    r"\b(?:problem|task)\s+is\s+\*{0,2}interactive\b|\bfflush\s*\(\s*stdout|\brun-twice\b|"
    r"\bcommunicates?\s+with\s+(?:the|a)\s+(?:judge|jury|grader|checker)\b|"
    r"\bflush\b[^.\n]{0,100}\bafter\s+(?:each|every|printing)\b|\bafter\s+(?:each|every|printing)\b[^.\n]{0,80}\bflush\b|"
    r"\byou\s+(?:can|may|could|are\s+allowed\s+to)\s+(?:only\s+)?(?:ask|make)\s+(?:at\s+most|no\s+more\s+than|up\s+to)\b"
    r"[^.\n]{0,30}\b(?:queries|questions)\b|"
    r"\bto\s+(?:ask|make)\s+(?:a|an|each|one|such)\s+(?:query|question|request)\b[^.\n]{0,20}\b(?:print|output|write)\b|"
    r"\bthe\s+interactor\b|\bquery\s+the\s+(?:grader|judge)\b|\bof\s+the\s+form\s+[`\"'“$]{1,3}\?\s|"
    r"\bprint(?:ing|s)?\s+[`\"'“$]{1,3}\?\s|交互(?:式)?题(?!不)",
    re.IGNORECASE,
)
_FILES = re.compile(
    r"(?<!not )(?<!no )\b(?:input|output)\.txt\b|"
    r"\bfiles?(?:\s{1,9}|\s{0,9}[:：]\s{0,9})(?:named\s+|called\s+)?[`\"'*]{0,3}[\w-]{1,30}\.(?:in|out|inp|ans|dat)\b|"
    r"\b(?:input|output)\s{0,9}[:：]\s{0,9}[\w-]{1,30}\.(?:in|out|inp|ans|dat)\b|"
    r"\b(?:from|to)\s+[`\"']{1,3}[\w-]{1,30}\.(?:txt|in|out|inp|ans|dat)\b|(?:输入|输出|从|到)文件[^。\n]{0,10}\b[\w-]{1,30}\.(?:in|out)|"
    r"\b(?:input|output|answer|result)s?\s+(?:is|are|goes|go|must\s+be|should\s+be)\s+(?:\w{1,20}\s+)?(?:in|into|to|from)\s+"
    r"[`\"'*]{0,3}[\w-]{1,30}\.(?:txt|in|out|inp|ans|dat)\b|从\s?[`\"'“*]{0,3}[\w-]{1,30}\.(?:txt|in|inp|dat)[^。\n]{0,5}[中里]?读|"
    r"\b(?:input|output)\s+filename\s{0,9}[:：]|\b(?:given|stored)\s+in\s+[`\"']{1,3}[\w-]{1,30}\.(?:txt|in|inp|dat)\b",
    re.IGNORECASE,
)
_STANDARD = re.compile(r"\bstandard\s+(?:input|output)\b|\bstdin\b|\bstdout\b|标准输[入出]", re.IGNORECASE)
_ASKS_FUNCTION = re.compile(
    r"\bclass\s+`?Solution\b|\b(?:complete|implement|write|define)\s+(?:the|a|an|your|this)?\s*(?:given\s+|following\s+)?"
    r"(?:python\s+)?(?:function|method)\b|\b(?:complete|implement|write|create|design)\s+(?:the|a|an|your|this)?\s*"
    r"(?:given\s+|following\s+|python\s+)?(?:`?(?-i:[A-Z])\w{1,40}`?\s+)?class\b|"
    r"\bdesign\s+(?:and\s+implement\s+)?a\s+(?:\w{1,20}\s+){0,2}data\s+structure\b|"
    r"(?:完成|实现|编写|设计)(?:一个|以下|下面的)?(?:函数|方法|类(?![似型别]))",
    re.IGNORECASE,
)
_INPUT_PART = re.compile(
    r"\binput\b\s*(?:format|specification|data)?\s*[:\-*#\n]|\bfirst\s+line\b|输入格式", re.IGNORECASE
)
_READS_INPUT = re.compile(
    r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0|\braw_input\s*\(|\bcin\b|\bscanf\b|\bgetline\b|\bgetchar\b|\bgets\b|\bfread\b|"
    r"\bScanner\b|\bBufferedReader\b|\bSystem\.in\b|\breadline\b|\bfileinput\b|\bos\.read\b|\binput\.txt\b"
)
_IMAGE = re.compile(
    r"!\[[^\]\n]{0,200}\]\(|<(?:img|figure|svg)\b|<image>|\[(?:image|picture|figure|图片?)\s?\d{0,2}\]|\\(?:includegraphics|epsfbox)\b|"
    r"\\begin\{figure|\bdata:image/|\bhttps?://[^\s()<>\"]{1,200}\.(?:png|jpe?g|gif|svg)\b|\bsee\s+illustration\b|"
    r"\b(?:shown|see|depicted|refer)\s+(?:in|to)?\s*(?:fig\.|figure)\s?\d|\brefer\s+to\s+the\s+(?:picture|image|figure)\b|"
    r"\b(?:shown|seen|see|illustrated|depicted)\s+(?:in|on|by)?\s*(?:the|this)\s+(?:\w{1,20}\s+)?(?:picture|image|figure|diagram)\b|"
    r"\b(?:as|in)\s+(?:in\s+)?(?:the|this)\s+(?:(?:following|above|below)\s+)?(?:picture|figure|diagram)\b|\((?:figure|fig\.)\s?\d|"
    r"\b(?:picture|image|figure|diagram)\s+(?:below|above|shows|illustrates)\b|如[下上左右]?图|[下上]图|"
    r"(?:参见|参考|参照|详见|见)(?:附|示意|配|插)?图(?!书)|示意图",
    re.IGNORECASE,
)
_VALUE = re.compile(r'"(?:-?\d+(?:\.\d+)?(?:(?: |\\u0020)-?\d+(?:\.\d+)?)*+|\[.*\]|\{.*\}|true|false|null)"')
_DEFINES = re.compile(r"^\s*(?:def|class)\s+\w", re.MULTILINE)
#: Words on the order of parts: of what is asked for, unless the statement counts.
_PARTS = re.compile(
    r"\border\s+of\s+(?:the\s+)?(?:elements|items|numbers|pairs|values|words|edges)\b[^.\n]{0,40}"
    r"(?:\bnot\s+(?:matter|important)|n't\s+matter|\birrelevant)",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\bnumber\s+of\b|\bhow\s+many\b|\bcount\b|\b(?:minimum|maximum|whether)\b", re.IGNORECASE)
#: A reference shorter than this may stand in a statement by chance.
_LEAST_SOLUTION = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What is looked at: the problem, the tests that are left of it, and the row's reference programs."""

    item: Item
    shown: Sequence[Sample]
    hidden: Sequence[Sample]
    #: Whether answers are decimal numbers, and nothing states a tolerance.
    decimal: bool

    @property
    def tests(self) -> list[Sample]:
        return [*self.shown, *self.hidden]


def find(looked: Looked) -> Iterator[Hazard]:
    """The hazards of a problem, without those that only a run of its references shows."""
    for hazard in Hazard:
        if _has(hazard, looked):
            yield hazard


def _has(hazard: Hazard, looked: Looked) -> bool:
    item, statement, tests = looked.item, looked.item.statement, looked.tests
    match hazard:
        case Hazard.SEVERAL_ANSWERS:
            return item.checker is None and SEVERAL.search(statement) is not None
        case Hazard.ANY_ORDER | Hazard.UNORDERED_RESULT:
            return (item.function is None) is (hazard is Hazard.ANY_ORDER) and _accepts_any_order(looked)
        case Hazard.TWO_ANSWERS:
            return item.checker is None and _contradict(looked.hidden, looked.hidden)
        case Hazard.SAMPLE_CONTRADICTS:
            return item.checker is None and _contradict(looked.shown, tests)
        case Hazard.INTERACTIVE:
            return _INTERACTIVE.search(statement) is not None
        case Hazard.FILES:
            return _asks_for_files(item)
        case Hazard.NO_FUNCTION_NAMED:
            return item.function is None and _asks_for_function(item, tests)
        case Hazard.SOLUTION_IN_PROMPT:
            return _shows_solution(item)
        case Hazard.NO_OUTPUT_AT_ALL:
            return item.checker is None and bool(tests) and not any(one.output.strip() for one in tests)
        case Hazard.NUL:
            return "\0" in statement
        case Hazard.REFUSED_REFERENCE | Hazard.SLOW_REFERENCE | Hazard.NOT_JUDGED:
            return False
        case Hazard.DECIMAL:
            return looked.decimal
        case Hazard.MISSING_TESTS:
            return bool(item.missing) or _lost_tests(looked)
        case Hazard.ONLY_SAMPLES:
            return not looked.hidden
        case Hazard.SINGLE_TEST:
            return len(looked.hidden) == 1
        case Hazard.CONSTANT_ANSWER:
            return item.checker is None and len(tests) > 1 and len({_tokens(one.output) for one in tests}) == 1
        case Hazard.EMPTY_OUTPUT:
            return item.checker is None and len({not one.output.strip() for one in tests}) == 2
        case Hazard.IMAGE:
            return item.pictures > 0 or _IMAGE.search(statement) is not None
        case Hazard.LINES_FOR_CALL:
            return item.function is not None and not item.function.python_values and _look_like_values(tests)
        case Hazard.CUT_STATEMENT:
            return not ends_in_a_sentence(statement)
        case _:
            assert_never(hazard)


def _lost_tests(looked: Looked) -> bool:
    """Whether tests of the row are not judged, or are cut off."""
    tests = looked.item.tests
    return len(looked.hidden) < len(tests) or any(is_cut(one.input) or is_cut(one.output) for one in tests)


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _accepts_any_order(looked: Looked) -> bool:
    """Where every answer is one value, its order is none."""
    statement = looked.item.statement
    free = ORDER.search(statement) or (_PARTS.search(statement) and not _COUNTS.search(statement))
    if looked.item.checker is not None or not free:
        return False
    if looked.item.function is None:
        return any(len(one.output.split()) > 1 for one in looked.tests)
    return any(" , " in one.output for one in looked.tests)


def _contradict(some: Sequence[Sample], others: Sequence[Sample]) -> bool:
    """Whether a test of `some` has the input of one of `others`, and another answer. What stands behind a statement's
    last sample is often read as the end of it: an answer may begin as the other one."""
    answers = {one.input.strip(): _tokens(one.output) for one in some}
    return any(
        not all(map(_are_alike, answers[one.input.strip()], _tokens(one.output)))
        or len(answers[one.input.strip()]) < len(_tokens(one.output))
        for one in others
        if one.input.strip() in answers
    )


def _are_alike(one: str, other: str) -> bool:
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-6)
    except ValueError:
        return False


def _asks_for_files(item: Item) -> bool:
    if item.function is not None or item.input_file or item.output_file or _STANDARD.search(item.statement):
        return False
    return _FILES.search(item.statement) is not None


def _asks_for_function(item: Item, tests: Sequence[Sample]) -> bool:
    """Where there are reference programs they decide: one that reads nothing, for tests with input, is to be called."""
    if not any(one.input.strip() for one in tests):
        return False
    if item.solutions:
        return all(_DEFINES.search(one) and not _READS_INPUT.search(one) for _, one in item.solutions)
    return _ASKS_FUNCTION.search(item.statement) is not None and _INPUT_PART.search(item.statement) is None


def _shows_solution(item: Item) -> bool:
    whole = squeeze(item.statement)
    return any(len(text) >= _LEAST_SOLUTION and text in whole for text in (squeeze(one) for _, one in item.solutions))


def _look_like_values(tests: Sequence[Sample]) -> bool:
    lines = [line for one in tests for text in (one.input, one.output) for line in text.splitlines()]
    return bool(lines) and all(_VALUE.fullmatch(line) for line in lines)
