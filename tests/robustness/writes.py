"""A disk that fails at each write of the cache and of the results, one write after the other.

Each run of the small batch (`job.every_writer`, an empty cache) has one failing call: ENOSPC or EIO, once or from then
on. It must end with the same results, or with exit code 2 and one line that says what, where and what to do; it leaves
no temporary file; and the same command on a disk that works again completes the results, each row once.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.robustness.job import Broken, Job, run

#: A package that was changed less than two seconds ago may change again, and is not remembered.
_SETTLED_S = 2.5
ERRORS = (errno.ENOSPC, errno.EIO)
#: Parts of paths that differ from run to run.
_NAMES = (
    (re.compile(r"[0-9a-f]{64}"), "KEY"),
    (re.compile(r"[0-9a-f]{16}"), "HASH"),
    (re.compile(r"(?<=objects/)[0-9a-f]{2}(?=/|$)"), "KE"),
    (re.compile(r"(?<=building-)\w+"), "*"),
    (re.compile(r"(?<=\.new-)\w+"), "*"),
    (re.compile(r"-[0-9a-f]{12}(?=/|$)"), "-HASH"),
    (re.compile(r"/\d+\.(in|ans)$"), r"/N.\1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    #: Number of the call.
    at: int
    #: What it is: "write objects/KE/.new-*".
    site: str
    error: int
    stays: bool

    def __str__(self) -> str:
        return f"{errno.errorcode[self.error]}{' from then on' if self.stays else ''} at call {self.at}, {self.site}"


def build(name: str, directory: Path) -> Path:
    """A library to preload, of a source beside this file."""
    made = directory / f"{name}.so"
    flags = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wshadow", "-Werror")
    subprocess.run(("gcc", *flags, "-o", str(made), str(Path(__file__).with_name(name))), check=True)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Shim:
    """The library that makes calls fail, and what it counts."""

    directory: Path
    library: Path

    def environment(self, job: Job, fault: Fault | None) -> dict[str, str]:
        state, log = self.directory / "state", self.directory / "log"
        state.write_bytes(bytes(8))
        log.unlink(missing_ok=True)
        made = {
            "LD_PRELOAD": str(self.library),
            "FAIL_BELOW": f"{job.cache}:{job.out.parent}",
            "FAIL_STATE": str(state),
            "FAIL_LOG": str(log),
        }
        if fault is not None:
            made |= {"FAIL_AT": str(fault.at), "FAIL_ERRNO": str(fault.error), "FAIL_STAY": str(int(fault.stays))}
        return made

    def read(self, job: Job) -> dict[int, str]:
        """The calls of the last run: number -> site."""
        log = self.directory / "log"
        found = {}
        for line in log.read_text().splitlines() if log.exists() else ():
            number, call, path = line.split(" ", 2)
            found[int(number)] = f"{call} {_place(path, job.root)}"
        return found


def _place(path: str, root: Path) -> str:
    name = str(Path(path).relative_to(root))
    for pattern, instead in _NAMES:
        name = pattern.sub(instead, name)
    return name


def fresh(job: Job) -> None:
    """An empty cache, no results."""
    for directory in (job.cache, job.out.parent):
        shutil.rmtree(directory, ignore_errors=True)
    job.prepare()


def survey(job: Job, shim: Shim) -> dict[int, str]:
    """The calls of a run on a disk that works."""
    time.sleep(_SETTLED_S)
    fresh(job)
    code, said, pid = run(job, "-j", "1", **shim.environment(job, None))
    if code != 0:
        raise Broken(f"without a fault: exit code {code}: {said}")
    job.complete()
    job.left(pid)
    return shim.read(job)


def first_of_each(sites: dict[int, str]) -> list[int]:
    """The first and the last call of each site."""
    places: dict[str, list[int]] = {}
    for number, site in sorted(sites.items()):
        places.setdefault(site, []).append(number)
    return sorted({number for numbers in places.values() for number in (numbers[0], numbers[-1])})


def faults(sites: dict[int, str], chosen: Iterable[int]) -> Iterator[Fault]:
    for number in chosen:
        for error in ERRORS:
            for stays in (False, True):
                yield Fault(at=number, site=sites[number], error=error, stays=stays)


def attempt(job: Job, shim: Shim, fault: Fault) -> str:
    """One run with the fault and one without: how the first ended.

    Raises:
        Broken: a promise did not hold.
    """
    fresh(job)
    code, said, pid = run(job, "-j", "1", **shim.environment(job, fault))
    met = shim.read(job).get(fault.at, "not reached")
    site = met if met == fault.site else f"{met} (instead of {fault.site})"
    try:
        how = _judge_end(job, code, said, fault)
        if wrong := job.wrong(job.written()):
            raise Broken(f"rows with another verdict: {wrong}")
        job.left(pid)
        again, said_again, pid = run(job, "-j", "2")
        if again != 0:
            raise Broken(f"the same command afterwards: exit code {again}: {said_again}")
        job.complete()
        job.left(pid)
    except Broken as error:
        raise Broken(f"{site}: {error}\n    {said.strip()}") from None
    return how


def _judge_end(job: Job, code: int, said: str, fault: Fault) -> str:
    match code:
        case 0:
            job.complete()
            return "same results"
        case 2:
            lines = [line for line in said.splitlines() if line.startswith("judge: ")]
            if len(lines) != 1 or "Traceback" in said:
                raise Broken("no single line says why")
            what = os.strerror(fault.error)
            if what not in lines[0] or str(job.root) not in lines[0] or ";" not in lines[0]:
                raise Broken(f"the line does not say what ({what}), where, and what to do")
            return "clear error"
        case _:
            raise Broken(f"exit code {code}: rows were given up for a disk's fault")
