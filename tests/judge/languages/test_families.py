"""Completions in the styles of model families: no draft is taken for the program, and no program is lost."""

from __future__ import annotations

import pytest

from judge.languages.extraction import Reason, extract
from tests.judge.languages.completions import OTHERS, STYLES, Case, Expected, in_styles
from tests.judge.languages.more_completions import MORE


@pytest.mark.parametrize("expected", [pytest.param(case, id=name) for name, case in in_styles()])
def test_in_the_style_of_a_family(expected: Expected) -> None:
    found = extract(expected.completion, "cpp17", template_end=expected.template_end)
    assert (found.code or "").strip() == (expected.code or "").strip()
    assert (found.code is None) == (expected.code is None)


@pytest.mark.parametrize("case", [*OTHERS.values(), *MORE.values()], ids=[*OTHERS, *MORE])
def test_what_no_style_has(case: Case) -> None:
    found = extract(case.completion, case.language, prompt=case.prompt, template_end=case.template_end)
    assert found.code == case.code


def test_there_are_ten_families_and_150_completions() -> None:
    assert len(STYLES) >= 10
    assert len(list(in_styles())) + len(OTHERS) >= 150
    assert len(MORE) >= 150


RARE = (
    ("[unused16]", "[unused17]"),
    ("<think_never_used_51bce0c785ca2f68081bfa7d91973934>", "</think_never_used_51bce0c785ca2f68081bfa7d91973934>"),
    ("<think2>", "</think2>"),
    ("<|think_start|>", "<|think_end|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|thought_start|>", "<|thought_end|>"),
    ("<|begin_of_thinking|>", "<|end_of_thinking|>"),
    ("<|reasoning|>", "<|/reasoning|>"),
    ("<|start_reasoning|>", "<|end_reasoning|>"),
    ('<details type="reasoning" done="true" duration="5">', "</details>"),
    ("<CoT>", "</CoT>"),
    ("<plan>", "</plan>"),
    ("<rationale>", "</rationale>"),
    ("< think >", "< /think >"),
    ("<think_start>", "<think_end>"),
    ("<｜think｜>", "<｜/think｜>"),
    ("[BEGIN THINKING]", "[END THINKING]"),
    ("<deliberation>", "</deliberation>"),
    ("<self_reflection>", "</self_reflection>"),
    ("<details>\n<summary>Thinking</summary>", "</details>"),
    ("<|begin|>assistant<|think|>", "<|end|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_thinking|>", "<|end_thinking|>"),
    ("<|assistant_thinking|>", "<|/assistant_thinking|>"),
    ("<思考>", "</思考>"),
    ("<brainstorming>", "</brainstorming>"),
    ("<draft>", "</draft>"),
)
_DRAFT, _PROGRAM = "```cpp\ndraft\n```\n", "```cpp\nint main() {}\n```\n"


@pytest.mark.parametrize(("opening", "closing"), RARE)
def test_rare_marks_of_thinking(opening: str, closing: str) -> None:
    for unfinished in (f"{opening}\n{_DRAFT}So", f"{opening}{_DRAFT}", f"Well.\n{opening}\n{_DRAFT}"):
        assert extract(unfinished, "cpp17").code is None
    thought = f"{opening}\n{_DRAFT}{closing}\n"
    assert extract(thought, "cpp17").code is None
    for answer in (_PROGRAM, f"<answer>\n{_PROGRAM}</answer>"):
        assert extract(thought + answer, "cpp17").code == "int main() {}\n"
    assert extract(f"It goes on.\n{_DRAFT}", "cpp17", template_end=f"<|assistant|>{opening}\n").code is None


@pytest.mark.parametrize("closing", ["[/THINK]", "</think>", "◁/think▷", "<|/assistant_thinking|>", "<channel|>"])
@pytest.mark.parametrize(
    "draft", ["```cpp\ndraft", "```md\n# Plan\n```cpp\ndraft\n```\n```\n", "Try ```cpp\ndraft\n```"]
)
def test_an_answer_in_the_line_that_ends_the_thinking(draft: str, closing: str) -> None:
    opening = {"[/THINK]": "[THINK]", "<channel|>": "<|channel>thought\n"}.get(closing, closing.replace("/", ""))
    for answer in (f"So:\n{_PROGRAM}", f"So: {_PROGRAM}", f"So: {_PROGRAM[:-1]} It adds.\n"):
        assert extract(f"{opening}{draft}{closing}{answer}", "cpp17").code == "int main() {}\n"


def test_the_next_message_may_begin_in_the_line_of_its_program() -> None:
    solar = f"<|think|>Hm.<|end|><|begin|>assistant<|content|>{_PROGRAM.replace('cpp', '')}<|end|>"
    assert extract(solar, "cpp17").code == "int main() {}\n"


@pytest.mark.parametrize("begun", ["<｜Assistant｜></think>", "<|im_start|>assistant\nSure: "])
def test_a_block_in_the_line_that_the_prompt_began_is_the_models(begun: str) -> None:
    assert extract("```cpp\nint main() {}\n", "cpp17", prompt=begun).reason is Reason.UNCLOSED
    assert extract(_PROGRAM, "cpp17", prompt=begun).code == "int main() {}\n"


def test_a_completion_may_go_on_with_the_tag_of_a_fence_that_the_prompt_opened() -> None:
    for begun in ("Write it.\n```", "<|im_start|>assistant\n```"):
        assert extract("cpp\nint main() {}\n```", "cpp17", prompt=begun).code == "int main() {}\n"
        assert extract("int main() {}\n```", "cpp17", prompt=begun).code == "int main() {}\n"
        assert extract("python\nint main() {}\n```", "cpp17", prompt=begun).code is None


def test_the_template_of_a_channel_opens_the_thinking() -> None:
    opened = "<|start|>assistant<|channel|>analysis<|message|>"
    for template_end in (opened, opened.removeprefix("<|start|>assistant")):
        assert extract(f"It goes on.\n{_DRAFT}", "cpp17", template_end=template_end).code is None


def test_a_mark_in_brackets_alone_closes() -> None:
    assert extract(f"[REASONING]\n{_DRAFT}[/REASONING]\nNone.", "cpp17").code is None


def test_what_only_looks_like_such_a_mark() -> None:
    folded = f"<details>\n<summary>The program</summary>\n\n{_PROGRAM}\n</details>\n"
    assert extract(folded, "cpp17").code == "int main() {}\n"
    headings = f"[Reasoning]\nAdd them.\n\n[Code]\n{_PROGRAM}"
    assert extract(headings, "cpp17").code == "int main() {}\n"
    prose = f"{_PROGRAM}The </think> tag is of no use here.\n"
    assert extract(prose, "cpp17").code == "int main() {}\n"
    inside = '```cpp\nstd::vector<plan> a; // <|thinking|> [unused16]\n```\n<details type="other">\n'
    assert (extract(inside, "cpp17").code or "").startswith("std::vector")


@pytest.mark.parametrize("prompt", ["Q\n<think>\n```python\n", "Q\n<think>\nA draft:\n```python\n"])
def test_a_block_that_a_prompt_opens_within_its_thinking_is_a_draft(prompt: str) -> None:
    draft = 'print("draft")\n```\nhmm'
    assert extract(draft, "python3", prompt=prompt).code is None
    whole = f"{draft}\n</think>\n```python\nprint(1)\n```\n"
    assert extract(whole, "python3", prompt=prompt).code == "print(1)\n"
    asked = "Think in <think> and </think>.\n```python\n"
    assert extract(draft, "python3", prompt=asked).code == 'print("draft")\n'
