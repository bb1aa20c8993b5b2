"""Finds test cases that are not data: Chinese prose, labels and full-width typing where numbers should be.

Scraped test cases sometimes hold what a person wrote about the data instead of the data. No program can pass such a
case, so a trainer must not see it. `inspect` tells whether a case is one of these, and why.

A file is read as text: UTF-8, else UTF-16 by its mark, else GBK if the bytes really look like Chinese. All other bytes
(binary, Latin-1), pure ASCII, and Japanese or Korean text are data. On the rest we try the `RULES` in order.

Chinese can be data, too: names, words, strings to count or to sort. So a rule needs more than the script: a phrase that
people use only to write about tests, a sentence, a full-width sign where a program reads an ASCII one. And if the
output prints what the input holds, the problem is about that text: then only the rules marked `always` apply.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

#: Prose is short: of larger files we look at the beginning only. Then: how many runs of Chinese `_occurs` compares.
LOOK_AT_BYTES = 256 * 1024
ENOUGH_RUNS = 100

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HAN = re.compile(f"[{HAN}]")
_HAN_RUN = re.compile(f"[{HAN}]+")
_FOREIGN = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\u1100-\u11ff\uac00-\ud7af]")  # kana, hangul
_NUMERALS = re.compile("[零〇一二三四五六七八九十百千万亿兆两点负壹贰叁肆伍陆柒捌玖拾佰仟元角分整]+")

#: Signs of a Chinese keyboard that stand for an ASCII one, or end a sentence.
FULLWIDTH = "\uff01-\uff5e\u3000\u3001\u3002"
#: Signs that a word processor makes of ASCII ones.
TYPED = "\u2018\u2019\u201c\u201d\u2026\u22ef\u2212\u2264\u2265"

_EDGES = " \t\r\n\ufeff\u3000.。,，、;；:：!！?？~～…⋯·-—_*#`'\"“”‘’()（）[]【】<>《》{}「」/"
_PLACEHOLDER = re.compile(
    "(?:略|从略|省略|此处省略|略去|(?:输入|输出|数据|样例|答案|内容)?(?:略|省略)|"
    "无|暂无|(?:暂)?无(?:输入|输出|数据|样例|内容|答案)(?:数据|文件|样例)?|没有(?:输入|输出|数据|样例)(?:数据|文件)?|"
    "空|空文件|空行|留空|(?:输入|输出)?为空|不提供|未提供|未公开|不公开|保密|待补充|待定|暂缺|缺|缺失|"
    "(?:答案|输出)?(?:不唯一|任意)|(?:同|如)(?:上|下|题|前|样例|题目|题面|输入|输出)\\s*[0-9]*|同样例输[入出]|"
    "(?:详?见|请见|参见|请看|如)?(?:附件|附加文件|下发文件|下载文件|压缩包|题面|题目描述|样例文件|原题|网盘)[\\w .]*)"
)

#: Words that people use only to write about tests.
_ABOUT_TESTS = (
    "见附件|附件|下发文件|下载|网盘|压缩包|测试点|测试数据|测试用例|样例输入|样例输出|样例数据|样例解释|样例说明|输入样例|"
    "输出样例|输入数据|输出数据|输入格式|输出格式|输入文件|输出文件|输入描述|输出描述|题目描述|数据范围|数据规模|数据量|"
    "数据(?:过|太|很|较|比较|非常)(?:大|长|多)|(?:过|太)长|篇幅|省略|从略|(?:详|参|请|另)见|见[上下题图样]|如[上下图]所示|"
    "此处|粘贴|复制|自行|手动|生成器|标准答案|参考答案|正确答案|答案不唯一|任意一[个组种]|無法|輸入|輸出|樣例|附件|測試|數據"
)
#: Words that describe a format. Nobody sorts or counts these.
_FORMAT = (
    "第[一二三四五六七八九十\\d]+[行列个组]|一行|两行|每行|共[一二三四五六七八九十\\d]*行|接下来|整数|正数|实数|小数|浮点数|"
    "字符串|自然数|数组|空格|换行|隔开|分隔|不超过|不大于|不小于|[一两三四五六七八九十\\d]个(?:数|整|字符|点|人)|输入|输出|样例|示例"
)
#: Words of an explanation. As data they would be echoed or counted, which the output shows.
_EXPLAINING = (
    "以下|如下|其中|表示|分别|代表|小于|大于|等于|保证|满足|若干|一个数|例如|比如|注意|提示|解释|说明|题意|"
    "请(?:看|问|输|注|参|将|根|计)|答案(?:是|为)|结果(?:是|为)|即可|对于|由于|因为|所以|如果|否则"
)
_LABEL = re.compile(
    "[\\s>*#\\-【\\[（(]*+(?:第?\\s*+[0-9一二三四五六七八九十]++\\s*+[.、）)]?\\s*+)?"
    "(?:样例|示例|测试|用例|例|范例|标准|参考|正确|期望|预期|你的|实际)?\\s*+"
    "(?:输\\s*+入|输\\s*+出|输入输出|样例|示例|测试(?:数据|点|用例)?|用例|数据|答案|结果|说明|解释|提示|备注|注意?|注释|描述|題目|题目|"
    "格式|範例|輸入|輸出|樣例)"
    "(?:数据|样例|示例|格式|文件|描述|说明|结果|内容|解释|点|值|为|是)?\\s*+[#＃]?\\s*+[0-9０-９一二三四五六七八九十]*+\\s*+"
    "[】\\]）)*]*+\\s*+(?:[:：]|$)"
)
_MARKUP = re.compile(
    "```|~~~|^[ \\t]*#{1,6}[ \\t]|\\*\\*[^*\\n]+\\*\\*|^[ \\t]*[-*>][ \\t]+\\S|</?(?:p|br|pre|code|div|span)\\b", re.M
)
_ELLIPSIS = re.compile("\\.{3,}|…|⋯|。{2,}|．{2,}")
_GLUE = re.compile(
    "(?<![年月日])(?:\\d\\s*[和与到至或及]\\s*-?\\d|第\\s*\\d+\\s*[行个组列次]|[0-9A-Za-z]\\s*[个组行列](?![A-Za-z])|"
    "[共有为是]\\s*[0-9]+\\s*[个行组列])"
)
#: Grammatical words; names, places and titles have next to none.
_FUNCTION = re.compile("[的了是在不有和与这那个为请将把被从以及也就都而但或之其所能可要会它们吗呢吧么]")


def _text(data: bytes) -> str | None:
    """The file as text; None: it cannot be Chinese text."""
    if data.isascii():
        return None
    head = data[:LOOK_AT_BYTES]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace")
    if re.search(rb"[\x00-\x08\x0e-\x1f]", head):
        return None
    try:
        return _decode(head, "utf-8", whole=len(head) == len(data)).lstrip("\ufeff")
    except UnicodeDecodeError:
        pass
    try:
        text = _decode(head, "gbk", whole=len(head) == len(data))
    except UnicodeDecodeError:
        return None
    return text if _looks_gbk(text) else None


def _decode(head: bytes, encoding: str, *, whole: bool) -> str:
    """Decode strictly, but drop a character that the cut at LOOK_AT_BYTES may have split."""
    if whole:
        return head.decode(encoding)
    for cut in range(4):
        try:
            return head[: len(head) - cut].decode(encoding)
        except UnicodeDecodeError as error:
            last = error
            if error.start < len(head) - 4:
                raise
    raise last


def _looks_gbk(text: str) -> bool:
    """Whether text decoded as GBK is Chinese. Accented Latin-1 letters also decode as GBK, but hardly ever to the
    characters that people write: the common ones of GB2312, and its digits and punctuation."""
    wide = [char for char in text if ord(char) > 0x7F]
    common = 0
    for char in wide:
        try:
            first = char.encode("gb2312")[0]
        except UnicodeEncodeError:
            continue
        common += first in (0xA1, 0xA3) or 0xB0 <= first <= 0xD7
    alone = len(wide) == 1 and (
        wide[0] in "略无空" or (wide[0] in "，、。；：！？\u3000" and not re.search("[A-Za-z]", text))
    )
    return common >= 0.8 * len(wide) and (len(wide) >= 2 or alone)


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    #: The complaint, before the excerpt.
    why: str
    #: Finds the excerpt that breaks the rule; None: nothing does.
    find: Callable[[str, str], str | None]
    #: True: applies even if the output prints the same text.
    always: bool = False


def _placeholder(text: str, other: str) -> str | None:
    lines = [line.strip(_EDGES) for line in text[:200].splitlines() if line.strip(_EDGES)]
    return lines[0] if lines and all(_PLACEHOLDER.fullmatch(line) for line in lines) else None


def _about_tests(text: str, other: str) -> str | None:
    match = re.search(_ABOUT_TESTS, text)
    return _around(text, match) if match else None


def _label(text: str, other: str) -> str | None:
    for line in text.splitlines():
        match = _LABEL.match(line.strip()[:80])
        if match and _HAN.search(match[0]):
            return line
    return None


def _markup(text: str, other: str) -> str | None:
    match = _MARKUP.search(text) if _HAN.search(text) else None
    return _around(text, match) if match else None


def _find_elision(text: str, other: str) -> str | None:
    for line in text.splitlines():
        if line.strip(_EDGES) == "略":
            return line
        match = _ELLIPSIS.search(line)
        if match and (_HAN.search(line) or (not re.search("[A-Za-z]", line) and not line.isascii())):
            return line
    return None


def _format(text: str, other: str) -> str | None:
    match = re.search(_FORMAT, text)
    return _around(text, match) if match else None


def _explaining(text: str, other: str) -> str | None:
    match = re.search(_EXPLAINING, text)
    return _around(text, match) if match else None


def _find_glue(text: str, other: str) -> str | None:
    match = _GLUE.search(text)
    return _around(text, match) if match else None


#: A match counts if its last group matched. The third pattern also matches without that group. So each stretch of white
#: space is read only once, even if it is full of the pattern's own signs (an ideographic space is both).
_BESIDE_ASCII = (
    re.compile("[\uff10-\uff19]"),
    re.compile(f"[0-9A-Za-z)\\]]\\s*[{FULLWIDTH}]"),
    re.compile(f"[{FULLWIDTH}]\\s*+([-+]?[0-9A-Za-z(\\[])?"),
    re.compile("[0-9A-Za-z]\\s*[\u2264\u2265]|[\u2264\u2265]\\s*[0-9]"),
)


def _fullwidth(text: str, other: str) -> str | None:
    """Full-width digits, or signs beside ASCII data. None if the problem may ask for their conversion."""
    if _plain(text) == _plain(other):
        return None
    for pattern in _BESIDE_ASCII:
        match = next((match for match in pattern.finditer(text) if match[pattern.groups]), None)
        if match:
            return _around(text, match)
    if not re.search(f"[A-Za-z{HAN}]", text):
        match = re.search(f"[{TYPED}]|[\uff01-\uff5e\u3001\u3002]", text)
        return _around(text, match) if match else None
    return None


def _sentence(text: str, other: str) -> str | None:
    """Chinese punctuation between Chinese words, in something longer than a greeting."""
    for line in text.splitlines():
        match = re.search(f"[{HAN}”》）][，。；：？！、]", line)
        if match and len(_HAN.findall(line)) >= 6:
            return line
    return None


def _grammar(text: str, other: str) -> str | None:
    """A long run of Chinese with grammatical words in it."""
    for match in _HAN_RUN.finditer(text):
        if len(match[0]) >= 6 and not _NUMERALS.fullmatch(match[0]) and len(_FUNCTION.findall(match[0])) >= 2:
            return match[0]
    return None


RULES = (
    Rule("placeholder", "a placeholder instead of data", _placeholder, always=True),
    Rule("about-tests", "speaks about the test data instead of being it", _about_tests, always=True),
    Rule("label", "a label that belongs to the statement", _label, always=True),
    Rule("markup", "Markdown or HTML with Chinese text", _markup, always=True),
    Rule("format", "describes the format instead of following it", _format, always=True),
    Rule("elided", "leaves part of the data out", _find_elision),
    Rule("explanation", "explains the data instead of being it", _explaining),
    Rule("glued", "Chinese words between the numbers", _find_glue),
    Rule("full-width", "full-width or typographic signs instead of ASCII ones", _fullwidth),
    Rule("sentence", "Chinese sentences", _sentence),
    Rule("grammar", "Chinese prose", _grammar),
)


def prose(data: bytes, *, other: bytes = b"") -> str | None:
    """Why this file of a test case is prose; None: it is data. `other` is the other file of the case."""
    text = _text(data)
    if text is None or _is_foreign(text):
        return None
    counterpart = _text(other) or other[:LOOK_AT_BYTES].decode("latin-1")
    echoed = _is_echoed(text, counterpart)
    for rule in RULES:
        if echoed and not rule.always:
            continue
        found = rule.find(text, counterpart)
        if found is not None:
            return f"{rule.why}: {_cut(found)!r}"
    return None


def inspect(input: bytes, answer: bytes) -> str | None:
    """Why this test case is prose, with the name of the file ("input: …"); None: it is data."""
    why = prose(input, other=answer)
    if why is not None:
        return f"input: {why}"
    why = prose(answer, other=input)
    return None if why is None else f"answer: {why}"


def _is_foreign(text: str) -> bool:
    """Whether it is Japanese or Korean. Chinese text may hold a single kana, too."""
    foreign = len(_FOREIGN.findall(text))
    return foreign > 0 and foreign * 4 >= len(_HAN.findall(text))


def _is_echoed(text: str, other: str) -> bool:
    """Whether the Chinese of one file is found in the other: then the problem is about it."""
    here, there = set(_HAN_RUN.findall(text)), set(_HAN_RUN.findall(other))
    if _occurs(there, here, text) or _occurs(here, there, other):
        return True
    characters = set("".join(there))
    return len(characters) > 1 and characters == set("".join(here))  # rearranged


def _occurs(runs: set[str], known: set[str], text: str) -> bool:
    """Whether the first runs of Chinese occur in the other file, a single character only as a whole run there."""
    some = list(runs)[:ENOUGH_RUNS]
    return bool(some) and all(run in known or (len(run) > 1 and run in text) for run in some)


def _plain(text: str) -> str:
    """The text with signs that stand for ASCII ones converted, one by one. NFKC of the whole text would also sort
    combining marks, which takes time by the square of their number."""
    return re.sub(r"\s+", " ", "".join(map(_normal, text))).strip()


@lru_cache(1024)
def _normal(character: str) -> str:
    return unicodedata.normalize("NFKC", character)


def _around(text: str, match: re.Match[str]) -> str:
    """The line of a match."""
    start = text.rfind("\n", 0, match.start() + 1) + 1
    end = text.find("\n", match.end())
    return text[start : end if end >= 0 else None]


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else f"{text[:39]}…"
