"""`judge batch`: judges rows of programs, and writes a line for each as soon as its result is known."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Literal, Unpack

import click

from containers import ContainerError, Unsupported
from judge.cli.options import Judging, judging, language, may_choose, open_judge, options
from judge.cli.progress import Progress, open_progress
from judge.cli.results import STDOUT, Results
from judge.common.ending import standard_input
from judge.common.errors import Cancelled, ConfigError, JudgeError, OverBudget
from judge.common.models import Judgement, Verdict
from judge.languages import get as get_language
from judge.many.ahead import read_ahead
from judge.many.pool import Batch
from judge.many.rows import InputLine, read
from problems import ProblemError


@click.command("batch")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Result file; - for stdout."
)
@click.option("--resume", is_flag=True, help="Go on: skip the rows whose results the output file holds already.")
@click.option("--no-verdict-cache", is_flag=True, help="Judge also what an earlier batch judged already.")
@click.option(
    "--executor",
    type=click.Choice(["local", "ray", "server"]),
    default="local",
    show_default=True,
    help="The cores of this machine, the nodes of a Ray cluster (-j programs at once on each), or a `judge serve`.",
)
@click.option(
    "--address", help="HOST:PORT of the Ray cluster (default: RAY_ADDRESS, or the one here), or URL of the server."
)
@language
@may_choose
@judging
def command(
    file: str,
    output: Path,
    resume: bool,
    no_verdict_cache: bool,
    executor: Literal["local", "ray", "server"],
    address: str | None,
    language: str | None,
    languages: str,
    **how: Unpack[Judging],
) -> int:
    """Judge every row of FILE.jsonl (- for stdin): {id, problem, source | completion, prompt, language}.

    The program of a `completion` is found as the reward functions find it. It is the last complete fenced block of the
    row's language behind the thinking, which the `prompt` may have begun. Without one it is CE. A row without
    `language` has that of the block, if --languages has it, else --language, else cpp17. Each result is one line of
    JSON, written as soon as it is known, in any order. A row that cannot be judged gives {"id", "line", "error",
    "verdict": null} and the others go on. After a crash or Ctrl-C, the same command with --resume does the rest.

    What an equal program was given before on this machine is taken from the cache ("cached": true, and its times are
    those of then); time-outs that were not confirmed and memory limits are judged again.

    Exit codes: 0 every row was judged, 1 some rows could not be (errors and IE), 2 error, 130 interrupted.

    \b
    Examples:
      judge batch rollouts.jsonl -o results.jsonl -j 4
      judge batch rollouts.jsonl -o results.jsonl -j 4 --resume
      generate | judge batch - -o results.jsonl --cjk drop --first-failure
      judge batch rollouts.jsonl -o - | jq .verdict
      judge batch rollouts.jsonl -o results.jsonl --executor ray --address 10.0.0.1:6379
    """
    _check(file, output, resume=resume)
    settings = replace(options(how), verdict_cache=not no_verdict_cache)
    default_language = get_language(language or "cpp17").name
    chosen = tuple(get_language(name).name for name in languages.split(",") if name.strip())
    with Results(output, resume=resume) as results, ExitStack() as stack:
        lines = stack.enter_context(_open(file))
        progress = stack.enter_context(open_progress(_count(file), len(results)))
        judge = stack.enter_context(open_judge(how, executor, address))
        with _told_how_to_go_on(output, progress):
            writer = _RowWriter(results, progress)
            writer.judge_all(read(lines, default_language, chosen), judge.batch(settings), judge.rows_ahead)
    return 1 if results.failed or progress.failed else 0


@contextmanager
def _told_how_to_go_on(output: Path, progress: Progress) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if output != STDOUT:
            rows = "1 row is" if progress.done == 1 else f"{progress.done} rows are"
            click.echo(f"judge: {rows} in {output}; the same command with --resume goes on", err=True)
        raise


def _check(file: str, output: Path, *, resume: bool) -> None:
    if output == STDOUT and resume:
        raise ConfigError("--resume needs the file that holds the results so far; name it with -o")
    if file != "-" and output.exists() and output.samefile(file):
        raise ConfigError(f"-o {output} is the input; name another file")


@contextmanager
def _open(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield standard_input()
    else:
        with Path(file).open("rb") as stream:
            yield stream


def _count(file: str) -> int | None:
    """Rows of a regular file; None: not known before the end."""
    if file == "-" or not Path(file).is_file():
        return None
    with Path(file).open("rb") as stream:
        return sum(1 for line in stream if line.strip())


class _RowWriter:
    """Writes each result from the thread that knows it, at once: the input may be slow, or wait for the result."""

    def __init__(self, results: Results, progress: Progress) -> None:
        self._results = results
        self._progress = progress
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    def judge_all(self, items: Iterator[InputLine], batch: Batch, ahead: int) -> None:
        """
        Raises:
            ContainerError: the machine does not grant the sandbox.
            ConfigError, OSError: the results or the cache cannot be written, or the machine has run out of something.
        """

        def submit(item: InputLine) -> Future[Judgement]:
            future = _find_known(item) if item.submission is None else batch.submit(item.submission)
            future.add_done_callback(partial(self._write_done, item))
            return future

        new = (item for item in items if item not in self._results)
        with closing(read_ahead(new, submit, ahead)) as written:
            for _ in written:
                if self._error is not None:
                    raise self._error

    def _write_done(self, item: InputLine, future: Future[Judgement]) -> None:
        with self._lock:
            if self._error is not None or future.cancelled():
                return  # after a failed write the last line may be torn: nothing may follow it
            try:
                self._write(item, future)
            except Exception as error:  # a future would only log it; judge_all raises it
                self._error = error

    def _write(self, item: InputLine, future: Future[Judgement]) -> None:
        match future.exception():
            case None:
                judgement = future.result()
                self._results.add_judgement(item, judgement)
                self._progress.count(judgement.verdict, failed=judgement.verdict is Verdict.IE)
            case OverBudget() | Unsupported() as error:  # of this problem: others can be judged
                self._refuse(item, str(error))
            case ContainerError() | Cancelled() | ConfigError() | OSError() as error:  # ours: no row's fault
                self._error = error
            case JudgeError() | ProblemError() as error:
                self._refuse(item, str(error))
            case error:
                self._refuse(item, f"unexpected failure: {error!r}")

    def _refuse(self, item: InputLine, error: str) -> None:
        self._results.add_refusal(item, error)
        self._progress.count("error", failed=True)


def _find_known(item: InputLine) -> Future[Judgement]:
    future: Future[Judgement] = Future()
    if item.judgement is None:
        future.set_exception(JudgeError(item.error))
    else:
        future.set_result(item.judgement)
    return future
