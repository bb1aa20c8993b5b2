"""The page of a run, drawn from its directory: what its trainer logged, and examples of each verdict.

checkpoints/checkpoint-N/trainer_state.json      the log
evaluation/step-N.jsonl                          completions for held-out problems (section `evaluation`)
checkpoints/completions/completions_N.parquet    completions that were trained on (`grpo.log_completions`)
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pyarrow
from pyarrow import parquet
from transformers import TrainerState

from judge import ConfigError, Verdict
from judge.common.text import harmless
from judge.languages.extraction import answer
from trainer_adapter.health.page import render
from trainer_adapter.health.symptoms import symptoms
from trainer_adapter.rewards.grading import NO_CODE
from trainer_adapter.rollouts.report import Examples
from trainer_adapter.rollouts.row import Rollout, read
from trainer_adapter.training import record
from trainer_adapter.training.checkpoints import latest

_VERDICTS = frozenset(Verdict)


def page(directory: Path, *, hidden: bool = False) -> str:
    """All that the run shows. With `hidden` it shows hidden tests, too.

    Raises:
        ConfigError: there is no checkpoint in `directory/checkpoints`.
    """
    checkpoint = latest(directory / "checkpoints")
    if checkpoint is None:
        raise ConfigError(f"{directory}: no whole checkpoint in {directory / 'checkpoints'}: the log of a run is there")
    state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
    settings = ((record.read(directory) or {}).get("config") or {}).get("grpo") or {}
    found = symptoms(state.log_history, beta=float(settings.get("beta") or 0.0))
    title = f"{directory.resolve().name}: {state.global_step} steps"
    return render(state.log_history, found, title, examples(directory, hidden=hidden))


def examples(directory: Path, *, hidden: bool = False) -> str:
    """Completions of the last step that kept any: for held-out problems, and of the training. A part of a page."""
    held_out = sorted((directory / "evaluation").glob("step-*.jsonl"))[-1:]
    trained = sorted((directory / "checkpoints" / "completions").glob("completions_*.parquet"))[-1:]
    return "".join(
        [
            *(_show_rollouts("Examples from held-out problems", read(path), hidden=hidden) for path in held_out),
            *(_show_rollouts("Examples from training", _completions(path), hidden=hidden) for path in trained),
        ]
    )


def _show_rollouts(title: str, rollouts: Iterator[Rollout], *, hidden: bool) -> str:
    """What cannot be read costs the page nothing but these examples."""
    examples = Examples()
    try:
        for _ in examples.watch(rollouts):
            pass
    except ConfigError as error:
        return f'<p class="found">{escape(harmless(str(error)))}</p>'
    return examples.render(title, hidden=hidden)


def _completions(path: Path) -> Iterator[Rollout]:
    """As TRL keeps them: with the columns that the reward functions gave, and none that names the problem."""
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise ConfigError(f"{path}: {error}") from error
    for place, row in enumerate(rows if rows and "verdict" in rows[0] else ()):
        label, failing = str(row.get("verdict") or ""), str(row.get("failing_test") or "")
        told = [
            "" if label in _VERDICTS else label,
            f"first failing test {failing}" if failing else "",
            str(row.get("detail") or ""),
        ]
        yield Rollout(
            id=f"step {row['step']}, completion {place}",
            problem=str(row["prompt"]),
            # As in other files of rollouts: what holds no program does not compile.
            verdict=Verdict.CE if label == NO_CODE else Verdict(label) if label in _VERDICTS else None,
            completion=answer(row["completion"], str(row["prompt"])) or "",
            error=": ".join(filter(None, told)),
        )
