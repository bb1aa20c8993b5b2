"""The driver's side of the protocol: whatever comes, it is a message of ours or a SandboxError."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from containers import SandboxError
from containers.launcher import wire
from containers.launcher.wire import Failed, Kind, Layer, Ready, Reason, Result, decode

HEAD = (wire.MAGIC, wire.VERSION)
READY = wire.READY.pack(*HEAD, Kind.READY, 0, Layer.SECCOMP | Layer.UID, 7)
RESULT = wire.RESULT.pack(
    *HEAD, Kind.RESULT, 9, Reason.CPU, 9, 1, 2, 0, 3, 4, 5, 6, 7, 8, 0, 2, 101, 165, *[0] * 14, 10, -1, *[-1] * 14
)
FAILED = wire.FAILED.pack(*HEAD, Kind.FAILED, 9, 14, 1, 11)
MESSAGES = (READY, RESULT, FAILED)


def test_messages_are_understood() -> None:
    assert decode(READY) == Ready(Layer.SECCOMP | Layer.UID, 7)
    assert decode(FAILED) == Failed(14, 1, 11)
    result = decode(RESULT)
    assert isinstance(result, Result)
    assert (result.sequence, result.reason, result.status, result.suspicious) == (9, Reason.CPU, 9, (101, 165))
    assert result.collected[:2] == (10, -1)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_that_is_cut_off_is_a_sandbox_error(message: bytes) -> None:
    for length in range(len(message)):
        with pytest.raises(SandboxError, match="no message of ours"):
            decode(message[:length])
    with pytest.raises(SandboxError):
        decode(message + b"\0")


@pytest.mark.parametrize(
    ("offset", "value"),
    [(0, 1), (4, 2), (8, Kind.RUN), (8, 77), (16, 99), (100, 17)],
    ids=["magic", "version", "the driver's own kind", "unknown kind", "unknown reason", "too many calls"],
)
def test_values_that_mean_nothing_are_a_sandbox_error(offset: int, value: int) -> None:
    with pytest.raises(SandboxError):
        decode(RESULT[:offset] + struct.pack("=I", value) + RESULT[offset + 4 :])


@given(st.sampled_from(MESSAGES), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255))), st.binary(max_size=40))
def test_any_bytes(message: bytes, changes: list[tuple[int, int]], raw: bytes) -> None:
    changed = bytearray(message)
    for place, value in changes:
        changed[place % len(changed)] = value
    for content in (bytes(changed), raw, raw + bytes(changed), bytes(changed[:16]) + raw):
        with suppress(SandboxError):
            decode(content)
