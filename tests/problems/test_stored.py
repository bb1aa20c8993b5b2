"""A package that was read is not read again, unless anything in it changed."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge.store.cache import Cache
from problems import ProblemError, model
from problems.files import stored
from problems.reading import package
from tests.packages import MINIMAL, write_files
from tests.problems.test_archive import pack

#: Longer than a tick of the file system's clock.
TICK_S = 0.03


class Memory(dict[str, bytes]):
    def put(self, key: str, value: bytes) -> None:
        self[key] = value


@pytest.fixture(autouse=True)
def settles_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "_SETTLED_NS", int(TICK_S * 1e9))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The packages that were read."""
    found: list[Path] = []
    read = package.read

    def counted(directory: Path, *, shown: str | None = None, name: str | None = None) -> problems.Problem:
        found.append(directory)
        return read(directory, shown=shown, name=name)

    monkeypatch.setattr(package, "read", counted)
    return found


@pytest.mark.parametrize("name", problems.names())
def test_what_is_stored_is_what_was_read(name: str, reads: list[Path]) -> None:
    store = Memory()
    first, second = (problems.load(name, store=store) for _ in range(2))
    assert len(reads) == len(store) == 1
    assert first == second == problems.load(name)
    assert type(second.title) is type(first.title)


def edit(root: Path) -> None:
    """Same size, same inode, same mtime."""
    path = root / "data/secret/01.in"
    status = path.stat()
    path.write_text("4 3\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns


def swap(root: Path) -> None:
    one, other, third = (root / "data/secret" / name for name in ("01.in", "02.in", "03"))
    one.rename(third)
    other.rename(one)
    third.rename(other)


def replace_package(root: Path) -> None:
    root.rename(root.with_name("before"))
    write_files(root, MINIMAL)


CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": edit,
    "grow": lambda root: (root / "problem.yaml").write_text(MINIMAL["problem.yaml"] + "keywords: [a]\n"),
    "add": lambda root: (root / "data/secret/01.hint").write_text("x"),
    "add a directory": lambda root: (root / "submissions").mkdir(),
    "remove": lambda root: (root / "data/sample/1.ans").unlink(),
    "rename": lambda root: (root / "data/secret/01.ans").rename(root / "data/secret/00.ans"),
    "swap": swap,
    "permissions": lambda root: (root / "data").chmod(0o700),
    "replace": replace_package,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_noticed(change: str, tmp_path: Path, reads: list[Path]) -> None:
    root, store = write_files(tmp_path / "sum", MINIMAL), Memory()
    time.sleep(2 * TICK_S)
    for _ in range(2):
        problems.load(root, store=store)
    assert len(reads) == 1
    CHANGES[change](root)
    try:
        problems.load(root, store=store)
    except ProblemError:
        assert change in ("remove", "rename")
    assert len(reads) == 2


def test_other_code_has_other_keys_and_a_process_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[Path]
) -> None:
    """A process goes on with the code that it began with, when another version is installed over it."""
    root, store, code = write_files(tmp_path / "sum", MINIMAL), Memory(), tmp_path / "code"
    write_files(code, {"reader.py": "one\n"})
    monkeypatch.setattr(stored, "_CODE", [code])
    time.sleep(2 * TICK_S)
    stored._code.cache_clear()
    problems.load(root, store=store)
    (code / "reader.py").write_text("another\n")
    problems.load(root, store=store)
    assert len(reads) == 1, "what it stored is what it would read"
    stored._code.cache_clear()  # a process that begins now
    problems.load(root, store=store)
    assert len(reads) == 2, "another version reads by itself"
    stored._code.cache_clear()


def test_one_package_under_two_names(tmp_path: Path) -> None:
    root, store = write_files(tmp_path / "sum", MINIMAL), Memory()
    (tmp_path / "other").symlink_to(root)
    time.sleep(2 * TICK_S)
    loaded = [problems.load(tmp_path / name, store=store) for name in ("sum", "other", "sum", "other")]
    assert [problem.name for problem in loaded] == ["sum", "other", "sum", "other"]
    assert loaded[3].cases[0].input.is_relative_to(tmp_path / "other")


def test_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Memory()
    broken = write_files(tmp_path / "broken", {**MINIMAL, "data/secret/01.ans": None})
    linked = write_files(tmp_path / "linked", {**MINIMAL, "data/secret/01.ans": None})
    (linked / "data/secret/01.ans").symlink_to("../sample/1.ans")
    pack(tmp_path / "zipped.zip", MINIMAL)
    time.sleep(2 * TICK_S)
    with pytest.raises(ProblemError, match=r"01\.in"):
        problems.load(broken, store=store)
    problems.load(linked, store=store)
    problems.load(tmp_path / "zipped.zip", store=store)
    monkeypatch.setattr(stored, "_SETTLED_NS", 3600 * 10**9)
    problems.load(write_files(tmp_path / "new", MINIMAL), store=store)
    assert not store


def test_a_damaged_entry_is_made_again(tmp_path: Path, reads: list[Path]) -> None:
    root, cache = write_files(tmp_path / "sum", MINIMAL), Cache(tmp_path / "cache")
    time.sleep(2 * TICK_S)
    whole = problems.load(root, store=cache)
    [entry] = (path for path in (tmp_path / "cache" / "objects").glob("*/*") if path.is_file())
    content = entry.read_bytes()
    for damaged in (b"", content[:-1], content[:-9] + b"\xff" + content[-8:]):
        reads.clear()
        entry.write_bytes(damaged)
        for _ in range(2):
            assert problems.load(root, store=cache) == whole
        assert len(reads) == 1


class Call:
    def __reduce__(self) -> tuple[object, ...]:
        return os.getpid, ()


@pytest.mark.parametrize("value", [Call(), Memory, time.sleep])
def test_no_other_code_is_called(value: object, caplog: pytest.LogCaptureFixture) -> None:
    assert stored._loads(pickle.dumps(value)) is None
    assert "is no part of a problem" in caplog.text


class Reading:
    def __reduce__(self) -> tuple[object, ...]:
        return model._read, (Path("/etc/shadow"), "")


@pytest.mark.parametrize("value", [pickle.dumps(Reading()), pickle.dumps(frozenset()), b"", b"nonsense"])
def test_what_is_no_problem_is_read_anew(value: bytes, tmp_path: Path, reads: list[Path]) -> None:
    """Functions of the model are none of its classes."""
    root, store = write_files(tmp_path / "sum", MINIMAL), Memory()
    time.sleep(2 * TICK_S)
    whole = problems.load(root, store=store)
    [key] = store
    store[key] = value
    assert problems.load(root, store=store) == whole
    assert problems.load(root, store=store) == whole
    assert len(reads) == 2
