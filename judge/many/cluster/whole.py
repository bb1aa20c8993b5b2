"""A node that owns its machine, as on a cluster. Does not import Ray."""

from __future__ import annotations

from judge.many.cluster.node import Node
from judge.many.executor import Executor
from judge.many.machine import MachineExecutor
from judge.slots.capacity import available


class WholeNode(Node):
    def _make_executor(self, cpus: int) -> Executor:
        asked = self._settings
        slots = asked.slots or min(available(asked.memory_bytes).count, cpus)
        return MachineExecutor(slots, asked.backend, asked.require, asked.cache_directory, asked.memory_bytes)
