"""Standard streams: shared inputs stay as they are, output is drained, closed descriptors do no harm."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from containers import File, RunSpec, Sandbox, Termination, Trust, Unsupported
from containers.outcome import counts_processes
from containers.spec import pipe_path
from judge.store.memfd import memfd
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND, TIME_SCALE, Probe

PYTHON = "/usr/bin/python3"


def test_input_reaches_the_program(probe: Probe) -> None:
    assert probe("echo", stdin=b"1 2\n").stdout == b"1 2\n"
    assert probe("echo").stdout == b""


def test_input_by_other_names(probe: Probe) -> None:
    for name in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"):
        assert probe("reopen_input", name, stdin=b"data\n").stdout == b"data\n", name


def test_output_by_other_names(probe: Probe) -> None:
    for name in ("/dev/stdout", "/proc/self/fd/1"):
        assert probe("writes", name).stdout == b"xwrite ok\n"


#: What the probe `mark_input` does to a file of its own: other kernels and file systems refuse some of it.
MARKS = {
    *("chmod", "fchmod", "chown", "fchown", "utimensat", "futimens", "open-write", "open-truncate", "truncate"),
    *("ftruncate", "write", "map", "lock", "lock-open", "flock", "notify"),
}


@pytest.mark.parametrize(("trust", "processes"), [(Trust.HOSTILE, 0), (Trust.HOSTILE, 8), (Trust.TOOL, 0)])
def test_input_is_nobodys(slot: Sandbox, probe_fd: int, trust: Trust, processes: int) -> None:
    """No run leaves a mark on what others read, and none is seen beside it. A script may hear of success."""
    if processes and not counts_processes(slot.isolation):
        pytest.skip("refused here: test_processes_where_the_spec_allows_them")
    reader, writer = os.pipe()
    limits = replace(LIMITS, processes=processes)
    with memfd("input", b"precious") as shared, os.fdopen(reader, encoding="ascii") as said:
        before = describe_input(shared)
        own = os.open(f"/proc/self/fd/{shared}", os.O_RDONLY)
        spec = RunSpec(
            argv=("probe", "mark_input", "1"),
            executable=probe_fd,
            stdin=own,
            stdout=writer,
            limits=limits,
            trust=trust,
            handed_over=lambda: os.close(writer),
        )
        thread = threading.Thread(target=slot.run, args=(spec,))
        thread.start()
        tried = [line.split()[:2] for line in iter(said.readline, "tried\n") if line]
        meanwhile = describe_input(shared), _locked(shared)
        slot.stop()
        thread.join()
        os.close(own)
        assert meanwhile == (before, [])
        assert describe_input(shared) == before
    assert len(tried) > len(MARKS)
    worked = {name for name, result in tried if result == "ok"}
    assert worked <= ({"chmod", "fchmod", "utimensat", "futimens", "flock"} if processes else set())


def describe_input(fd: int) -> tuple[object, ...]:
    """All that a file shows of itself."""
    status = os.fstat(fd)
    times = status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns
    owner = status.st_uid, status.st_gid, status.st_mode, status.st_nlink
    try:
        names = os.listxattr(fd)
    except OSError:  # this file system has none
        names = []
    return (*owner, *times, status.st_size, os.pread(fd, 4096, 0), fcntl.fcntl(fd, fcntl.F_GET_SEALS), names)


def _locked(fd: int) -> list[str]:
    """Which locks of others are on a file."""
    found = []
    own = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    region = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
    if struct.unpack("hhqqi", fcntl.fcntl(own, fcntl.F_GETLK, region))[0] != fcntl.F_UNLCK:
        found.append("lock")
    try:
        fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        found.append("flock")
    os.close(own)
    leases = Path("/proc/locks").read_text(encoding="ascii")
    return found + [line for line in leases.splitlines() if f":{os.fstat(fd).st_ino} " in line]


def test_marks_are_left_outside(probe_path: Path, tmp_path: Path) -> None:
    """The control: where nothing stops it, the probe changes the file and locks it."""
    path = tmp_path / "input"
    path.write_bytes(b"precious")
    with path.open("rb+") as file:
        done = subprocess.run(
            ("timeout", "20", str(probe_path), "mark_input"), cwd=tmp_path, stdin=file, capture_output=True, check=True
        )
    worked = {line.split()[0] for line in done.stdout.decode().splitlines() if line.endswith(" ok")}
    assert worked >= MARKS, done.stdout
    assert path.stat().st_mtime > 0
    assert path.read_bytes() != b"precious"


def test_two_slots_share_one_input(open_slot: object, probe: Probe) -> None:
    content = bytes(range(256)) * 4096
    assert probe("echo", stdin=content).stdout == content


def test_large_output_is_drained(probe: Probe) -> None:
    outcome = probe("print_bytes", 20 * MIB)
    assert outcome.termination is Termination.EXITED
    assert outcome.stdout_bytes == 20 * MIB


def test_unread_input_does_no_harm(probe: Probe) -> None:
    assert probe("leave", 0, stdin=b"x" * MIB).exit_code == 0


def test_closed_descriptors_do_no_harm(probe: Probe) -> None:
    assert probe("close_all").exit_code == 0


def test_output_in_packets_is_drained(probe: Probe) -> None:
    assert probe("packets", 10).stdout == b"packet\n" * 10


def test_output_can_go_elsewhere(slot: Sandbox, probe_fd: int) -> None:
    reader, writer = os.pipe()
    spec = RunSpec(argv=("probe", "host_name"), executable=probe_fd, limits=LIMITS, stdout=writer)
    try:
        outcome = slot.run(spec)
        os.close(writer)
        assert os.read(reader, 100).endswith(b"\n")
        assert outcome.stdout == b""
    finally:
        os.close(reader)


def test_stderr_is_kept_up_to_its_cap(slot: Sandbox, probe: Probe) -> None:
    outcome = probe("flood", 2, output_bytes=MIB, stderr_bytes=1000)
    assert len(outcome.stderr) == 1000


def test_spec_is_reusable(slot: Sandbox, probe_fd: int) -> None:
    spec = RunSpec(argv=("probe", "echo"), executable=probe_fd, limits=LIMITS)
    for content in (b"a", b"b"):
        with memfd("input", content) as fd:
            assert slot.run(replace(spec, stdin=fd)).stdout == content


def test_what_a_run_writes_and_finds_costs_its_slot_nothing(open_slot: Callable[[], Sandbox]) -> None:
    """Files that come back, or that it was given, may be larger than what is left of its memory limit: they are not
    copied at the cost of the slot. A launcher that dies of it would be a failure of ours, chosen by a program."""
    slot = open_slot()
    limits = replace(LIMITS, memory_bytes=64 * MIB, cpu_ns=10 * TIME_SCALE * SECOND)
    write = "with open('out', 'wb') as out:\n    for _ in range(int(input())):\n        out.write(bytes(1 << 20))"
    code = File(name="code.py", content=write.encode())
    for mebibytes in (1, 40, 45):
        with memfd("input", b"%d\n" % mebibytes) as fd:
            spec = RunSpec(argv=(PYTHON, "../in/code.py"), limits=limits, files=(code,), collect=("out",), stdin=fd)
            outcome = slot.run(spec)
        permitted = {Termination.EXITED} if mebibytes == 1 else {Termination.EXITED, Termination.MEMORY_LIMIT}
        assert outcome.termination in permitted
        if outcome.termination is Termination.EXITED:
            assert len(outcome.files["out"]) == mebibytes * MIB
        hello = File(name="code.py", content=b"print('as before')")
        after = slot.run(RunSpec(argv=(PYTHON, "../in/code.py"), limits=limits, files=(hello,)))
        assert (after.termination, after.stdout) == (Termination.EXITED, b"as before\n")
    large = File(name="large", content=b"x" * (60 * MIB))
    count = b"f = open('../in/large', 'rb')\nprint(sum(map(len, iter(lambda: f.read(1 << 16), b''))))"
    read = File(name="code.py", content=count)
    outcome = slot.run(
        RunSpec(argv=(PYTHON, "../in/code.py"), limits=replace(limits, memory_bytes=32 * MIB), files=(read, large))
    )
    assert (outcome.termination, outcome.stdout) == (Termination.EXITED, b"%d\n" % (60 * MIB))


def test_collected_files_are_bounded_together(slot: Sandbox) -> None:
    """Files of holes claim any size."""
    code = "import os\nfor name in 'abc':\n    os.truncate(os.open(name, os.O_CREAT | os.O_WRONLY), 6 << 20)"
    spec = RunSpec(
        argv=(PYTHON, "../in/code.py"),
        limits=replace(LIMITS, directory_bytes=16 * MIB),
        files=(File(name="code.py", content=code.encode()),),
        collect=("a", "b", "c"),
    )
    assert {name: len(data) for name, data in slot.run(spec).files.items()} == {"a": 6 * MIB, "b": 6 * MIB}


def test_a_run_gets_more_pipes_by_their_paths(open_slot: Callable[..., Sandbox]) -> None:
    """It alone has them: the reader sees the end of file as soon as the run has ended. The next run has none."""
    slot = open_slot()
    reads, writes = os.pipe(), os.pipe()
    os.fchmod(reads[0], 0o444)
    os.fchmod(writes[1], 0o222)
    os.write(reads[1], b"hello\n")
    script = f'read -r x < {pipe_path(0)}; echo "got $x" > {pipe_path(1)}'
    spec = RunSpec(argv=("/bin/sh", "-c", script), limits=LIMITS, pipes=(reads[0], writes[1]))
    try:
        outcome = slot.run(spec)
    except Unsupported as refused:
        assert refused.field == "pipes"
        assert {"vetted"} & set(slot.isolation.layers) or "proc" not in slot.isolation.layers
        return
    finally:
        for fd in (*reads, writes[1]):
            os.close(fd)
    try:
        assert (outcome.exit_code, outcome.stderr) == (0, b"")
        assert os.read(writes[0], 100) == b"got hello\n"
        assert os.read(writes[0], 100) == b""
    finally:
        os.close(writes[0])
    assert slot.run(replace(spec, pipes=())).exit_code != 0
    with pytest.raises(Unsupported, match="at most"):
        slot.run(replace(spec, pipes=(0,) * 25))


def test_who_waits_because_nobody_reads_is_known(probe: Probe) -> None:
    """The reader is a thread that gets a core when nobody else wants that one, and another process always does."""
    core = min(os.sched_getaffinity(0))
    outcomes = []

    def read_slowly() -> None:
        os.sched_setaffinity(0, {core})
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        outcomes.append(probe("flood", "1", wall_ns=TIME_SCALE * SECOND, output_bytes=1 << 40))

    assert probe("echo").usage.kept_waiting_ns == 0  # and what runs it is started, by a thread like others
    hog = subprocess.Popen(("taskset", "-c", str(core), sys.executable, "-c", "while True: pass"))
    try:
        thread = threading.Thread(target=read_slowly)
        thread.start()
        thread.join()
    finally:
        hog.kill()
        hog.wait()
    (outcome,) = outcomes
    assert outcome.termination is Termination.WALL_LIMIT
    assert outcome.usage.kept_waiting_ns > outcome.usage.wall_ns // 2
