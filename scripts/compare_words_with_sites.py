"""Runs random words and points of checkers through the parsers of the sites and through ours, and lists what differs.
Give it checkouts of the sites' repositories, and programs that you made of them; nothing of theirs is kept.

    python scripts/compare_words_with_sites.py --count 1000 --hydro DIR --cms DIR --dmoj DIR --problemtools DIR
        --sinol-make DIR --syzoj DIR --uoj-words FILE --lemon-words FILE --lemon-testlib-words FILE --omegaup-words FILE

The last ones are programs that you make of the sites' code. They read rows: a line of exit code, what the test is worth
and a number of bytes, then so many bytes, which the checker said; for each they print a line: the points, or nothing
where it failed.
"""

from __future__ import annotations

import argparse
import importlib
import io
import itertools
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import textwrap
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from compare_with_sites import report

from containers import Isolation, Outcome, Termination, Usage
from judge.checkers import words
from judge.checkers.conventions import CHECKERS, INTERACTORS, MANAGERS, Call
from judge.common.errors import CheckerError
from problems.importing.contests import dmoj
from problems.model import Convention

#: Calls one of Hydro's checkers.
_NODE_CHECKER = """
const STATUS = { STATUS_ACCEPTED: 1, STATUS_WRONG_ANSWER: 2, STATUS_SYSTEM_ERROR: 3, STATUS_RUNTIME_ERROR: 4 };
class SystemError extends Error {}
let row;
const runQueued = async () => (
    { code: row.code, status: row.code ? 4 : 1, stdout: row.stdout, stderr: '', fileIds: {},
      files: { score: row.written, message: '', 'feedback_dir/score.txt': row.written } }
);
const checkers = { %s } };
(async () => {
    const found = [];
    for (row of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
        try {
            const said = await checkers.%s({ score: row.full, copyIn: {}, execute: '' });
            found.push(Number.isNaN(said.score) || said.status === 3 ? null : said.score);
        } catch (error) {
            if (!(error instanceof SystemError)) throw error;
            found.push(null);
        }
    }
    console.log(JSON.stringify(found));
})();
"""
#: Calls SYZOJ's reader of a special judge's score, or of an interactor's; types are taken out.
_NODE_SYZOJ = """
const spjFullScore = 100, TestcaseResultType = { JudgementFailed: 3 }, getStatusByScore = () => 1;
const Cfg = {}, pathLib = { join: () => '' }, SandboxStatus = { OK: 1 }, spjWorkingDir = '';
let row;
const runProgram = async () => [{ result: { status: row.code ? 2 : 1 } }];
const tryReadFile = async () => row.stdout;
const readFileLength = async () => '';
%s
(async () => {
    const found = [];
    for (row of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
        const said = await runSpj('', '');
        found.push(said.status === 3 ? null : said.score * row.full);
    }
    console.log(JSON.stringify(found));
})();
"""
#: Wraps Hydro's parser, whose types node does not read.
_NODE = """
const numbers = { STATUS_ACCEPTED: 1, STATUS_WRONG_ANSWER: 2 };
const STATUS = new Proxy({}, { get: (_, name) => numbers[name] || 9 });
%s
const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const score = ([said, full]) => { try { return parse(said, full, 'full').score } catch (e) { return null } };
console.log(JSON.stringify(rows.map(score)));
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a checker ended, and what it is worth."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""
    #: The file in which it leaves its points.
    written: str = ""
    full: int = 100


_NUMBERS = (
    *("0", "1", "0.5", ".5", "5.", "50", "100", "29", "0.29", "0.005", "-5", "7", "1e-2", "250", "2.5", "33.4", "-0"),
    *("x", "", "nan", "inf", "1/3", "1/0", "0x10", "1_0", "99.999", "0.333333", "12abc", "1e400", " 7 ", "+3", "010"),
    *("0.9999999", "0.99999", "0b1", "08", "-010", "0.00048828125", "0.996", "0.9949"),
)
_WHOLE_POINTS = (100, 30, 7, 1)


def random_sayings(count: int, seed: int, codes: Sequence[int], shapes: Sequence[str]) -> Iterator[Said]:
    """`shapes`: what is said, with %s for a number."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(count):
        shape = chance.choice(shapes)
        said = shape.replace("%s", chance.choice(_NUMBERS), 1).replace("%s", chance.choice(_NUMBERS), 1)
        code, full = chance.choice(codes), chance.choice(_WHOLE_POINTS)
        yield Said(code=code, stdout=said, stderr=said, written=said, full=full)


def compare_words(
    name: str,
    convention: Convention,
    theirs: Callable[[Sequence[Said]], Sequence[float | None]],
    sayings: Iterable[Said],
    reasons: Sequence[tuple[str, Callable[[Said, float | None, float | None], bool]]] = (),
    calls: Mapping[Convention, Call] = CHECKERS,
) -> None:
    """Points by the site's parser and by ours; None: the checker failed. `reasons` get the row, our points, theirs."""
    rows = list(sayings)
    found, argued = list[str](), Counter[str]()
    for said, other in zip(rows, theirs(rows), strict=True):
        own = _points(calls[convention], said)
        if own == other or (own is not None and other is not None and abs(own - other) < 1e-9 * said.full):
            continue
        reason = next((text for text, holds in reasons if holds(said, own, other)), None)
        if reason is None:
            found.append(f"{said}: ours {own}, theirs {other}")
        else:
            argued[reason] += 1
    report(name, len(rows), found, argued)


def _points(call: Call, said: Said) -> float | None:
    outcome = Outcome(
        termination=Termination.EXITED,
        exit_code=said.code,
        signal=None,
        usage=Usage(cpu_ns=0, wall_ns=0, memory_bytes=0),
        isolation=Isolation(backend="unsafe", tier="none"),
        stdout=said.stdout.encode(),
        stderr=said.stderr.encode(),
        files={name: said.written.encode() for name in call.leaves[:1]},
    )
    try:
        return call.word(outcome, "checker", float(said.full)).score * said.full
    except CheckerError:
        return None


_OUTSIDE = (
    "points outside of what the test is worth are an error here",
    lambda said, ours, theirs: ours is None and theirs is not None and not 0 <= theirs <= said.full,
)
_STRANGE = (
    "a number in a form that other languages do not read",
    lambda said, ours, theirs: ours is None and bool(re.search(r"_|0[xb]|inf|nan|e400", said.stdout)),
)


def function_of(text: str, head: str) -> str:
    """The lines of a function of Python, from its `def` on, without what it is indented by."""
    lines = text[text.index(head) :].split("\n")
    rest = itertools.takewhile(lambda line: not line.strip() or line.startswith((" " * 8, "    )", ") ->")), lines[1:])
    return textwrap.dedent("\n".join((lines[0], *rest)))


def dmoj_words(directory: Path, count: int) -> None:
    class Failure(Exception):
        pass

    def fail(*given: object) -> None:
        raise Failure

    fakes: dict[str, dict[str, object]] = {
        "dmoj": {"__path__": [str(directory / "dmoj")]},
        "dmoj.contrib": {"__path__": [str(directory / "dmoj/contrib")]},
        "dmoj.error": {"InternalError": Failure},
        "dmoj.contrib.base": {"BaseContribModule": type("Base", (), {"AC": 0, "WA": 1})},
        "dmoj.executors": {"__path__": []},
        "dmoj.executors.base_executor": {"BaseExecutor": object},
        "dmoj.result": {"CheckerResult": lambda passed, points, **said: points},
        "dmoj.utils": {"__path__": [str(directory / "dmoj/utils")]},
        "dmoj.utils.helper_files": {"parse_helper_file_error": fail},
    }
    for name, members in fakes.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)
    shapes = (
        "points %s",
        "partial %s/%s",
        "words\npoints %s\nmore",
        "partial %s/100",
        "x points %s",
        "",
        "points %s x",
    )
    for name, convention in dmoj._CONVENTIONS.items():
        parse = importlib.import_module(f"dmoj.contrib.{name}").ContribModule.parse_return_code

        def theirs(rows: Sequence[Said], parse: Callable[..., Any] = parse) -> list[float | None]:
            found: list[float | None] = []
            for said in rows:
                process = types.SimpleNamespace(returncode=said.code)
                try:
                    found.append(parse(process, None, said.full, 1, 1, "", "checker", said.stderr.encode()))
                except Failure:
                    found.append(None)
            return found

        compare_words(
            f"DMOJ's words ({name})", convention, theirs, random_sayings(count, 3, (0, 1, 2, 3, 7, 7, 7), shapes)
        )
    for name in fakes:
        del sys.modules[name]


def cms_words(directory: Path, count: int) -> None:
    text = (directory / "cms/grading/steps/trusted.py").read_text()
    module: dict[str, Any] = {"logger": logging.getLogger(), "_sanitize_message": str, "EVALUATION_MESSAGES": {}}
    source = text[text.index("def extract_outcome_and_text") :].partition("\ndef ")[0]
    exec(f"from __future__ import annotations\n{source}", module)  # noqa: S102 - it is what we compare with
    logging.disable()

    def theirs(rows: Sequence[Said]) -> list[float | None]:
        found: list[float | None] = []
        for said in rows:
            files = {"out": said.stdout, "err": ""}
            sandbox = types.SimpleNamespace(
                stdout_file="out", stderr_file="err", get_file_text=lambda name, files=files: io.StringIO(files[name])
            )
            try:
                found.append(module["extract_outcome_and_text"](sandbox)[0] * said.full)
            except ValueError:
                found.append(None)
        return found

    shapes = ("%s", "%s\n", " %s \nmore\n", "\n%s", "%s more")
    compare_words("CMS's words", Convention.CMS, theirs, random_sayings(count, 4, (0,), shapes), (_OUTSIDE, _STRANGE))


def icpc_words(directory: Path, count: int) -> None:
    """`directory`: problemtools."""
    text = (directory / "problemtools/judge/validate.py").read_text()
    source = text[text.index("def _parse_validator_result") :].partition("\ndef ")[0]
    module: dict[str, Any] = {
        "os": os,
        "_get_feedback": str,
        "SubmissionResult": lambda verdict, **said: (verdict, said),
    }
    exec(f"from __future__ import annotations\n{source}", module)  # noqa: S102 - it is what we compare with

    def theirs(rows: Sequence[Said]) -> list[float | None]:
        found: list[float | None] = []
        with tempfile.TemporaryDirectory() as scratch:
            metadata = types.SimpleNamespace(
                is_custom_score_allowed=lambda: True,
                is_custom_score_mandatory=lambda: True,
                is_multi_pass=lambda: False,
            )
            for said in rows:
                score = Path(scratch) / "score.txt"
                score.write_text(said.written)
                if said.code == 43:
                    score.unlink()  # it may not be there
                verdict, more = module["_parse_validator_result"]("", said.code << 8, Path(scratch), metadata)
                found.append(more["score"] if verdict == "AC" else 0.0 if verdict == "WA" else None)
        return found

    shapes = ("%s", "%s\n", " %s\n\n", "%s %s")
    sayings = random_sayings(count, 5, (42, 42, 42, 43, 0, 1), shapes)
    compare_words("problemtools' words", Convention.ICPC, theirs, sayings, (_OUTSIDE, _STRANGE))


def sinol_words(directory: Path, count: int) -> None:
    """`directory`: sinol-make."""
    text = (directory / "src/sinol_make/task_type/__init__.py").read_text()
    module: dict[str, Any] = {"Fraction": Fraction, "CheckerException": ArithmeticError, "List": list, "Tuple": tuple}
    for head in ("    def _output_to_fraction", "    def _parse_checker_output"):
        exec(function_of(text, head), module)  # noqa: S102 - it is what we compare with
    site = types.SimpleNamespace(_output_to_fraction=lambda said: module["_output_to_fraction"](None, said))

    def theirs(rows: Sequence[Said]) -> list[float | None]:
        found: list[float | None] = []
        for said in rows:
            try:
                share = module["_parse_checker_output"](site, said.stdout.split("\n"), "")[1]
                found.append(float(share) / 100 * said.full if said.code <= 1 else None)
            except ArithmeticError:
                found.append(None)
        return found

    shapes = ("OK\n\n%s\n", "OK\nwords\n%s", "OK", "OK\n", "WRONG\nline 1\n%s\n", "OK \n\n %s", "WA", "")
    sayings = random_sayings(count, 6, (0, 0, 0, 1, 2), shapes)
    compare_words("sinol-make's words", Convention.SINOL, theirs, sayings, (_OUTSIDE, _STRANGE))


_FAILED = (
    "a checker that failed is an error here",
    lambda said, ours, theirs: ours is None and said.code > 1 and theirs is not None,
)
_HYDRO: Sequence[tuple[str, Convention, Sequence[int]]] = (
    ("lemon", Convention.HYDRO_LEMON, (0, 0, 0, 1)),
    ("syzoj", Convention.HYDRO_SYZOJ, (0, 0, 0, 1)),
    ("kattis", Convention.HYDRO_KATTIS, (42, 43, 43, 43, 0, 1)),
    ("hustoj", Convention.HUSTOJ, (0, 1, 2, 255)),
    ("qduoj", Convention.QDUOJ, (0, 1, 2, 255)),
)


def hydro_programs(directory: Path, count: int) -> None:
    text = (directory / "packages/hydrojudge/src/checkers.ts").read_text()
    for name, convention, codes in _HYDRO:
        start = text.index(f"    async {name}(config) {{")
        script = _NODE_CHECKER % (text[start : text.index("\n    },", start)], name)
        sayings = random_sayings(count, 7, codes, ("%s", "%s\n", " %s\n", "%s x"))
        reasons = (*((_FAILED,) if name == "qduoj" else ()), _OUTSIDE, _STRANGE)
        compare_words(f"Hydro's words ({name})", convention, partial(asked_of_node, script), sayings, reasons)
    text = (directory / "packages/hydrojudge/src/judge/communication.ts").read_text()
    line = next(line for line in text.splitlines() if "resManager.stdout" in line)
    body = (
        f"async manager() {{ const c = {{ score: row.full }}, resManager = row; let score; {line} return {{ score }};"
    )
    sayings = random_sayings(count, 10, (0, 1), ("%s", "%s\n", " %s\n", "%s x"))
    theirs = partial(asked_of_node, _NODE_CHECKER % (body, "manager"))
    compare_words("Hydro's words (manager)", Convention.HYDRO, theirs, sayings, (_OUTSIDE,), MANAGERS)


def asked_of_node(script: str, rows: Sequence[Said]) -> list[float | None]:
    given = json.dumps([asdict(said) for said in rows])
    done = subprocess.run(("node", "-e", script), input=given, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def syzoj_words(directory: Path, count: int) -> None:
    text = (directory / "src/runner/judge.ts").read_text()
    judged = text[text.index("async function runSpj") :].partition("\nexport ")[0]
    judged = re.sub(r"(spj\w+): \w+", r"\1", judged).replace(": Promise<SpjResult>", "")
    talk = text[text.index("const scoreString = await tryReadFile(spjWorkingDir + '/score.txt')") :]
    talk = talk.partition("winston.debug(`Interaction problem judge")[0].rpartition("}")[0]
    talk += "; return { status, score: score / 100 }"
    talked = f"async function runSpj() {{ let message, status = 1, score = 0; {talk}; }}"
    for name, source, calls, codes in (
        ("", judged, CHECKERS, (0, 0, 0, 1)),
        (" (interactor)", talked, INTERACTORS, (0,)),
    ):
        sayings = random_sayings(count, 9, codes, ("%s", "%s\n", " %s\n", "%s x", "-1"))
        theirs = partial(asked_of_node, _NODE_SYZOJ % source)
        compare_words(f"SYZOJ's words{name}", Convention.SYZOJ, theirs, sayings, (_OUTSIDE, _STRANGE), calls)


_OF_TESTLIB_SHAPES = (
    *("ok %s", "ok", "okay %s", "wrong answer %s", "partially correct (%s) x", "points %s x", "points %s", "points"),
    *("FAIL %s", "", " points %s", "\nok", "x points %s"),
)
_CLAMPED = (
    "points above all, or below none, count as all or none here",
    lambda said, ours, theirs: theirs is not None and ours == min(said.full, max(0, theirs)) != theirs,
)
_NOTHING = (
    "what a site takes for 0 points, a checker that failed or said no number, is an error here",
    lambda said, ours, theirs: ours is None and theirs == 0,
)
_SPOKEN: Sequence[
    tuple[
        str,
        Convention,
        Sequence[int],
        Sequence[str],
        Sequence[tuple[str, Callable[[Said, float | None, float | None], bool]]],
    ]
] = (
    ("uoj", Convention.UOJ, (0, 1, 2, 3, 7), _OF_TESTLIB_SHAPES, (_CLAMPED, _STRANGE)),
    ("lemon_testlib", Convention.LEMON_TESTLIB, (0, 1, 2, 3, 7, 16), _OF_TESTLIB_SHAPES, (_NOTHING, _CLAMPED)),
    ("lemon", Convention.LEMON, (0, 0, 0, 1), ("%s", "%s\n", " %s x", ""), (_NOTHING, _OUTSIDE)),
    ("omegaup", Convention.OMEGAUP, (0, 0, 0, 1), ("%s", "%s x", "\n\n %s\n", ""), (_NOTHING, _STRANGE)),
)


def program_words(programs: Mapping[str, Path], count: int) -> None:
    for site, convention, codes, shapes, reasons in _SPOKEN:
        program = programs.get(f"{site}_words")
        if program is not None:
            theirs = partial(asked_of_program, program.resolve())
            compare_words(f"{site}'s words", convention, theirs, random_sayings(count, 8, codes, shapes), reasons)


def asked_of_program(program: Path, rows: Sequence[Said]) -> list[float | None]:
    given = b"".join(
        b"%d %d %d\n%b" % (said.code, said.full, len(said.stderr.encode()), said.stderr.encode()) for said in rows
    )
    lines = subprocess.run((program,), input=given, capture_output=True, check=True).stdout.decode().splitlines()
    return [float(line) if line else None for line in lines]


def hydro_words(directory: Path, count: int) -> None:
    text = (directory / "packages/hydrojudge/src/testlib.ts").read_text()
    text = re.sub(r"^import .*$", "", text, flags=re.MULTILINE).replace("export function", "function")
    text = re.sub(r"\((\w+): string, (\w+): number, (\w+): DetailType\)", r"(\1, \2, \3)", text)
    script = _NODE % text.replace("(msg: string)", "(msg)")
    chance = random.Random(2)  # noqa: S311 - no secret
    numbers = [number for number in _NUMBERS if number != "1e400"]  # whose points JSON does not hold
    heads = ("ok ", "ok", "wrong answer ", "wrong output format ", "partially correct (%s) ", "points %s ", "FAIL ", "")
    tails = ("", "right\n", "score(30) x\n", " score(5)", "status(1) y", "two\nlines score(3)\n")
    rows: list[tuple[str, int]] = []
    for _ in range(count):
        head = chance.choice(heads)
        said = (head % chance.choice(numbers) if "%" in head else head) + chance.choice(tails)
        rows.append((said, chance.choice((100, 30, 7, 1))))
    done = subprocess.run(("node", "-e", script), input=json.dumps(rows), capture_output=True, text=True, check=True)
    found = []
    for (said, full), theirs in zip(rows, json.loads(done.stdout), strict=True):
        own = words.hydro_share(said, full)
        if theirs is None or own is None or abs(min(1.0, max(0.0, theirs / full)) - own) > 1e-9:
            found.append(f"{said!r} of {full}: ours {own}, theirs {theirs}")
    report("Hydro's words", count, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    sites = {
        "hydro": (hydro_words, hydro_programs),
        "dmoj": (dmoj_words,),
        "cms": (cms_words,),
        "problemtools": (icpc_words,),
        "sinol_make": (sinol_words,),
        "syzoj": (syzoj_words,),
    }
    programs = [f"{row[0]}_words" for row in _SPOKEN]
    for name in (*sites, *programs):
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path)
    asked = vars(parser.parse_args())
    for name, comparisons in sites.items():
        for compare_site in comparisons if asked[name] else ():
            compare_site(asked[name], asked["count"])
    program_words({name: asked[name] for name in programs if asked[name]}, asked["count"])


if __name__ == "__main__":
    main()
