"""The variants that the suites of this folder try: backends, and the tiers of the native one.

Which of them this machine grants is found out once for a run of pytest, by its first process. The others are not
collected, and the summary says which and why (`tests/conftest.py`). JUDGE_VARIANTS narrows them; those that
JUDGE_REQUIRE names are tried in any case, and fail.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from containers import Sandbox, SandboxError, Unavailable
from containers.docker import open_docker
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher
from containers.native import closed_way, grant
from containers.nsjail import open_nsjail
from containers.outcome import Isolation

#: A restricted tier as it is where Landlock is refused.
VETTED = "-vetted"
#: JUDGE_VARIANTS: the only ones to test.
ONLY = set(os.environ.get("JUDGE_VARIANTS", "").split())
REQUIRED = set(os.environ.get("JUDGE_REQUIRE", "").split(","))
#: Holds what the first process found out, for the workers of pytest-xdist.
_REFUSALS = "JUDGE_TEST_REFUSALS"


def _full(*, hide: tuple[Path, ...]) -> Sandbox:
    found = grant("full")
    return LauncherSandbox(found.plan, found.isolation, hide)


def _weaker(tier: str, *, hide: tuple[Path, ...]) -> Sandbox:
    """A native tier below what may be had."""
    root = os.geteuid() == 0
    if tier.startswith("restricted"):
        if tier.startswith("restricted-root") is not root:
            raise Unavailable(f"this is {'root' if root else 'not root'}")
        if root and (closed := closed_way()) is not None:
            raise Unavailable(closed)
    plan = Plan(
        starter=Child(), namespaces=tier == "userns", user_namespace=tier == "userns", own_uid=root, cgroup=None
    )
    layers: tuple[str, ...] = ()
    if tier.endswith(VETTED):
        plan, layers = replace(plan, landlock=0), ("vetted",)
    Launcher(plan, mounts=(), hide=()).close()
    return LauncherSandbox(plan, Isolation(backend="native", tier=tier.removesuffix(VETTED), layers=layers), hide)


@dataclass(frozen=True, kw_only=True)
class Variant:
    open: Callable[..., Sandbox]
    #: A run's root, host name and /tmp are its own; else they are the machine's, of which it can open only the view.
    own_root: bool = True
    #: Landlock says what can be opened, and nothing of / and /proc is: they are not made anew for each run.
    closed_root: bool = False
    #: gVisor's kernel: it reports no refused call to us, measures CPU time in ticks of 10 ms, gives memory in units of
    #: 2 MiB (shared memory as a whole), ends the first thread's stack at 128 MiB, and its processes are not the
    #: machine's; files are counted by looking.
    gvisor: bool = False
    #: A slot costs much to open: tests share one, unless they open their own.
    warm: bool = False


#: By the names that JUDGE_REQUIRE and the tests' ids have.
VARIANTS = {
    "full": Variant(open=_full),
    "userns": Variant(open=partial(_weaker, "userns")),
    **{
        tier: Variant(open=partial(_weaker, tier), own_root=False, closed_root=True)
        for tier in ("restricted-root", "restricted-user", f"restricted-root{VETTED}", f"restricted-user{VETTED}")
    },
    "nsjail": Variant(open=partial(open_nsjail, require="full"), closed_root=True),
    "nsjail-userns": Variant(open=partial(open_nsjail, cgroup=False), closed_root=True),
    "docker": Variant(open=partial(open_docker, require="full"), closed_root=True, warm=True),
    "docker-userns": Variant(open=partial(open_docker, cgroup=False), closed_root=True, warm=True),
    "docker-runsc": Variant(open=partial(open_docker, "runsc"), gvisor=True, warm=True),
}


@cache
def find_refusals() -> Mapping[str, str]:
    """The variants that this machine does not grant and nobody requires: why, in one line."""
    if (known := os.environ.get(_REFUSALS)) is not None:
        return dict(json.loads(known))
    found = {}
    for name, variant in VARIANTS.items():
        if (not ONLY or name in ONLY) and name not in REQUIRED:
            try:
                variant.open(hide=()).close()
            except (Unavailable, SandboxError) as error:
                found[name] = " ".join(str(error).split())
    os.environ[_REFUSALS] = json.dumps(found)
    return found


def open_variant(name: str, hide: tuple[Path, ...] = ()) -> Sandbox:
    return VARIANTS[name].open(hide=hide)


def granted() -> list[str]:
    return [name for name in VARIANTS if (not ONLY or name in ONLY) and name not in find_refusals()]
