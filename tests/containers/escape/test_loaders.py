"""Executables that the kernel refuses. A submission chooses its headers (assembly in a C program names another loader,
where the linker is gold or the default one): whatever the kernel says of them is the program's failure, never ours."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from containers import RunLimits, RunSpec, Sandbox
from judge.common.models import Verdict
from judge.ruling.classify import Allowed, classify
from judge.store.memfd import memfd
from tests.containers.conformance.conftest import LIMITS
from tests.containers.variants import VARIANTS

#: What the program names as its loader.
_LOADERS = {
    "a device": "/dev/null",
    "below a device": "/dev/null/x",
    "a directory": "/usr",
    "a file that cannot be executed": "/etc/passwd",
    "a file that is not there": "/no/such/loader",
    "a file of the kernel's": "/proc/self/mem",
    "a text that is shorter than a header": "/etc/ld.so.conf",
    "another program": "/usr/bin/env",
    "the standard input": "/proc/self/fd/0",
    "a relative name": "x",
    "an endless name": "/" + 300 * "x",
    "an endless path": 1500 * "/x",
    "more than a path holds": 2500 * "/x",
    "a closed directory": "/root/x",
}
#: Offsets of the ELF header, and of a program header, with what is written there.
_HEADERS: dict[str, tuple[int, str, int]] = {
    "no type": (16, "<H", 0),
    "an object": (16, "<H", 1),
    "a core": (16, "<H", 4),
    "another machine": (18, "<H", 0xB7),
    "no entry": (24, "<Q", 0),
    "an entry in the kernel": (24, "<Q", 1 << 63),
    "no program headers": (56, "<H", 0),
    "program headers beyond the end": (32, "<Q", 1 << 40),
    "too many program headers": (56, "<H", 0xFFFF),
    "program headers of another size": (54, "<H", 8),
}
_SEGMENTS: dict[str, tuple[int, str, int]] = {
    "a segment of all memory": (40, "<Q", (1 << 47) - 1),
    "a segment of more than all memory": (40, "<Q", (1 << 64) - 1),
    "a segment at address 0": (16, "<Q", 0),
    "a segment in the kernel": (16, "<Q", 1 << 63),
    "a segment beyond the end of the file": (8, "<Q", 1 << 40),
    "a segment that is larger in the file": (32, "<Q", 1 << 40),
}
#: What runs all the same, as any program.
_LOADED = ("loader: another program",)
_LOADED_BY_GVISOR = (*_LOADED, "a segment that is larger in the file")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | None], bytes]:
    """A program with a loader of one's choice, or with the usual one."""
    directory = tmp_path_factory.mktemp("loaders")

    def build(loader: str | None) -> bytes:
        path: Path = directory / "program"
        named = () if loader is None else (f"-Wl,--dynamic-linker={loader}",)
        command = ("gcc", "-x", "c", "-", "-no-pie", "-fuse-ld=gold", *named, "-o", str(path))
        subprocess.run(command, input=b"int main(void) { return 0; }", check=True)
        return path.read_bytes()

    return build


def _patched(program: bytes, offset: int, kind: str, value: int) -> bytes:
    changed = bytearray(program)
    struct.pack_into(kind, changed, offset, value)
    return bytes(changed)


def _load_segment(program: bytes) -> int:
    """Where the header of the first PT_LOAD is."""
    start, size, count = struct.unpack_from("<Q", program, 32)[0], *struct.unpack_from("<HH", program, 54)
    return next(at for at in range(start, start + size * count, size) if struct.unpack_from("<I", program, at)[0] == 1)


def _programs(built: Callable[[str | None], bytes]) -> Iterator[tuple[str, bytes]]:
    for name, loader in _LOADERS.items():
        yield f"loader: {name}", built(loader)
    plain = built(None)
    for name, patch in _HEADERS.items():
        yield name, _patched(plain, *patch)
    first = _load_segment(plain)
    for name, (offset, kind, value) in _SEGMENTS.items():
        yield name, _patched(plain, first + offset, kind, value)
    yield "cut off in its headers", plain[:70]
    yield "cut off in its code", plain[:1000]
    yield "a header alone", plain[:64]
    yield "nothing", b"\n"
    yield "a script of an interpreter that is not there", b"#!/no/such/interpreter\n"
    yield "a script of a device", b"#!/dev/null\n"
    yield "a script without an end", b"#!" + 5000 * b"/x"


def test_what_cannot_be_loaded_is_the_programs_failure(
    tier: str, open_slot: Callable[..., Sandbox], built: Callable[[str | None], bytes]
) -> None:
    slot = open_slot()
    loaded = _LOADED_BY_GVISOR if VARIANTS[tier].gvisor else _LOADED
    limits: RunLimits = LIMITS
    allowed = Allowed(
        cpu_ns=limits.cpu_ns or 0,
        wall_ns=limits.wall_ns,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )
    errors = set()
    wrong = {}
    for name, program in _programs(built):
        with memfd("program", program, executable=True) as executable:
            outcome = slot.run(RunSpec(argv=("program",), executable=executable, limits=limits))
        ruling = classify(outcome, allowed)
        errors.add(outcome.exec_errno)
        if name not in loaded and (ruling is None or ruling.verdict not in (Verdict.RE, Verdict.MLE)):
            wrong[name] = (ruling, outcome.exec_errno and os.strerror(outcome.exec_errno))
    assert wrong == {}
    assert len(errors) > 3, "the kernel has many words for it"
