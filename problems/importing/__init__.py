"""Imports problems of other formats as packages: `judge problems import`.

    source (directory, zip, JSON, XML) ──recognised by──► one Format ──reads──► Problem... ──writing──► packages

What does not fit is an error that names the file and the remedy; leniently it becomes a line of the report. Nothing is
dropped in silence. A module of this folder reads one format; `FORMATS` lists them in the order in which they are tried.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from problems.errors import ProblemError
from problems.files import archive
from problems.files.tree import Tree
from problems.importing import bare, fps, frontier, hydro, icpc, luogu, polygon, qduoj, syzoj, uoj
from problems.importing.contests import cms, dmoj, lemon, omegaup, sinol, tps
from problems.importing.source import Format, Source, clean
from problems.importing.understood import Loss, Weight
from problems.importing.unread import see, unread
from problems.lookup import load
from problems.model import Problem
from problems.reading.programs import TESTLIB
from problems.writing.write import write

FORMATS: tuple[Format, ...] = (
    luogu.FORMAT,
    hydro.FORMAT,
    frontier.FORMAT,
    icpc.FORMAT,
    polygon.FORMAT,
    syzoj.FORMAT,
    uoj.FORMAT,
    dmoj.FORMAT,
    lemon.FORMAT,
    qduoj.FORMAT,
    cms.FORMAT,
    tps.FORMAT,
    omegaup.FORMAT,
    sinol.FORMAT,
    fps.FORMAT,
    bare.FORMAT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One problem of a source: where its package is, or why there is none."""

    name: str
    format: str
    #: None: it could not be imported.
    package: Path | None
    #: What its package does not hold; where there is none, why.
    losses: tuple[Loss, ...] = ()
    error: str | None = None

    @property
    def whole(self) -> bool:
        """Whether there is a package, and it judges by all that the source says."""
        return self.error is None and not any(loss.weight is Weight.LOSS for loss in self.losses)


def import_problems(
    source: Path, into: Path, *, format: str | None = None, lenient: bool = False, testlib: Path | None = None
) -> Iterator[Imported]:
    """Read each problem of `source` and write its package below `into`. A problem that fails stops no other.
    `testlib` is a testlib.h for programs that need one and come without.

    Raises:
        ProblemError: the source cannot be read at all, or its format is not recognised.
    """
    with tempfile.TemporaryDirectory(prefix="judge-import-") as scratch:
        found = _source(source, Path(scratch), lenient)
        if testlib is not None:
            found = replace(found, testlib=_header(testlib, Path(scratch)))
        kind = _format(found, format)
        found.losses.clear()
        yield from _Run(source=found, kind=kind, into=into, origin=source).import_all()


@dataclass(kw_only=True)
class _Run:
    """One import. A problem is written beside its place, and gets it when it is known that nothing of it was lost."""

    source: Source
    kind: Format
    into: Path
    origin: Path
    #: Whether it was imported, by the name of the problem.
    taken: dict[str, bool] = field(default_factory=dict)

    def import_all(self) -> Iterator[Imported]:
        """
        Raises:
            ProblemError: the source holds no problem, or cannot be read further.
        """
        try:
            yield from self._each()
        finally:  # whoever asked may want no more
            for name in list(self.taken)[-1:]:
                shutil.rmtree(self._partial(name), ignore_errors=True)

    def _each(self) -> Iterator[Imported]:
        last: Imported | None = None
        try:
            for name, read in self.kind.problems(self.source):
                if last is not None:
                    yield self._place(last)
                last = self._stage(name, read)
                self.taken[name] = last.error is None
                self.source.losses.clear()
                for made in self.source.work.iterdir():  # a collection may be large
                    shutil.rmtree(made, ignore_errors=True)
        except ProblemError:
            if last is not None:
                yield self._place(last)
            raise
        if last is None:
            what = f"holds no problem of format {self.kind.name}; it should hold {self.kind.holds}"
            raise ProblemError(f"{self.origin}: {what}")
        yield from self._end(last)

    def _end(self, last: Imported) -> Iterator[Imported]:
        """The last problem, with what of the whole source nobody read. That it may be needed is an error: of the
        problem, if it is the only one."""
        try:
            beside = (*self.source.losses, *self._beside())
        except ProblemError as error:
            why = self.source.readable(str(error))
            if len(self.taken) == 1:
                yield self._place(replace(last, package=None, error=last.error or why))
            else:
                yield self._place(last)
                name = clean(self.source.name)
                yield Imported(name=name, format=self.kind.name, package=None, error=why)
            return
        yield self._place(replace(last, losses=(*last.losses, *beside)))

    def _beside(self) -> tuple[Loss, ...]:
        """What of the whole source nobody read."""
        source, taken, root = self.source, self.taken, self.source.tree.root
        own = {path for path in source.entries(root) if path.is_dir() and clean(path.name) in taken}
        if not all(taken.values()) and len(own) < len(taken):
            return ()  # what was to be read of those that failed, nobody knows
        if self.kind.packaged:
            source.aside.add(root)  # a package says all of its problem
        return tuple(unread(source, source.tree, root, own if len(own) == len(taken) else ()))

    def _stage(self, name: str, read: Callable[[], Problem]) -> Imported:
        """The problem, of which the package is written and does not have its place yet."""
        target, partial, error = self.into / name, self._partial(name), None
        try:
            problem = read()
            if target.exists():
                raise ProblemError(f"{target}: exists already; {_way_out(target, self.origin)}")
            self.into.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(partial, ignore_errors=True)  # of an import that was killed
            if self.kind.packaged:
                shutil.copytree(problem.directory, partial)
            else:
                write(problem, partial)
            load(partial)  # what cannot be used is not imported
            see(self.source, problem)
            _tell_unread(self.source, problem)
        except ProblemError as wrong:
            error = self.source.readable(str(wrong)).replace(str(partial), str(target))
        except OSError as wrong:
            error = f"{target}: cannot be written: {wrong.strerror}; check permissions and free space"
        losses, package = tuple(self.source.losses), None if error else target
        return Imported(name=name, format=self.kind.name, package=package, losses=losses, error=error)

    def _place(self, one: Imported) -> Imported:
        """The same, with its package in its place, or gone: a package is whole or not there."""
        partial = self._partial(one.name)
        try:
            if one.package is not None:
                partial.rename(one.package)
        except OSError as wrong:
            why = f"{one.package}: cannot be written: {wrong.strerror}; check permissions and free space"
            one = replace(one, package=None, error=why)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return one

    def _partial(self, name: str) -> Path:
        return self.into / f".{name}.partial"


def _tell_unread(source: Source, problem: Problem) -> None:
    """What nobody read of its own directory, and of zip files."""
    for tree in source.unpacked:
        source.losses.extend(unread(source, tree, tree.root))
    source.unpacked.clear()
    root, directory = source.tree.root, problem.directory
    if directory != root and directory.is_relative_to(root):
        source.losses.extend(unread(source, source.tree, directory))


def _way_out(target: Path, origin: Path) -> str:
    """What to do about a place that is taken. It may hold the source itself, which nobody is told to remove."""
    taken, own = target.resolve(), origin.resolve()
    if own.is_relative_to(taken) or taken.is_relative_to(own):
        return "the source lies there, so choose another directory with -o"
    return "choose another directory with -o or remove it"


def _source(path: Path, scratch: Path, lenient: bool) -> Source:
    """The source as a directory. A single file that is no zip lies alone in it."""
    shown = str(path)
    if not path.exists():
        raise ProblemError(f"{shown}: there is no such file or directory")
    root = path
    if path.is_file():
        root = scratch / "source"
        root.mkdir()
        if zipfile.is_zipfile(path):
            try:
                with archive.open_zip(path) as packed:
                    archive.extract(path, packed, root)
            except (*archive.UNSOUND, OSError) as error:
                raise ProblemError(f"{shown}: is not a sound zip file ({error}); make it again") from error
            root = _inner(root)
        else:
            shutil.copyfile(path, root / path.name)
    work = scratch / "made"
    work.mkdir()
    return Source(tree=Tree(root=root, shown=shown), work=work, lenient=lenient, name=path.resolve().stem)


def _header(path: Path, scratch: Path) -> Path:
    """The file under the name that programs include."""
    try:
        return Path(shutil.copyfile(path, scratch / TESTLIB))
    except OSError as error:
        raise ProblemError(f"{path}: cannot be read: {error.strerror}; name a testlib.h with --testlib") from error


def _inner(root: Path) -> Path:
    """The directory that alone lies in an archive, as most zip tools make it."""
    inside = [child for child in root.iterdir() if child.name != "__MACOSX"]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() and inside[0].name not in ("testdata", "data") else root


def _format(source: Source, name: str | None) -> Format:
    known = {kind.name: kind for kind in FORMATS}
    if name is not None:
        if name not in known:
            raise ProblemError(f"there is no format {name!r}; choose one of {', '.join(known)}")
        return known[name]
    for kind in FORMATS:
        if kind.recognises(source):
            return kind
    raise ProblemError(
        f"{source.tree.shown}: no format that we know; it should hold {'; '.join(kind.holds for kind in FORMATS)}"
    )
