"""What a package holds for people and for other tools, and no judgement depends on: it goes along where a format has a
place for it, and is told where it has none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from problems.exporting.target import Target
from problems.files.tree import PICTURES, Tree
from problems.files.yamlfile import read_map, yaml_text
from problems.text.constants import substitute

#: Each with the directory's name in 2025-09.
_PLACES = ("attachments", "solution", "input_visualizer", "output_visualizer")
#: Of NAME.yaml and test_group.yaml.
_KEYS = ("full_feedback", "input_visualizer_args", "output_visualizer_args")


def carry(target: Target, at: str, places: tuple[str, ...] = _PLACES, *, hint_suffix: str | None = None) -> None:
    """Put what lies in `places` of the package into the target, below `at`, and hints and pictures beside its tests.

    `hint_suffix`: of a file beside the test; None: hints stand in NAME.yaml."""
    problem = target.problem
    tree = Tree(problem.directory, problem.name)
    if tree.file("problem.yaml") is None:
        return  # no package of these formats
    for path in tree.lost_papers():
        target.note(f"not in it: {path.relative_to(tree.root)}, a link to nowhere here")
    for place in _PLACES:
        files = [path for path in tree.walk(tree.root / place) if not _put_before(target, at, tree, path)]
        if files and place not in places:
            target.note(f"not in it: {place}/, for which the format has no place")
        for path in files if place in places else ():
            target.put(f"{at}{_name(tree, path)}", path)
    hints: dict[str, str] = {}
    for path in tree.walk(tree.root / "data"):
        stem = f"{at}{_name(tree, path).removesuffix(path.suffix)}"
        stated = _read_stated(target, tree, path) if path.suffix == ".yaml" else {}
        if f"{stem}.in" not in target.files:
            continue
        if path.suffix in PICTURES:
            target.put(f"{stem}{path.suffix}", path)
        elif path.suffix == ".hint":
            hints[stem] = tree.read_text(path)
        elif stated.get("hint"):
            hints.setdefault(stem, str(stated["hint"]))
    for stem, hint in hints.items():
        _hint(target, stem, hint, hint_suffix)


def _put_before(target: Target, at: str, tree: Tree, path: Path) -> bool:
    """Whether the writer put it there already: the solution of generated tests, say."""
    return f"{at}{_name(tree, path)}" in target.files


def _read_stated(target: Target, tree: Tree, path: Path) -> Mapping[str, Any]:
    """What NAME.yaml, or the file of a directory, states."""
    text = substitute(tree.read_text(path).encode(), target.problem.constants, tree.show(path)).decode()
    stated = read_map(tree, path, text)
    for key in _KEYS:
        if key in stated:
            target.note(f"not in it: {key} of tests, which says nothing about verdicts")
    return stated


def _hint(target: Target, stem: str, text: str, suffix: str | None) -> None:
    if suffix is not None:
        target.put(f"{stem}{suffix}", text)
        return
    written = target.files.pop(f"{stem}.yaml", b"")
    before = written if isinstance(written, bytes) else written.read_bytes()
    target.put(f"{stem}.yaml", before + yaml_text({"hint": text}).encode())


def _name(tree: Tree, path: Path) -> str:
    return path.relative_to(tree.root).as_posix()
