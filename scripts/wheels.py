#!/usr/bin/env python3
"""Make the wheels for x86-64 and aarch64, and look at what was made.

    python scripts/wheels.py [-o DIRECTORY] [MACHINE ...]

MACHINE: x86_64, aarch64 (default: both). Needs hatchling (`pip install '.[test]'`), and for another machine than
this one a cross compiler (`apt-get install gcc-aarch64-linux-gnu`). The launcher is static, so each wheel is for every
Linux of its machine. All is built from the sdist, in a temporary directory: this tree keeps its own launcher.
"""

from __future__ import annotations

import argparse
import os
import platform
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = tuple(f"containers/launcher/bin/judge-{name}" for name in ("launcher", "launcher-gvisor", "relay"))
#: e_machine in the ELF header.
MACHINES = {"x86_64": 62, "aarch64": 183}
_PT_INTERP = 3


class WheelError(Exception):
    """A wheel cannot be made, or is not what it should be."""


def make(machines: tuple[str, ...], output: Path) -> list[Path]:
    """The wheels, one for each machine.

    Raises:
        WheelError: says which, why, and what to do.
    """
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="judge-wheels-") as scratch:
        _hatchling(ROOT, "sdist", Path(scratch), {})
        (sdist,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(scratch, filter="data")
        source = Path(scratch, sdist.name.removesuffix(".tar.gz"))
        return [_wheel(source, machine, output) for machine in machines]


def _wheel(source: Path, machine: str, output: Path) -> Path:
    environment = {} if machine == platform.machine() else {"CC": f"{machine}-linux-gnu-gcc"}
    _hatchling(source, "wheel", output, environment)
    found = max(output.glob(f"judge_rl-*_{machine}.whl"), key=lambda path: path.stat().st_mtime, default=None)
    if found is None:
        raise WheelError(f"no wheel for {machine} was made")
    with zipfile.ZipFile(found) as archive:
        for program in PROGRAMS:
            check(archive.read(program), machine)
    return found


def check(image: bytes, machine: str) -> None:
    """
    Raises:
        WheelError: the launcher is for another machine, or asks for a C library.
    """
    if image[:6] != b"\x7fELF\x02\x01":
        raise WheelError("the launcher is no 64-bit little-endian ELF file")
    (found,) = struct.unpack_from("<H", image, 18)
    if found != MACHINES[machine]:
        raise WheelError(f"the launcher is for ELF machine {found}, not for {machine}")
    (offset,) = struct.unpack_from("<Q", image, 0x20)
    size, count = struct.unpack_from("<HH", image, 0x36)
    if _PT_INTERP in (struct.unpack_from("<I", image, offset + number * size)[0] for number in range(count)):
        raise WheelError(f"the launcher for {machine} is not static: install the static C library of its compiler")


def _hatchling(directory: Path, target: str, output: Path, environment: dict[str, str]) -> None:
    command = (sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(output))
    ran = subprocess.run(
        command, cwd=directory, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if ran.returncode != 0:
        compiler = environment.get("CC", "")
        hint = f"\nit needs {compiler}: apt-get install gcc-{compiler.removesuffix('-gcc')}" if compiler else ""
        raise WheelError(f"{ran.stderr.strip()}{hint}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the wheels.", allow_abbrev=False)
    parser.add_argument("-o", "--output", type=Path, default=Path("wheels"), help="(default: wheels)")
    parser.add_argument("machine", nargs="*", help=f"of {', '.join(MACHINES)} (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.machine) - MACHINES.keys():
        parser.error(f"no wheels for {min(unknown)}: choose of {', '.join(MACHINES)}")
    try:
        wheels = make(tuple(arguments.machine or MACHINES), arguments.output.resolve())
    except WheelError as error:
        print(f"wheels: {error}", file=sys.stderr)
        return 1
    for wheel in wheels:
        print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
