"""Take the program out of a model's completion.

A block is complete when its closing fence (the same character, at least as many, no info string) stands on a line of
its own, as in CommonMark. A fence with an info string always opens a block, so that one closing fence forgotten earlier
does not turn code into prose for the rest of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\r\n]*)\r?\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    code: str
    #: First word of the block's info string, in lower case ("cpp"); None: no block, or none given.
    tag: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    code: str
    tag: str | None
    #: False: the text ended, or another block began, before its closing fence.
    closed: bool


def extract(completion: str) -> Extracted:
    """The last complete fenced block of `completion`, or the whole text if it has none."""
    found = Extracted(code=completion)
    for block in blocks(completion):
        if block.closed:
            found = Extracted(code=block.code, tag=block.tag)
    return found


def blocks(text: str) -> Iterator[Block]:
    """All fenced blocks, in their order."""
    fence, tag, body = "", "", list[str]()
    for line in text.splitlines(keepends=True):
        match = _FENCE.fullmatch(line)
        info = match["info"].strip() if match else ""
        if match is None or "`" in info:  # back-ticks in an info string: inline code, not a fence
            body.append(line)
        elif fence and not info and match["fence"].startswith(fence):
            yield Block(code="".join(body), tag=tag or None, closed=True)
            fence = ""
        elif not fence or (info and match["fence"][0] == fence[0]):
            if fence:
                yield Block(code="".join(body), tag=tag or None, closed=False)
            fence, body = match["fence"], []
            tag = info.split()[0].lower() if info else ""
        else:
            body.append(line)
    if fence:
        yield Block(code="".join(body), tag=tag or None, closed=False)
