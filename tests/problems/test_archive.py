"""Packages in zip files: unpacked safely, once, and cleaned up."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import problems
from problems import ProblemError
from problems.files import archive
from tests.packages import MINIMAL

ROOT = Path(__file__).resolve().parents[2]


def pack(path: Path, files: Mapping[str, str | bytes], prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            zipped.writestr(prefix + name, text)
    return path


@pytest.mark.parametrize("prefix", ["", "inner/"])
@pytest.mark.parametrize("suffix", [".zip", ".kpp"])
def test_package_is_read(tmp_path: Path, prefix: str, suffix: str) -> None:
    path = pack(tmp_path / f"sum{suffix}", {**MINIMAL, "__MACOSX/x": "1"} if prefix == "" else MINIMAL, prefix)
    problem = problems.load(path)
    assert problem.name == "sum"
    assert [case.read_input() for case in problem.cases] == [b"1 2\n", b"3 4\n", b"5 6\n"]


def test_unpacked_files_are_private(tmp_path: Path) -> None:
    problem = problems.load(pack(tmp_path / "sum.zip", MINIMAL))
    assert stat.S_IMODE(problem.directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in problem.directory.rglob("*.in")} == {0o600}
    assert problem.directory.is_relative_to(tempfile.gettempdir())


def test_unpacked_once_and_again_after_a_change(tmp_path: Path) -> None:
    path = pack(tmp_path / "sum.zip", MINIMAL)
    first = problems.load(path).directory
    assert problems.load(path).directory == first
    pack(path, {**MINIMAL, "data/secret/01.ans": "8 and longer\n"})
    assert problems.load(path).cases[1].read_answer() == b"8 and longer\n"


def test_messages_name_the_archive(tmp_path: Path) -> None:
    path = pack(tmp_path / "sum.zip", {name: text for name, text in MINIMAL.items() if name != "data/secret/01.ans"})
    with pytest.raises(ProblemError) as caught:
        problems.load(path)
    assert str(caught.value) == f"{path}/data/secret/01.in: has no answer file; add 01.ans"


def info(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    entry.create_system = 3
    return entry


def with_entry(entry: zipfile.ZipInfo | str, data: bytes = b"x") -> Callable[[Path], None]:
    def make(path: Path) -> None:
        pack(path, MINIMAL)
        with zipfile.ZipFile(path, "a") as zipped:
            zipped.writestr(entry, data)

    return make


def encrypted(path: Path) -> None:
    pack(path, MINIMAL)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")  # the flag bits of the last entry of the directory
    data[at + 8] |= 1
    path.write_bytes(data)


def truncated(path: Path) -> None:
    pack(path, MINIMAL)
    path.write_bytes(path.read_bytes()[:-40])


def damaged(path: Path) -> None:
    pack(path, {**MINIMAL, "big": os.urandom(5000)})
    data = bytearray(path.read_bytes())
    at = data.index(b"big") + 1000
    data[at] ^= 0xFF
    path.write_bytes(data)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "parent": (with_entry("../evil.txt"), ": entry '../evil.txt' would leave the package; do not use this zip"),
    "inner parent": (with_entry("data/../../evil"), ": entry 'data/../../evil' would leave the package; do not"),
    "absolute": (with_entry("/tmp/evil"), ": entry '/tmp/evil' would leave the package; do not use this zip"),
    "backslash": (with_entry("..\\evil"), ": entry '..\\\\evil' would leave the package; do not use this zip"),
    "long name": (with_entry("a" * 300), "would leave the package"),
    "deep": (with_entry("a/" * 40 + "x"), "would leave the package"),
    "link": (
        with_entry(info("link", stat.S_IFLNK | 0o777), b"/etc/passwd"),
        ": entry 'link' is a link or a device; put a plain file there",
    ),
    "fifo": (with_entry(info("pipe", stat.S_IFIFO | 0o600)), ": entry 'pipe' is a link or a device; put a plain file"),
    "twice": (with_entry("problem.yaml"), ": entry 'problem.yaml' is there twice; make the zip again"),
    "twice, spelt otherwise": (with_entry(".//problem.yaml"), "is there twice; make the zip again"),
    "a file and its directory": (with_entry("problem.yaml/inner"), "is there twice; make the zip again"),
    "a directory and its file": (with_entry("data"), "is there twice; make the zip again"),
    "a file as a directory": (with_entry("problem.yaml/", b""), "is there twice; make the zip again"),
    "encrypted": (encrypted, "is encrypted; make the zip without a password"),
    "truncated": (truncated, ": is not a sound zip file (File is not a zip file); make it again"),
    "damaged": (damaged, ": is not a sound zip file ("),
    "no package": (lambda path: pack(path, {"a.txt": "1"}), ": holds no problem.yaml; zip the package's"),
    "no zip": (lambda path: path.write_bytes(b"PK? no"), ": is not a sound zip file"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("name", HOSTILE)
def test_refused(name: str, tmp_path: Path) -> None:
    make, message = HOSTILE[name]
    path = tmp_path / "sum.zip"
    make(path)
    with pytest.raises(ProblemError) as caught:
        problems.load(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert not (tmp_path / "evil").exists()
    assert not list(Path(tempfile.gettempdir()).glob("evil*"))


def test_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1 << 20)
    path = pack(tmp_path / "sum.zip", {**MINIMAL, "bomb": bytes(3 << 20)})
    assert path.stat().st_size < 10_000
    with pytest.raises(ProblemError, match=r"unpacks to more than .* if you trust it, unpack it yourself"):
        problems.load(path)


def test_bomb_of_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1 << 20)
    path = pack(tmp_path / "sum.zip", {**MINIMAL, **{f"bomb{i}": bytes(200_000) for i in range(9)}})
    with pytest.raises(ProblemError, match="unpacks to more than"):
        problems.load(path)


def test_too_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 5)
    with pytest.raises(ProblemError, match="has 7 entries, more than 5; unpack it yourself"):
        problems.load(pack(tmp_path / "sum.zip", MINIMAL))


PRINT_DIRECTORY = "import problems, sys, time; print(problems.load(sys.argv[1]).directory, flush=True)"


def run(code: str, path: Path, temporary: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)], env=environment, stdout=subprocess.PIPE, text=True, cwd="/"
    )


def test_directory_goes_with_the_process(tmp_path: Path) -> None:
    path = pack(tmp_path / "sum.zip", MINIMAL)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = run(PRINT_DIRECTORY, path, temporary)
    output, _ = process.communicate(timeout=60)
    assert output.startswith(str(temporary))
    assert not list(temporary.iterdir())


def test_a_killed_process_is_cleaned_up_after_and_a_living_one_is_not(tmp_path: Path) -> None:
    path = pack(tmp_path / "sum.zip", MINIMAL)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    processes = [run(PRINT_DIRECTORY + "; time.sleep(60)", path, temporary) for _ in range(2)]
    try:
        directories = []
        for process in processes:
            assert process.stdout is not None
            directories.append(Path(process.stdout.readline().strip()))
        processes[0].send_signal(signal.SIGKILL)
        processes[0].wait(timeout=60)
        assert directories[0].is_dir()  # nobody cleaned up yet
        run(PRINT_DIRECTORY, path, temporary).communicate(timeout=60)
        assert not directories[0].exists()
        assert (directories[1] / "problem.yaml").is_file()
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_a_fresh_directory_outlives_the_sweep_of_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may come before it is opened, and before it is locked."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = threading.Event()

    def sweep() -> None:  # as whoever makes a directory does
        while not ended.is_set():
            archive.give_up(archive.private_directory())

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        directories = [archive.private_directory() for _ in range(300)]
        assert all(directory.is_dir() for directory in directories)
    finally:
        ended.set()
        sweeper.join()
    for directory in directories:
        archive.give_up(directory)


def test_nothing_is_unpacked_where_another_user_could_replace_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `sudo -E` would, with TMPDIR."""
    pack(tmp_path / "sum.zip", MINIMAL)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs").chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "theirs"))
    with pytest.raises(ProblemError, match="unset TMPDIR"):
        problems.load(tmp_path / "sum.zip")
    assert list((tmp_path / "theirs").iterdir()) == []
    (tmp_path / "theirs").chmod(0o1777)
    assert problems.load(tmp_path / "sum.zip").name == "sum"
