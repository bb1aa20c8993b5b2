"""Models beside one another: tasks of lm-evaluation-harness that lie on disk, and our pass@1.

    pip install '.[train]' lm_eval      # in judge's checkout
    judge-train merge runs/sft -o models/sft && judge-train merge runs/dpo -o models/dpo
    judge-train rollout --model models/sft -o sft.jsonl -n 8            # and so on, for the judge's column
    python examples/side_by_side.py base=Qwen/Qwen3-4B sft=models/sft dpo=models/dpo \\
        --task examples/lm_eval/sums.yaml --rollouts base=base.jsonl sft=sft.jsonl dpo=dpo.jsonl

A task is a YAML file of lm-evaluation-harness; its `data_files` are taken from beside it, so nothing is downloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml


def task(path: Path) -> dict[str, Any]:
    """A task's configuration, with the paths of its rows made absolute."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    files = found.get("dataset_kwargs", {}).get("data_files", {})
    files |= {split: str((path.parent / name).resolve()) for split, name in files.items()}
    return found


def harness(model: str, tasks: list[dict[str, Any]]) -> dict[str, str]:
    """Each metric of each task, with its standard error."""
    import torch  # noqa: PLC0415
    from lm_eval.evaluator import simple_evaluate  # noqa: PLC0415 - slow to import

    results = simple_evaluate(
        model="hf",
        model_args={"pretrained": model, "dtype": "auto"},
        tasks=list(tasks),
        device="cuda" if torch.cuda.is_available() else "cpu",
    )["results"]
    found = {}
    for name, metrics in sorted(results.items()):
        for metric, value in metrics.items():
            kind, _, rule = metric.partition(",")
            if rule and "stderr" not in kind and isinstance(value, float):
                error = metrics.get(f"{kind}_stderr,{rule}")
                found[f"{name} {kind}"] = f"{value:.3f}" + (f" ± {error:.3f}" if isinstance(error, float) else "")
    return found


def judged(path: Path) -> str:
    """pass@1 of a file of rollouts, with its interval."""
    from trainer_adapter.rollouts.evaluation import evaluate  # noqa: PLC0415
    from trainer_adapter.rollouts.row import read  # noqa: PLC0415

    return str(evaluate(read(path)).rate(1))


def pairs(given: list[str]) -> Mapping[str, str]:
    found = dict(one.split("=", 1) for one in given if "=" in one)
    if len(found) != len(given):
        sys.exit("write each as NAME=PATH, and each name once")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--task", action="append", type=Path, default=[], metavar="FILE.yaml")
    parser.add_argument("--rollouts", nargs="*", default=[], metavar="NAME=FILE.jsonl")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    models, rollouts = pairs(arguments.models), pairs(arguments.rollouts)
    rows: dict[str, dict[str, str]] = {}
    for name, model in models.items():
        rows[name] = harness(model, [task(path) for path in arguments.task]) if arguments.task else {}
        if name in rollouts:
            rows[name]["pass@1"] = judged(Path(rollouts[name]))
    columns = sorted({column for row in rows.values() for column in row})
    print(" | ".join(["model", *columns]))
    for name, row in rows.items():
        print(" | ".join([name, *(row.get(column, "-") for column in columns)]))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
