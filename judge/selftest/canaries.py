"""Plants canaries outside every sandbox: what an attack tries to find, reach or change.

Each holds its own secret, which begins with a marker that all share. Attacks know the places of the canaries and the
marker, but not what follows it. So an attack whose output holds a secret must have read it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

#: System V keys of canaries: 0x4a55 ("JU") and 16 random bits.
SYSV_KEYS = 0x4A55
_IPC_CREAT_EXCL, _IPC_RMID, _SETVAL = 0o3000, 0, 16
_PLACE = Path("/tmp")  # noqa: S108 - only with a private name; programs do not see this directory
_SHARED = Path("/usr/local/share/judge-canaries")
_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmdt.argtypes = (ctypes.c_void_p,)


class Canaries:
    """A context manager that plants the canaries on entering, and removes them at the end."""

    def __init__(self, *, owner: int | None = None) -> None:
        """`owner`: the files belong to this user; None: to ours."""
        self._owner = owner
        self._marker = f"canary-{secrets.token_hex(4)}-"
        self._values: dict[str, str] = {}
        self._secrets: dict[str, bytes] = {}
        self._states: dict[str, Callable[[], object]] = {}
        self._listening: dict[str, socket.socket] = {}
        self._undo = ExitStack()
        #: Attacks must begin the names of all that they leave behind with this.
        self.mark = f"left-{secrets.token_hex(4)}"
        #: Directories that the sandbox must hide.
        self.hide: tuple[Path, ...] = ()

    def __enter__(self) -> Self:
        with self._undo:
            self._values |= {"secret-marker": self._marker, "mark": self.mark, "pid": str(os.getpid())}
            self._plant_files()
            self._plant_answer()
            self._plant_environment()
            self._plant_sockets()
            self._plant_sysv()
            self._plant_mqueue()
            self._planted = self._undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._planted.close()

    def value(self, key: str) -> str:
        """Raises KeyError for a canary that this machine does not have."""
        return self._values[key]

    def lines(self, **more: object) -> bytes:
        """Standard input of an attack: a line ``key value`` each; `more` add to them or replace them."""
        return "".join(f"{key} {value}\n" for key, value in {**self._values, **more}.items()).encode()

    def fill(self, source: bytes) -> bytes:
        """The source with each ``@key@`` replaced by its value, for compilers, which cannot read standard input."""
        for key, value in self._values.items():
            source = source.replace(f"@{key}@".encode(), value.encode())
        return source

    def secret(self, name: str) -> str:
        """A new secret, for which `find_leaks` looks under this name."""
        made = self._marker + secrets.token_hex(12)
        self._secrets[name] = made.encode()
        return made

    def find_leaks(self, *texts: bytes) -> list[str]:
        """Names of the secrets that one of these texts holds."""
        return [name for name, secret in self._secrets.items() if any(secret in text for text in texts)]

    def state(self) -> dict[str, object]:
        """The state of the canaries, which no attack must change."""
        return {name: look() for name, look in self._states.items()}

    def find_reached(self) -> list[str]:
        """Names of the sockets at which something has come in since the last call."""
        return [name for name, listening in self._listening.items() if _came_in(listening)]

    def _plant_files(self) -> None:
        root = Path(tempfile.mkdtemp(prefix="judge-canary-", dir=_PLACE))
        self._undo.callback(shutil.rmtree, root, ignore_errors=True)
        root.chmod(0o755)
        self.directory = root
        for name, key, mode in (("file", "file", 0o644), ("open", "writable", 0o666), ("lock", "lock", 0o666)):
            path = root / name
            path.write_text(self.secret(key) + "\n")
            path.chmod(mode)
            self._values[key] = str(path)
            self._states[key] = lambda path=path: _file_state(path)  # type: ignore[misc]
        (root / "world").mkdir()
        (root / "world").chmod(0o777)
        self._values["world"] = str(root / "world")
        self._states["directory"] = lambda: sorted(str(path) for path in root.rglob("*"))
        self._states["modes"] = lambda: [(path.stat().st_mode, path.stat().st_uid) for path in (root, root / "world")]
        if self._owner is not None:
            for path in (root, *root.rglob("*")):
                os.chown(path, self._owner, self._owner)
        held = os.open(root / "lock", os.O_RDWR | os.O_CLOEXEC)
        self._undo.callback(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)

    def _plant_answer(self) -> None:
        """Plant a secret inside the view of programs, if this user may write there: the sandbox must hide it."""
        place = self.directory
        with suppress(OSError):
            _SHARED.mkdir(mode=0o755, exist_ok=True)
            self._undo.callback(_remove_if_empty, _SHARED)
            place = Path(tempfile.mkdtemp(dir=_SHARED))
            place.chmod(0o755)
            self._undo.callback(shutil.rmtree, place, ignore_errors=True)
            self.hide = (_SHARED,)
        path = place / "1.ans"
        path.write_text(self.secret("answer") + "\n")
        path.chmod(0o644)
        self._values["answer"] = str(path)
        self._states["answer"] = lambda: _file_state(path)

    def _plant_environment(self) -> None:
        name = f"JUDGE_CANARY_{secrets.token_hex(4).upper()}"
        os.environ[name] = self.secret("env")
        self._undo.callback(os.environ.pop, name, None)
        self._values["env"] = name

    def _listen(self, key: str, value: str, listening: socket.socket) -> None:
        self._undo.callback(listening.close)
        listening.setblocking(False)
        if listening.type == socket.SOCK_STREAM:
            listening.listen(64)
        self._values[key] = value
        self._listening[key] = listening

    def _plant_sockets(self) -> None:
        path = self.directory / "world" / "socket"
        for key, value, address in (("unix", str(path), str(path)), ("abstract", self.mark, f"\0{self.mark}")):
            listening = socket.socket(socket.AF_UNIX)
            listening.bind(address)
            self._listen(key, value, listening)
        path.chmod(0o777)
        for key, family, kind, host in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1"),
            ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, "::1"),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1"),
        ):
            with suppress(OSError):  # a machine without that family
                listening = socket.socket(family, kind)
                listening.bind((host, 0))
                self._listen(key, str(listening.getsockname()[1]), listening)
        with suppress(OSError):
            listening = socket.socket(socket.AF_VSOCK)
            listening.bind((socket.VMADDR_CID_ANY, socket.VMADDR_PORT_ANY))
            if Path("/sys/module/vsock_loopback").exists():
                self._listen("vsock", str(listening.getsockname()[1]), listening)
            else:
                listening.close()

    def _plant_sysv(self) -> None:
        """Shared memory and a message that hold a secret, and a semaphore; open to every user."""
        key = SYSV_KEYS << 16 | secrets.randbelow(1 << 16)
        mode = _IPC_CREAT_EXCL | 0o666
        if (shm := _libc.shmget(key, 4096, mode)) >= 0:
            self._undo.callback(_libc.shmctl, shm, _IPC_RMID, None)
            _write_shm(shm, self.secret("shm").encode())
            self._sysv("shm", key)
        if (sem := _libc.semget(key, 1, mode)) >= 0:
            self._undo.callback(_libc.semctl, sem, 0, _IPC_RMID)
            _libc.semctl(sem, 0, _SETVAL, 7)
            self._sysv("sem", key)
        if (msg := _libc.msgget(key, mode)) >= 0:
            self._undo.callback(_libc.msgctl, msg, _IPC_RMID, None)
            text = self.secret("msg").encode()
            message = ctypes.create_string_buffer((1).to_bytes(ctypes.sizeof(ctypes.c_long), "little") + text)
            _libc.msgsnd(msg, message, len(text), 0)
            self._sysv("msg", key)

    def _sysv(self, kind: str, key: int) -> None:
        self._values[kind] = str(key)
        self._states[kind] = lambda: [line for line in sysv(kind) if line.split()[0] == str(key)]

    def _plant_mqueue(self) -> None:
        name = f"/{self.mark}".encode()
        with _no_umask():
            queue = _libc.mq_open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666, None)
        if queue < 0:
            return
        self._undo.callback(_libc.mq_unlink, name)
        self._undo.callback(os.close, queue)
        text = self.secret("mqueue").encode()
        _libc.mq_send(queue, text, len(text), 0)
        self._values["mqueue"] = name.decode()
        self._states["mqueue"] = lambda: os.pread(queue, 256, 0)  # QSIZE: bytes in it


def _remove_if_empty(directory: Path) -> None:
    with suppress(OSError):  # another test's canaries are in it
        directory.rmdir()


def sysv(kind: str) -> list[str]:
    """The kernel's list of one kind of System V objects: a line each, the key first."""
    try:
        return Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
    except OSError:
        return []


@contextmanager
def _no_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def _write_shm(number: int, text: bytes) -> None:
    at = _libc.shmat(number, None, 0)
    ctypes.memmove(at, text, len(text))
    _libc.shmdt(at)


def _file_state(path: Path) -> object:
    try:
        status = path.lstat()
        extra = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        owner = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink)
        return owner, status.st_mtime_ns, status.st_ino, extra, path.read_bytes()
    except OSError as error:
        return error.errno


def _came_in(listening: socket.socket) -> bool:
    some = False
    while True:
        try:
            if listening.type == socket.SOCK_STREAM:
                listening.accept()[0].close()
            else:
                listening.recv(4096)
        except (BlockingIOError, ConnectionError):
            return some
        some = True
