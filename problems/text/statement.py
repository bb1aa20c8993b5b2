"""Finds the samples in a statement: Markdown as Luogu exports it, as people write it, and as data sets scrape it.

    ## 样例 #1                    an anchor: what follows are samples
    ### 样例输入 #1                a label: what follows is an input
    ```                           …fenced: exactly what stands in the fence
    3                             …or not: up to the next label, without blank lines at both ends
    ```
    ### 样例解释 #1                an end

Each line outside of fences is an anchor, a label, an end, or text. A label that names samples (样例输入, Sample Output)
counts anywhere. A bare one (输入, Input:) counts only below an anchor, since elsewhere it heads the description of the
format. In a statement without any anchor, a bare label counts if a fence or a value on its own line follows. A fence
below an anchor may hold its labels inside, or in its info string (input1, output1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Sample:
    """Ends with a newline unless it is empty."""

    input: str
    output: str


class _Kind(Enum):
    INPUT = auto()
    OUTPUT = auto()
    ANCHOR = auto()
    END = auto()
    HEADING = auto()


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: _Kind
    #: 1 to 6: a heading; 7: a paragraph.
    level: int
    #: Whether it names samples.
    sure: bool
    #: The text after its colon.
    value: str


# Repeats are possessive: in a line of mostly white space, several of them could match the same white space.
_OPEN = r"(?:[\s>*_=【\[「（(]|</?(?:b|strong|p|h[1-6])>)*+"
_CLOSE = r"(?:[\s*_】\]」）)]|</?(?:b|strong|p|h[1-6])>)*+"
#: After a colon in bold comes the end of the bold text. The value follows, and it may begin with a bracket.
_VALUE = r"(?:[:：](?:[*_】」]|</(?:b|strong)>)*+(?P<value>.*)|)"
_NUMBER = r"\s*+[#＃]?\s*+(?:[0-9０-９]{1,2}+|[一二三四五六七八九十①-⑩])?\s*+"
_SAMPLE = r"(?:测试)?(?:样例|示例|范例|用例|樣例|範例|例子|samples?|examples?)"
_ANCHOR = (
    rf"(?:(?:输\s*+入|input)\s*+[/和与、&]?\s*+(?:and)?\s*+(?:输\s*+出|output)\s*+)?{_SAMPLE}(?:\s*+(?:tests?|cases?))?|"
    rf"{_SAMPLE}\s*+(?:输入|input)\s*+[/和与、&]?\s*+(?:and)?\s*+(?:输出|output)"
)
_END = (
    r"(?:样例|示例|输入|输出|数据|sample|example)*+\s*+(?:解释|说明|提示|注释|备注|分析|notes?|explanations?)(?:\s*+/\s*+提示)?|"
    r"数据(?:范围|规模)[与和及约定提示]*|约定|约束(?:条件)?|限制|来源|hints?|constraints?|source|scoring|limits"
)


def _label(word: str) -> str:
    data = r"(?:\s*+(?:数据|data))?"
    return rf"(?:(?P<before>{_SAMPLE}){_NUMBER}(?:的|[-—:：])?\s*+)?(?:{word}){data}\s*+(?P<after>{_SAMPLE})?{data}"


_MARKS = tuple(
    (kind, re.compile(f"{_OPEN}(?:{words}){_NUMBER}{_CLOSE}{_VALUE}", re.IGNORECASE))
    for kind, words in (
        (_Kind.ANCHOR, _ANCHOR),
        (_Kind.INPUT, _label(r"输\s*+入|輸\s*+入|input")),
        (_Kind.OUTPUT, _label(r"输\s*+出|輸\s*+出|output")),
        (_Kind.END, _END),
    )
)
_HEADING = re.compile(r" {0,3}(?P<signs>#{1,6})[ \t]*(?P<text>[^\s#].*)")
_BOLD = re.compile(r"\s*\*\*[^*]+\*\*\s*")
_RULED = re.compile(r"\s*+-{3,}+\s*+(?P<text>\w.*)---\s*+")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)")
_INFO = re.compile(r"(?:sample)?[-_]?(?P<word>input|output)[-_#]?\d*", re.IGNORECASE)
_PRE = re.compile(r"</?(?:pre|code)(?:\s[^<>]*)?>", re.IGNORECASE)
_PARAGRAPH = 7
#: A longer line is no label.
_LONGEST_LINE = 4096
#: How deep we look into fences inside fences.
_NESTED = 2


def squeeze(text: str) -> str:
    """With one blank for all white space between words: to compare texts that are set differently."""
    return " ".join(text.split())


def samples(markdown: str) -> tuple[Sample, ...]:
    """Input and output of each sample, in the statement's order; line ends are LF, inner lines are untouched."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    found, given = list[Sample](), None
    for kind, content in _Reader(lines).blocks():
        if kind is _Kind.INPUT:
            given = content
        elif given is not None:
            found.append(Sample(given, content))
            given = None
    return tuple(found)


class _Reader:
    def __init__(self, lines: Sequence[str], nested: int = 0) -> None:
        self._lines = lines
        self._nested = nested
        self._marks = [_mark(line) for line in lines]
        self._anchored = any(mark.kind is _Kind.ANCHOR or mark.sure for mark in self._marks if mark)
        #: Level of the heading that opened the samples; None: not among samples.
        self._section: int | None = None

    def blocks(self) -> Iterator[tuple[_Kind, str]]:
        """Each input and output, with its text."""
        at = 0
        while at < len(self._lines):
            fence = _fence(self._lines[at])
            if fence is not None:
                body, at = self._read_fenced(at, fence)
                yield from self._loose_fence(fence["info"], body)
                continue
            mark = self._marks[at]
            at += 1
            if mark is None:
                continue
            if mark.kind in (_Kind.INPUT, _Kind.OUTPUT):
                if mark.sure and self._section is None:
                    self._section = mark.level
                content, at, evident = self._content(at, mark)
                if self._section is not None or (evident and not self._anchored):
                    yield mark.kind, content
            elif mark.kind is _Kind.ANCHOR:
                self._section = mark.level if self._section is None else min(self._section, mark.level)
            elif self._section is not None and mark.level <= min(self._section, 6):
                self._section = None

    def _read_fenced(self, at: int, fence: re.Match[str]) -> tuple[list[str], int]:
        """The lines in the fence that opens at `at`, and the index after it."""
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end].strip()
            if line.startswith(fence["fence"]) and not line.strip(fence["fence"][0]):
                return list(self._lines[at + 1 : end]), end + 1
        return list(self._lines[at + 1 :]), len(self._lines)

    def _loose_fence(self, info: str, body: list[str]) -> Iterator[tuple[_Kind, str]]:
        """A fence that no label introduced."""
        named = _INFO.fullmatch(info.strip())
        if named is not None:
            yield _Kind[named["word"].upper()], _join(body)
        elif self._section is not None and self._nested < _NESTED:
            inner = _Reader(body, self._nested + 1)
            inner._section = _PARAGRAPH
            yield from inner.blocks()

    def _content(self, at: int, label: _Mark) -> tuple[str, int, bool]:
        """What a label introduces; the index after it; whether this is surely data."""
        body = [label.value] if label.value else []
        for here in range(at, len(self._lines)):
            fence = _fence(self._lines[here])
            if fence is not None:
                fenced, behind = self._read_fenced(here, fence)
                return _join(fenced), behind, True
            if self._marks[here] is not None:
                return _unfence(body), here, bool(label.value)
            body.append(self._lines[here])
        return _unfence(body), len(self._lines), bool(label.value)


def _fence(line: str) -> re.Match[str] | None:
    return _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None


@lru_cache(1024)
def _mark(line: str) -> _Mark | None:
    if not line or len(line) > _LONGEST_LINE or _fence(line):
        return None
    level, text = _PARAGRAPH, line
    if heading := _HEADING.fullmatch(line):
        level, text = len(heading["signs"]), heading["text"].rstrip("#").rstrip(" \t")
    elif ruled := _RULED.fullmatch(line):
        level, text = 2, ruled["text"].rstrip("-").rstrip()
    for kind, pattern in _MARKS:
        match = pattern.fullmatch(text)
        if match is not None:
            groups = match.groupdict()
            sure = kind in (_Kind.INPUT, _Kind.OUTPUT) and bool(groups.get("before") or groups.get("after"))
            return _Mark(kind, level, sure, (groups["value"] or "").strip())
    if (level != _PARAGRAPH or _BOLD.fullmatch(line)) and re.search(r"[^\W\d_]", text):
        return _Mark(_Kind.HEADING, level, False, "")
    return None


def _unfence(lines: list[str]) -> str:
    """Without blank lines at both ends, an indent of four (a code block), and <pre>."""
    lines = [_PRE.sub("", line) for line in lines]
    filled = [line for line in lines if line.strip()]
    if filled and all(line.startswith(("    ", "\t")) for line in filled):
        lines = [line.removeprefix("\t") if line.startswith("\t") else line[4:] for line in lines]
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return _join(lines[first:last])


def _join(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
