"""Reads rows one at a time from files, from what `datasets` saved, or from the hub. No table is held in memory.

problems.jsonl  .jsonl.gz  .json  .parquet        one file
directory/                                        such files (those of the split, if names say it); or *.md of Luogu;
                                                  or what `Dataset.save_to_disk` wrote (DatasetDict: the split of it)
owner/name                                        the hub, streaming
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trainer_adapter.data.luogu import markdown_row
from trainer_adapter.data.tests_column import DataError

_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".parquet")
#: So many rows of a Parquet file are in memory at once: a row may have megabytes of tests.
_BATCH_ROWS = 16


def rows(source: str, *, subset: str | None = None, split: str = "train") -> Iterator[dict[str, Any]]:
    """All rows of a split.

    Raises:
        DataError: there is nothing there, or it is not what its name says; the message names the file and the line.
    """
    path = Path(source).expanduser()
    if path.is_file():
        return _file(path)
    if path.is_dir():
        return _directory(path, subset, split)
    if path.is_absolute() or source.startswith((".", "~")) or source.count("/") != 1 or source.endswith(_SUFFIXES):
        raise DataError(f"{source}: there is no such file or directory")
    return _hub(source, subset, split)


def _hub(source: str, subset: str | None, split: str) -> Iterator[dict[str, Any]]:
    import datasets  # noqa: PLC0415 - slow to import

    try:
        yield from datasets.load_dataset(source, subset, split=split, streaming=True)
    except (OSError, ValueError) as error:  # as `datasets` raises: not found, offline, no such split
        raise DataError(f"{source}: cannot be had from the hub ({error}); give a local path") from error


def _directory(path: Path, subset: str | None, split: str) -> Iterator[dict[str, Any]]:
    if (path / "dataset_dict.json").is_file() or (path / "dataset_info.json").is_file():
        return _saved(path, split)
    found = [one for one in sorted(path.rglob("*")) if one.is_file() and one.name.endswith(_SUFFIXES)]
    for part in (subset, split):  # as hub repositories name them: subset/train-00000-of-00002.parquet
        found = [one for one in found if part and part in str(one.relative_to(path))] or found
    if found:
        return _chain(_file(one) for one in found)
    statements = sorted(path.rglob("*.md"))
    if not statements:
        raise DataError(f"{path}: holds no {', '.join(_SUFFIXES)} and no .md")
    return map(markdown_row, statements)


def _chain(parts: Iterable[Iterator[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from part


def _saved(path: Path, split: str) -> Iterator[dict[str, Any]]:
    import datasets  # noqa: PLC0415 - slow to import

    found = datasets.load_from_disk(str(path))
    if isinstance(found, datasets.DatasetDict):
        if split not in found:
            raise DataError(f"{path}: has no split {split!r}; it has {', '.join(found)}")
        found = found[split]
    yield from found


def _file(path: Path) -> Iterator[dict[str, Any]]:
    if path.name.endswith(".parquet"):
        return _parquet(path)
    if path.name.endswith(".json"):
        return _json(path)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return _lines(path)
    if path.name.endswith(".md"):
        return iter([markdown_row(path)])
    raise DataError(f"{path}: is of no known kind; give {', '.join(_SUFFIXES)} or .md")


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow  # noqa: PLC0415 - slow to import
    import pyarrow.parquet  # noqa: PLC0415

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from batch.to_pylist()
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path}: is no sound Parquet file ({error}); get it again") from error


def _json(path: Path) -> Iterator[dict[str, Any]]:
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: is no JSON ({error}); one object a line is called .jsonl") from error
    if isinstance(data, dict):  # one problem, or the list under some name
        lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        data = lists[0] if len(lists) == len(data) == 1 else [data]
    for number, row in enumerate(data, 1):
        yield _checked(row, f"{path}: item {number}")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(f"{path}:{number}: no JSON ({error}); the file may be cut off") from error
                yield _checked(row, f"{path}:{number}")


def _checked(row: object, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise DataError(f"{where}: an object is needed, not {type(row).__name__}")
    return row
