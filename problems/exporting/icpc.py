"""The ICPC package format, version 2025-09: what `problems.writing` writes, with all data in place."""

from __future__ import annotations

import tempfile
from pathlib import Path

from problems.exporting.carried import carry
from problems.exporting.target import Format, Target
from problems.writing.write import write


def _write(target: Target) -> None:
    with tempfile.TemporaryDirectory(prefix="judge-export-") as scratch:
        root = write(target.problem, Path(scratch) / target.problem.name)
        for path in sorted(root.rglob("*")):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                target.put(f"{root.name}/{name}" if target.packed else name, path.read_bytes())
    carry(target, f"{root.name}/" if target.packed else "")
    if any(name.rpartition("/")[2] == "judge.yaml" for name in target.files):
        target.note("judge.yaml holds what the format cannot state: other tools ignore it")


FORMAT = Format(name="icpc", title="the ICPC format, version 2025-09", write=_write)
