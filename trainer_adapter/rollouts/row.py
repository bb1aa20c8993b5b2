"""One judged rollout: a line of the JSON Lines files that the commands of `judge-train` write and read.

A line is an input of `judge batch`, too, which ignores the fields that it does not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from judge.common.errors import ConfigError
from judge.common.models import Verdict


class Rollout(BaseModel):
    """One completion for one problem, and what the judge said of it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    #: `PROBLEM#SAMPLE`: unique in a file.
    id: str | None = None
    #: "": `judge batch` could not read the line.
    problem: str = ""
    #: Number of the completion among those for its problem, from 0.
    sample: int = 0
    #: Of the training, in which it was sampled.
    step: int | None = None
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    #: Text, or messages of a chat.
    prompt: str | list[dict[str, Any]] | None = None
    #: "" where only what became of it is kept, as in the results of `judge batch`.
    completion: str = ""
    #: A program instead of a completion, as `judge batch` takes it.
    source: str | None = None
    #: What the chat template wrote between prompt and completion, where it opens the thinking.
    template_end: str = ""
    language: str | None = None
    #: It ended at the limit of its length.
    truncated: bool = False
    #: Length of the completion in tokens of its model.
    tokens: int | None = None
    #: None, or IE: not judged, for a cause that is not the program's. Counted nowhere as wrong.
    verdict: Verdict | None = None
    #: 0 to 1: the share of its tests, or its points.
    score: float | None = None
    #: Why there is no verdict.
    error: str | None = None
    #: The whole judgement, as `judge batch` writes it, where it was asked for.
    judgement: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_batch(cls, row: Any) -> Any:
        """A result of `judge batch` is the judgement itself."""
        if isinstance(row, dict) and "judgement" not in row and isinstance(row.get("tests"), list):
            return row | {"judgement": row}
        return row

    @property
    def judged(self) -> bool:
        return self.verdict is not None and self.verdict is not Verdict.IE

    @property
    def accepted(self) -> bool:
        return self.verdict is Verdict.AC

    def line(self) -> str:
        """As a line of a file, with its newline. What is empty or unknown is left out."""
        return json.dumps(self.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) + "\n"


def read(path: Path) -> Iterator[Rollout]:
    """The rollouts of a file, one by one.

    Raises:
        ConfigError: a line is none, or the file cannot be read; it says which line.
    """
    try:
        with path.open("rb") as lines:
            yield from parse(lines, str(path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def parse(lines: Iterable[bytes], name: str) -> Iterator[Rollout]:
    """`read`, from open lines."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Rollout.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ConfigError(
                f"{name}:{number}: no judged rollout: {where + ': ' if where else ''}{first['msg']}"
            ) from error
