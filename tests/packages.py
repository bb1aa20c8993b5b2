"""Real problem packages for the tests of all rooms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

PROBLEM = """\
problem_format_version: 2025-09
name: {en: Sum, zh: 求和}
uuid: 7f9c24e8-3b1d-4f0a-9c55-0d1e2f3a4b5c
"""

#: What packages of the tests state, unless they are about what is not stated.
USUAL_LIMITS = "limits: {time_limit: 1, memory: 256, output: 64, code: 256}\n"
#: Content by path below the package; None: no such file.
Files = Mapping[str, str | bytes | None]

MINIMAL: Mapping[str, str] = {
    "problem.yaml": PROBLEM,
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/01.in": "3 4\n",
    "data/secret/01.ans": "7\n",
    "data/secret/02.in": "5 6\n",
    "data/secret/02.ans": "11\n",
}

LEGACY = {**MINIMAL, "problem.yaml": "name: Sum\n"}
DRAFT = {**MINIMAL, "problem.yaml": PROBLEM.replace("2025-09", "2023-07-draft")}


def write_files(root: Path, files: Files) -> Path:
    """None leaves a file out, so that `{**MINIMAL, "data/secret/01.ans": None}` lacks one."""
    for name, content in files.items():
        if content is None:
            continue
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def write_package(
    root: Path, cases: Mapping[str, tuple[str, str]], *, metadata: str = "", files: Files = MappingProxyType({})
) -> Path:
    """A problem of these cases, {"secret/1": (input, answer)}: `metadata` are lines of problem.yaml, `files` anything
    else by its path in the package."""
    head = f"problem_format_version: 2025-09\nname: {root.name}\nuuid: 3e9f2ac5-8a43-4d2c-9d5c-6c1f2a7b8c9d\n"
    if "limits:" not in metadata:
        head += USUAL_LIMITS
    contents: dict[str, str | bytes | None] = {
        "problem.yaml": head + metadata,
        "statement/problem.en.md": "A problem.\n",
    }
    for case, (given, answer) in cases.items():
        contents |= {f"data/{case}.in": given, f"data/{case}.ans": answer}
    return write_files(root, {**contents, **files})


def scored(**groups: str) -> dict[str, str]:
    """A scoring package with these groups; the value is the body of test_group.yaml."""
    files = {**MINIMAL, "problem.yaml": PROBLEM + "type: scoring\n"}
    files = {name: text for name, text in files.items() if not name.startswith("data/secret")}
    for name, text in groups.items():
        files[f"data/secret/{name}/test_group.yaml"] = text
        for case in ("a", "b"):
            files[f"data/secret/{name}/{case}.in"] = f"{name}{case}\n"
            files[f"data/secret/{name}/{case}.ans"] = "1\n"
    return files
