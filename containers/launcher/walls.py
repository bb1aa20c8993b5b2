"""The WALLS message, by what stands of a slot: its Landlock rules, its seccomp programs, and how its listener counts
calls and looks at names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from containers.launcher import wire
from containers.launcher.filters.apart import apart_program
from containers.launcher.filters.bpf import Block
from containers.launcher.filters.helper import helper_program
from containers.launcher.filters.run import Kind, Listened, list_listened, run_program
from containers.launcher.filters.table import machine
from containers.launcher.filters.uses import Use, uses
from containers.launcher.landlock import TRUNCATE, Ruleset, of_file
from containers.launcher.wire import Layer, MessageKind, SetupFd, Standing


def find_kind(standing: Standing, cgroup: SetupFd, ruleset: Ruleset, secret: int) -> Kind:
    """What a run's filter is to do on a slot of which this stands. `cgroup`: the control files that the slot has."""
    layers = standing.layers
    mounts, vetted, notify = Layer.MOUNT in layers, Layer.VETTED in layers, Layer.NOTIFY in layers
    return Kind(
        notify=notify,
        files=not mounts,
        threads=not mounts and (SetupFd.CGROUP_PIDS not in cgroup or vetted),
        truncates=mounts or bool(ruleset.handled[0] & TRUNCATE) or vetted,
        shared=notify and Layer.CGROUP not in layers,
        vetted=vetted,
        open=not mounts and not standing.tmpfs and Layer.UID not in layers,
        signals=not mounts,
        secret=secret if vetted else 0,
    )


def walls_message(standing: Standing, cgroup: SetupFd, ruleset: Ruleset) -> bytes:
    """
    Raises:
        Unavailable: the table has no column for this machine.
    """
    secret, on = int.from_bytes(os.urandom(8)), machine()
    kind = find_kind(standing, cgroup, ruleset, secret)
    head = _head(secret, ruleset, len(uses(on)), len(list_listened(on)))
    return head + _body(kind, Layer.MOUNT in standing.layers, on)


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
    return _tables(uses(on), list_listened(on), programs)


def pack_walls(
    secret: int, ruleset: Ruleset, used: Sequence[Use], rows: Sequence[Listened], programs: Sequence[Block]
) -> bytes:
    """`programs`: in the order of `enum filter` of src/wire.h."""
    return _head(secret, ruleset, len(used), len(rows)) + _tables(used, rows, programs)


def _head(secret: int, ruleset: Ruleset, used: int, rows: int) -> bytes:
    head = wire.message(
        wire.WALLS,
        MessageKind.WALLS,
        0,
        secret=secret,
        landlock=ruleset.handled,
        landlock_bytes=ruleset.known_bytes,
        rules=len(ruleset.rules),
        uses=used,
        listened=rows,
    )
    rules = (
        wire.RULE.pack(access=access, of_file=of_file(access)) + wire.strings((path,)) for path, access in ruleset.rules
    )
    return head + b"".join(rules)


def _tables(used: Sequence[Use], rows: Sequence[Listened], programs: Sequence[Block]) -> bytes:
    tables = (
        *(wire.USE.pack(**use._asdict()) for use in used),
        *(wire.LISTENED.pack(**row._asdict()) for row in rows),
    )
    return b"".join((*tables, *map(_pack, programs)))


def _pack(program: Block) -> bytes:
    own = [place for place, instruction in enumerate(program) if instruction.own]
    places = [*own, *[0] * (wire.OWN_MAX - len(own))]
    head = wire.PROGRAM.pack(length=len(program), owns=len(own), own=places)
    return head + b"".join(instruction.pack() for instruction in program)
