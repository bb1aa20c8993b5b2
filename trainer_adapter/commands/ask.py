"""`judge-train ask`: what a model answers, and, where rows have answers that are numbers, how often it is right."""

# ruff: noqa: PLC0415 - what is slow to import, and what reads the environment when it is imported

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from judge.common import config as machine
from judge.common.ending import standard_input
from judge.common.errors import ConfigError
from judge.common.rates import wilson
from judge.common.text import harmless
from trainer_adapter.commands import making
from trainer_adapter.rewards import gsm8k
from trainer_adapter.rollouts.making.requests import How, SampledText, SampleRequest, Task, make_requests
from trainer_adapter.training.environment import settle

if TYPE_CHECKING:
    from trainer_adapter.training.config import Config

_MOST_TOKENS = 1024
#: What `gsm8k.correctness` gives a right answer.
_RIGHT = 2.0


@click.command("ask")
@click.argument("questions", nargs=-1)
@click.option("--rows", is_flag=True, help="Ask the questions of the data set (--held-out: those held out), and score.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.jsonl", help="Keep the answers."
)
@making.options
def command(questions: tuple[str, ...], rows: bool, output: Path | None, **given: Any) -> int:
    """Ask a model QUESTIONS (without any, the lines of stdin), and print what it answers.

    The system prompt is that of the configuration's data. Of an answer that holds a number the number is shown, read as
    the rewards for GSM8K read it. With --rows the questions are those of a data set whose rows have answers (GSM8K);
    the share of right ones is printed, with its 95 % interval. Greedy, unless --temperature says otherwise.

    \b
    Examples:
      judge-train ask --config gsm8k_qwen2.5_0.5b --adapter runs/gsm8k-0.5b "What is 17 times 3?"
      judge-train ask --config gsm8k_qwen2.5_0.5b --adapter runs/gsm8k-0.5b --rows --held-out -o answers.jsonl
      judge-train ask --endpoint http://127.0.0.1:8000/v1 --model Qwen3-32B < questions.txt

    Exit codes: 0 done, 1 some questions got no answer, 2 error.
    """
    want = making.take_options(given)
    if rows and questions:
        raise ConfigError("--rows asks the data set's questions: leave out your own")
    config = making.configuration(want, (output or Path("ask")).absolute())
    if want.config_file is not None:
        settle(config)  # before Hugging Face's libraries are imported
    words = None if want.endpoint is not None else making.tokenizer(config)
    asked, right = _rows(config, want, words) if rows else (list(_questions(config, questions, want.most)), {})
    if not asked:
        raise ConfigError("no question: give some as arguments, on stdin, or name --rows")
    sampler = making.sampler(want, config, _how(want, config), words)
    good = lost = 0
    with output.open("x", encoding="utf-8") if output is not None else nullcontext() as file:
        for request, sampled in sampler.sample(make_requests(asked, want.samples)):
            lost += sampled.failure is not None
            answer = gsm8k.find_answer(sampled.text)
            correct = None
            if rows and sampled.failure is None:
                correct = gsm8k.correctness([sampled.text], [right[request.task.problem]])[0] == _RIGHT
            good += correct is True
            _keep(file, request, sampled, answer, correct)
            if not rows:
                _show(request, sampled, answer)
    if rows:
        _score(good, len(asked) * want.samples - lost)
    if lost:
        click.echo(f"{lost} questions got no answer", err=True)
    return 1 if lost else 0


def _how(want: making.Wanted, config: Config) -> How:
    return How(
        temperature=want.temperature or 0.0,
        top_p=want.top_p,
        max_tokens=want.max_tokens or config.grpo.get("max_completion_length") or _MOST_TOKENS,
        seed=want.seed,
    )


def _score(good: int, total: int) -> None:
    low, high = wilson(good, total)
    click.echo(f"{good} of {total} right: {100 * good / max(1, total):.1f} % ({100 * low:.1f} to {100 * high:.1f})")


def _questions(config: Config, questions: tuple[str, ...], most: int | None) -> Iterator[Task]:
    given = questions or tuple(line.decode().rstrip("\n") for line in standard_input() if line.strip())
    system = config.data.system_prompt
    for number, question in enumerate(given[:most], 1):
        prompt = [{"role": "system", "content": system}] if system else []
        yield Task(problem=str(number), prompt=[*prompt, {"role": "user", "content": question}])


def _rows(config: Config, want: making.Wanted, words: Any) -> tuple[list[Task], dict[str, str]]:
    """The data set's questions, and their right answers, by number."""
    from trainer_adapter.data.loading import load

    place = config.run.directory / "cache" if want.config_file is not None else machine.cache_directory()
    loaded = load(config.data, place / "data", words)
    found: list[Task] = []
    right: dict[str, str] = {}
    for part in (None if want.held_out else loaded.train, loaded.held_out):
        for row in part if part is not None else ():
            if "answer" not in row:
                raise ConfigError("these rows have no answers; `judge-train eval` judges programs")
            if want.most is not None and len(found) == want.most:
                return found, right
            name = str(len(found) + 1)
            found.append(Task(problem=name, prompt=[dict(message) for message in row["prompt"]]))
            right[name] = row["answer"]
    return found, right


def _keep(
    file: IO[str] | None, request: SampleRequest, sampled: SampledText, answer: str | None, correct: bool | None
) -> None:
    if file is not None:
        row = {"id": request.id, "question": _question(request), "completion": sampled.text, "answer": answer}
        file.write(json.dumps(row | {"correct": correct, "failure": sampled.failure}) + "\n")
        file.flush()


def _show(request: SampleRequest, sampled: SampledText, answer: str | None) -> None:
    click.echo(click.style(f"> {harmless(_question(request))}", bold=True))
    click.echo(harmless(sampled.text if sampled.failure is None else f"no answer: {sampled.failure}"))
    if answer is not None and gsm8k.number(answer) is not None:
        click.echo(f"answer: {harmless(answer.strip())}")
    click.echo()


def _question(request: SampleRequest) -> str:
    return str(request.task.prompt[-1]["content"])
