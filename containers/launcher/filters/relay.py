"""The calls of the relay (../relay/relay.c), on descriptors that it is handed. For any other one it is killed."""

from __future__ import annotations

from functools import cache

from containers.launcher.filters.bpf import ALLOW, RET_KILL, Block, answer, assemble
from containers.launcher.filters.table import MACHINES, RELAY_ROWS, actions


@cache
def relay_program(on: str) -> Block:
    calls = actions(RELAY_ROWS, on)
    return assemble(dict.fromkeys(calls, (ALLOW,)), (answer(RET_KILL),), MACHINES[on][1])
