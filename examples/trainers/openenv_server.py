"""An environment of OpenEnv: uvicorn openenv_server:app --app-dir examples/trainers

`reset(problem_id="P1001")` gives the statement; `step({"completion": …})` ends the episode with its reward. A lost
judgement is tried three times; then the step is an error, and its episode has no reward.
"""

from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_app

import problems
from problems.text.constants import substitute
from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


class Answer(Action):
    completion: str


class Told(Observation):
    statement: str = ""
    verdict: str = ""


class Programming(Environment[Answer, Told, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True
    reward: CodeReward = accepted

    def __init__(self) -> None:
        super().__init__()
        self._state, self._problem = State(), ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, problem_id: str = "", **_: Any) -> Told:
        if problem_id not in problems.names():  # a path would reach the files of this machine
            raise ValueError(f"no problem {problem_id!r}")
        problem = problems.load(problem_id)
        path = problem.statements.get("en") or next(iter(problem.statements.values()))
        self._state, self._problem = State(episode_id=episode_id), problem_id
        return Told(statement=substitute(path.read_bytes(), problem.constants, str(path)).decode())

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> Told:
        found = core.score(action.completion, self._problem, self.reward, tries=core.TRIES)
        self._state.step_count += 1
        return Told(done=True, reward=found.reward, verdict=found.verdict)

    @property
    def state(self) -> State:
        return self._state


app = create_app(Programming, Answer, Told, env_name="judge")
