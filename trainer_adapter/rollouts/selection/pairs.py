"""Pairs for preference training (DPO): an accepted rollout, and a near miss for the same prompt.

The order of near misses:
  1. programs that ran before those that do not compile
  2. by score: the more tests passed, the nearer
  3. of one score by verdict: PC, PE, WA, TLE, MLE, OLE, RE
  4. by id

A model that is trained on pairs also learns what else they differ in, above all length. So the lengths of a pair are
within a ratio, and of the accepted rollouts within it the one is taken that brings the sums of both lengths together.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from judge.common.models import Verdict
from trainer_adapter.rollouts.selection import normal_form
from trainer_adapter.rollouts.selection.held_out import NOTHING, HeldOut
from trainer_adapter.rollouts.selection.prompts import Prompts
from trainer_adapter.rollouts.selection.source import Entry, Source
from trainer_adapter.rollouts.selection.summary import Summary

_NEAREST = (Verdict.PC, Verdict.PE, Verdict.WA, Verdict.TLE, Verdict.MLE, Verdict.OLE, Verdict.RE, Verdict.CE)
#: Mean lengths of chosen and rejected that differ by more than this share deserve a warning.
_BIAS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    #: Pairs of a problem.
    most: int = 4
    #: How many times as long as the other the longer completion of a pair may be.
    length_ratio: float = 1.5
    held_out: HeldOut = NOTHING


@dataclass(slots=True)
class _Group:
    """Rollouts for one prompt in one language."""

    accepted: list[Entry] = field(default_factory=list)
    failed: list[Entry] = field(default_factory=list)


class Pairing:
    """The pairs of one file."""

    def __init__(self, source: Source, by_problem: Mapping[str, list[Entry]], plan: Plan, summary: Summary) -> None:
        self._source, self._by_problem, self._plan, self._summary = source, by_problem, plan, summary
        self._in_tokens = all(entry.tokens is not None for entries in by_problem.values() for entry in entries)
        self._pairs = self._chosen_length = self._rejected_length = 0

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Rows `prompt`, `chosen`, `rejected`, `problem`, `chosen_id`, `rejected_id`, by problem, nearest miss first.
        The summary is complete after the last one.

        Raises:
            ConfigError: some prompts are text and others are messages.
        """
        prompts = Prompts()
        for problem, entries in self._by_problem.items():
            for good, bad in self._of_problem(problem, entries):
                accepted, failed = self._source.rollout(good), self._source.rollout(bad)
                yield {
                    "prompt": accepted.prompt,
                    "chosen": prompts.beside(accepted, accepted.completion),
                    "rejected": prompts.beside(accepted, failed.completion),
                    "problem": problem,
                    "chosen_id": accepted.id,
                    "rejected_id": failed.id,
                }
        self._say_lengths()

    def _of_problem(self, problem: str, entries: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
        groups: defaultdict[tuple[int, str], _Group] = defaultdict(_Group)
        for entry in entries:
            why = "its problem is held out" if problem in self._plan.held_out else _complaint(entry)
            if why is not None:
                self._summary.dropped.add(why, entry.id)
                continue
            group = groups[entry.prompt or 0, entry.language or ""]
            (group.accepted if entry.accepted else group.failed).append(entry)
        left = self._plan.most
        for _, group in sorted(groups.items(), key=lambda item: item[0]):
            for pair in self._of_group(group, left):
                left -= 1
                yield pair

    def _of_group(self, group: _Group, most: int) -> Iterator[tuple[Entry, Entry]]:
        accepted = sorted(group.accepted, key=lambda entry: (self._length(entry), entry.id))
        lengths = [self._length(entry) for entry in accepted]
        uses, seen, ratio = Counter[str](), set[bytes](), self._plan.length_ratio
        for bad in sorted(group.failed, key=_distance):
            length = self._length(bad)
            near = accepted[bisect.bisect_left(lengths, length / ratio) : bisect.bisect_right(lengths, length * ratio)]
            if uses.total() == most:
                self._drop(f"its problem has {self._plan.most} pairs already", bad)
            elif not accepted:
                self._drop("nothing for its prompt was accepted", bad)
            elif not near:
                self._drop("nothing of about its length was accepted", bad)
            elif (form := self._form(bad)) in seen:
                self._drop("the program of another rollout, but for names, comments and white space", bad)
            else:
                seen.add(form)
                good = self._best(near, length, uses)
                if self._form(good) == form:
                    self._drop("an equal program was accepted", bad)
                    continue
                uses[good.id] += 1
                self._count(self._length(good), length)
                yield good, bad
        for good in accepted:
            if not uses[good.id]:
                self._drop("accepted, and in no pair", good)

    def _best(self, near: list[Entry], length: int, uses: Mapping[str, int]) -> Entry:
        """Of those used least, the one that brings the sums of the lengths nearest together."""
        ahead = self._chosen_length - self._rejected_length - length
        return min(near, key=lambda entry: (uses[entry.id], abs(ahead + self._length(entry)), entry.id))

    def _drop(self, why: str, entry: Entry) -> None:
        self._summary.dropped.add(why, entry.id)

    def _form(self, entry: Entry) -> bytes:
        rollout = self._source.rollout(entry)
        return normal_form.digest(
            normal_form.tokens(rollout.completion, rollout.language, rollout.prompt, rollout.template_end)
        )

    def _length(self, entry: Entry) -> int:
        return entry.tokens if self._in_tokens and entry.tokens is not None else entry.characters

    def _count(self, chosen: int, rejected: int) -> None:
        self._pairs += 1
        self._chosen_length += chosen
        self._rejected_length += rejected

    def _say_lengths(self) -> None:
        if not self._pairs:
            return
        chosen, rejected = self._chosen_length / self._pairs, self._rejected_length / self._pairs
        unit = "tokens" if self._in_tokens else "characters"
        self._summary.figures |= {"length_unit": unit, "mean_length_chosen": chosen, "mean_length_rejected": rejected}
        if abs(chosen - rejected) > _BIAS * min(chosen, rejected):
            longer = "longer" if chosen > rejected else "shorter"
            self._summary.notes.append(
                f"the chosen are {longer} than the rejected by more than {_BIAS:.0%}, which training would learn: "
                "lower --length-ratio"
            )


def _complaint(entry: Entry) -> str | None:
    """Why a rollout belongs in no pair; None: it may."""
    if (why := entry.unusable()) is not None:
        return why
    if entry.near_limit:
        return "accepted near the time limit" if entry.accepted else "timed out, perhaps only just"
    return None if entry.accepted or entry.verdict in _NEAREST else f"verdict {entry.verdict}"


def _distance(entry: Entry) -> tuple[bool, float, int, str]:
    verdict = entry.verdict or Verdict.CE
    return verdict is Verdict.CE, -(entry.score or 0.0), _NEAREST.index(verdict), entry.id
