"""`judge problems talk`: a person takes the part of the submission."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Unpack

import click

from judge.cli.options import Where, complete_problem, open_judge, walls
from judge.common.text import harmless, one_line
from judge.ruling.interplay import Word

_PART = 1 << 16


@click.command("talk")
@click.argument("reference", metavar="PROBLEM", shell_complete=complete_problem)
@click.option("--test", metavar="NAME", help="Which test (default: the first).")
@walls
def command(reference: str, test: str | None, **where: Unpack[Where]) -> int:
    """Talk to the interactor of PROBLEM, as a submission would: what you type is what it reads.

    Ctrl-D ends your part. What the interactor says of you goes to stderr.

    Exit codes: 0 accepted, 1 refused, 2 error.

    \b
    Examples:
      judge problems talk guess
      judge problems talk guess --test secret/03-two-high
    """
    (their_input, ours), (theirs, their_output) = os.pipe(), os.pipe()
    typing = threading.Thread(target=_type, args=(ours,), daemon=True)  # it may wait for a key for ever
    showing = threading.Thread(target=_show, args=(theirs,))
    showing.start()
    try:
        with open_judge(where) as judge:  # closed first: until then an interactor that was not asked to end may write
            typing.start()
            said = judge.play(reference, their_input, their_output, test)
    finally:
        os.close(their_output)
        os.close(their_input)
        showing.join()
    detail = f": {one_line(said.detail, 300)}" if said.detail else ""
    click.echo(
        f"judge: {said.word.value}{f' with score {said.score:g}' if 0 < said.score < 1 else ''}{detail}", err=True
    )
    return {Word.ACCEPTED: 0, Word.REFUSED: 1}.get(said.word, 2)


def _type(to: int) -> None:
    """Until the end of stdin, or until nobody reads any more."""
    with suppress(OSError), os.fdopen(to, "wb", buffering=0) as out:
        while part := os.read(sys.stdin.fileno(), _PART):
            out.write(part)


def _show(what: int) -> None:
    with os.fdopen(what, "rb", buffering=0) as given:
        while part := given.read(_PART):
            click.echo(harmless(part.decode("utf-8", "replace")), nl=False)
