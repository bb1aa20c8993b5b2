"""The `native` backend: finds the strongest tier that this machine grants, and opens slots of it.

    full              namespaces + cgroup                        (root, or user namespaces and a delegated cgroup)
    userns            namespaces, memory watched                 (no cgroup)
    restricted-root   a user of its own + Landlock + seccomp     (root in an ordinary container)
    restricted-user   Landlock + seccomp, the judge's own user   (a user in an ordinary container)

Without Landlock (Linux before 5.13, or a container runtime that refuses it) the launcher checks every path that a run
opens or changes (layer "vetted"). That is safe while a program has one thread. Once it has started a second thread, it
can open nothing more.

What the kernel grants is tried, not guessed: we set up a launcher for each plan until one succeeds.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from containers.errors import SandboxError, Unavailable
from containers.launcher import wire
from containers.launcher.cgroup import Parents, find_parents
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox, layer_names
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher, SetupRefused
from containers.launcher.tiers import DELEGATE, TRANSIENT, Settled, check_tier, closed_way
from containers.launcher.wire import Layer
from containers.outcome import Isolation

#: Layers that a tier may lack. `Isolation.missing` lists those that it does lack.
_OPTIONAL = (
    Layer.PID,
    Layer.MOUNT,
    Layer.NET,
    Layer.PIVOT,
    Layer.PROC,
    Layer.CGROUP,
    Layer.CPU,
    Layer.NOTIFY,
    Layer.LANDLOCK,
    Layer.CGROUPNS,
)
_REFUSALS = (wire.STAGE_USERNS, wire.STAGE_UNSHARE, wire.STAGE_PRIVATE, wire.STAGE_LANDLOCK, wire.STAGE_SECCOMP)
_CAP_SETUID = 7  # linux/capability.h

_CHILD = Child()
#: The plan of all slots of this process, once one was granted.
_settled = Settled[Plan]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What this machine gives: the plan of its slots and the isolation that they have."""

    plan: Plan
    isolation: Isolation


def _candidates() -> Iterator[Plan]:
    """The plans to try, the strongest first."""
    parents = find_parents()
    cgroup = parents if isinstance(parents, Parents) else None
    if os.geteuid() == 0:
        yield Plan(starter=_CHILD, user_namespace=False, own_uid=True, cgroup=cgroup)
        yield Plan(starter=_CHILD, user_namespace=True, own_uid=True, cgroup=cgroup)
        yield from _without_namespaces(own_uid=True)
    else:
        yield Plan(starter=_CHILD, user_namespace=True, own_uid=False, cgroup=cgroup)
        yield from _without_namespaces(own_uid=False)


def _without_namespaces(*, own_uid: bool) -> Iterator[Plan]:
    plan = Plan(starter=_CHILD, namespaces=False, user_namespace=False, own_uid=own_uid, cgroup=None)
    yield plan
    yield replace(plan, landlock=0)


def _tier(plan: Plan) -> str:
    if plan.namespaces:
        return "full" if plan.cgroup else "userns"
    return "restricted-root" if plan.own_uid else "restricted-user"


def _isolation(plan: Plan, launcher: Launcher) -> Isolation:
    missing = [layer.name.lower() for layer in _OPTIONAL if layer not in launcher.layers and layer.name]
    return Isolation(
        backend="native",
        tier=_tier(plan),
        layers=layer_names(launcher.layers, launcher.landlock_abi),
        missing=tuple(missing),
    )


def _try(hide: tuple[Path, ...]) -> tuple[Grant, Launcher]:
    """The strongest plan that the kernel grants, with its first launcher."""
    refused = []
    for plan in _settled.among(_candidates()):
        if plan.own_uid and not plan.namespaces and (closed := closed_way()) is not None:
            refused.append(closed)
            continue
        try:
            launcher = Launcher(plan, mounts=(), hide=hide)
        except SetupRefused as error:
            if error.failed.stage not in _REFUSALS or error.failed.error in TRANSIENT:
                raise
            refused.append(str(error))
            continue
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise  # a fresh slot needs as many descriptors
            if error.errno in TRANSIENT:
                raise SandboxError(f"cannot set up a slot: {error.strerror}") from error
            refused.append(str(error))
            continue
        _settled.settle(plan)
        return Grant(plan=plan, isolation=_isolation(plan, launcher)), launcher
    if _settled:
        raise SandboxError(f"cannot set up a slot as before: {'; '.join(refused)}")
    raise Unavailable(
        f"no sandbox: neither namespaces nor the layers of a restricted tier are granted here ({'; '.join(refused)}); "
        f"{_remedy()}"
    )


def _remedy() -> str:
    status = ""
    with suppress(OSError):  # without /proc our capabilities are unknown
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    powers = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), None)
    if os.geteuid() == 0 and powers is not None and not powers >> _CAP_SETUID & 1:
        return (
            "root has too few capabilities here to become another user: run as an ordinary user, who needs none, or "
            "leave the container Docker's own (no --cap-drop)"
        )
    return (
        "run as root outside a container, allow user namespaces (sysctl -w kernel.unprivileged_userns_clone=1, "
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0), or boot a newer kernel (5.6, or 5.13 for Landlock)"
    )


@cache
def _grant() -> Grant:
    found, launcher = _try(())
    launcher.close()
    return found


def grant(require: str | None = None) -> Grant:
    """What slots of the native backend get on this machine.

    Raises:
        Unavailable: the machine grants no tier, or none as strong as `require`.
    """
    found = _grant()
    _check(found, require)
    return found


def _check(found: Grant, require: str | None) -> None:
    why = find_parents()
    remedy = f"{why}; try: {DELEGATE}" if isinstance(why, str) else ""
    check_tier(found.isolation, require, remedy)


def open_native(*, require: str | None = None, hide: Sequence[Path] = (), held: int | None = None) -> LauncherSandbox:
    """One slot of the native backend, with the strongest walls that this machine grants. Raises as `grant` does."""
    hidden = tuple(hide)
    found, first = _try(hidden)
    try:
        _check(found, require)
    except Unavailable:
        first.close()
        raise
    most = {} if held is None else {"held": held}
    return LauncherSandbox(found.plan, found.isolation, hidden, first, **most)
