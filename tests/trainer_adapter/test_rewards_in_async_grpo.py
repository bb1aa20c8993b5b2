"""The worker of TRL's AsyncGRPOTrainer, which samples from a server and scores many groups at once, by the real judge.

The server stands for vLLM, which needs a GPU; the worker needs its `/v1/completions` only."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import multiprocessing
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from accelerate import PartialState
from datasets import Dataset
from transformers import PreTrainedTokenizerFast

from tests.conftest import MakePackage
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, HALF, METADATA, RIGHT, completion
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

GROUPS, SIZE = 6, 4
LOST = 5


class _Completions(BaseHTTPRequestHandler):
    """Answers the n-th request with the n-th program: of four, the first is right, and the judge loses one of all."""

    numbers: count[int]
    tokenizer: PreTrainedTokenizerFast

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        number = next(self.numbers)
        program = doomed(RIGHT) if number == LOST else RIGHT if number % SIZE == 0 else f"// {number}\n{HALF}"
        ids = [*self.tokenizer(completion(program))["input_ids"], self.tokenizer.eos_token_id]
        choice = {"token_ids": ids, "logprobs": {"token_logprobs": [-0.1] * len(ids)}}
        body = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(tokenizer: PreTrainedTokenizerFast) -> Iterator[str]:
    handler = type("_", (_Completions,), {"numbers": count(), "tokenizer": tokenizer})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_groups_are_scored_while_others_are_sampled(
    backend: str,
    shared_cache: Path,
    package: MakePackage,
    tokenizer: PreTrainedTokenizerFast,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    from trl.chat_template_utils import qwen2_5_chat_template
    from trl.experimental.async_grpo import async_rollout_worker

    PartialState(cpu=True)
    tokenizer = copy.deepcopy(tokenizer)
    tokenizer.chat_template = qwen2_5_chat_template  # TRL reads answers by templates that it knows

    Doom(monkeypatch)
    settings = Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache)
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    row = {"prompt": [{"role": "user", "content": "a + b"}], "problem_id": problem}
    samples: Any = multiprocessing.Queue()
    broken: Any = multiprocessing.Queue(1)
    loop = async_rollout_worker._AsyncRolloutLoop(
        model_name="tiny",
        dataset=Dataset.from_list([row] * GROUPS),
        reward_funcs=[CodeReward(Kind.ACCEPTED, settings), CodeReward(Kind.WEIGHTED, settings)],
        processing_class=tokenizer,
        eos_token_ids=[tokenizer.eos_token_id],
        rollout_buffer=samples,
        model_version_value=multiprocessing.Value("i", 0),
        heartbeat_value=multiprocessing.Value("d", 0.0),
        failed_event=multiprocessing.Event(),
        exception_info_queue=broken,
        metrics_queue=multiprocessing.Queue(),
        num_generations=SIZE,
        max_inflight_tasks=1,
        vllm_server_url=address,
        max_tokens=512,
    )
    worker = threading.Thread(target=loop.run)
    worker.start()
    try:
        found: list[Any] = []
        while len(found) < GROUPS * SIZE:
            assert worker.is_alive(), broken.get(timeout=10)
            with contextlib.suppress(queue.Empty):
                found.append(samples.get(timeout=1))
    finally:
        if worker.is_alive():
            loop._loop.call_soon_threadsafe(loop._stop_event.set)
        worker.join()
        reward_funcs.close()
    found.sort(key=lambda each: each.group_id)
    rewards = [(each.metrics["rewards/accepted"], each.metrics["rewards/weighted"]) for each in found]
    assert all(rewards[place] == (1, pytest.approx(1.1)) for place in range(0, GROUPS * SIZE, SIZE))
    assert all(math.isnan(score) for score in rewards[LOST])
    assert all(rewards[place][0] == 0 for place in range(GROUPS * SIZE) if place % SIZE and place != LOST)
    assert found[LOST].advantage == 0
    assert all(each.advantage > 1 for each in found[::SIZE])
