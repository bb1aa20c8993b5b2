#!/usr/bin/env python3
"""Boots Debian's kernels in a virtual machine with cgroup version 2, on this machine's own files, and tests there.

    tests/containers/vm/run.py                      all parts on every kernel in /boot; about an hour under emulation
    tests/containers/vm/run.py --short              what CI runs: one kernel, what only a VM can show
    tests/containers/vm/run.py --kernel 6.12 root   some parts, on the newest kernel whose release begins so

Needs (Debian): apt-get install qemu-system-x86 busybox-static linux-image-amd64 (and linux-image-6.12-amd64); pip
install virtme-ng; and /usr/bin/python3 of the same version as the Python that runs this. No KVM, no root, no image: the
guest sees the host's files read-only through 9p. That is slow, so what is read most comes on a disk that is made here:

    disk/judge       this checkout, as git lists it, with the launcher     packages    what the tests import
    disk/stdlib      Python's library, mounted over the host's             gcc         likewise

Exit status: 0: every part passed on every kernel; 1: one failed; 2: something that is needed is missing.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.containers.vm.guest import DONE, LONG, PARTS, SHORT  # noqa: E402 - needs the path

PYTHON = Path("/usr/bin/python3")
STDLIB = Path(f"/usr/lib/python{sys.version_info.major}.{sys.version_info.minor}")
GCC = Path("/usr/lib/gcc/x86_64-linux-gnu")
_MIB = 1 << 20
_BOOT_S, _SETUP_S = 120, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    cpus: int
    memory: str
    timeout_s: int


def fail(text: str) -> int:
    print(f"vm: {text}", file=sys.stderr)
    return 2


def say(text: str) -> None:
    print(f"vm: {text}", flush=True)


def missing() -> str | None:
    """What is needed and not there, with how to get it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if shutil.which("qemu-system-x86_64") is None:
        return "no qemu-system-x86_64: apt-get install qemu-system-x86"
    if shutil.which("busybox") is None:
        return "no busybox for the initial file system: apt-get install busybox-static"
    if vng() is None:
        return f"no vng: {sys.executable} -m pip install virtme-ng"
    if not PYTHON.exists() or not STDLIB.is_dir():
        return f"{PYTHON} is not Python {version}, which runs this: use an environment made with {PYTHON}"
    if not (ROOT / "containers/launcher/bin/judge-launcher").exists():
        return "the launcher is not built: python3 scripts/build_launcher.py"
    return None


def vng() -> str | None:
    return shutil.which("vng", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))


def kernels(wanted: list[str]) -> list[Path]:
    """Those in /boot with their modules, newest last; or the newest of each wanted release."""
    found = sorted(
        (path for path in Path("/boot").glob("vmlinuz-*-amd64") if Path("/lib/modules", release(path)).is_dir()),
        key=lambda path: [int(part) for part in re.findall(r"\d+", release(path))],
    )
    found = [path for path in found if "cloud" not in path.name]
    if not wanted:
        return found
    chosen = ([path for path in found if release(path).startswith(start)] for start in wanted)
    return [paths[-1] for paths in chosen if paths]


def release(kernel: Path) -> str:
    return kernel.name.removeprefix("vmlinuz-")


def make_disk(directory: Path) -> Path:
    """An ext4 image with what is read most."""
    tree = directory / "disk"
    (tree / "judge").mkdir(parents=True)
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    built = (f"containers/launcher/bin/judge-{name}" for name in ("launcher", "relay"))
    for name in (*filter(None, listed.split("\0")), *built):
        if (ROOT / name).is_file():
            (tree / "judge" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / "judge" / name)
    subprocess.run((sys.executable, ROOT / "scripts/copy_test_packages.py", tree / "packages"), check=True)
    for name in ("judge", "packages"):  # here: in the guest each process that starts would do it
        compileall.compile_dir(tree / name, quiet=2, workers=0, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    shutil.copytree(STDLIB, tree / "stdlib", symlinks=True)
    if GCC.is_dir():
        shutil.copytree(GCC, tree / "gcc", symlinks=True)
    used = sum(max(path.lstat().st_size, 4096) for path in tree.rglob("*"))
    image = directory / "image"
    with image.open("wb") as file:
        file.truncate(used * 5 // 4 + 256 * _MIB)  # and room for what the tests write
    mkfs = ("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", str(tree), str(image))
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    subprocess.run(mkfs, check=True, env={**os.environ, "PATH": path})
    shutil.rmtree(tree)
    return image


def script(parts: list[str]) -> str:
    """What the guest's shell does: mount the disk, and fresh places to write to, then hand over to guest.py."""
    environment = "PYTHONPATH=/run/vm/packages PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1"
    steps = [
        "modprobe -a virtio_blk ext4",
        "mkdir -p /run/vm",
        "mount -t ext4 -o noatime /dev/vda /run/vm",
        f"mount --bind /run/vm/stdlib {STDLIB}",
        f"if [ -d /run/vm/gcc ]; then mount --bind /run/vm/gcc {GCC}; fi",
        "mount -t tmpfs -o mode=1777 tmp /tmp",
        "ln -sf /proc/self/fd/1 /dev/stdout",  # the guest's init has its own ports there
        "ln -sf /proc/self/fd/2 /dev/stderr",
        "cd /run/vm/judge",
        f"env {environment} {PYTHON} -m tests.containers.vm.guest {' '.join(parts)}",
    ]
    return " && ".join(steps)


@contextmanager
def booted(kernel: Path, image: Path, machine: Machine, command: str) -> Iterator[subprocess.Popen[str]]:
    tool = vng()
    assert tool is not None
    argv = [tool, "--disable-kvm", "--force-9p", "--run", str(kernel)]
    argv += [f"--qemu-opts=-drive file={image},format=raw,if=virtio"]
    argv += ["--cpus", str(machine.cpus), "--memory", machine.memory, "--", command]
    path = os.pathsep.join((str(Path(tool).parent), os.environ.get("PATH", "")))  # it starts its own helpers by name
    process = subprocess.Popen(
        argv,
        cwd="/",
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test(kernel: Path, image: Path, machine: Machine, parts: list[str]) -> bool:
    """Boot, show what the guest says as it says it, and believe only its last word."""
    began = time.monotonic()
    word = None
    say(f"booting {release(kernel)} for {', '.join(parts)}")
    with booted(kernel, image, machine, script(parts)) as process:
        assert process.stdout is not None
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(machine.timeout_s)
        for line in process.stdout:
            print(f"[{time.monotonic() - began:5.0f} s] {line.rstrip()}", flush=True)
            if line.startswith(DONE):
                word = line.removeprefix(DONE).strip()
        signal.alarm(0)
    took = f"after {time.monotonic() - began:.0f} s"
    if word is None:
        say(f"{release(kernel)}: the machine ended without a result {took} (limit {machine.timeout_s} s)")
    else:
        say(f"{release(kernel)}: {word} {took}")
    return word == "passed"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--kernel", action="append", default=[], metavar="RELEASE", help="how its release begins")
    parser.add_argument("--short", action="store_true", help=f"one kernel; parts: {', '.join(SHORT)}")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--timeout", type=int, default=3600, metavar="SECONDS", help="of each kernel (default 3600)")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    if (lack := missing()) is not None:
        return fail(lack)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the machine ends, and its disk is removed
    chosen = kernels(asked.kernel)
    if not chosen:
        return fail(f"no kernel {' '.join(asked.kernel)} in /boot with its modules: apt-get install linux-image-amd64")
    parts = asked.parts or list(SHORT if asked.short else LONG)
    machine = Machine(cpus=asked.cpus, memory=asked.memory, timeout_s=asked.timeout)
    with tempfile.TemporaryDirectory(prefix="judge-vm-") as directory:
        image = make_disk(Path(directory))
        results = [test(kernel, image, machine, parts) for kernel in (chosen[:1] if asked.short else chosen)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
