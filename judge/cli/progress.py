"""Shows the progress of a batch on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from judge.common.models import CompileResult, TestResult
from judge.common.text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from judge.judging.watch import Watch

_EVERY_S = 10.0


class Progress:
    """Counts rows by verdict, and shows them now and then."""

    def __init__(self, total: int | None, done_before: int) -> None:
        self._started = self._shown = time.monotonic()
        self._total = total
        self._before = done_before
        self._counts: Counter[str] = Counter()
        #: Rows that could not be judged.
        self.failed = 0

    @property
    def done(self) -> int:
        return self._before + self._counts.total()

    def count(self, verdict: str, *, failed: bool = False) -> None:
        self._counts[verdict] += 1
        self.failed += failed
        self._show()

    def _show(self) -> None:
        if time.monotonic() - self._shown >= _EVERY_S:
            self._shown = time.monotonic()
            click.echo(self.line(), err=True)

    def rate(self) -> str:
        return f"{self._counts.total() / max(time.monotonic() - self._started, 1e-3):.1f}/s"

    def verdicts(self) -> str:
        return ", ".join(f"{count} {verdict}" for verdict, count in self._counts.most_common())

    def line(self) -> str:
        of = "" if self._total is None else f"/{self._total}"
        rows = "row" if (self._total or self.done) == 1 else "rows"
        return f"{self.done}{of} {rows}, {self.rate()}: {self.verdicts() or 'nothing new'}"


class _BarProgress(Progress):
    def __init__(self, total: int | None, done_before: int, bar: Bar) -> None:
        super().__init__(total, done_before)
        self._bar = bar
        self._task = bar.add_task("rows", total=total, completed=done_before, rate="", verdicts="")

    def _show(self) -> None:
        self._bar.update(self._task, completed=self.done, rate=self.rate(), verdicts=self.verdicts())


def teller(what: str) -> Callable[[str, int, int], None]:
    """Tells stderr now and then how far a work is: on a terminal in place, else in lines."""
    told_s = time.monotonic()
    terminal = sys.stderr.isatty()

    def tell(part: str, done: int, all_: int) -> None:
        nonlocal told_s
        now_s = time.monotonic()
        if now_s - told_s < (0.2 if terminal else _EVERY_S):
            return
        told_s = now_s
        line = f"{one_line(what, 40)}: {done}/{all_} {part}"
        click.echo(f"\r\x1b[K{line}\r" if terminal else line, err=True, nl=not terminal)

    return tell


class _Tests:
    """The `Watch` of one judgement: tells a terminal how many tests were run."""

    def __init__(self) -> None:
        self._tests = 0
        self._counts: Counter[str] = Counter()
        self._tell("compiling")

    def on_compiled(self, result: CompileResult, tests: int) -> None:
        self._tests = tests
        self._counts.clear()
        self._tell(f"0/{tests} tests")

    def on_tested(self, result: TestResult, *, sample: bool) -> None:
        self._counts[str(result.verdict)] += 1
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in self._counts.most_common())
        self._tell(f"{self._counts.total()}/{self._tests} tests: {verdicts}")

    def _tell(self, line: str) -> None:
        click.echo(f"\r\x1b[K{line}\r", err=True, nl=False)


@contextmanager
def open_tests() -> Iterator[Watch | None]:
    """What shows the tests of one judgement while they are run; None where nobody looks at stderr."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        yield _Tests()
    finally:
        click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def open_progress(total: int | None, done_before: int) -> Iterator[Progress]:
    """A `Progress` that shows itself; the last line stays when all went well."""
    if sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only people look at a bar
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[verdicts]}"),
        )
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            progress: Progress = _BarProgress(total, done_before, bar)
            yield progress
    else:
        progress = Progress(total, done_before)
        yield progress
    click.echo(progress.line(), err=True)
