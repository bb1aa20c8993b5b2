"""A sandbox of a command that runs programs itself, without a Judge: what runs there is stopped when the command is
asked to end."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from containers import Isolation, Outcome, RunSpec, Sandbox, open_sandbox
from judge.common.ending import close_if_given_up, is_closed, look, told_to


class StoppableSandbox:
    """The `Sandbox` protocol. `run` raises KeyboardInterrupt, too."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        close_if_given_up(self._end)

    @property
    def isolation(self) -> Isolation:
        return self._sandbox.isolation

    @property
    def holds(self) -> bool:
        return self._sandbox.holds

    def run(self, spec: RunSpec) -> Outcome:
        look()
        with told_to(self._sandbox.stop, again=True):
            outcome = self._sandbox.run(spec)
        look()
        return outcome

    def stop(self) -> None:
        self._sandbox.stop()

    def close(self) -> None:
        self._sandbox.close()
        is_closed(self._end)

    def _end(self) -> None:
        self._sandbox.stop()
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def open_stoppable(backend: str, *, require: str | None = None, hide: tuple[Path, ...] = ()) -> Sandbox:
    look()
    return StoppableSandbox(open_sandbox(backend, require=require, hide=hide))
