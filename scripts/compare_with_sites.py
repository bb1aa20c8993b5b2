"""Runs random outputs through the comparisons of the sites and through ours, and lists what differs. Give it checkouts
of the sites' repositories; nothing of theirs is kept. `compare_words_with_sites.py` does so for points.

    python scripts/compare_with_sites.py --count 10000 --hydro DIR --cms DIR --dmoj DIR --uoj-checkers DIR
        --testlib-checkers DIR --icpc FILE --fps FILE --lemon FILE --omegaup FILE --sinol FILE

The last ones are programs, which you make of the sites' code. They end with 0 if they accept, with 1 if they refuse:

    --uoj-checkers, --testlib-checkers  checkers of testlib by the name chk_NAME: input, output, answer
    --icpc      problemtools' default validator, by its own convention (42, 43)
    --fps       HUSTOJ's compare_zoj: output, answer
    --lemon     LemonLime's comparisons: line, ignore or real; output, answer, digits
    --omegaup   omegaUp's validators: token, token-caseless or token-numeric; output, answer
    --sinol     oicompare: answer, output
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from judge.checkers.compare import compare
from judge.common.errors import CheckerError
from problems.importing import fps, testlib, uoj
from problems.importing.contests import dmoj, lemon, omegaup, sinol
from problems.model import Comparison, Mode
from problems.reading import comparison

_TEXT = (
    *(b"1", b"2", b"10", b"-3", b"0.5", b"1.0000001", b"a", b"A", b"yes", b"NO", b" ", b"  ", b"\t", b"\n", b"\n\n"),
    *(b"\r\n", b"\r", b"\x0b", b"\f", b" \n", b"\n ", b"\0", b"\xff", b"\xc3\xa9", b"\x85", b"\xa0", b"\x1a"),
)
_SPACES = (b" ", b" ", b" ", b"\n", b"\n", b"\n", b"  ", b"\t", b"\r\n", b"\n\n", b" \n", b"\r", b"\x0b")
_INTEGERS = (
    *(b"0", b"1", b"2", b"2", b"17", b"-3", b"-3", b"007", b"+5", b"-0", b"00", b"1.0", b"1e3", b"x", b"-", b"0x10"),
    *(b"2147483647", b"2147483648", b"9223372036854775807", b"9223372036854775808", b"123456789012345678901234567890"),
    *(b"-2147483648", b"-2147483649", b"-9223372036854775808", b"-9223372036854775809", b"--5", b"5-", b"1_0", b"5\0"),
)
_REALS = (
    *(b"0", b"1", b"1", b"0.5", b"0.50", b".5", b"5.", b"-3.25", b"1e3", b"1000", b"1E3", b"+1", b"-0.0", b"1_0"),
    *(b"0.500001", b"0.5000004", b"0.49999951", b"1000.001", b"1000.0009", b"0.0000012", b"0.9999985", b"1.000014"),
    *(b"1.0000005", b"1.000000001", b"100000000", b"100000001", b"nan", b"inf", b"-inf", b"infinity", b"0x1p3", b"x"),
    *(b"1e400", b"1e-400", b"1.5e", b"12abc", b"1,5", b"1e5", b"1E+05", b"100000", b"1e-7", b"-1e400", b"+inf"),
    *(b"-nan", b"00.5", b"-.5", b".", b"-", b"+", b"1..2", b"1-2", b"--1", b"1e", b"e5", b"0.5\0", b"9" * 400),
    b"0." + b"0" * 400 + b"1",
)
_WORDS = (b"yes", b"YES", b"Yes", b"no", b"NO", b"nO", b"maybe", b"y")
_CASES = (b"Case", b"Case 1:", b"Case 2:", b"Case 1: 5", b"Case 2: 5", b"5", b"x", b"case")
#: The pieces of texts, by what a checker of testlib reads; others read text.
_READS = {
    **dict.fromkeys(("icmp", "ncmp", "hcmp", "uncmp"), _INTEGERS),
    **dict.fromkeys(("acmp", "dcmp", "rcmp", "rncmp", "rcmp4", "rcmp6", "rcmp9"), _REALS),
    **dict.fromkeys(("yesno", "nyesno"), _WORDS),
    **dict.fromkeys(("caseicmp", "casencmp", "casewcmp"), _CASES),
}
#: None: the answer is none of the kind that the site compares, so no output is right or wrong.
Accepts = Callable[[bytes, bytes], bool | None]
#: Why output and answer are judged otherwise here, and whether that holds of them.
Reason = tuple[str, Callable[[bytes, bytes], bool]]


def _either(text: str, pattern: bytes) -> Reason:
    """A reason that holds where the output or the answer matches."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return text, lambda output, answer: bool(compiled.search(output) or compiled.search(answer))


def _of_answer(text: str, pattern: bytes) -> Reason:
    compiled = re.compile(pattern, re.IGNORECASE)
    return text, lambda output, answer: bool(compiled.search(answer))


#: How the site reads a text: where ours says of what is read as the site does, that is why the two differ.
Reading = tuple[str, Callable[[bytes], bytes]]


def _read(text: str, pattern: bytes, replacement: bytes) -> Reading:
    return text, partial(re.compile(pattern, re.IGNORECASE | re.DOTALL).sub, replacement)


_VT: Reading = (
    "VT and FF are white space here, and letters of words there",
    lambda text: text.translate(bytes.maketrans(b"\v\f", b"\1\2")),
)
_NUL = _read("NUL ends a word there", rb"\0\S*", b"")
_LAST_BLANKS = _read("a last line of blanks counts there", rb"(?m)^[ \t\r]*[ \t]\r*$(?=(?:\n\r*)*\Z)", b"\x01")
_END_BYTE = _read("the byte 0xff ends the file there", rb"\xff.*", b"")
_LONE_CR: Reading = (
    "CR alone is passed over there, and what follows is no line end; at the end it is 0xff",
    lambda text: re.sub(rb"(?s)\r(?!\n)(.?)", lambda found: {b"": b"\xff", b"\r": b"\3"}.get(found[1], found[1]), text),
)
_CR_STOPS = _read("nothing is read after a CR alone there", rb"\r(?!\n)(?=\s*\S).*", b"\n\x02")
_NAMES = _read("infinity, NaN and what no double holds are words there", rb"\b(nan|inf(inity)?)\b|\S+e400", b"word")
_NO_EXPONENT = _read("1e is 1 there", rb"([\d.])e(?![\d+-])", rb"\1")
_TINY = _read("what is nearer to 0 than doubles are is 0 there", rb"0\.0{330,}1|1e-400", b"0")
_NO_NUMBER = _of_answer("nothing is right there if the answer is infinite or NaN", rb"nan|inf|e-?400|\d{309}")
_UNDERSCORE = _either("1_0 is 10 there", rb"_")


def random_texts(count: int, seed: int, pieces: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Answers, and outputs that are like them."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    spaces = () if pieces is _TEXT else _SPACES  # text has its own
    usual = pieces if pieces is _TEXT else pieces[: len(pieces) // 4]  # else most answers are unfit

    def choose() -> bytes:
        many = 5_000 if chance.random() < 0.002 else 1
        piece = chance.choice(pieces if chance.random() < 0.3 else usual)
        return piece * many + (chance.choice(spaces) * many if spaces else b"")

    for _ in range(count):
        answer = [choose() for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4, 6, 8)))]
        output = list(answer)
        for _ in range(chance.randint(0, 2)):
            place = chance.randint(0, len(output))
            output[place : place + chance.randint(0, 1)] = [choose()] * chance.randint(0, 1)
        if spaces and chance.random() < 0.3:  # the same words in other white space
            output = [one.rstrip() + chance.choice(spaces) for one in output]
        texts = [b"".join(output), b"".join(answer)]
        if not spaces and chance.random() < 0.2:
            texts[0] = re.sub(rb"\s+", lambda _: chance.choice(_SPACES), texts[1])
        if spaces and chance.random() < 0.5:
            texts = [text.rstrip() for text in texts]
        yield texts[0], texts[1]


def report(name: str, count: int, differences: list[str], argued: Mapping[str, int] | None = None) -> None:
    """`argued`: how many more differ, by the reason."""
    print(f"{name}: {count} tried, {len(differences)} differ")
    for reason, times in (argued or {}).items():
        print(f"    {times} more: {reason}")
    for line in differences[:8]:
        print(f"    {line}")
    sys.stdout.flush()


def compare_outputs(
    name: str,
    ours: Comparison | None,
    theirs: Accepts,
    count: int,
    pieces: Sequence[bytes] = _TEXT,
    reasons: Sequence[Reason] = (),
    readings: Sequence[Reading] = (),
) -> None:
    """Texts whose answer the site, or ours, cannot read do not count, nor those on which the site does not end."""
    if ours is None:
        raise ValueError(f"{name}: we have no such comparison")
    found, argued, tried, right, unfit = list[str](), Counter[str](), 0, 0, 0
    for output, answer in random_texts(20 * count, 1, pieces):
        if tried == count:
            break
        other, own = theirs(output, answer), _accepted(output, answer, ours)
        if other is None or own is None:
            unfit += 1
            continue
        tried, right = tried + 1, right + other
        if own is other:
            continue
        why = (text for text, holds in (*reasons, _edge(ours)) if holds(output, answer))
        reason = _read_otherwise(output, answer, ours, other, readings) or next(why, None)
        if reason is None:
            found.append(f"output {output[:99]!r} answer {answer[:99]!r}: ours {own}, theirs {other}")
        else:
            argued[reason] += 1
    report(f"{name} ({right} right there, {unfit} unfit)", tried, found, argued)


def _read_otherwise(
    output: bytes, answer: bytes, ours: Comparison, theirs: bool, readings: Sequence[Reading]
) -> str | None:
    for text, read in readings:
        if _accepted(read(output), read(answer), ours) is theirs:
            return text
    for _, read in readings:
        output, answer = read(output), read(answer)
    return "several of these" if readings and _accepted(output, answer, ours) is theirs else None


def _edge(ours: Comparison) -> Reason:
    def holds(output: bytes, answer: bytes) -> bool:
        tighter, wider = (
            replace(
                ours,
                absolute_tolerance=ours.absolute_tolerance and ours.absolute_tolerance * factor,
                relative_tolerance=ours.relative_tolerance and ours.relative_tolerance * factor,
            )
            for factor in (1 - 1e-6, 1 + 1e-6)
        )
        return _accepted(output, answer, tighter) is not _accepted(output, answer, wider)

    return "on the very edge of the tolerance, where doubles are rounded", holds


def _accepted(output: bytes, answer: bytes, ours: Comparison) -> bool | None:
    try:
        return compare(output, answer, ours).score == 1
    except CheckerError:
        return None


@contextmanager
def asking(command: Sequence[str | Path], codes: Mapping[int, bool | None]) -> Iterator[Accepts]:
    """What a program says of the files `output`, which is its stdin, too, and `answer` of its working directory. It is
    loaded once (`fork_server.c`)."""
    with tempfile.TemporaryDirectory() as scratch:
        place, library = Path(scratch), Path(scratch) / "fork_server.so"
        source = Path(__file__).with_name("fork_server.c")
        subprocess.run(("gcc", "-O1", "-shared", "-fPIC", "-o", library, source), check=True)
        (place / "input").write_bytes(b"")
        asked, answered = os.pipe(), os.pipe()
        move = f'exec "$@" 198<&{asked[0]} 199>&{answered[1]}'
        ends = (asked[0], answered[1])
        server = subprocess.Popen(
            ("bash", "-c", f"LD_PRELOAD={library} {move}", "bash", *command), cwd=scratch, pass_fds=ends
        )
        for end in ends:
            os.close(end)

        def theirs(output: bytes, answer: bytes) -> bool | None:
            (place / "output").write_bytes(output)
            (place / "answer").write_bytes(answer)
            os.write(asked[1], b".")
            status = int.from_bytes(os.read(answered[0], 4), "little")
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
                return None
            if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) not in codes:
                raise RuntimeError(f"{command[0]} ended with status {status:#x}: {output!r}, {answer!r}")
            return codes[os.WEXITSTATUS(status)]

        yield theirs
        os.close(asked[1])
        server.wait()
        os.close(answered[0])


def hydro_outputs(directory: Path, count: int) -> None:
    """Hydro's script compares what its programs for awk make of both texts. One gawk runs each program on all texts."""
    source = (directory / "packages/hydrojudge/src/checkers.ts").read_text()
    script = source.split("const compareSh = `", 1)[1].split("`;", 1)[0].replace("\\\\", "\\")
    lines, exact = (script.split(head, 1)[1].split("' >", 1)[0] for head in ("cat $1 | awk '", "cat usrout | awk '"))
    texts = list(random_texts(count, 1, _TEXT))
    for name, program, mode in (("default", lines, Mode.LINES), ("strict", exact, Mode.EXACT_LINES)):
        with tempfile.TemporaryDirectory() as scratch:
            for number, pair in enumerate(texts):
                for kind, text in zip("ua", pair, strict=True):
                    (Path(scratch) / f"{kind}{number}").write_bytes(text)
            names = "".join(f"u{number}\na{number}\n" for number in range(count))
            command, alone = ("xargs", "gawk", _over_files(program)), {**os.environ, "LC_ALL": "C"}
            subprocess.run(command, cwd=scratch, input=names, text=True, check=True, env=alone)
            seen = [[(Path(scratch) / f"{kind}{number}.seen").read_bytes() for kind in "ua"] for number in range(count)]
        same = iter([ours == theirs for ours, theirs in seen])
        readings = (_VT, _LAST_BLANKS) if mode is Mode.LINES else ()
        compare_outputs(
            f"Hydro's {name}", Comparison(mode=mode), lambda *_, same=same: next(same), count, _TEXT, (), readings
        )


def _over_files(program: str) -> str:
    """A program for awk that writes what it prints of each file beside it."""
    program = re.sub(r"print(f?)\b([^;\n}]*?)( *)(?=[;\n}])", r'print\1\2 > (FILENAME ".seen")\3', program)
    return f'BEGINFILE {{ n = ""; printf "" > (FILENAME ".seen") }} ENDFILE {{ close(FILENAME ".seen") }} {program}'


def cms_outputs(directory: Path, count: int) -> None:
    text = (directory / "cms/grading/steps/whitediff.py").read_text()
    start = text.index("_WHITES")
    module: dict[str, object] = {"logger": None, "typing": __import__("typing"), "BinaryIO": object}
    exec("from __future__ import annotations\n" + text[start:], module)  # noqa: S102 - it is what we compare with

    def theirs(output: bytes, answer: bytes) -> bool:
        return bool(module["_white_diff"](BytesIO(output), BytesIO(answer))[0])  # type: ignore[operator]

    compare_outputs("CMS's white diff", Comparison(mode=Mode.TOKENS_BY_EVERY_LINE), theirs, count)


def qduoj_outputs(count: int) -> None:
    """As JudgeServer/server/judge_client.py does."""

    def theirs(output: bytes, answer: bytes) -> bool:
        return hashlib.sha256(output.rstrip()).digest() == hashlib.sha256(answer.rstrip()).digest()

    compare_outputs("QDUOJ's", Comparison(mode=Mode.EXACT_TRIMMED), theirs, count)


def dmoj_outputs(directory: Path, count: int) -> None:
    for name in ("dmoj", "dmoj.checkers"):  # without what they import besides
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(directory / name.replace(".", "/"))]
    sys.modules["dmoj.result"] = types.ModuleType("dmoj.result")
    sys.modules["dmoj.result"].__dict__["CheckerResult"] = lambda passed, points, **said: passed
    floats = [f"{name}({digits})" for name in dmoj._FLOATS for digits in (2, 6, 9)]
    for text in (*dmoj._COMPARISONS, "sorted(whitespace)", *floats):
        name, _, argument = text.rstrip(")").partition("(")
        try:
            check = importlib.import_module(f"dmoj.checkers.{name}").check
        except ImportError as error:
            print(f"DMOJ's {text}: not tried: {error}")
            continue
        stated: dict[str, Any] = {}
        if argument:
            stated = {"precision": int(argument)} if argument.isdecimal() else {"split_on": argument}
        ours = dmoj.comparison(name, stated)
        pieces = _REALS if name in dmoj._FLOATS else _TEXT
        reasons = (_NO_NUMBER, _UNDERSCORE) if name in dmoj._FLOATS else ()
        compare_outputs(f"DMOJ's {text}", ours, partial(_dmoj_accepts, check, stated), count, pieces, reasons)


def _dmoj_accepts(check: Callable[..., Any], stated: Mapping[str, Any], output: bytes, answer: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(check(output, answer, **stated))


def testlib_outputs(site: str, directory: Path, comparisons: Mapping[str, Comparison], count: int) -> None:
    """`directory`: checkers of testlib, compiled to chk_NAME."""
    codes = {0: True, 1: False, 2: False, 4: False, 8: False, 3: None}
    by_line = dict.fromkeys(("fcmp", "lcmp"), (_CR_STOPS, _LONE_CR) if site == "UOJ" else (_LONE_CR,))
    for name, ours in comparisons.items():
        with asking(((directory / f"chk_{name}").resolve(), "input", "output", "answer"), codes) as theirs:
            # Of several words an answer is refused when it is imported.
            fit = partial(_of_one_word, theirs) if name in testlib.OF_ONE_WORD else theirs
            readings = (_VT, *((_END_BYTE,) if site == "UOJ" else ()), *by_line.get(name, (_NUL, _NO_EXPONENT)))
            compare_outputs(f"{site}'s {name}", ours, fit, count, _READS.get(name, _TEXT), (), readings)


def _of_one_word(theirs: Accepts, output: bytes, answer: bytes) -> bool | None:
    return theirs(output, answer) if len(answer.split()) == 1 else None


def icpc_outputs(program: Path, count: int) -> None:
    for flags in (
        *("", "case_sensitive", "space_change_sensitive", "case_sensitive space_change_sensitive"),
        *("float_tolerance 1e-6", "float_absolute_tolerance 1e-6", "float_relative_tolerance 1e-6"),
        *("float_tolerance 1e-6 space_change_sensitive", "float_relative_tolerance 1e-3 case_sensitive"),
        "float_absolute_tolerance 1e-2 float_relative_tolerance 1e-6",
    ):
        command: list[str | Path] = [program.resolve(), "answer", "answer", ".", *flags.split()]
        ours = comparison.from_arguments(flags.split())
        with asking(command, {42: True, 43: False}) as theirs:
            for pieces in (_TEXT, _REALS) if "float" in flags else (_TEXT,):
                kind = "numbers" if pieces is _REALS else "text"
                name = f"problemtools' validator ({flags}), {kind}"
                compare_outputs(name, ours, theirs, count, pieces, (), (_NUL, _NAMES, _NO_EXPONENT, _TINY))


_NOT_DECIMAL = rb"(?<!\S)(?![+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?!\S))\S"
#: The site, what is compared, our rule, arguments, pieces, reasons.
_Row = tuple[str, str, Comparison | None, tuple[str, ...], Sequence[bytes], Sequence[Reason]]
_LEMON: Sequence[tuple[str, lemon.Compared, Sequence[bytes], Sequence[Reason]]] = (
    (
        "line",
        lemon.Compared.LINES,
        _TEXT,
        (
            _either("an empty first line is passed over there", rb"\A[\r\n]"),
            _either("blanks after the answer's last line, or empty lines that only the answer has", rb"\s\Z"),
        ),
    ),
    (
        "ignore",
        lemon.Compared.IGNORING_SPACES,
        _TEXT,
        (
            _either("the line of a word that ends both files does not count there", rb"\S\Z"),
            _either("CR alone", rb"\r(?!\n)"),
        ),
    ),
    (
        "real",
        lemon.Compared.REAL_NUMBERS,
        _REALS,
        (
            _of_answer("nothing is right there if the answer holds a word that is no number", _NOT_DECIMAL),
            _either("hexadecimal numbers, or the beginning of a word, are numbers there", _NOT_DECIMAL),
        ),
    ),
)


def other_outputs(programs: Mapping[str, Path], count: int) -> None:
    """Of sites whose comparison is a program of its own."""
    codes = {0: True, 1: False, 2: None}
    rows: list[_Row] = [
        ("fps", "HUSTOJ's", fps.COMPARISON, ("output", "answer"), _TEXT, ()),
        ("sinol", "oicompare", sinol.COMPARISON, ("answer", "output"), _TEXT, ()),
    ]
    rows += [
        ("lemon", f"LemonLime's {word}", lemon.comparison(mode, 3), (word, "output", "answer", "3"), pieces, reasons)
        for word, mode, pieces, reasons in _LEMON
    ]
    rows += [
        ("omegaup", f"omegaUp's {name}", omegaup.comparison(name, None), (name, "output", "answer"), pieces, reasons)
        for name, pieces, reasons in (
            ("token", _TEXT, ()),
            ("token-caseless", _TEXT, (_either("bytes that are no UTF-8 are alike there", rb"[\x80-\xff]"),)),
            ("token-numeric", _REALS, ()),
        )
    ]
    for site, name, ours, arguments, pieces, reasons in rows:
        if site in programs:
            with asking((programs[site].resolve(), *arguments), codes) as theirs:
                compare_outputs(name, ours, theirs, count, pieces, reasons)


_PROGRAMS = ("icpc", "fps", "lemon", "omegaup", "sinol")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    for name in ("hydro", "cms", "dmoj", "uoj-checkers", "testlib-checkers", *_PROGRAMS):
        parser.add_argument(f"--{name}", type=Path)
    asked = parser.parse_args()
    qduoj_outputs(asked.count)
    if asked.cms:
        cms_outputs(asked.cms, asked.count)
    if asked.dmoj:
        dmoj_outputs(asked.dmoj, asked.count)
    if asked.icpc:
        icpc_outputs(asked.icpc, asked.count)
    if asked.uoj_checkers:
        testlib_outputs("UOJ", asked.uoj_checkers, uoj._COMPARISONS, asked.count)
    if asked.testlib_checkers:
        testlib_outputs("testlib", asked.testlib_checkers, testlib.COMPARISONS, asked.count)
    other_outputs({name: getattr(asked, name) for name in _PROGRAMS if getattr(asked, name)}, asked.count)
    if asked.hydro:
        hydro_outputs(asked.hydro, asked.count)


if __name__ == "__main__":
    main()
