"""Files of a directory that others can write: nothing outside of it is read, whatever lies there and whenever."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from problems.files.beneath import Refused, open_file, read_files

SECRET = b"what only the judge can read"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(SECRET)
    (tmp_path / "top" / "a" / "b").mkdir(parents=True)
    (tmp_path / "top" / "main.py").write_bytes(b"1")
    (tmp_path / "top" / "a" / "b" / "x").write_bytes(b"22")
    return tmp_path / "top"


def found(top: Path) -> dict[str, bytes]:
    return dict(read_files(top, 1000))


def content(root: Path, path: Path) -> bytes:
    with os.fdopen(open_file(root, path), "rb") as file:
        return file.read()


def listen(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(path))


def test_files_come_before_those_of_directories_and_hidden_ones_are_left_out(top: Path) -> None:
    (top / "zz").write_bytes(b"3")
    (top / ".git").symlink_to("/")
    assert list(read_files(top, 1)) == [("main.py", b"1"), ("zz", b"3"), ("a/b/x", b"22")], (
        "one byte more than asked for"
    )
    (top.parent / "named").symlink_to(top)
    assert found(top.parent / "named") == found(top), "whoever names a link means what it leads to"


@pytest.mark.parametrize("place", ["l", "a/l", "a/b/l"])
@pytest.mark.parametrize(
    ("target", "is_directory"),
    [
        ("{outside}/secret", False),
        ("../outside/secret", False),
        ("{outside}", True),
        ("absent", False),
        ("/proc/self/fd/0", False),
    ],
)
def test_a_link_at_any_level_is_refused_by_name(top: Path, place: str, target: str, is_directory: bool) -> None:
    (top / place).symlink_to(target.format(outside=top.parent / "outside"), target_is_directory=is_directory)
    with pytest.raises(Refused, match=f"{top / place}: is a symbolic link; put the file itself there"):
        found(top)


@pytest.mark.parametrize(
    ("make", "kind"),
    [(os.mkfifo, "a FIFO"), (listen, "a socket")],
)
def test_what_is_no_file_is_refused_and_not_waited_for(top: Path, make: Callable[[Path], None], kind: str) -> None:
    make(top / "a" / "f")
    with pytest.raises(Refused, match=f"a/f: is {kind}"):
        found(top)
    with pytest.raises(Refused, match=f"a/f: is {kind}"):
        open_file(top, top / "a" / "f")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices and files of others")
def test_devices_and_hard_links_to_others_files_are_refused(top: Path) -> None:
    os.chown(top / "a", 12345, 12345)
    os.link(top.parent / "outside" / "secret", top / "a" / "linked")
    with pytest.raises(Refused, match="a/linked: is a link to a file of another user"):
        found(top)
    (top / "a" / "linked").unlink()
    try:
        os.mknod(top / "null", 0o666 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        return  # a container without CAP_MKNOD
    with pytest.raises(Refused, match="null: is a device"):
        found(top)


def test_directories_that_are_nested_without_end_are_refused(top: Path) -> None:
    place = top
    for _ in range(40):
        place /= "d"
        place.mkdir()
    with pytest.raises(Refused, match="nested too deeply"):
        found(top)


def swapping(monkeypatch: pytest.MonkeyPatch, name: str, swap: Callable[[], object]) -> None:
    """Swaps once, after `name` was looked at and before it is opened."""
    original, left = os.open, [swap]

    def opened(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == name and left:
            left.pop()()
        return original(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", opened)


@pytest.mark.parametrize("reads", [found, lambda top: content(top, top / "a" / "b" / "x")])
@pytest.mark.parametrize("name", ["b", "x"])
def test_a_link_that_is_put_there_between_look_and_open_is_refused(
    top: Path, monkeypatch: pytest.MonkeyPatch, reads: Callable[[Path], object], name: str
) -> None:
    place = next(top.rglob(name))

    def swap() -> None:
        place.rename(top.parent / "moved")
        place.symlink_to(top.parent / "outside" / ("secret" if name == "x" else ""))

    swapping(monkeypatch, name, swap)
    with pytest.raises(Refused, match=name):
        reads(top)


def test_a_fifo_that_is_put_there_is_not_waited_for(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = top / "main.py"

    def swap() -> None:
        file.unlink()
        os.mkfifo(file)

    swapping(monkeypatch, "main.py", swap)
    with pytest.raises(Refused, match=r"main\.py: is a FIFO"):
        found(top)


def test_a_directory_that_is_moved_away_is_not_left(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`..` of what was moved would be another place: no step goes there."""
    (top / "a" / "b" / "y").mkdir()
    swapping(monkeypatch, "y", lambda: (top / "a").rename(top.parent / "outside" / "a"))
    assert found(top) == {"main.py": b"1", "a/b/x": b"22"}


def test_nothing_outside_is_read_while_somebody_swaps_all_the_time(top: Path) -> None:
    ended = threading.Event()

    def swap() -> None:
        file, link, directory = top / "main.py", top / "new", top / "a"
        while not ended.is_set():
            link.symlink_to(top.parent / "outside" / "secret")
            link.replace(file)
            link.write_bytes(b"1")
            link.replace(file)
            directory.rename(top.parent / "kept")
            directory.symlink_to(top.parent / "outside")
            directory.unlink()
            (top.parent / "kept").rename(directory)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(300):
            try:
                assert SECRET not in found(top).values()
                assert content(top, top / "a" / "b" / "x") == b"22"
            except (Refused, FileNotFoundError):
                pass
    finally:
        ended.set()
        swapper.join()


@pytest.fixture
def package(top: Path) -> Iterator[Path]:
    (top / "data").mkdir()
    (top / "data" / "1").write_bytes(b"one")
    yield top


def test_links_of_a_package_lead_within_it(package: Path) -> None:
    links = {"up": "../data/1", "around": "../a/../data/1", "twice": "up", "by": "../linked/1"}
    for name, target in (links | {"absolute": str(package / "data" / "1")}).items():
        (package / "data" / name).symlink_to(target)
    (package / "linked").symlink_to("data")
    for name in ("up", "around", "absolute", "twice", "by"):
        assert content(package, package / "data" / name) == b"one"
    assert content(package, package / "linked" / "twice") == b"one"


@pytest.mark.parametrize(
    "target",
    ["../../outside/secret", "{outside}/secret", "../../top/../outside/secret", "/proc/self/root/etc/passwd", "loop"],
)
def test_links_of_a_package_never_leave_it(package: Path, target: str) -> None:
    (package / "data" / "loop").symlink_to(target.format(outside=package.parent / "outside"))
    with pytest.raises(Refused, match="loop: is a symbolic link that leaves the package"):
        open_file(package, package / "data" / "loop")


def test_a_directory_is_no_file(package: Path) -> None:
    for path in (package, package / "data"):
        with pytest.raises((IsADirectoryError, Refused)):
            open_file(package, path)
