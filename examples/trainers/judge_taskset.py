"""A taskset for verifiers and prime-rl. A line of its file: {"prompt": …, "problem_id" or "tests": …, "language": …}.

PYTHONPATH=examples/trainers vf-eval judge-taskset --env.taskset.file rows.jsonl
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from trainer_adapter.integrations.verifiers import judge_reward

__all__ = ["Programs"]


class Rows(vf.TasksetConfig):
    file: str = ""


class Row(vf.TaskData):
    judged_by: dict[str, Any]


class Program(vf.Task[Row]):
    @vf.reward
    async def accepted(self, trace: vf.Trace) -> float:
        return await judge_reward(trace.last_reply, self.data.judged_by)


class Programs(vf.Taskset[Program, Rows]):
    def load(self) -> Iterator[Program]:
        for line in Path(self.config.file).read_text().splitlines():
            row = json.loads(line)
            yield Program(Row(prompt=row.pop("prompt"), judged_by=row), self.config.task)
