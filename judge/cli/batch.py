"""`judge batch`: rows in, one result line each as soon as it is known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Unpack

import click

from judge import Judge, Options
from judge.cli.options import Judging, judging, language, open_judge, options
from judge.cli.progress import Progress, open_progress
from judge.cli.results import Results
from judge.cli.rows import Item, read
from judge.errors import JudgeError
from judge.languages import get as get_language
from judge.models import Judgement, Verdict
from problems import ProblemError


@click.command("batch")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Result file.")
@click.option("--resume", is_flag=True, help="Go on: skip the rows whose results the output file holds already.")
@language
@judging
def command(file: str, output: Path, resume: bool, language: str | None, **how: Unpack[Judging]) -> int:
    """Judge every row of FILE.jsonl (- for stdin): {id, problem, source | completion, language}.

    The program of a `completion` is its last complete fenced block. A row without `language` has that of the block, else
    --language, else cpp17. Each result is one line of JSON, written as soon as it is known; results come in any order.
    A row that cannot be judged gives {"id", "line", "error", "verdict": null} and the others go on. After a crash or
    Ctrl-C, the same command with --resume does the rest.

    Exit codes: 0 every row was judged, 1 some rows could not be (errors and IE), 2 error, 130 interrupted.

    \b
    Examples:
      judge batch rollouts.jsonl -o results.jsonl -j 4
      judge batch rollouts.jsonl -o results.jsonl -j 4 --resume
      generate | judge batch - -o results.jsonl --cjk drop --first-failure
    """
    default_language = get_language(language or "cpp17").name
    with ExitStack() as stack:
        results = stack.enter_context(Results(output, resume=resume))
        lines = stack.enter_context(_open(file))
        progress = stack.enter_context(open_progress(_count(file), len(results)))
        judge = stack.enter_context(open_judge(how))
        try:
            _judge_all(judge, options(how), read(lines, default_language), results, progress)
        except KeyboardInterrupt:
            click.echo(f"judge: {progress.done} rows are in {output}; the same command with --resume goes on", err=True)
            raise
    return 1 if progress.failed else 0


@contextmanager
def _open(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
    else:
        with Path(file).open("rb") as stream:
            yield stream


def _count(file: str) -> int | None:
    """Rows of a regular file; None: not known before the end."""
    if not Path(file).is_file():
        return None
    with Path(file).open("rb") as stream:
        return sum(1 for line in stream if line.strip())


def _judge_all(
    judge: Judge, how: Options, items: Iterator[Item], results: Results, progress: Progress
) -> None:
    """Keep every slot busy, with a few rows waiting: rows are read no faster than they are judged."""
    running: dict[Future[Judgement], Item] = {}
    most = 4 * judge.slots
    for item in items:
        if item in results:
            continue
        if item.submission is None:
            results.refused(item, item.error or "")
            progress.count("error", failed=True)
            continue
        running[judge.submit(item.submission, how)] = item
        if len(running) >= most:
            _collect(running, results, progress)
    while running:
        _collect(running, results, progress)


def _collect(running: dict[Future[Judgement], Item], results: Results, progress: Progress) -> None:
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        item = running.pop(future)
        try:
            judgement = future.result()
        except (JudgeError, ProblemError) as error:
            results.refused(item, str(error))
            progress.count("error", failed=True)
        else:
            results.judged(item, judgement)
            progress.count(judgement.verdict, failed=judgement.verdict is Verdict.IE)
