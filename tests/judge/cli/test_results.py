from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge.cli.results import Results
from judge.common.errors import ConfigError
from judge.common.models import Judgement, Verdict
from judge.many.rows import InputLine

A = InputLine(line=1, id="a")
NAMELESS = InputLine(line=2, id=None)
OTHER = InputLine(line=3, id=None)


def _judgement() -> Judgement:
    return Judgement(problem="P1001", language="c11", verdict=Verdict.AC, accepted=True, score=1.0, error="引 \ud800")


def _fill(path: Path) -> bytes:
    with Results(path, resume=False) as results:
        results.add_judgement(A, _judgement())
        results.add_refusal(NAMELESS, "broken")
    return path.read_bytes()


def test_a_line_is_a_judgement_with_its_line_number(tmp_path: Path) -> None:
    judged, refused = map(json.loads, _fill(tmp_path / "out").splitlines())
    assert judged == json.loads(_judgement().to_json()) | {"id": "a", "line": 1}
    assert refused == {"schema": 1, "id": None, "line": 2, "verdict": None, "error": "broken"}


def test_resume_knows_ids_and_lines(tmp_path: Path) -> None:
    _fill(tmp_path / "out")
    with Results(tmp_path / "out", resume=True) as results:
        assert [item in results for item in (A, NAMELESS, OTHER)] == [True, True, False]
        assert InputLine(line=9, id="a") in results
        assert InputLine(line=2, id="b") not in results
        assert len(results) == 2
        assert results.failed == 1


def test_a_torn_last_line_is_cut_wherever_it_tore(tmp_path: Path) -> None:
    whole = _fill(tmp_path / "whole")
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole)):
        path = tmp_path / "torn"
        path.write_bytes(whole[:end])
        with Results(path, resume=True) as results:
            assert A in results
            assert NAMELESS not in results
            results.add_refusal(NAMELESS, "broken")
        assert path.read_bytes() == whole


def test_results_are_not_overwritten_or_mixed(tmp_path: Path) -> None:
    whole = _fill(tmp_path / "out")
    with pytest.raises(ConfigError, match="add --resume"):
        Results(tmp_path / "out", resume=False)
    assert (tmp_path / "out").read_bytes() == whole


@pytest.mark.parametrize("line", [b"int main() {}\n", b"{}\n", b'{"id": []}\n', b'{"id": "a", "verdict"\n', b"[1]\n"])
def test_a_file_that_holds_something_else_is_left_alone(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "precious"
    path.write_bytes(line + b"tail")
    with pytest.raises(ConfigError, match="line 1 is no result"):
        Results(path, resume=True)
    assert path.read_bytes() == line + b"tail"


def test_two_batches_do_not_share_a_file(tmp_path: Path) -> None:
    with Results(tmp_path / "out", resume=False), pytest.raises(ConfigError, match="another batch"):
        Results(tmp_path / "out", resume=True)
    Results(tmp_path / "out", resume=True).close()  # the lock went with its holder
