"""Reads the text of a completion line by line: what of it is thinking, what is its answer, and the answer's blocks.

    text ──► lines ──► thinking | prose | block ──► Answer

Thinking begins
  at the beginning of the text, or of a line outside of blocks, with the mark of a family (`judge.common.marks`);
  within a line, if its closing mark follows.
It ends at its own closing mark outside of the blocks of the thinking, or in a block that the mark cut off. A mark in
back-ticks or quotation marks is only spoken of. A closing mark without an opening one shows that the prompt opened the
thinking, unless some has ended already: then it ends nothing. What never ends holds no program.

A fence within a string or a comment of a program is text, if the block goes on behind it: another fence closes it where
the program is within none. Else the program was cut off, and the fence closes its block.

Time is linear: a line is read again only after thinking whose marks contradict each other, or to find the end
of a string, and that not often.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from judge.common.marks import ANSWER_BEGINS, SPECIAL, THOUGHT_DETAILS, THOUGHT_TAG, THOUGHT_TOKEN, THOUGHTS, Thought
from judge.languages.fences import (
    Block,
    Fence,
    OpenBlock,
    is_markup,
    language_of,
    read_fence,
    read_inline,
    says_data,
    split_at_fence,
    without_markup,
)
from judge.languages.spans import Within, follow, has_spans

#: Thought of each mark, and whether it opens.
MARKS: Mapping[str, tuple[Thought, bool]] = {
    mark.lower(): (thought, opens)
    for thought in THOUGHTS
    for mark, opens in ((thought.opening, True), (thought.closing, False))
    if mark and not (opens and thought.first)
}


def _drop_names(pattern: re.Pattern[str]) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern)


_MARK = re.compile(
    "|".join(
        (
            *(
                f"[{re.escape(mark[0] + mark[0].upper())}](?i:{re.escape(mark[1:])})"
                for mark in sorted(MARKS, key=len, reverse=True)
            ),
            *(f"(?i:{_drop_names(tag)})" for tag in (THOUGHT_TAG, THOUGHT_TOKEN, THOUGHT_DETAILS)),
        )
    )
)
#: No mark has more characters.
_LONGEST_MARK = 200
#: What may stand before the first mark of a text.
_BLANK = re.compile(rf"(?:[\s\ufeff\u200b]|{SPECIAL.pattern})*+")
_QUOTES = frozenset("`\"'“”‘’「」«»")
#: How often thinking is read again because its marks contradict each other.
_MOST_RETURNS = 8
#: How many fences are looked at to find out whether a block is closed.
_MOST_FENCES = 64
#: How often the end of a string is looked for in vain.
_MOST_LOOKS = 8
#: How often a line is cut at a mark; what follows is prose.
_MOST_CUTS = 32
#: How much text beside a mark is looked at.
_BESIDE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    #: Without the thinking.
    text: str = ""
    blocks: tuple[Block, ...] = ()
    #: The completion ended within its thinking.
    unfinished: bool = False


def read_text(text: str, begun: str = "", *, without: Collection[str] = (), family: str | None = None) -> Answer:
    """`begun`: what the prompt wrote of the answer. `without`: opening marks that are part of the answer. `family`: of
    the language of a block that names none."""
    return _Reader(begun, text, without, family).read()


def _hides(within: Within | None, fence: Fence) -> bool:
    return within is not None and within.hides(fence.fence)


def read_open_block(prompt: str) -> str:
    """The end of a prompt from the opening of the block that it leaves open, if that may be a program's; else empty.
    From the thinking on in which it stands, if there is any: a draft is no program."""
    block = _Reader("", prompt, [thought.opening for thought in THOUGHTS]).read_open_block()
    return block and (_Reader("", prompt, ()).read_open_thinking() or block)


def read_mark(mark: str) -> tuple[Thought, bool]:
    """The thinking that a mark belongs to, and whether it begins there."""
    if (known := MARKS.get(mark.lower())) is not None:
        return known
    if (token := THOUGHT_TOKEN.fullmatch(mark)) is not None:
        name = f"|{token['name'].lower()}|"
        opens = not {part.strip("_ ").lower()[:3] for part in (token["begins"], token["ends"]) if part} & {"/", "end"}
    elif (tag := THOUGHT_TAG.fullmatch(mark)) is not None:
        name, opens = tag["name"].lower(), not tag["closes"]
    else:
        return Thought(opening="<details>", closing="</details>", ends_alone=False), mark[1] != "/"
    return MARKS.get(f"<{name}>", (Thought(opening=f"<{name}>", closing=f"</{name}>"), True))[0], opens


def mark_at_end(text: str) -> str:
    """The opening mark that a text ends with; empty: none."""
    begin = max(0, len(text) - _LONGEST_MARK)
    found = [match for match in _MARK.finditer(text, begin) if match.end() == len(text)]
    return found[-1][0] if found and read_mark(found[-1][0])[1] else ""


@dataclass(slots=True, kw_only=True)
class _Thinking:
    thought: Thought
    #: Line and place behind the opening mark.
    begin: tuple[int, int]
    #: It began within a line: without its closing mark it is none.
    doubtful: bool
    depth: int = 1
    #: Only white space since the opening mark.
    fresh: bool = True
    block: OpenBlock | None = None
    #: Line and place behind the last closing mark.
    last: tuple[int, int] | None = None


@dataclass(slots=True)
class _Reader:
    begun: str
    completion: str
    without: Collection[str]
    #: Of the language of a block that names none.
    family: str | None = None
    _lines: list[str] = field(default_factory=list)
    #: Of whole lines.
    _fences: dict[int, Fence] = field(default_factory=dict)
    _fenced: list[int] = field(default_factory=list)
    #: Line and place where the prompt ended.
    _prompt_end: tuple[int, int] = (0, 0)
    #: The line that is read, and from where.
    _at: int = 0
    _from: int = 0
    _cuts: int = 0
    _returns: int = 0
    _looks: int = 0
    _text: list[str] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _block: OpenBlock | None = None
    _thinking: _Thinking | None = None
    #: Some thinking has begun: a closing mark alone ends nothing any more.
    _has_thought: bool = False
    #: The last line of prose.
    _before: str = ""

    def read(self) -> Answer:
        self._read_lines()
        if self._block is not None:
            self._end_block(self._block, closed=self._block.by_prompt)
        blocks = [block for block in self._blocks if not block.inline] or self._blocks
        return Answer(text="".join(self._text), blocks=tuple(blocks), unfinished=self._thinking is not None)

    def read_open_block(self) -> str:
        self._read_lines()
        block = self._block
        if block is None or not (language_of(block.fence.tag) or not "".join(block.body).strip()):
            return ""
        return "".join(self._lines[block.line :])

    def read_open_thinking(self) -> str:
        self._read_lines()
        if self._thinking is None or self._thinking.doubtful:
            return ""
        line, place = self._thinking.begin
        return self._thinking.thought.opening + "".join(self._lines[line:])[place:]

    def _read_lines(self) -> None:
        self._split()
        self._begin()
        while self._at < len(self._lines) or self._return():
            fence = self._fence()
            if self._thinking is not None:
                self._think(self._thinking, fence)
            elif self._block is not None:
                self._read_program(self._block, fence)
            else:
                self._read_prose(fence)

    def _split(self) -> None:
        self._lines = list(io.StringIO(self.begun + self.completion, newline=""))
        begun = list(io.StringIO(self.begun, newline=""))
        cut = bool(begun) and begun[-1][-1] not in "\r\n"
        self._prompt_end = (len(begun) - 1, len(begun[-1])) if cut else (len(begun), 0)
        self._fences = {at: fence for at, line in enumerate(self._lines) if (fence := read_fence(line)) is not None}
        self._fenced = list(self._fences)

    def _begin(self) -> None:
        """Thinking whose opening mark is a plain word, at the beginning of the text."""
        at = next((at for at, line in enumerate(self._lines) if _BLANK.fullmatch(line) is None), None)
        if at is None:
            return
        blank = _BLANK.match(self._lines[at])
        start = blank.end() if blank else 0
        mark = _MARK.search(self._lines[at])
        if mark is not None and mark.start() < start:  # some special tokens are marks
            return
        for thought in THOUGHTS:
            if thought.first and thought.opening not in self.without and self._begins_with(thought, at, start):
                self._at = at
                self._cut(start + len(thought.opening))
                self._start_thinking(thought, doubtful=False)
                return

    def _begins_with(self, thought: Thought, at: int, start: int) -> bool:
        line = self._lines[at].replace("\r", "\n")
        if not line.startswith(thought.opening, start):
            return False
        follows = line[start + len(thought.opening) : start + len(thought.opening) + 1]
        if not thought.opening[-1].isalpha():
            return True
        return bool(follows == "\n" or (follows and (follows.isalnum() or follows in "*#<`(\"'"))) or (
            thought.closing in self.completion
        )

    # Where we are.

    def _fence(self) -> Fence | None:
        """The fence of what is left of the line; its place is that in the whole line."""
        if not self._from:
            return self._fences.get(self._at)
        found = read_fence(self._lines[self._at][self._from :]) if self._cuts < _MOST_CUTS else None
        return None if found is None else found.move_by(self._from)

    def _next(self) -> None:
        self._at, self._from, self._cuts = self._at + 1, 0, 0

    def _cut(self, place: int) -> None:
        """Go on in the same line."""
        self._from, self._cuts = place, self._cuts + 1
        if place >= len(self._lines[self._at]):
            self._next()

    def _return(self) -> bool:
        """At the end of the text, within thinking: where its marks contradict each other, or it was none, go back to
        behind the mark that decides."""
        thinking = self._thinking
        if thinking is None or self._returns == _MOST_RETURNS:
            return False
        behind = thinking.last or (thinking.begin if thinking.doubtful else None)
        if behind is None:
            return False
        self._returns += 1
        self._thinking, (self._at, self._from), self._cuts = None, behind, 1
        return self._at < len(self._lines)

    def _marks(self, end: int) -> Iterator[tuple[re.Match[str], Thought, bool]]:
        """The marks in what is left of the line, before `end`, and whether each opens."""
        if self._cuts >= _MOST_CUTS:
            return
        line = self._lines[self._at]
        for match in _MARK.finditer(line, self._from, end):
            thought, opens = read_mark(match[0])
            if thought.opening not in self.without and not _is_spoken_of(line, match):
                yield match, thought, opens

    # Thinking.

    def _start_thinking(self, thought: Thought, *, doubtful: bool) -> None:
        self._thinking = _Thinking(thought=thought, begin=(self._at, self._from), doubtful=doubtful)
        self._has_thought = self._has_thought or not doubtful

    def _think(self, thinking: _Thinking, fence: Fence | None) -> None:
        block, line = thinking.block, self._lines[self._at]
        if block is not None and fence is not None and block.is_closed_by(fence):
            thinking.block = None
            self._cut(fence.end)
            return
        opening = fence if fence is not None and (block is None or block.is_broken_by(fence)) else None
        for match, thought, opens in self._marks(len(line) if opening is None else opening.start):
            if thought == thinking.thought and self._is_ended(thinking, match, opens=opens):
                self._thinking, self._has_thought = None, True
                self._cut(match.end())
                return
        if opening is not None:
            thinking.block = OpenBlock(fence=opening, line=self._at)
        thinking.fresh = thinking.fresh and not line[self._from :].strip()
        self._next()

    def _is_ended(self, thinking: _Thinking, mark: re.Match[str], *, opens: bool) -> bool:
        """Whether this mark of its own ends the thinking."""
        line = self._lines[self._at]
        if thinking.block is not None:
            return not opens and (self._cuts_off(thinking.block, mark) or not self._is_closed_later(thinking.block))
        if opens:  # some models write again what the prompt ended with
            again = thinking.fresh and not line[max(self._from, mark.start() - _BESIDE) : mark.start()].strip()
            thinking.depth += 0 if again else 1
            return False
        thinking.depth -= 1
        thinking.last = (self._at, mark.end()) if mark.end() < len(line) else (self._at + 1, 0)
        return thinking.depth == 0

    def _cuts_off(self, block: OpenBlock, mark: re.Match[str]) -> bool:
        """Whether a closing mark within a block cut that off; else it stands in the program."""
        line = self._lines[self._at]
        behind = line[mark.end() : mark.end() + _BESIDE]
        if without_markup(behind).startswith(("```", "~~~")):
            return True
        return len(line) - mark.end() <= _BESIDE and is_markup(behind) and not self._is_closed_later(block)

    def _is_closed_later(self, block: OpenBlock) -> bool:
        """Whether its closing fence follows: of those before the next opening one, all others come in pairs."""
        beside = self._fences.get(self._at)
        if beside is not None and beside.late and beside.info:
            return False
        closings = 0
        first = bisect_right(self._fenced, self._at)
        for at in self._fenced[first : first + _MOST_FENCES]:
            fence = self._fences[at]
            if block.is_closed_by(fence):
                closings += 1
            elif fence.late or block.is_broken_by(fence):
                break
        return closings % 2 == 1

    # The answer.

    def _read_prose(self, fence: Fence | None) -> None:
        line = self._lines[self._at]
        for match, thought, opens in self._marks(len(line) if fence is None else fence.start):
            if opens:
                before, behind = line[self._from : match.start()], line[match.end() :]
                begun = ANSWER_BEGINS.sub("", before, count=1) if len(before) <= _BESIDE else before
                alone = any(len(text) <= _BESIDE and is_markup(text) for text in (begun, behind))
                self._text.append(before)
                self._cut(match.end())
                self._start_thinking(thought, doubtful=not alone)
                return
            if not self._has_thought and thought.ends_alone and not self._is_in_a_sentence(match):
                self._drop(match)
                return
        self._text.append(line[self._from :])
        if fence is not None:
            self._open_block(fence)
        elif (whole := read_inline(line[self._from :])) is not None and (self._at, self._from) >= self._prompt_end:
            self._blocks.append(whole)
        elif line.strip():
            self._before = line
        self._next()

    def _is_in_a_sentence(self, mark: re.Match[str]) -> bool:
        """Whether later prose speaks of a closing mark: a whole block stands above, and the sentence goes on."""
        line, above = self._lines[self._at], any(block.closed for block in self._blocks)
        before = line[max(0, mark.start() - 2) : mark.start()]
        return above and before[:1].isalpha() and before[1:] == " " and _goes_on(line[mark.end() : mark.end() + 2])

    def _read_program(self, block: OpenBlock, fence: Fence | None) -> None:
        line = self._lines[self._at]
        if block.by_prompt and self._begins_thinking(block):
            self._block = None
            return
        if fence is not None and self._is_text(block, fence):
            fence = None
        if fence is not None and (block.is_closed_by(fence) or self._is_last_to_close(block, fence)):
            block.closed_at = fence.width
            self._close(block, fence.end)
            return
        opening = fence if fence is not None and block.is_broken_by(fence) else None
        end = len(line) if opening is None else opening.start
        for match, thought, opens in () if self._has_thought else self._marks(end):
            if not opens and thought.ends_alone and self._cuts_off(block, match):
                self._drop(match)
                return
        if opening is not None:
            self._text.append(line[self._from :])
            self._end_block(block, closed=False)
            self._open_block(opening)
            self._next()
            return
        stands = (fence is not None and not (fence.late and not fence.info)) or self._at < block.text_until
        inner = None if stands else split_at_fence(line[self._from :], block.fence.fence)
        if inner is not None and not self._is_closed_later(block):
            block.body.append(line[self._from : self._from + inner.start])
            self._close(block, self._from + inner.end)
            return
        block.body.append(line[self._from :])
        self._text.append(line[self._from :])
        self._next()

    def _is_last_to_close(self, block: OpenBlock, fence: Fence) -> bool:
        return block.may_be_closed_by(fence) and not block.within() and not self._is_closed_later(block)

    def _is_text(self, block: OpenBlock, fence: Fence) -> bool:
        """Whether a fence lies within a string or a comment of the program."""
        if self._at < block.text_until:
            return True
        if not (block.is_closed_by(fence) or block.is_broken_by(fence)) or not _hides(block.within(), fence):
            return False
        if self._looks == _MOST_LOOKS:
            return False
        end = self._find_closing(block)
        if end is None:
            self._looks += 1
            return False
        block.text_until = end
        return True

    def _find_closing(self, block: OpenBlock) -> int | None:
        """The line of the fence that closes a block whose program is within a string or a comment here."""
        within = block.within()
        #: A fence that opened a block in the string.
        inner: Fence | None = None
        for at in range(self._at, len(self._lines)):
            fence = self._fences.get(at)
            closes = fence is not None and block.is_closed_by(fence)
            if fence is not None and (closes or block.is_broken_by(fence)):
                if not _hides(within, fence):
                    return at if closes else None
                if inner is not None and not closes:
                    return None  # no block opens within a block
                inner = fence if inner is None else None
            before, within = within, follow(block.family or "", self._lines[at], within)
            if before and not within:
                if inner is not None and inner.info:
                    return None  # it is the next block that opened there
                inner = None
        return len(self._lines) if block.by_prompt and not within else None

    def _begins_thinking(self, block: OpenBlock) -> bool:
        """Whether the model thinks first, though the prompt has opened a block for its program."""
        mark = next(self._marks(len(self._lines[self._at])), None)
        if mark is None or not mark[2] or "".join(block.body).strip():
            return False
        return not self._lines[self._at][self._from : mark[0].start()].strip()

    def _open_block(self, fence: Fence) -> None:
        language = language_of(fence.tag)
        family = self.family if fence.tag is None else None if language is None else language.family
        self._block = OpenBlock(
            family=family if family is not None and has_spans(family) else None,
            fence=fence,
            line=self._at,
            by_prompt=(self._at, fence.start) < self._prompt_end,
            data=says_data(self._before),
        )

    def _close(self, block: OpenBlock, place: int) -> None:
        self._text.append(self._lines[self._at][self._from : place])
        self._end_block(block, closed=True, place=place)
        self._cut(place)

    def _end_block(self, block: OpenBlock, *, closed: bool, place: int = 0) -> None:
        self._block, self._before = None, ""
        if (self._at, place) > self._prompt_end or not self.begun:  # else it is the prompt's
            self._blocks.append(block.block(closed=closed))

    def _drop(self, mark: re.Match[str]) -> None:
        """All before this closing mark was thinking that the prompt had opened."""
        self._text.clear()
        self._blocks.clear()
        self._block, self._before, self._has_thought = None, "", True
        self._cut(mark.end())


def _goes_on(behind: str) -> bool:
    return behind[:1] == " " and behind[1:].islower()


def _is_spoken_of(line: str, mark: re.Match[str]) -> bool:
    """Whether it stands in back-ticks or quotation marks."""
    before, behind = line[max(0, mark.start() - 1) : mark.start()], line[mark.end() : mark.end() + 3]
    return before in _QUOTES and behind[:1] in _QUOTES and behind != "```"
