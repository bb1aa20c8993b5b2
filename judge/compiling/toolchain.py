"""Identifies the compiler on this machine, and runs it to build what we need (always in a sandbox).

    headers/<identity>/     of one toolchain: linker, prebuilt, headers and held keep here what they make;
                            its mtime says when it was last used

Sandboxes mount this directory, and compilers read it by path. `Cache.toolchain` makes sure that all of it is ours;
`trim` bounds its size.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from containers import File, Outcome, RunLimits, RunSpec, Sandbox, SandboxError, Termination, Trust
from containers.spec import MIB
from judge.common.errors import ConfigError
from judge.languages import ENVIRONMENT, SMOKE_INPUT, SMOKE_OUTPUT, Language
from judge.store.cache import Cache
from judge.store.directory import Directory, lock_file, make_below, writing
from judge.store.memfd import memfd

SECOND_NS = 1_000_000_000
#: Wall limit of a compiler, in units of its CPU limit. It is wide, so that the load decides nothing.
_PATIENCE = 10
#: What a compile that a program can make sleep (`Compile.runs`) has beyond its CPU limit. Time without a core is added.
_SLEEP_NS = SECOND_NS
#: Limits of our own builds. A precompiled header has some 110 MB and takes 430 MiB of memory to make; Go's standard
#: library has thousands of files and takes 270 MiB.
BUILD_LIMITS = RunLimits(
    cpu_ns=120 * SECOND_NS,
    wall_ns=300 * SECOND_NS,
    memory_bytes=1024 * MIB,
    processes=64,
    open_files=256,
    directory_bytes=384 * MIB,
    directory_inodes=32768,
)
RUN_LIMITS = RunLimits(cpu_ns=10 * SECOND_NS, wall_ns=30 * SECOND_NS, memory_bytes=512 * MIB)

#: A C and C++ program that does what every smoke program does, but includes no header: it compiles fast.
TINY = b"""
#ifdef __cplusplus
extern "C"
#endif
int puts(const char *);
int main(void) {
#ifdef __cplusplus
    try { throw 7; } catch (int) { return puts("7") < 0; }
#else
    return puts("7") < 0;
#endif
}
"""

#: If one of these changes (by a package upgrade), compiles change, even if the compiler's own file does not.
_WITNESSES = (
    *(f"/usr/bin/{name}" for name in ("as", "ld", "ld.mold", "ld.gold", "ld.lld")),
    *(f"{top}/include/{name}" for top in ("/usr", "/usr/local") for name in ("features.h", "c++")),
)

#: These change when a package is installed, upgraded or removed, and with that what compilers and interpreters find.
SYSTEM = (
    *("/var/lib/dpkg/status", "/var/lib/rpm", "/lib/apk/db/installed", "/var/lib/pacman/local", "/etc/ld.so.cache"),
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/bin", "/usr/bin"),
)

_log = logging.getLogger(__name__)

#: Limit of headers/. Above it we drop toolchains that nobody used for a day, the one unused for longest first.
HEADERS_BYTES = 4 * 1024**3
_UNUSED_S = 86_400.0
#: Temporary files older than this were left by a killed process: nothing takes so long to make.
_LEFT_S = 3_600.0
#: After a failed write we do not make the same thing again for this time.
_AGAIN_S = 60.0
#: When a write failed, and why.
_unwritten: dict[str, tuple[float, str]] = {}

#: What gcc says if somebody killed a program that it started.
_KILLED = re.compile(rb"Killed signal terminated program|terminated with signal 9")


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """One compiler with its directory in the cache: ``headers/<identity>/``."""

    compiler: Path
    identity: str
    directory: Path

    @staticmethod
    def of(language: Language, cache: Cache) -> Toolchain:
        """
        Raises:
            LanguageError: the toolchain is not installed.
        """
        compiler = language.find()
        facts = []
        for path in (str(compiler), *language.toolchain.needs, *_WITNESSES):
            with suppress(OSError):  # not there
                status = os.stat(path)  # noqa: PTH116 - at every compile: a Path takes three times as long
                facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
        identity = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
        return Toolchain(compiler=compiler, identity=identity, directory=cache.toolchain(identity))

    @property
    def clang(self) -> bool:
        return self.compiler.name.startswith("clang")

    @contextmanager
    def building(self, what: str) -> Iterator[None]:
        """A context that only one builder of `what` on this machine can be in.

        Raises:
            ConfigError: the directory cannot be written, or a write failed less than a minute ago.
        """
        headers, key = self.directory.parent, f"{self.directory} {what}"
        failed_s, why = _unwritten.get(key, (-_AGAIN_S, ""))
        if time.monotonic() - failed_s < _AGAIN_S:
            raise ConfigError(why)
        digest = hashlib.sha256(f"{self.identity} {what}".encode()).digest()
        try:
            with writing(headers):
                make_below(headers, self.directory)
            with lock_file(headers / "lock", 1 + int.from_bytes(digest[:7])):
                yield
        except ConfigError as error:
            _log.warning("%s", error)
            _unwritten[key] = time.monotonic(), str(error)
            raise
        with suppress(OSError):
            trim(headers)

    def build(self, sandbox: Sandbox, *arguments: str, files: tuple[File, ...], output: str) -> bytes | None:
        """Run the compiler on our own files; the content of `output`, or None if it failed."""
        outcome = run(
            sandbox,
            RunSpec(
                argv=(str(self.compiler), *arguments, "-o", output),
                limits=BUILD_LIMITS,
                trust=Trust.TOOL,
                env=ENVIRONMENT,
                files=files,
                mounts=(self.directory,) if self.directory.exists() else (),
                collect=(output,),
            ),
        )
        return outcome.files.get(output) if has_succeeded(outcome) else None


def system_facts() -> str:
    """What changes when something is installed, in one text."""
    facts = []
    for path in SYSTEM:
        with suppress(OSError):  # not there
            status = os.stat(path)  # noqa: PTH116 - as above
            facts.append(f"{path} {status.st_size} {status.st_ino} {status.st_ctime_ns}")
    return "\n".join(facts)


def trim(headers: Path) -> None:
    """Keep headers/ below its limit, and remove what a killed process left half made."""
    top, now_s = Directory.of(headers), time.time()
    for directory, names, files, fd in os.fwalk(".", dir_fd=top.fd):
        for name in (*names, *files):
            if name.startswith(".new-") and now_s - os.stat(name, dir_fd=fd, follow_symlinks=False).st_mtime > _LEFT_S:
                top.remove(f"{directory}/{name}")
    toolchains = sorted(
        (os.stat(name, dir_fd=top.fd, follow_symlinks=False).st_mtime, top.size(name), name)
        for name in top.names()
        if name != "lock"
    )
    excess = sum(size for _, size, _ in toolchains) - HEADERS_BYTES
    for used_s, size, name in toolchains:
        if excess > 0 and now_s - used_s > _UNUSED_S:
            top.remove(name)
            excess -= size


def limits(language: Language) -> RunLimits:
    """Limits of a compile of a program. To exceed them is a compile error."""
    cpu_ns, trust = language.compile.cpu_ns, language.compile.trust
    return RunLimits(
        cpu_ns=cpu_ns,
        wall_ns=_PATIENCE * cpu_ns if trust is Trust.TOOL else cpu_ns + _SLEEP_NS,
        memory_bytes=language.compile.memory_bytes,
        output_bytes=16 * MIB,
        processes=0 if language.compile.warm else language.compile.processes,
        open_files=256,
        directory_bytes=256 * MIB,
    )


def run(sandbox: Sandbox, spec: RunSpec) -> Outcome:
    """Run a compiler. If it or a part of it was killed, but not by a limit, run it once more: somebody else killed it.
    A cancelled run says nothing about the compiler, so that is an error.

    Raises:
        SandboxError: the run was cancelled, or the sandbox failed.
    """
    outcome = sandbox.run(spec)
    if _was_killed(outcome):
        outcome = sandbox.run(spec)
    if outcome.termination is Termination.CANCELLED:
        raise SandboxError("the compile was cancelled")
    return outcome


def _was_killed(outcome: Outcome) -> bool:
    """Whether the compiler or a part of it was killed. No submission's program runs here, so none gets a second try."""
    if outcome.termination is Termination.SIGNALED:
        return outcome.signal == signal.SIGKILL
    ended = outcome.termination is Termination.EXITED and outcome.exit_code != 0
    return ended and _KILLED.search(outcome.stderr) is not None


def has_succeeded(outcome: Outcome) -> bool:
    return outcome.termination is Termination.EXITED and outcome.exit_code == 0


def works(program: bytes | None, sandbox: Sandbox) -> bool:
    """Whether a compiled smoke program does what every smoke program does."""
    if program is None:
        return False
    with memfd("smoke", program, executable=True) as fd, memfd("input", SMOKE_INPUT) as stdin:
        spec = RunSpec(argv=("smoke",), executable=fd, stdin=stdin, limits=RUN_LIMITS, env=ENVIRONMENT)
        outcome = run(sandbox, spec)
    return has_succeeded(outcome) and outcome.stdout == SMOKE_OUTPUT
