"""One filter more, around a run that has siblings: processes of one submission that talk by a manager alone, or passes
of one test. One sibling may know what another one must find out, so none may signal to another by what the kernel
numbers or queues for the whole machine.

Futexes. Without FUTEX_PRIVATE_FLAG a futex on a page of a file (of a library, say) is the same one for all who map it.
Threads of C and C++ use such futexes, too, on memory of their own: pthread_join waits, and the kernel wakes it;
std::future and guards of static variables wait and wake. So a wake reports that nobody slept, and a wait returns at
once, as if the value had changed: the caller looks again, and again, which costs CPU time and stays right. Runtimes
that have threads from their start would wait so for the whole run. Their waits are allowed; wakes are not.

Pipes. The kernel numbers pipes and sockets in one sequence for the machine. Whoever makes thousands of them chooses the
numbers that fstat of a later pipe shows. Runtimes with threads need some for themselves.
"""

from __future__ import annotations

import errno
from functools import cache

from containers.launcher.filters.bpf import (
    ALLOW,
    NUMBER_AT,
    Block,
    fail,
    if_any,
    if_equal,
    keep,
    load,
    load_argument,
)
from containers.launcher.filters.table import numbers

# linux/futex.h
_PRIVATE, _COMMAND = 128, ~(128 | 256)
_WAIT, _WAKE, _WAIT_BITSET, _WAKE_BITSET = 0, 1, 9, 10


@cache
def apart_program(threaded: bool, on: str) -> Block:
    """`threaded`: of a runtime that has threads from its start. It has no look at the machine: the other filter has."""
    number = numbers(on)
    return (
        load(NUMBER_AT),
        if_equal(number["futex"], 5, 0),
        if_equal(number["pipe2"], 3, 0),
        if_equal(number.get("pipe", number["pipe2"]), 2, 0),
        if_equal(number["socketpair"], 1, 0),
        ALLOW,
        ALLOW if threaded else fail(errno.EMFILE),
        load_argument(1),
        if_any(_PRIVATE, 0, 1),
        ALLOW,
        keep(_COMMAND),
        if_equal(_WAIT, 4, 0),
        if_equal(_WAIT_BITSET, 3, 0),
        if_equal(_WAKE, 3, 0),
        if_equal(_WAKE_BITSET, 2, 0),
        fail(errno.ENOSYS),
        ALLOW if threaded else fail(errno.EAGAIN),
        fail(0),
    )
