"""Commands that are asked to end, each a process of its own, at a moment that is chosen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from judge.selftest.bench import plain_compile

ROOT = Path(__file__).resolve().parents[3]


def run_python(program: str, *arguments: str) -> tuple[int, str, str]:
    command = (sys.executable, "-c", program, *arguments)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr


_STARTS = """
import os, signal, subprocess, sys
from containers import SandboxError
from judge.cli import process
from judge.slots import stoppable

def gone(*_, **__):
    if how != "by itself":
        os.kill(os.getpid(), signal.SIGTERM)
    if how == "compiler":
        raise subprocess.CalledProcessError(-signal.SIGTERM, "g++")
    raise SandboxError("the launcher is gone: Broken pipe")

stoppable.open_sandbox = gone
how, sys.argv = sys.argv[1], ["judge", "bench"]
sys.exit(process())
"""


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("launcher", 143, "judge: interrupted\n"),
        ("compiler", 143, "judge: interrupted\n"),
        ("by itself", 2, "judge: the launcher is gone: Broken pipe\n"),
    ],
)
def test_what_the_same_signal_kills_is_no_failure(how: str, code: int, said: str) -> None:
    """A Ctrl-C reaches a launcher or a compiler, too, that has not left the terminal's processes yet."""
    assert run_python(_STARTS, how) == (code, "", said)


_PARTS = """
import os, signal, sys, threading
from types import SimpleNamespace
from judge.common.ending import run_command
from judge.many.strength.inputs import _parallel

def work(part):
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(30)
    return part

def command():
    try:
        _parallel(SimpleNamespace(slots=2), [1, 2], work)
    except KeyboardInterrupt:
        print("seen", flush=True)
    os._exit(0)

run_command("judge", command)
"""


def test_a_search_for_inputs_sees_at_once_that_it_is_to_end() -> None:
    assert run_python(_PARTS) == (0, "seen\n", "")


def test_what_a_killed_compiler_leaves_goes_with_the_directory(tmp_path: Path) -> None:
    compiler, directory = tmp_path / "g++", tmp_path / "removed"
    compiler.write_text('#!/bin/sh\ntouch "$TMPDIR/cc1.s"\n')
    compiler.chmod(0o700)
    directory.mkdir()
    plain_compile("", directory, compiler)
    assert (directory / "cc1.s").exists()
