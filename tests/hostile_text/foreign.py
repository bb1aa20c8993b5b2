"""Hands texts to the readers of other formats."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from judge.common.errors import JudgeError
from judge.server.compat.judge0 import requests as judge0
from judge.server.compat.piston import requests as piston
from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.importing import fps, luogu, source


def imported(given: str) -> None:
    """Of other formats: names of test files, quantities, and whole files."""
    source.natural(given)
    source.clean(given)
    with TemporaryDirectory() as directory:
        place = source.Source(tree=Tree(Path(directory), "source"), work=Path(directory), lenient=True, name="x")
        path = Path(directory, "x.xml")
        path.write_text(f"<fps><item><title>{given}</title></item></fps>", encoding="utf-8", errors="replace")
        with suppress(ProblemError):
            source.number(place, path, given, {"s": 1}, "time")
        with suppress(ProblemError):
            for _, read in fps.FORMAT.problems(place):
                read()
        path.write_text('{"pid": "P1", "title": ' + json.dumps(given) + "}", encoding="utf-8")
        luogu._described(path)
        path.write_text(given, encoding="utf-8", errors="replace")
        luogu._described(path)


def asked_of_piston(given: bytes) -> None:
    """A request of a client of another judge, up to the program that it asks for."""
    with suppress(piston.Wrong, JudgeError):
        piston.program(piston.body(given))


def asked_of_judge0(given: str) -> None:
    with suppress(judge0.Wrong):
        judge0.read({"source_code": "x", "language_id": 71, "command_line_arguments": given[:512]}, False, ())
