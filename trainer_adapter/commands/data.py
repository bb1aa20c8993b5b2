"""`judge-train data`: shows what a data set gives to train on."""

from __future__ import annotations

import itertools
import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.common.models import Cjk
from judge.common.text import harmless
from trainer_adapter.data.build import CountTokens, examples
from trainer_adapter.data.candidate import Example
from trainer_adapter.data.config import DataConfig, References
from trainer_adapter.data.loading import token_counter
from trainer_adapter.data.report import Report
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.training import config as recipes

if TYPE_CHECKING:
    from trainer_adapter.data.needed import CheckersNeeded
    from trainer_adapter.data.strength import DataStrength


#: `inspect` runs the references of `_MOST_REFERENCES` problems, unless it is told otherwise.
_MOST_REFERENCES = 200


@click.group("data")
def command() -> None:
    """Data to train on."""


@command.command("inspect")
@click.argument("source", default="library")
@click.option("--schema", metavar="NAME", help="Schema of the rows (default: by their columns).")
@click.option("--subset", metavar="NAME", help="Configuration of a data set on the hub.")
@click.option("--split", metavar="NAME", help="Split to read.  [default: train]")
@click.option("--most-rows", type=click.IntRange(min=1), metavar="N", help="Read no more rows.")
@click.option("--cjk", type=click.Choice([choice.value for choice in Cjk]), help="What to do with prose in tests.")
@click.option("--several-answers", is_flag=True, default=None, help="Keep problems that would need a checker.")
@click.option("--language", metavar="NAME", help="Language that the prompt asks for; tests that call need Python.")
@click.option(
    "--references",
    type=click.Choice([choice.value for choice in References]),
    help="Run the rows' reference programs: name the problems whose tests refuse them, or drop these.  [default: name]",
)
@click.option(
    "--most-references",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Run those of the first N problems only.  [default: {_MOST_REFERENCES}; all for drop]",
)
@click.option("--testlib", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="testlib.h for checkers.")
@click.option(
    "--tokenizer",
    metavar="MODEL",
    help="Count prompt tokens with the tokenizer of this model (default: the recipe's, where its prompts are limited).",
)
@click.option("--most-prompt-tokens", type=click.IntRange(min=1), metavar="N", help="Drop longer prompts.")
@click.option("--show", type=click.IntRange(min=0), default=0, metavar="N", help="Print the first N prompts, too.")
@click.option(
    "--strength",
    "sampled",
    type=click.IntRange(min=1),
    metavar="N",
    help="Sample N problems, and measure how many of them accept a program that is wrong.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample of --strength.")
@click.option("--checkers", is_flag=True, help="List the problems that need a checker, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def inspect_(
    source: str,
    tokenizer: str | None,
    show: int,
    sampled: int | None,
    seed: int,
    checkers: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Show what a data set gives to train on: how much is kept, what is dropped, and why. Nothing is written.

    Hazards are named with an example: what may be wrong with a problem, what is done with it (`data.hazards` in a
    recipe says otherwise), and what `judge-train filter` can do about it later.

    SOURCE is a file (.jsonl, .jsonl.gz, .json, .parquet, .md), a directory of such files, OWNER/NAME on the hub, or
    "library" for the bundled problems. Of a recipe (its name, or a .yaml) the section `data` is taken.

    Exit codes: 0 something is left to train on, 1 nothing is, 2 error.

    \b
    Examples:
      judge-train data inspect luogu.jsonl
      judge-train data inspect ./TACO --split test --show 1
      judge-train data inspect my-run.yaml
      judge-train data inspect ./TACO --strength 50
      judge-train data inspect ./TACO --checkers
      judge-train data inspect leetcode.jsonl --language python3 --references drop
    """
    config, model = _config(source, {name: value for name, value in options.items() if value is not None})
    report = Report(source=config.source)
    found = examples(config.model_copy(update={"store": None}), report, _counter(tokenizer or model))
    shown = list(itertools.islice(found, show))
    deque(found, maxlen=0)
    measured = None if sampled is None else _strength(config, sampled, seed)
    needed = _list_needed(config) if checkers else None
    if as_json:
        facts = report.as_dict() | ({} if measured is None else {"strength": measured.as_dict()})
        facts |= {} if needed is None else {"checkers": needed.as_dict()}
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        lines = [*report.lines(), *(line for part in (measured, needed) if part is not None for line in part.lines())]
        click.echo(harmless("\n".join([*lines, *(_prompt(example) for example in shown)])))
    return 0 if report.train + report.held_out else 1


def _strength(config: DataConfig, sampled: int, seed: int) -> DataStrength:
    from judge import Judge  # noqa: PLC0415 - the plain report runs nothing
    from trainer_adapter.data.strength import strength  # noqa: PLC0415

    def tell(done: int, all_: int) -> None:
        click.echo(f"strength: {done}/{all_} problems", err=True)

    with Judge() as judge:
        return strength(config, sampled, seed, judge, tell)


def _list_needed(config: DataConfig) -> CheckersNeeded:
    from judge import Judge  # noqa: PLC0415 - the plain report runs nothing
    from trainer_adapter.data.needed import list_needed  # noqa: PLC0415

    def tell(compared: int, seen: int) -> None:
        if compared and compared % 20 == 0:
            click.echo(f"checkers: references of {compared} problems compared, {seen} seen", err=True)

    with Judge() as judge:
        return list_needed(config, judge, tell)


def _config(source: str, options: dict[str, Any]) -> tuple[DataConfig, str | None]:
    """The configuration of the data, and the model whose tokenizer it needs."""
    if not source.endswith((".yaml", ".yml")) and source not in recipes.recipes():
        return _with_references(DataConfig.model_validate({"source": source} | options), options), None
    recipe = recipes.load(Path(source), kind="grpo")
    config = DataConfig.model_validate(recipe.data.model_dump(by_alias=True) | options)
    return _with_references(config, options), None if config.most_prompt_tokens is None else recipe.model.path


def _with_references(config: DataConfig, options: dict[str, Any]) -> DataConfig:
    """With references named, if nothing else is said."""
    if "references" not in options and config.references is References.IGNORE:
        config = config.model_copy(update={"references": References.NAME})
    if config.references is References.NAME and config.most_references is None:
        config = config.model_copy(update={"most_references": _MOST_REFERENCES})
    return config


def _counter(model: str | None) -> CountTokens | None:
    if model is None:
        return None
    try:
        from transformers import AutoTokenizer  # noqa: PLC0415 - slow to import
    except ImportError as error:
        raise DataError(
            f"counting tokens needs the extra `train` ({error}); in the checkout of judge, pip install '.[train]'"
        ) from error
    return token_counter(AutoTokenizer.from_pretrained(model))


def _prompt(example: Example) -> str:
    turns = (f"[{message['role']}]\n{message['content']}" for message in example.prompt)
    return "\n".join([f"\n=== {example.problem_id} {'(held out)' if example.held_out else ''}", *turns])
