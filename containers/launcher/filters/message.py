"""The FILTERS message: the programs that go with what stands of a slot, and how its listener counts calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from containers.launcher import wire
from containers.launcher.filters.apart import apart_program
from containers.launcher.filters.bpf import Block
from containers.launcher.filters.helper import helper_program
from containers.launcher.filters.run import Kind, Listened, listened, run_program
from containers.launcher.filters.table import machine
from containers.launcher.wire import Layer, MessageKind, SetupFd, Standing

#: Since which Landlock walls truncate.
_TRUNCATES = 3


def find_kind(standing: Standing, cgroup: SetupFd, secret: int) -> Kind:
    """What a run's filter is to do on a slot of which this stands. `cgroup`: the control files that the slot has."""
    layers = standing.layers
    mounts, vetted, notify = Layer.MOUNT in layers, Layer.VETTED in layers, Layer.NOTIFY in layers
    return Kind(
        notify=notify,
        files=not mounts,
        threads=not mounts and (SetupFd.CGROUP_PIDS not in cgroup or vetted),
        truncates=mounts or standing.landlock_abi >= _TRUNCATES or vetted,
        shared=notify and Layer.CGROUP not in layers,
        vetted=vetted,
        open=not mounts and not standing.tmpfs and Layer.UID not in layers,
        signals=not mounts,
        secret=secret if vetted else 0,
    )


def filters_message(standing: Standing, cgroup: SetupFd) -> bytes:
    """
    Raises:
        Unavailable: the table has no column for this machine.
    """
    secret = int.from_bytes(os.urandom(8))
    kind = find_kind(standing, cgroup, secret)
    return _head(secret, len(listened(machine()))) + _body(kind, Layer.MOUNT in standing.layers, machine())


@lru_cache(maxsize=16)
def _body(kind: Kind, mounts: bool, on: str) -> bytes:
    """All but the head. Slots of one kind share it."""
    processes = replace(kind, processes=True)
    programs = (
        run_program(kind, on),
        run_program(processes, on),
        run_program(replace(processes, modes=True), on),
        run_program(replace(processes, modes=True, tool=True), on),
        apart_program(False, on),
        apart_program(True, on),
        helper_program(mounts, on),
    )
    return _tables(listened(on), programs)


def pack_filters(secret: int, rows: Sequence[Listened], programs: Sequence[Block]) -> bytes:
    """`programs`: in the order of `enum filter` of src/wire.h."""
    return _head(secret, len(rows)) + _tables(rows, programs)


def _head(secret: int, rows: int) -> bytes:
    return wire.message(wire.FILTERS, MessageKind.FILTERS, 0, secret=secret, listened=rows)


def _tables(rows: Sequence[Listened], programs: Sequence[Block]) -> bytes:
    return b"".join((*(wire.LISTENED.pack(**row._asdict()) for row in rows), *map(_pack, programs)))


def _pack(program: Block) -> bytes:
    own = [place for place, instruction in enumerate(program) if instruction.own]
    places = [*own, *[0] * (wire.OWN_MAX - len(own))]
    head = wire.PROGRAM.pack(length=len(program), owns=len(own), own=places)
    return head + b"".join(instruction.pack() for instruction in program)
