"""Finds the program in a completion, by the same rules for trainers, rows of a batch and the service:

1. The text is that of the last assistant message (a completion is a string, or a list of messages whose content is a
   string, a list of parts, or missing). Special tokens are no text.
2. Thinking holds no program, whether it was finished or not. It is known from the end of the prompt, or of the chat
   template, and from the marks of the model's family (`judge.languages.answers`).
3. Only complete blocks count: a block without its closing fence was cut off, unless the prompt opened it
   (`judge.languages.fences`).
4. If a language is wanted, the program is the last block whose tag names a language of its family (``c++20`` or ``cc``
   where cpp17 is wanted), else the last block without a tag. If none is wanted, it is the last block whose tag names
   one of the languages that a completion may choose, else the last without a tag. A language of commands (bash) gives
   way to both. Blocks of other tags (``text``) are never the program, nor is one without a tag below a line that says
   "Output:" or of numbers alone, if another is there.
5. The language is the wanted one, else the tag's, else None: the caller's default.

An earlier block is never taken because the chosen one is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judge import languages
from judge.common.config import CHOSEN_LANGUAGES
from judge.languages.answers import Answer
from judge.languages.fences import Block, language_of
from judge.languages.turns import Completion, is_completion, read_answer

__all__ = ["Block", "Completion", "Extracted", "Reason", "answer", "extract", "is_completion", "read_answer"]


class Reason(StrEnum):
    """Why a completion holds no program."""

    NO_FENCE = "no-fence"
    #: It ended inside a block, and no other was complete, or inside its thinking.
    UNCLOSED = "unclosed"
    WRONG_LANGUAGE = "wrong-language"
    #: No language was wanted, and completions may not choose that of the block.
    NOT_TO_CHOOSE = "not-to-choose"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A program, or the reason why there is none: either `code` or `reason` is None."""

    code: str | None = None
    #: The judge's name of the language; None: no language was wanted, and the tag names none.
    language: str | None = None
    reason: Reason | None = None
    #: No language was wanted: the completion chose it, by its tag or by having none.
    chosen: bool = False


def extract(
    completion: Completion,
    language: str | None = None,
    *,
    prompt: Completion | None = None,
    template_end: str = "",
    may_choose: Collection[str] = CHOSEN_LANGUAGES,
) -> Extracted:
    """The program of a completion.

    Args:
        language: the wanted one, by a name or alias that the judge knows.
        prompt: what the model was asked, as text or messages.
        template_end: what the chat template writes behind a prompt of messages, where it may open the thinking.
        may_choose: where no language is wanted, the completion's tag may name one of the families of these.

    Raises:
        LanguageError: the judge does not know the wanted language, or one of `may_choose`.
        TypeError: completion or prompt is neither text nor messages.
    """
    wanted = None if language is None else languages.get(language)
    found = read_answer(completion, prompt, template_end, family=wanted.family if wanted else None)
    closed = [(block, language_of(block.tag)) for block in found.blocks if block.closed]
    if not closed:
        return Extracted(reason=Reason.UNCLOSED if found.blocks or found.unfinished else Reason.NO_FENCE)
    block = _choose_block(closed, _families((language,) if language is not None else may_choose))
    if block is None:
        named = any(its is not None for _, its in closed)
        return Extracted(reason=Reason.NOT_TO_CHOOSE if wanted is None and named else Reason.WRONG_LANGUAGE)
    if not block.code.strip():
        return Extracted(reason=Reason.EMPTY)
    spoken = wanted or language_of(block.tag)
    return Extracted(code=block.code, language=spoken.name if spoken else None, chosen=wanted is None)


def answer(
    completion: Completion,
    prompt: Completion | None = None,
    template_end: str = "",
    *,
    without: Collection[str] = (),
) -> str | None:
    """The text without the thinking, as `read_answer` finds it; None: the thinking never ended.

    Raises:
        TypeError: completion or prompt is neither text nor messages.
    """
    found: Answer = read_answer(completion, prompt, template_end, without=without)
    return None if found.unfinished and not found.text.strip() else found.text


def _families(names: Collection[str]) -> frozenset[str]:
    return frozenset(languages.get(name).family for name in names)


def _choose_block(closed: Sequence[tuple[Block, languages.Language | None]], families: Collection[str]) -> Block | None:
    """The last block that fits best."""
    named = [(block, its) for block, its in closed if its is not None and its.family in families]
    bare = [block for block, _ in closed if block.tag is None]
    ranks = (
        [block for block, its in named if not its.commands or len(families) == 1],  # how to compile it is no program
        [block for block in bare if not block.data],
        bare,
        [block for block, _ in named],
    )
    return next((blocks[-1] for blocks in ranks if blocks), None)
