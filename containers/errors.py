"""The one exception tree of the sandbox layer.

    ContainerError
    ├── SandboxError        our failure while a run was prepared, watched or reported: retry on a fresh slot
    └── Unavailable         this machine does not grant what was asked for (exit 2, never a weaker run)
        └── Unsupported     the backend cannot honour one field of the RunSpec

What the untrusted program does is never an exception: it is an `Outcome`.
"""

from __future__ import annotations


class ContainerError(Exception):
    """Base of every error that `containers` raises."""


class SandboxError(ContainerError):
    """The sandbox itself failed; says nothing about the program. The slot may be dead: open a new one."""


class Unavailable(ContainerError):
    """The machine refuses what the caller requires. The message is one line: what is refused, and the remedy."""


class Unsupported(Unavailable):
    """A field of the RunSpec that this backend cannot honour, raised before anything is started."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
