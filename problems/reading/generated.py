"""Reads generators/generators.yaml and sha256sums: test cases that are built at first use.

    solution: /submissions/accepted/std.cpp
    data:
      secret:
        data:
          - "05-max": gen.py n=100000 seed=5        NAME: FILE-OR-DIRECTORY-IN-generators/ ARGUMENT…
          - "06": {copy: manual/06}                 the input lies in generators/manual/06.in

White space separates arguments; quotes hold one together.

This is a subset of the BAPCtools format. Names stay as written (BAPCtools puts a number before the entries of a list,
and a value behind those with `count`). If the data of a case lie in data/ under either name, they are taken from there,
whatever its entry says. So we can read packages that use all of the format, as long as they ship their data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from problems.files.tree import VALID_NAME, Tree
from problems.files.yamlfile import Strict, read_yaml
from problems.reading.metadata import split_words

#: What BAPCtools puts before a name.
_NUMBER = re.compile(r"^\d++(?:-|$)")


class _RecipesYaml(Strict):
    """Unknown keys are ignored: the format lets tools add their own."""

    model_config = ConfigDict(extra="ignore")

    solution: str | None = None
    data: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    name: str
    group: str
    #: The entry as written.
    entry: Any
    #: BAPCtools puts a number before its name, or before that of a group that it lies in.
    numbered: bool

    @property
    def directory(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def copied(self) -> str | None:
        """The input that it copies, below generators/ and without suffix; None: it has a command, or does more."""
        one = self.entry.get("copy") if isinstance(self.entry, dict) and len(self.entry) == 1 else None
        return one if isinstance(one, str) else None

    @property
    def command(self) -> tuple[str, ...]:
        """The generator and its arguments; (): it has none."""
        return tuple(split_words(self.entry)) if isinstance(self.entry, str) else ()

    def check(self, tree: Tree) -> None:
        """Raise ProblemError if we cannot build an entry of this form."""
        path = tree.root / "generators" / "generators.yaml"
        if not all(VALID_NAME.fullmatch(part) for part in self.name.split("/")):
            raise tree.error(path, f"case name {self.name!r} is not allowed", "use letters, digits, _ . -")
        if self.copied is not None:
            self._check_copy(tree, path, self.copied)
            return
        if not self.command:
            raise tree.error(
                path, f"case {self.name!r} has no command", "write `name: generator.py arguments`, or ship the data"
            )
        generator = self.command[0]
        if not VALID_NAME.fullmatch(generator):
            what = f"case {self.name!r}: generator {generator!r} is no name in generators/"
            raise tree.error(path, what, "put the program there, or ship the data")
        if tree.file("generators", generator) is None and not tree.walk(tree.root / "generators" / generator):
            what = f"case {self.name!r}: there is no generators/{generator}"
            raise tree.error(path, what, "add it or correct the name")
        if has_placeholder(self.entry):
            what = f"case {self.name!r}: {{seed}} and {{name}} are not supported"
            raise tree.error(path, what, "write the seed out")

    def _check_copy(self, tree: Tree, path: Path, copied: str) -> None:
        parts = copied.split("/")
        if not all(VALID_NAME.fullmatch(part) for part in parts):
            what = f"case {self.name!r}: {copied!r} is no name of an input in generators/"
            raise tree.error(path, what, "put the input there, and write its name without .in")
        if tree.file("generators", *parts[:-1], f"{parts[-1]}.in") is None:
            what = f"case {self.name!r}: there is no generators/{copied}.in"
            raise tree.error(path, what, "add it or correct the name")
        if tree.file("generators", *parts[:-1], f"{parts[-1]}.ans") is not None:
            what = f"case {self.name!r}: generators/{copied}.in has an answer beside it"
            raise tree.error(path, what, "ship both in data/, or remove the answer: the solution prints it")


def has_placeholder(command: str) -> bool:
    """Whether BAPCtools would put something else into it. We do not, so it cannot mean what it says."""
    return "{seed" in command or "{name" in command


def fresh(tree: Tree, recipes: tuple[Recipe, ...], committed: set[str]) -> tuple[Recipe, ...]:
    """The recipes whose data are not in the package.

    Raises:
        ProblemError: two of them have one name.
    """
    stripped = {"/".join(_NUMBER.sub("", part) for part in name.split("/")) for name in committed}
    found = []
    for recipe in recipes:
        there = committed | stripped if recipe.numbered else committed
        keys = recipe.entry.keys() if isinstance(recipe.entry, dict) else set[str]()
        if keys and all(str(key).endswith((".statement", ".download")) for key in keys):
            continue  # it is shown, and is no test
        counted = "count" in keys
        if recipe.name in there or (counted and any(name.startswith(f"{recipe.name}-") for name in there)):
            continue
        found.append(recipe)
    for name, count in Counter(recipe.name for recipe in found).items():
        if count > 1:
            path = tree.root / "generators" / "generators.yaml"
            raise tree.error(path, f"case {name!r} is listed twice", "rename one of them, or ship the data")
    return tuple(found)


def read_recipes(tree: Tree) -> tuple[Path | None, tuple[Recipe, ...]]:
    """The solution that prints the answers, and the recipes in the order of the file."""
    path = tree.file("generators", "generators.yaml")
    if path is None:
        return None, ()
    raw = read_yaml(tree, path, _RecipesYaml)
    recipes = tuple(_walk(tree, path, raw.data, ()))
    solution = None
    if raw.solution:
        parts = raw.solution.split()[0].strip("/").split("/")
        solution = None if ".." in parts else tree.file(*parts)
        if solution is None:
            what = f"there is no solution {raw.solution!r}"
            raise tree.error(path, what, "name a file of the package: /submissions/…")
    return solution, recipes


def _walk(tree: Tree, path: Path, data: Any, place: tuple[str, ...], *, numbered: bool = False) -> Iterator[Recipe]:
    numbered = numbered or isinstance(data, list)
    for name, entry in _items(tree, path, data):
        here = (*place, *name.split("/"))
        if isinstance(entry, dict) and ("data" in entry or len(here) == 1):
            yield from _walk(tree, path, entry.get("data"), here, numbered=numbered)
        elif here[0] in {"sample", "secret"} and len(here) > 1:
            group = "sample" if here[0] == "sample" else "/".join(here[:2] if len(here) > 2 else here[:1])
            yield Recipe(name="/".join(here), group=group, entry=entry, numbered=numbered)


def _items(tree: Tree, path: Path, data: Any) -> list[tuple[str, Any]]:
    match data:
        case None:
            return []
        case dict():
            return [(str(name), entry) for name, entry in data.items()]
        case list() if all(isinstance(item, dict) for item in data):
            return [("" if name is None else str(name), entry) for item in data for name, entry in item.items()]
        case _:
            raise tree.error(path, "data is no list of `name: command` entries", "write `- name: gen.py arguments`")


def read_sums(tree: Tree) -> dict[str, str]:
    """generators/sha256sums, as the tool sha256sum writes it: {"secret/05-max.in": sum}."""
    path = tree.file("generators", "sha256sums")
    if path is None:
        return {}
    sums = {}
    for number, line in enumerate(tree.read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        match = re.fullmatch(r"([0-9a-f]{64}) [ *]([\w./-]+)", line)
        if match is None:
            raise tree.error(path, "is no line of `<sha256>  secret/name.in`", "write it with sha256sum", number)
        sums[match[2]] = match[1]
    return sums
