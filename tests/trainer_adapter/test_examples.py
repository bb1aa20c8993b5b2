"""Examples for SFT and DPO: every layout of rows, every layout on disk, what is left out, what is held out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset, DatasetDict
from transformers import PreTrainedTokenizerFast

from trainer_adapter.data.tests_column import DataError
from trainer_adapter.examples.config import ExamplesConfig
from trainer_adapter.examples.duplicates import Seen, runs, similarity
from trainer_adapter.examples.loading import load
from trainer_adapter.rollouts.row import Rollout

USER, ANSWER, WORSE = "Add two numbers.", "print(a + b)", "print(a - b)"
PROMPT = [{"role": "user", "content": USER}]


def turns(*texts: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def loaded(path: Path | str, *, pairs: bool = False, tokenizer: Any = None, most: int | None = None, **how: Any) -> Any:
    directory = Path(str(path)).parent / "made"
    return load(ExamplesConfig(source=str(path), **how), directory, tokenizer, pairs=pairs, most_tokens=most)


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": USER, "completion": ANSWER},
        {"prompt": PROMPT, "completion": turns("", ANSWER)[1:]},
        {"messages": turns(USER, ANSWER)},
        {"conversations": [{"from": "human", "value": USER}, {"from": "gpt", "value": ANSWER}]},
        {"instruction": USER, "input": "", "output": ANSWER, "text": "Below is …"},
        {"id": "cot.1", "system_prompt": "", "question": USER, "response": ANSWER},
        {"id": "1", "input": USER, "output": ANSWER, "solution": ANSWER, "dataset": "taco", "split": "train"},
        {"question": USER, "r1_generation": ANSWER, "judgement": "right", "pass_rate": "1.0"},
        json.loads(Rollout(problem="P1", prompt=USER, completion=ANSWER, verdict="AC").line()),
    ],
    ids=["text", "chat", "messages", "sharegpt", "alpaca", "openorca", "opencodereasoning", "its second", "rollout"],
)
def test_layouts_of_one_answer(tmp_path: Path, row: dict[str, Any]) -> None:
    found = loaded(written(tmp_path / "rows.jsonl", [row]))
    assert list(found.train) == [{"prompt": PROMPT, "completion": turns("", ANSWER)[1:]}]


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"input": "-"}, "stands in another data set"), ({"judgement": "wrong"}, "judged to be wrong")],
)
def test_rows_of_opencodereasoning_that_are_dropped(tmp_path: Path, change: dict[str, str], reason: str) -> None:
    row = {"input": USER, "output": ANSWER, "solution": ANSWER}
    found = loaded(written(tmp_path / "rows.jsonl", [row, row | {"input": "Another."} | change]))
    assert [one for one in found.report["dropped"] if reason in one]
    assert len(found.train) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": USER, "chosen": ANSWER, "rejected": WORSE},
        {"prompt": PROMPT, "chosen": turns("", ANSWER)[1:], "rejected": turns("", WORSE)[1:]},
        {"prompt": USER, "chosen": turns(USER, ANSWER), "rejected": turns(USER, WORSE), "score_chosen": 8.0},
        {"chosen": turns(USER, ANSWER), "rejected": turns(USER, WORSE)},
        {
            "conversations": [{"from": "human", "value": USER}],
            "chosen": {"from": "gpt", "value": ANSWER},
            "rejected": {"from": "gpt", "value": WORSE},
        },
        {
            "chosen": f"\n\nHuman: {USER}\n\nAssistant: {ANSWER}",
            "rejected": f"\n\nHuman: {USER}\n\nAssistant: {WORSE}",
        },
        {
            "instruction": USER,
            "completions": [
                {"response": "print(a)", "overall_score": 5},
                {"response": ANSWER, "overall_score": 8.5},
                {"response": WORSE, "overall_score": 2},
            ],
        },
    ],
    ids=["text", "chat", "ultrafeedback binarized", "prompt in the answers", "sharegpt", "hh-rlhf", "ultrafeedback"],
)
def test_layouts_of_two_answers(tmp_path: Path, row: dict[str, Any]) -> None:
    found = loaded(written(tmp_path / "rows.jsonl", [row]), pairs=True)
    answers = {"chosen": turns("", ANSWER)[1:], "rejected": turns("", WORSE)[1:]}
    assert list(found.train) == [{"prompt": PROMPT, **answers}]


def test_input_and_system_prompt_and_every_turn(tmp_path: Path) -> None:
    alpaca = {"instruction": "Add.", "input": "1 2", "output": "3"}
    (row,) = loaded(written(tmp_path / "a.jsonl", [alpaca]), system_prompt="Be brief.").train
    assert [turn["content"] for turn in row["prompt"]] == ["Be brief.", "Add.\n\n1 2"]
    talk = {"messages": [{"role": "system", "content": "S"}, *turns("1?", "one", "2?", "two")]}
    first, second = loaded(written(tmp_path / "b.jsonl", [talk]), system_prompt="Be brief.").train
    assert [turn["content"] for turn in first["prompt"]] == ["S", "1?"]
    assert [turn["content"] for turn in second["prompt"]] == ["S", "1?", "one", "2?"]
    assert second["completion"] == turns("", "two")[1:]


def save_dict(path: Path, rows: list[dict[str, Any]]) -> None:
    other = Dataset.from_list([{"prompt": "x", "completion": "y"}])
    DatasetDict({"train": Dataset.from_list(rows), "test": other}).save_to_disk(path)


def only_the_split(path: Path, rows: list[dict[str, Any]]) -> None:
    save_dict(path, rows)
    (path / "dataset_dict.json").unlink()


def hub_cache(path: Path, rows: list[dict[str, Any]]) -> None:
    for revision, some in (("old", [{"prompt": "old", "completion": "old"}]), ("new", rows)):
        (path / "snapshots" / revision / "data").mkdir(parents=True)
        Dataset.from_list(some).to_parquet(path / "snapshots" / revision / "data" / "train-00000-of-00001.parquet")
    (path / "refs").mkdir()
    (path / "refs" / "main").write_text("new")


def datasets_cache(path: Path, rows: list[dict[str, Any]]) -> None:
    saved = path / "saved"
    Dataset.from_list(rows).save_to_disk(saved)
    place = path / "default" / "0.0.0" / "0123"
    place.mkdir(parents=True)
    shutil.move(next(saved.glob("*.arrow")), place / "alpaca-train.arrow")
    shutil.move(saved / "dataset_info.json", place / "dataset_info.json")
    (place / "cache-12.arrow").write_bytes(b"of a map")
    shutil.rmtree(saved)


def split_files(path: Path, rows: list[dict[str, Any]]) -> None:
    (path / "train").mkdir(parents=True)
    written(path / "train" / "part.jsonl", rows)
    (path / "test").mkdir()
    written(path / "test" / "part.jsonl", [{"prompt": "x", "completion": "y"}])


LAYOUTS: dict[str, Callable[[Path, list[dict[str, Any]]], object]] = {
    "DatasetDict": save_dict,
    "Dataset": lambda path, rows: Dataset.from_list(rows).save_to_disk(path),
    "split alone": only_the_split,
    "train/": split_files,
    "cache of the hub": hub_cache,
    "cache of datasets": datasets_cache,
    "rows.jsonl": written,
    "rows.json": lambda path, rows: path.write_text(json.dumps(rows)),
    "rows.parquet": lambda path, rows: Dataset.from_list(rows).to_parquet(path),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_on_disk(tmp_path: Path, layout: str) -> None:
    rows = [{"prompt": text, "completion": ANSWER} for text in ("one", "two")]
    LAYOUTS[layout](tmp_path / layout, rows)
    found = loaded(tmp_path / layout)
    assert [row["prompt"][0]["content"] for row in found.train] == ["one", "two"]


def test_a_split_that_is_several_is_asked_for(tmp_path: Path) -> None:
    for split in ("train_prefs", "train_sft"):
        row = [{"prompt": split, "completion": ANSWER}]
        Dataset.from_list(row).to_parquet(tmp_path / "ultra" / f"{split}-00000-of-00001.parquet")
    with pytest.raises(DataError, match=r"no split .train., but train_prefs, train_sft: set data\.split"):
        loaded(tmp_path / "ultra")
    (row,) = loaded(tmp_path / "ultra", split="train_sft").train
    assert row["prompt"][0]["content"] == "train_sft"


@pytest.mark.parametrize(
    ("row", "pairs", "complaint"),
    [
        (
            {"question": "x", "answer": "y"},
            False,
            "columns question, answer, and need .* prompt \\+ completion; messages",
        ),
        ({"prompt": "x", "chosen": "y", "rejected": "z"}, False, "they are data for judge-train dpo"),
        ({"prompt": "x", "completion": "y"}, True, "they are data for judge-train sft"),
        ({"prompt": "x", "completion": "y", "verdict": "WA"}, False, "was not accepted"),
        ({"prompt": "x", "completion": "y", "verdict": "AC", "truncated": True}, False, "was cut"),
        ({"prompt": "x", "chosen": "y", "rejected": "y"}, True, "the chosen answer is the rejected one"),
        ({"chosen": "y", "rejected": "z"}, True, "no column prompt"),
        ({"prompt": "x", "completion": "  "}, False, "an empty answer"),
        ({"prompt": [{"role": "user"}], "completion": "y"}, False, "a message without a role"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, row: dict[str, Any], pairs: bool, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        loaded(written(tmp_path / "rows.jsonl", [row]), pairs=pairs)


@pytest.mark.parametrize("name", ["nowhere.jsonl", "/no/such/directory"])
def test_what_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="no such file or directory"):
        load(ExamplesConfig(source=name), tmp_path, pairs=False)


def test_a_broken_save_is_said(tmp_path: Path) -> None:
    Dataset.from_list([{"prompt": "x", "completion": "y"}]).save_to_disk(tmp_path / "saved")
    next((tmp_path / "saved").glob("*.arrow")).unlink()
    with pytest.raises(DataError, match="copy all of it again"):
        loaded(tmp_path / "saved")


LONG = " ".join(f"word{number}" for number in range(200))


def test_similarity_is_jaccard() -> None:
    """One of 200 words changed: 5 of the 196 runs differ."""
    changed = LONG.replace("word100", "other")
    assert similarity(runs(LONG), runs(changed)) == pytest.approx(191 / 201)
    assert similarity(runs("A  b\nC"), runs("a b c")) == 1
    assert similarity(runs("输出它们的和。"), runs("输出它们的差。")) < 0.5
    assert similarity(runs(LONG, 1), runs(LONG, 2)) == 0


def test_near_duplicates_are_left_out(tmp_path: Path) -> None:
    rows = [
        {"prompt": LONG, "completion": LONG},
        {"prompt": LONG.upper(), "completion": LONG},  # equal but for its letters
        {"prompt": LONG, "completion": LONG.replace("word100", "other")},  # nearly equal
        {"prompt": LONG, "completion": ANSWER},  # another answer
        {"prompt": ANSWER, "completion": LONG},  # another question
    ]
    path = written(tmp_path / "rows.jsonl", rows)
    found = loaded(path)
    assert len(found.train) == 3
    assert {why: tally["count"] for why, tally in found.report["dropped"].items()} == {
        "equal to an earlier example": 1,
        "nearly equal to an earlier example (similarity 0.9 or more)": 1,
    }
    assert len(loaded(path, near_duplicates=None).train) == 4
    assert len(loaded(path, near_duplicates=1.0).train) == 4


def test_bands_find_what_is_similar() -> None:
    """Of 300 pairs with a similarity of 0.85 to 0.95 none may be missed at 0.8."""
    seen = Seen(0.8)
    for number in range(300):
        words = [f"w{number}x{place}" for place in range(200)]
        assert seen.add([" ".join(words)])
        words[number % 200] = "other"
        assert not seen.add([" ".join(words)])


def test_one_prompt_at_least_is_held_out(tmp_path: Path) -> None:
    rows = [{"prompt": f"question {number % 3}", "completion": f"answer {number}"} for number in range(9)]
    found = loaded(written(tmp_path / "rows.jsonl", rows), held_out=1e-9, near_duplicates=None)
    assert (len(found.train), len(found.held_out)) == (6, 3)
    assert len({row["prompt"][0]["content"] for row in found.held_out}) == 1
    alike = loaded(written(tmp_path / "alike.jsonl", rows[::3]), held_out=1e-9, near_duplicates=None)
    assert (len(alike.train), alike.held_out) == (3, None)


def test_equal_prompts_are_held_out_together(tmp_path: Path) -> None:
    rows = [
        {"messages": turns(f"Question {number}{end}", f"answer {number} {end}", "And then?", f"more {number} {end}")}
        for number in range(60)
        for end in ("", " ", "\n\n")
    ]
    found = loaded(written(tmp_path / "rows.jsonl", rows), held_out=0.3, near_duplicates=None)
    trained, held_out = (
        {" ".join(row["prompt"][0]["content"].split()) for row in part} for part in (found.train, found.held_out)
    )
    assert not trained & held_out
    assert len(trained | held_out) == 60
    assert 8 <= len(held_out) <= 28
    assert len(found.train) + len(found.held_out) == found.report["train"] + found.report["held_out"]


def test_nothing_is_cut(tmp_path: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    rows = [{"prompt": "x", "chosen": answer, "rejected": "n"} for answer in ("y", "y" * 200)]
    found = loaded(written(tmp_path / "rows.jsonl", rows), pairs=True, tokenizer=tokenizer, most=100)
    assert [row["chosen"][0]["content"] for row in found.train] == ["y"]
    assert "longer than 100 tokens" in found.report["dropped"]
