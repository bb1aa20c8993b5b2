"""No sandbox at all: a plain subprocess with a clock. Only by name, never chosen, for debugging a judge on a machine
that grants nothing. Limits are honoured roughly; nothing is contained."""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from containers.errors import SandboxError, Unsupported
from containers.outcome import Isolation, Outcome, Termination, Usage
from containers.spec import RunSpec

_CHUNK = 1 << 16
_TICK_S = 0.01


class UnsafeSandbox:
    """The `Sandbox` protocol over `subprocess`: contains nothing."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = False

    @property
    def isolation(self) -> Isolation:
        return Isolation(backend="unsafe", tier="none", missing=("everything",))

    def run(self, spec: RunSpec) -> Outcome:
        if spec.limits.processes == 0 and spec.stdout is not None and spec.stdin is None:
            raise Unsupported("stdout", "an own stdout needs an own stdin on this backend")
        self._cancelled = False
        with tempfile.TemporaryDirectory(prefix="judge-unsafe-") as top:
            work = Path(top, "work")
            inputs = Path(top, "in")
            work.mkdir()
            inputs.mkdir()
            for file in spec.files:
                path = (work if file.work else inputs) / file.name
                path.write_bytes(file.content)
                path.chmod((0o755 if file.work else 0o555) if file.executable else (0o644 if file.work else 0o444))
            return self._run(spec, work)

    def _run(self, spec: RunSpec, work: Path) -> Outcome:
        cpu_s = None if spec.limits.cpu_ns is None else -(-spec.limits.cpu_ns // 1_000_000_000) + 1

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_STACK, (spec.limits.memory_bytes, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if cpu_s is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))

        program = spec.argv[0] if spec.executable is None else f"/proc/self/fd/{spec.executable}"
        began = time.monotonic_ns()
        try:
            process = subprocess.Popen(
                spec.argv,
                executable=program,
                stdin=subprocess.DEVNULL if spec.stdin is None else spec.stdin,
                stdout=subprocess.PIPE if spec.stdout is None else spec.stdout,
                stderr=subprocess.PIPE,
                cwd=work,
                env={**spec.env, "HOME": str(work), "TMPDIR": str(work)},
                pass_fds=() if spec.executable is None else (spec.executable,),
                preexec_fn=limit,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"cannot start {program}: {error.strerror}") from error
        self._process = process
        kept = {"stdout": bytearray(), "stderr": bytearray()}
        counts = {"stdout": 0, "stderr": 0}
        caps = {"stdout": spec.limits.output_bytes, "stderr": spec.limits.stderr_bytes}
        why: Termination | None = None
        usage = None
        status = 0
        peak = 0
        with selectors.DefaultSelector() as selector:
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
                if stream is not None:
                    selector.register(stream, selectors.EVENT_READ, name)
            while usage is None or selector.get_map():
                for key, _ in selector.select(_TICK_S if usage is None else 0):
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                        continue
                    counts[key.data] += len(chunk)
                    kept[key.data] += chunk[: max(0, caps[key.data] - len(kept[key.data]))]
                if usage is None:
                    peak = max(peak, _resident(process.pid))
                    why = why or self._exceeded(spec, counts, time.monotonic_ns() - began, peak)
                    if why is not None:
                        os.killpg(process.pid, signal.SIGKILL)
                    pid, status, rusage = os.wait4(process.pid, os.WNOHANG)
                    usage = rusage if pid else None
                elif not selector.select(0):
                    break  # a left-over child holds the pipe
        assert usage is not None
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        cpu_ns = int((usage.ru_utime + usage.ru_stime) * 1e9)
        signalled = os.WIFSIGNALED(status)
        if why is None and signalled and os.WTERMSIG(status) == signal.SIGXCPU:
            why = Termination.CPU_LIMIT
        return Outcome(
            termination=why or (Termination.SIGNALED if signalled else Termination.EXITED),
            exit_code=None if signalled else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if signalled else None,
            usage=Usage(
                cpu_ns=cpu_ns,
                wall_ns=time.monotonic_ns() - began,
                memory_bytes=usage.ru_maxrss * 1024,
                anonymous_peak_bytes=peak,
            ),
            isolation=self.isolation,
            stdout=bytes(kept["stdout"]),
            stderr=bytes(kept["stderr"]),
            stdout_bytes=counts["stdout"],
            stderr_bytes=counts["stderr"],
            files={name: data for name in spec.collect if (data := _collect(work / name, spec)) is not None},
        )

    def _exceeded(self, spec: RunSpec, counts: dict[str, int], wall_ns: int, resident: int) -> Termination | None:
        if self._cancelled:
            return Termination.CANCELLED
        if max(counts.values()) > spec.limits.output_bytes:
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


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _collect(path: Path, spec: RunSpec) -> bytes | None:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > spec.limits.directory_bytes:
        return None
    return path.read_bytes()
