"""Finds the program in a completion, by the same rules for trainers and for rows of a batch:

1. The text is that of the last assistant message (a completion is a string, or a list of messages whose content is a
   string, a list of parts, or missing).
2. What stands before the last ``</think>`` is thinking. A text that begins with ``<think>`` and never ends it is all
   thinking, and holds no program.
3. Only complete blocks count: a block without its closing fence was cut off. A closing fence (the same character, at
   least as many, no info string) stands on a line of its own, as in CommonMark. A fence with an info string always
   opens a block, so that one forgotten closing fence does not turn all later code into prose. Wider than CommonMark,
   as models write: a fence may be indented as far as its list is (as much is taken off the lines of the block), and
   may end a line of prose if its tag names a language (``Here it is: ```cpp``).
4. If a language is wanted, the program is the last block whose tag names a language of its family (``c++20`` or ``cc``
   where cpp17 is wanted), else the last block without a tag. If none is wanted, it is the last block whose tag names a
   language that the judge knows, else the last without a tag; a language of commands (bash) gives way to both.
   Blocks of other tags (``text``) are never the program.
5. The language is the wanted one, else the tag's, else None: the caller's default.

An earlier block is never taken because the chosen one is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judge import languages

#: As trainers give it: text, or messages `{"role": …, "content": …}`.
Completion = str | Sequence[Mapping[str, Any]]

_FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\r\n]*)\r?\n?")
#: A fence at the end of a line of prose: the last, with a tag and nothing after it.
_LATE = re.compile(r"(?<!`)(?P<fence>`{3,}+)[ \t]*+(?P<info>[^`\s]++)\s*+\Z")
#: The tail of a line that `_LATE` is looked for in: a tag is short.
_LATE_CHARACTERS = 100
_THINK, _THOUGHT = "<think>", "</think>"
#: ``cpp``, ``{.cpp .numberLines}``, ``cpp:main.cpp``, ``cpp{1,3}``, ``language-cpp``
_TAG = re.compile(r"\{?\.?(?:lang(?:uage)?[-=:])?([a-z0-9+#_.-]+)")
#: What tags call C++ that is no name of a language of ours: a file's suffix, or a standard that there is none for.
_CPP_TAG = re.compile(r"cplusplus|cc|hpp|hxx|hh|h\+\+|(?:gnu)?(?:c\+\+|cpp|cplusplus|cxx)[0-9][0-9a-z]")
_CPP = "cpp17"


class Reason(StrEnum):
    """Why a completion holds no program."""

    NO_FENCE = "no-fence"
    #: It ended inside a block, and no other was complete, or inside its thinking.
    UNCLOSED = "unclosed"
    WRONG_LANGUAGE = "wrong-language"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    code: str
    tag: str | None
    #: False: the text ended, or another block began, before its closing fence.
    closed: bool


def extract(completion: Completion, language: str | None = None) -> Extracted:
    """The program of a completion; `language` is the wanted one, by a name or alias that the judge knows.

    Raises:
        LanguageError: the judge does not know the wanted language.
        TypeError: the completion is neither text nor messages.
    """
    wanted = None if language is None else languages.get(language)
    text = answer(completion)
    if text is None:
        return Extracted(reason=Reason.UNCLOSED)
    found = list(blocks(text))
    closed = [(block, _language(block.tag)) for block in found if block.closed]
    if not closed:
        return Extracted(reason=Reason.UNCLOSED if found else Reason.NO_FENCE)
    chosen = [pair for pair in closed if pair[1] and (not wanted or pair[1].family == wanted.family)]
    if wanted is None:  # how to compile and run it is no program
        commands = [pair for pair in chosen if pair[1] and pair[1].commands]
        chosen = (
            [pair for pair in chosen if pair not in commands]
            or [pair for pair in closed if pair[0].tag is None]
            or commands
        )
    chosen = chosen or [pair for pair in closed if pair[0].tag is None]
    if not chosen:
        return Extracted(reason=Reason.WRONG_LANGUAGE)
    block, named = chosen[-1]
    if not block.code.strip():
        return Extracted(reason=Reason.EMPTY)
    spoken = wanted or named
    name = spoken.name if spoken else None
    return Extracted(code=block.code, language=name, chosen=wanted is None)


def is_completion(value: object) -> bool:
    """Whether it is text, messages, or None: an answer that is missing."""
    if value is None or isinstance(value, str):
        return True
    if isinstance(value, (bytes, bytearray)) or not isinstance(value, Sequence):
        return False
    return all(isinstance(message, Mapping) for message in value)


def answer(completion: Completion) -> str | None:
    """The text after the thinking; None: the thinking never ended.

    Raises:
        TypeError: it is neither text nor messages.
    """
    if not is_completion(completion):
        raise TypeError(f"a completion is of type {type(completion).__name__}: give text, or a list of messages")
    text = _text(completion)
    _, end, after = text.rpartition(_THOUGHT)
    if not end and after.lstrip().startswith(_THINK):
        return None
    return after


def _text(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    for message in reversed(completion or ()):
        if message.get("role") == "assistant":
            return _content(message.get("content"))
    return ""


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _language(tag: str | None) -> languages.Language | None:
    match = _TAG.match(tag or "")
    if match is None:
        return None
    return languages.known(match[1]) or (languages.get(_CPP) if _CPP_TAG.fullmatch(match[1]) else None)


@dataclass(slots=True)
class _Open:
    """A block whose closing fence was not met yet."""

    fence: str
    indent: str
    tag: str
    body: list[str]

    def block(self, *, closed: bool) -> Block:
        return Block(code="".join(self.body), tag=self.tag or None, closed=closed)

    def add(self, line: str) -> None:
        """Without the indentation of the fence, as far as the line has it."""
        if self.indent and not line.startswith(self.indent):
            most = len(self.indent)
            self.body.append(line[:most].lstrip(" \t") + line[most:])
        else:
            self.body.append(line[len(self.indent) :])


def blocks(text: str) -> Iterator[Block]:
    """All fenced blocks, in their order."""
    opened: _Open | None = None
    for line in text.splitlines(keepends=True):
        match = _FENCE.fullmatch(line)
        info = match["info"].strip() if match else ""
        if match is None or "`" in info:  # back-ticks in an info string: inline code, not a fence
            late = _late(line) if opened is None else None
            if late is not None:
                opened = _Open(late["fence"], "", late["info"].lower(), [])
            elif opened is not None:
                opened.add(line)
        elif opened is not None and not info and match["fence"].startswith(opened.fence) and _closes(match, opened):
            yield opened.block(closed=True)
            opened = None
        elif _opens(match, info, opened):
            if opened is not None:
                yield opened.block(closed=False)
            opened = _Open(match["fence"], match["indent"], info.split()[0].lower() if info else "", [])
        elif opened is not None:
            opened.add(line)
    if opened is not None:
        yield opened.block(closed=False)


def _late(line: str) -> re.Match[str] | None:
    """A fence that ends a line of prose."""
    match = _LATE.search(line, max(0, len(line) - _LATE_CHARACTERS))
    return match if match is not None and _language(match["info"].lower()) is not None else None


def _closes(match: re.Match[str], opened: _Open) -> bool:
    """It is indented no more than CommonMark lets it be, beside its opening."""
    return len(match["indent"]) <= len(opened.indent) + 3


def _opens(match: re.Match[str], info: str, opened: _Open | None) -> bool:
    """Within a block: one of the same kind with an info string, unless its program prints it, far to the right."""
    if opened is None:
        return True
    return bool(info) and match["fence"][0] == opened.fence[0] and len(match["indent"]) <= len(opened.indent) + 3
