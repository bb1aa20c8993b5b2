#!/usr/bin/env python3
"""Compile the sandbox launcher and the relay: containers/launcher/{src,gvisor,relay}/*.c -> containers/launcher/bin.

    python3 scripts/build_launcher.py [-o FILE] [FLAG ...]

The launcher is compiled twice: also as a library, which it embeds and loads into interpreters (src/interpreter.c). The
launcher for gVisor's kernel and the relay are put beside it, as judge-launcher-gvisor and judge-relay.

Needs nothing but the standard library: the wheel's build hook, the set-up scripts and the tests (which add sanitizers)
all call `build`. The binary is static, so that one file serves every Linux of its architecture; only where the static
C library is missing is it linked dynamically, and then the wheel is tagged for this system alone.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path("containers/launcher/src")
RELAY = Path("containers/launcher/relay/relay.c")
SENTRY = Path("containers/launcher/gvisor/sentry.c")
LAUNCHER = Path("containers/launcher/bin/judge-launcher")

COMPILE = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror")
HARDEN = (
    "-fstack-protector-strong",
    # Some distributions predefine another level, which -Werror would refuse to see redefined.
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=2",
    "-fvisibility=hidden",
    "-Wl,-z,relro,-z,now,-z,noexecstack",
)
STATIC, DYNAMIC = "-static-pie", "-pie"
#: The sources that are in the one only, and those that are in the other only.
PROGRAM, INTERPRETER = ("main.c",), ("interpreter.c", "cpython.c", "thread.c")
#: What main.c embeds.
LIBRARY = "interpreter.so"


class BuildError(Exception):
    """The launcher cannot be built; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    path: Path
    static: bool


def build(root: Path = ROOT, output: Path | None = None, *, flags: Sequence[str] = (), static: bool = True) -> Built:
    """Compile the launcher of the tree at `root`; `flags` come last (``-fsanitize=address``, with `static` False).

    The file is put in place atomically: launchers that are running keep the one they started from.

    Raises:
        BuildError: no compiler, no sources, or the compiler refuses them.
    """
    directory = root / SOURCES
    sources = sorted(path.name for path in directory.glob("*.c"))
    if not sources:
        raise BuildError(f"cannot build the sandbox launcher: no C sources in {directory}")
    target = (output or root / LAUNCHER).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    compiler = find_compiler()
    static = static and links(compiler, STATIC)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as scratch:
        built, gvisor, relay = (Path(scratch, name) for name in ("launcher", "gvisor", "relay"))

        def make(out: Path, among: Path, units: Sequence[str], *link: str) -> None:
            # Run among the sources and name them relatively: no path of this machine enters the binary.
            command = [*compiler, *COMPILE, *HARDEN, *link, *flags, *units, "-o", str(out)]
            result = subprocess.run(command, cwd=among, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise BuildError(f"cannot build the sandbox launcher:\n{shlex.join(command)}\n{result.stderr.strip()}")

        executable = ("-fPIE", STATIC if static else DYNAMIC)
        library = [name for name in sources if name not in PROGRAM]
        make(Path(scratch, LIBRARY), directory, library, "-fPIC", "-shared", "-static-libgcc", "-s")
        program = [name for name in sources if name not in INTERPRETER]
        make(built, directory, program, *executable, f"-Wa,-I,{scratch}")
        sentry = (os.path.relpath(root / SENTRY, directory), "-I.", "-DGVISOR")
        make(gvisor, directory, [*program, *sentry], *executable, f"-Wa,-I,{scratch}")
        make(relay, (root / RELAY).parent, [RELAY.name], *executable)
        gvisor.replace(target.with_name("judge-launcher-gvisor"))
        relay.replace(target.with_name("judge-relay"))
        built.replace(target)
    return Built(path=target, static=static)


def find_compiler() -> tuple[str, ...]:
    """The command of the C compiler: $CC where it is set, else the first that is installed."""
    wanted = shlex.split(os.environ.get("CC", ""))
    for candidate in [wanted] if wanted else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(candidate[0]):
            return tuple(candidate)
    tried = shlex.join(wanted) or "cc, gcc, clang"
    raise BuildError(
        f"cannot build the sandbox launcher: no C compiler found (looked for {tried}); "
        "install one, e.g. 'apt-get install gcc libc6-dev', and run this again"
    )


def links(compiler: Sequence[str], flag: str) -> bool:
    """Whether an empty program links with `flag`.

    Raises:
        BuildError: it does not link without the flag either, so something else is missing.
    """

    def attempt(*extra: str) -> subprocess.CompletedProcess[str]:
        command = [*compiler, "-fPIE", *extra, "-x", "c", "-", "-o", os.devnull]
        program = "#include <stdlib.h>\nint main(void) { return 0; }\n"
        return subprocess.run(command, input=program, capture_output=True, text=True, check=False)

    if attempt(flag).returncode == 0:
        return True
    plain = attempt(DYNAMIC)
    if plain.returncode == 0:
        return False
    raise BuildError(
        f"cannot build the sandbox launcher: {shlex.join(compiler)} cannot compile an empty program; "
        f"install the C library's headers, e.g. 'apt-get install gcc libc6-dev', and run this again\n"
        f"{plain.stderr.strip()}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Compile the sandbox launcher.", allow_abbrev=False)
    parser.add_argument("-o", "--output", type=Path, help=f"where to put it (default: {LAUNCHER})")
    arguments, flags = parser.parse_known_args()
    try:
        built = build(output=arguments.output, flags=flags)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{built.path} ({'static' if built.static else 'dynamic: no static C library here'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
