#!/usr/bin/env python3
"""Copies what the tests import from this environment into a directory, for a Python that cannot see the environment.

    .venv/bin/python scripts/copy_test_packages.py DIRECTORY

That is what the extra `test` names, and what that needs; not what the other extras bring, which may be gigabytes. Of
the project itself, only metadata: pytest finds the plugin by them, and PYTHONPATH says where the code is.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> Iterator[Distribution]:
    if (key := (canonicalize_name(name), extras)) in seen:
        return
    seen.add(key)
    found = distribution(name)
    yield found
    for requirement in map(Requirement, found.requires or ()):
        wanted = [{"extra": extra} for extra in ("", *sorted(extras))]
        if requirement.marker is None or any(requirement.marker.evaluate(one) for one in wanted):
            yield from needed(requirement.name, frozenset(requirement.extras), seen)


def copy(found: Distribution, target: Path) -> None:
    for file in found.files or ():
        outside = ".." in file.parts or PurePath(file).is_absolute()  # programs of bin
        if outside or file.suffix == ".pth" or "__pycache__" in file.parts:
            continue
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(found.locate_file(file)), target / file)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for found in needed("judge-rl", frozenset({"test"}), set()):
        copy(found, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
