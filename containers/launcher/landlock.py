"""The Landlock ruleset of a slot, by the version that its kernel knows.

With a mount view Landlock adds that nothing outside the working directory can be changed; without one it also says what
can be read: the view is a list of rules then. Always: no TCP port reached, no signal sent out. A rule goes upwards
through mount points (but skips the directory that is mounted over), so one on the parent holds for the tmpfs that each
run mounts below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from containers.launcher.view import BOX_PARENT, Entry
from containers.launcher.wire import ViewKind

# linux/landlock.h
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
ALL_OF_THE_FIRST = (1 << 13) - 1
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
BIND_AND_CONNECT = 3
ABSTRACT_SOCKETS_AND_SIGNALS = 3
_READ = EXECUTE | READ_FILE | READ_DIR
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV


@dataclass(frozen=True, slots=True)
class Ruleset:
    #: Rights on files that it takes away, rights on the network, and what is scoped.
    handled: tuple[int, int, int]
    #: How much of that this version knows, in bytes; 0: there is no Landlock.
    known_bytes: int
    #: Rights on files that it gives back: path and rights below it.
    rules: tuple[tuple[str, int], ...]


NONE = Ruleset((0, 0, 0), 0, ())


def of_file(access: int) -> int:
    """Those of these rights that a file can have which is no directory."""
    return access & _OF_FILES


def make_ruleset(abi: int, view: Iterable[Entry], *, mounts: bool) -> Ruleset:
    """`abi`: the version; each knows a little more than the one before. `mounts`: the view is one of mounts."""
    if abi < 1:
        return NONE
    write = ALL_OF_THE_FIRST & ~_READ
    if abi >= 2:
        write |= REFER  # Linux 5.19
    if abi >= 3:
        write |= TRUNCATE  # 6.2
    network = BIND_AND_CONNECT if abi >= 4 else 0  # 6.7
    if abi >= 5:
        write |= IOCTL_DEV  # 6.10
    scoped = ABSTRACT_SOCKETS_AND_SIGNALS if abi >= 6 else 0  # 6.12
    to_devices = write & (WRITE_FILE | TRUNCATE)
    if mounts:
        rules = ((BOX_PARENT, write), ("/dev", to_devices))
        return Ruleset((write, network, scoped), _known_bytes(abi), rules)
    of_kind = {
        ViewKind.BIND: _READ,
        ViewKind.LIST: READ_DIR,
        ViewKind.DEVICE: READ_FILE | to_devices,
        ViewKind.HOME: _READ | write,
    }
    found = tuple((source, of_kind[kind]) for kind, source, _ in view if kind in of_kind)
    return Ruleset((write | _READ, network, scoped), _known_bytes(abi), found)


def _known_bytes(abi: int) -> int:
    return 8 if abi < 4 else 16 if abi < 6 else 24
