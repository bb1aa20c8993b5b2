"""What earlier runs left charged to a slot's cgroup, with files in place of the kernel's."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from containers.launcher.leftovers import Leftovers

LIMIT = 64 << 20
#: The files of each version: what the kernel holds, what all hold, and what empties.
FILES = {
    1: ("memory.kmem.usage_in_bytes", "memory.usage_in_bytes", "memory.force_empty"),
    2: ("memory.stat", "memory.current", "memory.reclaim"),
}


def stat(name: str, kernel: int) -> str:
    """memory.stat: "kernel" is there since Linux 5.18, and "slab" is its largest part."""
    return f"anon 5\nfile 7\nkernel_stack 9000000000\n{name} {kernel}\nsock 0\n"


@pytest.fixture(params=[(1, ""), (2, "kernel"), (2, "slab")], ids=["v1", "v2", "v2-old"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Leftovers]:
    version, name = request.param
    kernel_file, all_file, empty_file = FILES[version]
    (tmp_path / empty_file).touch()

    def make(kernel: int = 0, everything: int = 0) -> Leftovers:
        (tmp_path / kernel_file).write_text(stat(name, kernel) if version == 2 else f"{kernel}\n")
        (tmp_path / all_file).write_text(f"{everything}\n")
        found = Leftovers(version, tmp_path)
        found.note_peak(LIMIT)
        return found

    return make


def emptied(tmp_path: Path) -> bool:
    return any((tmp_path / files[2]).exists() and (tmp_path / files[2]).read_text() for files in FILES.values())


@pytest.mark.parametrize(
    ("kernel", "everything", "left"),
    [
        (LIMIT // 16, LIMIT // 2, 0),
        (LIMIT // 16 + 1, LIMIT // 2, LIMIT // 16 + 1),
        (LIMIT // 16, LIMIT // 2 + 1, LIMIT // 2 + 1),
    ],
    ids=["little", "kernel memory", "page cache"],
)
def test_much_is_taken_back_or_told(
    write: Callable[..., Leftovers], tmp_path: Path, kernel: int, everything: int, left: int
) -> None:
    """These files change by nobody's hand, so what is much stays."""
    assert write(kernel, everything).take_back(LIMIT) == left
    assert emptied(tmp_path) is (left > 0)


@pytest.mark.parametrize("looks", [1, 2])
def test_what_is_gone_after_a_while_is_not_told(
    write: Callable[..., Leftovers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """At the first look the stub may still be at the last run's directory: then nothing is emptied."""
    found, slept = write(LIMIT), 0

    def pause(_: float) -> None:
        nonlocal slept
        slept += 1
        if slept == looks:
            write(0)

    monkeypatch.setattr("time.sleep", pause)
    assert found.take_back(LIMIT) == 0
    assert emptied(tmp_path) is (looks == 2)


def test_nothing_is_looked_at_after_a_small_run(write: Callable[..., Leftovers], tmp_path: Path) -> None:
    found = write(LIMIT)
    found.note_peak(LIMIT // 16)
    assert found.take_back(LIMIT) == 0
    assert found.take_back(LIMIT // 2) > 0
    found.note_peak(0)  # a kernel that does not tell
    assert found.take_back(LIMIT) > 0


@pytest.mark.parametrize(("error", "looks"), [(errno.EAGAIN, 50), (errno.ENOENT, 2)])
def test_a_kernel_that_cannot_is_asked_once(
    write: Callable[..., Leftovers], monkeypatch: pytest.MonkeyPatch, error: int, looks: int
) -> None:
    """EAGAIN: some of it was not to be had now; no such file before Linux 5.19."""
    found, seen = write(LIMIT), 0

    def refuse(*_: object) -> None:
        raise OSError(error, "")

    def count(*_: object) -> int:
        nonlocal seen
        seen += 1
        return LIMIT

    monkeypatch.setattr(Path, "write_text", refuse)
    monkeypatch.setattr(Leftovers, "_measure", count)
    monkeypatch.setattr("time.sleep", lambda _: None)
    assert found.take_back(LIMIT) == LIMIT
    assert seen == looks
