"""Reads a file of judged rollouts twice: once to know each row in short, once more for the texts of those chosen."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from judge.common.errors import ConfigError
from judge.common.models import Verdict
from trainer_adapter.rollouts import row
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection.files import open_again, show_name

#: A run that used more CPU time than `CLEARLY_OVER` times its limit would be over the limit on any day.
CLEARLY_OVER = 1.25
_CPU_TIME = re.compile(r"CPU time (\d{1,9}(?:\.\d{1,9})?) s over the limit of (\d{1,9}(?:\.\d{1,9})?) s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is remembered of a row."""

    #: "": it has none, and nothing is made of it.
    id: str
    #: Where its line begins in the file.
    offset: int
    language: str | None
    verdict: Verdict | None
    score: float | None
    step: int | None
    difficulty: str
    truncated: bool
    #: Hash of the prompt; None: it has none.
    prompt: int | None
    characters: int
    tokens: int | None
    #: On another day it might have got another verdict, for its time is near the limit.
    near_limit: bool

    @property
    def judged(self) -> bool:
        return self.verdict is not None and self.verdict is not Verdict.IE

    @property
    def accepted(self) -> bool:
        return self.verdict is Verdict.AC

    def unusable(self) -> str | None:
        """Why nothing can be trained on it; None: something can."""
        if not self.judged:
            return "not judged"
        if self.truncated:
            return "truncated"
        lacks = {"id": not self.id, "completion": not self.characters, "prompt": self.prompt is None}
        return next((f"has no {name}" for name, missing in lacks.items() if missing), None)


class Source:
    """A file of judged rollouts."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self._name = stream, name

    def by_problem(self) -> dict[str, list[Entry]]:
        """All rows, by problem and id. The order of the lines makes no difference.

        Raises:
            ConfigError: a line is no judged rollout, or an id stands twice; it says which.
        """
        found: defaultdict[str, list[Entry]] = defaultdict(list)
        numbers: dict[str, int] = {}
        for number, offset, rollout in self._rollouts():
            if rollout.id and (first := numbers.setdefault(rollout.id, number)) != number:
                raise ConfigError(
                    f"{self._name}:{number}: id {rollout.id!r} is on line {first} already; make ids unique"
                )
            found[sys.intern(rollout.problem)].append(in_short(rollout, offset))
        for entries in found.values():
            entries.sort(key=lambda entry: entry.id)
        return dict(sorted(found.items()))

    def _rollouts(self) -> Iterator[tuple[int, int, Rollout]]:
        self._stream.seek(0)
        number = offset = end = 0

        def lines() -> Iterator[bytes]:
            nonlocal number, offset, end
            for line in self._stream:
                number, offset, end = number + 1, end, end + len(line)
                yield line

        for rollout in row.parse(lines(), self._name):  # reads no line ahead
            yield number, offset, rollout

    def rollout(self, entry: Entry) -> Rollout:
        """The whole row.

        Raises:
            ConfigError: the file has changed meanwhile.
        """
        self._stream.seek(entry.offset)
        found = next(row.parse((self._stream.readline(),), f"{self._name}, at byte {entry.offset}"), None)
        if found is None or (found.id or "") != entry.id:
            raise ConfigError(f"{self._name} has changed while it was read; wait until it is complete")
        return found


@contextmanager
def rollouts(path: Path) -> Iterator[Source]:
    with open_again(path) as stream:
        yield Source(stream, show_name(path))


def in_short(rollout: Rollout, offset: int) -> Entry:
    """What is remembered of a row that begins there."""
    prompt = None
    if rollout.prompt:
        text = json.dumps(rollout.prompt, sort_keys=True).encode()
        prompt = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())
    return Entry(
        id=rollout.id or "",
        offset=offset,
        language=None if rollout.language is None else sys.intern(rollout.language),
        verdict=rollout.verdict,
        score=rollout.score,
        step=rollout.step,
        difficulty=sys.intern(rollout.difficulty),
        truncated=rollout.truncated,
        prompt=prompt,
        characters=len(rollout.completion),
        tokens=rollout.tokens,
        near_limit=_near_limit(rollout),
    )


def _near_limit(rollout: Rollout) -> bool:
    """Without its tests, a time-out may be near the limit, and what was accepted is not taken to be."""
    tests = (rollout.judgement or {}).get("tests") or ()
    if rollout.verdict is Verdict.TLE:
        return not any(map(_clearly_over, tests))
    return rollout.verdict is Verdict.AC and any(test.get("confirmed") is not None for test in tests)


def _clearly_over(test: Mapping[str, Any]) -> bool:
    """Whether a test timed out, and not for a little."""
    if test.get("verdict") != Verdict.TLE:
        return False
    match = _CPU_TIME.match(test.get("detail") or "")
    if match is None:  # wall time: if it ran alone, too, with three times the limit
        return test.get("confirmed") is not None
    return float(match[1]) > CLEARLY_OVER * float(match[2])
