"""Rewards that a Ray cluster judges, a real one of one node on this machine.

Without Ray the test is skipped, and fails where JUDGE_REQUIRE names `ray`.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MakePackage
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import CodeReward, Settings

REQUIRED = "ray" in os.environ.get("JUDGE_REQUIRE", "").split(",")
RIGHT = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'

pytestmark = [
    pytest.mark.skipif(
        not REQUIRED and importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install ray"
    ),
    pytest.mark.xdist_group("ray"),
    # Ray leaves its sockets and processes to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def address() -> Iterator[str]:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        cluster.add_node(num_cpus=1, object_store_memory=80 << 20, include_dashboard=False)
        yield cluster.address
    finally:
        reward_funcs.close()
        ray.shutdown()
        cluster.shutdown()


def test_a_cluster_judges_rewards(address: str, backend: str, shared_cache: Path, package: MakePackage) -> None:
    problem = str(package({"secret/1": ("1 2\n", "3\n")}))
    settings = Settings(language="c17", backend=backend, cache_directory=shared_cache, executor="ray", address=address)
    reward = CodeReward(settings=settings)
    programs = [f"```c\n{code}```\n" for code in (RIGHT, RIGHT.replace("a + b", "a - b"))]
    assert reward(completions=programs, problem_id=[problem, problem]) == [1.0, 0.0]

    import ray

    assert ray.is_initialized(), "it was Ray that judged"
    assert [node["Alive"] for node in ray.nodes()] == [True]
    tests = '[{"input": "1 2\\n", "output": "3\\n"}]'
    assert reward(completions=programs, problem_id=["a", "a"], tests=[tests, tests]) == [1.0, 0.0]
