"""The interface of every backend: a `Sandbox` is one slot, which runs one program at a time."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from containers.outcome import Isolation, Outcome
from containers.spec import RunSpec


class Sandbox(Protocol):
    """One slot. Not thread-safe, except for `stop`."""

    @property
    def isolation(self) -> Isolation:
        """The walls that every run of this slot gets."""

    @property
    def holds(self) -> bool:
        """Whether this slot can hold programs. If not, it ignores `RunSpec.warm`."""

    def run(self, spec: RunSpec) -> Outcome:
        """Run one program to its end and report the facts.

        Raises:
            Unsupported: this backend cannot honour a field of `spec`; nothing was started.
            SandboxError: the sandbox failed; close this slot and retry on a new one.
        """

    def stop(self) -> None:
        """End the current run, if any, from another thread: `run` returns with `Termination.CANCELLED`."""

    def close(self) -> None:
        """Kill what runs, and free processes, cgroups and directories. Idempotent."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
