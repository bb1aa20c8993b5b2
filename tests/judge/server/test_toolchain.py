"""A compiler that is replaced while a server runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from judge import languages
from tests.judge.server.conftest import Serve, Server

_HIDES = 'mount --bind "$0" /usr/local/bin && exec "$@"'
#: Right where the compiler does not say that NEW is 1.
ADD = """\
#include <stdio.h>
#ifndef NEW
#define NEW 0
#endif
int main(void) { long a, b; scanf("%ld %ld", &a, &b); printf("%ld\\n", a + b + NEW); return 0; }
"""


@pytest.fixture
def gcc(tmp_path: Path) -> Path:
    """What is /usr/local/bin/gcc for a server that is started `within`."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for python in Path("/usr/local/bin").glob("python*"):
        shutil.copy2(python, directory, follow_symlinks=False)
    return directory / "gcc"


def within(gcc: Path) -> tuple[str, ...]:
    found = ("unshare", "--mount", "sh", "-c", _HIDES, str(gcc.parent))
    if os.geteuid() != 0 or subprocess.run((*found, "true"), stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("no mount namespace of its own is granted here")
    return found


def replace_gcc(gcc: Path, script: str) -> None:
    new = gcc.with_name("new")
    new.write_text(f"#!/bin/sh\n{script}\n")
    new.chmod(0o755)
    new.rename(gcc)


def judged(server: Server, source: str) -> tuple[str, object]:
    row = {"source": source, "language": "c17", "problem": "P1001"}
    judgement = server.client.post("/v1/judgements?wait=60", json=row).json()["judgement"]
    return judgement["verdict"], (judgement["compile"] or {}).get("cached")


def test_a_compiler_that_changes_under_a_server_is_noticed(serve: Serve, gcc: Path, tmp_path: Path) -> None:
    entered, whole = within(gcc), languages.get("c17").find()
    replace_gcc(gcc, f'exec {whole} "$@"')
    server = serve(within=entered)
    mark = f"/* {tmp_path} */\n"  # no program that a cache knows: its tokens count
    source, wrong = ADD.replace("a, b;", f'a, b; (void)"{tmp_path}";'), f'int main( {{ "{tmp_path}"\n'
    assert [judged(server, source), judged(server, source + mark)] == [("AC", False), ("AC", "same tokens")]
    replace_gcc(gcc, "echo 'gcc: fatal error: cannot execute cc1' >&2; exit 1")
    assert [judged(server, one)[0] for one in (source, source + "int more;\n", wrong)] == ["IE"] * 3
    replace_gcc(gcc, f'exec {whole} -DNEW=1 "$@"')
    assert [judged(server, one) for one in (source, wrong)] == [("WA", False), ("CE", False)]
    replace_gcc(gcc, f'exec {whole} -DNEW=0 "$@"  # again another one')
    assert [judged(server, one) for one in (source, wrong)] == [("AC", False), ("CE", False)]
