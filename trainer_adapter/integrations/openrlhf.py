"""For OpenRLHF: `--reward.remote_url FILE.py`, a file that imports `reward_func`; or the address of this server:

    python -m trainer_adapter.integrations.openrlhf --port 5000       # --reward.remote_url http://127.0.0.1:5000/get_reward

The label of a row is a task (`trainer_adapter.integrations.core`). A completion without a verdict raises NoVerdict (the
server answers 503), and OpenRLHF ends the run, for it has no reward. With dynamic filtering pass `lost=math.nan`: the
filter then drops the group, and draws another prompt. Without the filter NaN would spoil the whole group.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import click

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

#: How much of a prompt is looked for in a query whose beginning was cut.
_TAIL = 200

Rewards = dict[str, Any]


def reward_func(
    queries: Sequence[str],
    prompts: Sequence[str],
    labels: Sequence[object],
    *,
    reward: CodeReward = accepted,
    lost: float | None = None,
    **_: object,
) -> Rewards:
    """Tensors, as OpenRLHF wants them. Raises NoVerdict, unless `lost` says what to give instead."""
    import torch  # noqa: PLC0415 - the server needs none

    found = rewards(queries, prompts, labels, reward, lost)
    return {
        "rewards": torch.tensor(found["rewards"]),
        "scores": torch.tensor(found["scores"]),
        "extra_logs": {name: torch.tensor(values) for name, values in found["extra_logs"].items()},
    }


def rewards(
    queries: Sequence[str],
    prompts: Sequence[str],
    labels: Sequence[object],
    reward: CodeReward = accepted,
    lost: float | None = None,
) -> Rewards:
    """The same in lists. Raises NoVerdict."""
    completions = [answer(*each) for each in zip(queries, prompts, strict=True)]
    found = core.scores(completions, labels, reward, prompts=prompts, tries=core.TRIES)
    paid = []
    for each in found:
        if isinstance(each, core.NoVerdict):
            if lost is None:
                raise each
            paid.append(lost)
        else:
            paid.append(each.reward)
    return {
        "rewards": paid,
        "scores": [value if math.isnan(value) else min(1.0, max(0.0, value)) for value in paid],
        "extra_logs": {"accepted": [float(isinstance(each, core.Score) and each.accepted) for each in found]},
    }


def answer(query: str, prompt: str) -> str:
    """What the model wrote, of a query that holds the prompt before it: a program in the prompt is not the model's. The
    special tokens at its end stay: OpenRLHF decodes them, too.

    Raises:
        NoVerdict: the prompt is not in the query.
    """
    tail = prompt[-_TAIL:]
    if query.startswith(prompt):
        found = query[len(prompt) :]
    elif tail and tail in query:
        found = query.rpartition(tail)[2]
    else:
        raise core.NoVerdict("the query does not begin with its prompt: its program cannot be told from the prompt's")
    return found


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, rewards: Callable[..., Rewards], *arguments: Any) -> None:
        self._rewards = rewards
        super().__init__(*arguments)

    def do_POST(self) -> None:
        try:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, found = 200, self._rewards(asked["query"], asked["prompts"], asked["labels"])
        except core.NoVerdict as error:
            status, found = 503, {"error": str(error)}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            status, found = 400, {"error": f"no request of OpenRLHF: {error!r}"}
        body = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: a line for each completion is of no use."""


def server(port: int, host: str = "127.0.0.1", reward: CodeReward = accepted) -> ThreadingHTTPServer:
    """A server of rewards, for `serve_forever`. It has no password: keep it on a host that only the trainer reaches."""
    return ThreadingHTTPServer((host, port), partial(_Handler, partial(rewards, reward=reward)))


@click.command()
@click.option("--port", default=5000, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True)
def main(port: int, host: str) -> None:
    """Serve OpenRLHF rewards at /get_reward."""
    with server(port, host) as found:
        click.echo(f"http://{host}:{found.server_address[1]}/get_reward")
        found.serve_forever()


if __name__ == "__main__":
    main()
