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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import problems
from judge.store.directory import lock_file
from trainer_adapter.data.build import CountTokens, examples
from trainer_adapter.data.candidate import Message
from trainer_adapter.data.config import OUR_COLUMNS, DataConfig
from trainer_adapter.data.places import Places
from trainer_adapter.data.report import Report
from trainer_adapter.data.tests_column import DataError

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["DataConfig", "DataError", "Loaded", "load", "token_counter"]

#: What rows of examples and pairs hold (`trainer_adapter.examples`).
_EXAMPLES = ("completion", "chosen", "rejected")
#: `_BATCH_ROWS` rows are in memory at once.
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
    count = None if tokenizer is None else token_counter(tokenizer)

    def write(building: Path, share: float) -> Report:
        report = Report(source=config.source)
        found = examples(config.model_copy(update={"held_out": share}), report, count)
        write_rows(((one.held_out, one.columns()) for one in found), building)
        return report

    def make(building: Path) -> Report:
        return with_one_held_out(config.held_out, partial(write, building))

    stored = config.store is None or config.store.expanduser().is_dir()
    return made_once(directory, _key(config, tokenizer), make, again=not stored)


class Counts(Protocol):
    """What a report of data says."""

    train: int
    places: Places

    def as_dict(self) -> dict[str, Any]: ...
    def lines(self) -> Iterator[str]: ...


Written = TypeVar("Written", bound=Counts)


def with_one_held_out(share: float, write: Callable[[float], Written]) -> Written:
    """What `write` writes, which holds out this share of the prompts; at least one prompt, if there are several."""
    report = write(share)
    more = report.places.share_of_one()
    return report if more is None else write(more)


def made_once(directory: Path, key: str, make: Callable[[Path], Counts], *, again: bool = False) -> Loaded:
    """What `make` has written below `directory` under this key; it is called if there is nothing (or `again`).

    Raises:
        DataError: nothing is left to train on, or it cannot be written.
    """
    from datasets import Dataset  # noqa: PLC0415 - slow to import

    place = directory.expanduser().absolute() / key
    directory.expanduser().mkdir(parents=True, exist_ok=True)
    with lock_file(place.with_suffix(".lock")):
        if again or not (place / "report.json").is_file():
            _make(place, make)
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
    if config.source == "library":
        files = [file for name in config.only or problems.names() for file in problems.load(name).statements.values()]
    else:
        files = source_files(config.source)
    theirs = sorted(Path(problems.__file__).parent.joinpath("text").glob("*.py"))
    code = (*sorted(Path(__file__).parent.glob("*.py")), *theirs)
    return key_of(config.model_dump_json(), files, code, tokenizer)


def key_of(settings: str, files: Iterable[Path], code: Iterable[Path], tokenizer: Any) -> str:
    """A hash of all that decides the result: the settings, the files of the source, this code, the tokenizer."""
    parts = [settings]
    for file in files:
        status = file.stat()
        parts.append(f"{file.absolute()} {status.st_size} {status.st_mtime_ns}")
    parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in code]
    if tokenizer is not None:
        parts += [str(tokenizer.chat_template), str(len(tokenizer)), str(tokenizer.name_or_path)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]


def source_files(source: str) -> list[Path]:
    """Of a path; none of a name on the hub."""
    path = Path(source).expanduser()
    return sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []


def _make(place: Path, make: Callable[[Path], Counts]) -> None:
    building = Path(tempfile.mkdtemp(dir=place.parent, prefix=".new-"))
    try:
        report = make(building)
        if not report.train:
            raise DataError("\n".join(["nothing is left to train on:", *report.lines()]))
        (building / "report.json").write_text(json.dumps(report.as_dict(), ensure_ascii=False, indent=1))
        shutil.rmtree(place, ignore_errors=True)  # an old one, whose store is gone
        building.rename(place)
    except OSError as error:
        raise DataError(f"{place}: the data set cannot be written: {error.strerror}; free space there") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def write_rows(found: Iterator[tuple[bool, dict[str, Any]]], directory: Path) -> None:
    """Write train.arrow, and held_out.arrow if anything is held out: rows, and whether each is.

    Raises:
        DataError: a column that the user keeps changes its type.
    """
    import pyarrow  # noqa: PLC0415 - slow to import

    writers: dict[str, Any] = {}
    schema = None
    try:
        while batch := list(itertools.islice(found, _BATCH_ROWS)):
            schema = schema or _schema([row for _, row in batch])
            for name, chosen in (("train", False), ("held_out", True)):
                rows = [row for held_out, row in batch if held_out is chosen]
                if not rows:
                    continue
                if name not in writers:
                    writers[name] = pyarrow.ipc.new_stream(directory / f"{name}.arrow", schema)
                writers[name].write_batch(pyarrow.RecordBatch.from_pylist(rows, schema=schema))
    except pyarrow.ArrowException as error:
        raise DataError(f"data.keep: a column changes its type ({error}); keep it as text in the source") from error
    finally:
        for writer in writers.values():
            writer.close()


def _schema(rows: list[dict[str, Any]]) -> Any:
    """Of our own columns it is fixed; of those that the user keeps it is that of the first rows."""
    import pyarrow  # noqa: PLC0415 - slow to import

    message = pyarrow.struct({"role": pyarrow.string(), "content": pyarrow.string()})

    def kind(name: str, value: object) -> Any:
        if isinstance(value, list) and name not in kept:
            return pyarrow.list_(message)
        return pyarrow.infer_type([row[name] for row in rows]) if name in kept else _text(name)

    kept = rows[0].keys() - {*OUR_COLUMNS, *_EXAMPLES}
    return pyarrow.schema({name: kind(name, value) for name, value in rows[0].items()})


def _text(name: str) -> Any:
    import pyarrow  # noqa: PLC0415 - slow to import

    return pyarrow.large_string() if name == "tests" else pyarrow.string()
