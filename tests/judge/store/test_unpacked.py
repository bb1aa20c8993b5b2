"""Directories that make room for others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from judge.store.unpacked import Unpacked


def maker(root: Path, name: str, made: list[str]) -> Callable[[], Path]:
    """Makes a path of five bytes in a directory of its own."""

    def make() -> Path:
        made.append(name)
        path = root / f"{name}{len(made)}" / name
        path.parent.mkdir()
        path.write_bytes(b"12345")
        return path

    return make


def test_who_finds_a_directory_waits_for_no_other(tmp_path: Path) -> None:
    made: list[str] = []
    unpacked, make = Unpacked(100), maker(tmp_path, "b", made)
    one = unpacked.get("a", maker(tmp_path, "a", made))
    begun, goes_on = threading.Event(), threading.Event()

    def slow() -> Path:
        begun.set()
        assert goes_on.wait(20)
        return make()

    others = [threading.Thread(target=unpacked.get, args=("b", slow)) for _ in range(2)]
    for other in others:
        other.start()
    assert begun.wait(20)
    found: list[Path] = []
    finder = threading.Thread(target=lambda: found.append(unpacked.get("a", make)))
    finder.start()
    finder.join(20)
    goes_on.set()
    for thread in (*others, finder):
        thread.join()
    assert (found, made) == ([one], ["a", "b"]), "and two who want the same make it once"


def test_those_used_longest_ago_make_room_but_none_in_use(tmp_path: Path) -> None:
    made: list[str] = []
    unpacked = Unpacked(10)
    a, b = (unpacked.get(name, maker(tmp_path, name, made)) for name in "ab")
    unpacked.begin("a")
    c = unpacked.get("c", maker(tmp_path, "c", made))
    assert [path.exists() for path in (a, b, c)] == [True, False, True]
    d = unpacked.get("d", maker(tmp_path, "d", made))
    assert [path.exists() for path in (a, c, d)] == [True, False, True]
    unpacked.end("a")
    assert unpacked.get("e", maker(tmp_path, "e", made)).exists()
    assert [path.exists() for path in (a, d)] == [False, True]
    assert unpacked.find("a") is None
