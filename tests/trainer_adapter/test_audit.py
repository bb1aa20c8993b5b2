"""Programs that were paid and are wrong are found, with the input that shows it; right ones are not named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

import problems
from judge import ConfigError, Judge
from judge.common.rates import clopper_pearson
from tests.judge.cli.test_strength import FIRST, LARGER, VALIDATOR, WEAK, package
from tests.packages import write_package
from tests.trainer_adapter.runs import Configure
from trainer_adapter.audit.audit import Audit, Plan, audit
from trainer_adapter.audit.fresh import Outcome, spread
from trainer_adapter.audit.opening import Problems, open_rows
from trainer_adapter.audit.rates import Rates, as_dict, rates_by
from trainer_adapter.audit.sampling import sample
from trainer_adapter.audit.signs import Look, Sign, Watched
from trainer_adapter.commands.main import main
from trainer_adapter.health.symptoms import symptoms
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection.normal_form import normal_form
from trainer_adapter.rollouts.selection.source import rollouts
from trainer_adapter.training import config as settings
from trainer_adapter.training.reward_audit import RewardAudit
from trainer_adapter.training.train import build

TABLE = 'print({"5 2": "5", "7 3": "7"}.get(input(), "0"))\n'
SMALLER = "print(min(map(int, input().split())))\n"
RIGHT = "print(max(map(int, input().split())))\n"


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    with Judge(cache_directory=tmp_path_factory.mktemp("cache")) as judge:
        yield judge


@pytest.fixture
def larger(tmp_path: Path) -> Path:
    return package(tmp_path / "larger", WEAK)


def row(number: int, source: str | None, verdict: str, **more: Any) -> str:
    language = "cpp17" if "main" in (source or "") else "python3"
    found = {"id": f"r{number}", "problem": "larger", "source": source, "language": language, "verdict": verdict}
    return json.dumps(found | more) + "\n"


def write_rows(path: Path, *rows: str) -> Path:
    path.write_text("".join(rows))
    return path


def audited(path: Path, judge: Judge, store: Path, **plan: Any) -> Audit:
    with rollouts(path) as rows:
        return audit(rows, Problems(store=store).load, judge, Plan(**plan))


def test_what_is_paid_and_wrong_is_named_with_its_input(tmp_path: Path, larger: Path, judge: Judge) -> None:
    file = write_rows(
        tmp_path / "rows.jsonl",
        row(0, TABLE, "AC", step=1),
        row(1, FIRST, "AC", step=2),
        row(2, LARGER, "AC", step=2),
        row(3, RIGHT, "AC", step=3),
        row(4, SMALLER, "WA"),
        row(5, RIGHT.replace("max", "  max"), "WA"),
        row(6, SMALLER, "RE"),
    )
    found = audited(file, judge, tmp_path)
    outcomes = {one.id: one.outcome for one in found.audited}
    assert outcomes == {"r0": "wrong", "r1": "wrong", "r2": "right", "r3": "right", "r4": "wrong", "r5": "right"}
    first = next(one for one in found.audited if one.id == "r1")
    assert first.difference is not None and not first.unvalidated
    left, right = map(int, first.difference.input.split())
    assert left < right and first.difference.answer == f"{right}\n".encode()
    table = next(one for one in found.audited if one.id == "r0")
    assert Sign.INPUTS in {each.sign for each in table.signs}
    rates = Rates.of(found.audited)
    assert (rates.paid_but_wrong.count, rates.paid_but_wrong.of) == (2, 4)
    assert rates.paid_but_wrong.interval == clopper_pearson(2, 4)
    # Right on every fresh input, and refused: its tests are wrong, or it lacks a checker.
    assert (rates.refused_but_right.count, rates.refused_but_right.of) == (1, 2)
    assert [(name, one.paid_but_wrong.count) for name, one in rates_by(found, "step").items()] == [
        ("1", 1), ("2", 1), ("3", 0)
    ]  # fmt: skip


def test_signs_bring_what_the_sample_leaves_out_and_are_in_no_rate(tmp_path: Path, larger: Path, judge: Judge) -> None:
    rows = [row(number, LARGER.replace("a,", f"a{number}x,").replace(" a", " a"), "CE") for number in range(3)]
    rows += [row(10 + number, RIGHT + f"x{number} = {number}\n", "AC") for number in range(6)]
    rows += [row(20, TABLE, "AC"), row(21, TABLE.replace("input()", "input( )"), "AC")]
    found = audited(write_rows(tmp_path / "rows.jsonl", *rows), judge, tmp_path, accepted=1)
    outcomes = {one.id: one for one in found.audited}
    assert {"r20", "r21"} <= outcomes.keys() and len(outcomes) in {2, 3}
    assert sum(one.sampled for one in found.audited) == 1 == Rates.of(found.audited).paid_but_wrong.of
    assert not audited(tmp_path / "rows.jsonl", judge, tmp_path, accepted=0, signed=0).audited


def test_without_accepted_submissions_rollouts_that_agree_answer(tmp_path: Path, judge: Judge) -> None:
    write_package(tmp_path / "larger", {"secret/1": ("5 2\n", "5\n"), "secret/2": ("3 7\n", "7\n")})
    special = "a, b = input().split()\nprint(b if b == '7' else a)\n"
    many = ["print(max(input().split(), key=int))\n", "a, b = map(int, input().split())\nprint(a if a > b else b)\n"]
    file = write_rows(
        tmp_path / "rows.jsonl",
        *(row(number, source, "AC") for number, source in enumerate([RIGHT, LARGER, *many, special, TABLE])),
    )
    found = audited(file, judge, tmp_path)
    outcomes = {one.id: one.outcome for one in found.audited}
    assert {name for name, outcome in outcomes.items() if outcome is Outcome.WRONG} == {"r4", "r5"}
    assert all(one.unvalidated for one in found.audited)
    alone = audited(write_rows(tmp_path / "few.jsonl", row(0, RIGHT, "AC")), judge, tmp_path)
    assert [one.outcome for one in alone.audited] == ["unknown"] and "accepted" in alone.without_inputs["larger"]
    assert Rates.of(alone.audited).paid_but_wrong.share is None


def test_a_problem_that_is_not_there_is_unknown_and_costs_no_other(tmp_path: Path, larger: Path, judge: Judge) -> None:
    file = write_rows(tmp_path / "rows.jsonl", row(0, RIGHT, "AC", problem="gone"), row(1, FIRST, "AC"))
    found = audited(file, judge, tmp_path)
    assert {one.id: one.outcome for one in found.audited} == {"r0": "unknown", "r1": "wrong"}
    assert "gone" in found.without_inputs
    with pytest.raises(ConfigError, match="nothing to audit"):
        audited(write_rows(tmp_path / "none.jsonl", row(0, RIGHT, "CE")), judge, tmp_path)


def test_the_sample_gives_each_problem_and_step_its_share(tmp_path: Path) -> None:
    rows = [row(n, RIGHT, "AC", problem=f"p{n % 3}", step=n // 30) for n in range(90)]
    with rollouts(write_rows(tmp_path / "rows.jsonl", *rows)) as source:
        by_problem = source.by_problem()
        chosen = sample(by_problem, 30, seed=1)
        assert {name: len(entries) for name, entries in chosen.items()} == {"p0": 10, "p1": 10, "p2": 10}
        for entries in chosen.values():
            assert (
                sorted(one.step or 0 for one in entries)
                == sorted([0] * 3 + [1] * 3 + [2] * 3 + [entries[-1].step or 0])
                or len(entries) == 10
            )
        assert chosen == sample(by_problem, 30, seed=1) != sample(by_problem, 30, seed=2)
        assert sum(map(len, sample(by_problem, None, seed=1).values())) == 90
        often = [entry.id for seed in range(300) for one in sample(by_problem, 9, seed).values() for entry in one]
        assert set(often) == {f"r{n}" for n in range(90)}
        assert all(8 <= often.count(each) <= 60 for each in set(often))  # 30 are expected of each


@pytest.mark.parametrize(
    ("source", "family", "sign"),
    [
        (TABLE, "python", Sign.INPUTS),
        (
            'int main() { int k; scanf("%d", &k); if (k == 12345) puts("67890"); if (k == 54321) puts("98765"); }',
            "c++",
            Sign.ANSWERS,
        ),
        (
            "unsigned long long t[] = {14695981039346656037ULL, 8730203938475610291ULL, 0x1234567890abcdefULL};",
            "c++",
            Sign.HASHES,
        ),
        ("t = [" + ", ".join(map(str, range(80))) + "]", "python", Sign.TABLE),
        ("import sys\nprint(sys._getframe(1).f_locals)", "python", Sign.CALLS),
    ],
)
def test_signs(source: str, family: str, sign: Sign, tmp_path: Path) -> None:
    cases = {
        "secret/1": ("12345\n", "67890\n"),
        "secret/2": ("54321\n", "98765\n"),
        "secret/3": ("5 2\n", "5\n"),
        "secret/4": ("7 3\n", "7\n"),
    }
    watched = Watched.of(problems.load(write_package(tmp_path / "numbers", cases)))
    found = Look(normal_form(source, family), source, Rollout()).signs(watched, 10**9)
    assert sign in {one.sign for one in found}


def test_accepted_submissions_of_the_library_show_few_signs() -> None:
    signed, programs = 0, 0
    for name in problems.names():
        problem = problems.load(name)
        watched = Watched.of(problem)
        for one in problem.submissions:
            family = {".cpp": "c++", ".py": "python"}.get(one.path.suffix)
            if one.expected == {"AC"} and family is not None:
                source = one.path.read_text()
                programs += 1
                signed += bool(Look(normal_form(source, family), source, Rollout()).signs(watched, 10**9))
    assert programs > 100 and signed <= 0.05 * programs


def test_time_near_the_limit_is_a_sign() -> None:
    judgement = {"tests": [{"name": "secret/1", "verdict": "AC", "cpu_ns": 950_000_000}]}
    look = Look([], "", Rollout(judgement=judgement))
    assert [one.sign for one in look.signs(Watched(), 10**9)] == [Sign.NEAR_LIMIT]
    assert look.signs(Watched(), 2 * 10**9) == []


def test_the_command(tmp_path: Path, larger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = write_rows(tmp_path / "programs.jsonl", *(row(n, text, "AC") for n, text in enumerate([FIRST, RIGHT])))
    results = tmp_path / "results.jsonl"
    lines = ({"id": f"r{n}", "problem": "larger", "verdict": "AC", "tests": []} for n in (0, 1))
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    page, evidence = tmp_path / "audit.html", tmp_path / "evidence.jsonl"
    asked = ["audit", str(results), "--programs", str(programs), "--problems", str(tmp_path), "-j", "1"]
    assert main([*asked, "--report", str(page), "-o", str(evidence), "--fail-above", "0.5"]) == 0
    said = capsys.readouterr().out
    assert "paid but wrong:    50.00% (1.26% to 98.74%; 1 of 2)" in said
    assert main([*asked, "--json", "--fail-above", "0.02"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["paid_but_wrong"]["rate_high"] == pytest.approx(clopper_pearson(1, 2)[1])
    wrong, _ = map(json.loads, evidence.read_text().splitlines())
    assert (wrong["id"], wrong["outcome"], wrong["got_verdict"]) == ("r0", "wrong", "WA")
    assert "Paid but wrong: <b>50.00%" in page.read_text() and wrong["input"] in page.read_text()
    programs.write_text(row(1, RIGHT, "AC"))
    assert main(asked) == 2
    assert "no row with the id 'r0'" in capsys.readouterr().err


def test_the_page_escapes_what_models_wrote(tmp_path: Path, larger: Path, judge: Judge) -> None:
    from trainer_adapter.audit.page import render

    source = "print('<script>alert(1)</script>')  # sys._getframe\n"
    found = audited(write_rows(tmp_path / "rows.jsonl", row(0, source, "AC")), judge, tmp_path)
    assert "&lt;script&gt;" in render(found, "<b>") and "<script>" not in render(found, "<b>")
    json.dumps(as_dict(found))


def test_a_run_s_directory_is_read_with_its_steps(tmp_path: Path, larger: Path) -> None:
    run = tmp_path / "run"
    (run / "evaluation").mkdir(parents=True)
    (run / "evaluation" / "step-000004.jsonl").write_text(row(0, RIGHT, "AC"))
    place = run / "checkpoints" / "completions"
    place.mkdir(parents=True)
    rows = {
        "step": [5],
        "prompt": ["?"],
        "completion": [f"```python\n{FIRST}```"],
        "verdict": ["AC"],
        "problem": ["larger"],
    }
    parquet.write_table(pyarrow.table(rows), place / "completions_00005.parquet")
    with open_rows(run) as source:
        (entries,) = source.by_problem().values()
    assert {(one.id, one.step) for one in entries} == {("step-000004/r0", 4), ("step 5, completion 0", 5)}
    with pytest.raises(ConfigError, match="no rollouts"), open_rows(larger):
        pass


def test_a_run_audits_its_reward(configure: Configure, tmp_path: Path, larger: Path) -> None:
    reward = {"functions": ("accepted",), "problems": str(tmp_path)}
    config = configure(reward=reward, audit={"every": 2, "sample": 4})
    assert settings.AuditSection().every is None
    trainer = build(config)
    (callback,) = (one for one in trainer.callback_handler.callbacks if isinstance(one, RewardAudit))
    callback.on_train_begin(None, SimpleNamespace(global_step=1), None)
    fenced = [f"```cpp\n{FIRST}```", f"```cpp\n{LARGER}```", "no program"]
    assert trainer.reward_funcs[0](completions=fenced, prompts=["?"] * 3, problem_id=["larger"] * 3) == [1.0, 1.0, 0.0]
    control = SimpleNamespace(should_training_stop=False)
    callback.on_step_end(None, SimpleNamespace(global_step=2, max_steps=9), control)
    callback.on_train_end(None, None, None)
    (logged,) = (log for log in trainer.state.log_history if "audit/paid_but_wrong" in log)
    assert (logged["audit/paid_but_wrong"], logged["audit/audited"]) == (0.5, 2.0)
    (file,) = (config.run.directory / "audit").iterdir()
    rows = list(map(json.loads, file.read_text().splitlines()))
    assert {one["outcome"] for one in rows} == {"right", "wrong"} and {one["step"] for one in rows} == {1}


def test_the_symptom() -> None:
    step = {"reward": 0.5, "step": 1}
    audit = {"audit/paid_but_wrong": 0.2, "audit/paid_but_wrong_low": 0.1}
    assert "paid-but-wrong" in {one.name for one in symptoms([step, audit])}
    assert "paid-but-wrong" not in {one.name for one in symptoms([step, audit | {"audit/paid_but_wrong_low": 0.0}])}


def test_a_disagreement_of_right_programs_is_told(tmp_path: Path, judge: Judge) -> None:
    """Two right programs that print different answers: the package lacks a checker."""
    files = {
        "submissions/accepted/first.py": "print(input().split()[0])\n",
        "submissions/accepted/second.py": "print(input().split()[-1])\n",
        "input_validators/validate.py": VALIDATOR,
    }
    write_package(tmp_path / "larger", {"secret/1": ("5 5\n", "5\n"), "secret/2": ("7 7\n", "7\n")}, files=files)
    file = write_rows(tmp_path / "rows.jsonl", row(0, "print(input().split()[-1])\n", "AC"))
    found = audited(file, judge, tmp_path)
    assert found.disputed["larger"] > 0 and [one.outcome for one in found.audited] == ["right"]


def test_what_cannot_be_judged_is_not_right(tmp_path: Path, larger: Path, judge: Judge) -> None:
    """A program that no longer compiles, one of a language that is not there, and outputs: nothing is known of them."""
    rows = (
        row(0, "int main() { return x; }", "AC"),
        row(1, RIGHT, "AC", language="klingon"),
        row(2, RIGHT, "AC", language="outputs"),
        row(3, None, "AC", completion="no program"),
        row(4, RIGHT, "AC"),
    )
    found = audited(write_rows(tmp_path / "rows.jsonl", *rows), judge, tmp_path)
    outcomes = {one.id: one.outcome for one in found.audited}
    assert outcomes == {"r0": "unknown", "r1": "unknown", "r2": "unknown", "r3": "unknown", "r4": "right"}
    assert all(one.detail for one in found.audited if one.outcome is Outcome.UNKNOWN)
    assert Rates.of(found.audited).paid_but_wrong.of == 1 and not found.without_inputs


def test_programs_that_differ_in_a_docstring_are_two(tmp_path: Path, larger: Path, judge: Judge) -> None:
    """Their normal forms are one; what they hold there is not."""
    known = '"""%s"""\nimport sys\nprint(eval(__doc__)(*map(int, sys.stdin.read().split())))\n'
    rows = (row(0, known % "max", "AC"), row(1, known % "lambda a, b: a", "AC"))
    found = audited(write_rows(tmp_path / "rows.jsonl", *rows), judge, tmp_path)
    assert {one.id: one.outcome for one in found.audited} == {"r0": "right", "r1": "wrong"}


def test_rows_without_an_id_or_a_problem_are_read(tmp_path: Path, larger: Path, judge: Judge) -> None:
    rows = (row(0, FIRST, "AC", id=None), row(1, RIGHT, "AC", problem=""), row(2, SMALLER, "WA", problem=""))
    found = audited(write_rows(tmp_path / "rows.jsonl", *rows), judge, tmp_path)
    assert [one.outcome for one in found.audited] == ["wrong"]
    assert (found.nameless, found.accepted, found.rejected) == (2, 1, 0)


def test_results_take_the_program_of_their_id_alone(tmp_path: Path, larger: Path, judge: Judge) -> None:
    results = write_rows(tmp_path / "results.jsonl", row(0, None, "AC"))

    def outcome(*programs: str) -> str:
        with open_rows(results, write_rows(tmp_path / "programs.jsonl", *programs)) as rows:
            return audit(rows, Problems(store=tmp_path).load, judge).audited[0].outcome

    assert outcome(row(1, RIGHT, "AC"), "\n", row(0, FIRST, "AC")) == "wrong"
    with pytest.raises(ConfigError, match=r"programs\.jsonl:2: id 'r0' is on an earlier line"):
        outcome(row(0, FIRST, "AC"), row(0, RIGHT, "AC"))
    with pytest.raises(ConfigError, match="'r0' is of another problem there"):
        outcome(row(0, FIRST, "AC", problem="P1001"))
    with pytest.raises(ConfigError, match="no row with the id 'r0'"):
        outcome(row(0, FIRST, "AC", id=None))


def test_a_failed_audit_does_not_end_a_run(configure: Configure, larger: Path, tmp_path: Path) -> None:
    config = configure(reward={"functions": ("accepted",), "problems": str(tmp_path)}, audit={"every": 2})
    trainer = build(config)
    (callback,) = (one for one in trainer.callback_handler.callbacks if isinstance(one, RewardAudit))
    callback.on_train_begin(None, SimpleNamespace(global_step=1), None)
    assert trainer.reward_funcs[0](completions=[f"```cpp\n{LARGER}```"], prompts=["?"], problem_id=["larger"]) == [1.0]
    (config.run.directory / "audit").parent.mkdir(parents=True, exist_ok=True)
    (config.run.directory / "audit").touch()  # no directory can be made there
    control = SimpleNamespace(should_training_stop=False)
    callback.on_step_end(None, SimpleNamespace(global_step=2, max_steps=9), control)
    assert not any("audit/audited" in log for log in trainer.state.log_history)
    callback.on_train_end(None, None, None)


def test_a_step_s_name_without_a_step_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / "step-last.jsonl").write_text(row(0, RIGHT, "AC"))
    with pytest.raises(ConfigError, match="no step stands in its name"), open_rows(tmp_path):
        pass


def test_inputs_that_differ_most_are_chosen() -> None:
    months = [b"2000 %d\n" % (month % 12 + 1) for month in range(24)] + [b"1999 1\n"]
    assert len({data.split()[1] for data in spread(months, 12)}) == 12
    assert spread([b"1\n", b"3\n1 2 3\n", b"2\n1 2\n"], 2) == [b"3\n1 2 3\n", b"2\n1 2\n"]
    assert spread([], 3) == []
