"""What is removed, also where the process has no descriptor left to look at it first."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.store.directory import Directory


def test_remove_gives_the_bytes_freed(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/1.in").write_bytes(b"12345")
    assert Directory.of(tmp_path).remove("set") == 5
    assert not (tmp_path / "set").exists()


def test_remove_does_not_need_to_know_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> Iterator[None]:
        raise OSError(errno.EMFILE, "Too many open files")

    (tmp_path / "set").mkdir()
    (tmp_path / "set/1.in").write_bytes(b"12345")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fwalk", none_left)
        assert Directory.of(tmp_path).remove("set") == 0
    assert not (tmp_path / "set").exists()
