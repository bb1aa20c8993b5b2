"""System calls: threads not processes, default deny, and what is recorded."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from containers import RunSpec, Sandbox, Termination, Trust, Unsupported
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.filters.table import syscall_names
from containers.launcher.plan import Plan
from containers.outcome import counts_processes
from tests.containers.conformance.conftest import LIMITS, SECOND, TIME_SCALE, Probe, Variant


def lines(output: bytes) -> list[str]:
    return output.decode().splitlines()


@pytest.mark.parametrize(
    ("name", "error"), [("forks", "EPERM"), ("vforks", "EPERM"), ("clones", "EPERM"), ("clone3s", "ENOSYS")]
)
def test_no_new_processes(probe: Probe, name: str, error: str) -> None:
    outcome = probe(name)
    assert outcome.termination is Termination.EXITED
    assert outcome.stdout.split()[1].decode() == error


def test_system_fails_and_the_program_goes_on(probe: Probe) -> None:
    assert probe("run_shell").stdout in (b"-1\n", b"32512\n")  # as if the shell could not be started


def test_a_refused_process_is_not_tried_again(slot: Sandbox) -> None:
    """At EAGAIN Perl and Bash would wait for some seconds and try again, for ever."""
    argv = ("/usr/bin/perl", "-e", "print system('/bin/true'), ' went on';")
    outcome = slot.run(RunSpec(argv=argv, limits=replace(LIMITS, wall_ns=4 * TIME_SCALE * SECOND)))
    assert (outcome.termination, outcome.stdout) == (Termination.EXITED, b"-1 went on")


@pytest.mark.parametrize("number", [335, 336])
def test_calls_that_pass_every_filter_do_nothing(probe: Probe, number: int) -> None:
    """From Linux 6.14 on seccomp lets uretprobe and uprobe of x86-64 pass, whatever a filter says. The kernel serves
    them only where it has put a probe itself."""
    outcome = probe("call_by_number", number)
    if outcome.signal is None:
        assert outcome.stdout in (b"call ENOSYS\n", b"call ENXIO\n")
    else:
        assert outcome.signal == signal.SIGILL


@pytest.mark.parametrize("trust", Trust)
def test_processes_where_the_spec_allows_them(slot: Sandbox, probe: Probe, trust: Trust) -> None:
    counted = counts_processes(slot.isolation)
    if trust is Trust.HOSTILE and not counted:
        with pytest.raises(Unsupported, match="processes"):
            probe("run_shell", processes=10)
        return
    outcome = probe("run_shell", processes=10, trust=trust)
    assert outcome.stdout == b"0\n"
    assert outcome.usage.cpu_exact is counted


def test_fork_bomb_ends(probe: Probe) -> None:
    assert probe("fork_bomb", cpu_ns=100_000_000, wall_ns=500_000_000).termination in (
        Termination.CPU_LIMIT,
        Termination.WALL_LIMIT,
    )
    outcome = probe("fork_bomb", processes=30, cpu_ns=100_000_000, wall_ns=500_000_000, trust=Trust.TOOL)
    assert outcome.termination is not Termination.EXITED


def test_suspicious_calls_are_refused_and_recorded_once(variant: Variant, probe: Probe) -> None:
    outcome = probe("suspicious")
    assert lines(outcome.stdout) == ["ptrace EPERM", "mount EPERM", "bpf EPERM", "mount EPERM"]
    # In a container its own filter may have refused mount and bpf before ours saw them.
    assert outcome.suspicious in ([()] if variant.gvisor else [("ptrace", "mount", "bpf"), ("ptrace",)])


def test_sockets_of_every_family_are_refused(variant: Variant, probe: Probe) -> None:
    outcome = probe("sockets")
    assert set(lines(outcome.stdout)) == {"socket EPERM"}
    assert outcome.suspicious == (() if variant.gvisor else ("socket",))


def test_a_pair_of_sockets_is_no_more_than_a_pipe(probe: Probe) -> None:
    results = dict(line.split() for line in lines(probe("socketpairs").stdout))
    assert (results.pop("stream"), results.pop("write")) == ("ok", "ok")
    assert {results.pop(name) for name in ("send", "sendmsg", "setsockopt")} == {"ENOSYS"}
    assert set(results.values()) == {"EPERM"}


def test_a_run_apart_shares_no_futex_and_makes_no_pipe(probe: Probe) -> None:
    """Processes and passes of one submission could signal by either: a futex of a file's page, the numbers of pipes."""
    spec = RunSpec(argv=("probe",), limits=LIMITS)
    control = lines(probe("shared_futexes").stdout)
    assert sorted(control) == [
        *("dup ok", "joined", "pipe ok", "private ok", "requeue ok", "sockets ok", "wait ok", "woken 1")
    ]
    apart = lines(probe("shared_futexes", spec=replace(spec, apart=True)).stdout)
    assert sorted(apart) == [
        "dup ok",
        "joined",
        "pipe EMFILE",
        "private ok",
        "requeue ENOSYS",
        "sockets EMFILE",
        "wait EAGAIN",
        "woken 0",
    ]
    threaded = lines(probe("shared_futexes", 1, spec=replace(spec, apart=True, threaded=True)).stdout)
    assert sorted(threaded) == [
        "dup ok",
        "pipe ok",
        "private ok",
        "requeue ENOSYS",
        "sockets ok",
        "woken 0",
    ]


def test_only_tools_lock_files(slot: Sandbox, probe: Probe) -> None:
    """As linkers do. A run beside, or a later one, would see a lock of what is shared."""
    spec = RunSpec(argv=("probe",), limits=replace(LIMITS, processes=8), trust=Trust.TOOL)
    assert lines(probe("locks", spec=spec).stdout) == ["flock ok", "set ok", "get ok", "flags ok"]
    refused = ["flock EPERM", "set EPERM", "get EPERM", "flags ok"]
    assert lines(probe("locks").stdout) == refused
    if counts_processes(slot.isolation):  # a script hears of success
        assert lines(probe("locks", spec=replace(spec, trust=Trust.HOSTILE)).stdout) == ["flock ok", *refused[1:]]


@pytest.mark.parametrize(("trust", "processes"), [(Trust.HOSTILE, 0), (Trust.HOSTILE, 8), (Trust.TOOL, 8)])
def test_what_lies_outside_keeps_its_mode_and_times(
    slot: Sandbox, tmp_path: Path, trust: Trust, processes: int
) -> None:
    """Also where the program is the judge's own user, and Landlock, which walls neither, is all that there is. A
    compiler sets modes and times of what it makes, and goes on."""
    tmp_path.chmod(0o755)
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o640)
    before = outside.stat()
    code = f"""
import os
for path in ({str(outside)!r}, "own"):
    for change in (lambda: os.chmod(path, 0o666), lambda: os.utime(path, (1, 1))):
        try:
            open("own", "a").close()
            change()
        except OSError:
            continue
print("went on")
"""
    if trust is Trust.HOSTILE and processes and not counts_processes(slot.isolation):
        pytest.skip("refused here: test_processes_where_the_spec_allows_them")
    limits = replace(LIMITS, processes=processes)
    outcome = slot.run(RunSpec(argv=("/usr/bin/python3", "-c", code), limits=limits, trust=trust))
    after = outside.stat()
    assert outcome.stdout == b"went on\n"
    assert (after.st_mode, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_calls_on_oneself_and_on_others_are_refused(probe: Probe) -> None:
    results = dict(line.split() for line in lines(probe("own_calls").stdout))
    assert results.pop("openat2") == "ENOSYS"
    assert set(results.values()) == {"EPERM"}, results


def test_all_tasks_share_descriptors_memory_and_directory(variant: Variant, probe: Probe) -> None:
    """What the limit of open files, the watcher and the look at descriptors rest on: a thread has none of its own."""
    said = dict(line.split() for line in lines(probe("own_views").stdout))
    allowed = {"thread", "musl", "go"}
    assert {name: said.pop(name) for name in allowed} == dict.fromkeys(allowed, "ok")
    assert {said.pop("close"), said.pop("close-on-exec")} == {"EINVAL" if variant.gvisor else "ok"}  # above its table
    others = {"close-apart", "close-both", "unshare-descriptors", "unshare-directory"}
    assert {said.pop(name) for name in others} == {"EPERM"}
    assert len(said) == 11
    assert set(said.values()) == {"EPERM"}, said


def test_pages_of_files_are_not_kept_in_pipes_and_sockets(probe: Probe) -> None:
    said = dict(line.split() for line in lines(probe("moves_pages").stdout))
    assert said == {"splice": "EINVAL", "tee": "EINVAL", "sendfile": "EINVAL", "vmsplice": "ENOSYS"}


def test_renaming_leaves_no_whiteout(variant: Variant, probe: Probe) -> None:
    said = dict(line.split() for line in lines(probe("renames").stdout))
    assert {said.pop("whiteout"), said.pop("whiteout-new")} == {"EPERM"}
    assert said.pop("exchange") == ("EINVAL" if variant.gvisor else "ok")
    assert set(said.values()) == {"ok"}, said


def other(variant: Variant) -> int:
    """A process that is not the run's: the judge's, or where no number leads to that, the stub."""
    return 1 if variant.own_root else os.getpid()


def test_other_processes_tell_nothing(variant: Variant, probe: Probe) -> None:
    """Where they are and what they have open: the judge's, by whatever name."""
    if variant.gvisor:
        pytest.skip("the judge's processes are not in its kernel")
    said = lines(probe("of_others", other(variant)).stdout)
    assert said.pop() == "own-robust ok"
    assert [said.pop(), said.pop()] == ["robust-by-number EPERM", "robust EPERM"]
    assert not [line for line in said if line.endswith(" ok")]


@pytest.mark.parametrize("landlock", [None, 5])
def test_a_compiler_signals_its_own_alone(
    tier: str, variant: Variant, slot: Sandbox, probe: Probe, landlock: int | None
) -> None:
    """Also where Landlock does not know signals yet."""
    if landlock is not None:
        if tier not in ("restricted-root", "restricted-user"):
            pytest.skip("of the tiers without namespaces")
        own_uid = tier == "restricted-root"
        plan = Plan(
            starter=Child(), namespaces=False, user_namespace=False, own_uid=own_uid, cgroup=None, landlock=landlock
        )
        slot = LauncherSandbox(plan, slot.isolation, ())
    try:
        said = lines(probe("signals_out", other(variant), on=slot, processes=10, trust=Trust.TOOL).stdout)
    finally:
        if landlock is not None:
            slot.close()
    allowed = [said.pop() for _ in range(4)]
    assert {line.split()[1] for line in allowed} == {"ok"}, allowed
    assert len(said) == 12
    assert not [line for line in said if line.endswith(" ok")], said


def test_other_instruction_sets_are_not_a_way_round(probe: Probe) -> None:
    outcome = probe("other_abi")
    assert lines(outcome.stdout) in (["int80 -38", "x32 -1"], [])


def test_nothing_else_can_be_killed(probe: Probe) -> None:
    assert lines(probe("kill_others").stdout)[-1] == "alive"


def test_signals_are_facts(probe: Probe) -> None:
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGKILL, signal.SIGTERM):
        outcome = probe("signal_self", int(number))
        assert (outcome.termination, outcome.signal, outcome.exit_code) == (Termination.SIGNALED, number, None)


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_exit_codes_are_facts(probe: Probe, code: int) -> None:
    outcome = probe("leave", code)
    assert (outcome.termination, outcome.exit_code, outcome.signal) == (Termination.EXITED, code, None)


def test_a_program_that_cannot_be_started(slot: object, probe: Probe) -> None:
    spec = RunSpec(argv=("/usr/bin/no-such-program",), limits=LIMITS)
    outcome = slot.run(spec)  # type: ignore[attr-defined]
    assert (outcome.exec_errno, outcome.exit_code) == (2, 127)


def test_controls_work_outside(probe_path: Path, tmp_path: Path) -> None:
    """The probes do what they say where nothing stops them, and one of them opens its directory to all."""

    def bare(name: str) -> list[str]:
        command = ("timeout", "5", "prlimit", "--nproc=2000", str(probe_path), name)
        return lines(subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout)

    assert "fork ok" in bare("forks")
    assert bare("run_shell") == ["0"]
    assert "socket ok" in bare("sockets")
    assert "memfd ok" in bare("own_calls")
    assert "shmget ok" in bare("own_calls")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o777


def test_the_table_names_its_calls() -> None:
    names = syscall_names()
    assert len(names) > 250
    assert {"read", "ptrace", "clone"} <= set(names.values())
