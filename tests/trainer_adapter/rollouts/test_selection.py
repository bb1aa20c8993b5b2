"""What is chosen from files of judged rollouts."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from containers import Isolation, Outcome, Termination, Usage
from judge.common.errors import ConfigError
from judge.common.models import Verdict
from judge.ruling.classify import Allowed, classify
from tests.trainer_adapter.rollouts.judged import PROGRAM, rollout, with_tests
from trainer_adapter.commands.main import main
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection import normal_form, pairs, rft
from trainer_adapter.rollouts.selection.held_out import HeldOut
from trainer_adapter.rollouts.selection.source import Source
from trainer_adapter.rollouts.selection.summary import Summary

SLOW = {"verdict": "TLE", "detail": "CPU time 1.500 s over the limit of 1.000 s", "confirmed": None}
NEARLY = {"verdict": "TLE", "detail": "CPU time 1.100 s over the limit of 1.000 s", "confirmed": "TLE"}


@st.composite
def files(draw: st.DrawFn) -> list[Rollout]:
    """Rollouts of a few problems, with few different programs, so that equal ones are common."""
    found = []
    for problem in ("P1", "P2", "题"):
        for sample in range(draw(st.integers(0, 8))):
            verdict = draw(st.sampled_from([None, *(verdict.value for verdict in Verdict)]))
            how: dict[str, Any] = {
                "completion": PROGRAM.format(
                    draw(st.sampled_from(["0", "1", " 1", "1/**/", "x", "y", "z+z", "111111"]))
                ),
                "truncated": draw(st.integers(0, 5)) == 0,
                "score": draw(st.sampled_from([0.0, 0.5, 1.0])),
                "tokens": draw(st.sampled_from([None, 1, 20])),
            }
            if draw(st.booleans()):
                how |= with_tests(
                    *draw(st.lists(st.sampled_from([SLOW, NEARLY, {"verdict": "AC", "confirmed": "TLE"}])))
                )
            if draw(st.integers(0, 5)) == 0:
                how["prompt"] = draw(st.sampled_from([None, "", "Another prompt."]))
            found.append(rollout(problem, sample, verdict, **how))
    return found


def source(rollouts: Iterable[Rollout]) -> Source:
    return Source(io.BytesIO(b"".join(one.line().encode() for one in rollouts)), "rows.jsonl")


def summary() -> Summary:
    return Summary(what="rollouts", source="rows.jsonl")


def chosen(rollouts: Sequence[Rollout], plan: rft.Plan) -> list[dict[str, Any]]:
    file, said = source(rollouts), summary()
    found = list(rft.examples(file, file.by_problem(), plan, said))
    assert len(found) + said.dropped.counts.total() == len(rollouts), "each row is counted once"
    return found


def paired(rollouts: Sequence[Rollout], plan: pairs.Plan) -> list[dict[str, Any]]:
    file, said = source(rollouts), summary()
    found = list(pairs.Pairing(file, file.by_problem(), plan, said).pairs())
    in_pairs = {row[side] for row in found for side in ("chosen_id", "rejected_id")}
    assert len(in_pairs) + said.dropped.counts.total() == len(rollouts), "each row is counted once"
    return found


MOST = st.integers(1, 3)


@given(files(), MOST, st.sampled_from(rft.Prefer), st.randoms(use_true_random=False))
def test_rft_holds_accepted_programs_once(rollouts: list[Rollout], most: int, prefer: rft.Prefer, order: Any) -> None:
    plan = rft.Plan(most=most, prefer=prefer)
    found = chosen(rollouts, plan)
    by_id = {one.id: one for one in rollouts}
    forms = set()
    for row in found:
        one = by_id[row["id"]]
        assert one.verdict is Verdict.AC
        assert not one.truncated
        assert (row["prompt"], row["completion"], row["problem"]) == (one.prompt, one.completion, one.problem)
        forms.add((one.problem, normal_form.digest(normal_form.tokens(one.completion, one.language))))
    assert len(forms) == len(found)
    assert all(count <= most for count in Counter(row["problem"] for row in found).values())
    order.shuffle(rollouts)
    assert chosen(rollouts, plan) == found


@given(files(), MOST, st.sampled_from([1.0, 1.5, 100.0]), st.randoms(use_true_random=False))
def test_pairs_differ_in_the_program_only(rollouts: list[Rollout], most: int, ratio: float, order: Any) -> None:
    plan = pairs.Plan(most=most, length_ratio=ratio)
    found = paired(rollouts, plan)
    by_id = {one.id: one for one in rollouts}
    in_tokens = all(one.tokens is not None for one in rollouts)
    for row in found:
        good, bad = by_id[row["chosen_id"]], by_id[row["rejected_id"]]
        assert good.judged and bad.judged
        assert good.accepted and not bad.accepted
        assert not (good.truncated or bad.truncated)
        assert good.problem == bad.problem == row["problem"]
        assert good.prompt == bad.prompt == row["prompt"]
        assert (row["chosen"], row["rejected"]) == (good.completion, bad.completion)
        lengths = [(one.tokens or 0) if in_tokens else len(one.completion) for one in (good, bad)]
        assert max(lengths) <= ratio * min(lengths)
        if bad.verdict is Verdict.TLE:
            assert SLOW in (bad.judgement or {})["tests"]
    assert all(count <= most for count in Counter(row["problem"] for row in found).values())
    assert len({row["rejected_id"] for row in found}) == len(found)
    order.shuffle(rollouts)
    assert paired(rollouts, plan) == found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(files(), st.randoms(use_true_random=False))
def test_filter_keeps_what_was_passed_at_times(tmp_path: Path, rollouts: list[Rollout], order: Any) -> None:
    kept = []
    for _ in range(2):
        lines = "".join(one.line() for one in rollouts)
        (tmp_path / "in.jsonl").write_text(lines)
        code = main(["filter", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out.txt")])
        kept.append((tmp_path / "out.txt").read_text())
        assert code == (0 if kept[0] else 1)
        order.shuffle(rollouts)
    assert kept[0] == kept[1]
    passed = defaultdict[str, set[bool]](set)
    for one in rollouts:
        if one.judged:
            passed[one.problem].add(one.accepted)
    assert kept[0].split() == sorted(problem for problem, ways in passed.items() if len(ways) == 2)


def test_nearest_misses_come_first() -> None:
    rows = [
        rollout("P", 0, "AC"),
        rollout("P", 1, "CE", score=0.9),
        rollout("P", 2, "WA", score=0.1),
        rollout("P", 3, "RE", score=0.7),
        rollout("P", 4, "WA", score=0.7),
        rollout("P", 5, "TLE", score=0.8, **with_tests(SLOW)),
        rollout("P", 6, "RE", score=0.0),
    ]
    found = paired(rows, pairs.Plan(most=10))
    assert [row["rejected_id"] for row in found] == ["P#5", "P#4", "P#3", "P#2", "P#6", "P#1"]


@pytest.mark.parametrize(
    ("how", "kept"),
    [
        ({}, False),
        (with_tests(SLOW), True),
        (with_tests(NEARLY), False),
        (with_tests(NEARLY, SLOW), True),
        (with_tests({"verdict": "TLE", "detail": "wall time over the limit of 3.000 s (…)", "confirmed": None}), False),
        (with_tests({"verdict": "TLE", "detail": "wall time over the limit of 3.000 s (…)", "confirmed": "TLE"}), True),
        (with_tests({"verdict": "WA", "detail": "CPU time 9.000 s over the limit of 1.000 s"}), False),
    ],
)
def test_time_outs_that_may_have_been_luck(how: dict[str, Any], kept: bool) -> None:
    assert bool(paired([rollout("P", 0, "AC"), rollout("P", 1, "TLE", **how)], pairs.Plan())) is kept


def test_accepted_at_the_second_try_is_in_no_pair() -> None:
    lucky = with_tests({"verdict": "AC", "confirmed": "TLE"})
    assert not paired([rollout("P", 0, "AC", **lucky), rollout("P", 1, "WA")], pairs.Plan())


def test_reads_how_the_judge_words_a_time_out() -> None:
    usage = Usage(cpu_ns=1_600_000_000, wall_ns=1_700_000_000, memory_bytes=1 << 20)
    isolation = Isolation(backend="test", tier="none")
    outcome = Outcome(termination=Termination.CPU_LIMIT, exit_code=None, signal=9, usage=usage, isolation=isolation)
    allowed = Allowed(cpu_ns=1_000_000_000, wall_ns=3_000_000_000, memory_bytes=1 << 28, output_bytes=1 << 20)
    ruling = classify(outcome, allowed)
    assert ruling is not None
    slow = with_tests({"verdict": ruling.verdict.value, "detail": ruling.detail})
    assert paired([rollout("P", 0, "AC"), rollout("P", 1, "TLE", **slow)], pairs.Plan())


def test_lengths_are_brought_together() -> None:
    """Of accepted ones longer and shorter than what failed, each is taken in turn, and the means agree."""
    rows = [rollout("P", n, "AC", tokens=90 + 20 * (n % 2)) for n in range(8)]
    rows += [rollout("P", n, "WA", tokens=100) for n in range(8, 16)]
    file, said = source(rows), summary()
    list(pairs.Pairing(file, file.by_problem(), pairs.Plan(most=8), said).pairs())
    assert said.figures == {"length_unit": "tokens", "mean_length_chosen": 100, "mean_length_rejected": 100}
    assert not said.notes
    rows = [rollout("P", 0, "AC", tokens=140), rollout("P", 1, "WA", tokens=100)]
    file, said = source(rows), summary()
    list(pairs.Pairing(file, file.by_problem(), pairs.Plan(), said).pairs())
    assert "longer than the rejected" in said.notes[0]


def test_diverse_takes_the_least_alike() -> None:
    bodies = {
        0: "int x = 1; x += 2; x *= 3; return x;",
        1: "int x = 1; x += 2; x *= 3; return x + 0;",
        2: "for (int i = 0; i < 9; ++i) while (i) { --i; }   return 0; /* the longest of these */",
    }
    rows = [rollout("P", n, "AC", completion=f"```cpp\nint main() {{ {body} }}\n```") for n, body in bodies.items()]
    assert [row["id"] for row in chosen(rows, rft.Plan(most=2))] == ["P#0", "P#1"]
    assert [row["id"] for row in chosen(rows, rft.Plan(most=2, prefer=rft.Prefer.DIVERSE))] == ["P#0", "P#2"]


def test_held_out_problems_are_the_same_in_every_file() -> None:
    names = [f"P{number}" for number in range(2000)]
    held = HeldOut(share=0.1, seed=1)
    out = {name for name in names if name in held}
    assert 150 < len(out) < 250
    assert out == {name for name in reversed(names) if name in HeldOut(share=0.1, seed=1)}
    assert out != {name for name in names if name in HeldOut(share=0.1, seed=2)}
    assert all(name in HeldOut(share=1.0) for name in names)
    assert not any(name in HeldOut() for name in names)
    assert "x" in HeldOut(names=frozenset("x"))


def test_a_file_that_changes_is_refused() -> None:
    stream = io.BytesIO(rollout("P", 0, "AC").line().encode())
    file = Source(stream, "rows.jsonl")
    (entry,) = file.by_problem()["P"]
    stream.seek(0)
    stream.write(rollout("P", 1, "AC").line().encode())
    with pytest.raises(ConfigError, match="has changed"):
        file.rollout(entry)
