"""Who looks for the program of a completion, finds the same: rewards, rows, adapters of other trainers, the service."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from judge.common.whole import encode_text
from judge.many import rows
from judge.server.api.batches import parse_rows
from judge.server.compat.sandbox_fusion import evaluate
from judge.server.compat.sandbox_fusion.requests import TestConfig as Config
from judge.server.requests import JudgementRequest, OptionsRequest
from tests.judge.languages.completions import OTHERS, PROGRAM, Case
from trainer_adapter import reward_funcs
from trainer_adapter.integrations import core, verl
from trainer_adapter.reward_funcs import CodeReward, Settings

#: Those that hold the right program of P1001, or none.
CASES = {
    name: case
    for name, case in OTHERS.items()
    if case.language == "cpp17" and (case.code is None or case.code.strip() == PROGRAM.strip())
}
WANTED = [float(case.code is not None) for case in CASES.values()]
PROMPTS = [case.prompt or case.template_end or None for case in CASES.values()]
COMPLETIONS = [case.completion for case in CASES.values()]


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    reward_funcs.close()


def test_rewards_and_adapters_pay_the_same() -> None:
    assert len(CASES) > 50 and 0.2 < sum(WANTED) / len(WANTED) < 0.8
    problems = ["P1001"] * len(CASES)
    paid = reward_funcs.accepted(completions=COMPLETIONS, prompts=PROMPTS, problem_id=problems)
    assert dict(zip(CASES, paid, strict=True)) == dict(zip(CASES, WANTED, strict=True))
    found = core.scores(COMPLETIONS, problems, prompts=PROMPTS)
    assert [each.reward for each in found if isinstance(each, core.Score)] == WANTED
    infos = [{"prompt": prompt} for prompt in PROMPTS]
    scored = verl.compute_scores([""] * len(CASES), COMPLETIONS, problems, infos)  # type: ignore[arg-type]
    assert [each["score"] for each in scored] == WANTED


def test_the_template_tells_what_no_prompt_of_messages_does() -> None:
    draft = [{"role": "assistant", "content": f"Okay.\n```cpp\n{PROGRAM}```\nBut wait"}]
    user = [[{"role": "user", "content": "Add."}]]
    thinks = CodeReward(settings=Settings(template_end="<|im_start|>assistant\n<think>\n"))
    assert thinks(completions=[draft], prompts=user, problem_id=["P1001"]) == [0.0]
    assert CodeReward()(completions=[draft], prompts=user, problem_id=["P1001"]) == [1.0]


@pytest.mark.parametrize("case", [case for case in CASES.values() if isinstance(case.completion, str)])
def test_rows_and_the_service_find_the_same(case: Case) -> None:
    row = {"problem": "P1001", "completion": case.completion, "language": "cpp17"}
    row |= {"prompt": case.prompt, "template_end": case.template_end}
    line = json.dumps(row).encode()
    (item,) = rows.read([line], "cpp17")
    (asked,) = parse_rows(line, "cpp17", OptionsRequest(), 1) or ()
    for found in (item.submission, asked):
        source = getattr(found, "source", None)
        code = source.decode() if isinstance(source, bytes) else source
        assert code == case.code
    if case.prompt is None and not case.template_end and "analysis" not in case.completion:
        judged = evaluate.code(case.completion, Config(language="cpp"))
        assert (judged.text if judged.kind == "fenced" else None) == case.code


@pytest.mark.parametrize("told", ["cpp17", None])
def test_they_agree_whether_the_language_is_told_or_not(told: str | None) -> None:
    for name, case in OTHERS.items():
        row = {
            "problem": "P1001",
            "completion": case.completion,
            "prompt": case.prompt,
            "template_end": case.template_end,
        }
        line = json.dumps(row | ({"language": told} if told else {})).encode()
        (item,) = rows.read([line], "cpp17")
        (asked,) = parse_rows(line, "cpp17", OptionsRequest(), 1) or ()
        found = Settings(language="cpp17", template_end=case.template_end).extract(case.completion, told, case.prompt)
        rewarded = None if found.code is None else (found.code, found.language or "cpp17")
        batched = item.submission and (item.submission.source.decode(), item.submission.language)
        served = (asked.source, asked.language) if isinstance(asked, JudgementRequest) else None
        assert rewarded == batched == served, name


_PLUS = "a, b = map(int, input().split())\nprint({}\n)"


@pytest.mark.parametrize(
    ("before", "line", "read"),
    [
        ("Half a \udc80 character", "a + b", "a + b"),
        ("", "a + b  # \ud800 é", "a + b  # \ufffd é"),
        ("", "a + b if len('\ud83d\ude00') == 1 else 0", "a + b if len('\U0001f600') == 1 else 0"),
        ("", "a + b if '\ud800' != '?' else 0", "a + b if '\ufffd' != '?' else 0"),
        ("", "a + b if '\ud800' == '?' else 0", "a + b if '\ufffd' == '?' else 0"),
    ],
    ids=["prose", "comment", "two halves", "no question mark", "a question mark"],
)
def test_half_a_character_is_the_same_at_every_door(before: str, line: str, read: str) -> None:
    """Neither a program that was right, nor one that would be right if it were a question mark."""
    completion = f"{before}\n```python\n{_PLUS.format(line)}\n```"
    wanted, right = _PLUS.format(read).strip(), float("== '?'" not in line)
    for row in ({"completion": completion}, {"source": _PLUS.format(line)}):
        text = json.dumps({"problem": "P1001", "language": "python3"} | row).encode()
        (item,) = rows.read([text], "cpp17")
        (asked,) = parse_rows(text, "cpp17", OptionsRequest(), 1) or ()
        assert item.submission is not None and isinstance(asked, JudgementRequest)
        assert item.submission.source.decode().strip() == asked.source.strip() == wanted
    judged = evaluate.code(completion, Config(language="python"))
    assert encode_text(judged.text).decode().strip() == wanted
    asked_of = {"completions": [completion], "problem_id": ["P1001"]}
    assert reward_funcs.accepted(**asked_of) == [right]
    (scored,) = core.scores([completion], ["P1001"])
    assert isinstance(scored, core.Score) and scored.reward == right


def test_a_fence_chooses_only_among_the_languages_of_the_settings() -> None:
    completion = "```bash\nread a b; echo $((a + b))\n```"
    asked = {"completions": [completion], "problem_id": ["P1001"]}
    assert CodeReward()(**asked) == [0.0]
    (none,) = core.scores([completion], ["P1001"])
    assert isinstance(none, core.Score) and (none.verdict, none.detail) == ("NO_CODE", "not-to-choose")
    assert CodeReward(settings=Settings(languages=("bash",)))(**asked) == [1.0]
    line = json.dumps({"problem": "P1001", "completion": completion}).encode()
    (item,) = rows.read([line], "cpp17")
    assert item.judgement is not None and item.judgement.compile is not None
    assert "may not choose" in item.judgement.compile.output
    (item,) = rows.read([line], "cpp17", ("bash",))
    assert item.submission is not None and item.submission.language == "bash"
