"""Nothing of a run outlives it, whatever ends it: the program, the driver, the launcher."""

from __future__ import annotations

import os
import random
import select
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from containers import File, RunLimits, RunSpec, Sandbox, SandboxError, Termination, Trust, Unavailable, Unsupported
from containers.docker.daemon import Daemon
from containers.launcher import driver, slot_directory
from containers.launcher.driver import LauncherSandbox
from containers.launcher.process import Launcher, LauncherGone
from containers.launcher.request import request
from containers.launcher.wire import Failed, RunFd
from containers.outcome import counts_processes
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND, TIME_SCALE, Probe, Variant
from tests.processes import children, descendants

MS = 1_000_000
HOSTILE_RUNS = int(os.environ.get("JUDGE_HOSTILE_RUNS", "120"))

#: (probe, argument, limits): every way that a run can refuse to end, or to leave nothing.
HOSTILE: list[tuple[str, object, dict[str, int]]] = [
    ("fork_bomb", "", {}),
    ("fork_bomb", "", {"processes": 30}),
    ("thread_bomb", "", {}),
    ("allocate_forever", "", {"memory_bytes": 48 * MIB, "cpu_ns": 2000 * MS, "wall_ns": 5000 * MS}),
    ("map_shared", 200, {"memory_bytes": 48 * MIB, "cpu_ns": 2000 * MS, "wall_ns": 5000 * MS}),
    ("fill_directory", "", {"directory_bytes": 32 * MIB}),
    ("many_files", "", {}),
    ("flood", 1, {"output_bytes": 4 * MIB}),
    ("flood", 2, {"output_bytes": 4 * MIB}),
    ("sleeper", "", {}),
    ("deaf", "", {}),
    ("stop_self", "", {}),
    ("spin", "", {}),
    ("leader_gone", "", {}),
    ("close_all", "", {}),
    ("leave_files", "", {}),
    ("kill_others", "", {}),
    ("recursion", 1 << 20, {"memory_bytes": 48 * MIB}),
    ("suspicious", "", {}),
]


def started_by(driver: int) -> set[int]:
    """Processes that a driver has started, also where another one did for it: in containers that are labelled with its
    number. Those of gVisor are no processes of this machine: there the container's only."""
    found = descendants(driver)
    for label, process in containers():
        if label.split("/")[1] == str(driver):
            found |= {process}
            with suppress(OSError):  # it ends meanwhile
                if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"/judge/launcher"):
                    found |= descendants(process)
    return found


def containers() -> list[tuple[str, int]]:
    """Label and first process of each container of a judge; none where no daemon answers."""
    with suppress(Unavailable):
        daemon = Daemon()
        try:
            found = [(label, daemon.process(container)) for container, label in daemon.ours()]
            return [(label, process) for label, process in found if process is not None]
        finally:
            daemon.close()
    return []


def left_behind() -> tuple[object, ...]:
    """Everything that a run could leave."""
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if " - tmpfs none " in line]
    rows = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    us = os.geteuid()  # as root, runs are other users
    ours = (row for row in rows if (int(row[7]) != 0 if us == 0 else int(row[7]) == us))
    segments = {row[1] for row in ours if not Path("/proc", row[4]).exists()}  # else another test's, which still runs
    walk = os.walk("/sys/fs/cgroup")  # unlike glob it minds no directory that goes meanwhile
    cgroups = {path for path, _, _ in walk if f"/judge-{os.getpid()}-" in path}
    return (
        len(started_by(os.getpid())),  # after a run another stub waits
        mounts,
        cgroups,
        sum(1 for _ in Path("/proc/self/fd").iterdir()),
        segments,
    )


def settled(before: tuple[object, ...] | None = None) -> tuple[object, ...]:
    """What is left when the last run's namespaces are down (after its report): as it was `before`, or for good."""
    last = None
    for _ in range(100):
        now = left_behind()
        if now == (last if before is None else before):
            break
        last = now
        time.sleep(0.05)
    return now


def test_hostile_runs_in_a_row_leave_nothing(open_slot: Callable[[], Sandbox], probe: Probe) -> None:
    slot = open_slot()
    assert probe("echo", stdin=b"warm", on=slot).stdout == b"warm"
    probe("run_shell", on=slot)
    before = settled()
    order = random.Random(1)
    for _ in range(HOSTILE_RUNS):
        name, argument, limits = order.choice(HOSTILE)
        with suppress(Unsupported):  # then nothing was started
            probe(name, argument, on=slot, **{"cpu_ns": 60 * MS, "wall_ns": 150 * MS, **limits})
    assert probe("echo", stdin=b"honest", on=slot).stdout == b"honest"
    assert settled(before) == before


@pytest.mark.parametrize(("name", "argument", "limits"), HOSTILE)
def test_an_honest_run_after_a_hostile_one(probe: Probe, name: str, argument: object, limits: dict[str, int]) -> None:
    with suppress(Unsupported):
        probe(name, argument, **{"cpu_ns": 60 * MS, "wall_ns": 150 * MS, **limits})
    outcome = probe("echo", stdin=b"honest")
    assert (outcome.exit_code, outcome.stdout, outcome.suspicious) == (0, b"honest", ())


def test_figures_do_not_remember_earlier_runs(variant: Variant, probe: Probe) -> None:
    small = probe("echo", stdin=b"x").usage
    probe("allocate", 150)
    assert probe("cpu_clock", 400).usage.cpu_ns >= 400 * MS
    later = probe("echo", stdin=b"x").usage
    assert abs(later.memory_bytes - small.memory_bytes) <= (2 * MIB if variant.gvisor else MIB // 2)
    assert later.cpu_ns <= small.cpu_ns + 200 * MS


def test_a_limit_that_was_reached_ends_no_later_run(probe: Probe) -> None:
    for _ in range(5):
        assert probe("spin", cpu_ns=20 * MS).termination is Termination.CPU_LIMIT
        assert probe("cpu_clock", 60).termination is Termination.EXITED


def test_a_run_cannot_tell_how_many_came_before(tier: str, open_slot: Callable[[], Sandbox], probe: Probe) -> None:
    if tier not in ("full", "userns", "docker-runsc"):
        pytest.skip("numbers of processes are the machine's, or those of what it runs in")
    slot = open_slot()
    first = probe("numbers", on=slot)
    assert first.stdout.splitlines()[:2] == [b"thread 3", b"process 2"]
    for name, argument, limits in (("leave_files", "", {}), ("threads", 4, {}), ("forks", 4, {"processes": 8})):
        if not limits or counts_processes(slot.isolation):
            probe(name, argument, on=slot, **limits)
    assert probe("numbers", on=slot).stdout == first.stdout


def test_files_of_a_run_are_not_memory_of_the_next(probe: Probe) -> None:
    """The tmpfs of a run is given back before the next begins: two that fill it do not add up."""
    for _ in range(4):
        blocks, _ = probe("fill_directory", directory_bytes=40 * MIB, memory_bytes=64 * MIB).stdout.split()
        assert int(blocks) >= 39


def test_stop_from_another_thread(slot: Sandbox, probe: Probe) -> None:
    probe("leave", 0)  # the launcher is up
    ended = threading.Event()

    def stop() -> None:
        while not ended.wait(0.1):  # before the run has begun it has no effect
            slot.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    outcome = probe("sleeper")
    ended.set()
    thread.join()
    assert outcome.termination is Termination.CANCELLED
    slot.stop()  # nothing runs: no effect on the next run
    assert probe("echo", stdin=b"x").stdout == b"x"


@pytest.mark.parametrize("first", [True, False])
def test_a_stop_beside_the_request_is_not_lost(
    slot: Sandbox, probe: Probe, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come before the request; and a program may run before `run` has got so far as to wait for it."""
    probe("leave", 0)
    send, stopped = Launcher.send, threading.Event()

    def stop_beside(launcher: Launcher, message: bytes, fds: list[int]) -> None:
        at_request = bool(fds) and not stopped.is_set()
        if at_request and first:
            stopped.set()
            slot.stop()
        send(launcher, message, fds)
        if at_request and not first:
            stopped.set()
            slot.stop()

    monkeypatch.setattr(Launcher, "send", stop_beside)
    assert probe("sleeper").termination is Termination.CANCELLED
    assert stopped.is_set()
    monkeypatch.undo()
    assert probe("echo", stdin=b"x").stdout == b"x"


def ended(pid: int) -> bool:
    """Gone, or a zombie that only waits for whoever inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_gone(pids: set[int]) -> bool:
    for _ in range(500):
        if all(ended(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("which", ["outermost", "launcher", "stub"])
def test_a_killed_launcher_takes_its_run_with_it(
    variant: Variant, open_slot: Callable[[], Sandbox], probe: Probe, which: str
) -> None:
    """Also where another process stands between it and us, or when it is the stub."""
    nothing = settled()
    others = started_by(os.getpid())
    slot = open_slot()
    probe("echo", stdin=b"x", on=slot)
    settled()  # a stub waits for the next run
    before = started_by(os.getpid())
    errors: list[BaseException] = []

    def run() -> None:
        try:
            probe("sleeper", on=slot)
        except SandboxError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    started = set[int]()
    deadline = time.monotonic() + (0.5 if variant.gvisor else 5)  # there nothing of it is seen
    while not started and time.monotonic() < deadline:
        started = started_by(os.getpid()) - before
        time.sleep(0.01)
    above = sorted((pid for pid in before if started & descendants(pid)), key=lambda pid: len(descendants(pid)))
    above = sorted(before - others) if variant.gvisor else above
    os.kill(above[{"outermost": -1, "launcher": min(1, len(above) - 1), "stub": 0}[which]], signal.SIGKILL)
    thread.join(10)
    assert not thread.is_alive()
    assert len(errors) == 1
    assert wait_gone(started)
    slot.close()
    assert settled(nothing) == nothing


@pytest.mark.parametrize("victim", ["launcher", "stub", "leader"])
def test_a_run_of_several_processes_leaves_none_behind(
    variant: Variant, open_slot: Callable[[], Sandbox], probe: Probe, victim: str
) -> None:
    """Whichever of them is killed from outside: its launcher, the stub, the first process."""
    if variant.gvisor:
        pytest.skip("they are gVisor's processes: nothing outside can kill one")
    slot = open_slot()
    probe("echo", stdin=b"x", on=slot)
    settled()  # a stub waits for the next run
    before = started_by(os.getpid())
    limits = RunLimits(wall_ns=60 * SECOND, memory_bytes=256 * MIB, processes=10)
    spec = RunSpec(argv=("/bin/sh", "-c", "sleep 1000 & sleep 1000 & sleep 1000"), limits=limits, trust=Trust.TOOL)
    ends: list[object] = []

    def run() -> None:
        try:
            ends.append(slot.run(spec).termination)
        except SandboxError as error:
            ends.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while len(started := started_by(os.getpid()) - before) < 4:  # the shell, three sleepers
        time.sleep(0.01)
    stub, launcher = sorted(
        (pid for pid in before if started & descendants(pid)), key=lambda pid: len(descendants(pid))
    )[:2]
    leader = next(pid for pid in started if len(descendants(pid)) == 3)
    os.kill({"launcher": launcher, "stub": stub, "leader": leader}[victim], signal.SIGKILL)
    thread.join(10)
    assert not thread.is_alive()
    slot.close()
    assert wait_gone(started)
    assert ends == [Termination.SIGNALED] if victim == "leader" else isinstance(ends[0], SandboxError)


@dataclass(frozen=True, kw_only=True)
class Used:
    """A slot that has had a run."""

    slot: LauncherSandbox
    launcher: Launcher
    processes: set[int]  # the launcher's, and those between it and us

    def stub(self) -> int | None:
        """While no program runs; None: it has ended."""
        ends = [pid for process in self.processes for pid in descendants(process) if not children(pid)]
        return min(ends, default=None)


@pytest.fixture
def used(variant: Variant, open_slot: Callable[[], Sandbox], probe: Probe) -> Used:
    if variant.gvisor:
        pytest.skip("they are gVisor's processes: nothing outside can kill one")
    others = started_by(os.getpid())
    slot = open_slot()
    assert isinstance(slot, LauncherSandbox)
    probe("echo", stdin=b"x", on=slot)
    settled()  # a stub waits for the next run
    processes = {pid for pid in started_by(os.getpid()) - others if children(pid)}  # not another slot's new stub
    return Used(slot=slot, launcher=slot._launchers[(), None], processes=processes)


def test_runs_leave_their_stub_no_descriptors(used: Used, probe: Probe) -> None:
    if os.geteuid() != 0:
        pytest.skip("the stub's are closed to its user")
    files = (File(name="a", content=b"a"), File(name="b", content=b"b", work=True))
    spec = RunSpec(argv=("probe",), files=files, collect=("b", "none"), limits=LIMITS, trust=Trust.TOOL)
    before = len(os.listdir(f"/proc/{used.stub()}/fd"))  # noqa: PTH208
    for name in ("echo", "threads", "suspicious", "leave_files", "forks"):
        with suppress(Unsupported):  # then nothing was started
            probe(name, 2, spec=spec, on=used.slot, processes=8 if name == "forks" else 0)
    settled()
    assert len(os.listdir(f"/proc/{used.stub()}/fd")) == before  # noqa: PTH208


def test_a_stub_that_is_killed_with_a_request_in_its_hands(used: Used, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only it knew of that, and its launcher may not wait for the next."""
    slot, launcher, send = used.slot, used.launcher, used.launcher.send

    def send_and_kill(message: bytes, fds: list[int]) -> None:
        stub = used.stub()
        if stub is not None:
            os.sched_setscheduler(stub, os.SCHED_IDLE, os.sched_param(0))  # it wakes, and dies on its way to return
            os.sched_setaffinity(stub, ours)
        send(message, fds)
        if stub is not None:
            os.kill(stub, signal.SIGKILL)

    monkeypatch.setattr(launcher, "send", send_and_kill)
    monkeypatch.setattr(driver, "_GRACE_NS", 0)
    before = os.sched_getaffinity(0)
    ours = {min(before)}
    os.sched_setaffinity(0, ours)
    try:
        with pytest.raises(SandboxError, match="killed by signal 9"):
            for _ in range(50):  # in vain where it was faster than we
                with suppress(ProcessLookupError):
                    slot.run(
                        RunSpec(argv=("/usr/bin/true",), limits=RunLimits(wall_ns=5 * SECOND, memory_bytes=64 * MIB))
                    )
    finally:
        os.sched_setaffinity(0, before)


def test_a_stub_that_is_killed_before_it_has_sent_its_result(used: Used) -> None:
    slot, launcher = used.slot, used.launcher
    spec = RunSpec(argv=("/usr/bin/true",), limits=RunLimits(wall_ns=60 * SECOND, memory_bytes=64 * MIB))
    over, deadline = True, time.monotonic() + 60 * TIME_SCALE
    while over:  # until one cannot be sent, as nobody reads: the next run does not begin
        reader, writer = os.pipe()
        fds = dict.fromkeys((RunFd.STDIN, RunFd.STDOUT, RunFd.STDERR), writer)
        launcher.send(request(launcher.next_sequence(), spec, fds, slot._plan, launcher.work), list(fds.values()))
        os.close(writer)
        over = bool(select.select([reader], [], [], 3 * TIME_SCALE)[0])
        os.close(reader)
        assert time.monotonic() < deadline, "every result could be sent"
    blocked = used.stub()
    assert blocked is not None
    os.kill(blocked, signal.SIGKILL)
    launcher.socket.settimeout(10 * TIME_SCALE)
    said: object = None
    while not isinstance(said, Failed | LauncherGone):
        try:
            said = launcher.receive()
        except LauncherGone as gone:  # before its last message, as there is a request that it did not read
            said = gone
    assert "killed by signal 9" in str(said)


def test_nothing_runs_once_its_launcher_was_killed(open_slot: Callable[..., Sandbox], probe: Probe) -> None:
    """Not even in a stub that was being started."""
    for _ in range(10):
        others = children(os.getpid())
        slot = open_slot()
        assert probe("echo", stdin=b"x", on=slot).stdout == b"x"
        launchers = children(os.getpid()) - others
        if not launchers:
            return  # a container's: it ends with its launcher
        for pid in launchers:
            os.kill(pid, signal.SIGKILL)
        assert wait_gone(launchers)
        with pytest.raises(SandboxError):
            probe("echo", stdin=b"x", on=slot)
        slot.close()


def test_directories_of_a_killed_judge_are_swept(open_slot: Callable[..., Sandbox], probe: Probe) -> None:
    """And those in use are not, however old."""
    slot = open_slot()
    assert probe("echo", stdin=b"x", on=slot).stdout == b"x"
    left = Path(tempfile.mkdtemp(prefix="judge-slot-", dir="/tmp"))
    (left / "run/work").mkdir(parents=True)
    (left / "run/work").chmod(0)
    (left / "run").chmod(0o555)
    os.utime(left, (0, 0))  # and the slot's own; other workers' may be just about to be locked
    own = Path(slot._launchers[(), None].work).parents[1] if isinstance(slot, LauncherSandbox) else left
    if own.is_relative_to("/tmp"):
        os.utime(own, (0, 0))
    slot_directory._sweep.cache_clear()
    slot_directory._sweep()
    assert not left.exists()
    assert probe("echo", stdin=b"x", on=slot).stdout == b"x"


def test_a_killed_driver_takes_everything_with_it(tier: str, variant: Variant, slot: Sandbox, probe_path: Path) -> None:
    least = 1 if variant.gvisor else 3
    code = f"""
import os, sys
from tests.containers.conformance.conftest import LIMITS
from tests.containers.variants import VARIANTS
from containers import RunSpec
with VARIANTS[{tier!r}].open(hide=()) as slot:
    print("ready", flush=True)
    slot.run(RunSpec(argv=("probe", "deaf"), executable=os.open({str(probe_path)!r}, os.O_RDONLY), limits=LIMITS))
"""
    driver = subprocess.Popen((sys.executable, "-c", code), stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
    assert driver.stdout is not None
    assert driver.stdout.readline() == b"ready\n"
    for _ in range(300):
        if len(started := started_by(driver.pid)) >= least:
            break
        time.sleep(0.01)
    assert len(started) >= least
    driver.kill()
    driver.wait()
    driver.stdout.close()
    assert wait_gone(started)


def test_nothing_in_the_box_outlives_a_run_that_could_change_it(slot: Sandbox, tmp_path: Path) -> None:
    """A tool may change modes, so that it can open the box of a slot without mounts. Clean-up follows no link that it
    leaves there."""
    tmp_path.chmod(0o755)
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("x")
    code = f"""
import os
try:
    os.chmod("..", 0o700)
    open("../left", "w").write("x")
    for name in ("work", "in"):
        os.rename("../" + name, "../moved-" + name)
        os.symlink({str(outside)!r}, "../" + name)
except OSError:
    pass
print("tried")
"""
    limits = replace(LIMITS, processes=8)
    tool = RunSpec(argv=("/usr/bin/python3", "-c", code), limits=limits, trust=Trust.TOOL)
    assert slot.run(tool).stdout == b"tried\n"
    look = (
        "import os; print([os.path.lexists('../' + name) for name in ('left', 'moved-work', 'moved-in')], os.listdir())"
    )
    found = slot.run(RunSpec(argv=("/usr/bin/python3", "-c", look), limits=LIMITS))
    assert found.stdout == b"[False, False, False] []\n", found.stderr
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755
    assert (outside / "kept").read_text() == "x"
