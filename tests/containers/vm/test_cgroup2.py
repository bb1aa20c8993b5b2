"""What is true of cgroup version 2 alone. As root, where it is the only version: run.py boots such a machine.

Each test makes a cgroup with memory and pids for its children, in which a judge is started as a process of its own.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from containers.launcher import cgroup
from containers.launcher.cgroup import Cgroup, Parents
from containers.spec import MIB
from tests.containers.conformance.conftest import probe_fd, probe_path  # noqa: F401 - fixtures
from tests.containers.variants import REQUIRED
from tests.containers.vm.guest import CGROUPS, USER

ROOT = Path(__file__).resolve().parents[3]
RELEASE = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
GRANT = "from containers.native import grant; isolation = grant().isolation"
TIER = f"{GRANT}; print(isolation.tier)"
#: What a judge says of its cgroup: the tier, and where slots are made or why not.
WHERE = f"""
{GRANT}
from containers.launcher.cgroup import find_parents
print(isolation.tier, find_parents())
"""
#: A run in a slot of its own: run(probe, argument, limits) -> Outcome.
RUN = """
import json, os, sys
from containers import RunLimits, RunSpec
from containers.native import open_native

slot = open_native(require="full")
program = os.open(sys.argv[1], os.O_RDONLY)
def run(name, argument="", **limits):
    limits = {"cpu_ns": 60 * 10**9, "wall_ns": 120 * 10**9, "memory_bytes": 64 << 20, **limits}
    return slot.run(RunSpec(argv=("probe", name, str(argument)), executable=program, limits=RunLimits(**limits)))
"""


def _refusal() -> str | None:
    if os.geteuid() != 0:
        return "needs root"
    if "memory" not in (CGROUPS / "cgroup.controllers").read_text().split():
        return "another version has the memory controller"
    return None


@pytest.fixture(autouse=True)
def version2() -> None:
    why = _refusal() if (CGROUPS / "cgroup.controllers").exists() else "not mounted"
    if why is None:
        return
    if "cgroup2" in REQUIRED:
        pytest.fail(f"cgroup version 2: {why}")
    pytest.skip(f"cgroup version 2: {why}; tests/containers/vm/run.py boots a machine that has it")


def write(path: Path, value: object) -> None:
    path.write_text(str(value))


def remove(directory: Path) -> None:
    with suppress(OSError):
        write(directory / "cgroup.kill", 1)
    for path in [*sorted(directory.rglob("*/"), reverse=True), directory]:
        for _ in range(200):
            try:
                path.rmdir()
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.02)


@pytest.fixture
def room() -> Iterator[Path]:
    """An empty cgroup that has the controllers."""
    write(CGROUPS / "cgroup.subtree_control", "+memory +pids +cpu")
    made = CGROUPS / f"test-{os.getpid()}-{os.urandom(4).hex()}"
    made.mkdir()
    yield made
    remove(made)


def chown(*paths: Path) -> None:
    for path in paths:
        os.chown(path, USER, USER)


def delegate(directory: Path) -> None:
    chown(directory, *(directory / f"cgroup.{name}" for name in ("procs", "threads", "subtree_control")))


def start(
    code: str,
    *arguments: object,
    room: Path,
    user: bool = False,
    world: str = "",
    namespaces: tuple[str, ...] = ("--mount", "--cgroup"),
) -> subprocess.Popen[str]:
    """Python code in a process that is in that cgroup; `world`: what root does before, in namespaces of its own."""
    python = (sys.executable, "-c", code, *map(str, arguments))
    drop = ("setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--") if user else ()
    inside = ("unshare", *namespaces, "sh", "-ec", f'{world}; exec "$@"', "sh") if world else ()
    enter = ("sh", "-ec", f'echo $$ > {room}/cgroup.procs; exec "$@"', "sh")
    path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    return subprocess.Popen(
        (*enter, *inside, *drop, *python),
        cwd="/",
        env={**os.environ, "HOME": "/tmp" if user else os.environ.get("HOME", "/"), "PYTHONPATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def said(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=500)
    assert process.returncode == 0, output
    return output.strip()


def told(code: str, *arguments: object, **how: Any) -> str:
    return said(start(code, *arguments, **how))


# Where slots' cgroups are made


@pytest.mark.parametrize("user", [False, True])
def test_processes_of_the_cgroup_make_room(room: Path, user: bool) -> None:
    """A cgroup that holds processes cannot have children with controllers: they move down, all of them."""
    delegate(room)
    other = start("import time; print('ready', flush=True); time.sleep(1000)", room=room, user=user)
    assert other.stdout is not None
    assert other.stdout.readline() == "ready\n"
    assert told(TIER, room=room, user=user) == "full"
    assert (room / "judge-host" / "cgroup.procs").read_text().split() == [str(other.pid)]
    assert told(TIER, room=room / "judge-host", user=user) == "full"  # and one that is started there
    assert not list(room.glob("judge-[0-9]*"))
    other.kill()
    other.communicate()


def test_judges_that_start_at_once_do_not_disturb_each_other(room: Path) -> None:
    delegate(room)
    judges = [start(TIER, room=room, user=True) for _ in range(2)]
    assert [said(judge) for judge in judges] == ["full"] * 2


def test_nothing_delegated(room: Path) -> None:
    assert told(WHERE, room=room, user=True) == f"userns no permission to make cgroups in {room}"


@pytest.mark.parametrize("closed", ["cgroup.procs", "cgroup.subtree_control", "."])
def test_delegated_by_halves(room: Path, closed: str) -> None:
    delegate(room)
    os.chown(room / closed, 0, 0)
    assert told(WHERE, room=room, user=True) == f"userns no permission to make cgroups in {room}"


def test_doctor_names_the_command_that_delegates(room: Path) -> None:
    code = "import sys; from judge.cli import process; sys.argv = ['judge', 'doctor']; process()"
    output = told(code, room=room, user=True)
    assert "systemd-run --user --scope -p Delegate=yes" in " ".join(output.split())
    assert "userns" in output


def test_no_memory_controller(room: Path) -> None:
    (room / "inner").mkdir()
    assert told(WHERE, room=room / "inner") == f"userns no memory controller in {room}/inner"


def test_without_the_pids_controller_threads_are_counted_otherwise(room: Path, probe_path: Path) -> None:  # noqa: F811
    write(room / "cgroup.subtree_control", "+memory")
    (room / "inner").mkdir()
    delegate(room / "inner")
    probe_path.parent.chmod(0o755)
    for parent in probe_path.parents[:-2]:
        parent.chmod(0o755)
    code = f"{RUN}\nprint(int(run('threads').stdout), slot.isolation.tier)"
    made, tier = told(code, probe_path, room=room / "inner", user=True).split()
    assert (int(made) in range(63, 67), tier) == (True, "full")


# Containers

#: The kernel refuses to mount the same file system on itself.
_MOUNT = "mount -t tmpfs none /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup"


def test_a_container_without_privileges(room: Path) -> None:
    world = f"{_MOUNT}; mount -o remount,bind,ro /sys/fs/cgroup"
    assert told(WHERE, room=room, world=world) == f"userns {CGROUPS} is mounted read-only"


def test_a_container_that_may_write(room: Path) -> None:
    """Its root has processes too, though it looks like the root of all, which may."""
    assert told(TIER, room=room, world=_MOUNT) == "full"
    assert (room / "judge-host").is_dir()


def test_a_container_that_sees_the_names_of_the_host(room: Path) -> None:
    world = f"mount --bind /sys/fs/cgroup/{room.name} /sys/fs/cgroup"
    assert told(TIER, room=room, world=world, namespaces=("--mount",)) == "full"
    assert (room / "judge-host").is_dir()


def test_a_view_from_outside_our_namespace_is_not_ours(room: Path) -> None:
    """There our path means another cgroup: the host's."""
    output = told(WHERE, room=room, world="true")
    assert output == "userns no cgroup file system with a memory controller is mounted"


# Limits and measures


def limits(room: Path, code: str, probe: Path) -> list[object]:
    found = json.loads(told(f"{RUN}\n{code}", probe, room=room))
    assert isinstance(found, list)
    return found


def test_a_container_out_of_memory_is_not_the_programs_fault(room: Path, probe_path: Path) -> None:  # noqa: F811
    write(room / "memory.max", 200 * MIB)
    code = """
from containers import SandboxError
try:
    print(json.dumps([run("allocate_forever", memory_bytes=1 << 30).termination]))
except SandboxError as error:
    slot.close()
    slot = open_native(require="full")
    print(json.dumps(["error", run("echo").exit_code]))
"""
    assert limits(room, code, probe_path) == ["error", 0]


def test_a_container_that_ends_as_a_whole_survives_the_limit_of_a_slot(room: Path, probe_path: Path) -> None:  # noqa: F811
    write(room / "memory.oom.group", 1)
    code = 'print(json.dumps([run(name).termination for name in ("allocate_forever", "echo")]))'
    assert limits(room, code, probe_path) == ["memory-limit", "exited"]


def test_swap_is_no_way_round_the_limit(room: Path, probe_path: Path) -> None:  # noqa: F811
    device = swap_on()
    try:
        runs = (("allocate", 48), ("allocate", 80), ("map_shared", 80))
        code = f"print(json.dumps([run(*what).termination for what in {runs}]))"
        assert limits(room, code, probe_path) == ["exited", "memory-limit", "memory-limit"]
        used = [int(line.split()[3]) for line in Path("/proc/swaps").read_text().splitlines()[1:]]
        assert used == [0]
    finally:
        subprocess.run(("swapoff", device), check=True)


def swap_on() -> str:
    subprocess.run(("modprobe", "zram"), check=True)
    write(Path("/sys/block/zram0/reset"), 1)
    write(Path("/sys/block/zram0/disksize"), 256 * MIB)
    subprocess.run(("mkswap", "/dev/zram0"), check=True, stdout=subprocess.DEVNULL)
    subprocess.run(("swapon", "/dev/zram0"), check=True)
    return "/dev/zram0"


def test_the_peak_is_that_of_the_run_or_unknown(room: Path, probe_path: Path) -> None:  # noqa: F811
    """Linux 6.12 can reset it. Before, it would be that of all runs so far."""
    code = 'print(json.dumps([run("allocate", mib).usage.cgroup_peak_bytes for mib in (40, 10)]))'
    large, small = limits(room, code, probe_path)
    if RELEASE < (6, 12):
        assert (large, small) == (None, None)
    else:
        assert isinstance(large, int)
        assert isinstance(small, int)
        assert 40 * MIB <= large <= 60 * MIB
        assert 10 * MIB <= small <= 30 * MIB


def test_tasks_are_counted_by_the_cgroup(room: Path, probe_path: Path) -> None:  # noqa: F811
    code = """
run("threads", threads=10)
slots = [path for path in os.scandir(sys.argv[2]) if path.name.startswith("judge-") and path.name != "judge-host"]
print(json.dumps([open(path.path + "/pids.events").read() for path in slots]))
"""
    found = json.loads(told(f"{RUN}\n{code}", probe_path, room, room=room))
    assert [int(text.split()[1]) > 0 for text in found] == [True]


# Nothing is left


def sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen(("sleep", "1000"))


def test_what_is_still_in_a_cgroup_ends_with_it(room: Path) -> None:
    write(room / "cgroup.subtree_control", "+memory +pids")
    made = Cgroup(Parents(2, room, room, room))
    process = sleeping()
    made.attach(process.pid)
    made.remove()
    assert process.wait(10) == -9
    assert not list(room.glob("judge-*"))


def test_cgroups_of_killed_judges_are_swept(room: Path) -> None:
    """Those in use are not, however old, nor those that are only just made."""
    write(room / "cgroup.subtree_control", "+memory +pids")
    parents = Parents(2, room, room, room)
    old, used, young = room / "judge-1-old", room / "judge-2-used", room / "judge-3-young"
    for path in (old, used, young):
        path.mkdir()
    process = sleeping()
    write(used / "cgroup.procs", process.pid)
    for path in (old, used):
        os.utime(path, (0, 0))
    cgroup.sweep.cache_clear()
    with Cgroup(parents):
        assert sorted(path.name for path in (used, young)) == sorted(path.name for path in room.glob("judge-[0-9]-*"))
    process.kill()
    process.wait()


def test_the_next_judge_clears_away_after_a_killed_one(room: Path, probe_path: Path) -> None:  # noqa: F811
    code = f"{RUN}\nprint('ready', flush=True)\nrun('sleeper')"
    killed = start(code, probe_path, room=room)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "ready\n"
    killed.kill()
    killed.communicate()
    left = list(room.glob("judge-[0-9]*"))
    assert len(left) == 1
    os.utime(left[0], (0, 0))
    for _ in range(500):
        if not (left[0] / "cgroup.procs").read_text():
            break
        time.sleep(0.02)
    assert told(TIER, room=room / "judge-host") == "full"  # the room has children with controllers by now
    assert not list(room.glob("judge-[0-9]*"))


# Slots


def test_slots_are_bound_by_what_the_cgroups_above_us_grant(room: Path) -> None:
    (room / "inner").mkdir()
    code = "from judge.slots.capacity import available; print(available(slot_bytes=1 << 20))"
    free = told(code, room=room / "inner")
    assert re.fullmatch(r"\d+, bound by CPU affinity \(affinity \d+, no CPU quota, \d+ MiB available\)", free)
    write(room / "cpu.max", "150000 100000")
    assert told(code, room=room / "inner").startswith("1, bound by cgroup CPU quota (affinity ")
    write(room / "cpu.max", "max 100000")
    for limit in ("memory.max", "memory.high"):
        write(room / limit, 300 * MIB)
        at_most = int(re.search(r"(\d+) MiB", told(code, room=room / "inner"))[1])  # type: ignore[index]
        assert 200 <= at_most <= 300
        write(room / limit, "max")
