"""What `judge-train rollout` and `judge-train eval` share: the options that say what is sampled, and the run itself."""

# ruff: noqa: PLC0415 - what is slow to import, and what reads the environment when it is imported

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from judge.cli.progress import Progress, open_progress
from judge.common import config as machine
from judge.common.errors import ConfigError
from trainer_adapter.commands.options import overrides
from trainer_adapter.rollouts.making.requests import How
from trainer_adapter.training.config import Config, load
from trainer_adapter.training.environment import settle

if TYPE_CHECKING:
    from trainer_adapter.rollouts.making.output import RolloutFile
    from trainer_adapter.rollouts.making.pipeline import Timing
    from trainer_adapter.rollouts.making.requests import Sampler
    from trainer_adapter.rollouts.making.tasks import Tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the options say."""

    config_file: Path | None
    overrides: tuple[str, ...]
    data: str | None
    only: tuple[str, ...]
    held_out: bool
    most: int | None
    language: str | None
    model: str | None
    adapter: Path | None
    endpoint: str | None
    samples: int
    temperature: float | None
    top_p: float
    max_tokens: int | None
    seed: int
    batch_size: int
    processes: int | None
    workers: int
    judgements: bool


_OPTIONS = (
    click.option(
        "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), metavar="CONFIG",
        help="A run's configuration, or a recipe: its model, data and judging are taken.",
    ),
    overrides,
    click.option("--data", metavar="SOURCE", help="Data set, as `judge-train data` takes it [default: library]"),
    click.option("--only", multiple=True, metavar="PROBLEM", help="Only this problem; may be given several times."),
    click.option("--held-out", is_flag=True, help="Only problems that data.held_out of the configuration holds out."),
    click.option("--problems", "most", type=click.IntRange(1), metavar="N", help="At most the first N problems."),
    click.option("--language", metavar="NAME", help="Language to ask for [default: the configuration's, or cpp17]"),
    click.option("--model", metavar="MODEL", help="A directory, a name on the hub, or the endpoint's name of a model."),
    click.option(
        "--adapter", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
        help="Adapter on the model: its directory, or that of a run that is done.",
    ),
    click.option("--endpoint", metavar="URL", help="Ask this OpenAI-compatible endpoint; the key is OPENAI_API_KEY."),
    click.option("-n", "--samples", type=click.IntRange(1), default=1, show_default=True, help="Samples a problem."),
    click.option("--temperature", type=click.FloatRange(0), help="0: greedy [default: the configuration's, or 1]"),
    click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=1.0, show_default=True),
    click.option("--max-tokens", type=click.IntRange(1), help="[default: the configuration's, or 1024]"),
    click.option("--seed", type=int, default=0, show_default=True, help="Other seeds give other samples."),
    click.option("--batch-size", type=click.IntRange(1), default=16, show_default=True, help="Of the local model."),
    click.option(
        "--processes", type=click.IntRange(1),
        help="That sample, each with the local model on a GPU of its own [default: one for each GPU]",
    ),
    click.option("--workers", type=click.IntRange(1), default=16, show_default=True, help="Requests at once."),
    click.option("--judgements/--no-judgements", default=True, help="Keep whole judgements in the rows (default)."),
)  # fmt: skip


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options; `take_options` collects them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_options(given: dict[str, Any]) -> Wanted:
    """Takes them out of what click gives.

    Raises:
        ConfigError: they contradict each other, or a model is missing.
    """
    found = Wanted(**{field.name: given.pop(field.name) for field in fields(Wanted)})
    if found.config_file is None and found.model is None:
        raise ConfigError("which model? give --model, with --endpoint if another process runs it, or --config")
    if found.endpoint is not None and found.adapter is not None:
        raise ConfigError("--adapter is for a model in this process; an endpoint knows its adapters by --model")
    if found.config_file is None and (found.overrides or found.held_out):
        raise ConfigError("--set and --held-out need --config")
    return found


def make(want: Wanted, output: Path) -> tuple[Timing, RolloutFile]:
    """Make the rollouts that `output` lacks.

    Raises:
        ConfigError, DataError, ProblemError: something cannot be used, or `output` was made with other settings.
        Unavailable: this machine grants no sandbox.
    """
    config = configuration(want, output)
    how = How(
        temperature=_first(want.temperature, config.grpo.get("temperature"), 1.0),
        top_p=want.top_p,
        max_tokens=_first(want.max_tokens, config.grpo.get("max_completion_length"), 1024),
        seed=want.seed,
    )
    if want.config_file is not None:
        settle(config)  # before Hugging Face's libraries are imported
    from trainer_adapter.rollouts.making.output import RolloutFile
    from trainer_adapter.rollouts.making.tasks import tasks

    words = None if want.endpoint is not None else tokenizer(config)
    data = config.data if words is not None else config.data.model_copy(update={"most_prompt_tokens": None})
    place = config.run.directory / "cache" if want.config_file is not None else machine.cache_directory()
    found = tasks(data, place / "data", words, held_out=want.held_out, most=want.most)
    with RolloutFile(output, _settings(want, config, how, found)) as file:
        if len(found) * want.samples == file.before:
            return _nothing(), file
        with _told_how_to_go_on(file, len(found) * want.samples) as progress:
            return _make_rollouts(want, config, found, file, progress, words, sampler(want, config, how, words)), file


def _make_rollouts(
    want: Wanted, config: Config, found: Tasks, file: RolloutFile, progress: Progress, words: Any, samples: Sampler
) -> Timing:
    from judge import Stop
    from trainer_adapter.rewards.shared_judge import shared_judge
    from trainer_adapter.rollouts.making.pipeline import RolloutJudging, roll_out
    from trainer_adapter.rollouts.making.requests import make_requests
    from trainer_adapter.rollouts.row import Rollout
    from trainer_adapter.training.named_rewards import judging

    judge = shared_judge(judging(config.reward, config.data, Stop.NEVER, words))
    judge.require_sandbox()

    def write(rollout: Rollout) -> None:
        file.write(rollout)
        progress.count(rollout.verdict or "lost", failed=not rollout.judged)

    left = (request for request in make_requests(found, want.samples) if request not in file)
    how = RolloutJudging(language=config.data.language, judgements=want.judgements)
    return roll_out(left, samples, judge, write, how)


def sampler(want: Wanted, config: Config, how: How, words: Any) -> Sampler:
    """What samples: the model in this process with its tokenizer `words`, in several processes, or the endpoint."""
    if want.endpoint is not None:
        from trainer_adapter.rollouts.making.endpoint import EndpointSampler

        return EndpointSampler(endpoint=want.endpoint, model=config.model.path, how=how, workers=want.workers)
    if (processes := want.processes or max(1, _gpus())) > 1:
        from trainer_adapter.rollouts.making.several import SeveralSamplers

        return SeveralSamplers(partial(_local_sampler, want, config, how), processes, want.batch_size)
    return _local_sampler(want, config, how, 0, words)


def _local_sampler(want: Wanted, config: Config, how: How, number: int, words: Any = None) -> Sampler:
    """In this process, which is of this number among those that sample."""
    from trainer_adapter.rollouts.making.local import LocalSampler
    from trainer_adapter.rollouts.making.passes import look_before_each_pass
    from trainer_adapter.training import model

    gpus = _gpus()
    if gpus and words is None:
        os.environ["LOCAL_RANK"] = str(number % gpus)  # packed weights are made there
    adapter = None if want.adapter is None else model.adapter_in(want.adapter, "--adapter")
    loaded = model.base(config) if adapter is None else model.load_to_sample(config, adapter)
    look_before_each_pass(loaded)
    loaded = loaded.to(f"cuda:{number % gpus}") if gpus else loaded
    return LocalSampler(loaded, words or tokenizer(config), how, want.batch_size)


def configuration(want: Wanted, output: Path) -> Config:
    """The file's configuration with the options in it, or one of the options alone, whose files lie beside `output`."""
    if want.config_file is None:
        dtype = "bfloat16" if want.endpoint is None and _gpus() else "float32"
        values: dict[str, Any] = {
            "model": {"path": want.model, "dtype": dtype},
            "data": {"source": want.data or "library", "language": want.language or "cpp17", "only": want.only},
            "run": {"directory": output.parent},
        }
        return Config.model_validate(values)
    found = cast(Config, load(want.config_file, want.overrides, kind="grpo"))
    data = {"source": want.data, "language": want.language, "only": want.only or None}
    data = {name: value for name, value in data.items() if value is not None}
    model = {} if want.model is None else {"path": want.model}
    return found.model_copy(
        update={"data": found.data.model_copy(update=data), "model": found.model.model_copy(update=model)}
    )


def tokenizer(config: Config) -> Any:
    """The model's tokenizer."""
    from trainer_adapter.training import model

    return model.tokenizer(config)


def _gpus() -> int:
    import torch

    found: int = torch.cuda.device_count()
    return found


def _settings(want: Wanted, config: Config, how: How, found: Tasks) -> dict[str, Any]:
    """What decides the rows. Not what decides only how fast they come."""
    return {
        "model": {"endpoint": want.endpoint} | config.model.model_dump(mode="json"),
        "adapter": None if want.adapter is None else str(want.adapter.absolute()),
        "sampling": {"samples": want.samples} | {field.name: getattr(how, field.name) for field in fields(How)},
        "data": config.data.model_dump(mode="json", by_alias=True) | {"held out only": want.held_out},
        "problems": {"count": len(found), "hash": found.digest()},
        "judgements": want.judgements,
    }


@contextmanager
def _told_how_to_go_on(file: RolloutFile, total: int) -> Iterator[Progress]:
    from trainer_adapter.rewards import shared_judge

    with open_progress(total, file.before) as progress:
        try:
            yield progress
        except KeyboardInterrupt:
            said = f"judge-train: {progress.done} of {total} rows are in {file.path}; the same command goes on"
            click.echo(said, err=True)
            raise
        finally:
            shared_judge.close()


def _nothing() -> Timing:
    from trainer_adapter.rollouts.making.pipeline import Timing

    return Timing()


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)
