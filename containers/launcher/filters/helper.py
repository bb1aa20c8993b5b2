"""What is done with a call of the launcher and its stub, once the slot is set up. Programs inherit this filter, so what
they may call is in it: the table of a run, but for what is refused to runs whatever they ask for; and `HELPER_ROWS`."""

from __future__ import annotations

from functools import cache

from containers.launcher.filters.bpf import ALLOW, RET_TRACE, Block, answer, assemble, if_equal, keep, load_argument
from containers.launcher.filters.run import CLONE_NAMESPACES
from containers.launcher.filters.table import HELPER_ROWS, MACHINES, RUN_ROWS, Action, actions

#: Of a filter's answers this is the weakest that refuses: a program's own filter has the last word on what it reports
#: and how. Without a tracer it is ENOSYS.
_REFUSED = answer(RET_TRACE)
_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWPID = 0x20000, 0x8000000, 0x20000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_REFUSING = {Action.NONE, Action.REFUSE, Action.REPORT, Action.LACKING, Action.UNFIT}


def _flags(argument: int, needed: int, possible: int) -> Block:
    """Allowed with all of these flags, and besides them at most with those."""
    return (load_argument(argument), keep(~possible), if_equal(needed, 0, 1), ALLOW, _REFUSED)


def _block(action: Action, mounts: bool) -> Block:
    if action is Action.CLONE:
        of_stubs = _CLONE_NEWPID | _CLONE_NEWNS | _CLONE_NEWIPC if mounts else 0
        return _flags(0, 0, ~CLONE_NAMESPACES | of_stubs)
    if action is Action.MOUNT and mounts:  # nothing that is mounted already, elsewhere; no devices
        return _flags(3, _MS_NOSUID | _MS_NODEV, _MS_REMOUNT | _MS_RDONLY | _MS_NOEXEC)
    return (_REFUSED if action in _REFUSING or action is Action.MOUNT else ALLOW,)


@cache
def helper_program(mounts: bool, on: str) -> Block:
    """`mounts`: the slot has a mount namespace, and its stubs have namespaces of their own."""
    rows = actions(RUN_ROWS, on) | actions(HELPER_ROWS, on)
    table = {number: _block(action, mounts) for number, action in rows.items()}
    return assemble(table, _block(Action.NONE, mounts), MACHINES[on][1])
