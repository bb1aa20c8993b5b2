"""What starting costs: CPU time of commands and imports, beside that of `python -c pass`.

    python benchmarks/starting.py [-n RUNS] [--json FILE]

The least of the runs, in turn, of a process and its children. The first run of each, which is not counted, fills the
cache and writes bytecode. Load changes the times, and the ratios less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
NOTHING = "python -c pass"
COMMANDS = {
    NOTHING: ("-c", "pass"),
    "judge --help": ("-m", "judge", "--help"),
    "judge run, cached": ("-m", "judge", "run", "ab.cpp", "--problem", "P1001"),
    "from judge import Judge": ("-c", "from judge import Judge"),
    "from trainer_adapter import reward_funcs": ("-c", "from trainer_adapter import reward_funcs"),
    "judge problems list": ("-m", "judge", "problems", "list"),
    "judge languages": ("-m", "judge", "languages"),
    "judge doctor": ("-m", "judge", "doctor"),
}


def measure_cpu_ms(arguments: Sequence[str], directory: Path) -> float:
    """CPU time of a process and of its children that it waited for."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        (sys.executable, *arguments),
        cwd=directory,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}")
    return (used.ru_utime + used.ru_stime) * 1e3


def measure(runs: int) -> dict[str, float]:
    """The least CPU time of each, in milliseconds."""
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "ab.cpp").write_text(SOURCE)
        for _ in range(runs + 1):
            for name, arguments in COMMANDS.items():
                found[name].append(measure_cpu_ms(arguments, Path(directory)))
    return {name: min(times[1:]) for name, times in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    times = measure(arguments.runs)
    for name, time_ms in times.items():
        print(f"{name:<42} {time_ms:7.1f} ms {time_ms / times[NOTHING]:6.1f} x")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(times, indent=1) + "\n")


if __name__ == "__main__":
    main()
