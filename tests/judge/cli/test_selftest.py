"""`judge selftest`: all is well behind walls, and without them it says what got through."""

from __future__ import annotations

import json
from collections import Counter

from judge.selftest.head import CLASSES
from tests.judge.cli.conftest import Cli


def test_everything_is_contained(cli: Cli, backend: str) -> None:
    ran = cli("selftest", "--backend", backend)
    assert ran.code == 0, ran.out + ran.err
    assert "every attack was contained" in ran.out
    for kind in (*CLASSES, "honest"):
        line = next(line for line in ran.out.splitlines() if line.startswith(kind))
        held, of, run = line.split()[1:4]
        assert (of, held) == ("of", run), line
        assert int(run) >= 2, line


def test_without_walls_it_says_what_got_through_and_what_to_do(cli: Cli) -> None:
    ran = cli("selftest", "--backend", "unsafe")
    assert ran.code == 1
    for attack in (
        *("network/connection", "network/local sockets", "leaks/answer file", "privilege/judge process"),
        *("resources/children", "compile/included answer", "compile/embedded file", "cheating/note for later"),
    ):
        assert f"{attack} got through" in ran.out, ran.out
    assert "it reached the socket tcp" in ran.out
    assert "what to do: it has no walls: judge with another backend" in ran.out


def test_json(cli: Cli) -> None:
    ran = cli("selftest", "--backend", "unsafe", "--json")
    facts = json.loads(ran.out)
    assert (ran.code, facts["contained"], facts["isolation"]["tier"]) == (1, False, "none")
    through = Counter(one["kind"] for one in facts["tried"] if one["found"])
    assert through["network"] == 2
    assert through["honest"] == 0
    assert all(one["tries"] for one in facts["tried"])


def test_a_backend_that_is_not_there_is_an_error(cli: Cli) -> None:
    ran = cli("selftest", "--backend", "unsafe", "--require", "full")
    assert (ran.code, ran.out) == (2, "")
    assert "--require full" in ran.err
