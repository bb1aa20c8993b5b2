"""Standard streams: shared inputs stay as they are, output is drained, closed descriptors do no harm."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from containers import File, RunSpec, Sandbox, Termination, Unsupported
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


def test_input_cannot_be_changed(slot: Sandbox, probe: Probe, probe_fd: int) -> None:
    outcome = probe("write_input", stdin=b"precious")
    for line in outcome.stdout.decode().splitlines():
        assert not line.endswith(" ok"), line


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
        assert outcome.termination in (Termination.EXITED, Termination.MEMORY_LIMIT)
        if outcome.termination is Termination.EXITED:
            assert len(outcome.files["out"]) == mebibytes * MIB
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
