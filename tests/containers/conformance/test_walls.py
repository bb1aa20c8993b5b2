"""What stands around an executed program, wall by wall: the native backend's own tiers."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from containers import Outcome, Sandbox, Termination, Trust
from containers.launcher.filters.table import syscall_names
from containers.outcome import counts_processes
from tests.containers.conformance.conftest import LIMITS, MIB, Probe
from tests.processes import descendants

NATIVE = ("full", "userns", "restricted-root", "restricted-user")
ROOT = os.geteuid() == 0
#: Another filter answers some calls before ours does (a container's).
FILTERED = "Seccomp:\t2" in Path("/proc/self/status").read_text()
BATCH = 16  # as many calls as a run records

REPORTED = """
    mount umount2 pivot_root chroot fsopen fsmount fsconfig fspick move_mount open_tree mount_setattr unshare setns
    ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal kcmp bpf perf_event_open
    userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module
    delete_module kexec_load reboot swapon swapoff acct quotactl syslog sethostname setdomainname settimeofday
    clock_settime adjtimex clock_adjtime open_by_handle_at name_to_handle_at fanotify_init fanotify_mark vhangup
    migrate_pages move_pages socket connect bind listen accept accept4 shmget shmat shmctl msgget msgsnd msgrcv
    semget semop mq_open mq_unlink nfsservctl lookup_dcookie
""".split()  # noqa: SIM905
REFUSED = """
    setpgid setsid setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset
    setpriority ioprio_set sched_setaffinity sched_setscheduler sched_setparam sched_setattr sync syncfs mknodat
    seccomp memfd_create socketpair fchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr
    fremovexattr fadvise64 inotify_init1 inotify_add_watch fchmod fchmodat utimensat flock kill tkill tgkill
    rt_sigqueueinfo rt_tgsigqueueinfo prctl prlimit64
""".split()  # noqa: SIM905
if platform.machine() == "x86_64":  # the older forms, and what no other machine ever had
    REPORTED += ["iopl", "ioperm", "modify_ldt", "uselib", "ustat", "_sysctl", "kexec_file_load"]
    REFUSED += ["chmod", "utime", "utimes", "futimesat", "chown", "lchown", "mknod", "inotify_init"]
#: Not in the table, although kernels have them: what is not known is not allowed.
UNKNOWN = {"openat2": 437, "clone3": 435, "memfd_secret": 447, "landlock_create_ruleset": 444, "process_madvise": 440}


@pytest.fixture(autouse=True)
def native(tier: str) -> None:
    if tier not in NATIVE:
        pytest.skip("of the native backend")


@pytest.fixture
def careless() -> Iterator[None]:
    """A judge that was started with no mask at all, and by root in a group of its own choice; core dumps allowed."""
    mask, groups = os.umask(0), os.getgroups()
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    if ROOT:
        os.setgroups([*groups, 4])
    yield
    os.umask(mask)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    if ROOT:
        os.setgroups(groups)


def limits_of(outcome: Outcome) -> dict[int, tuple[int, int]]:
    lines = outcome.stdout.decode().splitlines()
    return {number: (soft, hard) for number, soft, hard in (map(int, line.split()) for line in lines)}


def table(output: bytes) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in output.decode().splitlines())


def batches(names: list[str]) -> list[list[str]]:
    return [names[start : start + BATCH] for start in range(0, len(names), BATCH)]


def ask(probe: Probe, numbers: dict[str, int], argument: int = -1) -> tuple[dict[str, str], tuple[str, ...]]:
    """What each call says when all its arguments are `argument`, and which of them were recorded."""
    lines = "".join(f"{number} {argument}\n" for number in numbers.values())
    outcome = probe("calls", stdin=lines.encode())
    assert outcome.termination is Termination.EXITED
    said = table(outcome.stdout)
    return {name: said[str(number)] for name, number in numbers.items()}, outcome.suspicious


def numbers_of(names: list[str]) -> dict[str, int]:
    known = {name: number for number, name in syscall_names().items()}
    return {name: known[name] for name in names}


@pytest.mark.parametrize("names", batches(REPORTED), ids=lambda names: f"{names[0]}-{names[-1]}")
def test_calls_without_an_honest_use_are_refused_and_recorded(probe: Probe, names: list[str]) -> None:
    said, recorded = ask(probe, numbers_of(names))
    assert set(said.values()) == {"EPERM"}, said
    if not FILTERED:
        assert sorted(recorded) == sorted(names)


@pytest.mark.parametrize("names", batches(REFUSED), ids=lambda names: f"{names[0]}-{names[-1]}")
def test_calls_that_change_others_are_refused_in_silence(probe: Probe, names: list[str]) -> None:
    """With arguments that the kernel itself would refuse in other words: nothing happens where one is let through."""
    said, recorded = ask(probe, numbers_of(names))
    said.pop("setgroups", None)  # ours to refuse, but so it is the kernel's without CAP_SETGID
    assert set(said.values()) <= {"EPERM"}, said
    assert recorded == ()


def test_calls_that_are_not_in_the_table_do_not_exist(probe: Probe) -> None:
    said, _ = ask(probe, UNKNOWN)
    assert set(said.values()) == {"ENOSYS"}, said


def test_ioctl_and_fcntl_know_a_few_requests(probe: Probe) -> None:
    said, _ = ask(probe, numbers_of(["ioctl", "fcntl"]), 9)  # a bad descriptor: the kernel would say EBADF
    assert said == {"ioctl": "ENOTTY", "fcntl": "EPERM"}


def test_extended_attributes_are_lacking(probe: Probe) -> None:
    names = ["getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"]
    assert set(ask(probe, numbers_of(names))[0].values()) == {"EOPNOTSUPP"}


def test_the_program_has_no_powers(tier: str, open_slot: Callable[[], Sandbox], probe: Probe, careless: None) -> None:
    powers = {name: int(value) for name, value in table(probe("powers", on=open_slot()).stdout).items()}
    uid, gid = powers.pop("uid"), powers.pop("gid")
    bounding = powers.pop("bounding")
    groups = powers.pop("groups")
    assert powers == {
        "capabilities": 0,
        "no_new_privs": 1,
        "death_signal": 9,
        "one_uid": 1,
        "one_gid": 1,
        "leader": 1,
        "blocked": 0,
        "umask": 22,
    }
    if ROOT or tier == "userns":
        assert bounding == 0
    if ROOT:
        assert groups == 0
        assert uid == gid
        assert uid != 0


def launcher() -> int:
    """The youngest child of this process: a judge that other tests share may have launchers, too."""
    ours = [pid for pid in descendants(os.getpid()) if f" {os.getpid()} " in status(pid)]
    return max(ours, key=lambda pid: int(status(pid).rpartition(")")[2].split()[19]))  # when it started


def status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_the_launcher_is_closed_to_its_own_user(tier: str, probe: Probe) -> None:
    if ROOT and tier != "userns":
        pytest.skip("its user is root, to whom nothing is closed")
    assert probe("leave", 0).exit_code == 0
    environment = Path(f"/proc/{launcher()}/environ")
    if ROOT:  # what is undumpable belongs to root, whoever it is
        assert environment.stat().st_uid == 0
    else:
        with pytest.raises(PermissionError):
            environment.read_bytes()


def test_the_launcher_has_no_environment(probe: Probe) -> None:
    if not ROOT:
        pytest.skip("closed to its own user")
    assert probe("leave", 0).exit_code == 0
    try:
        environment = Path(f"/proc/{launcher()}/environ").read_bytes()
    except PermissionError:
        pytest.skip("in a container without CAP_SYS_PTRACE it is closed to root, too")
    assert environment == b""


def test_a_run_s_user_is_its_slot_s_alone(tier: str, open_slot: Callable[[], Sandbox], probe: Probe) -> None:
    if not ROOT or tier == "userns":
        pytest.skip("inside a user namespace there is one user; without root none can be leased")
    users = {table(probe("powers", on=open_slot()).stdout)["uid"] for _ in range(3)}
    assert len(users) == 3


def test_limits_are_set_hard_and_soft(
    tier: str, open_slot: Callable[[], Sandbox], probe: Probe, careless: None
) -> None:
    limits = {"cpu_ns": 3_000_000_000, "open_files": 33, "directory_bytes": 9 * MIB, "threads": 20}
    outcome = probe("resource_limits", on=open_slot(), **limits)
    found = limits_of(outcome)
    for number, value in EXPECTED.items():
        assert found[number] == (value, value), number
    assert found[resource.RLIMIT_CORE] in ((0, 0), (1, 1))
    if tier == "userns":
        assert found[resource.RLIMIT_NPROC][1] == 22  # and the launcher, and the stub


def test_the_backstop_of_cpu_time_leaves_room_in_proportion(probe: Probe) -> None:
    """Some kernels count by ticks, and reach RLIMIT_CPU after five sixths of the time."""
    for limit_s in (1, 6, 60, 600):
        backstop_s, _ = limits_of(probe("resource_limits", cpu_ns=limit_s * 1_000_000_000))[resource.RLIMIT_CPU]
        assert backstop_s * 5 / 6 > limit_s, limit_s


def test_each_of_several_processes_is_bounded_where_no_cgroup_bounds_all(tier: str, probe: Probe) -> None:
    found = limits_of(probe("resource_limits", processes=10, memory_bytes=100 * MIB, trust=Trust.TOOL))
    assert (found[resource.RLIMIT_DATA][1] == 356 * MIB) is (tier != "full")


EXPECTED = {
    resource.RLIMIT_CPU: 6,
    resource.RLIMIT_FSIZE: 9 * MIB,
    resource.RLIMIT_NOFILE: 33,
    resource.RLIMIT_STACK: LIMITS.memory_bytes,
    resource.RLIMIT_MEMLOCK: 64 * 1024,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_NICE: 0,
    resource.RLIMIT_RTPRIO: 0,
    resource.RLIMIT_SIGPENDING: 256,
}


def test_modes_do_not_depend_on_the_judge_s_mask(
    tier: str, open_slot: Callable[[], Sandbox], probe: Probe, careless: None
) -> None:
    # What is the judge's is read by the slot's group, or by the judge's own user, and by nobody else.
    ours = "550" if os.geteuid() == 0 and tier.startswith(("full", "restricted")) else "500"
    assert table(probe("modes", on=open_slot()).stdout) == {".": "700", "..": ours, "../in": ours, "made": "644"}


def test_a_child_cannot_leave_its_group(probe: Probe) -> None:
    said = table(probe("leave_group", processes=10, trust=Trust.TOOL).stdout)
    assert said == {"setsid": "EPERM", "setpgid": "EPERM"}


def test_memory_of_several_processes_is_bounded_together(slot: Sandbox, probe: Probe) -> None:
    if not counts_processes(slot.isolation):
        pytest.skip("refused here: test_processes_where_the_spec_allows_them")
    outcome = probe("children_with_memory", 6, processes=10, wall_ns=20_000_000_000)
    assert outcome.termination is Termination.MEMORY_LIMIT
    assert outcome.usage.wall_ns < 10_000_000_000, "those that were left slept on"
    assert probe("children_with_memory", 2, processes=10, wall_ns=500_000_000).termination is Termination.WALL_LIMIT


def test_namespaces_are_the_run_s_own(tier: str, slot: Sandbox, probe: Probe) -> None:
    if tier not in ("full", "userns"):
        pytest.skip("without namespaces")
    names = ["mnt", "pid", "net", "ipc", "uts", "cgroup"] + (["user"] if tier == "userns" else [])
    said = probe("links", " ".join(f"/proc/self/ns/{name}" for name in names)).stdout.decode().split()
    outside = [os.readlink(f"/proc/self/ns/{name}") for name in names]  # noqa: PTH115
    assert len(said) == len(names)
    assert not set(said) & set(outside), said


def test_the_old_root_is_gone(tier: str, probe: Probe) -> None:
    if tier not in ("full", "userns"):
        pytest.skip("without a root of its own")
    mounted = probe("reads_all", "/proc/self/mountinfo").stdout.decode().splitlines()
    found = {line.split()[4]: line.split()[5].split(",") for line in mounted}  # what covers another comes later
    assert [line.split()[4] for line in mounted].count("/") == 1
    assert [point for point, options in found.items() if "rw" in options] == ["/box/run"]
    for point, options in found.items():
        assert "nosuid" in options, point
        assert "nodev" in options or point.startswith("/dev/"), point


def test_runs_have_other_namespaces_than_their_launcher(tier: str, slot: Sandbox, probe: Probe) -> None:
    if tier not in ("full", "userns"):
        pytest.skip("without namespaces")
    if os.geteuid() != 0:
        pytest.skip("the launcher's own are closed to its user")
    names = " ".join(f"/proc/self/ns/{name}" for name in ("pid", "mnt", "ipc"))
    run = probe("links", names, on=slot).stdout.split()
    kept = {os.readlink(f"/proc/{launcher()}/ns/{name}").encode() for name in ("pid", "mnt", "ipc")}  # noqa: PTH115
    assert len(run) == 3
    assert not {*run} & kept


def test_clone_makes_no_namespaces(probe: Probe) -> None:
    said, recorded = ask(probe, numbers_of(["clone"]), 0x10000000)  # CLONE_NEWUSER alone
    assert said == {"clone": "EPERM"}
    assert FILTERED or recorded == ("clone",)


def test_an_open_for_reading_does_not_truncate(probe: Probe) -> None:
    said = table(probe("truncates").stdout)
    assert said == {"truncating-read": "EACCES", "size": "4"}


def test_the_limit_of_core_dumps_stays(
    open_slot: Callable[[], Sandbox], probe: Probe, careless: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("containers.launcher.request.core_soft", lambda: 1)  # as where core_pattern names a handler
    said = table(probe("core_limit", on=open_slot()).stdout)
    assert said["before"] == "1-1"
    assert said["before"] == said["setrlimit"] == said["prlimit"]


def test_files_are_bounded_together(probe: Probe) -> None:
    outcome = probe("fill_with_files", 40, directory_bytes=8 * MIB)
    assert outcome.termination is Termination.OUTPUT_LIMIT or int(outcome.stdout) <= 8


def test_directories_count_as_files(probe: Probe) -> None:
    made, error = probe("many_directories", directory_inodes=100).stdout.split()
    assert int(made) <= 100
    assert error == b"ENOSPC"


def test_socket_pairs_are_streams_within_the_program(probe: Probe) -> None:
    said = table(probe("socket_pairs").stdout)
    assert said.pop("stream") == "ok"
    assert set(said.values()) == {"EPERM"}, said


def test_every_way_to_make_a_file_counts(probe: Probe) -> None:
    said = table(probe("ways_to_make_files", directory_inodes=20).stdout)
    assert len(said) >= 5
    assert set(said.values()) == {"ENOSPC"}, said


def test_files_in_memory_are_memory(tier: str, probe: Probe) -> None:
    if tier not in ("full", "userns"):
        pytest.skip("the directory is on a disk")
    outcome = probe("fill_directory", memory_bytes=64 * MIB, directory_bytes=2048 * MIB, cpu_ns=10_000_000_000)
    assert outcome.termination is Termination.MEMORY_LIMIT


def test_shared_memory_that_is_held_is_bounded(probe: Probe) -> None:
    """Also where it is no more than may be mapped one after the other."""
    assert probe("map_shared", 400, cpu_ns=5_000_000_000).termination is Termination.MEMORY_LIMIT


def test_shared_memory_that_is_not_mapped_any_more_is_bounded(tier: str, probe: Probe) -> None:
    outcome = probe("unmap_shared", memory_bytes=128 * MIB, cpu_ns=5_000_000_000)
    assert outcome.termination is Termination.MEMORY_LIMIT


def test_page_tables_are_bounded(tier: str, probe: Probe) -> None:
    outcome = probe("page_tables", memory_bytes=16 * MIB, cpu_ns=5_000_000_000)
    assert outcome.termination is Termination.MEMORY_LIMIT


@pytest.mark.parametrize("mapped", [0, 1])
def test_files_without_a_name_count(tier: str, probe: Probe, mapped: int) -> None:
    outcome = probe("files_without_names", mapped, directory_bytes=8 * MIB, wall_ns=20_000_000_000)
    if tier in ("full", "userns"):  # the file system counts them: the next one cannot be written
        assert outcome.stdout == b"done\n"
    else:
        assert outcome.termination is Termination.OUTPUT_LIMIT


def test_files_grow_as_fast_as_they_are_written(tier: str, probe: Probe) -> None:
    said = table(probe("allocates").stdout)
    assert said == {"fallocate": "ok" if tier in ("full", "userns") else "EOPNOTSUPP"}


def test_files_in_tables_of_threads_count(tier: str, probe: Probe) -> None:
    """40 MiB, of which each thread holds a part, whether or not it could have a table of its own."""
    outcome = probe("files_in_tables", directory_bytes=8 * MIB, wall_ns=20_000_000_000)
    if tier in ("full", "userns"):
        assert outcome.stdout == b"done\n"
    else:  # long before its end
        assert (outcome.termination, outcome.stdout) == (Termination.OUTPUT_LIMIT, b"")


def test_what_was_written_cannot_be_read_back(probe: Probe) -> None:
    assert probe("reads", "/dev/stdout").stdout == b"read EACCES\n"
    assert probe("reads", "/proc/self/fd/2").stdout == b"read EACCES\n"


def test_the_clocks_of_others_are_not_to_be_read(probe: Probe) -> None:
    assert probe("parents_clock").stdout == b"clock EINVAL\n"
