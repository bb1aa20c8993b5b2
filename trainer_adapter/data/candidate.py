"""What is made of a row: an example to train on, and what is known of its problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trainer_adapter.data.hazards import Hazard
from trainer_adapter.data.tests_column import Inline

Message = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One row to train on."""

    problem_id: str
    prompt: list[Message]
    #: `Inline.pack` of the tests; None: `problem_id` is a problem that the judge knows.
    tests: str | None
    difficulty: str
    answer: str | None
    #: See `trainer_adapter.data.places`.
    place: int
    held_out: bool = False
    kept: Mapping[str, Any] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """The row of a data set for TRL. All rows of a data set have the same columns: `answer`, or the others."""
        if self.answer is not None:
            return {"prompt": self.prompt, "answer": self.answer, **self.kept}
        row: dict[str, Any] = {"prompt": self.prompt, "problem_id": self.problem_id}
        if self.tests is not None:
            row["tests"] = self.tests
        return row | {"difficulty": self.difficulty, **self.kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An example that is kept or dropped by its hazards."""

    example: Example
    #: The problem's name in the data set.
    name: str
    hazards: Sequence[Hazard]
    #: The tests; None: the judge knows the problem, or it asks for no program.
    inline: Inline | None
    #: The first of the row's reference programs, each with its language.
    solutions: tuple[tuple[str, str], ...]
