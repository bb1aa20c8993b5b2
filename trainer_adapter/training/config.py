"""Reads the configuration of a training run from one YAML file: model, adapter, data, how to train, output.

    model:    path: Qwen/Qwen2.5-Coder-3B-Instruct, quantization: nf4
    adapter:  kind: tinylora, r: 2, u: 16
    data:     source: problems.jsonl, most_prompt_tokens: 1024      (`trainer_adapter.data.DataConfig`)
    reward:   functions: [accepted]
    grpo:     any argument of trl.GRPOConfig, by its name there
    run:      directory: /data/runs/first

With a section `sft` or `dpo` instead of `grpo` it is of that kind: there are no rewards then, and the data are examples
(`trainer_adapter.examples.ExamplesConfig`).

An unknown key is refused, and the nearest known key suggested: a setting that is silently ignored costs a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from judge.common.config import CHOSEN_LANGUAGES
from judge.common.errors import ConfigError
from problems.errors import nearest
from trainer_adapter.data.config import DataConfig
from trainer_adapter.examples.config import ExamplesConfig

#: The linear layers of a Qwen2 or Llama block. Never lm_head: TRL reads its weight without any adapter.
BLOCK_MODULES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


def refuse_unknown(given: Iterable[object], known: Iterable[str], section: str = "") -> None:
    """Raises ValueError for the first unknown key, with the nearest known one."""
    known = list(known)
    for key in given:
        if key not in known:
            near = nearest(str(key), known, cutoff=0.5)
            offer = f"did you mean {near[0]}?" if near else f"there is {', '.join(known[:20])}"
            raise ValueError(f"no setting {section}{key}: {offer}")


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, values: object) -> object:
        if isinstance(values, Mapping):
            refuse_unknown(values, cls.model_fields)
        return values


class Quantization(StrEnum):
    NONE = "none"
    NF4 = "nf4"
    INT8 = "int8"


class Model(Section):
    #: A directory, or a name on the Hugging Face hub.
    path: str
    revision: str | None = None
    quantization: Quantization = Quantization.NONE
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    attention: Literal["sdpa", "eager", "flash_attention_2"] = "sdpa"
    #: Whether the vLLM in this process quantises the model, too (bitsandbytes, NF4); false: it has it in `dtype`.
    vllm_quantized: bool = True


class TinyLora(Section):
    kind: Literal["tinylora"] = "tinylora"
    r: Annotated[int, Field(ge=1)] = 2
    #: How many numbers are trained: in the whole model if `weight_tying` is 1.
    u: Annotated[int, Field(ge=1)] = 16
    weight_tying: Annotated[float, Field(ge=0, le=1)] = 1.0
    target_modules: tuple[str, ...] = BLOCK_MODULES
    #: Seed of the random directions that the numbers scale.
    seed: int = 42
    #: Begin with this adapter, of another run (its directory, or the adapter's), instead of a new one.
    start: Path | None = None


class Lora(Section):
    kind: Literal["lora"] = "lora"
    r: Annotated[int, Field(ge=1)] = 16
    alpha: Annotated[int, Field(ge=1)] = 32
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    target_modules: tuple[str, ...] = BLOCK_MODULES
    #: As of TinyLora.
    start: Path | None = None


class Full(Section):
    """All weights are trained."""

    kind: Literal["none"] = "none"


def _kind(adapter: object) -> str:
    return str(adapter.get("kind", "tinylora") if isinstance(adapter, Mapping) else getattr(adapter, "kind", adapter))


Adapter = Annotated[
    Annotated[TinyLora, Tag("tinylora")] | Annotated[Lora, Tag("lora")] | Annotated[Full, Tag("none")],
    Discriminator(_kind),
]


class MadeReward(Section):
    """A reward function that a call gives: `trl.rewards:get_soft_overlong_punishment`, or a class."""

    make: str
    arguments: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.make


class Reward(Section):
    #: Kinds of `trainer_adapter.reward_funcs`, `module:function` (`trainer_adapter.rewards.gsm8k:correctness`), or
    #: what makes one, with its arguments: `{make: module:factory, arguments: {…}}`.
    functions: Annotated[tuple[str | MadeReward, ...], Field(min_length=1)] = ("accepted",)
    #: One for each function; None: 1 each.
    weights: tuple[float, ...] | None = None
    #: Where one function gives None, all do: for functions whose None is a failure. Else None counts as 0, or as the
    #: group's mean with `grpo.multi_objective_aggregation: normalize_then_sum`.
    together: bool = False
    #: The languages that a completion may choose by its fence, with their families, where a row names none.
    languages: Annotated[tuple[str, ...], Field(min_length=1)] = CHOSEN_LANGUAGES
    #: What the model's chat template writes behind a prompt (`<think>`), where another process samples; None: as the
    #: tokenizer says.
    template_end: str | None = None
    #: The problem store, a directory of packages. Its packages come first when a `problem_id` is looked up.
    problems: Path | None = None
    #: Programs that are judged at once on this machine, shared by its processes; None: what it can carry.
    slots: Annotated[int | None, Field(ge=1)] = None
    #: Refuse a weaker sandbox than this tier.
    require: str | None = None
    #: Limits of a compile; None: as the language's file says, mostly 10 s and 1024 MiB.
    compile_seconds: Annotated[float | None, Field(gt=0)] = None
    compile_mib: Annotated[int | None, Field(ge=1)] = None
    #: Memory budget of the Judge in each process of the run; None: the process's share of what is available, less a
    #: reserve.
    memory_budget_mib: Annotated[int | None, Field(ge=1)] = None

    #: `ray`: judge on the nodes of a Ray cluster, whose HOST:PORT is `address`. `server`: on a `judge serve`, whose URL
    #: it is.
    executor: Literal["local", "ray", "server"] = "local"
    address: str | None = None

    #: Where no judgement at all ends for so long, those that wait are given up and score nothing.
    deadline_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1800.0

    @property
    def names(self) -> tuple[str, ...]:
        """Of the functions, one each."""
        return tuple(map(str, self.functions))

    @property
    def memory_bytes(self) -> int | None:
        return None if self.memory_budget_mib is None else self.memory_budget_mib << 20

    @model_validator(mode="after")
    def _weights(self) -> Self:
        if self.weights is not None and len(self.weights) != len(self.functions):
            raise ValueError(f"{len(self.functions)} functions and {len(self.weights)} weights: give one for each")
        return self


class Kl(Section):
    """The divergence from the model before training, of which `grpo.beta` times is in the loss."""

    #: The column of the data whose values are the objectives; the KL of each is logged.
    by: str | None = None
    #: What `grpo.beta` is steered to; None: it stays as it is.
    target: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None
    #: The most that beta changes after a step, as a share of it.
    rate: Annotated[float, Field(gt=0, lt=1)] = 0.1
    least: Annotated[float, Field(gt=0)] = 1e-4
    most: Annotated[float, Field(gt=0)] = 1.0


class Repair(Section):
    """Turns of repair, see `trainer_adapter.training.repair`."""

    #: Answers to a prompt, at most: after the first, those that do not compile or fail on a sample are asked for again.
    turns: Annotated[int, Field(ge=1, le=16)] = 1


class AuditSection(Section):
    """Accepted completions are run on fresh inputs during the training: `trainer_adapter.training.reward_audit`."""

    #: After so many optimizer steps, and after the last; None: never.
    every: Annotated[int | None, Field(ge=1)] = None
    #: Accepted completions of the steps since the last audit, and those rejected for their output.
    sample: Annotated[int, Field(ge=1)] = 100
    rejected: Annotated[int, Field(ge=0)] = 20
    #: Of each problem.
    inputs: Annotated[int, Field(ge=1)] = 12


class EvaluationSection(Section):
    """Held-out problems are sampled by the model that is trained, and judged: `trainer_adapter.training.held_out`."""

    #: Before the first optimizer step, after every so many, and after the last; None: never.
    every: Annotated[int | None, Field(ge=1)] = None
    #: None: the problems that `data.held_out` holds out.
    data: DataConfig | None = None
    #: The most problems; None: all.
    most_problems: Annotated[int | None, Field(ge=1)] = None
    #: Of each problem.
    samples: Annotated[int, Field(ge=1)] = 1
    #: 0: greedy; None: 0 for one sample, 1 for several.
    temperature: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    pass_k: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)] = (1,)
    #: Limit of a completion; None: that of training, or 1024.
    max_tokens: Annotated[int | None, Field(ge=1)] = None
    #: Completions that are sampled at once; None: as many as training samples, or 16.
    batch_size: Annotated[int | None, Field(ge=1)] = None

    @model_validator(mode="after")
    def _samples(self) -> Self:
        if max(self.pass_k) > self.samples:
            raise ValueError(f"pass@{max(self.pass_k)} needs as many samples: set samples to {max(self.pass_k)}")
        if self.samples > 1 and self.temperature == 0:
            raise ValueError(f"with temperature 0 all {self.samples} samples are equal: leave one of the two out")
        return self


class Tracker(StrEnum):
    TENSORBOARD = "tensorboard"
    #: Offline unless WANDB_MODE says otherwise: `wandb sync` sends a run later.
    WANDB = "wandb"
    TRACKIO = "trackio"


class RunSection(Section):
    #: Everything that a run writes lies below it, with its caches.
    directory: Path
    trackers: tuple[Tracker, ...] = ()
    #: A checkpoint is skipped if less than this would stay free on the disk.
    spare_disk_bytes: Annotated[int, Field(ge=0)] = 1 << 30
    #: The run stops with a checkpoint before so many hours are over, counted from the start of the command; None: when
    #: it is done.
    hours: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None
    #: The run ends with an error once no completion was judged, or rated, for so many steps on end; None: never.
    steps_without_verdicts: Annotated[int | None, Field(gt=0)] = 3


class AnyConfig(Section):
    """What runs of every kind have."""

    #: Name of the command, and of the section that holds TRL's arguments.
    kind: ClassVar[str]
    model: Model
    adapter: Adapter = TinyLora()
    data: Any
    evaluation: EvaluationSection = EvaluationSection()
    run: RunSection

    @model_validator(mode="before")
    @classmethod
    def _known_data(cls, values: object) -> object:
        if isinstance(values, Mapping) and isinstance(data := values.get("data"), Mapping):
            known = cls.model_fields["data"].annotation.model_fields  # type: ignore[union-attr]
            refuse_unknown(data, (field.alias or name for name, field in known.items()), "data.")
        return values

    @model_validator(mode="after")
    def _held_out(self) -> Self:
        if self.evaluation.every is not None and self.evaluation.data is None:
            if not isinstance(self.data, DataConfig):
                raise ValueError("evaluation.data: say with which problems; the examples have no tests")
            if not self.data.held_out:
                raise ValueError("evaluation: nothing is held out: set data.held_out, for example to 0.1, or "
                                 "evaluation.data")  # fmt: skip
        return self

    @property
    def checkpoints(self) -> Path:
        return self.run.directory / "checkpoints"

    @property
    def arguments(self) -> dict[str, Any]:
        """TRL's, as the section `kind` gives them."""
        found: dict[str, Any] = getattr(self, self.kind)
        return found


class Config(AnyConfig):
    kind: ClassVar[str] = "grpo"
    data: DataConfig
    reward: Reward = Reward()
    kl: Kl = Kl()
    repair: Repair = Repair()
    audit: AuditSection = AuditSection()
    grpo: dict[str, Any] = {}


class SftConfig(AnyConfig):
    kind: ClassVar[str] = "sft"
    data: ExamplesConfig
    sft: dict[str, Any]


class DpoConfig(AnyConfig):
    kind: ClassVar[str] = "dpo"
    data: ExamplesConfig
    dpo: dict[str, Any]


#: The section that tells a configuration's kind; without any it is GRPO's.
_KINDS: Mapping[str, type[AnyConfig]] = {"sft": SftConfig, "dpo": DpoConfig}


class _Yaml(yaml.SafeLoader):
    """YAML 1.2's booleans: `no` is a word, which `eval_strategy` takes. Where a boolean is wanted, it is one still."""


_Yaml.yaml_implicit_resolvers = {
    first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _read_yaml(text: str) -> Any:
    """Raises yaml.YAMLError, ValueError, RecursionError."""
    return yaml.load(text, _Yaml)  # noqa: S506 - a SafeLoader


def load(path: Path, overrides: Iterable[str] = (), *, kind: str | None = None) -> AnyConfig:
    """The configuration in a YAML file, or the recipe of that name, changed by `section.key=value` (YAML, too). With
    `kind` it must be of this one.

    Raises:
        ConfigError: it cannot be read, or says something that has no meaning.
    """
    if not path.exists() and path.name == str(path) and path.name in recipes():
        path = RECIPES / f"{path.name}.yaml"
    try:
        values = _read_yaml(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; recipes are {', '.join(recipes())}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: the 30th of February, no UTF-8
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected the sections {', '.join(Config.model_fields)} (or sft, dpo)")
    for text in overrides:
        _override(values, text)
    found = next((its for section, its in _KINDS.items() if section in values), Config)
    if kind not in (None, found.kind):
        raise ConfigError(f"{path} is for judge-train {found.kind}: it has {_explain(found)}")
    try:
        return found.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{path}: {explain(error)}") from error


def _explain(found: type[AnyConfig]) -> str:
    return f"the section {found.kind}" if found.kind in _KINDS else f"no section {' or '.join(_KINDS)}"


def recipes() -> tuple[str, ...]:
    """Names of the configurations that come with the package."""
    return tuple(sorted(path.stem for path in RECIPES.glob("*.yaml")))


def _override(values: dict[str, Any], text: str) -> None:
    name, separator, value = text.partition("=")
    *sections, key = name.split(".")
    if not separator or not sections:
        raise ConfigError(f"{text!r} is no setting: write section.key=value")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ConfigError(f"{text!r}: {section} is no section")
    try:
        values[key] = _read_yaml(value)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{text!r}: the value is no YAML") from error


def explain(error: ValidationError) -> str:
    """The errors, each with its key, in one line."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'top'}: {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors(include_url=False)
    )
