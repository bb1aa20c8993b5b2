"""Several processes sample as one: every request once, nothing lost in silence, no process left."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import psutil
import pytest
import torch  # noqa: F401 - the commands load a model

from tests.trainer_adapter.rollouts.samplers import Dies, Echo, Raises, Slow
from tests.trainer_adapter.runs import PROBLEMS, Configure
from trainer_adapter.commands.main import main
from trainer_adapter.rollouts.making.requests import Task, make_requests
from trainer_adapter.rollouts.making.several import SamplerDied, SeveralSamplers
from trainer_adapter.rollouts.row import read
from trainer_adapter.training import record

TASKS = [Task(problem=f"P{number}", prompt=[]) for number in range(7)]


def children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "resource_tracker" not in " ".join(each.cmdline())]


def test_every_request_is_sampled_once_by_several_processes() -> None:
    found = list(SeveralSamplers(Echo, 2, 2).sample(make_requests(TASKS, 2)))
    assert sorted(request.id for request, _ in found) == sorted(each.id for each in make_requests(TASKS, 2))
    assert all(text.text.startswith(f"{request.id} of ") for request, text in found)
    assert children() == []


@pytest.mark.parametrize(("make", "said"), [(Raises, "RuntimeError: out of memory"), (Dies, "has died")])
def test_a_process_that_fails_is_said(make: type[Echo], said: str) -> None:
    with pytest.raises(SamplerDied, match=said):
        list(SeveralSamplers(make, 2, 2).sample(make_requests(TASKS, 1)))
    assert children() == []


def test_who_stops_early_leaves_no_process_behind() -> None:
    with closing(SeveralSamplers(Slow, 2, 1).sample(make_requests(TASKS, 1))) as sampling:  # type: ignore[type-var]
        next(sampling)
    assert children() == []


def test_two_processes_make_the_rollouts_of_one(configure: Configure, tmp_path: Path) -> None:
    """The seed of a request decides its completion, whichever process samples it."""
    config = configure(grpo={"max_completion_length": 6})
    record.write({"config": config.model_dump(mode="json", by_alias=True)}, config.run.directory)
    path, made = str(config.run.directory / "record/config.yaml"), []
    for processes in ("1", "2"):
        output = tmp_path / f"{processes}.jsonl"
        asked = ["--config", path, "--processes", processes, "-n", "3", "--batch-size", "3", "--no-judgements"]
        assert main(["rollout", "-o", str(output), *asked, "--only", PROBLEMS[0], "--only", PROBLEMS[1]]) == 0
        made.append({row.id: row.completion for row in read(output)})
    assert len(made[0]) == 6
    assert made[0] == made[1]
