"""Defines the view, which is all that a program sees of the machine: toolchains, a few devices, a few files of /etc.

    /usr /bin /lib…       the host's, read-only, with the judge's own directories masked
    /etc                  dynamic linker cache, alternatives, runtimes' configuration; passwd and group of our own
    /var/lib/ghc          the packages that Haskell's compiler knows
    /dev                  null zero full random urandom, and links to the standard streams
    /proc                 the run's own processes only
    /box/run/work         the working directory (also /tmp), writable
    /box/run/in           the run's files

No /home, no /root, no host /tmp, /run, /sys, nothing else of /var.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from containers.launcher.wire import ViewKind, strings

#: Where a run's directories are made, if the slot has a mount namespace.
BOX_PARENT = "/box"
BOX = f"{BOX_PARENT}/run"
WORK = f"{BOX}/work"
#: The only user of a user namespace.
INNER_ID = 1000

#: Directories of programs and libraries. A link (merged /usr) is shown as a link.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
#: What runtimes and compilers read elsewhere, as patterns below /: the dynamic linker, alternatives, and languages.
_CONFIGURATION = (
    *("etc/ld.so.cache", "etc/ld.so.conf", "etc/ld.so.conf.d", "etc/alternatives", "etc/localtime"),
    *("etc/java-*", "etc/python3*", "etc/pypy*", "etc/fpc*", "etc/nim", "etc/R", "etc/racket", "etc/mono"),
    "var/lib/ghc/package.conf.d",
)
_DEVICES = ("null", "zero", "full", "random", "urandom")
_TMP = Path("/tmp")  # noqa: S108 - a path of the sandbox, not of this host
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}

Entry = tuple[ViewKind, str, str]


def directories(work: str) -> dict[str, str]:
    """What the environment of every run holds beside `RunSpec.env`."""
    return {"HOME": work, "TMPDIR": work}


def _passwd(uid: int, gid: int) -> Iterable[Entry]:
    yield ViewKind.TEXT, f"root:x:0:0::/:/bin/false\njudge:x:{uid}:{gid}::{WORK}:/bin/false\n", "/etc/passwd"
    yield ViewKind.TEXT, f"root:x:0:\njudge:x:{gid}:\n", "/etc/group"
    yield ViewKind.TEXT, "passwd: files\ngroup: files\nhosts: files\n", "/etc/nsswitch.conf"


def _system() -> Iterable[Entry]:
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield ViewKind.SYMLINK, str(path.readlink()), name
        elif path.is_dir():
            yield ViewKind.BIND, name, name
    for path in _configuration():
        yield ViewKind.BIND, str(path.resolve()), str(path)
    for name in _DEVICES:
        yield ViewKind.DEVICE, f"/dev/{name}", f"/dev/{name}"
    for name, target in _LINKS.items():
        yield ViewKind.SYMLINK, target, name


def _configuration() -> Iterable[Path]:
    for pattern in _CONFIGURATION:
        yield from (path for path in sorted(Path("/").glob(pattern)) if path.exists())


def entries(uid: int, gid: int, mounts: Sequence[Path], hide: Sequence[Path]) -> list[Entry]:
    """The view as a table for the launcher: (kind, source, target)."""
    table = [*_passwd(uid, gid), *_system()]
    table.extend((ViewKind.BIND, str(mount), str(mount)) for mount in mounts)
    if not any(mount.is_relative_to(_TMP) for mount in mounts):
        table.append((ViewKind.SYMLINK, WORK, str(_TMP)))
    system = [Path(name) for name in _SYSTEM]
    for path in {hidden.resolve() for hidden in hide}:
        if path.is_dir() and any(path.is_relative_to(top) for top in system):
            table.append((ViewKind.MASK, "", str(path)))
    return table


def readable(box: Path, mounts: Sequence[Path], hide: Sequence[Path]) -> list[Entry]:
    """The same view as Landlock rules, where nothing can be mounted: what a run may read and execute, at the host's
    paths. A rule for a directory holds for all below it. So where something below is hidden, its siblings get a rule
    each, and the directories that lead to it can only be listed."""
    hidden = {path.resolve() for path in hide}
    table: list[Entry] = [(ViewKind.HOME, str(box.resolve()), str(box))]
    tops = [Path(name) for name in _SYSTEM if Path(name).is_dir() and not Path(name).is_symlink()]
    tops += [path.resolve() for path in _configuration()]
    for top in (*tops, *(mount.resolve() for mount in mounts)):
        table.extend(_around(top, hidden))
    table.extend((ViewKind.DEVICE, f"/dev/{name}", f"/dev/{name}") for name in _DEVICES)
    return table


def inside(table: Sequence[Entry]) -> list[Entry]:
    """Landlock rules for a view that another tool built from `table` (of `entries`): a run may read and execute what
    `table` shows, and nothing else that is there."""
    rules: list[Entry] = [(ViewKind.HOME, BOX, BOX)]
    for kind, _, target in table:
        if kind in (ViewKind.BIND, ViewKind.TEXT):
            rules.append((ViewKind.BIND, target, target))
        elif kind is ViewKind.DEVICE:
            rules.append((kind, target, target))
    return rules


def _around(path: Path, hidden: set[Path]) -> Iterable[Entry]:
    if path in hidden:
        return
    if not any(other.is_relative_to(path) for other in hidden):
        yield ViewKind.BIND, str(path), str(path)
        return
    yield ViewKind.LIST, str(path), str(path)
    for child in sorted(path.iterdir()):
        if not child.is_symlink():  # Landlock asks for the rule of the link's target
            yield from _around(child, hidden)


def pack(table: Iterable[Entry]) -> bytes:
    return b"".join(bytes([kind]) + strings((source, target)) for kind, source, target in table)
