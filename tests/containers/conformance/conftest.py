"""The conformance suite is the definition of a backend: every test runs on every variant that this machine has (a
backend and what it may have).

One that this machine does not grant is skipped with the reason, and fails where JUDGE_REQUIRE names it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from containers import Outcome, RunLimits, RunSpec, Sandbox, SandboxError, Trust, Unavailable
from containers.docker import open_docker
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher
from containers.native import closed_way, grant
from containers.nsjail import open_nsjail
from containers.outcome import Isolation
from judge.store.memfd import sealed

MIB = 1 << 20
SECOND = 1_000_000_000
#: A restricted tier as it is where Landlock is refused.
VETTED = "-vetted"
#: JUDGE_VARIANTS: the only ones to test.
ONLY = set(os.environ.get("JUDGE_VARIANTS", "").split())
REQUIRED = set(os.environ.get("JUDGE_REQUIRE", "").split(","))
#: How much slower this machine is than one on which a second is plenty (an emulated one): widens the limits of programs
#: that are to end by themselves, and how far off a measured time may be. Limits that a test sets are what it tests, and
#: stay.
TIME_SCALE = int(os.environ.get("JUDGE_TIME_SCALE", "1"))
LIMITS = RunLimits(cpu_ns=TIME_SCALE * SECOND, wall_ns=10 * TIME_SCALE * SECOND, memory_bytes=256 * MIB)


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


@pytest.fixture(params=[name for name in VARIANTS if not ONLY or name in ONLY])
def tier(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def variant(tier: str) -> Variant:
    return VARIANTS[tier]


def _open(tier: str, hide: tuple[Path, ...]) -> Sandbox:
    try:
        return VARIANTS[tier].open(hide=hide)
    except (Unavailable, SandboxError) as error:
        if tier in REQUIRED:
            raise
        pytest.skip(f"{tier} is not granted here: {error}")


@pytest.fixture
def open_slot(tier: str) -> Iterator[Callable[..., Sandbox]]:
    """Opens slots of the variant; they are closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda hide=(): stack.enter_context(_open(tier, hide))


@pytest.fixture(scope="session")
def warm_slots() -> Iterator[dict[str, Sandbox]]:
    slots: dict[str, Sandbox] = {}
    yield slots
    for slot in slots.values():
        slot.close()


@pytest.fixture
def slot(tier: str, warm_slots: dict[str, Sandbox]) -> Iterator[Sandbox]:
    slot = warm_slots.pop(tier, None) or _open(tier, ())
    yield slot
    if VARIANTS[tier].warm and _serves(slot):
        warm_slots[tier] = slot
    else:
        slot.close()


def _serves(slot: Sandbox) -> bool:
    try:
        return slot.run(RunSpec(argv=("/usr/bin/true",), limits=LIMITS)).exit_code == 0
    except SandboxError:
        return False


@pytest.fixture(scope="session")
def probe_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled probe program, static."""
    path = tmp_path_factory.mktemp("probe") / "probe"
    source = Path(__file__).with_name("probe.c")
    subprocess.run(("gcc", "-O1", "-w", "-static", "-pthread", "-o", path, source), check=True)
    return path


@pytest.fixture(scope="session")
def probe_fd(probe_path: Path) -> Iterator[int]:
    fd = os.open(probe_path, os.O_RDONLY)
    yield fd
    os.close(fd)


Probe = Callable[..., Outcome]


@pytest.fixture
def probe(slot: Sandbox, probe_fd: int) -> Probe:
    """Runs one probe: probe("name", argument, stdin=b"…", cpu_ns=…) -> Outcome."""

    def run(
        name: str,
        argument: object = "",
        *,
        stdin: bytes | None = None,
        on: Sandbox | None = None,
        spec: RunSpec | None = None,
        trust: Trust = Trust.HOSTILE,
        **limits: int,
    ) -> Outcome:
        base = spec or RunSpec(argv=("probe",), limits=LIMITS, trust=trust)
        fd = None if stdin is None else sealed("input", stdin)
        try:
            return (on or slot).run(
                replace(
                    base,
                    argv=("probe", name, str(argument)),
                    executable=probe_fd,
                    stdin=fd,
                    limits=replace(base.limits, **limits),
                )
            )
        finally:
            if fd is not None:
                os.close(fd)

    return run
