"""Judges many submissions and waits for all, with a bar that shows how far it is."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

from judge.common.models import Judgement


class Judgements(list[Judgement]):
    """Those of a batch, which a notebook shows as a table."""

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(str(one.verdict) for one in self)

    def _repr_html_(self) -> str:
        from judge.common.shown import judgements  # noqa: PLC0415 - only notebooks need it

        return judgements([one.as_dict() for one in self], self.verdicts)


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """A function that counts one more, and shows it: in a notebook, on a terminal, or nowhere."""
    if _in_notebook():
        bar = import_module("IPython.display").ProgressBar(total)
        bar.display()

        def count() -> None:
            bar.progress += 1  # which shows it

        yield count
    elif sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - slow to import
        from rich.progress import Progress  # noqa: PLC0415

        with Progress(console=Console(stderr=True), transient=True) as shown:
            task = shown.add_task("judging", total=total)
            yield lambda: shown.advance(task)
    else:
        yield lambda: None


def _in_notebook() -> bool:
    """Whether we run in a kernel of Jupyter."""
    running = sys.modules.get("IPython")
    shell = None if running is None else running.get_ipython()
    return getattr(shell, "kernel", None) is not None
