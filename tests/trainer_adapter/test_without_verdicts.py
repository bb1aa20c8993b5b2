"""A run whose completions are never judged ends, and says why; one that is judged now and then goes on."""

from __future__ import annotations

import pytest

from tests.trainer_adapter.runs import Configure
from trainer_adapter.commands.main import main
from trainer_adapter.training import train
from trainer_adapter.training.config import Config
from trainer_adapter.training.without_verdicts import NothingJudged


def run_by(configure: Configure, function: str, **run: object) -> Config:
    return configure(
        reward={"functions": (f"tests.trainer_adapter.runs:{function}",)},
        grpo={"max_steps": 6, "save_strategy": "no", "logging_steps": 1},
        run=run,
    )


@pytest.mark.parametrize(
    ("function", "cause"), [("unrated", "rater rated no answer"), ("unjudged", "no completion could be judged")]
)
def test_a_run_without_verdicts_ends(
    configure: Configure, caplog: pytest.LogCaptureFixture, function: str, cause: str
) -> None:
    config = run_by(configure, function)
    with pytest.raises(NothingJudged, match=f"{cause} for 3 step\\(s\\) on end"):
        train.train(config)
    assert not (config.run.directory / "adapter").exists()
    assert (config.run.directory / "report.html").exists()
    said = [record.getMessage() for record in caplog.records if record.name.endswith("health.watch")]
    assert [line.split(":")[1].strip() for line in said] == [
        "infrastructure" if function == "unjudged" else "not-rated"
    ]


def test_it_goes_on_where_it_is_told_to(configure: Configure) -> None:
    assert train.train(run_by(configure, "unrated", steps_without_verdicts=None)).state.global_step == 6


def test_a_rating_now_and_then_is_enough(configure: Configure) -> None:
    assert train.train(run_by(configure, "seldom")).state.global_step == 6


def test_the_command_says_so(
    configure: Configure, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    import yaml

    config = run_by(configure, "unrated", steps_without_verdicts=1)
    path = tmp_path_factory.mktemp("config") / "run.yaml"
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
    assert main(["grpo", str(path)]) == 2
    assert "rater rated no answer for 1 step(s) on end" in capsys.readouterr().err
