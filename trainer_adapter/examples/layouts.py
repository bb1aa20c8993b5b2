"""Makes examples of the rows of data sets, whatever their layout.

    one answer (SFT)    prompt + completion                 text or messages; a judged rollout, if it was accepted
                        messages, conversations             each turn of the assistant is an answer
                        instruction + input + output        Alpaca
                        question + response                 OpenOrca, with its system_prompt
                        input + output + solution           OpenCodeReasoning; and question + r1_generation, its second
    two answers (DPO)   prompt + chosen + rejected          text or messages; the prompt may be in both answers
                        chosen + rejected                   messages that begin alike; text of HH-RLHF
                        instruction + completions           UltraFeedback: the best and the worst by `overall_score`

Text becomes a turn of a chat: the model sees it in its chat template, as it does when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pydantic import ValidationError

from trainer_adapter.data.candidate import Message
from trainer_adapter.data.item import Unusable
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.rollouts.row import Rollout

Row = Mapping[str, Any]

_HUMAN, _ASSISTANT = "\n\nHuman:", "\n\nAssistant:"
_ROLES = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant"}


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt with one answer, or with the better and the worse one."""

    prompt: list[Message]
    answers: tuple[list[Message], ...]

    def columns(self) -> dict[str, Any]:
        """The row of a data set for TRL."""
        names = ("completion",) if len(self.answers) == 1 else ("chosen", "rejected")
        return {"prompt": self.prompt, **dict(zip(names, self.answers, strict=True))}


#: Makes the examples of a row. Raises Unusable with the reason why there is none.
Reader = Callable[[Row], Iterator[Answered]]


def reader(row: Row, *, pairs: bool) -> tuple[str, Reader]:
    """Name and reader of the layout of a row: of one answer or, for `pairs`, of two.

    Raises:
        DataError: it is none that we know.
    """
    for needed, (name, found) in (_PAIRS if pairs else _SINGLE).items():
        if all(row.get(column) is not None for column in needed):
            return name, found
    known = "; ".join(" + ".join(needed) for needed in (_PAIRS if pairs else _SINGLE))
    other = any(all(row.get(column) is not None for column in needed) for needed in (_SINGLE if pairs else _PAIRS))
    raise DataError(
        f"the rows have the columns {', '.join(map(str, row))}, and need those of "
        f"{'two answers' if pairs else 'an answer'}: {known}; "
        + (f"they are data for judge-train {'sft' if pairs else 'dpo'}" if other else "rename them in a copy")
    )


def _read_completed(row: Row) -> Iterator[Answered]:
    if "verdict" in row or "error" in row:
        try:
            rollout = Rollout.model_validate(row)
        except ValidationError:
            raise Unusable("no judged rollout, though it has a verdict") from None
        if not rollout.accepted:
            raise Unusable("a judged rollout that was not accepted")
    if row.get("truncated"):
        raise Unusable("a completion that was cut at its limit of length")
    yield _example(_turns(row.get("prompt"), "user"), _turns(row.get("completion"), "assistant"))


def _conversation(row: Row) -> Iterator[Answered]:
    turns = _turns(row.get("messages") or row.get("conversations"), "user")
    answers = [place for place, turn in enumerate(turns) if turn["role"] == "assistant" and place]
    if not answers:
        raise Unusable("a conversation without an answer")
    for place in answers:
        yield _example(turns[:place], turns[place : place + 1])


def _alpaca(row: Row) -> Iterator[Answered]:
    parts = [str(part).strip() for part in (row.get("instruction"), row.get("input")) if part and str(part).strip()]
    yield _example(_turns("\n\n".join(parts), "user"), _turns(row.get("output"), "assistant"))


def _orca(row: Row) -> Iterator[Answered]:
    system = row.get("system_prompt")
    asked = [{"role": "system", "content": system}] if isinstance(system, str) and system.strip() else []
    yield _example([*asked, *_turns(row.get("question"), "user")], _turns(row.get("response"), "assistant"))


def _read_reasoned(row: Row) -> Iterator[Answered]:
    """OpenCodeReasoning: its split_1, and OpenCodeReasoning-2, name a question of another data set in place of it."""
    question, answer = row.get("input", row.get("question")), row.get("output", row.get("r1_generation"))
    if not isinstance(question, str) or question.strip() in ("", "-"):
        raise Unusable("its question stands in another data set, by `dataset`, `split` and `index`: put it in")
    if row.get("judgement") not in (None, "right"):
        raise Unusable("an answer that was judged to be wrong")
    yield _example(_turns(question, "user"), _turns(answer, "assistant"))


def _read_preferred(row: Row) -> Iterator[Answered]:
    asked = row.get("prompt") or row.get("conversations")
    whole = not asked and all(str(row.get(name)).startswith(_HUMAN) for name in ("chosen", "rejected"))
    chosen, rejected = (
        _split_turns(str(row[name])) if whole else _turns(row.get(name), "assistant") for name in ("chosen", "rejected")
    )
    alike = len([1 for one, other in takewhile(lambda pair: pair[0] == pair[1], zip(chosen, rejected, strict=False))])
    if not alike or (isinstance(row.get("chosen"), str) and not whole):
        if not asked:
            raise Unusable("answers that do not begin with a common prompt, and no column prompt")
        yield _example(_turns(asked, "user"), chosen, rejected)
        return
    if min(len(chosen), len(rejected)) == alike:
        raise Unusable("the chosen answer is the rejected one")
    yield _example(chosen[:alike], chosen[alike:], rejected[alike:])


def _ultrafeedback(row: Row) -> Iterator[Answered]:
    scored = [
        (float(one["overall_score"]), str(one["response"]))
        for one in row.get("completions") or ()
        if one.get("response") and isinstance(one.get("overall_score"), int | float)
    ]
    if len(scored) < 2 or max(scored)[0] == min(scored)[0]:
        raise Unusable("no two answers with different scores")
    best, worst = (pick(scored, key=lambda one: one[0])[1] for pick in (max, min))
    prompt, *answers = (
        _turns(text, role)
        for text, role in ((row.get("instruction"), "user"), (best, "assistant"), (worst, "assistant"))
    )
    yield _example(prompt, *answers)


def _example(prompt: list[Message], *answers: list[Message]) -> Answered:
    if not any(turn["content"].strip() for turn in prompt if turn["role"] != "system"):
        raise Unusable("no prompt")
    for answer in answers:
        if not answer or answer[-1]["role"] != "assistant" or not answer[-1]["content"].strip():
            raise Unusable("an empty answer")
    if len(answers) == 2 and answers[0] == answers[1]:
        raise Unusable("the chosen answer is the rejected one")
    return Answered(prompt, answers)


def _split_turns(text: str) -> list[Message]:
    """The turns of a chat that is written as one text."""
    found = []
    for turn in text.split(_HUMAN)[1:]:
        asked, *answers = turn.split(_ASSISTANT)
        found.append({"role": "user", "content": asked.strip()})
        found += [{"role": "assistant", "content": answer.strip()} for answer in answers]
    return found


def _turns(value: object, role: str) -> list[Message]:
    """The turns of a chat; text is one turn of this role, and one turn is a chat."""
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, Sequence) or not all(isinstance(turn, Mapping) for turn in value):
        raise Unusable("neither text nor messages")
    found = []
    for turn in value:
        who, content = turn.get("role", turn.get("from")), turn.get("content", turn.get("value"))
        if not isinstance(who, str) or not isinstance(content, str):
            raise Unusable("a message without a role, or whose content is no text")
        found.append({"role": _ROLES.get(who, who), "content": content})
    return found


_SINGLE: Mapping[tuple[str, ...], tuple[str, Reader]] = {
    ("prompt", "completion"): ("prompt and completion", _read_completed),
    ("messages",): ("messages", _conversation),
    ("conversations",): ("conversations", _conversation),
    ("instruction", "output"): ("alpaca", _alpaca),
    ("question", "response"): ("openorca", _orca),
    ("input", "output", "solution"): ("opencodereasoning", _read_reasoned),
    ("question", "r1_generation"): ("opencodereasoning-2", _read_reasoned),
}
_PAIRS: Mapping[tuple[str, ...], tuple[str, Reader]] = {
    ("chosen", "rejected"): ("chosen and rejected", _read_preferred),
    ("instruction", "completions"): ("ultrafeedback", _ultrafeedback),
}
