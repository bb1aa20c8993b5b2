"""The `unsafe` backend: a plain subprocess with a clock, and no sandbox at all. For debugging a judge on a machine that
grants nothing; used only where somebody names it. Limits are honoured roughly; nothing is contained."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import psutil

from containers.errors import SandboxError, Unsupported
from containers.outcome import Isolation, Outcome, Termination, Usage
from containers.spec import ALL, RunSpec

_TICK_S = 0.005


class UnsafeSandbox:
    """The `Sandbox` protocol over `subprocess`: contains nothing."""

    holds = False

    def __init__(self) -> None:
        self._cancelled = False

    @property
    def isolation(self) -> Isolation:
        return Isolation(backend="unsafe", tier="none", missing=("everything",))

    def run(self, spec: RunSpec) -> Outcome:
        self._cancelled = False
        if spec.pipes:
            raise Unsupported("pipes", "backend unsafe passes the standard streams alone")
        with tempfile.TemporaryDirectory(prefix="judge-unsafe-") as top:
            work = Path(top, "work")
            inputs = Path(top, "in")
            work.mkdir()
            inputs.mkdir()
            for file in spec.files:
                path = (work if file.work else inputs) / file.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod((0o755 if file.work else 0o555) if file.executable else (0o644 if file.work else 0o444))
            with Path(top, "stdout").open("w+b") as out, Path(top, "stderr").open("w+b") as err:
                return self._run(spec, work, out, err)

    def _run(self, spec: RunSpec, work: Path, out: BinaryIO, err: BinaryIO) -> Outcome:
        began = time.monotonic_ns()
        process = _start(spec, work, out, err)
        if spec.handed_over is not None:
            spec.handed_over()
        why: Termination | None = None
        pid = peak = 0
        while not pid:
            sizes = os.fstat(out.fileno()).st_size, os.fstat(err.fileno()).st_size
            peak = max(peak, _resident(process.pid))
            why = why or self._find_exceeded(spec, max(sizes), time.monotonic_ns() - began, peak)
            if why is not None:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(_TICK_S)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        ended = time.monotonic_ns()
        process.returncode = os.waitstatus_to_exitcode(status)
        signalled = os.WIFSIGNALED(status)
        if why is None and signalled and os.WTERMSIG(status) == signal.SIGXCPU:
            why = Termination.CPU_LIMIT
        out.seek(0)
        err.seek(0)
        return Outcome(
            termination=why or (Termination.SIGNALED if signalled else Termination.EXITED),
            exit_code=None if signalled else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if signalled else None,
            usage=Usage(
                cpu_ns=int((usage.ru_utime + usage.ru_stime) * 1e9),
                wall_ns=ended - began,
                ended_ns=ended,
                memory_bytes=peak,  # not ru_maxrss: that counts the copy of our process before exec
                memory_source="seen",
                anonymous_peak_bytes=peak,
            ),
            isolation=self.isolation,
            stdout=out.read(spec.limits.output_bytes),
            stderr=err.read(spec.limits.stderr_bytes),
            stdout_bytes=os.fstat(out.fileno()).st_size,
            stderr_bytes=os.fstat(err.fileno()).st_size,
            files=_collect_files(work, spec),
        )

    def _find_exceeded(self, spec: RunSpec, written: int, wall_ns: int, resident: int) -> Termination | None:
        if self._cancelled:
            return Termination.CANCELLED
        if written > spec.limits.output_bytes:
            return Termination.OUTPUT_LIMIT
        if resident > spec.limits.memory_bytes:
            return Termination.MEMORY_LIMIT
        return Termination.WALL_LIMIT if wall_ns > spec.limits.wall_ns else None

    def stop(self) -> None:
        self._cancelled = True

    def close(self) -> None:
        self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def _start(spec: RunSpec, work: Path, out: BinaryIO, err: BinaryIO) -> subprocess.Popen[bytes]:
    # Some kernels count RLIMIT_CPU by ticks, and reach it after five sixths of the time: so a third is added.
    cpu_s = None if spec.limits.cpu_ns is None else -(-spec.limits.cpu_ns * 4 // 3_000_000_000) + 1

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (spec.limits.memory_bytes, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu_s is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))

    program = spec.argv[0] if spec.executable is None else f"/proc/self/fd/{spec.executable}"
    try:
        return subprocess.Popen(
            spec.argv,
            executable=program,
            stdin=subprocess.DEVNULL if spec.stdin is None else spec.stdin,
            stdout=out if spec.stdout is None else spec.stdout,
            stderr=err,
            cwd=work,
            env={**spec.env, "HOME": str(work), "TMPDIR": str(work)},
            pass_fds=() if spec.executable is None else (spec.executable,),
            preexec_fn=limit,  # noqa: PLW1509 - a debugging aid may be slow and fragile
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxError(f"cannot start {program}: {error.strerror}") from error


def _resident(pid: int) -> int:
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def _collect_files(work: Path, spec: RunSpec) -> dict[str, bytes]:
    names = [path.name for path in work.iterdir()] if spec.collect == ALL else spec.collect
    return {name: data for name in names if (data := _collect(work, name, spec)) is not None}


def _collect(work: Path, name: str, spec: RunSpec) -> bytes | None:
    path = work / name
    linked = path.resolve() != work.resolve() / name
    if linked or not path.is_file() or path.stat().st_size > spec.limits.directory_bytes:
        return None
    return path.read_bytes()
