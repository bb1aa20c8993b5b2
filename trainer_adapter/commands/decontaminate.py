"""`judge-train decontaminate`: rows of training data that stand in a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click

from judge.common.errors import ConfigError
from judge.common.text import harmless, one_line
from trainer_adapter.commands import selecting
from trainer_adapter.rollouts.selection.contamination import FIELDS, Benchmarks, Lengths, Match, texts
from trainer_adapter.rollouts.selection.files import STANDARD, encode_row, objects, open_again, replacing, show_name
from trainer_adapter.rollouts.selection.summary import Summary

_PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
_TARGET = click.Path(dir_okay=False, path_type=Path)
_COUNT = click.IntRange(min=1)


@click.command("decontaminate")
@click.argument("data", metavar="DATA.jsonl", type=_PATH)
@click.option("--against", type=_PATH, multiple=True, required=True, metavar="BENCH.jsonl", help="May be repeated.")
@click.option("-o", "--output", type=_TARGET, help="Write the rows without a hit, unchanged; - for stdout.")
@click.option("--hits", type=_TARGET, help="Write all hits, as JSON Lines.")
@click.option("--words", type=_COUNT, default=13, show_default=True, metavar="N", help="Words in a row that are a hit.")
@click.option("--characters", type=_COUNT, default=25, show_default=True, metavar="N", help="Likewise, in Chinese.")
@click.option(
    "--common",
    type=_COUNT,
    default=10,
    show_default=True,
    metavar="N",
    help="What more texts of the benchmarks share is phrasing, and no hit.",
)
@click.option("--field", "fields", multiple=True, metavar="COLUMN", help="Compare these (default: the usual names).")
@click.option("--show", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Print N hits.")
@selecting.as_json
def command(
    data: Path,
    against: tuple[Path, ...],
    output: Path | None,
    hits: Path | None,
    words: int,
    characters: int,
    common: int,
    fields: tuple[str, ...],
    show: int,
    as_json: bool,
) -> int:
    """Find rows of DATA.jsonl (problems or rollouts; - for stdin) that share a run of words with a benchmark.

    Each hit names the row, the row of the benchmark, and the longest text that both hold. Case, punctuation and white
    space make no difference. Nothing is changed; -o writes what has no hit.

    Exit codes: 0 no hit, or -o has written some rows; 1 hits, or nothing is left for -o; 2 error.

    \b
    Examples:
      judge-train decontaminate problems.jsonl --against humaneval.jsonl --against livecodebench.jsonl
      judge-train decontaminate sft.jsonl --against bench.jsonl -o clean.jsonl --hits hits.jsonl --words 10
    """
    _check(output, hits, as_json=as_json)
    columns = frozenset(fields or FIELDS)
    benchmarks = _benchmarks(against, columns, Lengths(words=words, characters=characters, common=common))
    summary = Summary(what="rows", source=show_name(data), fate="without a hit")
    with ExitStack() as stack:
        put, tell = (None if one is None else stack.enter_context(replacing(one)) for one in (output, hits))
        stream = stack.enter_context(open_again(data))
        for line, row, found in _compare_rows(stream, show_name(data), columns, benchmarks, summary):
            if not found and put is not None:
                put(line)
            for match in found:
                if tell is not None:
                    tell(encode_row({"row": row} | asdict(match)))
                if not as_json and (show := show - 1) >= 0:
                    click.echo(_line(row, match), err=STANDARD in (output, hits))
    _warn(benchmarks, summary)
    code = selecting.report(summary, as_json=as_json)
    return 1 if output is None and summary.dropped.counts else code


def _check(output: Path | None, hits: Path | None, *, as_json: bool) -> None:
    """
    Raises:
        ConfigError: two results would go to one place.
    """
    for target in (output, hits):
        if target is not None:
            selecting.check(target, as_json=as_json)
    if output is not None and output == hits:
        raise ConfigError(f"-o and --hits would both write to {output}: name two files")


def _line(row: str, match: Match) -> str:
    return harmless(f"{row} has {match.words} words of {match.benchmark}: {one_line(match.text, 200)}")


def _benchmarks(against: tuple[Path, ...], columns: frozenset[str], lengths: Lengths) -> Benchmarks:
    benchmarks = Benchmarks(lengths)
    for path in against:
        empty = True
        with open_again(path) as stream:
            for number, _, row in objects(stream, show_name(path)):
                for text in texts(row, columns):
                    benchmarks.add(text, f"{show_name(path)}:{number}")
                    empty = False
        if empty:
            raise ConfigError(f"{path}: no row has a text in {', '.join(sorted(columns))}; name its columns by --field")
    return benchmarks


def _compare_rows(
    stream: BinaryIO, name: str, columns: frozenset[str], benchmarks: Benchmarks, summary: Summary
) -> Iterator[tuple[bytes, str, list[Match]]]:
    """Each line, the name of its row, and what the row shares with rows of the benchmarks."""
    without_text = 0
    for number, line, row in objects(stream, name):
        longest: dict[str, Match] = {}
        empty = True
        for text in texts(row, columns):
            empty = False
            for match in benchmarks.matches(text):
                longest[match.benchmark] = max(longest.get(match.benchmark, match), match, key=lambda one: one.words)
        without_text += empty
        summary.read += 1
        summary.written += not longest
        called = _name_row(row, f"{name}:{number}")
        if longest:
            summary.dropped.add(f"in {', '.join(sorted({_file(match) for match in longest.values()}))}", called)
        yield line if line.endswith(b"\n") else line + b"\n", called, sorted(longest.values(), key=_order)
    if without_text == summary.read > 0:
        raise ConfigError(f"{name}: no row has a text in {', '.join(sorted(columns))}; name its columns by --field")
    summary.figures["rows_without_text"] = without_text


def _file(match: Match) -> str:
    return match.benchmark.rpartition(":")[0]


def _order(match: Match) -> tuple[int, str]:
    return -match.words, match.benchmark


def _name_row(row: dict[str, Any], place: str) -> str:
    return f"{place} ({row['id']})" if isinstance(row.get("id"), (str, int)) else place


def _warn(benchmarks: Benchmarks, summary: Summary) -> None:
    ignored = benchmarks.find_ignored()
    summary.figures |= {"benchmark_texts": len(benchmarks), "benchmark_texts_too_short": benchmarks.short}
    summary.figures["benchmark_texts_too_common"] = len(ignored)
    if ignored:
        few = ", ".join(ignored[:3])
        summary.notes.append(f"texts of the benchmarks that nothing was compared with, for more share each run: {few}")
