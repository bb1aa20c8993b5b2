"""The executor of `Judge(executor="ray")`."""

from __future__ import annotations

import logging
import os
import socket
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from containers import Isolation, Unavailable
from judge.common.errors import ConfigError
from judge.common.execution import Execution, Program
from judge.common.models import Judgement, Options, Submission

try:
    import ray
except ImportError as error:
    raise ConfigError("the executor ray needs Ray: pip install ray, on every machine") from error

from judge.judging.watch import Watch
from judge.many.cluster.actor import Dead
from judge.many.cluster.driver import Driver
from judge.many.cluster.node import NodeSettings, own_version
from judge.many.cluster.rays import RayFleet

#: How long we wait at first for the nodes of the cluster.
_PATIENCE_S = 60.0
#: How long we wait for the cluster's address to take a connection.
_ANSWERS_S = 10.0


class RayExecutor:
    """The `Executor` of a Ray cluster, with nodes that join later, too. `slots`: for each node (default: what the node
    can carry, but at most the CPUs that it gives Ray)."""

    def __init__(
        self,
        slots: int | None,
        backend: str,
        require: str | None,
        cache_directory: Path | None,
        address: str | None,
        memory_bytes: int | None = None,
    ) -> None:
        """
        Raises:
            Unavailable: there is no such cluster, or none of its nodes grants the sandbox.
        """
        self._connected = _connect(address)
        settings = NodeSettings(
            slots=slots,
            backend=backend,
            require=require,
            cache_directory=cache_directory,
            memory_bytes=memory_bytes,
            version=own_version(),
        )
        self._driver = Driver(lambda _: RayFleet(settings))
        try:
            self._driver.wait_open(_PATIENCE_S)
        except Dead as error:
            self.close()
            raise Unavailable(str(error)) from error
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        return max(1, self._driver.slots)

    @property
    def isolation(self) -> Isolation:
        return self._driver.isolation

    def submit(self, submission: Submission, options: Options, watch: Watch | None = None) -> Future[Judgement]:
        return self._driver.submit(submission, options, watch)

    def execute(self, program: Program) -> Future[Execution]:
        raise ConfigError("programs without a problem run on this machine; leave out the executor ray")

    def stop(self, future: Future[Any]) -> bool:
        return self._driver.stop(future)

    def close(self) -> None:
        self._driver.close()
        if self._connected:
            self._connected = False
            ray.shutdown()


def _check_answers(address: str) -> None:
    """Ray itself waits for minutes for an address where nobody answers.

    Raises:
        Unavailable: nobody listens there.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return  # a word of Ray's, such as auto
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWERS_S).close()
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"no Ray cluster answers at {address} ({error}); start one with `ray start --head`, or name another address"
        ) from error


def _connect(address: str | None) -> bool:
    """Connect this process to Ray. Returns False if it was connected before."""
    if ray.is_initialized():
        if address is not None and address not in (at := ray.get_runtime_context().gcs_address, "auto"):
            raise ConfigError(f"this process is connected to the Ray cluster at {at} already, not to {address}")
        return False
    if address is not None and address.startswith("ray://"):
        raise ConfigError(f"{address}: Ray's client is not supported; run this on a machine of the cluster")
    _check_answers(address or os.environ.get("RAY_ADDRESS", ""))
    try:
        # Ray would print the nodes' logs here. Nodes report in their answers.
        ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = "no Ray cluster runs here" if address is None else f"no Ray cluster at {address}"
        hint = "start one with `ray start --head`, or name one with --address HOST:6379"
        raise Unavailable(f"{where}; {hint} ({' '.join(str(error).split())})") from error
    return True
