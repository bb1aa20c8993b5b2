"""Checks before a run what would go wrong in it (`judge-train doctor`): in minutes instead of after a night.

Each check runs the real thing. The run's own reward functions judge rows of its data, a right program and a wrong one.
Its tokenizer, data and model are loaded, and a probe rollout is rewarded as in training.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PreTrainedTokenizerBase, TrainingArguments
from trl import GRPOConfig, SFTConfig

import problems
from judge import ConfigError, ContainerError, Judge, JudgeError
from problems.errors import ProblemError
from trainer_adapter import reward_funcs
from trainer_adapter.data.loading import Loaded
from trainer_adapter.rewards.llm_judge import LlmJudge
from trainer_adapter.rollouts.making.local import end_tokens
from trainer_adapter.training import named_rewards, reward_trial, train
from trainer_adapter.training.checkpoints import SafeSaving, free_bytes
from trainer_adapter.training.config import AnyConfig, Config, TinyLora
from trainer_adapter.training.example_checks import describe_batches, try_batch
from trainer_adapter.training.gpu_memory import estimate
from trainer_adapter.training.held_out import check_held_out, looks_at_held_out
from trainer_adapter.training.model import generation, name_tokens
from trainer_adapter.training.precheck import Precheck
from trainer_adapter.training.reward_trial import Fault
from trainer_adapter.training.sampling_speed import check_sampling
from trainer_adapter.training.tinylora import wrapping

_RIGHT = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }\n"
_WRONG = _RIGHT.replace("a + b", "a - b")
_SHOWN_CHARACTERS = 300
_SHOWN_PROBLEMS = 5
#: Completions with which each reward function is tried.
_TRIED = 3


def examine(config: AnyConfig, *, rollouts: int = 8, with_model: bool = True) -> Iterator[Precheck]:
    """All checks, each alone, cheap ones first. Without the model its tokenizer and a GPU may be missing, too: what
    cannot be looked at then is said.

    Raises:
        ConfigError: the configuration cannot be used at all.
    """
    settings = train.arguments(config, anywhere=True)
    yield _disk(config)
    yield from _gpu(config, needed=with_model)
    if isinstance(config, Config):
        yield from _judge(config)
    words, why = tokenizer_if_there(config)
    yield (
        _chat(config, words, settings)
        if words
        else Precheck(name="chat template", ok=False if with_model else None, **why)
    )
    found, data = _data(config, words, settings)
    yield data
    if found is not None and isinstance(config, Config):
        yield from _problems(config, found.train)
        yield from _reward(config, found.train)
    off = list(train.turn_off_evaluation(config, settings, found)) if found is not None else []
    yield from (Precheck(name="evaluation", ok=None, detail=said) for said in off)
    if config.evaluation.every is not None and not (off and looks_at_held_out(config)):
        yield check_held_out(config, words)
    yield _memory(config, settings)
    if with_model and words and data.ok and (torch.cuda.is_available() or config.arguments.get("use_cpu")):
        trainer = train.build(config)
        yield _adapter(config, trainer)
        yield from _rollout(config, trainer, rollouts) if isinstance(config, Config) else try_batch(trainer)
    elif with_model:
        detail = "not looked at: see what is wrong above"
        yield Precheck(name="probe rollout" if isinstance(config, Config) else "probe", ok=None, detail=detail)


def tokenizer_if_there(config: AnyConfig) -> tuple[PreTrainedTokenizerBase | None, dict[str, str]]:
    """None where it cannot be had, with why and what to do."""
    try:
        return train.tokenizer(config), {}
    except (OSError, ValueError) as error:
        why = str(error).partition("\n")[0]
        remedy = "set model.path to a directory with the model, or to its name on the hub"
        return None, {"detail": f"the tokenizer of {config.model.path} cannot be had: {why}", "remedy": remedy}


def _gpu(config: AnyConfig, *, needed: bool) -> Iterator[Precheck]:
    if not torch.cuda.is_available() and not config.arguments.get("use_cpu"):
        remedy = (
            f"train where there is one; --set {config.kind}.use_cpu=true tries it on the CPU, --no-model leaves the "
            "model out"
        )
        yield Precheck(name="GPU", ok=False if needed else None, detail="there is none here", remedy=remedy)


def _disk(config: AnyConfig) -> Precheck:
    free, wanted = free_bytes(config.run.directory), config.run.spare_disk_bytes
    return Precheck(
        name="disk",
        ok=free > wanted,
        detail=f"{free / 1e9:.1f} GB free for {config.run.directory}",
        remedy=f"{wanted / 1e9:.1f} GB must stay free (run.spare_disk_bytes): choose another disk",
    )


def _judge(config: Config) -> Iterator[Precheck]:
    reward = config.reward
    if reward.require is None and not set(reward.names) & set(reward_funcs.Kind):
        return  # nothing is judged
    try:
        with Judge(
            slots=reward.slots,
            require=reward.require,
            executor=reward.executor,
            address=reward.address,
            memory_bytes=reward.memory_bytes,
        ) as judge:
            yield Precheck(name="judge", ok=True, detail=f"{judge.isolation.tier}, {judge.slots} programs at once")
    except (JudgeError, ContainerError) as error:
        yield Precheck(name="judge", ok=False, detail=str(error), remedy="judge doctor says what is missing")


def _chat(config: AnyConfig, words: PreTrainedTokenizerBase, settings: TrainingArguments) -> Precheck:
    """That a turn ends with a token at which generation stops. A model may have several of these."""
    remedy = "use an instruct model, whose tokenizer has a chat template that ends a turn with its eos token"
    if words.chat_template is None:
        return Precheck(name="chat template", ok=False, detail="the tokenizer has none", remedy=remedy)
    chosen = getattr(settings, "eos_token", None)
    stops = [words.convert_tokens_to_ids(chosen)] if chosen else end_tokens(generation(config), words)
    turn = [{"role": "user", "content": "question"}, {"role": "assistant", "content": "answer"}]
    tail = words.apply_chat_template(turn, tokenize=False).rpartition("answer")[2]
    ending = [token for token in stops if words.convert_ids_to_tokens(token) in tail]
    others = [token for token in stops if token not in ending]
    detail = (
        f"a turn ends with {name_tokens(ending, words)}"
        if ending
        else f"no turn ends with eos, {name_tokens(stops, words)}"
    )
    if ending and others:
        detail += f"; generation stops at {name_tokens(others, words)}, too"
    if isinstance(settings, SFTConfig):
        remedy += "; or name that which ends a turn in sft.eos_token"
    else:
        remedy += "; or add the token that ends a turn to eos_token_id in the model's generation_config.json"
    return Precheck(name="chat template", ok=bool(ending), detail=detail, remedy=remedy)


def _data(
    config: AnyConfig, words: PreTrainedTokenizerBase | None, settings: TrainingArguments
) -> tuple[Loaded | None, Precheck]:
    try:
        found = train.rows(config, words)
        train.require_a_step(found.train, settings)
    except (JudgeError, ProblemError) as error:
        return None, Precheck(
            name="data", ok=False, detail=str(error), remedy="judge-train data inspect says more of data for grpo"
        )
    if not isinstance(config, Config) or not isinstance(settings, GRPOConfig):
        return found, Precheck(name="data", ok=True, detail="; ".join(describe_batches(settings, found)))
    per_step = (settings.generation_batch_size or 1) // (settings.num_generations or 1)
    columns = ", ".join(found.train.column_names)
    detail = f"{len(found.train)} prompts, {per_step} a step; columns {columns}"
    if words is None and config.data.most_prompt_tokens is not None:
        detail += "; how many tokens prompts have is not looked at"
    return found, Precheck(name="data", ok=True, detail=detail)


def _problems(config: Config, rows: Dataset) -> Iterator[Precheck]:
    """That what the rows name is there: packages of `reward.problems`, bundled problems, paths."""
    store = config.reward.problems
    if store is not None and not store.is_dir():
        remedy = "reward.problems is a directory of problem packages"
        yield Precheck(name="problems", ok=False, detail=f"{store} is no directory", remedy=remedy)
    elif "problem_id" in rows.column_names:
        carried = rows["tests"] if "tests" in rows.column_names else [None] * len(rows)
        ids = {str(each) for each, tests in zip(rows["problem_id"], carried, strict=True) if each and not tests}
        stored = {each for each in ids if store and ((store / each).exists() or (store / f"{each}.zip").exists())}
        lost = sorted(each for each in ids - stored - set(problems.names()) if not Path(each).exists())
        shown = ", ".join(lost[:_SHOWN_PROBLEMS])
        yield Precheck(
            name="problems",
            ok=not lost and (bool(stored) or store is None or not ids),
            detail=f"{len(lost)} of {len(ids)} are nowhere: {shown}"
            if lost
            else f"{len(ids)} are named" + (f", {len(stored)} of them in {store}" if store else ""),
            remedy="set reward.problems to the directory of packages that the rows name",
        )


def _reward(config: Config, rows: Dataset) -> Iterator[Precheck]:
    """No function may fail; and right answers must be worth more than wrong ones, by all of them and their weights."""
    whole = config.reward.model_copy(update={"template_end": ""})  # the answers below hold no thinking
    try:
        made = named_rewards.rewards(config.model_copy(update={"reward": whole}))
        functions = dict(zip(config.reward.names, made, strict=True))
    except ConfigError as error:
        yield Precheck(name="reward", ok=False, detail=str(error), remedy="look at reward.functions")
        return
    some = [rows[number % len(rows)] for number in range(_TRIED)]
    given = reward_trial.inputs(some, [_fence(_RIGHT), "", "42"])
    faults = []
    for name, function in functions.items():
        # A wrapper of ours takes whatever comes, and hands it on.
        own = (
            function.func
            if isinstance(function, reward_funcs.UnlessFailed | reward_funcs.AsyncUnlessFailed)
            else function
        )
        if isinstance(tried := reward_trial.try_function(name, own, given), Fault):
            faults.append(Precheck(name=f"reward: {tried.name}", ok=False, detail=tried.detail, remedy=tried.remedy))
    yield from faults or _worth(config, functions, rows)
    for function in functions.values():
        if isinstance(rater := getattr(function, "func", function), LlmJudge):
            yield _rating(f"rating: {rater.name}", rater)


def _rating(name: str, rater: LlmJudge) -> Precheck:
    """One, as in training: whether the model can be reached, and ends its thinking."""
    (reply,) = asyncio.run(rater.ask([("Print the sum of two integers.", _fence(_RIGHT))]))
    spent = f"{reply.completion_tokens} of {rater.most_tokens} tokens, {reply.seconds:.1f} s"
    return Precheck(
        name=name,
        ok=reply.score is not None,
        detail=f"none: {reply.failure}" if reply.score is None else f"{reply.score:g} for a right program; {spent}",
        remedy="look at endpoint and model; one that thinks needs most_tokens for it, or request: "
        "{chat_template_kwargs: {enable_thinking: false}}",
    )


def _worth(config: Config, functions: Mapping[str, Any], rows: Dataset) -> Iterator[Precheck]:
    weights = config.reward.weights or (1.0,) * len(functions)
    for probe, right, wrong, row in _probes(rows):
        both = reward_trial.inputs([row, row], [right, wrong])
        given = {name: reward_trial.try_function(name, function, both) for name, function in functions.items()}
        failed = [name for name, values in given.items() if isinstance(values, Fault) or None in values]
        totals = [
            sum(
                weight * (values[at] or 0.0)
                for weight, values in zip(weights, given.values(), strict=True)
                if not isinstance(values, Fault)
            )
            for at in (0, 1)
        ]
        detail = f"{totals[0]:g} for a right answer, {totals[1]:g} for a wrong one ({probe})"
        yield Precheck(
            name="reward",
            ok=not failed and totals[0] > totals[1],
            detail=f"no reward from {', '.join(failed)} ({probe})" if failed else detail,
            remedy="judge doctor, if no reward is given; else look at reward.functions and reward.weights",
        )


def _probes(rows: Dataset) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Name, right answer, wrong answer, its row."""
    first: Mapping[str, Any] = rows[0]
    if "answer" in first:
        gold = str(first["answer"]).rpartition("####")[2].strip()
        text = "<reasoning>\nCount.\n</reasoning>\n<answer>\n{}\n</answer>\n"
        yield "first row", text.format(gold), text.format(f"{gold}1"), first
    if "problem_id" in first or "tests" in first:
        ours = {name: None for name in ("tests", "language") if name in first}
        yield "P1001", _fence(_RIGHT), _fence(_WRONG), {**first, **ours, "problem_id": "P1001"}


def _fence(program: str) -> str:
    return f"```cpp\n{program}```\n"


def _memory(config: AnyConfig, settings: TrainingArguments) -> Precheck:
    try:
        needed = estimate(config, settings)
    except (OSError, ValueError) as error:
        why = str(error).partition("\n")[0]
        return Precheck(name="memory", ok=None, detail=f"the configuration of {config.model.path} cannot be had: {why}")
    if not torch.cuda.is_available():
        return Precheck(name="memory", ok=True, detail=f"{needed}; no GPU here to compare it with")
    there = torch.cuda.get_device_properties(0).total_memory
    return Precheck(
        name="memory",
        ok=needed.total_bytes <= there,
        detail=f"{needed} of {there / 2**30:.1f} GiB",
        remedy=f"lower {config.kind}.per_device_train_batch_size (and raise gradient_accumulation_steps), or "
        + ("grpo.max_completion_length or data.most_prompt_tokens" if config.kind == "grpo" else "max_length"),
    )


def _adapter(config: AnyConfig, trainer: SafeSaving) -> Precheck:
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
    """Completions as in training, of the first prompts; of all of them again where there are fewer."""
    rows = trainer.train_dataset.select([number % len(trainer.train_dataset) for number in range(count)])
    texts, ended = _complete(trainer, [row["prompt"] for row in rows])
    if "problem_id" in rows.column_names or "tests" in rows.column_names:
        how = named_rewards.settings(config, trainer.processing_class)
        found = [how.extract(text, config.data.language, row["prompt"]) for text, row in zip(texts, rows, strict=True)]
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
    yield check_sampling(config, trainer)


def _complete(trainer: SafeSaving, prompts: Sequence[Any]) -> tuple[list[str], int]:
    """A completion for each prompt, sampled as the trainer samples, and how many ended by themselves."""
    ids, images, fields = trainer._tokenize_prompts(list(prompts))
    completions, _ = trainer._generate_single_turn(ids, images, fields, num_generations=1)
    ended = sum(tokens[-1] in trainer.eos_token_ids for tokens in completions)
    return trainer.processing_class.batch_decode(completions, skip_special_tokens=True), ended


def _promise(config: Config, trainer: SafeSaving, rows: Dataset, texts: Sequence[str]) -> Precheck:
    """Whether groups will differ within themselves, going by these few."""
    given = reward_trial.try_function(
        config.reward.names[0],
        named_rewards.rewards(config, trainer.processing_class)[0],
        reward_trial.inputs(rows, texts),
    )
    if isinstance(given, Fault):
        return Precheck(name="probe rollout: reward", ok=False, detail=given.detail, remedy=given.remedy)
    scored = [value for value in given if value is not None]
    part = sum(value > 0 for value in scored) / len(scored) if scored else 0.0
    group = trainer.args.num_generations or 1
    useful = 1 - part**group - (1 - part) ** group
    return Precheck(
        name="probe rollout: reward",
        ok=bool(scored),
        detail=f"{part:.0%} of {len(texts)} rewarded by {config.reward.names[0]}; at that rate {useful:.0%} of the "
        f"groups of {group} teach something" + ("" if useful else " (too few to tell: raise --rollouts)"),
        remedy="judge doctor: nothing could be judged",
    )
