"""Finds in a run's log the ways in which training fails silently, each with its cause and its remedy.

A symptom depends on the log alone (`trainer.state.log_history`, one mapping of numbers a step). So we can look for it
during a run, afterwards, and in a test. The first symptoms are the most likely causes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

#: One step's numbers, by the names under which TRL and the reward functions log them.
Log = Mapping[str, float]

#: Under which `judge-train` logs what share of the held-out problems is solved.
HELD_OUT = "eval/pass@1"
#: Under which it logs what share of the accepted completions is wrong, and the lower end of the exact interval.
PAID_BUT_WRONG, SURELY_WRONG = "audit/paid_but_wrong", "audit/paid_but_wrong_low"
#: So large a share is learnt.
_WRONG = 0.01
#: 1 where nothing that a step asked for was judged, and, behind a name, where nothing was rated.
JUDGE_LOST, RATER_LOST = "judge/infra", "/failed"
#: What lasts for `LASTING` steps is no accident.
LASTING = 5
#: From this share of groups without any difference in reward on, a run learns next to nothing.
_DEAD = 0.9
#: Of the numbers that have a gradient, the share that a step should change. In float32 it is nearly all of them. A LoRA
#: in bfloat16 moves the half of its numbers that begin at 0, whatever the learning rate.
_MOVED = 0.75
#: What of `judge/…` a completion can come to, in the order in which a model learns to get past it.
_OUTCOMES = ("infra", "no_code", "ce", "re", "tle", "mle", "ole", "wa", "accepted")
#: Cause and remedy by the most frequent outcome, if no completion is accepted.
_STUCK = {
    "infra": ("the judge fails, not the programs", "run `judge doctor`; its log names the first failure"),
    "no_code": (
        "no completion holds a complete fenced program: chat template, system prompt or length",
        "look at a probe rollout (judge-train doctor); use an instruct model with its own chat template, raise "
        "grpo.max_completion_length if completions are cut",
    ),
    "ce": (
        "programs do not compile: wrong language or fence",
        "say the language in the system prompt and in data.language; the `detail` column holds the complaint",
    ),
    "tle": (
        "a slow language under limits for a fast one, limits in another unit, programs that never end, or more at once "
        "than there are cores",
        "compare the limits of the rows with the problems' own; ask for C++ and say the limit in the system prompt, "
        "lower reward.slots, or begin with problems of small input",
    ),
}
#: Of one outcome but `accepted` and `wa` so large a share of the completions is more than the problems' being hard.
_MOST = 0.6
_TOO_HARD = (
    "the problems are too hard for the model as it is: nothing to learn from",
    "start with easier problems, more completions a group (grpo.num_generations), the reward `weighted`, or SFT first",
)

_LONG = (
    "grpo.max_completion_length is too small",
    "raise grpo.max_completion_length, or ask for short answers in the system prompt",
)
_ENDLESS = (
    "no completion ever ends by itself: the model does not know its end-of-turn token",
    "use an instruct model with its own tokenizer and chat template",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    name: str
    says: str
    cause: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.name}: {self.says}. Likely cause: {self.cause}. Remedy: {self.remedy}."


def symptoms(logged: Sequence[Mapping[str, float | None]], *, beta: float = 0.0) -> list[Symptom]:
    """All symptoms in the log of a run, in which None is no number, as TRL logs it; `beta` is GRPO's weight of the KL
    term."""
    history = [{name: math.nan if value is None else value for name, value in log.items()} for log in logged]
    steps = [log for log in history if "reward" in log]
    if not steps:
        shown = [log for log in history if "grad_norm" in log]
        return [symptom for look in _LOOKS_AT_EXAMPLES for symptom in look(shown)] if shown else []
    if lost := list(_find_lost(steps)):
        return lost  # what else there is to see follows from that
    found = [symptom for look in _LOOKS for symptom in look(steps)]
    return [*found, *_paid_but_wrong(history), *_overfitting(history), *(_divergence(steps) if beta > 0 else ())]


def find_rater_lost(log: Log) -> str | None:
    """The language model that rated nothing in this step."""
    return next((name.removesuffix(RATER_LOST) for name in log if name.endswith(RATER_LOST) and log[name] == 1), None)


def _find_lost(steps: Sequence[Log]) -> Iterator[Symptom]:
    """Nothing of the last step was judged, or nothing rated."""
    if steps[-1].get(JUDGE_LOST) == 1:
        yield from _infrastructure(steps)
    elif (rater := find_rater_lost(steps[-1])) is not None:
        yield Symptom(
            name="not-rated",
            says=f"{rater} rated no answer of the last step",
            cause="its endpoint is away, slow, refuses the requests, or its replies are no ratings",
            remedy=f"read what {rater} logged last; judge-train doctor asks it for a rating",
        )


def _column(steps: Sequence[Log], name: str, last: int | None = None) -> list[float]:
    values = [log[name] for log in steps if name in log]
    return values if last is None else values[-last:]


def _pairs(steps: Sequence[Log], one: str, other: str) -> Iterator[tuple[float, float]]:
    """Both values, of the steps that log both."""
    yield from ((log[one], log[other]) for log in steps if one in log and other in log)


def _lasts(steps: Sequence[Log], name: str, test: Callable[[float], bool]) -> bool:
    values = _column(steps, name, LASTING)
    return len(values) == LASTING and all(map(test, values))


def _verdicts(steps: Sequence[Log]) -> dict[str, float]:
    """Mean share of each outcome over the last steps."""
    rates = {name: _column(steps, f"judge/{name}", LASTING) for name in _OUTCOMES}
    return {name: fmean(values) for name, values in rates.items() if values}


def _histogram(rates: Mapping[str, float]) -> str:
    shown = sorted(((rate, name) for name, rate in rates.items() if rate > 0), reverse=True)
    return ", ".join(f"{rate:.0%} {name}" for rate, name in shown) or "no verdicts logged"


def _not_a_number(steps: Sequence[Log]) -> Iterator[Symptom]:
    for name in ("loss", "grad_norm", "reward", "entropy"):
        if any(not math.isfinite(value) for value in _column(steps, name)):
            only, cause = name == "entropy", "float16 overflow, a learning rate far too high, or a reward that is inf"
            yield Symptom(
                name="not-a-number",
                says=f"{name} is not finite" + (", though the loss is" if only else ""),
                cause="infinite logits: float16 overflow, or a model that masks tokens with -inf" if only else cause,
                remedy="train in bfloat16 or float32, lower grpo.learning_rate, resume from the last good checkpoint",
            )
            return


def _infrastructure(steps: Sequence[Log]) -> Iterator[Symptom]:
    rate = _verdicts(steps).get("infra", 0.0)
    if rate > 0.01:
        cause, remedy = _STUCK["infra"]
        yield Symptom(
            name="infrastructure",
            says=f"{rate:.1%} of the last completions could not be judged (they are neither rewarded nor punished)",
            cause=cause,
            remedy=remedy,
        )


def _no_reward(steps: Sequence[Log]) -> Iterator[Symptom]:
    if not (_lasts(steps, "reward", lambda value: value == 0) and _lasts(steps, "frac_reward_zero_std", _all)):
        return
    rates = _verdicts(steps)
    most = max(rates, key=lambda name: rates[name]) if rates else ""
    cause, remedy = _STUCK.get(most, _TOO_HARD)
    yield Symptom(
        name="no-reward",
        says=f"no completion of the last {LASTING} steps was rewarded ({_histogram(rates)}): there is no gradient",
        cause=cause,
        remedy=remedy,
    )


def _no_variance(steps: Sequence[Log]) -> Iterator[Symptom]:
    rewards = _column(steps, "reward", LASTING)
    if not _lasts(steps, "frac_reward_zero_std", lambda value: value >= _DEAD) or max(map(abs, rewards)) == 0:
        return
    rates, dead = _verdicts(steps), fmean(_column(steps, "frac_reward_zero_std", LASTING))
    if rates.get("accepted", 0.0) >= 0.95:
        cause = "nearly every completion is accepted: the problems are solved"
        remedy = "train on harder problems"
    elif rates and max(rewards) - min(rewards) < 1e-9:
        cause = f"the reward is the same whatever the verdict ({_histogram(rates)}): a reward function is constant"
        remedy = "check reward.functions with judge-train doctor: a right and a wrong program must differ"
    else:
        cause = "completions of a group are all alike: entropy too low, or problems all too easy or too hard"
        remedy = "raise grpo.temperature or grpo.num_generations; keep problems that are solved sometimes (judge-train "
        remedy += "filter)"
    yield Symptom(
        name="no-variance",
        says=f"in {dead:.0%} of the groups of the last {LASTING} steps all rewards are equal: their advantages are 0, "
        "and the curve stays flat",
        cause=cause,
        remedy=remedy,
    )


def _mostly_one_outcome(steps: Sequence[Log]) -> Iterator[Symptom]:
    """Where some are rewarded all the same: else `_no_reward` says it."""
    if not any(_column(steps, "reward", LASTING)):
        return
    for verdict in ("no_code", "ce", "tle"):
        if _lasts(steps, f"judge/{verdict}", lambda value: value >= _MOST):
            cause, remedy = _STUCK[verdict]
            yield Symptom(
                name=f"mostly-{verdict.replace('_', '-')}",
                says=f"of the completions of the last {LASTING} steps: {_histogram(_verdicts(steps))}",
                cause=cause,
                remedy=remedy,
            )


def _same_programs(steps: Sequence[Log]) -> Iterator[Symptom]:
    """Not where the problems are solved, or no programs are written: other symptoms say that."""
    programs, rates = _column(steps, "judge/unique_programs"), _verdicts(steps)
    if len(programs) < 2 * LASTING or rates.get("accepted", 0.0) >= 0.95 or rates.get("no_code", 0.0) > 0.5:
        return
    before, now = fmean(programs[:LASTING]), fmean(programs[-LASTING:])
    if now <= before / 4:
        yield Symptom(
            name="same-programs",
            says=f"distinct programs for a problem fell from {before:.1f} to {now:.1f}",
            cause="the policy has settled on one program: groups differ no more, and nothing else is tried",
            remedy="resume from before; lower grpo.learning_rate, raise grpo.temperature, set grpo.epsilon_high, or "
            "grpo.beta to hold the policy near the model",
        )


def _all(value: float) -> bool:
    return value >= 1.0


def _find_disconnected(steps: Sequence[Log]) -> Iterator[Symptom]:
    pairs = list(_pairs(steps, "grad_norm", "frac_reward_zero_std"))
    if len(pairs) >= 2 and all(norm == 0 and equal < 1 for norm, equal in pairs[-2:]):
        yield Symptom(
            name="disconnected",
            says="the gradient is 0 though rewards differ within groups",
            cause="what is trained does not take part in the forward pass: frozen, a copy, or all completions masked",
            remedy="run judge-train doctor; with grpo.mask_truncated_completions, raise grpo.max_completion_length",
        )


def _find_unchanged(steps: Sequence[Log]) -> Iterator[Symptom]:
    moved = [change for norm, change in _pairs(steps, "grad_norm", "adapter/change") if norm > 0][-2:]
    if len(moved) == 2 and not any(moved):
        yield Symptom(
            name="unchanged",
            says="no trained number changed in two optimizer steps with a gradient",
            cause="steps below the resolution of bfloat16, a learning rate of 0, or skipped optimizer steps",
            remedy="keep what is trained in float32 (`KeepFloat32` of trainer_adapter), check grpo.learning_rate",
        )


def _find_narrowed(steps: Sequence[Log]) -> Iterator[Symptom]:
    narrowed = _column(steps, "adapter/narrowed", 1)
    if narrowed and narrowed[0] > 0:
        yield Symptom(
            name="narrowed",
            says=f"{narrowed[0]:.0%} of the trained numbers have a narrower dtype than when the training began",
            cause="something casts the model while it trains (grpo.use_transformers_continuous_batching does): what "
            "the optimizer did below that resolution is lost",
            remedy="leave out what casts the model, and go on from a checkpoint that was written before",
        )


def _find_swallowed(steps: Sequence[Log]) -> Iterator[Symptom]:
    """Not at the end of a schedule that falls to 0: the steps that float32 swallows there would teach nothing."""
    most = max(_column(steps, "learning_rate"), default=0.0)
    moved = [
        log["adapter/moved"] for log in steps if "adapter/moved" in log and log.get("learning_rate", most) >= most / 100
    ][-LASTING:]
    if len(moved) == LASTING and max(moved) < _MOVED and any(moved):
        yield Symptom(
            name="swallowed",
            says=f"of the trained numbers that have a gradient {fmean(moved):.0%} changed in a step, over the last "
            f"{LASTING} steps",
            cause="steps below the resolution of bfloat16, which keeps no step smaller than 1/256 of the number itself",
            remedy="train in float32: a LoRA (`KeepFloat32` of trainer_adapter, on a quantised model), or all weights "
            "with model.dtype float32 and bf16 true; else raise the learning rate",
        )


def _cut(steps: Sequence[Log]) -> Iterator[Symptom]:
    if _lasts(steps, "completions/clipped_ratio", lambda value: value > 0.5):
        never = _lasts(steps, "completions/mean_terminated_length", lambda value: value == 0)
        cause, remedy = _ENDLESS if never else _LONG
        yield Symptom(name="cut", says="more than half of the completions are cut", cause=cause, remedy=remedy)


def _collapsed_length(steps: Sequence[Log]) -> Iterator[Symptom]:
    if _lasts(steps, "completions/mean_length", lambda value: value < 2):
        yield Symptom(
            name="length-collapse",
            says="completions are one token long",
            cause="the end-of-turn token comes first: pad and end tokens are confused, or the policy has collapsed",
            remedy="check the tokenizer's pad and eos tokens; resume from an earlier checkpoint, slower",
        )


def _entropy(steps: Sequence[Log]) -> Iterator[Symptom]:
    entropy, reward = _column(steps, "entropy"), _column(steps, "reward")
    if len(entropy) < 2 * LASTING or entropy[0] <= 0:
        return
    now, gain = fmean(entropy[-LASTING:]), fmean(reward[-LASTING:]) - fmean(reward[:LASTING])
    if now < 0.1 * entropy[0] and gain <= 0:
        yield Symptom(
            name="entropy-collapse",
            says=f"entropy fell from {entropy[0]:.2f} to {now:.2f} and the reward did not rise",
            cause="the policy has settled on one answer before it found a better one",
            remedy="lower grpo.learning_rate, raise grpo.temperature, or set grpo.epsilon_high or grpo.entropy_coef",
        )
    elif now > 1.5 * entropy[0] and gain < -0.05:
        yield Symptom(
            name="diverging",
            says=f"entropy rose from {entropy[0]:.2f} to {now:.2f} while the reward fell",
            cause="the learning rate is too high",
            remedy="lower grpo.learning_rate (a third), resume from the checkpoint before the fall",
        )


def _dead_function(steps: Sequence[Log]) -> Iterator[Symptom]:
    columns = {column for log in steps for column in log if column.startswith("rewards/")}
    functions = {column.split("/")[1] for column in columns}
    spread = {name: _column(steps, f"rewards/{name}/std", LASTING) for name in functions}
    dead = [name for name, values in spread.items() if len(values) == LASTING and not any(values)]
    for name in sorted(dead) if len(dead) < len(spread) else ():
        value = _column(steps, f"rewards/{name}/mean", 1)[0]
        yield Symptom(
            name="dead-function",
            says=f"reward function {name} gave {value:g} to every completion of the last {LASTING} steps",
            cause="what it looks for never happens, or always",
            remedy="leave it out, or look at the completions (grpo.log_completions: true)",
        )


def _hacking(steps: Sequence[Log]) -> Iterator[Symptom]:
    suspicious, freopen = _column(steps, "judge/suspicious", LASTING), _column(steps, "judge/freopen", LASTING)
    if suspicious and fmean(suspicious) > 0.01:
        yield Symptom(
            name="hacking",
            says=f"{fmean(suspicious):.1%} of the last programs did what no solution needs",
            cause="the model looks for a way around the problem",
            remedy="read those programs (grpo.log_completions: true) before training on",
        )
    if freopen and fmean(freopen) > 0.1:
        yield Symptom(
            name="freopen",
            says=f"{fmean(freopen):.0%} of the last programs redirect their input or output to files",
            cause="a habit from contests with file input; the judge undoes it, so it costs nothing and is learnt",
            remedy="say in the system prompt that input is stdin and output is stdout",
        )


def _overfitting(history: Sequence[Log]) -> Iterator[Symptom]:
    """Evaluations are logged apart from the steps."""
    reward = _column([log for log in history if "reward" in log], "reward")
    for name, what in ((HELD_OUT, "pass@1"), ("eval_reward", "reward")):
        held_out, problems = _column(history, name), _column(history, "eval/problems", 1)
        # Of few problems one more or less is chance.
        chance = 1 / math.sqrt(problems[0]) if name == HELD_OUT and problems and problems[0] else 0.0
        fell = len(held_out) >= 2 and held_out[-1] < held_out[0] - max(0.05, chance)
        if fell and reward and fmean(reward[-LASTING:]) > reward[0] + 0.05:
            yield Symptom(
                name="overfitting",
                says=f"the reward rises, and {what} on held-out problems falls ({held_out[0]:.2f} to "
                f"{held_out[-1]:.2f})",
                cause="the training problems are learnt by heart, or their tests are weak",
                remedy="more problems, stronger tests, an earlier checkpoint",
            )
            return


def _paid_but_wrong(history: Sequence[Log]) -> Iterator[Symptom]:
    """Audits are logged apart from the steps."""
    wrong = list(_pairs(history, PAID_BUT_WRONG, SURELY_WRONG))
    if wrong and wrong[-1][1] > _WRONG:
        yield Symptom(
            name="paid-but-wrong",
            says=f"of the accepted completions of the last audit {wrong[-1][0]:.1%} are wrong on fresh inputs, at "
            f"least {wrong[-1][1]:.1%}",
            cause="weak tests, which the policy has found",
            remedy="look at audit/ in the run's directory; add tests (judge problems strengthen), or leave these "
            "problems out",
        )


def _slow_judge(steps: Sequence[Log]) -> Iterator[Symptom]:
    shares = _column(steps, "judge/wait_share", LASTING)
    if len(shares) == LASTING and fmean(shares) > 0.5:
        yield Symptom(
            name="slow-judge",
            says=f"{fmean(shares):.0%} of the time the trainer waits for the judge",
            cause="too few cores for the compilations, or programs that run into the time limit",
            remedy="judge doctor says what bounds the slots; stop at the first failure (reward accepted), fewer tests",
        )


def _other_reference(steps: Sequence[Log]) -> Iterator[Symptom]:
    """In the first step policy and reference are the same."""
    margins = _column(steps[:1], "rewards/margins")
    if margins and abs(margins[0]) > 1e-3:
        yield Symptom(
            name="other-reference",
            says=f"DPO's first step has a margin of {margins[0]:.3g}, and must have 0: the reference is not the policy "
            "that training begins with",
            cause="a reference in another precision or with dropout, or another model than the adapter's",
            remedy="set dpo.disable_dropout to true, and model to what the adapter was trained on",
        )


def _forgetting(steps: Sequence[Log]) -> Iterator[Symptom]:
    chosen, margins = _column(steps, "logps/chosen"), _column(steps, "rewards/margins")
    if len(chosen) < 2 * LASTING or fmean(margins[-LASTING:]) <= fmean(margins[:LASTING]):
        return
    before, now = fmean(chosen[:LASTING]), fmean(chosen[-LASTING:])
    if now < 1.5 * before:  # both are below 0
        yield Symptom(
            name="forgetting",
            says=f"the margin grows, and the log-probability of chosen answers falls from {before:.3g} to {now:.3g}",
            cause="DPO makes the rejected answer unlikely, and takes the chosen one along where both are alike",
            remedy="lower dpo.learning_rate or raise dpo.beta; add SFT's loss (dpo.loss_type [sigmoid, sft])",
        )


def _divergence(steps: Sequence[Log]) -> Iterator[Symptom]:
    kl = _column(steps, "kl")
    if len(kl) <= LASTING:
        return
    usual = median(kl[:-1])
    if not math.isfinite(kl[-1]) or (usual > 0 and kl[-1] > 10 * usual and kl[-1] > 0.1):
        yield Symptom(
            name="kl-explodes",
            says=f"KL to the reference is {kl[-1]:.3g}, usually {usual:.3g}",
            cause="a step too large. The estimator (k3) is not at fault: it grows fast only where policies differ",
            remedy="lower grpo.learning_rate, raise grpo.beta, resume from before; leave the formula as it is",
        )
    elif not any(kl[-LASTING:]):
        yield Symptom(
            name="kl-zero",
            says="KL to the reference has stayed exactly 0",
            cause="the policy does not change: gradients lost, an adapter that takes no part, a learning rate of 0",
            remedy="look for `unchanged` and `disconnected`; run judge-train doctor",
        )


_LOOKS: tuple[Callable[[Sequence[Log]], Iterator[Symptom]], ...] = (
    _not_a_number,
    _infrastructure,
    _no_reward,
    _no_variance,
    _mostly_one_outcome,
    _same_programs,
    _find_disconnected,
    _find_unchanged,
    _find_narrowed,
    _find_swallowed,
    _cut,
    _collapsed_length,
    _entropy,
    _dead_function,
    _hacking,
    _slow_judge,
)
#: For SFT and DPO, where nothing is sampled and rewarded.
_LOOKS_AT_EXAMPLES: tuple[Callable[[Sequence[Log]], Iterator[Symptom]], ...] = (
    _not_a_number,
    _find_unchanged,
    _find_narrowed,
    _find_swallowed,
    _other_reference,
    _forgetting,
)
