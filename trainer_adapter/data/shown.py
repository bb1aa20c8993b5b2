"""What a prompt adds to a statement: samples, conversations, and what is asked of a function; in the statement's own
language, Chinese or English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from problems.text.filters import HAN
from problems.text.statement import Sample

_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(f"[A-Za-z{HAN}]")
_KANA = re.compile("[\u3041-\u30ff]")
#: Of the letters of a Chinese statement at least such a share is Han: the others are of formulas, names and code.
_CHINESE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    samples: str
    input: str
    output: str
    conversations: str
    conversation: str
    lines: str
    #: With {name}.
    define: str
    begin: str


_ENGLISH = _Words(
    samples="## Examples",
    input="### Input {}",
    output="### Output {}",
    conversations="## Examples",
    conversation="### Conversation {}",
    lines='A line that your program reads begins with "<", one that it writes with ">"; "---" stands between its runs.',
    define="Define `{}`. It is called with the arguments, and what it returns is judged: read no input.",
    begin="Begin with this:",
)
#: The headings are Luogu's.
_IN_CHINESE = _Words(
    samples="## 输入输出样例",
    input="### 输入 #{}",
    output="### 输出 #{}",
    conversations="## 交互样例",
    conversation="### 交互 #{}",
    lines="程序读入的行以“<”开头，程序写出的行以“>”开头；“---”隔开程序的各次运行。",
    define="请定义 `{}`。评测时会带着参数调用它，并评判它的返回值：不要读取输入。",
    begin="请以下面的代码开头：",
)


def is_chinese(text: str) -> bool:
    """Whether a statement is in Chinese. Japanese has Han, too, and kana."""
    return not _KANA.search(text) and len(_HAN.findall(text)) > _CHINESE * len(_LETTER.findall(text))


def show_samples(samples: Sequence[Sample], statement: str) -> str:
    """Samples as a statement shows them."""
    words = _words_for(statement)
    blocks = (
        f"{head.format(number)}\n\n```\n{shown.rstrip()}\n```"
        for number, one in enumerate(samples, 1)
        for head, shown in ((words.input, one.input), (words.output, one.output))
    )
    return "\n\n".join([words.samples, *blocks])


def show_conversations(conversations: Sequence[str], statement: str) -> str:
    """Sample conversations as a statement shows them."""
    words = _words_for(statement)
    blocks = (
        f"{words.conversation.format(number)}\n\n```\n{shown.rstrip()}\n```"
        for number, shown in enumerate(conversations, 1)
    )
    return "\n\n".join([words.conversations, words.lines, *blocks])


def ask_for_function(name: str, starter: str, statement: str) -> str:
    """What the model is told of a function that it must write."""
    words = _words_for(statement)
    asked = words.define.format(name)
    return f"{asked} {words.begin}\n\n```python\n{starter.rstrip()}\n```" if starter else asked


def _words_for(statement: str) -> _Words:
    return _IN_CHINESE if is_chinese(statement) else _ENGLISH
