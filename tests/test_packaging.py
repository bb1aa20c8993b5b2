"""What a user installs: the wheel built from the sdist, as `python -m build` does it."""

from __future__ import annotations

import email
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from judge.common.installed import DISTRIBUTION
from problems.files.languages import suffixes

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("containers", "judge", "problems", "trainer_adapter")
PROGRAMS = [f"containers/launcher/bin/judge-{name}" for name in ("launcher", "launcher-gvisor", "relay")]
SUFFIXES = {"", ".toml", ".h", ".in", ".out", ".ans", ".md", ".yaml", ".txt", ".typed", ".Dockerfile", ".interaction"}
SUFFIXES |= {".css", ".html", ".svg"}  # of the page
SUFFIXES |= suffixes()
PT_INTERP = 3


def copy_of_project(target: Path) -> Path:
    """The tree without what git ignores: a build writes its launcher there, not into the tree under test."""
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "bin", "dist", "build")
    shutil.copytree(ROOT, target, ignore=ignored)
    return target


def hatchling(directory: Path, target: str, output: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(output)],
        cwd=directory,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("wheel")
    made = hatchling(copy_of_project(scratch / "project"), "sdist", scratch / "dist")
    assert made.returncode == 0, made.stderr
    (sdist,) = (scratch / "dist").glob("*.tar.gz")
    (scratch / "unpacked").mkdir()
    subprocess.run(["tar", "-xf", sdist, "-C", scratch / "unpacked"], check=True)
    (unpacked,) = (scratch / "unpacked").iterdir()
    made = hatchling(unpacked, "wheel", scratch / "dist")
    assert made.returncode == 0, made.stderr
    (found,) = (scratch / "dist").glob("*.whl")
    return found


def test_holds_the_four_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == set(PACKAGES)
    assert {Path(name).suffix for name in names} <= SUFFIXES, "a kind of file that nobody meant to ship"
    suffixless = {name for name in names if not Path(name).suffix and not name.startswith("problems/library/")}
    assert suffixless == set(PROGRAMS)


def test_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and not {"__pycache__", "bin"} & set(path.parts) and path.suffix != ".pyc":
                assert str(path.relative_to(ROOT)) in names


def test_its_name_is_nobody_else_s(wheel: Path) -> None:
    """`judge` on PyPI is another project: whoever asks for ours by that name gets that one. The commands stay."""
    with zipfile.ZipFile(wheel) as archive:
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(about))
        commands = archive.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert metadata["Name"] == DISTRIBUTION != "judge"
    assert re.findall(r"^(\S+) = ", commands, re.MULTILINE)[:2] == ["judge", "judge-train"]
    wanted = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert [line for line in wanted if "cyaron" in line] == []


def test_is_tagged_for_every_linux_of_this_architecture(wheel: Path) -> None:
    machine = platform.machine()
    assert wheel.name.endswith(f"-py3-none-manylinux_2_17_{machine}.musllinux_1_1_{machine}.whl")


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_is_executable_and_static(wheel: Path, program: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = archive.getinfo(program)
        image = archive.read(info)
    assert info.external_attr >> 16 & 0o111 == 0o111
    assert image.startswith(b"\x7fELF")
    assert PT_INTERP not in segment_types(image), "it asks for a dynamic loader"
    assert str(ROOT).encode() not in image


def segment_types(image: bytes) -> list[int]:
    """The p_type of each program header of a 64-bit little-endian ELF file."""
    (offset,) = struct.unpack_from("<Q", image, 0x20)
    size, count = struct.unpack_from("<HH", image, 0x36)
    return [struct.unpack_from("<I", image, offset + i * size)[0] for i in range(count)]


def test_without_a_compiler_the_build_says_what_to_install(tmp_path: Path) -> None:
    made = hatchling(copy_of_project(tmp_path / "project"), "wheel", tmp_path / "dist", CC="no-such-compiler")
    assert made.returncode != 0
    (line,) = made.stderr.strip().splitlines()
    assert "no-such-compiler" in line
    assert "apt-get install gcc" in line


def test_setup_names_the_missing_packages_where_it_cannot_install_them(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "cat", "dirname", "find", "id", "sha256sum", "sort", "xargs"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    project = copy_of_project(tmp_path / "project")
    made = subprocess.run(
        [str(tools / "bash"), "scripts/setup.sh", "run"],
        cwd=project,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 2
    assert "not installed: python3 python3-venv gcc g++." in made.stderr
    assert "apt-get install -y python3 python3-venv gcc g++ libc6-dev" in made.stderr
    assert not (project / ".venv").exists()
