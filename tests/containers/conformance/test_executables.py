"""Executables that cannot be executed. A program chooses every byte of its own, by inline assembly and sections:
whatever the kernel says of it is a fact about the program, never a failure of ours."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from containers import File, Outcome, RunSpec, Sandbox
from judge.common.models import Verdict
from judge.ruling.classify import Allowed, classify
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND, Probe

LOAD, INTERP, TLS, PROPERTY, STACK = 1, 3, 7, 0x6474E553, 0x6474E551
#: Offsets in the file header, of 64 bits.
TYPE, MACHINE, ENTRY, PHOFF, PHENTSIZE, PHNUM = 16, 18, 24, 32, 54, 56
PHDR = struct.Struct("<IIQQQQQQ")
_WIDTH = {TYPE: "<H", MACHINE: "<H", ENTRY: "<Q", PHOFF: "<Q", PHENTSIZE: "<H", PHNUM: "<H"}
FAR = 1 << 46
ENDS_AT_ONCE = {
    "x86_64": "mov $60, %eax\n mov $42, %edi\n syscall",
    "aarch64": "mov x8, #93\n mov x0, #42\n svc #0",
}


@dataclass(frozen=True, kw_only=True)
class Hostile:
    """What is changed in an executable that ends at once with 42."""

    #: Names a loader.
    interp: bytes | None = None
    #: Of its first segment: address, bytes in memory, alignment, bytes in the file, offset.
    load: dict[str, int] = field(default_factory=dict)
    #: More segments: (type, flags, offset, address, bytes in the file, bytes in memory, alignment).
    more: tuple[tuple[int, ...], ...] = ()
    header: dict[int, int] = field(default_factory=dict)
    #: Only so many bytes of the file.
    cut: int | None = None
    whole: bytes | None = None

    def of(self, good: bytes) -> bytes:
        if self.whole is not None:
            return self.whole
        (at,), (count,) = struct.unpack_from("<Q", good, PHOFF), struct.unpack_from("<H", good, PHNUM)
        segments = [list(PHDR.unpack_from(good, at + PHDR.size * index)) for index in range(count)]
        first = next(segment for segment in segments if segment[0] == LOAD)
        for name, value in self.load.items():
            first[("offset", "vaddr", "paddr", "filesz", "memsz", "align").index(name) + 2] = value
        made = bytearray(good)
        for kind, flags, offset, address, in_file, in_memory, align in self.more:
            segments.append([kind, flags, offset, address, address, in_file, in_memory, align])
        if self.interp is not None:
            segments.insert(0, [INTERP, 4, len(made), 0, 0, len(self.interp), len(self.interp), 1])
            made += self.interp
        struct.pack_into("<Q", made, PHOFF, len(made))
        struct.pack_into("<H", made, PHNUM, len(segments))
        made += b"".join(PHDR.pack(*segment) for segment in segments)
        for offset, value in self.header.items():
            struct.pack_into(_WIDTH[offset], made, offset, value)
        return bytes(made[: self.cut])


def names(path: str) -> Hostile:
    return Hostile(interp=path.encode() + b"\0")


HOSTILE: dict[str, Hostile] = {
    **{
        f"loader {path}": names(path)
        for path in (
            *("/dev/null", "/dev/null/x", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/fd/1", "/dev/fd/9", "/dev/tty"),
            *(
                "/",
                ".",
                "..",
                "/usr",
                "/usr/bin/",
                "/proc/self/exe",
                "/proc/self/mem",
                "/proc/self/fd/0",
                "/proc/1/mem",
            ),
            *("/etc/passwd", "/etc/ld.so.cache", "/no/such/loader", "no-such-loader", "../in/short", "../in/data"),
            *("../in/script", "../in", "../program", "/usr/bin/python3", "/bin/sh", "/usr/bin/ldd", "/box", "/tmp"),
        )
    },
    "loader of no name": Hostile(interp=b""),
    "loader of an empty name": names(""),
    "loader without an end": Hostile(interp=b"/dev/null"),
    "loader with a long name": names("/" + "a" * 300),
    "loader with a long path": names("/a" * 2000),
    "loader with a path beyond all limits": names("/a" * 3000),
    "loader named by one byte": Hostile(interp=b"\0"),
    "loader named beyond the file": Hostile(more=((INTERP, 4, 1 << 20, 0, 16, 16, 1),)),
    "loader named at the last offset": Hostile(more=((INTERP, 4, (1 << 63) - 8, 0, 16, 16, 1),)),
    "two loaders": Hostile(interp=b"/dev/null\0", more=((INTERP, 4, 0, 0, 16, 16, 1),)),
    "huge memory": Hostile(load={"memsz": FAR}),
    "endless memory": Hostile(load={"memsz": (1 << 64) - 4096}),
    "less memory than file": Hostile(load={"memsz": 1, "filesz": 4096}),
    "no memory": Hostile(load={"memsz": 0, "filesz": 0}),
    "at address 0": Hostile(load={"vaddr": 0}),
    "in the kernel": Hostile(load={"vaddr": 0xFFFF_8000_0000_0000}),
    "at the end of addresses": Hostile(load={"vaddr": (1 << 47) - 4096}),
    "not aligned": Hostile(load={"vaddr": 0x400123, "offset": 0}),
    "aligned to too much": Hostile(load={"align": 1 << 62}, header={TYPE: 3}),
    "aligned to 3": Hostile(load={"align": 3}, header={TYPE: 3}),
    "file beyond its end": Hostile(load={"filesz": 1 << 30, "memsz": 1 << 30}),
    "offset beyond its end": Hostile(load={"offset": 1 << 40}),
    "offset that is negative": Hostile(load={"offset": (1 << 64) - 4096}),
    "segments over each other": Hostile(more=tuple((LOAD, 7, 0, 0x400000, 64, 1 << 20, 4096) for _ in range(8))),
    "a segment over the stack": Hostile(more=((LOAD, 6, 0, 0x7FFF_0000_0000, 0, FAR >> 10, 4096),)),
    "a bss of half of memory": Hostile(more=((LOAD, 6, 0, 0x10_0000_0000, 0, 1 << 40, 4096),)),
    "many segments": Hostile(more=tuple((LOAD, 6, 0, (1 << 36) + (i << 24), 0, 4096, 4096) for i in range(1000))),
    "huge threads' memory": Hostile(more=((TLS, 4, 0, 0, 0, FAR, 64),)),
    "properties beyond the file": Hostile(more=((PROPERTY, 4, 1 << 20, 0, 64, 64, 8),)),
    "properties that are too large": Hostile(more=((PROPERTY, 4, 0, 0, 1 << 20, 1 << 20, 8),)),
    "a stack to execute": Hostile(more=((STACK, 7, 0, 0, 0, FAR, 16),)),
    "a stack of no access": Hostile(more=((STACK, 0, 0, 0, 0, 0, 0),)),
    "no segments": Hostile(header={PHNUM: 0}),
    "as many segments as there can be": Hostile(header={PHNUM: 0xFFFF}),
    "segments beyond the file": Hostile(header={PHOFF: 1 << 40}),
    "segments before the file": Hostile(header={PHOFF: (1 << 64) - 64}),
    "segments of another size": Hostile(header={PHENTSIZE: 1}),
    "an object file": Hostile(header={TYPE: 1}),
    "a core file": Hostile(header={TYPE: 4}),
    "of another machine": Hostile(header={MACHINE: 8}),
    "of an old machine": Hostile(header={MACHINE: 3}),
    "an entry that is nowhere": Hostile(header={ENTRY: 0xDEAD_BEEF_DEAD_BEEF}),
    "half a header": Hostile(cut=40),
    "a header alone": Hostile(cut=64),
    "empty": Hostile(whole=b""),
    "one byte": Hostile(whole=b"\x7f"),
    "no executable": Hostile(whole=b"int main(void) { return 0; }\n"),
    "a script": Hostile(whole=b"#!/bin/sh\nexit 3\n"),
    "a script of nothing": Hostile(whole=b"#!"),
    "a script of a device": Hostile(whole=b"#!/dev/null/x\n"),
    "a script of a directory": Hostile(whole=b"#!/usr\n"),
    "a script of itself": Hostile(whole=b"#!../program\n"),
    "a script with a long line": Hostile(whole=b"#!/" + b"a" * 5000 + b"\n"),
}
#: Beside them, to be named as loaders.
FILES = (
    File(name="short", content=b"\x7fELF", executable=True),
    File(name="data", content=bytes(4096)),
    File(name="script", content=b"#!/bin/sh\n" + b"#" * 4096, executable=True),
)


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An executable that ends at once with 42."""
    path = tmp_path_factory.mktemp("executables")
    source = f".globl _start\n_start:\n {ENDS_AT_ONCE[os.uname().machine]}\n"
    (path / "good.s").write_text(source)
    options = ("-nostdlib", "-static", "-Wl,-N", "-Wl,--build-id=none", "-s")
    subprocess.run(("gcc", *options, "-o", path / "good", path / "good.s"), check=True)
    return (path / "good").read_bytes()


@contextmanager
def opened(content: bytes, path: Path) -> Iterator[int]:
    path.write_bytes(content)
    path.chmod(0o755)
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def executed(slot: Sandbox, content: bytes, path: Path) -> Outcome:
    with opened(content, path) as fd:
        return slot.run(RunSpec(argv=("program",), executable=fd, files=FILES, limits=LIMITS))


def test_the_executable_that_is_changed_is_a_good_one(slot: Sandbox, good: bytes, tmp_path: Path) -> None:
    for hostile in (Hostile(), Hostile(more=((STACK, 6, 0, 0, 0, 0, 16),))):
        outcome = executed(slot, hostile.of(good), tmp_path / "program")
        assert (outcome.exit_code, outcome.exec_errno) == (42, None)


def test_no_executable_is_a_failure_of_ours(slot: Sandbox, probe: Probe, good: bytes, tmp_path: Path) -> None:
    """Each of them in the same slot: what it does is a verdict of the program's, and the next run is as ever."""
    allowed = Allowed(cpu_ns=SECOND, wall_ns=10 * SECOND, memory_bytes=256 * MIB, output_bytes=64 * MIB)
    found: dict[str, str] = {}
    for name, hostile in HOSTILE.items():
        outcome = executed(slot, hostile.of(good), tmp_path / "program")
        ruling = classify(outcome, allowed)
        found[name] = f"{ruling.verdict} {ruling.detail}" if ruling else "a clean exit"
        assert probe("echo", stdin=b"x").stdout == b"x", name
    print(found)
    assert {name: said for name, said in found.items() if said.startswith(Verdict.IE)} == {}, found
    assert sum("could not be started" in said for said in found.values()) > 30, found
