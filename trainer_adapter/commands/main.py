"""The command line: `judge-train COMMAND …`. Exit codes and messages are those of `judge`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from judge.cli import Commands, invoke
from judge.common.ending import run_command

#: Line that `judge-train --help` shows.
COMMANDS = {
    "grpo": "Train a model on the judge's verdicts, as a configuration says.",
    "sft": "Train a model on prompts with answers, or on accepted rollouts.",
    "dpo": "Train a model on pairs of a better and a worse answer.",
    "merge": "Make a whole model of a base and an adapter, and check it.",
    "doctor": "Say what would go wrong in a run before it is begun.",
    "demo": "Show learning on this machine's CPU.",
    "rollout": "Sample completions of a model, and judge them.",
    "eval": "Evaluate a model or judged rollouts: pass@k, by difficulty, two runs compared.",
    "ask": "Print what a model answers; with --rows, how often its numbers are right.",
    "report": "Draw the page of a run: curves, symptoms, examples of each verdict.",
    "data": "Show what a data set gives to train on, what is dropped, and why.",
    "filter": "Keep the problems that are neither too easy nor too hard.",
    "rft": "Choose accepted rollouts to imitate.",
    "pairs": "Pair accepted rollouts with near misses.",
    "audit": "Find out how often a wrong program was paid, and a right one refused.",
    "decontaminate": "Find training data that stands in a benchmark.",
}
#: The module whose attribute `command` it is.
MODULES = {name: f"trainer_adapter.commands.{name}" for name in COMMANDS}
_SELECTION = ("filter", "rft", "pairs", "decontaminate")


@click.group(
    "judge-train",
    cls=Commands,
    modules=MODULES,
    lines=COMMANDS,
    pages=dict.fromkeys(COMMANDS, "docs/training.md")
    | dict.fromkeys(_SELECTION, "docs/selection.md")
    | dict.fromkeys(("rollout", "eval", "ask"), "docs/evaluation.md")
    | {"audit": "docs/audit.md"}
    | dict.fromkeys(("sft", "dpo", "merge"), "docs/sft-dpo.md"),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Exit codes: 0 success, 1 done but not passed, 2 error, 130 interrupted, 143 asked to end. JUDGE_DEBUG=1 "
    "shows the traceback of an error. Documentation: docs/training.md",
)
def cli() -> None:
    """Train a model on what the judge says of its programs.

    \b
    Examples:
      judge-train data inspect problems.jsonl
      judge-train doctor luogu_qwen2.5_coder_3b_tinylora
      judge-train grpo luogu_qwen2.5_coder_3b_tinylora
      judge-train demo
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    return invoke(cli, arguments, extra="train")


def process() -> int:
    """`main` for a process of its own, which Ctrl-C and SIGTERM end."""
    return run_command("judge-train", main)
