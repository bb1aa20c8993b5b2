"""Chinese prose against data: a table of test cases as they are found in scraped problem sets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.text.filters import LOOK_AT_BYTES, RULES, inspect, prose

#: (input, answer, rule that must object); the text of the rule stands in the reason.
PROSE = [
    # placeholders
    ("略", "略", "placeholder"),
    ("（略）\n", "5\n", "placeholder"),
    ("1 2\n", "略。\n", "placeholder"),
    ("无", "0\n", "placeholder"),
    ("3\n", "无\n", "placeholder"),
    ("无\n\n无\n", "1\n", "placeholder"),
    ("暂无", "暂无", "placeholder"),
    ("空", "0\n", "placeholder"),
    ("同上\n", "3\n", "placeholder"),
    ("【同样例】", "1\n", "placeholder"),
    ("见附件\n", "见附件\n", "placeholder"),
    ("见附件 1.in", "见附件 1.out", "placeholder"),
    ("请见附件", "1", "placeholder"),
    ("同样例输入", "7\n", "placeholder"),
    ("无输入数据\n", "Hello\n", "placeholder"),
    ("3 4\n", "答案不唯一\n", "placeholder"),
    ("\ufeff略", "1\n", "placeholder"),
    # talk about the tests
    ("数据过大，请见附件", "6\n", "about-tests"),
    ("数据太大不便展示", "6\n", "about-tests"),
    ("100000\n（此处省略100000个整数）\n", "6\n", "about-tests"),
    ("详见下发文件 ex2.in\n", "6\n", "placeholder"),
    ("见题目描述中的样例\n", "6\n", "placeholder"),
    ("测试点1\n3 5\n", "8\n", "about-tests"),
    ("链接：网盘 提取码 abcd\n", "8\n", "about-tests"),
    ("3\n1 2 3\n", "输出任意一组解即可\n", "about-tests"),
    # both files speak, so neither excuses the other
    ("数据过大，见附件", "数据过大，见附件", "about-tests"),
    # labels
    ("输入:\n3 5\n", "8\n", "label"),
    ("输入：3 5", "输出：8", "label"),
    ("输入\n3 5\n", "8\n", "label"),
    ("3 5\n", "输出：8\n", "label"),
    ("【样例】\n3 5\n", "8\n", "label"),
    ("1、输入：\n3 5\n", "8\n", "label"),
    ("样例1：\n3 5\n", "8\n", "label"),
    ("3 5\n", "8\n\n解释：3+5=8\n", "label"),
    ("3 5\n注：第二个数大\n", "8\n", "label"),
    ("3 5\n", "答案：8", "label"),
    ("輸入：3 5\n", "8\n", "about-tests"),
    # Markdown
    ("```\n3 5\n```\n三加五\n", "8\n", "markup"),
    ("## 甲\n3 5\n", "8\n", "markup"),
    ("**三** 和五\n", "8\n", "markup"),
    ("<p>三</p>\n", "8\n", "markup"),
    # descriptions
    ("第一行一个整数n，表示人数\n", "8\n", "format"),
    ("第一行一个整数 n\n", "一个整数\n", "format"),
    ("两个整数 a 和 b\n", "8\n", "format"),
    ("一行，若干个数用空格隔开\n", "8\n", "format"),
    ("3 5\n", "输出它们的和\n", "format"),
    ("5 3 // 5个人\n", "8\n", "format"),
    ("3 5\n其中 3 是人数\n", "8\n", "explanation"),
    ("3 5\n", "8（因为三加五等于八）\n", "explanation"),
    ("a 表示苹果\n", "8\n", "explanation"),
    # numbers glued together by words
    ("3 和 5\n", "8\n", "glued"),
    ("1到100\n", "5050\n", "glued"),
    ("共 5 组\n1 2 3 4 5\n", "15\n", "glued"),
    ("n个正数\n", "15\n", "format"),
    # left out
    ("1 2 3 …… 100\n", "5050\n", "elided"),
    ("1 2 3 ... 一百\n", "5050\n", "elided"),
    ("3\n略\n5\n", "8\n", "elided"),
    # full-width and typographic signs
    ("１ ２\n", "3\n", "full-width"),
    ("1，2\n", "3\n", "full-width"),
    ("1\u30002\n", "3\n", "full-width"),
    ("（1,2）（3,4）\n", "4\n", "full-width"),
    ("1、2、3\n", "6\n", "full-width"),
    ("3 5\n", "８\n", "full-width"),
    ("3 5\n", "8。\n", "full-width"),
    ("a＝3；b＝5\n", "8\n", "full-width"),
    ("“3 5”\n", "8\n", "full-width"),
    ("\u22123 5\n", "2\n", "full-width"),
    ("1≤n≤100\n", "8\n", "full-width"),
    ("张三，90\n李四，80\n", "170\n", "full-width"),
    # prose of no other kind
    ("小明今天去了学校，他很高兴。\n", "8\n", "sentence"),
    ("这里有很多很多的数\n", "8\n", "grammar"),
]

#: (input, answer): data, whatever the script.
DATA = [
    ("3 5\n", "8\n"),
    ("", "Hello, World!\n"),
    ("input: 3 5 ... see attachment\n", "8\n"),  # English prose is not what this filter knows
    ("```\n# x **y**\n", "1\n"),
    # names and words in structure
    ("3\n张三 90 80\n李四 70 60\n王五 1 2\n", "张三 170\n"),
    ("3\n张三 90 80\n李四 70 60\n王五 1 2\n", "303\n"),
    ("2\n苹果 3\n香蕉 4\n", "7\n"),
    ("数据结构 95\n高等数学 88\n", "91.5\n"),
    ("北京 上海 广州\n", "3\n"),
    ("《红楼梦》 50\n", "50\n"),
    ("阿凡提·买买提 3\n", "3\n"),
    ("北京市海淀区中关村大街1号\n", "1\n"),
    ("2024年5月1日 星期三\n", "122\n"),
    ("牛顿 F=ma\n", "2\n"),
    # strings that the program works on
    ("上海自来水来自海上\n", "YES\n"),
    ("我爱北京天安门\n", "7\n"),
    ("床前明月光\n疑是地上霜\n", "10\n"),
    ("一百二十三\n", "123\n"),
    ("123\n", "一百二十三\n"),
    ("1005\n", "壹仟零伍元整\n"),
    ("小明今天去了学校，他很高兴。\n", "小明 1\n"),
    ("今天的天气真的很好，我们去公园玩吧！\n", "！吧玩园公去们我，好很的真气天的天今\n"),
    ("abc\n", "你好，世界\n"),
    # answers that are words
    ("5\n", "是\n"),
    ("5\n", "无解\n"),
    ("7\n", "不存在\n"),
    ("2000\n", "闰年\n"),
    # conversion of full-width text
    ("ＡＢＣ１２３\n", "ABC123\n"),
    ("12，3\n", "１２，３\n"),
    # signs that are data
    ("5\n", "★☆★\n"),
    ("3\n", "1×1=1\n1×2=2 2×2=4\n"),
    ("🙂 5\n", "🙂🙂🙂🙂🙂\n"),
    ("“Hello,” she said… 5 times\n", "5\n"),
    # other scripts
    ("こんにちは、世界。１２３\n", "3\n"),
    ("東京 と 大阪、３つ\n", "2\n"),
    ("안녕하세요 5 입력：３\n", "5\n"),
    ("Привет, мир 5\n", "2\n"),
    ("Ωμέγα αβγ\n", "2\n"),
    ("naïve café — 5 €\n", "4\n"),
]


def why(name: str) -> str:
    return next(rule.why for rule in RULES if rule.name == name)


@pytest.mark.parametrize(("given_input", "answer", "rule"), PROSE)
def test_prose(given_input: str, answer: str, rule: str) -> None:
    reason = inspect(given_input.encode(), answer.encode())
    assert reason is not None
    assert re.fullmatch(r"(input|answer): .*: '.*'", reason, re.DOTALL)
    assert why(rule) in reason


@pytest.mark.parametrize(("given_input", "answer"), DATA)
def test_data(given_input: str, answer: str) -> None:
    assert inspect(given_input.encode(), answer.encode()) is None


def test_every_rule_is_tested() -> None:
    assert {rule.name for rule in RULES} == {rule for _, _, rule in PROSE}
    assert len(PROSE) + len(DATA) > 100


@pytest.mark.parametrize(
    "text",
    # one character alone could be two of Latin-1, and these are not in GB2312
    [
        text
        for text, _, _ in PROSE
        if sum(map(str.isascii, text)) < len(text) - 1 and not re.search("[\ufeff\u2212輸≤]", text)
    ],
)
def test_prose_in_gbk(text: str) -> None:
    assert prose(text.encode("gbk")) is not None


@pytest.mark.parametrize("text", ["3\n张三 90 80\n李四 70 60\n", "2\n苹果 3\n香蕉 4\n"])
def test_words_in_gbk(text: str) -> None:
    assert prose(text.encode("gbk"), other=b"7\n") is None


@pytest.mark.parametrize("text", ["略", "见附件", "第一行一个整数"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_prose_with_a_byte_order_mark(text: str, encoding: str) -> None:
    assert prose(text.encode(encoding)) is not None


@pytest.mark.parametrize(
    "data",
    [
        "déjà vu à l'été, naïve Ærø £5 ½\n".encode("latin-1"),
        "ÀÉÎÕÜ àéîõü ßæø\n".encode("latin-1"),
        "Привет, мир\n".encode("koi8-r"),
        bytes(range(256)),
        bytes(range(128, 256)) * 10,
        b"\x00\x01\xff\xfe",
        b"\xff" * 1000,
        b"\xb5\n",
    ],
)
def test_bytes_that_are_no_chinese_text(data: bytes) -> None:
    assert inspect(data, b"1\n") is None
    assert inspect(b"1\n", data) is None


def test_the_file_to_blame_and_an_excerpt_are_named() -> None:
    assert inspect(b"3 5\n", "输出：8\n".encode()) == ("answer: a label that belongs to the statement: '输出：8'")
    reason = inspect(("数据过大，见附件" * 20).encode(), b"1\n")
    assert reason is not None
    assert len(reason) < 120


@pytest.mark.parametrize(
    "data",
    [
        ("张三 李四 王五\n" * 200_000).encode(),
        ("\n" * 2_000_000 + "张").encode(),
        (" " * 2_000_000 + "张").encode(),
        ("1" * 2_000_000 + "张").encode(),
        ("第" * 500_000).encode(),
        ("共1" * 300_000).encode(),
        ("**a\n" * 300_000 + "张").encode(),
        ("张" * 100_000 + "a").encode("gbk"),
        "张".encode() * (LOOK_AT_BYTES // 3 + 7),  # the cut falls inside a character
    ],
)
def test_large_data_is_data(data: bytes) -> None:
    assert inspect(data, data[:3000]) is None


@given(st.binary(max_size=200), st.binary(max_size=50))
def test_any_bytes(data: bytes, other: bytes) -> None:
    reason = prose(data, other=other)
    assert reason is None or not data.isascii()


@given(st.text(max_size=200), st.sampled_from(["utf-8", "gb18030", "utf-16"]))
def test_any_text(text: str, encoding: str) -> None:
    data = text.encode(encoding, "ignore")
    reason = inspect(data, data)
    assert reason is None or reason.startswith("input: ")
