"""Hands texts to the readers of other formats."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from judge.common.errors import JudgeError
from judge.server import requests
from judge.server.compat.judge0 import requests as judge0
from judge.server.compat.piston import requests as piston
from problems.errors import ProblemError
from problems.exporting import polygon, programs, tex
from problems.files import yamlfile
from problems.files.tree import Tree
from problems.importing import fps, hydro_files, luogu, source
from problems.importing.contests import dmoj, sinol
from problems.model import MIB
from problems.text import script
from problems.text.script import ScriptError
from tests.hostile_text.readers import Meeting, _repeated


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
        luogu._read_description(path)
        path.write_text(given, encoding="utf-8", errors="replace")
        luogu._read_description(path)
        with suppress(ProblemError):
            place._json(path)
        dmoj._numbers(f".in{given}", "in")
        sinol._TEST.fullmatch(given)
        hydro_files.by_names([f"{given}.in", f"{given}.in1", f"1-{given}.in"])


def keys(size: int) -> str:
    """An object of JSON with many keys, the last one twice."""
    count = max(1, size // 8)
    return "{" + ",".join(f'"{number}":0' for number in (*range(count), count - 1)) + "}"


def scored(given: str) -> None:
    """A scoring script of Luogu's: read, and run."""
    for text in (given, f"@total_score = {given};"):
        with suppress(ScriptError):
            script.parse(text).run({})
    script._STATUS.fullmatch(f"status{given}")


SCORED = Meeting(
    text="a scoring script",
    places=("problems.text.script:_WORD", "problems.text.script:_STATUS"),
    meet=scored,
    cases=_repeated("scored"),
)


def exported(given: str) -> None:
    """A statement that becomes TeX, the source of a checker, and text in YAML."""
    yamlfile._NUMBER_IN_1_2.match(given)
    polygon._parts(given)
    programs._inline_includes({"a.cpp": given.encode(errors="replace"), "a.h": b"x"}, "a.cpp", set())
    with suppress(ProblemError):
        polygon._printable(given)
    with suppress(ProblemError):
        tex.tex(given)


EXPORTED = Meeting(
    text="a statement and a checker that are written in another format",
    places=(
        "problems.exporting.programs:_QUOTED",
        "problems.files.yamlfile:_NUMBER_IN_1_2",
        *(f"problems.exporting.tex:{name}" for name in ("_FORMULA", "_HELD")),
        *(f"problems.exporting.polygon:{name}" for name in ("_HEADING", "_printable")),
    ),
    meet=exported,
    cases=_repeated("exported"),
)


def count_values(given: bytes) -> None:
    """A request whose values are counted before it is parsed: only long ones are."""
    with suppress(ValueError):
        requests.check_values(given + b" " * MIB)


def asked_of_piston(given: bytes) -> None:
    """A request of a client of another judge, up to the program that it asks for."""
    with suppress(piston.Wrong, JudgeError):
        piston.program(piston.body(given))


def asked_of_judge0(given: str) -> None:
    with suppress(judge0.Wrong):
        judge0.read({"source_code": "x", "language_id": 71, "command_line_arguments": given[:512]}, False, ())
