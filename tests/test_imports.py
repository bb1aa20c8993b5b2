"""Imports point one way, among the packages and among the shelves of each; and the public surface is as stated."""

from __future__ import annotations

import ast
import graphlib
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
#: The shelves of a package, folders and modules, from the ground up: each imports from itself and from those below it.
FLOORS = {
    "judge": (
        ("common",),
        ("ruling", "store"),
        ("languages", "slots"),
        ("compiling",),
        ("checkers",),
        ("judging",),
        ("many",),
        ("selftest", "server"),
        ("cli",),
    ),
    "trainer_adapter": (
        ("data", "health"),
        ("rewards",),
        ("reward_funcs",),
        ("rollouts", "integrations"),
        ("audit",),
        ("examples",),
        ("training",),
        ("demo",),
        ("commands",),
    ),
    "problems": (
        ("errors",),
        ("text",),
        ("model",),
        ("files",),
        ("reading",),
        ("lookup", "validate"),
        ("writing", "strength"),
        ("importing", "exporting"),
    ),
    "containers": (
        ("errors", "outcome", "spec"),
        ("sandbox", "launcher"),
        ("native", "unsafe"),
        ("nsjail", "docker"),
        ("select", "doctor"),
    ),
}
#: How many entries a stranger should meet who opens a folder.
MOST_ENTRIES = 12


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a module imports, wherever in it, and the names that it imports from them: `a.b`, `a.b.c`."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported(path: Path) -> Iterator[str]:
    """Top-level names that a module imports."""
    yield from (name.partition(".")[0] for name in imported_modules(path))


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


@pytest.mark.parametrize("package", FLOORS)
def test_shelves_are_floors(package: str) -> None:
    floor = {shelf: number for number, shelves in enumerate(FLOORS[package]) for shelf in shelves}
    shelves = [path.parent.name for path in (ROOT / package).glob("*/__init__.py")]
    shelves += [path.stem for path in (ROOT / package).glob("[!_]*.py")]
    assert sorted(floor) == sorted(shelves), "each shelf has a floor"
    wrong = []
    for path in modules(package):
        here = path.relative_to(ROOT / package).with_suffix("").parts[0]
        if here.startswith("_"):
            continue  # the doors
        for name in imported_modules(path):
            top, _, rest = name.partition(".")
            shelf = rest.partition(".")[0]
            if top == package and shelf in floor and shelf != here and floor[shelf] >= floor[here]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}, of a shelf that is not below its own")
    assert not wrong


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_circles(package: str) -> None:
    named = {dotted(path): path for path in modules(package)}
    graph = {name: {other for other in imported_modules(path) if other in named} for name, path in named.items()}
    for name, path in named.items():
        if path.name == "__init__.py":  # hands on what its modules define; they are not to ask it for that
            graph[name] = {other for other in graph[name] if not other.startswith(f"{name}.")}
        graph[name] -= {name}
    assert list(graphlib.TopologicalSorter(graph).static_order())


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("package", FLOORS)
def test_a_package_opens_on_a_dozen_entries(package: str) -> None:
    entries = [path.name for path in (ROOT / package).iterdir() if not path.name.startswith(("_", "."))]
    entries.remove("py.typed")
    assert len(entries) <= MOST_ENTRIES, sorted(entries)


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
        "Execution",
        "Judge",
        "JudgeError",
        "Judgement",
        "LanguageError",
        "Options",
        "ProblemError",
        "Program",
        "SandboxError",
        "Stop",
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


#: What no command of `LIGHT` needs.
HEAVY = ("asyncio", "httpx", "jinja2", "psutil", "pydantic", "rich.console", "sqlalchemy", "torch", "yaml")
HEAVY += ("judge.server", "judge.many.cluster", "judge.many.strength", "judge.selftest", "trainer_adapter")
#: What is imported, and what besides that it does not need.
LIGHT = {
    "from judge import Judge": ("click", "judge.judging", "judge.compiling", "containers.native"),
    "from judge import Judge, Submission, Options; Judge().close()": ("click",),
    "import judge.cli.run": ("judge.judging.engine", "judge.compiling", "containers.native", "tomllib"),
    "import judge.cli.problems, judge.cli.listing": ("judge.judging", "judge.compiling", "problems.reading", "tomllib"),
    "import judge.cli.languages": ("judge.judging", "judge.compiling"),
    "import judge.cli.doctor": ("judge.judging", "judge.compiling"),
}


@pytest.mark.parametrize("code", LIGHT)
def test_what_is_not_needed_is_not_imported(code: str) -> None:
    heavy = (*HEAVY, *LIGHT[code])
    run = python(f"{code}; import sys; print([name for name in {heavy} if name in sys.modules])", path=str(ROOT))
    assert run.stdout == "[]\n", run.stderr


def test_reward_functions_start_no_loop_and_no_server() -> None:
    heavy = set(HEAVY) - {"trainer_adapter"} | {"judge.judging", "judge.compiling"}
    code = "from trainer_adapter import reward_funcs; import sys"
    run = python(f"{code}; print([name for name in {heavy} if name in sys.modules])", path=str(ROOT))
    assert run.stdout == "[]\n", run.stderr


def test_import_is_light() -> None:
    heavy = ("asyncio", "pydantic", "rich", "yaml", "concurrent.futures", "problems", "containers")
    run = python(f"import judge, sys; print([name for name in {heavy} if name in sys.modules])", path=str(ROOT))
    assert run.stdout == "[]\n", run.stderr
