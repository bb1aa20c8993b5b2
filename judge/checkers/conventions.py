"""How checkers and interactors are called, and what they say by their end: a row for each convention.

               checker                                       its word
    ICPC       input answer ./ < output                      exit 42 accepted, 43 wrong; score.txt (up to `full_score`),
                                                             score_multiplier.txt (in [0, 1]), judgemessage.txt
    ICPC, unbounded                                          the same; score.txt is asked for, and holds a raw score
    ICPC, legacy                                             the same; score.txt may be more, and 0 is accepted, too
    testlib    input output answer                           exit 0 ok, 1 2 4 8 wrong, 7 points; stderr "points 0.5 …"
    hustoj     input answer output                           exit 0 ok, any other wrong
    qduoj      input output                                  exit 0 ok, 1 wrong
    lemon      input output answer full_score score message  the file score, a whole number up to full_score
    lemon-testlib  input output answer                       words of testlib on stderr, as LemonLime reads them
    syzoj      files input, user_out, answer                 stdout: 0 to 100; stderr: a message
    dmoj       input output answer                           exit 0 ok, 1 wrong
    dmoj-coci  the same                                      also 2 wrong; 7 with a line "partial 3/10" on stderr
    dmoj-testlib  the same                                   also 2 wrong; 7 with a line "points 5" on stderr
    cms        input answer output                           stdout: 0 to 1; stderr: a message
    omegaup    files data.in, data.out, stdin: output        the first word on stdout: 0 to 1
    sinol      input output answer                           stdout: OK or not, a message, 0 to 100, perhaps as 1/3
    uoj        input output answer                           words of testlib on stderr, as `words` reads them
    hydro      input output answer                           the same, as Hydro reads them
    hydro-syzoj, hydro-lemon                                 as syzoj and lemon, rounded to whole points
    hydro-kattis                                             as ICPC; score.txt counts where it refuses, and only there
    frontier-cs  input output answer                         "Ratio: 0.5" on stdout or stderr, else exit 0 ok; perhaps
                                                             "RatioUnbounded: 1.5", the raw score
    scalebox   files stdin.txt (input), answer.txt (output), exit 0 ok, any other wrong
               stdout.txt (answer)

An interactor gets no output: ICPC input answer ./, dmoj and dmoj-coci input answer, others of testlib input its_output
answer, syzoj a file input, and leaves score.txt (0 to 100).

A manager gets, after these, two paths for each process: ICPC as an interactor, CMS nothing but a file input.txt and the
input as its stdin; stdout: 0 to 1; stderr: a message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, assert_never

from containers import File, Outcome, Termination
from judge.checkers import words
from judge.checkers.compare import Checked
from judge.common.errors import CheckerError
from judge.ruling.classify import signal_name
from problems.model import MOST_RAW_SCORE, Convention

#: What a program by the ICPC convention may leave in its feedback directory for us.
FEEDBACK = ("score.txt", "score_multiplier.txt", "judgemessage.txt")
#: What an interactor of testlib's convention writes for a checker.
OUTPUT = "interactor_output"

_FILES = "../in/"
_ACCEPTED, _REFUSED = 42, 43
#: By which a program of testlib says that it gives points.
_POINTS = 7
_MESSAGE_BYTES = 4096
_COMPILED_AS = re.compile(r"(?:\.\./in/|(?<![\w./-]))solution\.[A-Za-z0-9]{1,5}\b")
_SCORE, _MESSAGE = "judge_score", "judge_message"
_FRACTION = re.compile(r"(\d{1,18}+)/(\d{0,17}[1-9]\d{0,17})", re.ASCII)

Part = Literal["input", "output", "answer"]
#: From how it ended, its name and what it calls all of the points (ICPC; None: the points that it writes do not count).
Word = Callable[[Outcome, str, float | None], Checked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """How a program is called."""

    #: `{input}`, `{output}` and `{answer}` are paths of files, `{full_score}` is a number.
    arguments: tuple[str, ...] = ()
    #: Files that it finds in its working directory under names of their own.
    beside: Mapping[str, Part] = field(default_factory=lambda: MappingProxyType({}))
    #: Whether it reads the output (a manager: the input) from its stdin.
    stdin: bool = False
    #: Files that it leaves for us.
    leaves: tuple[str, ...] = ()
    word: Word

    def call_arguments(
        self, data: Mapping[Part, bytes], full_score: float | None
    ) -> tuple[tuple[str, ...], tuple[File, ...]]:
        """Its arguments and the files that it needs."""
        named = {part: part for part in data if any(f"{{{part}}}" in one for one in self.arguments)}
        values = {part: f"{_FILES}judge_{part}" for part in named}
        arguments = tuple(one.format(**values, full_score=f"{full_score or 1.0:.15g}") for one in self.arguments)
        files = [File(name=f"judge_{part}", content=data[part]) for part in named]
        files += [File(name=name, content=data[part], work=True) for name, part in self.beside.items()]
        return arguments, tuple(files)


def icpc_word(outcome: Outcome, name: str, full_score: float | None = 1.0) -> Checked:
    """What a checker or an interactor by the ICPC convention, called `name`, says by its end and in its `FEEDBACK`.

    Raises:
        CheckerError: it failed.
    """
    message = text(outcome.files.get("judgemessage.txt", b""))
    if not _accepts(outcome, name):
        return _rule_by_score(0.0, message)
    score = 1.0
    if full_score is None:
        pass
    elif (points := outcome.files.get("score.txt")) is not None:
        score = _score(text(points), name, full_score) / full_score
    elif (share := outcome.files.get("score_multiplier.txt")) is not None:
        score = _score(text(share), name)
    return _rule_by_score(score, message)


def _icpc_unbounded_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    points = outcome.files.get("score.txt")
    if full_score is None or not _accepts(outcome, name) or (points is None and "nextpass.in" in outcome.files):
        return icpc_word(outcome, name, None)
    if points is None:
        raise CheckerError(f"{name}: accepted without score.txt, which holds the raw score")
    raw = _score(text(points), name, MOST_RAW_SCORE, least=-MOST_RAW_SCORE)
    message = text(outcome.files.get("judgemessage.txt", b""))
    detail = f"{raw:g} points{message and f': {message}'}"
    return Checked(score=0.0, detail=detail, presentation=False, raw_score=raw)  # `judge.ruling.objective` rates it


def _icpc_legacy_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    written = outcome.files.get("score.txt")
    if written is None or full_score is None or not _accepts(outcome, name):
        return icpc_word(outcome, name, full_score)
    points = _score(text(written), name, math.inf, least=-math.inf)
    message = text(outcome.files.get("judgemessage.txt", b""))
    detail = f"{points:g} points{message and f': {message}'}"
    return Checked(score=max(0.0, points / full_score), detail=detail, presentation=False, points=points)


def _accepts(outcome: Outcome, name: str) -> bool:
    code = _exit_code(outcome, name)
    if code not in (_ACCEPTED, _REFUSED):
        raise failure(outcome, name)
    return code == _ACCEPTED


def testlib_word(outcome: Outcome, name: str, full_score: float | None = 1.0) -> Checked:
    """As `icpc_word`, by the convention of testlib. Raises as it does."""
    message = text(outcome.stderr)
    if message.startswith(words.PART):
        what = "says `partially correct (...)`, of which testlib does not tell which part of the points it is"
        raise CheckerError(f"{name} {what}: call quitp(share, ...) instead")
    match _exit_code(outcome, name):
        case 0:
            return _rule_by_score(1.0, message)
        case 1 | 2 | 4 | 8:  # wrong; malformed (no mere white space: WA, not PE); more, or less, than expected
            return _rule_by_score(0.0, message)
        case 7:
            said = message.split()
            points = said[1] if len(said) > 1 and said[0] == "points" else ""
            most = full_score or 1.0
            return _rule_by_score(_score(points, name, most) / most, message)
        case _:
            raise failure(outcome, name)


def _exit_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _rule_by_score(float(_exit_code(outcome, name) == 0), text(outcome.stdout) or text(outcome.stderr))


def _qduoj_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    if _exit_code(outcome, name) not in (0, 1):
        raise failure(outcome, name)
    return _exit_word(outcome, name, full_score)


def _lemon_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    _clean_exit(outcome, name)
    most = full_score or 1.0
    if _SCORE not in outcome.files:
        raise CheckerError(f"{name}: left no file of points ({_SCORE})")
    score = _score(text(outcome.files[_SCORE]), name, most, read=words.lemon_points) / most
    return _rule_by_score(score, text(outcome.files.get(_MESSAGE, b"")))


def _syzoj_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    _clean_exit(outcome, name)
    return _rule_by_score(_score(_spoken_zero(outcome.stdout), name, 100.0) / 100, text(outcome.stderr))


def _syzoj_talk_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    """-1: the program broke the protocol."""
    _clean_exit(outcome, name)
    points = _spoken_zero(outcome.files.get("score.txt", b""))
    score = 0.0 if words.decimal(points) == -1 else _score(points, name, 100.0) / 100
    return _rule_by_score(score, text(outcome.stderr))


def _spoken_zero(said: bytes) -> str:
    """Blanks are 0 there, but nothing is no score."""
    return text(said) or ("0" if said else "")


def _dmoj_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    message = text(outcome.stdout) or text(outcome.stderr)
    match _exit_code(outcome, name):
        case 0 | 1 as code:
            return _rule_by_score(1.0 - code, message)
        case _:
            raise failure(outcome, name)


def _dmoj_partial_word(outcome: Outcome, name: str, full_score: float | None, share: words.Share) -> Checked:
    """`share`: what a line of stderr says beside exit code 7."""
    match _exit_code(outcome, name):
        case 2:
            return _rule_by_score(0.0, text(outcome.stderr))
        case 7:
            said = share(text(outcome.stderr), full_score or 1.0)
            if said is None:
                raise failure(outcome, name)
            return _rule_by_score(said, text(outcome.stderr))
        case _:
            return _dmoj_word(outcome, name, full_score)


def _dmoj_coci_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _dmoj_partial_word(outcome, name, full_score, words.coci_share)


def _dmoj_testlib_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _dmoj_partial_word(outcome, name, full_score, words.dmoj_share)


def _spoken_word(outcome: Outcome, name: str, full_score: float | None, share: words.Share) -> Checked:
    """Whatever its exit code: what it says on stderr."""
    code = _exit_code(outcome, name)
    said = share(outcome.stderr[:_MESSAGE_BYTES].decode("utf-8", "replace"), full_score or 1.0)
    if said is None or (code != 0 and not outcome.stderr.strip()):
        raise failure(outcome, name)
    return _rule_by_score(said, text(outcome.stderr))


def _uoj_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _spoken_word(outcome, name, full_score, words.uoj_share)


def _hydro_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _spoken_word(outcome, name, full_score, words.hydro_share)


def _hydro_syzoj_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    _clean_exit(outcome, name)
    full = full_score or 1.0
    points = _score(text(outcome.stdout) or "0", name, 100.0) * full / 100
    return _rule_by_score(words.whole_points(points, full), text(outcome.stderr))


def _hydro_lemon_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    """What is no number is nothing."""
    _clean_exit(outcome, name)
    full = full_score or 1.0
    points = _score(text(outcome.files.get(_SCORE, b"")), name, full, read=words.number)
    share = words.whole_points(points, full)
    return _rule_by_score(share, text(outcome.files.get(_MESSAGE, b"")))


def _hydro_kattis_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    message = text(outcome.files.get("judgemessage.txt", b""))
    if _accepts(outcome, name):
        return _rule_by_score(1.0, message)
    full = full_score or 1.0
    points = _score(text(outcome.files.get("score.txt", b"")), name, full, read=words.number)
    return _rule_by_score(points / full, message)


def _lemon_testlib_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    return _spoken_word(outcome, name, full_score, words.lemon_share)


def _hydro_manager_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    """Whatever its exit code; what is no number is nothing."""
    _exit_code(outcome, name)
    share = words.number(text(outcome.stdout))
    if not 0 <= share <= 1:
        raise CheckerError(f"{name}: wrote the score {share:g}; it must be a number from 0 to 1")
    full = full_score or 1.0
    return _rule_by_score(words.whole_points(full * share, full), text(outcome.stderr))


def _frontier_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    code = _exit_code(outcome, name)
    message = text(outcome.stdout) or text(outcome.stderr)
    if code not in (0, _POINTS):  # others repeat what the program wrote
        return _rule_by_score(0.0, message)
    said, unbounded = words.ratio(message), words.ratio(message, raw=True)
    score = float(code == 0) if said is None else _score(said, name)
    raw = score if unbounded is None else _score(unbounded, name, MOST_RAW_SCORE)
    return Checked(score=score, detail=message, presentation=False, raw_score=raw)


def _cms_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    _clean_exit(outcome, name)
    return _rule_by_score(_score(_line(outcome, 0), name), text(outcome.stderr))


def _omegaup_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    _clean_exit(outcome, name)
    first = text(outcome.stdout).split(None, 1)
    said = _score(first[0] if first else "", name, math.inf, least=-math.inf)
    return _rule_by_score(words.omegaup_share(min(1.0, max(0.0, said))), text(outcome.stderr))  # as its own judge does


def _sinol_word(outcome: Outcome, name: str, full_score: float | None) -> Checked:
    """Exit code 1 says nothing there."""
    if _exit_code(outcome, name) not in (0, 1):
        raise failure(outcome, name)
    first, message = _line(outcome, 0).strip(), _line(outcome, 1).strip()
    if first != "OK":
        return _rule_by_score(0.0, message or first)
    per_cent = (_line(outcome, 2) or "100").strip()
    if (parts := _FRACTION.fullmatch(per_cent)) is not None:
        per_cent = str(int(parts[1]) / int(parts[2]))
    return _rule_by_score(_score(per_cent, name, 100.0) / 100, message)


_ICPC_CHECKER = Call(arguments=("{input}", "{answer}", "./"), stdin=True, leaves=FEEDBACK, word=icpc_word)
_TESTLIB = ("{input}", "{output}", "{answer}")
_LEMON_CHECKER = Call(
    arguments=(*_TESTLIB, "{full_score}", _SCORE, _MESSAGE), leaves=(_SCORE, _MESSAGE), word=_lemon_word
)
_SYZOJ_CHECKER = Call(
    beside={"input": "input", "in": "input", "user_out": "output", "answer": "answer"}, word=_syzoj_word
)
_TESTLIB_INTERACTOR = Call(arguments=("{input}", OUTPUT, "{answer}"), leaves=(OUTPUT,), word=testlib_word)
_ICPC_INTERACTOR = replace(_ICPC_CHECKER, stdin=False)

CHECKERS: Mapping[Convention, Call] = {
    Convention.ICPC: _ICPC_CHECKER,
    Convention.ICPC_UNBOUNDED: replace(_ICPC_CHECKER, word=_icpc_unbounded_word),
    Convention.ICPC_LEGACY: replace(_ICPC_CHECKER, word=_icpc_legacy_word),
    Convention.TESTLIB: Call(arguments=_TESTLIB, word=testlib_word),
    Convention.HUSTOJ: Call(arguments=("{input}", "{answer}", "{output}"), word=_exit_word),
    Convention.QDUOJ: Call(arguments=("{input}", "{output}"), word=_qduoj_word),
    Convention.LEMON: _LEMON_CHECKER,
    Convention.LEMON_TESTLIB: Call(arguments=_TESTLIB, word=_lemon_testlib_word),
    Convention.SYZOJ: _SYZOJ_CHECKER,
    Convention.DMOJ: Call(arguments=_TESTLIB, word=_dmoj_word),
    Convention.DMOJ_COCI: Call(arguments=_TESTLIB, word=_dmoj_coci_word),
    Convention.DMOJ_TESTLIB: Call(arguments=_TESTLIB, word=_dmoj_testlib_word),
    Convention.UOJ: Call(arguments=_TESTLIB, word=_uoj_word),
    Convention.HYDRO: Call(arguments=_TESTLIB, word=_hydro_word),
    Convention.HYDRO_SYZOJ: replace(_SYZOJ_CHECKER, word=_hydro_syzoj_word),
    Convention.HYDRO_LEMON: replace(_LEMON_CHECKER, word=_hydro_lemon_word),
    Convention.HYDRO_KATTIS: replace(_ICPC_CHECKER, word=_hydro_kattis_word),
    Convention.FRONTIER_CS: Call(arguments=_TESTLIB, word=_frontier_word),
    Convention.CMS: Call(arguments=("{input}", "{answer}", "{output}"), word=_cms_word),
    Convention.OMEGAUP: Call(beside={"data.in": "input", "data.out": "answer"}, stdin=True, word=_omegaup_word),
    Convention.SINOL: Call(arguments=_TESTLIB, word=_sinol_word),
    Convention.SCALEBOX: Call(
        beside={"stdin.txt": "input", "stdout.txt": "answer", "answer.txt": "output"}, word=_exit_word
    ),
}
INTERACTORS: Mapping[Convention, Call] = {
    Convention.ICPC: _ICPC_INTERACTOR,
    Convention.ICPC_UNBOUNDED: replace(_ICPC_INTERACTOR, word=_icpc_unbounded_word),
    Convention.ICPC_LEGACY: replace(_ICPC_INTERACTOR, word=_icpc_legacy_word),
    Convention.TESTLIB: _TESTLIB_INTERACTOR,
    Convention.DMOJ: Call(arguments=("{input}", "{answer}"), word=_dmoj_word),
    Convention.DMOJ_COCI: Call(arguments=("{input}", "{answer}"), word=_dmoj_coci_word),
    Convention.DMOJ_TESTLIB: replace(_TESTLIB_INTERACTOR, word=_dmoj_testlib_word),
    Convention.UOJ: replace(_TESTLIB_INTERACTOR, word=_uoj_word),
    Convention.HYDRO: replace(_TESTLIB_INTERACTOR, word=_hydro_word),
    Convention.FRONTIER_CS: replace(_TESTLIB_INTERACTOR, word=_frontier_word),
    Convention.SYZOJ: Call(beside={"input": "input", "answer": "answer"}, leaves=("score.txt",), word=_syzoj_talk_word),
}
_CMS_MANAGER = Call(beside={"input.txt": "input"}, stdin=True, word=_cms_word)
MANAGERS: Mapping[Convention, Call] = {
    Convention.ICPC: INTERACTORS[Convention.ICPC],
    Convention.CMS: _CMS_MANAGER,
    Convention.HYDRO: replace(_CMS_MANAGER, word=_hydro_manager_word),
}


def _rule_by_score(score: float, message: str) -> Checked:
    return Checked(score=score, detail=message, presentation=False)


def _exit_code(outcome: Outcome, name: str) -> int | None:
    if outcome.termination is not Termination.EXITED:
        raise failure(outcome, name)
    return outcome.exit_code


def _clean_exit(outcome: Outcome, name: str) -> None:
    if _exit_code(outcome, name) != 0:
        raise failure(outcome, name)


def _line(outcome: Outcome, number: int) -> str:
    """A line of what it said, with the blanks around it."""
    lines = outcome.stdout[:_MESSAGE_BYTES].decode("utf-8", "replace").split("\n")
    return lines[number] if number < len(lines) else ""


def _score(
    text: str, name: str, most: float = 1.0, least: float = 0.0, read: Callable[[str], float] = words.decimal
) -> float:
    score = read(text)
    if not (least <= score <= most and math.isfinite(score)):
        is_part = most not in (1, 100, MOST_RAW_SCORE) and math.isfinite(most)
        wanted = f"{least:g} to {most:g}{', its part of max_score (legacy: of range)' if is_part else ''}"
        raise CheckerError(f"{name}: wrote the score {text[:40]!r}; it must be a number from {wanted}")
    return score


def failure(outcome: Outcome, name: str) -> CheckerError:
    match outcome.termination:
        case Termination.EXITED:
            how = f"exit code {outcome.exit_code}"
        case Termination.SIGNALED:
            how = signal_name(outcome.signal or 0)
        case (
            Termination.CPU_LIMIT
            | Termination.WALL_LIMIT
            | Termination.MEMORY_LIMIT
            | Termination.OUTPUT_LIMIT
            | Termination.CANCELLED
        ):
            how = f"stopped by its {outcome.termination.value}"
        case _:
            assert_never(outcome.termination)
    message = own_name(text(outcome.stderr), name.partition(" ")[2])
    return CheckerError(f"{name} failed ({how}){message and f': {message}'}")


def own_name(message: str, name: str) -> str:
    """A message of a program of the problem, or of its compiler, with its own name: it is compiled under another."""
    return _COMPILED_AS.sub(lambda _: name, message)


def text(data: bytes) -> str:
    return data[:_MESSAGE_BYTES].decode("utf-8", "replace").strip()
