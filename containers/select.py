"""Opens a slot of a backend, which is chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from containers.errors import Unavailable
from containers.sandbox import Sandbox

#: The default first. Docker also takes a runtime: `docker:runsc`.
BACKENDS = ("native", "nsjail", "docker", "unsafe")


def open_sandbox(
    backend: str = "native", *, require: str | None = None, hide: Sequence[Path] = (), held: int | None = None
) -> Sandbox:
    """Open one slot.

    `require` is a tier (`tiers.TIERS`): a weaker one is refused. `hide` are host directories inside the standard view
    that no run may see (the judge's own packages, answers). `held` is how many programs the slot may hold at a time
    (`RunSpec.warm`), each some 40 MiB; None: the launcher's default.

    Raises:
        Unavailable: unknown backend, or the machine does not grant it; the message says what, and the remedy.
    """
    match backend:
        case "native":
            from containers.native import open_native  # noqa: PLC0415 - import only the backend that is used

            return open_native(require=require, hide=hide, held=held)
        case "nsjail":
            from containers.nsjail import open_nsjail  # noqa: PLC0415

            return open_nsjail(require=require, hide=hide)
        case _ if backend.partition(":")[0] == "docker":
            from containers.docker import open_docker  # noqa: PLC0415

            return open_docker(backend.partition(":")[2] or None, require=require, hide=hide)
        case "unsafe":
            if require is not None:
                raise Unavailable(f"backend unsafe has no walls, but --require {require} was asked for")
            from containers.unsafe import UnsafeSandbox  # noqa: PLC0415

            return UnsafeSandbox()
        case _:
            raise Unavailable(f"unknown backend {backend!r}: choose one of {', '.join(BACKENDS)}")
