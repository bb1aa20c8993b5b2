"""The seed corpus: messages as the driver makes them, and messages that a parser must refuse.

    python -m tests.fuzz.seeds          # writes tests/fuzz/corpus

Names begin with what the launcher does with them: ``accepted-`` or ``refused-`` (of the kernel's text: whether it holds
a figure).
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from containers import File, RunLimits, RunSpec, Trust
from containers.launcher import wire
from containers.launcher.child import Child
from containers.launcher.filters.bpf import ALLOW, IF_OWN, Block, fail
from containers.launcher.filters.run import Count, Listened
from containers.launcher.filters.uses import How, Use
from containers.launcher.landlock import NONE, Ruleset, make_ruleset
from containers.launcher.plan import Plan
from containers.launcher.request import request
from containers.launcher.view import pack
from containers.launcher.walls import pack_walls
from containers.launcher.wire import Layer, MessageKind, RunFd, SetupFd, ViewKind
from containers.spec import ALL

CORPUS = Path(__file__).with_name("corpus")

_PLAN = Plan(starter=Child(), user_namespace=False, own_uid=True, cgroup=None)
_LIMITS = RunLimits(cpu_ns=1_000_000_000, wall_ns=3_000_000_000, memory_bytes=256 << 20)
_SPEC = RunSpec(argv=("program",), limits=_LIMITS)
_STREAMS = RunFd.STDIN | RunFd.STDOUT | RunFd.STDERR
_VIEW = [
    (ViewKind.BIND, "/usr", "/usr"),
    (ViewKind.DEVICE, "/dev/null", "/dev/null"),
    (ViewKind.SYMLINK, "usr/bin", "/bin"),
    (ViewKind.TEXT, "root:x:0:0::/:/bin/false\n", "/etc/passwd"),
    (ViewKind.MASK, "", "/usr/share/secret"),
    (ViewKind.HOME, "/tmp/judge-slot-1/run", "/tmp/judge-slot-1/run"),
    (ViewKind.LIST, "/opt", "/opt/a..b"),
]

_LISTENED = [Listened(257, 2, 0o100, Count.FILE, Count.NAME)]
_USES = [Use(257, 0, 1, 2), Use(80, -1, 0, How.LINK)]
_RULESET = make_ruleset(6, _VIEW, mounts=False)


def _setup(view: list[tuple[ViewKind, str, str]], bits: int = 0, *, views: int | None = None) -> bytes:
    layers = Layer.MOUNT | Layer.UID | Layer.SECCOMP | Layer.LANDLOCK | Layer.RLIMIT
    count = len(view) if views is None else views
    asked = {"layers": layers, "fds": bits, "uid": 52_001, "gid": 52_001, "views": count}
    return wire.message(wire.SETUP, MessageKind.SETUP, 0, **asked) + pack(view)


def _run(spec: RunSpec, bits: RunFd = _STREAMS) -> bytes:
    fds = {bit: 0 for bit in RunFd if bit in bits}
    return request(7, spec, fds, _PLAN, "/box/run/work")


def _walls(
    rows: Sequence[Listened] = _LISTENED,
    program: Block = (ALLOW,),
    programs: int = 7,
    used: Sequence[Use] = _USES,
    ruleset: Ruleset = _RULESET,
) -> bytes:
    return pack_walls(5, ruleset, used, rows, [program] * programs)


def _replaced(message: bytes, offset: int, kind: str, value: int) -> bytes:
    return message[:offset] + struct.pack(f"={kind}", value) + message[offset + struct.calcsize(f"={kind}") :]


def _accepted() -> Iterator[tuple[str, int, bytes]]:
    """(name, descriptors beside it, message)."""
    yield "setup-empty", 0, _setup([])
    yield "setup-view", 0, _setup(_VIEW)
    yield "setup-cgroup", len(SetupFd), _setup(_VIEW, sum(SetupFd))
    yield "setup-cgroup-v2-old", 2, _setup(_VIEW, SetupFd.CGROUP_LIMIT | SetupFd.CGROUP_EVENTS)
    yield "run-plain", 3, _run(_SPEC)
    yield "run-executable", 4, _run(_SPEC, _STREAMS | RunFd.EXECUTABLE)
    compiling = replace(
        _SPEC,
        argv=("/usr/bin/g++", "-O2", "../in/a.cpp", "-o", "solution"),
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        files=(File(name="a.cpp", content=b"int main(){}"), File(name="b", content=b"", work=True, executable=True)),
        collect=("solution", "other"),
        limits=replace(_LIMITS, processes=64),
        trust=Trust.TOOL,
    )
    yield "run-compile", 6, _run(compiling, RunFd(63))
    many = replace(_SPEC, argv=("a",) * 512, env={f"E{i}": "" for i in range(62)}, collect=("c",) * 16)
    yield "run-most", 4, _run(many, _STREAMS | RunFd.COLLECT)
    yield "run-collect-all", 4, _run(replace(_SPEC, collect=ALL), _STREAMS | RunFd.COLLECT)
    yield "walls", 0, _walls()
    yield "walls-nothing-listened", 0, _walls(rows=[], used=[], ruleset=NONE)
    yield "walls-mounts", 0, _walls(ruleset=make_ruleset(3, [], mounts=True))
    yield "walls-own", 0, _walls(program=(IF_OWN, ALLOW, fail(errno.EPERM)) * 4)
    yield "stop", 0, wire.message(wire.HEADER, MessageKind.STOP, 7)


def _refused() -> Iterator[tuple[str, int, bytes]]:
    run, setup = _run(_SPEC), _setup(_VIEW)
    fds, args = wire.RUN.size - 20, wire.RUN.size - 16
    yield "empty", 0, b""
    yield "magic", 3, _replaced(run, 0, "I", 0)
    yield "version", 3, _replaced(run, 4, "I", wire.VERSION + 1)
    yield "kind", 3, _replaced(run, 8, "I", 99)
    yield "header-cut", 3, run[:15]
    yield "run-cut", 3, run[: wire.RUN.size - 1]
    yield "run-unterminated", 3, run[:-1]
    yield "run-trailing", 3, run + b"\0"
    yield "run-one-descriptor-less", 2, run
    yield "run-one-descriptor-more", 4, run
    yield "run-unknown-descriptor", 4, _replaced(run, fds, "I", 1 << 30 | _STREAMS)
    yield "run-no-stderr", 2, _replaced(run, fds, "I", RunFd.STDIN | RunFd.STDOUT)
    yield "run-no-arguments", 3, _replaced(run, args, "I", 0)
    yield "run-one-argument-too-many", 3, _run(replace(_SPEC, argv=("a",) * 513))
    yield "run-many-limits", 3, _replaced(run, wire.RUN.size - 28, "I", 17)
    yield "run-limits-missing", 3, _replaced(run, wire.RUN.size - 28, "I", 16)
    yield "run-no-wall", 3, _replaced(run, 24, "Q", 0)
    for place, name in enumerate(("args", "envs", "files", "collects")):
        yield f"run-many-{name}", 3, _replaced(run, args + 4 * place, "I", 0xFFFFFFFF)
    for name in ("", ".", "..", "/a", "a/", "a//b", "a/../b", "a/..", "x" * 256, "/".join("b" * 9)):
        text = wire.strings((name,))
        one = _replaced(_replaced(run, fds, "I", 63), args + 8, "I", 1) + wire.FILE.pack(bytes=0, flags=0) + text
        yield f"file-{name[:6].replace('/', '-') or 'nameless'}", 6, one
        one = _replaced(_replaced(run, fds, "I", 63), args + 12, "I", 1) + text
        if name != ".":
            yield f"collect-{name[:6].replace('/', '-') or 'nameless'}", 6, one
    two = _replaced(_replaced(run, fds, "I", 63), args + 12, "I", 2) + wire.strings((".", "a"))
    yield "collect-all-and-one", 6, two
    yield "file-without-bundle", 3, _replaced(run, args + 8, "I", 1) + wire.FILE.pack(bytes=0, flags=0) + b"a\0"
    yield "collect-without-descriptor", 3, _replaced(run, args + 12, "I", 1) + b"a\0"
    yield "setup-cut", 0, setup[: wire.SETUP.size - 1]
    yield "setup-unterminated", 0, setup[:-1]
    yield "setup-trailing", 0, setup + b"\0"
    yield "setup-many-views", 0, _setup([], views=0xFFFFFFFF)
    yield "setup-views-missing", 0, _setup(_VIEW, views=8)
    yield "setup-kind", 0, _setup([]).replace(b"\0" * 8, b"\1" + b"\0" * 7)[: wire.SETUP.size] + b"\x09/a\0/a\0"
    yield "setup-unknown-descriptor", 1, _setup(_VIEW, 2 * max(SetupFd))
    for number, target in enumerate(("usr", "", "/..", "/usr/../etc", "/usr/..")):
        yield f"setup-target-{number}", 0, _setup([(ViewKind.BIND, "/usr", target)])
    yield "result", 0, bytes(wire.RESULT.size)


def _refused_walls() -> Iterator[tuple[str, int, bytes]]:
    walls, program = _walls(), len(_walls(programs=0))
    yield "walls-cut", 0, walls[:-1]
    yield "walls-head-cut", 0, walls[: wire.WALLS.size - 1]
    yield "walls-trailing", 0, walls + b"\0"
    yield "walls-descriptor", 1, walls
    yield "walls-one-less", 0, _walls(programs=6)
    yield "walls-empty-program", 0, _walls(program=())
    yield "walls-long", 0, _walls(program=(ALLOW,) * 1200)
    yield "walls-length", 0, _replaced(walls, program, "I", 0xFFFFFFFF)
    yield "walls-owns", 0, _replaced(walls, program + 4, "I", wire.OWN_MAX + 1)
    yield "walls-own-beyond", 0, _replaced(_replaced(walls, program + 4, "I", 1), program + 8, "I", 1)
    yield "walls-listened", 0, _walls(rows=_LISTENED * 65)
    yield "walls-argument", 0, _walls(rows=[_LISTENED[0]._replace(argument=6)])
    yield "walls-uses", 0, _walls(used=_USES * 33)
    for number, wrong in enumerate(({"directory": -2}, {"directory": 6}, {"name": -1}, {"name": 6}, {"how": 6})):
        yield f"walls-use-{number}", 0, _walls(used=[_USES[0]._replace(**wrong)])
    yield "walls-landlock", 0, _walls(ruleset=replace(_RULESET, known_bytes=25))
    yield "walls-rules", 0, _walls(ruleset=replace(_RULESET, rules=(("/a", 1),) * 2049))
    yield "walls-rule-relative", 0, _walls(ruleset=replace(_RULESET, rules=(("a", 1),)))
    yield "walls-rule-upwards", 0, _walls(ruleset=replace(_RULESET, rules=(("/a/..", 1),)))


def _kernel_text() -> Iterator[tuple[str, bytes]]:
    """Files of /proc and of a cgroup, as meter.c reads them."""
    stat = " S 1 7 7 0 -1 4194560 100 0 0 0 1 0 0 0 20 0 3 0 12345 2396160 700 18446744073709551615\n"
    yield "accepted-stat", b"7 (probe)" + stat.encode()
    yield "accepted-stat-awkward-name", b"7 (a) R 1 9 (\n)" + stat.encode()
    yield "refused-stat-cut", b"x 7 (probe) S 1"
    yield (
        "accepted-status",
        b"Name:\tx\\nRssAnon: 9\nState:\tR (running)\nVmRSS:\t 200 kB\n"
        b"RssAnon:\t     100 kB\nRssShmem:\t 5 kB\nVmSwap:\t 0 kB\n",
    )
    yield "refused-status-ended", b"Name:\ta\nState:\tZ (zombie)\nThreads:\t2\n"
    yield "accepted-memory-events", b"low 0\nhigh 0\nmax 5\noom 2\noom_kill 1\noom_group_kill 0\n"
    yield "accepted-oom-control", b"oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"
    yield "number", b"9223372036854771712\n"
    yield "cpu", b"usage_usec 123456\nuser_usec 100000\nsystem_usec 23456\n"
    yield "nothing", b""


def _mappings() -> Iterator[tuple[str, bytes]]:
    """/proc/<pid>/maps and links of /proc/<pid>/fd, as nameless.c reads them: a file of the box that was deleted."""
    line = "7f0000000000-7f0000001000 r--s 00000000 fe:00 1234    "
    yield "accepted-mapping", f"{line}/box/run/work/x (deleted)\n".encode()
    yield "accepted-descriptor", b"/box/run/work/x (deleted)"
    yield "accepted-long", b"x" * 70_000
    yield "refused-elsewhere", f"{line}/tmp/x (deleted)\n{line}/box/run/work/x\n{line}\n".encode()
    yield "refused-cut", line.encode() + b"/box/run/work/x (deleted"
    yield "refused-nothing", b""


def _executables() -> Iterator[tuple[str, bytes]]:
    """Headers of ELF, as vet.c reads them: the loader, if there is one, must be of the view, which is /usr."""

    def elf(*parts: tuple[int, int, int], text: bytes = b"", kind: int = 2, count: int | None = None) -> bytes:
        identity = b"\x7fELF" + bytes([kind, 1, 1]) + bytes(9)
        head = struct.pack(
            "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, len(parts) if count is None else count, 0, 0, 0
        )
        rows = [struct.pack("<IIQQQQQQ", kind, 4, at, 0, 0, size, size, 1) for kind, at, size in parts]
        return identity + head + b"".join(rows) + text

    load, loader = 1, 3
    after = 64 + 56  # where the text lies behind one row
    yield "accepted-static", elf((load, 0, 64))
    yield "accepted-loader", elf((loader, after, 15), text=b"/usr/lib/ld.so\0")
    yield "accepted-second", elf((load, 0, 64), (loader, after + 56, 15), text=b"/usr/lib/ld.so\0")
    yield "refused-outside", elf((loader, after, 10), text=b"/tmp/ld.s\0")
    yield "refused-unended", elf((loader, after, 14), text=b"/usr/lib/ld.so\0")
    yield "refused-long", elf((loader, after, 5000), text=b"/usr/" + b"x" * 5000)
    yield "refused-cut", elf((loader, 1 << 63, 15))
    yield "refused-rows", elf((load, 0, 64), count=65535)
    yield "refused-32-bit", elf((load, 0, 64), kind=1)
    yield "refused-script", b"#!/usr/bin/env python3\n"
    yield "refused-nothing", b""


def seeds() -> dict[str, bytes]:
    """By path below the corpus."""
    found = {f"request/accepted-{name}": bytes([count]) + message for name, count, message in _accepted()}
    found |= {
        f"request/refused-{name}": bytes([count]) + message for name, count, message in (*_refused(), *_refused_walls())
    }
    found |= {f"nameless/{name}": text for name, text in _mappings()}
    found |= {f"executable/{name}": text for name, text in _executables()}
    return found | {f"meter/{name}": text for name, text in _kernel_text()}


def main() -> None:
    made = seeds()
    for path, content in made.items():
        (CORPUS / path).parent.mkdir(parents=True, exist_ok=True)
        (CORPUS / path).write_bytes(content)
    for old in CORPUS.glob("*/*"):
        if str(old.relative_to(CORPUS)) not in made:
            old.unlink()


if __name__ == "__main__":
    main()
