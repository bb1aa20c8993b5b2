"""`judge-train decontaminate`: what shares a run of words with a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer_adapter.commands.main import main
from trainer_adapter.rollouts.selection.contamination import FIELDS, Benchmarks, Lengths, texts

SECRET = "A frog jumps over n stones of which every third one is wet and counts its steps back home."
CHINESE = "给定一个长度为若干的序列,求出其中所有满足相邻两项之差不超过三的最长连续子段的长度并输出。"


def benchmarks(*found: str, **lengths: int) -> Benchmarks:
    made = Benchmarks(Lengths(**lengths))
    for number, text in enumerate(found, 1):
        made.add(text, f"bench:{number}")
    return made


def test_names_the_longest_common_run() -> None:
    words = SECRET.split()
    start, rest = " ".join(words[:9]).upper(), " ".join(words[9:15])
    text = f"Long ago. {start}  {rest}! And so on; a frog jumps over n stones."
    (match,) = benchmarks("Something else of more than thirteen words " * 3, SECRET).matches(text)
    assert match.benchmark == "bench:2"
    assert match.text == "a frog jumps over n stones of which every  third one is wet and counts"
    assert match.words == 15


@pytest.mark.parametrize(
    "change", [str.upper, lambda text: text.replace(" ", "\n\t"), lambda text: text.replace(" ", "，")]
)
def test_case_space_and_punctuation_count_for_nothing(change: Any) -> None:
    assert benchmarks(SECRET).matches(change(SECRET))


def test_twelve_words_are_no_hit() -> None:
    words = SECRET.split()
    assert not benchmarks(SECRET).matches(" ".join([*words[:12], "zzz", *words[13:]]))
    assert benchmarks(SECRET).matches(" ".join(words[:13]))
    assert benchmarks(SECRET, words=5).matches(" ".join(words[3:8]))


def test_chinese_by_characters() -> None:
    assert benchmarks(CHINESE).matches(f"题目描述 {CHINESE[:30]} 如题。")[0].text == CHINESE[:30]
    assert not benchmarks(CHINESE).matches(CHINESE[:20])
    full_width = CHINESE.replace(",", "，")
    assert benchmarks(CHINESE).matches(full_width)
    assert not benchmarks(CHINESE, words=1).matches("一个 stone")  # each kind of text by its own length
    assert benchmarks(CHINESE, SECRET).matches(f"{CHINESE} {SECRET}")[0].benchmark == "bench:1"
    assert len(benchmarks(CHINESE, SECRET).matches(f"{CHINESE} {SECRET}")) == 2


def test_phrasing_that_many_share_is_ignored_and_said() -> None:
    phrase = "Each test contains multiple test cases and the first line contains the number of test cases t."
    own = [f"{phrase} Now {' '.join(f'w{number}{each}' for each in range(13))}" for number in range(11)]
    found = benchmarks(*own, phrase)
    assert not found.matches(phrase)
    assert found.find_ignored() == ["bench:12"]
    assert benchmarks(*own[:9], phrase).matches(phrase)
    assert benchmarks(*[phrase] * 20).matches(phrase), "equal texts count once"


def test_short_texts_are_counted() -> None:
    found = benchmarks("Add two numbers.", "", SECRET)
    assert (len(found), found.short) == (1, 2)


def test_which_texts_are_compared() -> None:
    row = {
        "id": "no",
        "tests": "no",
        "prompt": [{"role": "system", "content": "no"}, {"role": "user", "content": [{"type": "text", "text": "a"}]}],
        "completion": "b",
        "hint": {"zh": "c"},
        "statement": 3,
    }
    assert list(texts(row, frozenset(FIELDS))) == ["a", "b", "c"]
    assert list(texts(row, frozenset({"tests"}))) == ["no"]


WORDS = st.lists(st.sampled_from(["a", "b", "c", "的"]), max_size=12)


@given(WORDS, st.lists(WORDS, max_size=4))
def test_finds_what_a_search_in_the_text_finds(words: list[str], others: list[list[str]]) -> None:
    made = Benchmarks(Lengths(words=3, characters=3, common=99))
    for number, other in enumerate(others):
        made.add(" ".join(other), str(number))
    runs = {" ".join(words[at : at + 3]) for at in range(len(words) - 2)}
    held = [" ".join(other) for other in others]
    expected = any(f" {run} " in f" {text} " for run in runs for text in held)
    matches = made.matches(" ".join(words))
    assert bool(matches) is expected
    for match in matches:
        assert f" {match.text} " in f" {' '.join(words)} "
        assert any(f" {' '.join(match.text.split()[:3])} " in f" {text} " for text in held)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": 1, "prompt": f"Do this: {SECRET}"}, {"prompt": "Something new."}, {"id": "x", "completion": CHINESE}]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows).rstrip())
    (tmp_path / "bench.jsonl").write_text("\n" + json.dumps({"question": SECRET}) + "\n")
    (tmp_path / "题.jsonl").write_text(json.dumps({"description": CHINESE}) + "\n")
    return tmp_path


def test_reports_and_changes_nothing(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (place / "data.jsonl").read_bytes()
    assert main(["decontaminate", "data.jsonl", "--against", "bench.jsonl", "--against", "题.jsonl"]) == 1
    out, err = capfd.readouterr()
    assert out.splitlines()[0].startswith("data.jsonl:1 (1) has 19 words of bench.jsonl:2: a frog jumps")
    assert out.splitlines()[1].startswith("data.jsonl:3 (x) has 43 words of 题.jsonl:1: 给定一个")
    assert "3 rows read, 1 without a hit" in err
    assert (place / "data.jsonl").read_bytes() == before
    (place / "clean.jsonl").write_text('{"prompt": "Something new."}\n')
    assert main(["decontaminate", "clean.jsonl", "--against", "bench.jsonl"]) == 0


def test_writes_what_is_left(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["decontaminate", "data.jsonl", "--against", "bench.jsonl", "-o", "clean.jsonl", "--hits", "hits.jsonl"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["read"], said["written"], said["benchmark_texts"]) == (3, 2, 1)
    lines = (place / "data.jsonl").read_bytes().split(b"\n")
    assert (place / "clean.jsonl").read_bytes() == lines[1] + b"\n" + lines[2] + b"\n"
    hit = json.loads((place / "hits.jsonl").read_text())
    assert hit["row"] == "data.jsonl:1 (1)"
    assert (hit["benchmark"], hit["words"]) == ("bench.jsonl:2", 19)
    assert main(["decontaminate", "data.jsonl", "--against", "bench.jsonl", "-o", "-", "--show", "0"]) == 0
    assert capfd.readouterr().out.encode() == (place / "clean.jsonl").read_bytes()
    assert main(["decontaminate", "bench.jsonl", "--against", "bench.jsonl", "-o", "clean.jsonl"]) == 1


def test_columns_that_are_not_there_are_an_error(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "odd.jsonl").write_text('{"task": "x"}\n')
    assert main(["decontaminate", "data.jsonl", "--against", "odd.jsonl"]) == 2
    assert "odd.jsonl: no row has a text in " in capfd.readouterr().err
    assert main(["decontaminate", "odd.jsonl", "--against", "bench.jsonl", "-o", "clean.jsonl"]) == 2
    assert not (place / "clean.jsonl").exists()
    assert main(["decontaminate", "odd.jsonl", "--against", "odd.jsonl", "--field", "task"]) == 0
    (place / "bench.jsonl").write_text('{"question": "x"}\n[]\n')
    assert main(["decontaminate", "data.jsonl", "--against", "bench.jsonl"]) == 2
    assert "bench.jsonl:2: an object is needed, not list" in capfd.readouterr().err
