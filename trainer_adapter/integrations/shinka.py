"""For ShinkaEvolve: the evaluation program is `main("my-problem", language="python3")`.

It writes metrics.json and correct.json into `--results_dir`. A program without a verdict, after three tries, gets no
metrics: ShinkaEvolve keeps it as one that is not correct, which is no parent and in no archive.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, ratio


def main(problem: str, *, language: str, reward: CodeReward = ratio) -> None:
    """Judge the program that the command line names. `combined_score` is what `reward` pays, more is better. A program
    is correct if it earns something. Exit code 2: it could not be judged."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", type=Path, required=True)
    parser.add_argument("--results_dir", type=Path, required=True)
    given, _ = parser.parse_known_args()
    given.results_dir.mkdir(parents=True, exist_ok=True)
    try:
        paid, graded = core.grade_program(given.program_path.read_bytes(), problem, reward, language=language)
    except core.NoVerdict as error:
        print(error, file=sys.stderr)
        _write(given.results_dir / "correct.json", {"correct": False, "error": str(error)})
        raise SystemExit(2) from error
    public = {"verdict": graded.label, "accepted": graded.accepted, "raw_score": graded.raw_score}
    _write(given.results_dir / "metrics.json", {"combined_score": paid, "public": public})
    _write(given.results_dir / "correct.json", {"correct": paid > 0, "error": None if paid > 0 else graded.label})


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
