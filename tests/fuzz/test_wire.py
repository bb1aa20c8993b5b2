"""The driver's side of the protocol: whatever comes, it is a message of ours or a SandboxError."""

from __future__ import annotations

import re
import struct
from contextlib import suppress
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from containers import SandboxError
from containers.launcher import wire
from containers.launcher.filters.run import Count
from containers.launcher.filters.uses import How
from containers.launcher.wire import EndReason, Failed, Layer, MessageKind, Ready, Result, Standing, decode

STANDING = wire.message(wire.STANDING, MessageKind.STANDING, 0, layers=Layer.UID, landlock_abi=7, tmpfs=1)
READY = wire.message(wire.READY, MessageKind.READY, 0, layers=Layer.SECCOMP | Layer.UID)
FIGURES = {name: number for number, (_, name, length) in enumerate(wire.RESULT.fields) if number > 4 and not length}
RESULT = wire.message(
    wire.RESULT,
    MessageKind.RESULT,
    9,
    reason=EndReason.CPU,
    **FIGURES | {"suspicious_count": 2},
    suspicious=[101, 165, *[0] * 14],
    collected=[10, -1, *[-1] * 14],
)
FAILED = wire.message(wire.FAILED, MessageKind.FAILED, 9, stage=14, index=1, error=11)
MESSAGES = (STANDING, READY, RESULT, FAILED)


def test_messages_are_understood() -> None:
    assert decode(STANDING) == Standing(Layer.UID, 7, True)
    assert decode(READY) == Ready(Layer.SECCOMP | Layer.UID)
    assert decode(FAILED) == Failed(14, 1, 11)
    result = decode(RESULT)
    assert isinstance(result, Result)
    assert (result.sequence, result.reason, result.suspicious) == (9, EndReason.CPU, (101, 165))
    assert result.collected[:2] == (10, -1)
    for name in FIGURES.keys() - {"suspicious_count"}:
        assert getattr(result, name) == FIGURES[name], name


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_that_is_cut_off_is_a_sandbox_error(message: bytes) -> None:
    for length in range(len(message)):
        with pytest.raises(SandboxError, match="no message of ours"):
            decode(message[:length])
    with pytest.raises(SandboxError):
        decode(message + b"\0")


@pytest.mark.parametrize(
    ("offset", "value"),
    [(0, 1), (4, 2), (8, MessageKind.RUN), (8, 77), (16, 99), (100, 17)],
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


def test_a_field_that_is_missing_or_unknown_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        wire.FILE.pack(bytes=1)
    with pytest.raises(TypeError, match="size"):
        wire.FILE.pack(bytes=1, flags=0, size=2)


# What wire.h says, and what the driver thinks that it says.

WIRE_H = re.sub(r"/\*.*?\*/", "", (Path(wire.__file__).with_name("src") / "wire.h").read_text(), flags=re.DOTALL)
DEFINED = {name: eval(value.strip().rstrip("u")) for name, value in re.findall(r"#define (\w+) ([\w* x()]+)\n", WIRE_H)}


LIMITS = ("MESSAGE", "SUSPICIOUS", "ARGS", "ENV", "FILES", "COLLECT", "OWN")


@pytest.mark.parametrize("name", ["MAGIC", "VERSION", *(f"{what}_MAX" for what in LIMITS)])
def test_numbers_are_those_of_wire_h(name: str) -> None:
    assert getattr(wire, name) == DEFINED[name if name.endswith("MAX") else f"WIRE_{name}"]


@pytest.mark.parametrize(
    ("name", "layout"),
    {
        "header": wire.HEADER,
        "setup": wire.SETUP,
        "standing": wire.STANDING,
        "walls": wire.WALLS,
        "rule": wire.RULE,
        "use": wire.USE,
        "listened": wire.LISTENED,
        "program": wire.PROGRAM,
        "ready": wire.READY,
        "run": wire.RUN,
        "limit": wire.LIMIT,
        "file_entry": wire.FILE,
        "result": wire.RESULT,
        "failed": wire.FAILED,
    }.items(),
)
def test_structures_are_those_of_wire_h(name: str, layout: wire.Layout) -> None:
    (body,) = re.findall(rf"struct {name} \{{(.*?)\}}", WIRE_H, re.DOTALL)
    if name != "header":
        before, body = body.split("struct header header;") if "struct header" in body else ("", body)
        assert not before.strip()
    declared = re.sub(r"\[(\w+)\]", lambda found: f"[{DEFINED[found[1]]}]", body)
    head = (
        wire.HEADER.fields
        if name not in ("header", "file_entry", "limit", "rule", "use", "listened", "program")
        else ()
    )
    assert layout.fields == head + wire.Layout(declared).fields


@pytest.mark.parametrize(
    ("name", "prefix", "kind"),
    [
        ("message_kind", "MESSAGE_", MessageKind),
        ("layer", "LAYER_", Layer),
        ("view_kind", "VIEW_", wire.ViewKind),
        ("setup_fd", "FD_", wire.SetupFd),
        ("run_fd", "FD_", wire.RunFd),
        ("file_flag", "FILE_", wire.FileFlag),
        ("reason", "REASON_", EndReason),
        ("count", "COUNT_", Count),
        ("use_how", "USE_", How),
    ],
)
def test_enumerations_are_those_of_wire_h(name: str, prefix: str, kind: type[IntEnum | IntFlag]) -> None:
    assert {f"{prefix}{member.name}": member.value for member in kind} == enumerated(name)


def test_each_stage_has_words() -> None:
    stages = enumerated("stage")
    assert sorted(wire._STAGES) == sorted(stages.values())
    for name in ("USERNS", "UNSHARE", "PRIVATE", "LANDLOCK", "SECCOMP"):
        assert getattr(wire, f"STAGE_{name}") == stages[f"STAGE_{name}"]


def enumerated(name: str) -> dict[str, int]:
    (body,) = re.findall(rf"enum {name} \{{(.*?)\}};", WIRE_H, re.DOTALL)
    found, value = {}, 0
    for entry in filter(None, map(str.strip, body.split(","))):
        member, _, given = entry.partition(" = ")
        value = eval(given) if given else value
        found[member] = value
        value += 1
    return found
