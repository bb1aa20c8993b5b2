"""One connection to a Docker daemon (or to podman's Docker API), and what we ask of it.

Every failure is worded for people: what was refused, and what would help.
"""

from __future__ import annotations

import hashlib
import io
import os
import socket
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from containers.errors import SandboxError, Unavailable
from containers.launcher.view import Entry
from containers.launcher.wire import ViewKind

_TIMEOUT_S = 60
_LABEL = "judge.owner"
_REPOSITORY = "judge-empty"
_NO_SDK = "backend docker needs the Docker SDK for Python: pip install docker"
_NO_DAEMON = (
    "no Docker daemon answers at {host} ({why}): start it (systemctl start docker), or name another one with "
    "DOCKER_HOST (podman: podman system service --time=0 unix:///tmp/podman.sock & export DOCKER_HOST=unix:///tmp/podman.sock)"
)
_NO_PERMISSION = (
    "no permission to use the Docker daemon at {host}: run judge as root, or join its group and log in again "
    "(usermod -aG docker $USER; that is as much as root)"
)
_NOT_HERE = (
    "the Docker daemon at {host} does not see this machine's files ({why}): it is on another machine, in a virtual "
    "machine (Docker Desktop) or outside the container that judge runs in; use a daemon of this very system, or "
    "--backend native"
)


def host_name() -> str:
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


def _owner() -> str:
    """A name for this process that no other has. Pids alone are per namespace, and the kernel uses them again."""
    namespace = Path("/proc/self/ns/pid").readlink()
    return f"{namespace}/{os.getpid()}/{_find_start(os.getpid())}"


def _find_start(pid: int) -> str | None:
    """When the process started, in ticks since boot; None: no such process. Not psutil's time of day: that changes when
    somebody sets the clock."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _is_gone(label: str) -> bool:
    """Whether the process that a container's label names has ended. False if it is in another pid namespace."""
    namespace, _, rest = label.partition("/")
    pid, _, started = rest.partition("/")
    if namespace != str(Path("/proc/self/ns/pid").readlink()) or not pid.isdigit():
        return False
    return _find_start(int(pid)) != started


class Daemon:
    """A connection. Not shared between threads.

    Raises:
        Unavailable: no SDK, no daemon, no permission.
    """

    def __init__(self) -> None:
        try:
            import docker  # noqa: PLC0415 - an extra, and slow to import
        except ModuleNotFoundError:
            raise Unavailable(_NO_SDK) from None
        self._failures: tuple[type[Exception], ...] = (docker.errors.DockerException, OSError)
        try:
            _knock()
            where = docker.utils.kwargs_from_env()  # DOCKER_HOST and its like, as the docker command reads them
            self._client: Any = docker.APIClient(**where, version=_version(docker, where), timeout=_TIMEOUT_S)
            with ExitStack() as undo:
                undo.callback(self._client.close)
                self._info: dict[str, Any] = self._client.info()
                self._version: dict[str, Any] = self._client.version()
                undo.pop_all()
        except self._failures as error:
            raise _make_refusal(error) from None

    @property
    def podman(self) -> bool:
        return any(part.get("Name") == "Podman Engine" for part in self._version.get("Components") or ())

    @property
    def cgroup_version(self) -> int:
        return int(self._info.get("CgroupVersion") or 1)

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        try:
            yield
        except self._failures as error:
            why = _words(error)
            if "no such file or directory" in why.lower() or "does not exist" in why.lower():
                raise Unavailable(_NOT_HERE.format(host=host_name(), why=why)) from None
            raise SandboxError(f"docker cannot {what}: {why}") from None

    def layers(self) -> list[str]:
        """The walls that this daemon raises around every container, and other daemons may not."""
        options = [str(option) for option in self._info.get("SecurityOptions") or ()]
        return [name for name in ("seccomp", "apparmor", "selinux") if any(f"name={name}" in text for text in options)]

    def check_runtime(self, runtime: str | None) -> None:
        """Raises Unavailable where the daemon has no such runtime."""
        known = self._info.get("Runtimes") or {}
        if runtime and known and runtime not in known:
            raise Unavailable(
                f"the Docker daemon has no runtime {runtime!r} (it has {', '.join(sorted(known))}): add it to "
                "/etc/docker/daemon.json and restart the daemon; for gVisor docs/backends.md has the lines"
            )

    def image(self, links: Iterable[Entry]) -> str:
        """Name of an image with these symbolic links and empty directories only. Made if the daemon has none."""
        content = _archive(links)
        name = f"{_REPOSITORY}-{hashlib.sha256(content).hexdigest()[:12]}"  # in the name: podman drops tags
        with self._asking(f"make the image {name}"):
            if not self._client.images(name=name, quiet=True):
                self._client.import_image_from_data(content, repository=name)
        return name

    def start(self, image: str, command: list[str], user: str, runtime: str | None, how: dict[str, Any]) -> str:
        """Start a container, which the daemon removes when its only process ends. Returns its id."""
        with self._asking("start a container"):
            made = self._client.create_container(
                image,
                entrypoint=command,
                user=user,
                environment={},
                working_dir="/",
                hostname="judge",
                labels={_LABEL: _owner()},
                host_config=self._client.create_host_config(runtime=runtime, auto_remove=True, **how),
            )["Id"]
            try:
                self._client.start(made)
            except BaseException:
                self.remove(made)
                raise
        return str(made)

    def process(self, container: str) -> int | None:
        """Pid of the container's first process on the daemon's machine; None: it has ended."""
        with suppress(*self._failures):
            state = self._client.inspect_container(container)["State"]
            return int(state["Pid"]) or None
        return None

    def remove(self, container: str) -> None:
        """Kill the container with all that is in it. Idempotent: the daemon may be removing it already."""
        with suppress(*self._failures):
            self._client.remove_container(container, force=True, v=True)

    def ours(self) -> list[tuple[str, str]]:
        """Containers of all judges: (id, label of the owner)."""
        with suppress(*self._failures):
            found = self._client.containers(all=True, filters={"label": _LABEL})
            return [(container["Id"], container["Labels"][_LABEL]) for container in found]
        return []

    def sweep(self) -> None:
        """Remove the containers of judges that have ended."""
        for container, label in self.ours():
            if _is_gone(label):
                self.remove(container)

    def close(self) -> None:
        self._client.close()


@cache
def sweep_once() -> None:
    daemon = Daemon()
    try:
        daemon.sweep()
    finally:
        daemon.close()


def _knock() -> None:
    """Raise OSError if nobody answers. The SDK would leave its socket open then, and word the failure badly."""
    scheme, _, path = host_name().partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(path)


def _version(docker: Any, where: dict[str, Any]) -> str:
    """The API version that the daemon speaks."""
    client = docker.APIClient(**where, version=docker.constants.DEFAULT_DOCKER_API_VERSION, timeout=_TIMEOUT_S)
    try:
        return str(client.version(api_version=False)["ApiVersion"])
    finally:
        client.close()


def _words(error: Exception) -> str:
    explanation = getattr(error, "explanation", None) or str(error)
    return " ".join(str(explanation).split())


def _make_refusal(error: Exception) -> Unavailable:
    why = _words(error)
    if "permission denied" in why.lower():
        return Unavailable(_NO_PERMISSION.format(host=host_name()))
    for reason in ("No such file or directory", "Connection refused"):
        if reason in why:
            why = reason.lower()
    return Unavailable(_NO_DAEMON.format(host=host_name(), why=why))


def _archive(links: Iterable[Entry]) -> bytes:
    """The image as a tar archive. The same links give the same bytes: the image is named after their hash."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("box", "dev", "etc", "judge", "media", "proc", "sys"):
            directory = tarfile.TarInfo(name)
            directory.type, directory.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(directory)
        for kind, source, target in links:
            if kind is ViewKind.SYMLINK and not target.startswith("/dev/"):
                link = tarfile.TarInfo(target.removeprefix("/"))
                link.type, link.linkname = tarfile.SYMTYPE, source
                archive.addfile(link)
    return packed.getvalue()
