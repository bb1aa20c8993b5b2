"""Checks before a run what would go wrong in it (`judge-train doctor`): in minutes instead of after a night.

Each check uses the real parts: the run's own reward functions on a right and a wrong program, its tokenizer, data and
model, and a probe rollout that is rewarded as in training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from datasets import Dataset
from transformers import PreTrainedTokenizerBase
from trl import GRPOConfig

from judge import ContainerError, Judge, JudgeError
from judge.languages.extraction import extract
from trainer_adapter.training import train
from trainer_adapter.training.checkpoints import SafeSaving, free_bytes
from trainer_adapter.training.config import Config, TinyLora
from trainer_adapter.training.gpu_memory import estimate
from trainer_adapter.training.tinylora import wrapping

_RIGHT = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }\n"
_WRONG = _RIGHT.replace("a + b", "a - b")
_SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Precheck:
    name: str
    ok: bool
    detail: str
    #: What to do if it is not ok.
    remedy: str = ""


def examine(config: Config, *, rollouts: int = 8, with_model: bool = True) -> Iterator[Precheck]:
    """All checks, cheap ones first. If others depend on a check that failed, it is the last one.

    Raises:
        ConfigError, DataError: the configuration or the data cannot be used at all.
    """
    settings, words = train.arguments(config), train.tokenizer(config)
    yield _disk(config)
    yield from _judge(config)
    yield _chat(words)
    rows = train.rows(config, words).train
    yield _data(rows, settings)
    yield from _reward(config, rows)
    yield _memory(config, settings)
    if with_model:
        trainer = train.build(config)
        yield _adapter(config, trainer)
        yield from _rollout(config, trainer, rollouts)


def _disk(config: Config) -> Precheck:
    free, wanted = free_bytes(config.run.directory), config.run.spare_disk_bytes
    return Precheck(
        name="disk",
        ok=free > wanted,
        detail=f"{free / 1e9:.1f} GB free for {config.run.directory}",
        remedy=f"{wanted / 1e9:.1f} GB must stay free (run.spare_disk_bytes): choose another disk",
    )


def _judge(config: Config) -> Iterator[Precheck]:
    reward = config.reward
    try:
        with Judge(slots=reward.slots, require=reward.require, memory_bytes=reward.memory_bytes) as judge:
            yield Precheck(name="judge", ok=True, detail=f"{judge.isolation.tier}, {judge.slots} programs at once")
    except (JudgeError, ContainerError) as error:
        yield Precheck(name="judge", ok=False, detail=str(error), remedy="judge doctor says what is missing")


def _chat(words: PreTrainedTokenizerBase) -> Precheck:
    remedy = "use an instruct model, whose tokenizer has a chat template that ends a turn with its eos token"
    if words.chat_template is None:
        return Precheck(name="chat template", ok=False, detail="the tokenizer has none", remedy=remedy)
    turn = [{"role": "user", "content": "question"}, {"role": "assistant", "content": "answer"}]
    text = words.apply_chat_template(turn, tokenize=False)
    ends = words.eos_token is not None and words.eos_token in text.rpartition("answer")[2]
    detail = f"a turn ends with {words.eos_token!r}" if ends else f"no turn ends with eos, {words.eos_token!r}"
    return Precheck(name="chat template", ok=ends, detail=detail, remedy=remedy)


def _data(rows: Dataset, settings: GRPOConfig) -> Precheck:
    train.require_a_step(rows, settings)
    per_step = (settings.generation_batch_size or 1) // (settings.num_generations or 1)
    columns = ", ".join(rows.column_names)
    return Precheck(name="data", ok=True, detail=f"{len(rows)} prompts, {per_step} a step; columns {columns}")


def _reward(config: Config, rows: Dataset) -> Iterator[Precheck]:
    """Check that right answers earn more than wrong ones, by the run's own functions and weights."""
    functions = train.rewards(config)
    weights = config.reward.weights or (1.0,) * len(functions)
    for name, right, wrong, columns in _probes(rows):
        completions = [[{"role": "assistant", "content": text}] for text in (right, wrong)]
        both: dict[str, Any] = {key: [value] * 2 for key, value in columns.items()}
        both |= {"prompts": [""] * 2, "completions": completions, "completion_ids": [[0]] * 2}
        given = [function(**both) for function in functions]
        failed = [config.reward.functions[at] for at, values in enumerate(given) if None in values]
        weighted = [(weight, values) for weight, values in zip(weights, given, strict=True)]
        for_right, for_wrong = (sum(weight * (values[at] or 0.0) for weight, values in weighted) for at in (0, 1))
        detail = f"{for_right:g} for a right answer, {for_wrong:g} for a wrong one ({name})"
        yield Precheck(
            name="reward",
            ok=not failed and for_right > for_wrong,
            detail=f"no reward from {', '.join(failed)} ({name})" if failed else detail,
            remedy="judge doctor, if no reward is given; else look at reward.functions and reward.weights",
        )


def _probes(rows: Dataset) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """(name, right answer, wrong answer, columns of the row) of each probe."""
    first: Mapping[str, Any] = rows[0]
    if "answer" in first:
        gold = str(first["answer"]).rpartition("####")[2].strip()
        text = "<reasoning>\nCount.\n</reasoning>\n<answer>\n{}\n</answer>\n"
        yield "first row", text.format(gold), text.format(f"{gold}1"), first
    if "problem_id" in first or "tests" in first:
        columns = dict.fromkeys(rows.column_names) | {"problem_id": "P1001"}
        yield "P1001", _fenced(_RIGHT), _fenced(_WRONG), columns


def _fenced(program: str) -> str:
    return f"```cpp\n{program}```\n"


def _memory(config: Config, settings: GRPOConfig) -> Precheck:
    needed = estimate(config, settings)
    if not torch.cuda.is_available():
        return Precheck(name="memory", ok=True, detail=f"{needed}; no GPU here to compare it with")
    there = torch.cuda.get_device_properties(0).total_memory
    return Precheck(
        name="memory",
        ok=needed.total_bytes <= there,
        detail=f"{needed} of {there / 2**30:.1f} GiB",
        remedy="lower grpo.per_device_train_batch_size (and raise gradient_accumulation_steps), "
        "grpo.max_completion_length or data.most_prompt_tokens",
    )


def _adapter(config: Config, trainer: SafeSaving) -> Precheck:
    if not isinstance(config.adapter, TinyLora):
        trained = sum(parameter.numel() for parameter in trainer.model.parameters() if parameter.requires_grad)
        return Precheck(
            name="adapter", ok=trained > 0, detail=f"{trained} trained numbers", remedy="nothing is trained"
        )
    found, adapter = wrapping(trainer.model), config.adapter
    modules = len(adapter.target_modules) * trainer.model.config.get_text_config().num_hidden_layers
    tied = adapter.weight_tying == 1.0
    return Precheck(
        name="adapter",
        ok=found.modules == modules
        and found.dtypes == {"float32"}
        and (not tied or (found.trainable == adapter.u and found.vectors == 1)),
        detail=f"{found.trainable} trained numbers in {found.vectors} objects of {', '.join(found.dtypes)}, "
        f"{found.modules} of {modules} modules wrapped",
        remedy="adapter.target_modules must name layers of this model; all share one float32 vector",
    )


def _rollout(config: Config, trainer: SafeSaving, count: int) -> Iterator[Precheck]:
    """Sample completions for the first prompts, as in training."""
    rows = trainer.train_dataset.select(range(min(count, len(trainer.train_dataset))))
    texts, ended = _complete(trainer, [row["prompt"] for row in rows])
    if "problem_id" in rows.column_names or "tests" in rows.column_names:
        found = [extract(text, config.data.language) for text in texts]
        coded = sum(each.code is not None for each in found)
        reasons = Counter(each.reason.value for each in found if each.reason)
        why = "".join(f", {count} {reason}" for reason, count in reasons.most_common())
        yield Precheck(
            name="probe rollout: code",
            ok=coded > 0,
            detail=f"{coded} of {len(texts)} completions hold a program{why}; "
            f"the first ends {texts[0][-_SHOWN_CHARACTERS:]!r}",
            remedy="an instruct model, a system prompt that asks for one fenced program, room to finish it",
        )
    yield Precheck(
        name="probe rollout: ends",
        ok=ended > 0,
        detail=f"{ended} of {len(texts)} completions ended by themselves",
        remedy="raise grpo.max_completion_length, or check the model's eos token",
    )
    yield _promise(config, trainer, rows, texts)


def _complete(trainer: SafeSaving, prompts: Sequence[Any]) -> tuple[list[str], int]:
    """A completion for each prompt, and how many of them ended by themselves."""
    words = trainer.processing_class
    batch = words.apply_chat_template(
        list(prompts),
        add_generation_prompt=True,
        padding=True,
        padding_side="left",
        return_tensors="pt",
        return_dict=True,
    )
    with torch.no_grad():
        full = trainer.model.generate(
            **batch.to(trainer.model.device), generation_config=trainer.generation_config, disable_compile=True
        )
    completions = full[:, batch["input_ids"].shape[1] :]
    ended = sum(any(int(token) in trainer.eos_token_ids for token in row) for row in completions)
    return words.batch_decode(completions, skip_special_tokens=True), ended


def _promise(config: Config, trainer: SafeSaving, rows: Dataset, texts: Sequence[str]) -> Precheck:
    """Check on these few completions whether rewards within a group will differ."""
    columns = {name: rows[name] for name in rows.column_names if name not in ("prompt", "completion")}
    completions = [[{"role": "assistant", "content": text}] for text in texts]
    main = train.rewards(config)[0]
    given = main(prompts=rows["prompt"], completions=completions, completion_ids=[[0]] * len(texts), **columns)
    scored = [value for value in given if value is not None]
    part = sum(value > 0 for value in scored) / len(scored) if scored else 0.0
    group = trainer.args.num_generations or 1
    useful = 1 - part**group - (1 - part) ** group
    return Precheck(
        name="probe rollout: reward",
        ok=bool(scored),
        detail=f"{part:.0%} of {len(texts)} rewarded by {config.reward.functions[0]}; at that rate {useful:.0%} of the "
        f"groups of {group} teach something" + ("" if useful else " (too few to tell: raise --rollouts)"),
        remedy="judge doctor: nothing could be judged",
    )
