"""Loads a data set for TRL: made once of Luogu's files or a well-known data set, then mapped from disk.

    loaded = load(DataConfig(source="problems.jsonl", most_prompt_tokens=1024), Path("cache"), tokenizer)
    loaded.train              a Dataset: prompt (conversational), problem_id, tests (opaque), difficulty
    loaded.held_out           likewise, or None
    loaded.report             what was kept, dropped and why

It is made row by row, as Arrow files: millions of tests need no memory.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import problems
from judge.store.directory import locked
from trainer_adapter.data.build import CountTokens, Example, Message, examples
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.report import Report
from trainer_adapter.data.tests_column import DataError

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["DataConfig", "DataError", "Loaded", "load", "token_counter"]

#: So many rows are in memory at once.
_BATCH_ROWS = 64


@dataclass(frozen=True, slots=True)
class Loaded:
    train: Dataset
    held_out: Dataset | None
    #: As `Report.as_dict`.
    report: Mapping[str, Any]


def load(config: DataConfig, directory: Path, tokenizer: Any = None) -> Loaded:
    """The data set, made below `directory` if it does not exist. Processes that need it at the same time make it once.

    Raises:
        DataError, ProblemError: it cannot be read, or nothing of it is left; the message says why.
    """
    from datasets import Dataset  # noqa: PLC0415 - slow to import

    place = directory.expanduser().absolute() / _key(config, tokenizer)
    directory.expanduser().mkdir(parents=True, exist_ok=True)
    with locked(place.with_suffix(".lock")):
        if not (place / "report.json").is_file() or not (config.store is None or config.store.expanduser().is_dir()):
            _make(config, place, None if tokenizer is None else token_counter(tokenizer))
    report = json.loads((place / "report.json").read_bytes())
    held_out = place / "held_out.arrow"
    return Loaded(
        train=Dataset.from_file(str(place / "train.arrow")),
        held_out=Dataset.from_file(str(held_out)) if held_out.exists() else None,
        report=report,
    )


def token_counter(tokenizer: Any) -> CountTokens:
    """A function that counts a prompt's tokens in the model's chat template, as TRL gives it to the model."""

    def count(prompt: list[Message]) -> int:
        try:
            text = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        except ValueError as error:
            raise DataError(f"the tokenizer has no chat template ({error}); take an instruction-tuned model") from error
        return len(tokenizer(text, add_special_tokens=False)["input_ids"])

    return count


def _key(config: DataConfig, tokenizer: Any) -> str:
    """A hash of all that decides the result: the settings, the source, this code, the tokenizer."""
    parts = [config.model_dump_json(), *_state(config), *_code()]
    if tokenizer is not None:
        parts += [str(tokenizer.chat_template), str(len(tokenizer)), str(tokenizer.name_or_path)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]


def _state(config: DataConfig) -> Iterator[str]:
    if config.source == "library":
        files = [file for name in config.only or problems.names() for file in problems.load(name).statements.values()]
    else:
        path = Path(config.source).expanduser()
        files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
    for file in files:
        status = file.stat()
        yield f"{file.absolute()} {status.st_size} {status.st_mtime_ns}"


def _code() -> Iterator[str]:
    ours = sorted(Path(__file__).parent.glob("*.py"))
    theirs = [Path(problems.__file__).parent / name for name in ("filters.py", "statement.py")]
    for path in (*ours, *theirs):
        yield hashlib.sha256(path.read_bytes()).hexdigest()


def _make(config: DataConfig, place: Path, count_tokens: CountTokens | None) -> None:
    report = Report(source=config.source)
    building = Path(tempfile.mkdtemp(dir=place.parent, prefix=".new-"))
    try:
        _write(examples(config, report, count_tokens), building)
        if not report.train:
            raise DataError("\n".join(["nothing is left to train on:", *report.lines()]))
        (building / "report.json").write_text(json.dumps(report.as_dict(), ensure_ascii=False, indent=1))
        shutil.rmtree(place, ignore_errors=True)  # an old one, whose store is gone
        building.rename(place)
    except OSError as error:
        raise DataError(f"{place}: the data set cannot be written: {error.strerror}; free space there") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _write(found: Iterator[Example], directory: Path) -> None:
    """Write train.arrow, and held_out.arrow if anything is held out."""
    import pyarrow  # noqa: PLC0415 - slow to import

    writers: dict[str, Any] = {}
    try:
        while batch := list(itertools.islice(found, _BATCH_ROWS)):
            for name, chosen in (("train", False), ("held_out", True)):
                rows = [one.columns() for one in batch if one.held_out is chosen]
                if not rows:
                    continue
                schema = _schema(rows[0])
                if name not in writers:
                    writers[name] = pyarrow.ipc.new_stream(directory / f"{name}.arrow", schema)
                writers[name].write_batch(pyarrow.RecordBatch.from_pylist(rows, schema=schema))
    finally:
        for writer in writers.values():
            writer.close()


def _schema(row: Mapping[str, Any]) -> Any:
    import pyarrow  # noqa: PLC0415 - slow to import

    message = pyarrow.struct({"role": pyarrow.string(), "content": pyarrow.string()})
    types = {"prompt": pyarrow.list_(message), "tests": pyarrow.large_string()}
    return pyarrow.schema({name: types.get(name, pyarrow.string()) for name in row})
