from __future__ import annotations

import json

import pytest

from judge.many.rows import InputLine, read


def _one(row: object) -> InputLine:
    (item,) = read([json.dumps(row).encode()], "cpp17")
    return item


def test_a_source_row() -> None:
    item = _one({"id": "a", "problem": "P1001", "source": "int main(){}", "language": "c11", "reward": 1})
    assert item.error is None
    assert item.submission is not None
    assert (item.id, item.submission.source, item.submission.language) == ("a", b"int main(){}", "c11")


def test_a_row_of_several_files() -> None:
    files = {"b.h": "x", "a.cpp": "\u00e9"}
    item = _one({"problem": "P1001", "source": "int main(){}", "files": files})
    assert item.submission is not None
    assert item.submission.files == (("a.cpp", b"\xc3\xa9"), ("b.h", b"x"))


@pytest.mark.parametrize(
    ("row", "language"),
    [
        ({"completion": "```python\nprint(1)\n```"}, "python3"),
        ({"completion": "```python\nprint(1)\n```", "language": "pypy3"}, "pypy3"),
        ({"completion": "```c++\nx\n```"}, "cpp17"),
        ({"completion": "```\n1 2\n```"}, "cpp17"),
        ({"completion": "```cpp\nx\n```\n```text\n1 2\n```"}, "cpp17"),
        ({"completion": "```cpp\nx\n```\n```python\nprint(1)\n```", "language": "cpp20"}, "cpp20"),
        ({"source": "```python\n```"}, "cpp17"),
    ],
)
def test_language_of_a_row(row: dict[str, str], language: str) -> None:
    submission = _one(row | {"problem": "P1001"}).submission
    assert submission is not None
    assert submission.language == language


@pytest.mark.parametrize(
    ("row", "default"),
    [
        ({"completion": "```python\nprint(1)\n```"}, "cpp17"),
        ({"completion": "```\nx\n```"}, "cpp17"),
        ({"completion": "```python\nprint(1)\n```", "language": "python3"}, None),
        ({"source": "x"}, None),
    ],
    ids=["fence", "no tag", "row", "source"],
)
def test_who_chose_the_language(row: dict[str, str], default: str | None) -> None:
    submission = _one(row | {"problem": "P1001"}).submission
    assert submission is not None
    assert submission.default_language == default


def test_a_field_of_another_tool_is_ignored_beside_ours() -> None:
    row = {"problem": "P1001", "source": "x", "language": "c11", "language_id": 54, "response": "", "task": "T"}
    submission = _one(row).submission
    assert submission is not None
    assert (submission.source, submission.language) == (b"x", "c11")


def test_a_completion_gives_its_block() -> None:
    submission = _one({"problem": "P1001", "completion": "so:\n```cpp\nint main(){}\n```"}).submission
    assert submission is not None
    assert submission.source == b"int main(){}\n"


def test_messages_of_any_depth_are_at_most_an_error() -> None:
    deep = [
        b'{"problem":"P1001","completion":[{"role":"assistant","content":' + b"[" * depth + b"]" * depth + b"}]}"
        for depth in range(900, 1010)
    ]
    for item in read(deep, "cpp17"):
        assert item.error is not None or item.judgement is not None


def test_a_completion_may_be_messages() -> None:
    """As reward functions get it: the last message of the assistant answers, and what it reasoned is no answer."""
    fence = "```cpp\n{}\n```"
    messages = [
        {"role": "assistant", "content": fence.format("first")},
        {"role": "user", "content": fence.format("theirs")},
        {
            "role": "assistant",
            "reasoning_content": fence.format("draft"),
            "content": [
                {"type": "reasoning", "text": fence.format("part")},
                {"type": "text", "text": fence.format("x")},
            ],
        },
    ]
    for completion in (messages, messages[-1:]):
        submission = _one({"problem": "P1001", "completion": completion}).submission
        assert submission is not None
        assert submission.source == b"x\n"
    none = _one({"problem": "P1001", "completion": [{"role": "assistant", "content": None}]}).judgement
    assert none is not None and none.verdict == "CE"


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("int main(){}", "no-fence: the completion holds no program: it has no fenced block"),
        ("```cpp\nint main(", "unclosed: the completion holds no program: it ended before its program did"),
        ("```python\nprint(1)\n```", "wrong-language: "),
        ("```cpp\n```", "empty: "),
    ],
)
def test_a_completion_without_a_program_is_a_compile_error(completion: str, reason: str) -> None:
    """As for the reward functions: the model's failure, not the row's."""
    item = _one({"problem": "P1001", "completion": completion, "language": "c++20"})
    assert (item.submission, item.error) == (None, None)
    assert item.judgement is not None
    assert item.judgement.compile is not None
    assert (item.judgement.verdict, item.judgement.score, item.judgement.language) == ("CE", 0.0, "cpp20")
    assert item.judgement.compile.output.startswith(reason)


BROKEN = [
    (b"{", None, "no JSON"),
    (b"\xff\xfe", None, "no JSON"),
    (b"[" * 100_000, None, "no JSON"),
    (b"7", None, "a JSON object is needed, not int"),
    (b'{"id": "a", "source": ""}', "a", "problem: Field required"),
    (b'{"id": "a", "problem": "P1001"}', "a", "give either source or completion"),
    (b'{"id": 7, "problem": "P1001", "source": "", "completion": ""}', "7", "give either source or completion"),
    (b'{"id": "a", "problem": 1001, "source": ""}', "a", "problem: Input should be a valid string"),
    (b'{"id": "a", "problem": "P1001", "source": "", "lanuage": "c11"}', "a", "did you mean 'language'?"),
    (b'{"id": "a", "problem": "P1001", "source": "", "lang": "c11"}', "a", "'lang'; did you mean 'language'?"),
    (b'{"id": "a", "problem": "P1001", "source": "", "checker": "x"}', "a", "'checker' is not read, for the problem"),
    (b'{"id": "a", "problem": "P1001", "source": "", "time_limit": 9}', "a", "'time_limit' is not read"),
    (b'{"id": "a", "problem": "P1001", "source": "", "timeLimitMs": 9}', "a", "'timeLimitMs' is not read"),
    (b'{"id": "a", "problem": "P1001", "source": "", "checker_code": "x"}', "a", "'checker_code' is not read"),
    (b'{"id": "a", "problem": "P1001", "code": ""}', "a", "'code'; did you mean 'source'?"),
    (b'{"id": "a", "problem_id": "P1001", "source": ""}', "a", "'problem_id'; did you mean 'problem'?"),
    (b'{"id": ["a"], "problem": "P1001", "source": ""}', None, "id: Input should be a valid string"),
    (b'{"id": true, "problem": "P1001", "source": ""}', None, "id: Input should be a valid string"),
    (b'{"problem": "P1001", "completion": "", "language": "c+++"}', None, "'c+++'"),
    (b'{"problem": "P1001", "source": "", "files": ["a.h"]}', None, "files: Input should be a valid dictionary"),
    (b'{"problem": "P1001", "source": "", "files": {"": "x"}}', None, "files"),
    (b'{"problem": "P1001", "source": "", "files": {"a.h": 1}}', None, "a.h: Input should be a valid string"),
    (b'{"problem": "P1001", "completion": "", "files": {"a.h": "x"}}', None, "not with a completion"),
    (b'{"problem": "P1001", "completion": 7}', None, "completion is of type int: give text, or messages"),
    (b'{"problem": "P1001", "completion": ["x"]}', None, "completion is of type list: give text, or messages"),
    (b'{"problem": "P1001", "messages": []}', None, "'messages'; did you mean 'completion'?"),
    (b'{"problem": "P\\ud800", "source": ""}', None, "problem: character 1 is a lone surrogate"),
]


@pytest.mark.parametrize(("line", "identity", "error"), BROKEN)
def test_a_broken_row_names_its_line_and_fault(line: bytes, identity: str | None, error: str) -> None:
    first, item = read([b'{"problem": "P1001", "source": ""}\n', b"\n", line][::2], "cpp17")
    assert first.error is None
    assert (item.line, item.id, item.submission) == (2, identity, None)
    assert item.error is not None
    assert error in item.error
    assert "\n" not in item.error


def test_blank_lines_count_but_give_no_rows() -> None:
    assert [item.line for item in read([b"\n", b'{"problem": "p", "source": ""}', b"  \r\n", b"?"], "c11")] == [2, 4]


def test_an_id_that_stands_twice_is_refused_and_does_not_hide_the_first() -> None:
    row = json.dumps({"id": 5, "problem": "P1001", "source": ""}).encode()
    first, second = read([row, row], "cpp17")
    assert (first.id, first.error) == ("5", None)
    assert (second.id, second.error) == (None, "id '5' is on line 1 already; make ids unique")
