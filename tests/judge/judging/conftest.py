from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from containers import SandboxError, native
from containers.launcher.tiers import Settled


@pytest.fixture(scope="module", params=["full", "restricted"])
def pinned(request: pytest.FixtureRequest) -> Iterator[str]:
    """Slots of this tier, whatever stronger one there is. One that is not granted is skipped with the reason, and fails
    where JUDGE_REQUIRE names it."""
    plans = [plan for plan in native._candidates() if native._tier(plan).startswith(request.param)]
    if not plans:
        pytest.skip(f"{request.param} cannot be had by this user")
    before, native._settled = native._settled, Settled()
    native._settled.settle(plans[0])
    try:
        native._try(())[1].close()
    except SandboxError as error:
        native._settled = before
        if native._tier(plans[0]) in os.environ.get("JUDGE_REQUIRE", "").split(","):
            raise
        pytest.skip(str(error))
    yield request.param
    native._settled = before
