"""Judged rollouts for tests."""

from __future__ import annotations

from typing import Any

from trainer_adapter.rollouts.row import Rollout

PROGRAM = "```cpp\nint main() {{ return {}; }}\n```\n"


def rollout(problem: str, sample: int, verdict: str | None, **how: Any) -> Rollout:
    given = {"completion": PROGRAM.format(sample), "prompt": f"Solve {problem}.", "language": "cpp17", "sample": sample}
    score = None if verdict in (None, "IE") else float(verdict == "AC")
    return Rollout(
        **{"id": f"{problem}#{sample}", "problem": problem, "verdict": verdict, "score": score} | given | how
    )


def with_tests(*tests: dict[str, Any]) -> dict[str, Any]:
    return {"judgement": {"tests": list(tests)}}
