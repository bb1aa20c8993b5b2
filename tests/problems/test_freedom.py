"""What statements leave free."""

from __future__ import annotations

import pytest

from problems.text.freedom import read_freedom


@pytest.mark.parametrize(
    ("text", "absolute", "relative"),
    [
        ("An absolute or relative error of at most $10^{-6}$ is accepted.", 1e-6, 1e-6),
        ("Your answer may have an absolute error of 1e-4.", 1e-4, None),
        ("The relative error must not exceed 10^-9.", None, 1e-9),
        ("It counts if it differs from ours by at most 0.001.", 1e-3, 1e-3),
        ("误差不超过 $10^{-5}$。", 1e-5, 1e-5),
        ("与标准答案的绝对误差不超过 1e-3 即可。", 1e-3, None),
        ("All numbers are at most 10^6. Print the sum.", None, None),
        ("The probability is a multiple of 10^-3. Print it.", None, None),
    ],
)
def test_tolerances(text: str, absolute: float | None, relative: float | None) -> None:
    found = read_freedom(text)
    assert (found.absolute_tolerance, found.relative_tolerance) == (absolute, relative)


@pytest.mark.parametrize(
    "text",
    [
        "If there are multiple solutions, print any of them.",
        "Output any valid assignment.",
        "There may be more than one such path. All of them are right.",
        "An arbitrary solution suffices.",
        "This problem has a special judge.",
        "若有多组解，输出任意一组。",
        "本题答案不唯一：有多种方案。",
    ],
)
def test_words_for_several_answers(text: str) -> None:
    found = read_freedom(text)
    assert found.several or found.doubt


@pytest.mark.parametrize("text", ["Count the different ways. Do not print any spaces.", "求和，不要输出任何多余内容。"])
def test_other_words(text: str) -> None:
    assert read_freedom(text).several is read_freedom(text).doubt is read_freedom(text).order is None


@pytest.mark.parametrize(
    "text",
    [
        "Output two integers that should fulfill $a^2-b^2=D$.",
        "Output a list of toppings such that each friend is content.",
        "If there is an order in which all can leave, print it.",
        "First print the optimal number of lines.",
        "若无解，输出 -1。",
    ],
)
def test_words_for_certificates(text: str) -> None:
    assert read_freedom(text).certificate
    assert not read_freedom("Print the sum of all numbers. 输出它们的和。").certificate


def test_any_order() -> None:
    assert read_freedom("Print the edges in any order.").order == "Print the edges in any order"
