"""What sites make of a checker's words. The expected values are those of their own parsers (docs/formats.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from containers import Isolation, Outcome, Termination, Usage
from judge.checkers import conventions, words
from judge.checkers.conventions import CHECKERS, INTERACTORS
from judge.common.errors import CheckerError
from problems.model import Convention

_USED = Usage(cpu_ns=0, wall_ns=0, memory_bytes=0)


def ended(code: int, stderr: str) -> Outcome:
    walls = Isolation(backend="unsafe", tier="none")
    return Outcome(
        termination=Termination.EXITED,
        exit_code=code,
        signal=None,
        usage=_USED,
        isolation=walls,
        stderr=stderr.encode(),
    )


@pytest.mark.parametrize(
    ("said", "full", "share"),
    [
        ("ok right\n", 100, 1),
        ("ok\n", 100, 0),
        ("wrong answer 3 for 4\n", 100, 0),
        ("wrong output format x\n", 100, 0),
        ("partially correct (50) half\n", 100, 0.5),
        ("partially correct (0) nothing\n", 100, 0),
        ("partially correct (100) all\n", 100, 1),
        ("partially correct (1) one, which is all\n", 100, 1),
        ("partially correct (7) seven\n", 100, 0.07),
        ("partially correct (29) as floating-point numbers are\n", 100, 0.28),
        ("partially correct (55) rounded down\n", 10, 0.5),
        ("points 0.5 half\n", 100, 0.5),
        ("points 0.29 as floating-point numbers are\n", 100, 0.28),
        ("points 50 half\n", 100, 0.5),
        ("points 1 all\n", 100, 1),
        ("points 100 all\n", 100, 1),
        ("points 0.5\n", 3, 1 / 3),
        ("points -5 less\n", 100, 0),
        ("points many\n", 100, 0),
        ("wrong answer score(30) set\n", 100, 0.3),
        ("partially correct (50) score(20) score(10) x\n", 100, 0.1),
        ("FAIL\n", 100, 0),
        ("", 100, 0),
    ],
)
def test_hydro(said: str, full: float, share: float) -> None:
    assert words.hydro_share(said, full) == pytest.approx(share)


@pytest.mark.parametrize(
    ("said", "full", "share"),
    [
        ("ok right\n", 30, 1),
        ("ok\n", 30, 1),
        ("okay\n", 30, 0),
        ("wrong answer\n", 30, 0),
        ("partially correct (50)\n", 30, 0),
        ("points 0.5 half\n", 30, 0.5),
        ("points 0.5 rounded down\n", 5, 2 / 5),
        ("points 0.005 rounded up to a hundredth\n", 100, 0.01),
        ("points 0.5 of one point, rounded down", 1, 0),
        ("points 0x10, which is 16 there", 30, None),
        ("points 1e400", 30, None),
        ("points\n", 30, None),
        ("", 30, None),
    ],
)
def test_uoj(said: str, full: float, share: float | None) -> None:
    assert words.uoj_share(said, full) == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    ("said", "full", "share"),
    [
        ("ok right", 10, 1),
        ("okay", 10, 1),
        (" ok", 10, 0),
        ("FAIL no answer", 10, None),
        ("partially correct (50) half", 10, 0.5),
        ("partially correct (55) rounded down", 10, 0.5),
        ("points 0.25 rounded down", 10, 0.2),
        ("points 5 more than all", 10, 1),
        ("wrong answer", 10, 0),
        ("", 10, 0),
    ],
)
def test_lemonlime(said: str, full: float, share: float | None) -> None:
    assert words.lemon_share(said, full) == share


@pytest.mark.parametrize(
    ("convention", "code", "written", "share"),
    [
        (Convention.QDUOJ, 1, "", 0),
        (Convention.QDUOJ, 255, "", None),
        (Convention.LEMON, 0, "7.9", 0.07),
        (Convention.LEMON, 0, "x", None),
        (Convention.LEMON, 0, "010", 0.08),
        (Convention.LEMON, 0, "+010", 0.1),
        (Convention.LEMON, 0, "08", 0.08),
        (Convention.LEMON, 0, "0x10", 0.16),
        (Convention.LEMON, 0, "0b2", None),
        (Convention.LEMON, 0, ".5", None),
        (Convention.LEMON, 0, " \n", 0),
        (Convention.HYDRO_LEMON, 0, "29", 0.29),  # 0.29 * 100 would be 28
        (Convention.HYDRO_LEMON, 0, "29.9", 0.29),
        (Convention.HYDRO_LEMON, 0, "x", 0),
        (Convention.HYDRO_LEMON, 0, "0x10", 0.16),
        (Convention.HYDRO_LEMON, 0, "Infinity", None),
        (Convention.HYDRO_LEMON, 0, "1e400", None),
        (Convention.SYZOJ, 0, " \n", 0),
        (Convention.SYZOJ, 0, "", None),
        (Convention.SYZOJ, 0, "1_0", None),
        (Convention.SYZOJ, 0, "\uff15", None),
        (Convention.SYZOJ, 0, "-1", None),
        (Convention.HYDRO_SYZOJ, 0, "29", 0.29),
        (Convention.HYDRO_SYZOJ, 0, "", 0),
        (Convention.HYDRO_SYZOJ, 0, "x", None),
        (Convention.HYDRO_KATTIS, 42, "30", 1),
        (Convention.HYDRO_KATTIS, 43, "30.5", 0.305),
        (Convention.HYDRO_KATTIS, 43, "x", 0),
        (Convention.HYDRO_KATTIS, 43, "101", None),
        (Convention.HYDRO_KATTIS, 1, "30", None),
        (Convention.OMEGAUP, 0, "\n 0.5 of it", 0.5),
        (Convention.OMEGAUP, 0, "", None),
        (Convention.OMEGAUP, 0, "0.99999", 1),
        (Convention.OMEGAUP, 0, "0.333333", 341 / 1024),
        (Convention.OMEGAUP, 0, "0.125", 0.125),
        (Convention.OMEGAUP, 0, "1_0", None),
        (Convention.CMS, 0, "\n0.5", None),
        (Convention.CMS, 0, " 0.5 \nwords", 0.5),
        (Convention.SINOL, 1, "OK\nwords\n50", 0.5),
        (Convention.SINOL, 2, "OK\nwords\n50", None),
        (Convention.SINOL, 0, "OK\n\n100/4", 0.25),
        (Convention.SINOL, 0, "OK\n\n ", None),
        (Convention.SINOL, 0, "\nOK", 0),
    ],
)
def test_points_are_read_as_the_site_reads_them(
    convention: Convention, code: int, written: str, share: float | None
) -> None:
    outcome = replace(
        ended(code, stderr=""),
        stdout=written.encode(),
        files={name: written.encode() for name in CHECKERS[convention].leaves},
    )
    if share is None:
        with pytest.raises(CheckerError):
            CHECKERS[convention].word(outcome, "checker", 100.0)
    else:
        assert CHECKERS[convention].word(outcome, "checker", 100.0).score == pytest.approx(share)


def test_a_special_judge_of_lemonlime_that_leaves_no_file_of_points_has_failed() -> None:
    with pytest.raises(CheckerError, match="left no file of points"):
        CHECKERS[Convention.LEMON].word(ended(0, stderr=""), "checker", 100.0)


@pytest.mark.parametrize(("written", "share"), [("-1", 0), (" -1.0\n", 0), ("50", 0.5), ("\n", 0), ("-2", None)])
def test_an_interactor_of_syzoj(written: str, share: float | None) -> None:
    outcome = replace(ended(0, stderr=""), files={"score.txt": written.encode()})
    word = INTERACTORS[Convention.SYZOJ].word
    if share is None:
        with pytest.raises(CheckerError):
            word(outcome, "interactor", 100.0)
    else:
        assert word(outcome, "interactor", 100.0).score == share


@pytest.mark.parametrize(
    ("said", "share"),
    [("partial 3/10", 0.3), ("words\npartial 3/10\nmore", 0.3), ("partial 3/0", None), ("x partial 3/10", None)],
)
def test_coci(said: str, share: float | None) -> None:
    assert words.coci_share(said, 5) == share


@pytest.mark.parametrize(
    ("said", "share"), [("words\npoints 5", 0.5), ("points 0.5", None), ("points 11", None), ("points 5 x", None)]
)
def test_testlib_of_dmoj(said: str, share: float | None) -> None:
    assert words.dmoj_share(said, 10) == share


@pytest.mark.parametrize(
    ("code", "said", "share"),
    [
        (7, "points 0.5 Value: 3. Ratio: 0.2500, RatioUnbounded: 3.0", 0.25),
        (0, "ok all", 1),
        (1, "wrong answer no", 0),
        (1, "wrong answer got 'Ratio: 1.0'", 0),
        (7, "points 0.5 without its word", 0),
    ],
)
def test_frontier_cs(code: int, said: str, share: float) -> None:
    """A program may make a checker repeat what it wrote: the word counts only where the checker gives points."""
    assert CHECKERS[Convention.FRONTIER_CS].word(ended(code, stderr=said), "checker", 1.0).score == share


@pytest.mark.parametrize("code", [0, 1, 50])
def test_a_part_of_the_points_that_testlib_does_not_tell_is_none(code: int) -> None:
    with pytest.raises(CheckerError, match="partially correct"):
        conventions.testlib_word(ended(code, stderr="partially correct (50) half"), "checker")


@pytest.mark.parametrize("digits", ["1e999", "-1e999", "9" * 400, "1e308", "-1e308"])
@pytest.mark.parametrize("said", ["points {}", "partially correct ({})", "ok", "points {} score(1)"])
def test_a_number_that_is_too_large_is_no_failure_of_ours(said: str, digits: str) -> None:
    """A checker may quote what the program wrote."""
    for full in (0.5, 7.5, 1e9):
        assert 0 <= (words.hydro_share(said.format(digits), full) or 0) <= 1
        assert 0 <= (words.uoj_share(said.format(digits), full) or 0) <= 1
