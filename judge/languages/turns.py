"""The texts of a completion and of its prompt, as trainers hand them over: text, or messages.

A prompt may begin the answer: a chat template that ends with `<think>`, a message of the assistant to be gone on with,
a text whose last line opens a fence.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judge.common.marks import ANSWER_BEGINS, ANSWER_ENDS, HARMONY, SPECIAL
from judge.languages.answers import Answer, mark_at_end, read_open_block, read_text
from judge.languages.fences import Kind, read_fence

#: As trainers give it: text, or messages `{"role": …, "content": …}`.
Completion = str | Sequence[Mapping[str, Any]]

_TAG_CHARACTERS = 200
_ANSWERING = frozenset(("assistant", "model"))
#: The kinds of a message's parts that are its text.
_TEXT_PARTS = frozenset((None, "text", "output_text", "input_text"))


def is_completion(value: object) -> bool:
    """Whether it is text, messages, or None: an answer that is missing."""
    if value is None or isinstance(value, str):
        return True
    if isinstance(value, (bytes, bytearray)) or not isinstance(value, Sequence):
        return False
    return all(isinstance(message, Mapping) for message in value)


def read_answer(
    completion: Completion,
    prompt: Completion | None = None,
    template_end: str = "",
    *,
    without: Collection[str] = (),
    family: str | None = None,
) -> Answer:
    """The answer of a completion: of its last message of the assistant.

    Args:
        prompt: what the model was asked.
        template_end: what the chat template writes behind a prompt of messages.
        without: marks of thinking that the task asks for in the answer.
        family: of the language of a block that names none.

    Raises:
        TypeError: completion or prompt is neither text nor messages.
    """
    for name, value in (("completion", completion), ("prompt", prompt)):
        if not is_completion(value):
            raise TypeError(f"a {name} is of type {type(value).__name__}: give text, or a list of messages")
    answers = [completion] if isinstance(completion, str) else _answers(completion)
    text = answers[-1] if answers else ""
    if text is None:
        return Answer(unfinished=True)
    begun = begin_of_answer(prompt if len(answers) < 2 else None, template_end)
    if begun[-1:] not in {"", "\n", "\r"} and text[:1] not in {"\n", "\r"} and _ends_its_line(begun, text):
        begun += "\n"
    final = _final_channel(begun + text)
    if final is None:
        return read_text(text, begun, without=without, family=family)
    return read_text(final, without=without, family=family) if final else Answer(unfinished=True)


def _ends_its_line(begun: str, text: str) -> bool:
    """Whether a fence ends what the prompt wrote, and the answer does not go on with its tag; or one with a tag begins
    the answer."""
    line, first = begun.splitlines()[-1], text[:_TAG_CHARACTERS].splitlines()[0] if text else ""
    own = read_fence(first)
    if own is not None and own.kind is Kind.OPENS and not own.late:
        return True
    fence, tagged = read_fence(line), read_fence(line + first)
    goes_on = tagged is not None and tagged.kind is Kind.OPENS
    return fence is not None and (bool(fence.info) or not goes_on)


def begin_of_answer(prompt: Completion | None, template_end: str = "") -> str:
    """What the prompt wrote of the answer."""
    if isinstance(prompt, str):
        return _end_of_text(prompt)
    if prompt:
        last = _content(prompt[-1].get("content"))
        if prompt[-1].get("role") in _ANSWERING:
            return last
        if begun := _end_of_text(template_end):
            return begun
        if begins := list(ANSWER_BEGINS.finditer(last)):  # a trainer that keeps the template's text in its messages
            return _drop_end_marks(last[begins[-1].end() :])
    return _end_of_text(template_end)


@functools.lru_cache(256)
def _end_of_text(prompt: str) -> str:
    """Behind the template's mark; else the mark of thinking at its end, or the block that it leaves open."""
    begins = [match.end() for match in ANSWER_BEGINS.finditer(prompt)]
    if begins and (begun := _drop_end_marks(prompt[begins[-1] :])):
        return begun
    channels = [match for match in HARMONY.finditer(prompt) if match.end() == len(prompt.rstrip())]
    return channels[0][0] if channels else mark_at_end(prompt.rstrip()) or read_open_block(prompt)


def _drop_end_marks(text: str) -> str:
    return "" if ANSWER_ENDS.search(text) else text


def _answers(messages: Sequence[Mapping[str, Any]] | None) -> list[str | None]:
    """The texts of the assistant; None: the message is thinking."""
    return [
        _content(message.get("content")) if message.get("channel") in (None, "final") else None  # gpt-oss
        for message in messages or ()
        if message.get("role") in _ANSWERING
    ]


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(map(_part, content)) if isinstance(content, Sequence) else ""


def _part(part: object) -> str:
    """Parts of reasoning, of tools and of pictures are no text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in _TEXT_PARTS or part.get("thought"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _final_channel(text: str) -> str | None:
    """The answer of gpt-oss: its messages on channel `final`; empty: there is none; None: there are no channels."""
    found = list(HARMONY.finditer(text))
    if not found or not (found[0][0].startswith("<|start|>") or not SPECIAL.sub("", text[: found[0].start()]).strip()):
        return None
    ends = [following.start() for following in found[1:]] + [len(text)]
    return "\n".join(
        text[message.end() : end] for message, end in zip(found, ends, strict=True) if message["channel"] == "final"
    )
