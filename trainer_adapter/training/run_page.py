"""The page of a run, drawn from its directory: what its trainer logged, and examples of each verdict.

checkpoints/checkpoint-N/trainer_state.json      the log
evaluation/step-N.jsonl                          completions for held-out problems (section `evaluation`)
checkpoints/completions/completions_N.parquet    completions that were trained on (`grpo.log_completions`)
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from transformers import TrainerState

from judge import ConfigError
from judge.common.text import harmless
from trainer_adapter.health.page import render
from trainer_adapter.health.symptoms import symptoms
from trainer_adapter.rollouts.completions import find_files, read_completions
from trainer_adapter.rollouts.report import Examples
from trainer_adapter.rollouts.row import Rollout, read
from trainer_adapter.training import record
from trainer_adapter.training.checkpoints import latest


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
    trained = find_files(directory)[-1:]
    return "".join(
        [
            *(_show_rollouts("Examples from held-out problems", read(path), hidden=hidden) for path in held_out),
            *(_show_rollouts("Examples from training", read_completions(path), hidden=hidden) for path in trained),
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
