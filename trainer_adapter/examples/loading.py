"""Loads examples for TRL: read once, near-duplicates and what is too long left out, some held out, mapped from disk.

loaded = load(ExamplesConfig(source="accepted.jsonl"), Path("cache"), tokenizer, pairs=False, most_tokens=1024)
loaded.train        a Dataset: prompt and completion, or prompt, chosen and rejected, each a list of messages
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from trainer_adapter.data import places, sources
from trainer_adapter.data.candidate import Message
from trainer_adapter.data.item import Unusable
from trainer_adapter.data.loading import Loaded, key_of, made_once, source_files, with_one_held_out, write_rows
from trainer_adapter.data.places import Places, find_place
from trainer_adapter.data.report import Tally
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.examples.config import ExamplesConfig
from trainer_adapter.examples.duplicates import Seen, words
from trainer_adapter.examples.layouts import Answered, reader


@dataclass(slots=True, kw_only=True)
class ExamplesReport:
    """What was kept of the rows of a source. A row may hold several examples, or none."""

    source: str
    layout: str = ""
    rows: int = 0
    train: int = 0
    held_out: int = 0
    places: Places = field(default_factory=Places)
    dropped: Tally = field(default_factory=Tally)

    def as_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "layout": self.layout,
            "rows": self.rows,
            "train": self.train,
            "held_out": self.held_out,
            "dropped": self.dropped.as_dict(),
        }

    def lines(self) -> Iterator[str]:
        kept = f"{self.train + self.held_out} examples of {self.rows} rows kept"
        yield f"{self.source} ({self.layout}): {kept}, {self.held_out} of them held out"
        if self.dropped.counts:
            yield f"dropped: {self.dropped.counts.total()}"
            yield from self.dropped.lines()


def load(
    config: ExamplesConfig, directory: Path, tokenizer: Any = None, *, pairs: bool, most_tokens: int | None = None
) -> Loaded:
    """The examples, made below `directory` if they are not there. `pairs`: with two answers. Without a tokenizer, or
    without `most_tokens`, none is too long.

    Raises:
        DataError: the source cannot be read, its layout is not known, or nothing of it is left; the message says why.
    """

    def write(building: Path, share: float) -> ExamplesReport:
        report = ExamplesReport(source=config.source, places=Places(share=share))
        write_rows(_rows(config, report, tokenizer, pairs, most_tokens), building)
        return report

    def make(building: Path) -> ExamplesReport:
        return with_one_held_out(config.held_out, partial(write, building))

    code = (*(Path(str(module.__file__)) for module in (sources, places)), *sorted(Path(__file__).parent.glob("*.py")))
    settings = json.dumps([config.model_dump(mode="json"), pairs, most_tokens])
    return made_once(directory, key_of(settings, source_files(config.source), code, tokenizer), make)


def _rows(
    config: ExamplesConfig, report: ExamplesReport, tokenizer: Any, pairs: bool, most_tokens: int | None
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Whether each is held out, and its columns."""
    seen = None if config.near_duplicates is None else Seen(config.near_duplicates)
    equal: set[str] = set()
    for example, where in _examples(config, report, pairs):
        fields = [_text(part) for part in (example.prompt, *example.answers)]
        identity = "\0".join(" ".join(words(text)) for text in fields)
        if identity in equal:
            report.dropped.add("equal to an earlier example", where)
        elif too_long(example, tokenizer, most_tokens):
            report.dropped.add(f"longer than {most_tokens} tokens", where)
        elif seen is not None and not seen.add(fields):
            report.dropped.add(
                f"nearly equal to an earlier example (similarity {config.near_duplicates} or more)", where
            )
        else:
            equal.add(identity)
            held_out = report.places.add(_place(example))
            report.held_out += held_out
            report.train += not held_out
            yield held_out, example.columns()


def _examples(config: ExamplesConfig, report: ExamplesReport, pairs: bool) -> Iterator[tuple[Answered, str]]:
    found = sources.rows(config.source, subset=config.subset, split=config.split)
    read = None
    for number, row in enumerate(itertools.islice(found, config.most_rows), 1):
        report.rows = number
        if read is None:
            try:
                report.layout, read = reader(row, pairs=pairs)
            except DataError as error:
                raise DataError(f"{config.source}: {error}") from error
        try:
            for example in read(row):
                yield _with_system(example, config.system_prompt), f"row {number}"
        except Unusable as reason:
            report.dropped.add(str(reason), f"row {number}")


def _with_system(example: Answered, system_prompt: str) -> Answered:
    if not system_prompt or example.prompt[0]["role"] == "system":
        return example
    return Answered([{"role": "system", "content": system_prompt}, *example.prompt], example.answers)


def _place(example: Answered) -> int:
    """By the words of the first question: so equal prompts, and the turns of one conversation, are on one side."""
    first = next(turn["content"] for turn in example.prompt if turn["role"] != "system")
    return find_place(" ".join(words(first)))


def too_long(example: Answered, tokenizer: Any, most_tokens: int | None) -> bool:
    """With any of its answers. TRL would cut it, and the model would learn to end in the middle."""
    if tokenizer is None or most_tokens is None:
        return False
    return any(_tokens(tokenizer, [*example.prompt, *answer]) > most_tokens for answer in example.answers)


def _tokens(tokenizer: Any, turns: list[Message]) -> int:
    try:
        text = tokenizer.apply_chat_template(turns, tokenize=False)
    except ValueError as error:
        raise DataError(f"the tokenizer has no chat template ({error}); take an instruction-tuned model") from error
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])


def _text(turns: list[Message]) -> str:
    return "\n".join(turn["content"] for turn in turns if turn["role"] != "system")
