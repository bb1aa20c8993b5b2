from __future__ import annotations

from collections.abc import Iterator

import pytest

from containers import native
from containers.launcher.tiers import Settled


@pytest.fixture(scope="module", params=["full", "restricted"])
def pinned(request: pytest.FixtureRequest) -> Iterator[str]:
    """Slots of this tier, whatever stronger one there is."""
    plans = [plan for plan in native._candidates() if native._tier(plan).startswith(request.param)]
    if not plans:
        pytest.skip(f"{request.param} cannot be had by this user")
    before, native._settled = native._settled, Settled()
    native._settled.settle(plans[0])
    yield request.param
    native._settled = before
