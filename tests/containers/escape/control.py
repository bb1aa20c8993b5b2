"""An attack outside the sandbox, as a bounded ordinary process: does it do there what it tries?

As root: a user of its own, leased as slots lease them, so that limits count its tasks alone and one kill(-1) ends all
of them. Else our own user, in a session of its own; nothing of the class `resources` is run then.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from containers.launcher.uids import UidLease
from containers.native import closed_way
from judge import languages
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from judge.selftest.trial import INCLUDE, Said
from tests.containers.escape.programs import NEIGHBOUR, Programs
from tests.processes import of_users

_MIB = 1 << 20
#: Wide enough for every bound, too small to hurt.
LIMITS = ("--nproc=600", f"--as={2048 * _MIB}", f"--fsize={256 * _MIB}", "--nofile=2048", "--cpu=10", "--core=0")
_TIMEOUT_S = 20
_GONE_TRIES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Whom controls run as; None: ourselves."""

    uid: int | None

    def run(
        self,
        argv: tuple[str, ...],
        *,
        cwd: Path,
        stdin: bytes,
        limits: tuple[str, ...] = LIMITS,
        timeout_s: float = _TIMEOUT_S,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run to the end or the time-out, then end all that it started."""
        given, output = cwd / ".stdin", cwd / ".stdout"
        given.write_bytes(stdin)
        if self.uid is not None:
            os.chown(given, self.uid, self.uid)
        with given.open("rb") as source, output.open("w+b") as target:
            process = self.start(
                ("prlimit", *limits, "--", *argv),
                cwd,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(cwd), "TMPDIR": str(cwd)},
                stdin=source,
                stdout=target,
                stderr=subprocess.STDOUT,
            )
            try:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=timeout_s)
            finally:
                self.kill_all(process)
            target.seek(0)
            return subprocess.CompletedProcess(argv, process.returncode, target.read(64 * _MIB), b"")

    def start(self, argv: tuple[str, ...], cwd: Path, **how: Any) -> subprocess.Popen[bytes]:
        if self.uid is not None:
            how |= {"user": self.uid, "group": self.uid, "extra_groups": ()}
        return subprocess.Popen(argv, cwd=cwd, start_new_session=True, **how)

    def kill_all(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if self.uid is not None:
            self.start(("sh", "-c", "kill -9 -1"), Path("/")).wait()
        process.wait()
        for _ in range(_GONE_TRIES if self.uid is not None else 0):
            if all(parent == os.getpid() for parent in of_users((self.uid,)).values()):
                return
            time.sleep(0.01)


@contextmanager
def control_user() -> Iterator[User]:
    if os.geteuid() != 0:
        yield User(uid=None)
        return
    if closed := closed_way():
        pytest.skip(f"no other user can run anything here: {closed}")
    lease = UidLease()
    try:
        yield User(uid=lease.uid)
    finally:
        lease.close()


@contextmanager
def work_directory(user: User) -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="judge-control-", dir="/tmp"))
    try:
        root.chmod(0o711)
        work = root / "work"
        work.mkdir()
        if user.uid is not None:
            os.chown(work, user.uid, user.uid)
        yield work
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def victim(user: User, program: Path, canaries: Canaries) -> Iterator[int]:
    """The neighbour's program as the same user: what an attack on another process is tried on."""
    secret = canaries.secret("neighbour")
    with work_directory(user) as work:
        copy = shutil.copy(program, work.parent)
        process = user.start(
            (str(copy),),
            work,
            env={canaries.value("env"): canaries.secret("env")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(secret.encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"ready\n"
            yield process.pid
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def run_control(attack: Attack, programs: Programs) -> tuple[bytes, list[str]]:
    """What it printed, and the names of the secrets in that."""
    with ExitStack() as stack:
        user = stack.enter_context(control_user())
        canaries = stack.enter_context(Canaries(owner=user.uid))
        pid = stack.enter_context(victim(user, programs.path(NEIGHBOUR), canaries))
        work = stack.enter_context(work_directory(user))
        enough = {"enough": 2 * attack.bound.most} if attack.bound else {}
        stdin = canaries.lines(pid=pid, neighbour=pid, **enough)
        done = user.run(_argv(attack, programs, work.parent), cwd=work, stdin=stdin)
        return done.stdout, canaries.find_leaks(done.stdout)


def _argv(attack: Attack, programs: Programs, directory: Path) -> tuple[str, ...]:
    if attack.path.suffix != ".py":
        copy = directory / "attack"
        shutil.copy(programs.path(attack.path), copy)
        copy.chmod(0o755)
        return (str(copy),)
    inside = directory / "in"
    inside.mkdir(mode=0o755)
    shutil.copy(attack.path, inside / "solution.py")
    shutil.copy(INCLUDE / "attack.py", inside)
    return (str(languages.get("python3").find()), "-s", "-E", "-B", "../in/solution.py")


#: What a compiler says when it ran into a limit, twice as wide as the sandbox's.
_STOPPED = re.compile(
    rb"CPU time limit exceeded|out of memory|memory exhausted|Killed signal|File size limit|File too large|MemoryError"
    rb"|Cannot allocate|bad_alloc|LLVM ERROR"
)


def compile_outside(attack: Attack, source: Callable[[Attack, Canaries], bytes]) -> tuple[bool, bytes]:
    """Whether a secret came out, or twice the limits were not enough; and what the compiler said."""
    language = languages.get(attack.language)
    with ExitStack() as stack:
        user = stack.enter_context(control_user())
        canaries = stack.enter_context(Canaries(owner=user.uid))
        work = stack.enter_context(work_directory(user))
        inside = work.parent / "in"
        inside.mkdir(mode=0o755)
        (inside / language.source).write_bytes(source(attack, canaries))
        for name in language.compile.files:
            (inside / name).write_bytes(languages.resource(name))
        argv = tuple(
            part.format(compiler=language.find(), source=f"../in/{language.source}") for part in language.compile.argv
        )
        if language.family != "python":
            argv += ("-o", "solution", "-lm")
        limits = attack.limits
        bounds = (
            f"--cpu={2 * (limits.cpu_ns or 0) // 1_000_000_000}",
            f"--as={2 * limits.memory_bytes}",
            f"--fsize={2 * limits.directory_bytes}",
            "--core=0",
        )
        made = user.run(argv, cwd=work, stdin=b"", limits=bounds)
        texts, said = [made.stdout], Said.of(b"")
        if made.returncode == 0:
            program = work / "solution"
            command = (str(program),) if program.exists() else (str(language.find()), f"../in/{language.source}")
            texts += [program.read_bytes()] if program.exists() else []
            ran = user.run(command, cwd=work, stdin=canaries.lines())
            texts.append(ran.stdout)
            said = Said.of(ran.stdout)
        flooded = len(made.stdout) > 2 * limits.output_bytes
        stopped = made.returncode != 0 and _STOPPED.search(made.stdout) is not None
        leaked = bool(canaries.find_leaks(*texts))
        return leaked or said.worked or stopped or flooded or made.returncode < 0, b"\n".join(texts[:1])
