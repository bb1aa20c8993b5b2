from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from judge.cli import main

ADD = '#include <cstdio>\nint main() { long long a, b; scanf("%lld%lld", &a, &b); printf("%lld\\n", a + b); }\n'
SUBTRACT = ADD.replace("a + b", "a - b")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Cli(Protocol):
    def __call__(self, *arguments: object, stdin: str = "") -> Ran: ...


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> Cli:
    """Runs one command as `judge` does, in this process."""
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    monkeypatch.delenv("JUDGE_DEBUG", raising=False)

    def run(*arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def source(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a source file."""

    def write(text: str, name: str = "solution.cpp") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def environment(shared_cache: Path) -> dict[str, str]:
    """Of a `judge` process."""
    root = Path(__file__).resolve().parents[3]
    return {**os.environ, "JUDGE_CACHE_DIR": str(shared_cache), "PYTHONPATH": str(root)}
