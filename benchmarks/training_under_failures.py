"""Whether failures of the judge change what a model learns: the demo's planted model, trained twice.

    python benchmarks/training_under_failures.py [--steps 500] [--failing 0.01] [--kill-every 60] [--json FILE]

    clean      GRPO on four problems, rewarded by the judge
    failing    the same, with a share of the judgements lost, and a launcher killed from outside again and again

After each, what the model writes for two other problems is judged, by a judge that nobody disturbs. The rates should
differ by no more than two runs with other seeds do: `--seeds 2` shows that, too.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest import mock

import psutil

TRAINED = ("P1001", "P1046", "P1047", "P1048")
HELD_OUT = ("P1177", "P1226")
#: Completions of each held-out problem, in groups of 16.
GROUPS = 16


@contextmanager
def disturbed(failing: float, kill_every_s: float, seed: int, said: dict[str, int]) -> Iterator[None]:
    """Lose that share of the judgements, and kill a launcher of this process again and again."""
    from trainer_adapter.rewards import shared_judge  # noqa: PLC0415 - after the environment is set
    from trainer_adapter.rewards.grading import Graded  # noqa: PLC0415

    dice, outcome, over = random.Random(seed), shared_judge._outcome, threading.Event()  # noqa: S311

    def lost(judged: Any, *how: Any) -> Graded:
        found = outcome(judged, *how)
        said["judged"] += 1
        if dice.random() >= failing:
            return found
        said["lost"] += 1
        return Graded(failure="lost on purpose")

    def kill() -> None:
        while not over.wait(kill_every_s):
            launchers = [each for each in psutil.Process().children() if each.name() == "judge-launcher"]
            if launchers:
                dice.choice(launchers).send_signal(signal.SIGKILL)
                said["killed"] += 1

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with mock.patch.object(shared_judge, "_outcome", lost):
            yield
    finally:
        over.set()
        killer.join()


def train(directory: Path, seed: int, steps: int) -> tuple[Any, float]:
    """The trainer after its steps, and the share accepted in the last tenth of them."""
    from transformers import PrinterCallback  # noqa: PLC0415

    from trainer_adapter.demo.experiment import Demo, plant  # noqa: PLC0415
    from trainer_adapter.training.train import build  # noqa: PLC0415

    demo = Demo(directory, problems=(*TRAINED, *HELD_OUT))
    config = demo.configuration("planted", seed=seed, steps=steps)
    only = config.data.model_copy(update={"only": TRAINED})
    grpo = config.grpo | {"per_device_train_batch_size": 16 * len(TRAINED), "per_device_eval_batch_size": 64}
    trainer = build(config.model_copy(update={"data": only, "grpo": grpo}))
    trainer.remove_callback(PrinterCallback)
    plant(trainer, seed)
    trainer.train()
    accepted = [row["judge/accepted"] for row in trainer.state.log_history if "judge/accepted" in row]
    return trainer, fmean(accepted[-max(1, steps // 10) :])


def held_out(trainer: Any, directory: Path) -> float:
    """The share accepted of what the model writes for the held-out problems."""
    from datasets import concatenate_datasets  # noqa: PLC0415

    from trainer_adapter import reward_funcs  # noqa: PLC0415
    from trainer_adapter.data.loading import DataConfig, load  # noqa: PLC0415

    reward_funcs.close()
    data = DataConfig(source="library", only=HELD_OUT, statement_languages=("en",))
    rows = load(data, directory / "held-out").train
    return float(trainer.evaluate(concatenate_datasets([rows] * GROUPS))["eval_reward"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--failing", type=float, default=0.01, help="share of the judgements that are lost")
    parser.add_argument("--kill-every", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    os.environ.update({"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})
    logging.getLogger("trainer_adapter").setLevel(logging.CRITICAL)
    from trainer_adapter.demo.experiment import quieten  # noqa: PLC0415

    quieten()
    runs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        for seed in range(arguments.seeds):
            for kind in ("clean", "failing"):
                said = {"judged": 0, "lost": 0, "killed": 0}
                began_s = time.monotonic()
                if kind == "clean":
                    trainer, trained = train(Path(name), seed, arguments.steps)
                else:
                    with disturbed(arguments.failing, arguments.kill_every, seed, said):
                        trainer, trained = train(Path(name), seed, arguments.steps)
                wall_s = time.monotonic() - began_s
                rate = held_out(trainer, Path(name))
                runs.append(
                    {"kind": kind, "seed": seed, "trained": trained, "held_out": rate, "wall_s": wall_s, **said}
                )
                rates = f"accepted {trained:.3f} of the trained problems, {rate:.3f} of the held-out"
                lost = f"{said['lost']} of {said['judged']} judgements lost, {said['killed']} launchers killed"
                print(f"{kind:8} seed {seed}: {rates}; {wall_s:.0f} s; {lost}", flush=True)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"steps": arguments.steps, "runs": runs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
