"""Reads completions that were trained on, with what the reward functions say of them, as TRL keeps them with
`grpo.log_completions`: checkpoints/completions/completions_N.parquet of a run's directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from judge.common.errors import ConfigError
from judge.common.models import Verdict
from judge.languages.extraction import answer
from trainer_adapter.rewards.grading import NO_CODE
from trainer_adapter.rollouts.row import Rollout

_VERDICTS = frozenset(Verdict)


def find_files(run: Path) -> list[Path]:
    """The oldest first."""
    return sorted((run / "checkpoints" / "completions").glob("completions_*.parquet"))


def read_completions(path: Path) -> Iterator[Rollout]:
    """Nothing, if no reward function says a verdict.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise ConfigError(f"{path}: {error}") from error
    for place, row in enumerate(rows if rows and "verdict" in rows[0] else ()):
        yield _rollout(row, place)


def _rollout(row: Mapping[str, Any], place: int) -> Rollout:
    label, failing = str(row.get("verdict") or ""), str(row.get("failing_test") or "")
    told = [
        "" if label in _VERDICTS else label,
        f"first failing test {failing}" if failing else "",
        str(row.get("detail") or ""),
    ]
    return Rollout(
        id=f"step {row['step']}, completion {place}",
        problem=str(row.get("problem") or ""),
        prompt=str(row["prompt"]),
        step=row["step"],
        # As in other files of rollouts: what holds no program does not compile.
        verdict=Verdict.CE if label == NO_CODE else Verdict(label) if label in _VERDICTS else None,
        completion=answer(row["completion"], str(row["prompt"])) or "",
        error=": ".join(filter(None, told)),
    )
