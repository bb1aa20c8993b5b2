"""Reads rows one at a time from files, from what `datasets` saved, or from the hub. No table is held in memory.

problems.jsonl  .jsonl.gz  .json  .parquet  .arrow
                            one file
directory/                  such files (those of the split, if names say it); or *.md of Luogu
directory/                  what `save_to_disk` wrote, of a Dataset or a DatasetDict (the split of it); also where only
                            the directory of the split is left
datasets--owner--name/  owner___name/
                            a data set in the caches of the hub and of `datasets`
owner/name                  the hub, streaming
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trainer_adapter.data.luogu import markdown_row
from trainer_adapter.data.tests_column import DataError

_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".parquet", ".arrow")
#: What `datasets` and hub repositories write beside the data.
_NO_DATA = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
#: `_BATCH_ROWS` rows of a Parquet file are in memory at once: a row may have megabytes of tests.
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
    path = _find_cached(path)
    for saved in (path, path / split):
        if any((saved / name).is_file() for name in ("dataset_dict.json", "state.json")):
            return _read_saved(saved, split)
    found = [one for one in sorted(path.rglob("*")) if one.is_file() and _is_data(one)]
    found = _of_split(path, [one for one in found if subset in one.relative_to(path).parts] or found, split)
    if found:
        return _chain(_file(one) for one in found)
    statements = sorted(path.rglob("*.md"))
    if not statements:
        raise DataError(f"{path}: holds no {', '.join(_SUFFIXES)} and no .md; give a file, or a directory with some")
    return map(markdown_row, statements)


def _find_cached(path: Path) -> Path:
    """Where the data are in a data set's directory in the cache of the hub: `snapshots/REVISION`, the newest."""
    found = [one for one in path.glob("snapshots/*") if one.is_dir()]
    main = path / "refs" / "main"
    if main.is_file() and (named := path / "snapshots" / main.read_text("utf-8").strip()) in found:
        return named
    return max(found, key=lambda one: one.stat().st_mtime, default=path)


def _is_data(path: Path) -> bool:
    return path.name.endswith(_SUFFIXES) and path.name not in _NO_DATA and not path.name.startswith(("cache-", "."))


def _of_split(directory: Path, files: list[Path], split: str) -> list[Path]:
    """The files that say that they are of the split: train/…, train-00000-of-00002.parquet, alpaca-train.arrow; all,
    if none says anything.

    Raises:
        DataError: several splits begin with the name, as train_sft and train_prefs do.
    """
    words = {one: re.split(r"[/.-]", str(one.relative_to(directory))) for one in files}
    if exact := [one for one in files if split in words[one]]:
        return exact
    if others := sorted({word for one in files for word in words[one] if word.startswith(f"{split}_")}):
        if len(others) > 1:
            raise DataError(f"{directory}: has no split {split!r}, but {', '.join(others)}: set data.split to one")
        return [one for one in files if others[0] in words[one]]
    return [one for one in files if split in str(one.relative_to(directory))] or files


def _chain(parts: Iterable[Iterator[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from part


def _read_saved(path: Path, split: str) -> Iterator[dict[str, Any]]:
    import datasets  # noqa: PLC0415 - slow to import
    import pyarrow  # noqa: PLC0415

    try:
        found = datasets.load_from_disk(str(path))
    except (OSError, ValueError, pyarrow.ArrowInvalid) as error:
        raise DataError(
            f"{path}: what `datasets` saved there cannot be read ({error}); copy all of it again"
        ) from error
    if isinstance(found, datasets.DatasetDict):
        if split not in found:
            raise DataError(f"{path}: has no split {split!r}; it has {', '.join(found)}: set data.split to one")
        found = found[split]
    yield from found


def _file(path: Path) -> Iterator[dict[str, Any]]:
    if path.name.endswith(".parquet"):
        return _parquet(path)
    if path.name.endswith(".arrow"):
        return _arrow(path)
    if path.name.endswith(".json"):
        return _json(path)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return _lines(path)
    if path.name.endswith(".md"):
        return iter([markdown_row(path)])
    raise DataError(f"{path}: is of no known kind; give {', '.join(_SUFFIXES)} or .md")


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet  # noqa: PLC0415 - slow to import

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from batch.to_pylist()
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path}: is no sound Parquet file ({error}); get it again") from error


def _arrow(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow  # noqa: PLC0415 - slow to import

    try:
        with pyarrow.memory_map(str(path)) as file, pyarrow.ipc.open_stream(file) as stream:
            for batch in stream:
                yield from batch.to_pylist()
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path}: is no sound Arrow stream ({error}); get it again") from error


def _json(path: Path) -> Iterator[dict[str, Any]]:
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: is no JSON ({error}); one object a line is called .jsonl") from error
    if isinstance(data, dict):  # one problem, or the list under some name
        lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        data = lists[0] if len(lists) == len(data) == 1 else [data]
    for number, row in enumerate(data, 1):
        yield _check_row(row, f"{path}: item {number}")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(f"{path}:{number}: no JSON ({error}); the file may be cut off") from error
                yield _check_row(row, f"{path}:{number}")


def _check_row(row: object, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise DataError(f"{where}: an object is needed, not {type(row).__name__}")
    return row
