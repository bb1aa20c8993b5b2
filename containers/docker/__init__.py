"""The `docker` backend: one warm container for each slot, with our launcher inside.

`docker` uses the daemon's default runtime, `docker:runsc` the runtime that the daemon calls runsc (gVisor), and so on.
DOCKER_HOST names the daemon; podman's (``podman system service``) works, too.

    __init__.py   a slot: open_docker
    starter.py    a launcher in a container
    daemon.py     the connection to the daemon
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from containers.docker.daemon import Daemon, sweep_once
from containers.docker.starter import BOX_BYTES, BOX_INODES, ContainerStarter
from containers.errors import Unavailable
from containers.launcher.driver import LauncherSandbox, layer_names
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher, LauncherGone, SetupRefused
from containers.launcher.tiers import Settled, check_tier
from containers.launcher.wire import Layer
from containers.outcome import Isolation, Outcome
from containers.spec import MIB, RunSpec

#: Memory limit of a container until a run asks for more: enough for a compiler and its files.
_CEILING_BYTES = 2048 * MIB
#: gVisor (20240729) truncates a file of a read-only mount that the run's user may write, and only then refuses. So that
#: user owns no file of this machine.
_NOBODY = (65534, 65534)
#: gVisor's stack of the first thread, which does not grow (google/gvisor#10508).
_STACK_BYTES = 128 * MIB
#: Memory beside the program's: its files, the launcher, and under gVisor the kernel, which is a process.
_BESIDE_BYTES = 512 * MIB

#: Whether launchers make their own namespaces, and whether the kernel is gVisor's: what we try.
_WAYS = ((False, False), (True, True), (True, False))
#: For each runtime, once a launcher was set up: which way.
_settled: defaultdict[str | None, Settled[tuple[bool, bool]]] = defaultdict(Settled)


class DockerSandbox(LauncherSandbox):
    """One slot, whose launchers live in containers."""

    def __init__(self, starter: ContainerStarter, plan: Plan, hide: Sequence[Path], first: Launcher) -> None:
        super().__init__(plan, _isolation(starter, plan, first), hide, first)
        self._starter = starter

    def run(self, spec: RunSpec) -> Outcome:
        needed = spec.limits.memory_bytes + spec.limits.directory_bytes + _BESIDE_BYTES
        if needed > self._starter.ceiling_bytes:
            super().close()  # the next containers are larger
            self._starter.ceiling_bytes = needed
        return super().run(spec)

    def close(self) -> None:
        super().close()
        self._starter.daemon.close()


def open_docker(
    runtime: str | None = None, *, require: str | None = None, hide: Sequence[Path] = (), cgroup: bool = True
) -> DockerSandbox:
    """One slot in a container of this runtime (None: the daemon's default). Where the container's cgroup cannot be set
    for each run, or if `cgroup` is False, it bounds the launcher and all that it starts together.

    Raises:
        Unavailable: no SDK, no daemon, no such runtime, or the slot is weaker than `require`.
        SandboxError: the daemon or the machine has run out of something.
    """
    sweep_once()
    daemon = Daemon()
    try:
        daemon.check_runtime(runtime)
        starter, plan, first = _start(daemon, runtime, tuple(hide), cgroup)
    except BaseException:
        daemon.close()
        raise
    slot = DockerSandbox(starter, plan, hide, first)
    try:
        check_tier(slot.isolation, require, "only root can bound a run's memory by a container's cgroup")
    except Unavailable:
        slot.close()
        raise
    return slot


def _start(
    daemon: Daemon, runtime: str | None, hide: tuple[Path, ...], cgroup: bool
) -> tuple[ContainerStarter, Plan, Launcher]:
    """A first launcher. We try which walls containers of this runtime grant it; later launchers get the same."""
    refused = []
    for namespaces, gvisor in _settled[runtime].among(_WAYS):
        starter = ContainerStarter(
            daemon=daemon,
            runtime=runtime,
            gvisor=gvisor,
            cgroup=cgroup and not namespaces and os.geteuid() == 0,
            ceiling_bytes=_CEILING_BYTES,
        )
        plan = Plan(
            namespaces=namespaces,
            user_namespace=namespaces,
            own_uid=os.geteuid() == 0,
            user=_NOBODY if namespaces else None,
            cgroup=None,
            starter=starter,
            directory_bytes=None if namespaces else BOX_BYTES,
            directory_inodes=None if namespaces else BOX_INODES,
            together=True,
            program_by_path=namespaces,
            stack_bytes=_STACK_BYTES if namespaces else None,
        )
        try:
            first = Launcher(plan, mounts=(), hide=hide)
        except (SetupRefused, LauncherGone) as error:
            if _settled[runtime]:
                raise
            refused.append(str(error))
            continue
        _settled[runtime].settle((namespaces, gvisor))
        return starter, plan, first
    raise Unavailable(
        f"backend {_name(runtime)}: containers of this runtime grant the launcher neither Landlock nor namespaces "
        f"({'; '.join(refused)}); a kernel with Landlock (Linux 5.13), or for gVisor a runsc of 2023 or later, does"
    )


def _name(runtime: str | None) -> str:
    return f"docker:{runtime}" if runtime else "docker"


def _isolation(starter: ContainerStarter, plan: Plan, launcher: Launcher) -> Isolation:
    cgroup = Layer.CGROUP in launcher.layers
    walls = ["pid", "mount", "net", "ipc", "uts", "caps", *(["cgroup"] if cgroup else [])]
    walls += [] if plan.namespaces else starter.daemon.layers()  # gVisor takes none of the daemon's profiles
    own = layer_names(launcher.layers & ~Layer.CGROUP, launcher.landlock_abi)
    lacking = [layer for layer in (Layer.NOTIFY, Layer.LANDLOCK) if layer not in launcher.layers]
    return Isolation(
        backend=_name(starter.runtime),
        tier="full" if cgroup else "userns",
        layers=(*(f"docker:{wall}" for wall in walls), *own),
        missing=(*(() if cgroup else ("docker:cgroup",)), *(str(layer.name).lower() for layer in lacking)),
    )
