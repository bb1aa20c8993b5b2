"""Proposes a checker: the strictest of a family that takes what right programs wrote."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from pprint import pformat
from typing import Any

from judge.checkers.compare import difference
from judge.checkers.numbers import parse
from judge.common.errors import CheckerError
from problems.model import Checker, Comparison, Convention, Mode, OutputTrial, Program
from problems.text.freedom import Freedom
from problems.writing import dump, free_answers

#: Tolerances that are tried where the statement has none. Numbers that differ more are other answers.
_TOLERANCES = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
#: A tolerance that was measured is made so much larger: other right programs may round worse.
_MARGIN = 10
_LINES = {"kind": "order", "sets": False, "head": 0, "lines": True, "tokens": False}
#: Which parts of an output may stand in any order, the strictest first.
_ORDERS: Mapping[str, Mapping[str, Any]] = {
    "tokens of a line in any order": {**_LINES, "lines": False, "tokens": True},
    "the first line, then lines in any order": {**_LINES, "head": 1},
    "lines in any order": _LINES,
    "the first line, then lines and their tokens in any order": {**_LINES, "head": 1, "tokens": True},
    "lines and their tokens in any order": {**_LINES, "tokens": True},
    "a set of lines": {**_LINES, "sets": True},
    "a set of lines that are sets of tokens": {**_LINES, "sets": True, "tokens": True},
}
#: Properties of which a certificate must have one: anything may have the others.
_TELLING = frozenset(
    {
        "the answer's words",
        "the answer's letters",
        "the answer's sum",
        "the answer's sum of picked entries",
        "a path of the input's edges",
        "edges of the input",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """An input, its answer, and what right programs wrote."""

    input: bytes
    answer: bytes
    outputs: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A checker. Its `rule` is a comparison, or what `problems.writing.free_answers` takes."""

    name: str
    rule: Comparison | Mapping[str, Any]

    @property
    def is_strict(self) -> bool:
        """Whether each input has one right output, up to case and a tolerance."""
        return isinstance(self.rule, Comparison) and self.rule.mode in {Mode.TOKENS, Mode.TOKENS_CI, Mode.FLOAT}

    @property
    def is_order(self) -> bool:
        """Whether right outputs differ in their order alone."""
        return not self.is_strict and (isinstance(self.rule, Comparison) or self.rule["kind"] == "order")

    def accepts(self, given: bytes, output: bytes, answer: bytes) -> bool:
        if isinstance(self.rule, Comparison):
            try:
                return difference(output, answer, self.rule) is None
            except CheckerError:  # the answer does not fit the comparison
                return False
        return free_answers.accepts(self.rule, given, output, answer)

    def as_dict(self) -> dict[str, Any]:
        """The rule, for JSON: what differs from a comparison of tokens."""
        return dump.comparison(self.rule) if isinstance(self.rule, Comparison) else dict(self.rule)

    def write(self, directory: Path) -> Checker:
        """The checker as a problem states it. A program is written into `directory`."""
        if isinstance(self.rule, Comparison):
            return self.rule
        path = directory / "check.py"
        path.write_text(make_source(self.rule))
        return Program(convention=Convention.ICPC, sources=(path,))


def make_source(rule: Mapping[str, Any]) -> str:
    """The text of a program that checks by this rule."""
    stated = f"RULE: Mapping[str, Any] = {pformat(dict(rule), sort_dicts=False)}\n"
    return inspect.getsource(free_answers).replace("RULE: Mapping[str, Any] = {}\n", stated)


def fit(
    rights: Sequence[Right], freedom: Freedom, stated: Comparison, trials: Sequence[OutputTrial] = ()
) -> Proposal | None:
    """The strictest checker that takes every right output, and the package's own `trials`; None: there is none."""
    known = [_Known(trial.input.read_bytes(), trial.output.read_bytes(), trial.answer.read_bytes()) for trial in trials]
    for proposal in _propose(rights, freedom, stated):
        if all(proposal.accepts(one.input, output, one.answer) for one in rights for output in one.outputs) and all(
            proposal.accepts(one.input, one.output, one.answer) is trial.accepted
            for one, trial in zip(known, trials, strict=True)
        ):
            return proposal
    return None


@dataclass(frozen=True, slots=True)
class _Known:
    input: bytes
    output: bytes
    answer: bytes


def _propose(rights: Sequence[Right], freedom: Freedom, stated: Comparison) -> Iterator[Proposal]:
    """The family, the strictest first. `stated`: case that does not count in the package counts in none of them."""
    folds = stated.mode is Mode.TOKENS_CI or not stated.case_sensitive
    floats = Comparison(mode=Mode.FLOAT, case_sensitive=not folds)
    absolute, relative = freedom.absolute_tolerance, freedom.relative_tolerance
    if (absolute, relative) != (None, None):
        rule = replace(floats, absolute_tolerance=absolute, relative_tolerance=relative)
        yield Proposal(name=f"numbers within the statement's {absolute or relative:g}", rule=rule)
    if not folds:
        yield Proposal(name="tokens", rule=Comparison())
    yield Proposal(name="tokens in either case", rule=Comparison(mode=Mode.TOKENS_CI, case_sensitive=False))
    if any(map(_has_decimals, rights)):
        for step in _TOLERANCES:
            rule = replace(floats, absolute_tolerance=step, relative_tolerance=step)
            if all(
                Proposal(name="", rule=rule).accepts(b"", output, one.answer)
                for one in rights
                for output in one.outputs
            ):
                wide = float(f"{step * _MARGIN:.0e}")
                yield Proposal(
                    name=f"numbers within {wide:g}, {_MARGIN} times what right programs differ by",
                    rule=replace(rule, absolute_tolerance=wide, relative_tolerance=wide),
                )
                break
    for name, order in _ORDERS.items():
        yield Proposal(name=name, rule={**order, "fold": folds})
    yield Proposal(name="tokens in any order", rule=Comparison(mode=Mode.UNORDERED_TOKENS, case_sensitive=not folds))
    for head, name in ((1, "the first token, then a certificate"), (0, "a certificate")):
        if not _TELLING.isdisjoint(properties := _find_properties(rights, head)):
            certified = {"kind": "certificate", "head": head, "fold": folds, "properties": properties}
            yield Proposal(name=f"{name}: {', '.join(properties)}", rule=certified)


def _has_decimals(one: Right) -> bool:
    words = (word for output in one.outputs for word in output.split())
    return any((b"." in word or b"e" in word.lower()) and parse(word) is not None for word in words)


def _find_properties(rights: Sequence[Right], head: int) -> tuple[str, ...]:
    """What is true of every certificate that was seen, and not only because there is none."""
    left = dict(free_answers.PROPERTIES)
    if not any(len(one.answer.split()) > head for one in rights):
        return ()
    for one in rights:
        expected = one.answer.split()
        for output in {*one.outputs, one.answer}:
            words = output.split()
            if words[head:]:
                certificate = free_answers.Certificate(one.input, words[head:], expected[head:], expected[:head])
                left = {name: holds for name, holds in left.items() if holds(certificate)}
    return tuple(left)
