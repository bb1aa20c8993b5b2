"""Short forms of `python -m tests.robustness.faults`: a few of each of its faults."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from containers.launcher import cgroup
from tests.robustness import kills, places, writes
from tests.robustness.job import Job, every_writer

#: Of the rows that write, those whose programs compile at once.
_QUICK = 4
#: Every so many faults of a disk are tried: of both kinds, lasting ones among them.
_STRIDE = 23
ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="judge-faults-", dir="/tmp"))
    made.chmod(0o755)  # users that slots lease pass through
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def job(root: Path) -> Job:
    (root / "scratch").mkdir()
    made = Job(root=root, rows=tuple(islice(every_writer(root), _QUICK)))
    made.prepare()
    return made


def test_a_disk_that_fails_costs_no_row(job: Job) -> None:
    scratch = job.root / "scratch"
    shim = writes.Shim(directory=scratch, library=writes.build("fail_write.c", scratch))
    sites = writes.survey(job, shim)
    assert len(set(sites.values())) > 20, "the cache and the results are written through calls that are seen"
    faults = list(writes.faults(sites, writes.first_of_each(sites)))
    ends = Counter(writes.attempt(job, shim, fault) for fault in faults[::_STRIDE])
    assert ends["clear error"] >= 3, ends


def test_a_fault_that_is_met_is_told_from_one_that_is_not(job: Job) -> None:
    """The control: where nothing failed, nothing is said to have."""
    scratch = job.root / "scratch"
    shim = writes.Shim(directory=scratch, library=writes.build("fail_write.c", scratch))
    beyond = writes.Fault(at=1_000_000, site="not reached", error=writes.ERRORS[0], stays=False)
    assert writes.attempt(job, shim, beyond) == "same results"


@pytest.mark.skipif(not ROOT, reason="mounts disks of its own")
@pytest.mark.parametrize(
    "name",
    ["wall clock that jumps", "read-only cache", "cache on a disk of 16k", "results on a disk of 4k", "16 descriptors"],
)
def test_a_machine_that_lacks_something_loses_no_row(name: str, job: Job) -> None:
    makers = dict(places.lacks(job, job.root / "scratch"))
    how = places.attempt(job, makers[name])
    assert how == "same results" if name == "wall clock that jumps" else how != "errors in rows"


@pytest.mark.skipif(not ROOT, reason="makes cgroups")
def test_a_machine_without_processes_loses_no_row(job: Job) -> None:
    if isinstance(why := cgroup.find_parents(), str) or why.pids is None:
        pytest.skip(f"no cgroup for processes: {why}")
    makers = dict(places.lacks(job, job.root / "scratch"))
    # The second process is a thread of the judge or its launcher, whichever begins first. Without the thread nothing is
    # judged; without the launcher rows are IE. Either way the same command does the rest afterwards.
    assert places.attempt(job, makers["2 processes"]) in {"clear error", "errors in rows"}


def test_a_batch_whose_parts_are_killed_loses_no_row(root: Path) -> None:
    wanted = {"driver": 1, "launcher": 4, "stub": 4, "compiler": 2}
    played = kills.play(root / "scratch", wanted, number=0, seed=1)
    assert played.killed.total() > 0
