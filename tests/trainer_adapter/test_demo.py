"""The demo in small: a model of two problems, led astray and brought back by the judge's verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
import torch

from judge import Judge, Options, Stop, Submission, Verdict
from judge.languages.extraction import extract
from trainer_adapter.demo import apprentice, corpus
from trainer_adapter.demo.experiment import Curve, Demo
from trainer_adapter.demo.show import has_learnt, save

HEARD: list[tuple[str, int, int]] = []


def hear(what: str, done: int, of: int) -> None:
    HEARD.append((what, done, of))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return Demo(tmp_path_factory.mktemp("demo"), problems=("P1001", "P1046"), lessons=60, tell=hear)


def test_what_authors_write_right_is_accepted_and_what_they_write_wrong_is_not(judges: Callable[..., Judge]) -> None:
    """Else the curves would show something else than learning to write programs."""
    judge, problem = judges(), "P1177"
    right = corpus.right(problem)
    programs = {right: True}
    for line in corpus.PROGRAMS[problem]:
        if isinstance(line, tuple):
            programs |= {right.replace(line[0], wrong): False for wrong in line[1:]}
    assert len(programs) == 5
    for text, accepted in programs.items():
        code = extract(text).code
        assert code is not None
        submission = Submission(source=code.encode(), problem=problem)
        found = judge.judge(submission, Options(stop=Stop.FIRST_FAILURE))
        assert found.verdict is not Verdict.IE
        assert found.accepted is accepted, text


@pytest.mark.parametrize("problem", corpus.PROGRAMS)
def test_every_right_program_is_accepted(judges: Callable[..., Judge], problem: str) -> None:
    code = extract(corpus.right(problem)).code
    assert code is not None
    assert judges().judge(Submission(source=code.encode(), problem=problem)).accepted


def test_a_line_is_a_token() -> None:
    words = apprentice.tokenizer({"P1001": [{"role": "user", "content": "# A+B\n\nAdd them.\n"}]})
    text = corpus.right("P1001")
    tokens = words(text)["input_ids"]
    assert len(tokens) == len(text.splitlines())
    assert words.unk_token_id not in tokens
    assert words.decode(tokens) == text


def test_authors_err_as_often_as_their_skill_says() -> None:
    assert corpus.Author(skill=1.0).accepted == 1.0
    assert corpus.Author(skill=0.985).accepted == pytest.approx(0.92, abs=0.01)
    assert corpus.Author(skill=0.8).accepted < 0.35


@pytest.mark.long
def test_sixteen_numbers_find_the_way_back(demo: Demo) -> None:
    """With two problems, whose 32 completions a step are a noisy guide; six show more (`judge-train demo`)."""
    curve = demo.run("planted", seed=1, steps=12)
    assert curve.trained == 16
    assert fmean(curve.accepted[-4:]) >= fmean(curve.accepted[:2]) + 0.15
    assert not [symptom for symptom in curve.symptoms if "no-" in symptom]


@pytest.mark.long
def test_a_constant_reward_teaches_nothing_and_the_doctor_says_why(demo: Demo) -> None:
    curve = demo.run("constant", seed=1, steps=5)
    assert ("teaching a model", 60, 60) in HEARD
    assert [done for what, done, of in HEARD if (what, of) == ("constant seed 1", 5)] == [1, 2, 3, 4, 5]
    assert max(curve.accepted) - min(curve.accepted) < 0.5
    (symptom,) = (symptom for symptom in curve.symptoms if symptom.startswith("no-variance"))
    assert "a reward function is constant" in symptom


def test_curves_are_saved_and_judged(tmp_path: Path) -> None:
    curve = Curve(experiment="planted", seed=0, trained=16, accepted=(0.2, *[0.9] * 10), wall_s=1.0, symptoms=())
    assert has_learnt([curve])
    assert not has_learnt([curve, replace(curve, accepted=(0.2, *[0.7] * 10))])
    assert not has_learnt([replace(curve, trained=17)])
    assert not has_learnt([replace(curve, accepted=(0.5, *[0.9] * 10))])
    files = save([curve, replace(curve, experiment="lora", trained=100)], tmp_path)
    (first, _) = json.loads(files[0].read_text())
    assert (first["start"], first["end"]) == (0.2, pytest.approx(0.9))
    assert all(file.stat().st_size > 100 for file in files)


@pytest.mark.long
def test_the_models_are_taught_once(demo: Demo) -> None:
    (model,) = demo.directory.glob("model-*/model.safetensors")
    before = model.stat().st_mtime_ns
    demo.configuration("planted", seed=3, steps=1)
    assert model.stat().st_mtime_ns == before
    assert torch.get_num_threads() == 1
