"""The kernel's count of how long a thread or a process waited for a core."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from containers.launcher.waited import read_own_waited_ns, read_waited_ns

_SPIN = ("-c", "while True: pass")


@pytest.fixture
def contended_core() -> Iterator[int]:
    """A core that somebody else always wants."""
    core = min(os.sched_getaffinity(0))
    hog = subprocess.Popen(("taskset", "-c", str(core), sys.executable, *_SPIN))
    yield core
    hog.kill()
    hog.wait()


def _give_way(core: int) -> None:
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def test_of_this_thread_alone(contended_core: int) -> None:
    waited: list[int] = []

    def spin() -> None:
        _give_way(contended_core)
        began_s, before_ns = time.monotonic(), read_own_waited_ns()
        while time.monotonic() < began_s + 0.2:
            pass
        waited.append(read_own_waited_ns() - before_ns)

    thread = threading.Thread(target=spin)
    thread.start()
    thread.join()
    assert waited[0] > 10**8


def test_of_another_process(contended_core: int) -> None:
    command = ("taskset", "-c", str(contended_core), "chrt", "--idle", "0", sys.executable, *_SPIN)
    with subprocess.Popen(command) as process:
        while (waited_ns := read_waited_ns(process.pid)) == 0:
            time.sleep(0.01)
        process.kill()
    assert waited_ns > 0
    assert read_waited_ns(process.pid) == 0  # it has ended


#: Reads its own count, then that of a fork of it that gives way.
_FORKS = """
import os, sys, time
from containers.launcher.waited import read_own_waited_ns
read_own_waited_ns()
if (child := os.fork()) == 0:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    before_ns, began_s = read_own_waited_ns(), time.monotonic()
    while time.monotonic() < began_s + 0.2:
        pass
    os.write(1, str(read_own_waited_ns() - before_ns).encode())
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_fork_asks_for_itself(contended_core: int) -> None:
    command = ("taskset", "-c", str(contended_core), sys.executable, "-c", _FORKS)
    assert int(subprocess.run(command, capture_output=True, check=True).stdout) > 10**8
