"""Reads the files of a package defensively: nothing outside its root is opened, and every error names the file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from problems.errors import ProblemError
from problems.files.beneath import Refused, open_file

#: By the package specification, "General requirements", files with other names are ignored.
VALID_NAME = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}")

#: The most characters of a file name on any system.
LONGEST_NAME = 255

#: No honest problem.yaml, statement or validator source is larger.
TEXT_BYTES = 4 * 1024 * 1024

#: The only hidden file of a package: problemtools and BAPCtools keep the time limit there.
TIME_LIMIT = ".timelimit"

#: Pictures that lie beside statements and tests.
PICTURES = (".png", ".jpg", ".jpeg", ".svg")

#: Directories of a package that people read.
_SHOWN = frozenset({"attachments", "problem_statement", "solution", "statement"})

#: How deep directories in data/ or in a program may be nested.
MAX_DEPTH = 8


def is_of_package(name: str) -> bool:
    """Whether a file or directory of this name is looked at."""
    return VALID_NAME.fullmatch(name) is not None and name != "__pycache__"  # pip compiles what it installs


@dataclass(frozen=True, slots=True)
class Tree:
    root: Path
    #: How messages call the root: the path as the user gave it, or the archive's.
    shown: str

    @classmethod
    def around(cls, root: Path, path: Path) -> Tree:
        """The package with this root or, if `path` lies elsewhere (what was converted does), its directory."""
        root = root if path.is_relative_to(root) else path.parent
        return cls(root=root, shown=str(root))

    def show(self, path: Path, line: int | None = None) -> str:
        text = f"{self.shown}/{path.relative_to(self.root).as_posix()}" if path != self.root else self.shown
        return text if line is None else f"{text}:{line}"

    def error(self, path: Path, what: str, remedy: str, line: int | None = None) -> ProblemError:
        return ProblemError(f"{self.show(path, line)}: {what}; {remedy}")

    def entries(self, directory: Path) -> tuple[list[Path], list[Path]]:
        """Files and directories in `directory`, sorted by name; empty if it does not exist.

        Symbolic links are followed only inside the package. What is neither file nor directory, what the
        specification says to ignore (hidden names, names with other characters), and lost papers are left out.
        """
        files: list[Path] = []
        directories: list[Path] = []
        if self.is_lost_paper(directory):
            return files, directories
        self._check_way(directory)
        try:
            found = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return files, directories
        except OSError as error:
            raise self.error(directory, f"cannot be listed: {error.strerror}", "check its permissions") from error
        for entry in found:
            if not is_of_package(entry.name):
                continue
            path = directory / entry.name
            if entry.is_symlink():
                if self.is_lost_paper(path):
                    continue
                self._check_link(path)
            if entry.is_file():
                files.append(path)
            elif entry.is_dir():
                directories.append(path)
        return files, directories

    def passed_over(self, directory: Path) -> list[Path]:
        """What `entries` leaves out for the characters of its name; hidden names are no mistakes."""
        try:
            names = sorted(entry.name for entry in os.scandir(directory))
        except OSError:
            return []
        return [directory / name for name in names if name[0] != "." and VALID_NAME.fullmatch(name) is None]

    def file(self, *parts: str) -> Path | None:
        """The file at this place, or None.

        Raises:
            ProblemError: something else has the name of a file of settings; or a link leaves the package.
        """
        if any(len(part) > LONGEST_NAME for part in parts):
            return None
        path = self.root.joinpath(*parts)
        self._check_way(path)
        if path.is_file():
            return path
        if path.suffix == ".yaml" and path.exists():
            raise self.error(path, "is no file", "put a file there, or remove it")
        return None

    def walk(self, directory: Path, depth: int = MAX_DEPTH) -> list[Path]:
        """All files below `directory`."""
        files, directories = self.entries(directory)
        if depth == 0 and directories:
            raise self.error(directories[0], "directories are nested too deeply", "flatten them (a loop of links?)")
        return files + [file for child in directories for file in self.walk(child, depth - 1)]

    def beside(self, path: Path) -> list[Path]:
        """All files in the directory of `path`, whatever their names, but lost papers: what writers copy along with it.

        Raises:
            ProblemError: another link leaves the package.
        """
        found = sorted(one for one in path.parent.iterdir() if not self.is_lost_paper(one))
        for one in found:
            self._check_way(one)
        return [one for one in found if one.is_file()]

    def read_text(self, path: Path) -> str:
        """The text of a UTF-8 file; a byte-order mark is dropped (`validate` reports it)."""
        try:
            with os.fdopen(open_file(self.root, path), "rb") as file:
                data = file.read(TEXT_BYTES + 1)
        except Refused as error:
            raise ProblemError(str(error)) from error
        except OSError as error:
            raise self.error(path, f"cannot be read: {error.strerror}", "check its permissions") from error
        if len(data) > TEXT_BYTES:
            raise self.error(path, f"is larger than {TEXT_BYTES >> 20} MiB", "is this the right file?")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.error(path, "is not UTF-8", "convert it (iconv -f GB18030 -t UTF-8, say)", line) from error

    def is_lost_paper(self, path: Path) -> bool:
        """Whether it is a link to nowhere, or one that leaves the package, in place of what only people read: what
        `attachments`, statements and solutions hold, pictures beside tests, pictures and PDF beside problem.yaml.
        Nothing is judged by it, so it stops nothing. The tree may be a collection of packages, too."""
        if path == self.root or not path.is_symlink():
            return False
        top, *below = path.relative_to(self.root).parts
        if below and (self.root / top / "problem.yaml").is_file():
            top, *below = below
        if top == "data":
            shown = path.suffix in PICTURES and not any(part.endswith(".files") for part in below)
        else:
            shown = top in _SHOWN or (not below and path.suffix in (".pdf", *PICTURES))
        if not shown:
            return False
        try:
            self._check_link(path)
        except ProblemError:
            return True
        return False

    def lost_papers(self) -> list[Path]:
        """All of the package."""
        found = (Path(place) / name for place, *both in os.walk(self.root) for name in chain(*both))
        return sorted(path for path in found if self.is_lost_paper(path))

    def _check_way(self, path: Path) -> None:
        """Raise ProblemError if a link on the path from the root to `path`, or `path` itself, leaves the package."""
        place = self.root
        for part in path.relative_to(self.root).parts:
            place /= part
            if place.is_symlink():
                self._check_link(place)

    def _check_link(self, path: Path) -> None:
        root = self.root.resolve()
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise self.error(path, "is a symbolic link to nowhere", "remove it or put the file there") from error
        if not target.is_relative_to(root):
            raise self.error(path, "is a symbolic link that leaves the package", "put a copy of the file there")
