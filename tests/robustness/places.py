"""A machine that has run out of something while a batch runs: space, descriptors, processes, memory, a steady clock.

The batch ends with the same results, or it says what is missing, in the row or for all, and how to help; nothing of it
is left; and the same command on a machine that has enough again completes what has no result yet. As root.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from containers.launcher import cgroup
from tests.robustness.job import Broken, Job, run, sweep
from tests.robustness.writes import build, fresh

MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """What the batch is started with."""

    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None
    #: Ends the lack while what was written stays.
    relieve: Callable[[], None] = lambda: None
    #: The kernel may have killed the batch itself.
    deadly: bool = False


Make = Callable[[], AbstractContextManager[Lack]]


@contextmanager
def small_disk(directory: Path, size: str, then: str = "") -> Iterator[Lack]:
    """A disk of its own for one directory; `then`: options that it has when the batch comes."""

    def mount(*options: str) -> None:
        subprocess.run(("mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(directory)), check=True)

    mount(f"size={size}", "mode=0711")
    try:
        if then:
            mount("remount", then)
        yield Lack(relieve=lambda: mount("remount", "rw", "size=256m"))
    finally:
        subprocess.run(("umount", "-l", str(directory)), check=True)


@contextmanager
def few_descriptors(most: int) -> Iterator[Lack]:
    yield Lack(before=partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most, most)))


@contextmanager
def small_cgroup(controller: str, files: Mapping[str, str], *, deadly: bool) -> Iterator[Lack]:
    parents = cgroup.find_parents()
    if isinstance(parents, str):
        raise Broken(f"no cgroup can be made here: {parents}")
    parent = parents.pids if controller == "pids" else parents.memory
    assert parent is not None
    group = Path(tempfile.mkdtemp(prefix="faults-", dir=parent))
    try:
        for name, value in files.items():
            if (group / name).exists():  # else it is of the other version
                (group / name).write_text(value)

        def enter() -> None:
            (group / "cgroup.procs").write_text(str(os.getpid()))

        yield Lack(before=enter, deadly=deadly)
    finally:
        with suppress(OSError):  # a judge that was killed left something: `left` has said so
            for inside in group.glob("judge-*"):
                inside.rmdir()
            group.rmdir()


@contextmanager
def jumping_clock(directory: Path) -> Iterator[Lack]:
    yield Lack(environment={"LD_PRELOAD": str(build("jump_clock.c", directory))})


def lacks(job: Job, scratch: Path) -> Iterator[tuple[str, Make]]:
    """By name, how to make each."""
    yield "wall clock that jumps", partial(jumping_clock, scratch)
    yield "read-only cache", partial(small_disk, job.cache, "1m", "ro")
    for size in ("16k", "64k", "256k", "1m"):
        yield f"cache on a disk of {size}", partial(small_disk, job.cache, size)
    for size in ("4k", "16k"):
        yield f"results on a disk of {size}", partial(small_disk, job.out.parent, size)
    for most in (8, 16, 24, 32, 40, 48, 64):
        yield f"{most} descriptors", partial(few_descriptors, most)
    for most in (1, 2, 3, 4, 6, 8, 12, 16):
        yield f"{most} processes", partial(small_cgroup, "pids", {"pids.max": str(most)}, deadly=False)
    for mib in (24, 32, 48, 64, 96):
        sizes = {"memory.limit_in_bytes": str(mib * MIB), "memory.max": str(mib * MIB), "memory.swap.max": "0"}
        yield f"{mib} MiB for the judge", partial(small_cgroup, "memory", sizes, deadly=True)


def attempt(job: Job, make: Make) -> str:
    """One run that lacks something, and one that does not: how the first ended.

    Raises:
        Broken: a promise did not hold.
    """
    fresh(job)
    with ExitStack() as stack:
        lack = stack.enter_context(make())
        code, said, pid = run(job, "-j", "2", before=lack.before, **lack.environment)
        try:
            how = _end(job, code, said, lack)
            if code == -signal.SIGKILL:
                sweep(pid)
            job.left(pid)
            lack.relieve()
            job.forget_errors()
            again, said_again, pid = run(job, "-j", "2")
            if again != 0:
                raise Broken(f"the same command afterwards: exit code {again}: {said_again}")
            job.complete()
            job.left(pid)
        except Broken as error:
            raise Broken(f"{error}\n    {said.strip()[-2000:]}") from None
    return how


def _end(job: Job, code: int, said: str, lack: Lack) -> str:
    found = job.written()
    wrong = job.wrong(found)
    unsaid = {id_: facts for id_, facts in wrong.items() if facts[0] not in (None, "IE") or not facts[-1]}
    if unsaid:
        raise Broken(f"rows with another verdict: {unsaid}")
    match code:
        case 0:
            job.complete()
            return "same results"
        case 1 if wrong:
            return "errors in rows"
        case 2 if "Traceback" not in said and re.search(r"^judge: .+[:;] .+$", said, re.MULTILINE):
            return "clear error"
        case -9 if lack.deadly:  # SIGKILL
            return "killed by the kernel"
        case _:
            raise Broken(f"exit code {code}, and no line that says why")
