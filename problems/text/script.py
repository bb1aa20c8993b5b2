"""Luogu's scoring scripts: a small language that computes the points of a subtask, or of a problem.

    if (@status4 == AC) and (@status3 == AC or @status5 == AC); then
        @total_score = 30; @final_status = AC; @final_time = @time4; @final_memory = @memory4;
    else
        @total_score = 0; @final_status = UNAC; @final_time = 0; @final_memory = 0;
    fi

Values are integers of 64 bits, and divide as in C. A comparison gives a truth value: `and`, `or`, `xor` and `not` are
logical on truth values, and work on the bits of numbers. All is as tight as in C, `not` as its `!`.

There are no loops, so a script takes no more steps than it has words. It is compiled to a flat list of instructions for
a machine with a stack: neither reading nor running it recurses by how long an expression is.

The language is described at help.luogu.com.cn (manual/luogu/problem/scoring-script). Where that is silent: letters of
constants and variables matter, a variable must be set before it is read, and what has no ASCII digits is no number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

#: Luogu's numbers of verdicts, which constants stand for. All others have no constant.
AC, WA, TLE, MLE, UNAC, OLE, RE = 12, 6, 5, 4, 14, 3, 7
CONSTANTS = MappingProxyType({"AC": AC, "WA": WA, "TLE": TLE, "MLE": MLE, "UNAC": UNAC})
#: What a script must set.
RESULTS = ("total_score", "final_status", "final_time", "final_memory")

_GIVEN = ("status", "score", "time", "memory")

#: Limits of a script: its characters, its words, and how deep parentheses and conditions may stand in each other.
MOST_CHARACTERS, MOST_WORDS, MOST_DEPTH = 1 << 16, 1 << 14, 32
_MOST = 1 << 63
_BLANKS = " \t\r\n\f\v"

_WORD = re.compile(r"\s*+(?:(@[A-Za-z0-9_]++)|([A-Za-z_][A-Za-z0-9_]*+)|(\d++)|([=!<>]=|[-+*/%<>=();]))", re.ASCII)
_STATUS = re.compile(r"final_status|status\d++", re.ASCII)
#: From the loosest to the tightest.
_LEVELS = (("or",), ("xor",), ("and",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
#: If this stands left of the word, the result is known, and what is right of it is left out.
_DECIDED = {"or": True, "and": False}

Value = int  # or bool: what a comparison gave


class ScriptError(ValueError):
    """What is wrong with a script, and where: `line` and `column` begin at 1."""

    def __init__(self, what: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {what}")
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a script learns of a test, or of a subtask."""

    status: int = AC
    points: int
    time_ms: int = 0
    memory_kib: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction. `value`: a number, a name, a word, or where to go on."""

    kind: str
    value: int | str
    at: int


@dataclass(frozen=True, slots=True)
class Script:
    text: str
    steps: tuple[_Step, ...]

    def of(self, parts: Mapping[int, Part]) -> Part:
        """What becomes of the parts with these numbers. The points may be any number. Raises as `run`."""
        given: dict[str, int] = {}
        for number, part in parts.items():
            values = (part.status, part.points, part.time_ms, part.memory_kib)
            given |= {f"{name}{number}": value for name, value in zip(_GIVEN, values, strict=True)}
        points, status, time_ms, memory_kib = self.run(given).values()
        return Part(status=status, points=points, time_ms=time_ms, memory_kib=memory_kib)

    def run(self, given: Mapping[str, int]) -> dict[str, int]:
        """The `RESULTS`, from variables such as `status3` and `score3`.

        Raises:
            ScriptError: it divides by zero, reads what nothing set, leaves 64 bits, or lacks a result.
        """
        variables: dict[str, Value] = dict(given)
        stack: list[Value] = []
        place = 0
        while place < len(self.steps):
            step = self.steps[place]
            place += 1
            match step.kind:
                case "push":
                    stack.append(int(step.value))
                case "load":
                    if step.value not in variables:
                        raise self.error(f"@{step.value} is read, but nothing set it", step.at)
                    stack.append(variables[str(step.value)])
                case "store":
                    variables[str(step.value)] = self._store(str(step.value), stack.pop(), step.at)
                case "unless":
                    place = place if stack.pop() else int(step.value)
                case "skip":
                    place = int(step.value)
                case "known or" | "known and":
                    known = stack[-1] is _DECIDED[step.kind.removeprefix("known ")]
                    place = int(step.value) if known else place
                case "unary":
                    stack.append(self._whole(_UNARY[str(step.value)](stack.pop()), step.at))
                case _:
                    right, left = stack.pop(), stack.pop()
                    stack.append(self._calculate(str(step.value), left, right, step.at))
        for name in RESULTS:
            if name not in variables:
                raise self.error(f"@{name} is not set", len(self.text))
        return {name: int(variables[name]) for name in RESULTS}

    def _store(self, name: str, value: Value, at: int) -> Value:
        known = (AC, UNAC) if name == "final_status" else (*CONSTANTS.values(), OLE, RE)
        if _STATUS.fullmatch(name) and value not in known:
            raise self.error(f"@{name} cannot be {int(value)}: set one of the constants", at)
        return value

    def _calculate(self, word: str, left: Value, right: Value, at: int) -> Value:
        if word in ("/", "%"):
            if not right:
                raise self.error("division by zero", at)
            whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return self._whole(whole if word == "/" else left - right * whole, at)
        return self._whole(_BINARY[word](left, right), at)

    def _whole(self, value: Value, at: int) -> Value:
        if not -_MOST <= value < _MOST:
            raise self.error("the number needs more than 64 bits", at)
        return value

    def error(self, what: str, at: int) -> ScriptError:
        return _error(self.text, what, at)


_UNARY: Mapping[str, Callable[[Value], Value]] = {
    "-": lambda value: -value,
    "+": lambda value: +value,
    "not": lambda value: not value if isinstance(value, bool) else ~value,
}
_BINARY: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
}


def _error(text: str, what: str, at: int) -> ScriptError:
    return ScriptError(what, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)


@lru_cache(maxsize=16)
def parse(text: str) -> Script:
    """The script.

    Raises:
        ScriptError: it is none, or is too large.
    """
    parser = _Parser(text, _words(text))
    parser.block(())
    return Script(text, tuple(parser.steps))


def _words(text: str) -> list[tuple[str, int]]:
    """Each word and where it begins; the last one is empty."""
    if len(text) > MOST_CHARACTERS:
        raise _error(text, f"the script has more than {MOST_CHARACTERS} characters", MOST_CHARACTERS)
    found, place = list[tuple[str, int]](), 0
    end = len(text.rstrip(_BLANKS))
    while place < end:
        match = _WORD.match(text, place)
        if match is None:
            place = end - len(text[place:end].lstrip(_BLANKS))
            raise _error(text, f"{text[place]!r} cannot stand here", place)
        if len(found) == MOST_WORDS:
            raise _error(text, f"the script has more than {MOST_WORDS} words", place)
        found.append((match[0].lstrip(_BLANKS), match.start(match.lastindex or 0)))
        place = match.end()
    return [*found, ("", len(text))]


@dataclass(slots=True)
class _Parser:
    text: str
    words: list[tuple[str, int]]
    steps: list[_Step] = field(default_factory=list)
    next: int = 0
    depth: int = 0

    def block(self, ends: tuple[str, ...]) -> None:
        """Statements up to one of the words `ends`, or to the end of the text."""
        while (word := self._word()) and word not in ends:
            if word == ";":
                self.next += 1
            elif word == "if":
                self._if()
            elif word.startswith("@"):
                at = self._take()
                self._expect("=")
                self._expression(0)
                self._expect(";")
                self._step("store", word[1:], at)
            else:
                raise self._wrong("a statement begins with a variable, or with if")
        if ends and not self._word():
            raise self._wrong(f"{' or '.join(ends)} is missing")

    def _if(self) -> None:
        at = self._take()
        self._deeper()
        self._expression(0)
        self._expect(";")
        self._expect("then")
        unless = self._step("unless", 0, at)
        self.block(("else", "fi"))
        if self._word() == "else":
            self.next += 1
            skip = self._step("skip", 0, at)
            self._goes_on(unless)
            self.block(("fi",))
            unless = skip
        self._goes_on(unless)
        self._expect("fi")
        self.depth -= 1

    def _expression(self, level: int) -> None:
        if level == len(_LEVELS):
            self._unary()
            return
        self._expression(level + 1)
        while (word := self._word()) in _LEVELS[level]:
            at = self._take()
            known = self._step(f"known {word}", 0, at) if word in _DECIDED else None
            self._expression(level + 1)
            self._step("binary", word, at)
            if known is not None:
                self._goes_on(known)

    def _unary(self) -> None:
        signs = []
        while (word := self._word()) in _UNARY:
            signs.append((word, self._take()))
        at = self.words[self.next][1]
        if word == "(":
            self._take()
            self._deeper()
            self._expression(0)
            self._expect(")")
            self.depth -= 1
        elif word.isdigit():
            self._take()
            if len(word) > len(str(_MOST)) or int(word) >= _MOST:
                raise _error(self.text, "the number needs more than 64 bits", at)
            self._step("push", int(word), at)
        elif word.startswith("@"):
            self._take()
            self._step("load", word[1:], at)
        elif word in CONSTANTS:
            self._take()
            self._step("push", CONSTANTS[word], at)
        else:
            raise self._wrong(f"a number, a variable or one of {', '.join(CONSTANTS)} is missing")
        for sign, where in reversed(signs):
            self._step("unary", sign, where)

    def _word(self) -> str:
        return self.words[self.next][0]

    def _take(self) -> int:
        """Go to the next word. Returns where the one before stands."""
        self.next += 1
        return self.words[self.next - 1][1]

    def _expect(self, word: str) -> None:
        if self._word() != word:
            raise self._wrong(f"{word!r} is missing")
        self.next += 1

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self._wrong(f"more than {MOST_DEPTH} parentheses and conditions stand in each other")

    def _step(self, kind: str, value: int | str, at: int) -> int:
        self.steps.append(_Step(kind, value, at))
        return len(self.steps) - 1

    def _goes_on(self, step: int) -> None:
        """The step at this index jumps to what comes next."""
        old = self.steps[step]
        self.steps[step] = _Step(old.kind, len(self.steps), old.at)

    def _wrong(self, what: str) -> ScriptError:
        word, at = self.words[self.next]
        before = f" before {word[:40]!r}" if word else " at the end"
        return _error(self.text, what + before, at)
