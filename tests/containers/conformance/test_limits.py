"""Limits hold, and what is measured is true."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from containers import File, Outcome, RunSpec, Sandbox, Termination
from containers.launcher.leftovers import Leftovers
from containers.outcome import counts_processes
from judge.ruling.classify import Allowed, classify
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND, TIME_SCALE, Probe, Variant
from tests.containers.variants import granted

MS = 1_000_000
#: CPU time that no program here uses up on its way to another limit.
AMPLE = 5 * TIME_SCALE * SECOND


def test_cpu_limit_stops_a_loop_just_after_it(variant: Variant, probe: Probe) -> None:
    beyond = []
    for _ in range(10):
        outcome = probe("spin", cpu_ns=50 * MS)
        assert outcome.termination is Termination.CPU_LIMIT
        assert outcome.signal == signal.SIGKILL
        beyond.append(outcome.usage.cpu_ns - 50 * MS)
    assert min(beyond) >= 0
    assert statistics.median(beyond) <= (40 if variant.gvisor else 12) * TIME_SCALE * MS


@pytest.fixture
def hogs() -> Iterator[None]:
    """Two on each core, each in a session of its own: where the kernel groups tasks by session they would be one."""
    spin = (sys.executable, "-c", "while True: pass")
    with ExitStack() as stack:
        for core in sorted(os.sched_getaffinity(0)) * 2:
            hog = stack.enter_context(subprocess.Popen(("taskset", "-c", str(core), *spin), start_new_session=True))
            stack.callback(hog.kill)
        yield


def test_time_without_a_core_is_left_out_of_the_wall_limit(variant: Variant, probe: Probe, hogs: None) -> None:
    """A third of a core is more than enough for it, with twice the limit."""
    if variant.gvisor:
        pytest.skip("gVisor's kernel does not tell")
    limit = 400 * TIME_SCALE * MS
    outcome = probe("cpu_clock", 200 * TIME_SCALE, wall_ns=limit, cpu_ns=AMPLE)
    assert 0 < outcome.usage.waited_ns <= limit
    if outcome.usage.waited_ns < limit:  # else other load took the bound as well
        assert outcome.termination is Termination.EXITED
    assert outcome.usage.wall_ns > limit


def test_a_run_of_more_than_a_second_tells_how_long_it_had_no_core(variant: Variant, probe: Probe, hogs: None) -> None:
    """Also where it reached no limit: another run may have waited for it."""
    if variant.gvisor:
        pytest.skip("gVisor's kernel does not tell")
    outcome = probe("cpu_clock", 500 * TIME_SCALE, wall_ns=60 * SECOND * TIME_SCALE, cpu_ns=AMPLE)
    assert outcome.termination is Termination.EXITED
    if outcome.usage.wall_ns > SECOND:  # two hogs on each core: mostly a second and a half
        without = outcome.usage.wall_ns - outcome.usage.cpu_ns
        assert 0.5 * without < outcome.usage.waited_ns <= 1.1 * without


def test_threads_that_wait_for_each_other_gain_the_limit_once_more_at_most(probe: Probe) -> None:
    outcome = probe("thread_bomb", wall_ns=200 * MS, cpu_ns=AMPLE)
    assert outcome.termination is Termination.WALL_LIMIT
    assert outcome.usage.waited_ns <= 200 * MS
    assert outcome.usage.wall_ns < (400 + 1000 * TIME_SCALE) * MS  # a stub that waits for a core stops it late


def test_cpu_of_all_threads_counts(probe: Probe) -> None:
    assert probe("thread_bomb", cpu_ns=200 * MS).termination is Termination.CPU_LIMIT
    assert probe("leader_gone", cpu_ns=100 * MS).termination is Termination.CPU_LIMIT


@pytest.mark.parametrize("waits", [False, True])
def test_cpu_of_children_counts_that_nobody_waits_for(slot: Sandbox, waits: bool) -> None:
    """A parent that ignores SIGCHLD has the kernel reap its children, and their time is then in nobody's usage."""
    if not counts_processes(slot.isolation):
        pytest.skip("refused here: test_processes_where_the_spec_allows_them")
    code = f"""
import os, signal, time
if not {waits}:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        while time.process_time() < 0.2:
            pass
        os._exit(0)
for _ in range(4):
    try:
        os.wait()
    except ChildProcessError:
        pass
"""
    argv = ("/usr/bin/python3", "-c", code)
    limits = replace(LIMITS, processes=8, cpu_ns=10 * SECOND)
    outcome = slot.run(RunSpec(argv=argv, limits=limits))
    assert outcome.termination is Termination.EXITED, outcome
    assert outcome.usage.cpu_exact
    assert outcome.usage.cpu_ns >= 800 * MS
    stopped = slot.run(RunSpec(argv=argv, limits=replace(limits, cpu_ns=400 * MS)))
    assert stopped.termination is Termination.CPU_LIMIT
    assert 400 * MS <= stopped.usage.cpu_ns < 800 * MS


def test_cpu_time_is_measured(variant: Variant, probe: Probe) -> None:
    outcome = probe("cpu_clock", 120)
    assert outcome.termination is Termination.EXITED
    # gVisor also counts the time in which it waits for a core of the machine.
    most = outcome.usage.wall_ns if variant.gvisor else 120 * MS
    assert 120 * MS <= outcome.usage.cpu_ns <= most + 20 * TIME_SCALE * MS


@pytest.mark.parametrize("name", ["sleeper", "deaf", "stop_self"])
def test_wall_limit_stops_what_uses_no_cpu(probe: Probe, name: str) -> None:
    outcome = probe(name, wall_ns=150 * MS)
    assert outcome.termination is Termination.WALL_LIMIT
    assert outcome.usage.wall_ns >= 150 * MS
    assert outcome.usage.cpu_ns < 100 * TIME_SCALE * MS


@pytest.mark.parametrize("name", ["allocate", "map_shared"])
def test_memory_limit(variant: Variant, probe: Probe, name: str) -> None:
    assert probe(name, 100).stdout == b"done\n"
    outcome = probe(name, 1500, cpu_ns=AMPLE)
    assert outcome.termination is Termination.MEMORY_LIMIT
    # Who watches must be given a core to look: on a machine under load that takes its time.
    most = 300 if outcome.usage.cgroup_peak_bytes else 1600 if variant.gvisor else 1000
    assert outcome.usage.memory_bytes <= most * MIB


def test_memory_limit_holds_for_endless_small_allocations(probe: Probe) -> None:
    outcome = probe("allocate_forever", memory_bytes=64 * MIB, cpu_ns=AMPLE)
    assert outcome.termination is Termination.MEMORY_LIMIT
    assert outcome.usage.memory_bytes <= 90 * MIB


@pytest.mark.parametrize("name", ["named_as_status", "named_as_sum", "named_as_shown"])
def test_no_name_hides_memory(probe: Probe, name: str) -> None:
    assert probe(name, 32, memory_bytes=128 * MIB, cpu_ns=AMPLE).stdout == b"done\n"
    outcome = probe(name, 1024, memory_bytes=128 * MIB, cpu_ns=AMPLE)
    assert outcome.termination is Termination.MEMORY_LIMIT


def test_untouched_address_space_is_not_memory(probe: Probe) -> None:
    assert probe("reserve", 3000).stdout == b"done\n"


@pytest.mark.parametrize("mib", [10, 100, 200])
def test_memory_figure(variant: Variant, probe: Probe, mib: int) -> None:
    figure = probe("allocate", mib).usage.memory_bytes
    assert abs(figure - mib * MIB) <= (8 if variant.gvisor else 4) * MIB


def judged(outcome: Outcome, memory_bytes: int) -> str:
    allowed = Allowed(cpu_ns=AMPLE, wall_ns=10 * AMPLE, memory_bytes=memory_bytes, output_bytes=64 * MIB)
    ruling = classify(outcome, allowed)
    return "clean" if ruling is None else ruling.verdict.value


@pytest.mark.parametrize(("beyond", "verdict"), [(-4, "clean"), (-1, "clean"), (1, "MLE"), (4, "MLE")])
def test_the_verdict_near_the_memory_limit_is_no_race(
    variant: Variant, probe: Probe, beyond: int, verdict: str
) -> None:
    """The cgroup leaves some room for what is not the program's, and the watcher may look too late."""
    asked = 60 + beyond
    beside = probe("allocate", asked, memory_bytes=256 * MIB).usage.memory_bytes - asked * MIB
    limit = 60 * MIB + beside
    if variant.gvisor and abs(beyond) < 4:
        pytest.skip("its figure comes in steps of 2 MiB")
    verdicts = {judged(probe("allocate", asked, memory_bytes=limit, cpu_ns=AMPLE), limit) for _ in range(20)}
    assert verdicts == {verdict}


def test_an_input_that_is_mapped_is_not_the_programs_memory(variant: Variant, probe: Probe) -> None:
    limit, data = 64 * MIB, bytes(48 * MIB)
    outcome = probe("map_input", 40, stdin=data, memory_bytes=limit, cpu_ns=AMPLE)
    assert (outcome.stdout, judged(outcome, limit)) == (b"done\n0\n", "clean")
    assert judged(probe("map_input", 72, stdin=data, memory_bytes=limit, cpu_ns=AMPLE), limit) == "MLE"
    if not variant.gvisor:  # where pages of files are left out, as far as they are seen
        assert judged(probe("read_input", 66, stdin=data, memory_bytes=limit, cpu_ns=AMPLE), limit) == "MLE"


def test_an_input_that_is_only_looked_into_is_no_more_memory(variant: Variant, probe: Probe) -> None:
    """Its offset is that of an input that was mapped. In gVisor nobody may have looked before the program ends: then
    the figure of the whole run decides, of which the input is taken off."""
    limit, data = 64 * MIB, bytes(48 * MIB)
    outcome = probe("look_into_input", 40, stdin=data, memory_bytes=limit, cpu_ns=AMPLE)
    assert (outcome.stdout, judged(outcome, limit)) == (b"look ok\ndone\n", "clean")
    beyond = 72 + 48 if variant.gvisor else 72
    assert judged(probe("look_into_input", beyond, stdin=data, memory_bytes=limit, cpu_ns=AMPLE), limit) == "MLE"


def test_shared_memory_counts_when_it_is_in_no_page_table(probe: Probe) -> None:
    limit = 64 * MIB
    assert probe("map_shared", 40, memory_bytes=limit, cpu_ns=AMPLE).stdout == b"done\n"
    assert probe("drop_shared", 24, memory_bytes=limit, cpu_ns=AMPLE).stdout == b"done\n"
    outcome = probe("drop_shared", 40, memory_bytes=limit, cpu_ns=AMPLE)
    assert outcome.termination is Termination.MEMORY_LIMIT


def test_there_are_no_huge_pages(variant: Variant, probe: Probe, probe_path: Path) -> None:
    """No count of a process's memory has them. The control: the kernel knows them, even where its pool is empty."""
    if variant.gvisor:
        pytest.skip("gVisor's kernel has none")
    assert probe("huge_pages").stdout == b"huge ENOMEM\n"
    if Path("/sys/kernel/mm/hugepages").exists():
        assert subprocess.run((probe_path, "huge_pages"), capture_output=True, check=True).stdout == b"huge ok\n"


def test_files_are_memory_on_every_tier(variant: Variant, probe: Probe) -> None:
    kept = probe("keep_file", 20, memory_bytes=64 * MIB, cpu_ns=AMPLE)
    assert judged(kept, 64 * MIB) == "clean"
    assert kept.usage.memory_source == "maxrss+files"
    assert abs(kept.usage.memory_bytes - 21 * MIB) <= (8 if variant.gvisor else 4) * MIB
    assert judged(probe("keep_file", 20, memory_bytes=16 * MIB, cpu_ns=AMPLE), 16 * MIB) == "MLE"


def test_files_that_a_run_is_given_are_not_its_memory(probe: Probe) -> None:
    given = File(name="input", content=bytes(48 * MIB), work=True)
    spec = RunSpec(argv=("probe",), files=(given,), limits=LIMITS)
    outcome = probe("allocate", 16, spec=spec, memory_bytes=32 * MIB, cpu_ns=AMPLE)
    assert (outcome.stdout, judged(outcome, 32 * MIB)) == (b"done\n", "clean")
    assert abs(outcome.usage.memory_bytes - 16 * MIB) <= 8 * MIB


#: Of files that do not exist: some 80 MiB of the kernel's memory, where its file system remembers them.
NAMES = 200_000
STDLIB = sysconfig.get_path("stdlib")


def leaving_names() -> RunSpec:
    """Names that nobody has looked up before: those would not be charged to this slot."""
    directory = STDLIB if STDLIB.startswith("/usr/lib") else "/usr/lib"
    return RunSpec(argv=("probe",), env={"PREFIX": f"{directory}/{os.urandom(8).hex()}"}, limits=LIMITS)


def test_what_a_run_leaves_charged_is_not_in_the_next_ones_memory(
    slot: Sandbox, probe: Probe, open_slot: Callable[[], Sandbox]
) -> None:
    if slot.isolation.tier != "full":
        pytest.skip("no cgroup: nothing is charged to a slot")

    def runs(count: int, on: Sandbox) -> list[Outcome]:
        outcomes = [probe("allocate", 56, on=on, memory_bytes=64 * MIB, cpu_ns=AMPLE) for _ in range(count)]
        assert {outcome.stdout for outcome in outcomes} == {b"done\n"}
        return outcomes

    fresh, other = runs(3, slot), open_slot()
    for memory_bytes in (64 * MIB, 256 * MIB):  # the second leaves more than the next run may have
        limits = {"memory_bytes": memory_bytes, "cpu_ns": AMPLE, "wall_ns": 10 * AMPLE}
        assert probe("names_of_nothing", NAMES, spec=leaving_names(), **limits).stdout == b"done\n"
        (after,) = runs(1, slot)
        beside = [*fresh, *runs(3, other)]  # a machine may be slower by now: what it takes where nothing was left
        assert after.usage.cpu_ns <= 1.5 * max(outcome.usage.cpu_ns for outcome in beside) + 10 * TIME_SCALE * MS
        if (peak := after.usage.cgroup_peak_bytes) is not None:
            assert peak <= max(outcome.usage.cgroup_peak_bytes or 0 for outcome in fresh) + 4 * MIB
        assert not after.disturbed


@pytest.mark.parametrize("tier", [tier for tier in granted() if tier == "full"])
def test_what_cannot_be_taken_back_is_told(
    monkeypatch: pytest.MonkeyPatch, probe: Probe, open_slot: Callable[[], Sandbox]
) -> None:
    """As on Linux before 5.19, which has no memory.reclaim."""
    monkeypatch.setattr(Leftovers, "_reclaim", lambda *_: False)
    slot = open_slot()
    assert not probe(
        "names_of_nothing", NAMES, on=slot, spec=leaving_names(), memory_bytes=64 * MIB, cpu_ns=AMPLE
    ).disturbed
    outcome = probe("allocate", 8, on=slot, memory_bytes=64 * MIB)
    assert (outcome.stdout, outcome.disturbed) == (b"done\n", True)


def test_a_death_near_the_limit_is_known(probe: Probe) -> None:
    outcome = probe("near_limit_crash", 248, memory_bytes=256 * MIB, cpu_ns=AMPLE)
    assert outcome.termination is Termination.SIGNALED
    assert outcome.signal == signal.SIGABRT
    assert outcome.usage.anonymous_peak_bytes >= 0.95 * 256 * MIB


def test_all_of_memory_may_be_stack(variant: Variant, probe: Probe) -> None:
    outcome = probe("recursion", 120 if variant.gvisor else 256, memory_bytes=512 * MIB, cpu_ns=AMPLE)
    assert (outcome.termination, outcome.stdout) == (Termination.EXITED, b"1\n")


def test_endless_recursion_ends(probe: Probe) -> None:
    outcome = probe("recursion", 1 << 20, memory_bytes=64 * MIB, cpu_ns=AMPLE)
    assert outcome.signal in (signal.SIGSEGV, signal.SIGKILL)
    assert outcome.usage.anonymous_peak_bytes >= 0.95 * 64 * MIB


@pytest.mark.parametrize("stream", [1, 2])
def test_output_limit(probe: Probe, stream: int) -> None:
    outcome = probe("flood", stream, output_bytes=MIB, cpu_ns=AMPLE)
    assert outcome.termination is Termination.OUTPUT_LIMIT
    assert len(outcome.stdout) <= MIB
    assert len(outcome.stderr) <= 64 * 1024
    assert max(outcome.stdout_bytes, outcome.stderr_bytes) > MIB


def test_a_trickle_over_the_limit_is_stopped(probe: Probe) -> None:
    outcome = probe("trickle", output_bytes=1000, wall_ns=60 * SECOND)
    assert outcome.termination is Termination.OUTPUT_LIMIT
    assert 1000 < outcome.stdout_bytes < 10_000


def test_output_up_to_the_limit_is_kept(probe: Probe) -> None:
    outcome = probe("print_bytes", MIB, output_bytes=MIB)
    assert outcome.termination is Termination.EXITED
    assert len(outcome.stdout) == outcome.stdout_bytes == MIB


def test_threads_up_to_the_limit(probe: Probe) -> None:
    made = int(probe("threads").stdout)
    assert 63 <= made <= 66


def test_directory_is_bounded_in_bytes_and_files(variant: Variant, probe: Probe) -> None:
    blocks, error = probe("fill_directory", directory_bytes=8 * MIB).stdout.split()
    assert (int(blocks), error) in ((7, b"ENOSPC"), (8, b"ENOSPC"), (8, b"EFBIG"))
    outcome = probe("many_files", directory_inodes=100)
    if variant.gvisor:
        assert outcome.termination is Termination.OUTPUT_LIMIT
        return
    made, error = outcome.stdout.split()
    assert 90 <= int(made) <= 100
    assert error == b"ENOSPC"


_MANY_FILES = """\
import os, sys, time
for number in range(40):
    file = os.open(f"f{number}", os.O_CREAT | os.O_WRONLY)
    if sys.argv[1] == "nameless":
        os.unlink(f"f{number}")
    for _ in range(4):
        os.write(file, bytes(1 << 20))
time.sleep(1)
print("all")
"""


@pytest.mark.parametrize("work", [False, True], ids=["beside", "inside"])
@pytest.mark.parametrize("kept", ["named", "nameless"])
def test_directory_is_bounded_whatever_a_run_is_given(slot: Sandbox, work: bool, kept: str) -> None:
    """The launcher looks at what it has given as the program's user: to root without its powers it was endless."""
    spec = RunSpec(
        argv=("/usr/bin/python3", "-S", "-c", _MANY_FILES, kept),
        files=(File(name="given", content=b"x", work=work),),
        limits=replace(LIMITS, directory_bytes=8 * MIB),
    )
    outcome = slot.run(spec)
    assert outcome.exit_code != 0, outcome
    assert outcome.stdout == b""


def test_descriptors_are_bounded(probe: Probe) -> None:
    made, error = probe("descriptors", open_files=20).stdout.split()
    assert (int(made), error) == (17, b"EMFILE")
