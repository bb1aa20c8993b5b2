"""Standard streams: shared inputs stay as they are, output is drained, closed descriptors do no harm."""

from __future__ import annotations

import os
from dataclasses import replace

from containers import RunSpec, Sandbox, Termination
from tests.conformance.conftest import LIMITS, MIB, Probe, sealed


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
        fd = sealed(content)
        try:
            assert slot.run(replace(spec, stdin=fd)).stdout == content
        finally:
            os.close(fd)
