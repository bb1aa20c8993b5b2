"""Imports point one way: trainer_adapter -> judge -> {containers, problems}; and the public surface is as stated."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "containers": {"containers"},
    "problems": {"problems"},
    "judge": {"judge", "containers", "problems"},
    # Data sets become problem packages there.
    "trainer_adapter": {"trainer_adapter", "judge", "problems"},
}


def imported(path: Path) -> Iterator[str]:
    """Top-level names that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module.partition(".")[0]


def modules(package: str) -> list[Path]:
    library = ROOT / "problems" / "library"  # data: generators and submissions
    return [path for path in sorted((ROOT / package).rglob("*.py")) if not path.is_relative_to(library)]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_directions(package: str) -> None:
    found = {(path, name) for path in modules(package) for name in imported(path) if name in MAY_IMPORT}
    assert found or not modules(package)[1:], "no import of ours found: does this test still look at the code?"
    wrong = sorted(f"{path.relative_to(ROOT)} imports {name}" for path, name in found - allowed(package, found))
    assert not wrong


def allowed(package: str, found: set[tuple[Path, str]]) -> set[tuple[Path, str]]:
    return {(path, name) for path, name in found if name in MAY_IMPORT[package]}


@pytest.mark.parametrize("package", ["judge", "containers"])
def test_what_is_public_exists(package: str) -> None:
    module = importlib.import_module(package)
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__name__ == name


def test_public_surface() -> None:
    import judge

    assert set(judge.__all__) == {
        "Batch",
        "Cancelled",
        "CheckerError",
        "Cjk",
        "CompileResult",
        "ConfigError",
        "ContainerError",
        "DroppedTest",
        "Judge",
        "JudgeError",
        "Judgement",
        "LanguageError",
        "Options",
        "ProblemError",
        "SandboxError",
        "Submission",
        "TestResult",
        "Unavailable",
        "UnknownProblem",
        "Unsupported",
        "Verdict",
    }
    with pytest.raises(AttributeError, match="Judgment"):
        judge.Judgment  # noqa: B018


def python(code: str, *, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["containers", "problems"])
def test_a_shadowing_package_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    run = python("import judge", path=f"{tmp_path}:{ROOT}")
    assert run.returncode != 0
    assert f"Python finds {tmp_path / name}" in run.stderr.splitlines()[-1]


def test_import_is_light() -> None:
    heavy = ("asyncio", "pydantic", "rich", "yaml", "concurrent.futures", "problems", "containers")
    run = python(f"import judge, sys; print([name for name in {heavy} if name in sys.modules])", path=str(ROOT))
    assert run.stdout == "[]\n", run.stderr
