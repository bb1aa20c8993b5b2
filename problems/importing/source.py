"""What the readers of formats share: the source, what is lost, and the pairing of test files."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import ValidationError

from problems.errors import ProblemError, nearest
from problems.files import archive
from problems.files.languages import by_suffix, facts
from problems.files.tree import LONGEST_NAME, Tree
from problems.files.wrong import explain
from problems.files.yamlfile import line_with, lines_of, read_yaml
from problems.importing.keys import Foreign, line_of_key, line_of_value, raise_keys, unknown_keys
from problems.importing.understood import START_BYTES, Loss, Part, Weight, is_source, may_decide, part_of
from problems.model import Convention, Grader, Problem, Program, TestCase
from problems.reading.programs import TESTLIB, lacks_testlib
from problems.text.objects import make_once

_DIGITS = re.compile(r"(\d++)")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]++")

HEADERS = (".h", ".hpp")
#: Languages whose submissions are compiled along with a grader's files.
GRADED = ("c17", "cpp17", "java", "python3")
#: What macOS adds to zip files.
MACOSX = "__MACOSX"
#: The line is told of `_MOST_LINES` unknown keys in a file: each is looked for.
_MOST_LINES = 100
#: What a wrong solution may get.
REFUSED = frozenset({"WA", "TLE", "MLE", "RE", "PE", "OLE"})


Model = TypeVar("Model", bound=Foreign)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    tree: Tree
    #: For files that the reader makes.
    work: Path
    lenient: bool
    #: Of the problem, where nothing in the source names it.
    name: str
    #: For programs that include it and come without it. Sites supply it, so their packages seldom hold it.
    testlib: Path | None = None
    losses: list[Loss] = field(default_factory=list)
    #: Files that were read, or that a loss or a note names. `unread` reports every other file.
    seen: set[Path] = field(default_factory=set)
    told: set[Path] = field(default_factory=set)
    #: Files, and directories of such, that the format keeps for what judging never needs.
    aside: set[Path] = field(default_factory=set)
    #: Of zip files in the source.
    unpacked: list[Tree] = field(default_factory=list)
    #: Of generators: what lies beside them, by directory and kind; and where each copy comes from.
    near: dict[tuple[Path, bool], list[Path]] = field(default_factory=dict)
    placed: dict[Path, Path] = field(default_factory=dict)

    def lose(self, path: Path, what: str, remedy: str, line: int | None = None) -> None:
        """Something does not fit.

        Raises:
            ProblemError: it is not to be lost.
        """
        if not self.lenient:
            raise self.tree.error(path, what, f"{remedy}, or leave it out with --lenient", line)
        self.losses.append(Loss(file=self.tree.show(path, line), message=what, weight=Weight.LOSS))
        self.told.add(path)

    def lose_file(self, path: Path, what: str, remedy: str) -> None:
        """A file, or a directory with all its files, does not fit.

        Raises:
            ProblemError: as `lose`, and if one of them may decide verdicts.
        """
        for file in files_below(path) if path.is_dir() else (path,):
            if file.is_file() and self.part_of(file) is Part.DECIDING:
                said = what if file == path else f"lies in {path.name}/, which {what}"
                raise self.tree.error(file, said, f"{remedy}; nothing reads it, and it may decide verdicts")
        self.lose(path, what, remedy)

    def lose_grader(self, file: Path, blame: Path, what: str) -> None:
        """A file that `blame` puts beside submissions has no such place here.

        Raises:
            ProblemError: as `lose`, and if it is a program: submissions may be compiled with it.
        """
        line = None if self.lenient else self.line(blame, None, file.name)
        if is_source(file):
            raise self.tree.error(blame, what, "make it one, or write the package by hand", line)
        self.lose(blame, what, "make it one", line)

    def part_of(self, path: Path, tree: Tree | None = None) -> Part:
        """What a file that nobody read may be. `tree`: in which it lies, if not in the source itself. What was compiled
        from a source beside it, and notes beside a program, are judged by that: it is read, or named itself."""
        start = _read_start(path)
        part = part_of(path.relative_to((tree or self.tree).root), start)
        if part is not Part.DECIDING or is_source(path):
            return part
        beside = {other.stem for other in path.parent.iterdir() if by_suffix(other.suffix) is not None}
        alone = part_of(PurePosixPath(path.name), start) is Part.DECIDING
        return Part.OTHER if beside and (not alone or path.name.partition(".")[0] in beside) else part

    def lose_key(self, path: Path, key: str, known: Iterable[str], line: int | None = None) -> None:
        """A key, or what is like one, that is unknown here. `known`: those that could stand in its place.

        Raises:
            ProblemError: as `lose`, and if it may say how outputs are judged.
        """
        name = key.rpartition(".")[2]
        like = nearest(name, known, cutoff=0.7)
        what = f"key {key[:80]!r} is unknown here"
        remedy = f"write {like[0]!r}, or remove it" if like else "remove it"
        if may_decide(name, known):
            raise self.tree.error(path, what, remedy, line)
        self.lose(path, what, remedy, line)

    def assume(self, path: Path, what: str) -> None:
        """The source leaves something open, and we take what is usual."""
        self.losses.append(Loss(file=self.tree.show(path), message=f"assumed: {what}", weight=Weight.ASSUMED))

    def note(self, path: Path, what: str, line: int | None = None) -> None:
        """Something that judging does not need is not imported."""
        self.losses.append(Loss(file=self.tree.show(path, line), message=what, weight=Weight.NOTE))
        self.told.add(path)

    def readable(self, message: str) -> str:
        """The message without names of temporary places."""
        return message.replace(str(self.tree.root), self.tree.shown)

    def entries(self, directory: Path, without: Collection[str] = (MACOSX,)) -> list[Path]:
        """Everything in a directory, in natural order, without hidden names and directories of the names `without`.
        Other formats have no rule for names.

        Raises:
            ProblemError: an entry is a link that leaves the source.
        """
        if not directory.is_dir():
            return []
        found = [path for path in directory.iterdir() if not path.name.startswith(".")]
        for path in [path for path in found if self.tree.is_lost_paper(path)]:
            found.remove(path)
            if all(loss.file != self.tree.show(path) for loss in self.losses):
                self.note(path, "is a link to nowhere here: not imported")
        kept = (self.inside(path) for path in found if path.name not in without or not path.is_dir())
        return sorted(kept, key=lambda path: natural(path.name))

    def inside(self, path: Path) -> Path:
        """The same path, once no link on it leaves the source."""
        self.tree.file(*path.relative_to(self.tree.root).parts)
        return path

    def file(self, *parts: str) -> Path | None:
        path = self.tree.file(*parts)
        if path is not None:
            self.seen.add(path)
        return path

    def find_named(self, directory: Path, name: str, blame: Path, line: int | None = None) -> Path:
        """The file that the source names, below `directory`.

        Raises:
            ProblemError: it would lie elsewhere, or is not there.
        """
        place = PurePosixPath(name)
        odd = place.is_absolute() or ".." in place.parts or "\0" in name or not place.parts
        if odd or any(len(os.fsencode(part)) > LONGEST_NAME for part in place.parts):
            line = line or self.line(blame, None, name)
            raise self.tree.error(blame, f"names the file {name[:80]!r}", "name one below its own directory", line)
        path = self.inside(directory / place)
        if not path.is_file():
            line = line or self.line(blame, None, name)
            raise self.tree.error(blame, f"names the file {name!r}, which is not there", "add it", line)
        self.seen.add(path)
        return path

    def text(self, path: Path) -> str:
        """The text of a file of the source, or of one that we made."""
        made = path.is_relative_to(self.work)
        self.seen.add(path)
        return path.read_text(encoding="utf-8") if made else self.tree.read_text(path)

    def make(self, name: str, content: str | bytes) -> Path:
        """A file of our own."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read_yaml(self, path: Path, model: type[Model]) -> Model:
        """As `yamlfile.read_yaml`. Keys that the model does not know are lost."""
        self.seen.add(path)
        made = read_yaml(self.tree, path, model)
        unknown = list(unknown_keys(made))
        lines = lines_of(self.tree, path, [key.location for key in unknown[:_MOST_LINES]]) if unknown else []
        for key, line in zip_longest(unknown, lines):
            self.lose_key(path, key.dotted, key.known, line)
        return made

    def line(self, path: Path, key: str | None, value: str) -> int | None:
        """Where `key` (None: any) has this value, if that is a YAML file of the source: for errors."""
        return line_with(self.tree, path, key, value) if self._is_yaml(path) else None

    def line_at(self, path: Path, *location: int | str) -> int | None:
        """Likewise, where the value at these keys and indices is."""
        return lines_of(self.tree, path, [location])[0] if self._is_yaml(path) else None

    def _is_yaml(self, path: Path) -> bool:
        return path.suffix in (".yaml", ".yml") and path.is_relative_to(self.tree.root) and path.is_file()

    def read_json(self, path: Path, model: type[Model], *, small_first_letters: bool = False) -> Model:
        """As `read_yaml`. With `small_first_letters` keys of maps may begin so, where the model's do not."""
        data = self._json(path)
        made = self._validate(path, model, raise_keys(data) if small_first_letters else data)
        self._lose_unknown(path, made)
        return made

    def _lose_unknown(self, path: Path, made: object) -> None:
        """The keys of a JSON file that its model does not know."""
        for key in unknown_keys(made):
            self.lose_key(path, key.dotted, key.known, line_of_key(self.tree.read_text(path), str(key.location[-1])))

    def read_json_map(self, path: Path, model: type[Model]) -> dict[str, Model]:
        """Each value of a map in a JSON file."""
        data = self._json(path)
        if not isinstance(data, dict):
            raise self.tree.error(path, "does not hold a map", "write {...}")
        made = {name: self._validate(path, model, value, (name,)) for name, value in data.items()}
        self._lose_unknown(path, made)
        return made

    def _json(self, path: Path) -> Any:
        self.seen.add(path)
        try:
            return json.loads(self.tree.read_text(path), object_pairs_hook=make_once)
        except RecursionError:
            raise self.tree.error(path, "is nested too deeply", "is this the right file?") from None
        except ValueError as error:
            line = getattr(error, "lineno", None)
            raise self.tree.error(path, f"bad JSON: {getattr(error, 'msg', error)}", "correct it", line) from None

    def _validate(self, path: Path, model: type[Model], data: Any, within: tuple[str, ...] = ()) -> Model:
        try:
            return model.model_validate(data)
        except ValidationError as error:
            location, what, remedy = explain(error, data, model, within)
            line = line_of_value(self.tree.read_text(path), location)
            raise self.tree.error(path, what[:300], remedy, line) from None

    def unzip(self, path: Path) -> Source:
        """What a zip in the source holds, as a source with the same losses.

        Raises:
            ProblemError: it is no sound zip, would leave its place, or is too large.
        """
        shown = self.tree.show(path)
        root = Path(tempfile.mkdtemp(dir=self.work))
        try:
            with archive.open_zip(path) as packed:
                archive.extract(Path(shown), packed, root)
        except (*archive.UNSOUND, OSError) as error:
            raise ProblemError(f"{shown}: is not a sound zip file ({error}); make it again") from error
        self.unpacked.append(Tree(root=root, shown=shown))
        return replace(self, tree=self.unpacked[-1])

    def grader(self, files: Iterable[Path], own_name: str | None) -> Grader | None:
        """Files compiled along with submissions, which are called `own_name` beside them: sources by their language,
        headers with those of C and C++, or alone for both. None: neither is among them."""
        listed = list(files)
        headers = tuple(path for path in listed if path.suffix in HEADERS)
        found: dict[str, tuple[Path, ...]] = {}
        for path in listed:
            if (language := by_suffix(path.suffix)) is not None and language.name in GRADED:
                kind = language.grader_key
                found[kind] = (*found.get(kind, ()), path)
            elif path not in headers:
                self.note(path, "is of no language in which graders are imported")
        for kind in (found.keys() & {"c", "cpp"} or {"c", "cpp"}) if headers else ():
            found[kind] = (*found.get(kind, ()), *headers)
        graded = [language for name, language in facts().items() if name in GRADED and language.grader_key in found]
        names = {language.grader_key: f"{own_name}{language.suffixes[0]}" for language in graded} if own_name else {}
        return Grader(files=found, submission_name=names) if found else None

    def checker(self, source: Path, convention: Convention) -> Program:
        """A checker from its source file, with the headers that lie beside it."""
        headers = [path for path in self.entries(source.parent) if path.suffix in HEADERS]
        return self.with_testlib(Program(convention=convention, sources=(source, *headers)))

    def generator(self, file: Path, name: str, header: Path | None = None) -> Path:
        """A copy of the generator of the problem `name`, with what it includes or imports beside it, as packages keep
        them. `header`: a testlib.h that lies elsewhere.

        Raises:
            ProblemError: it needs testlib.h, which is not there.
        """
        python = file.suffix == ".py"
        near = self._near(file.parent, python=python)
        libraries = [path for path in (*near, header) if path is not None and path.name == TESTLIB][:1]
        needed = Program(convention=Convention.TESTLIB, sources=(file, *([] if python else libraries)))
        sources = dict.fromkeys((*self.with_testlib(needed).sources, *near))
        made = [self._place(path, name) for path in sources]
        return made[0]

    def _near(self, directory: Path, *, python: bool) -> list[Path]:
        """What generators in a directory include or import. Listed once: there may be many of both."""
        if (directory, python) not in self.near:
            wanted = (".py",) if python else HEADERS
            self.near[directory, python] = [
                path for path in self.entries(directory) if path.suffix in wanted and path.is_file()
            ]
        return self.near[directory, python]

    def _place(self, path: Path, name: str) -> Path:
        target = self.work / name / "generators" / clean(path.name)
        if not target.exists():
            self.placed[target] = path
            self.seen.add(path)
            return self.make(f"{name}/generators/{target.name}", path.read_bytes())
        if self.placed[target] != path and path.name != TESTLIB:  # of which one serves all
            what = f"generators use this file and {self.tree.show(self.placed[target])}, of one name"
            raise self.tree.error(path, what, "rename one of them")
        return target

    def with_testlib(self, program: Program) -> Program:
        """The program with testlib.h, if it needs it.

        Raises:
            ProblemError: it is not there. The program is not left out: without it nothing can be judged rightly.
        """
        if not lacks_testlib(program):
            return program
        if self.testlib is None:
            remedy = "put testlib.h beside it, or name one with --testlib FILE (github.com/MikeMirzayanov/testlib)"
            raise self.tree.error(program.sources[0], "needs testlib.h, which is not there", remedy)
        return replace(program, sources=(*program.sources, self.testlib))


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    name: str
    #: What a source of it holds, for people.
    holds: str
    recognises: Callable[[Source], bool]
    #: Each problem's name, and what reads it.
    problems: Callable[[Source], Iterator[tuple[str, Callable[[], Problem]]]]
    #: The directory of each problem is a package already, which keeps more than writing the problem would.
    packaged: bool = False


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts `a10` after `a9`."""
    parts = _DIGITS.split(name)
    return tuple((1, int(part[:400]), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts))


def files_below(top: Path, without: Collection[Path] = ()) -> Iterator[Path]:
    """All files below a directory, in natural order, but for what a system or an interpreter leaves behind. Links to
    directories are not followed: what they mean lies elsewhere."""
    for place, directories, names in os.walk(top):
        directory = Path(place)
        directories[:] = sorted(
            (name for name in directories if _of_format(name) and directory / name not in without), key=natural
        )
        yield from (directory / name for name in sorted(names, key=natural) if not name.startswith("."))


def _read_start(path: Path) -> bytes:
    """The first bytes of a file; of a pipe, a device or a link, none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, START_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def _of_format(name: str) -> bool:
    """Whether a directory of this name is more than what a system or an interpreter leaves behind."""
    return not name.startswith(".") and name not in (MACOSX, "__pycache__")


def clean(name: str) -> str:
    """A name that a package may have."""
    return _UNSAFE.sub("-", name).strip("-.")[: LONGEST_NAME // 2] or "x"


def pairs(source: Source, directory: Path, *, inputs: tuple[str, ...] = (".in",)) -> list[tuple[Path, Path]]:
    """The inputs of a directory with their answers (.out, .ans), in natural order.

    An input without an answer, and an answer without an input, are lost.
    """
    files = {path.name: path for path in source.entries(directory) if path.is_file()}
    found, used = [], set[str]()
    for name, path in files.items():
        if path.suffix not in inputs:
            continue
        answer = next((files[other] for end in (".ans", ".out") if (other := f"{path.stem}{end}") in files), None)
        if answer is None:
            source.lose_file(path, "has no answer file", f"add {path.stem}.out")
            continue
        used |= {name, answer.name}
        found.append((path, answer))
    for name, path in files.items():
        if path.suffix in (".ans", ".out") and name not in used:
            source.lose_file(path, "is an answer without input", f"add {path.stem}{inputs[0]}")
    return found


def cases(found: Iterable[tuple[Path, Path]], group: str = "secret") -> tuple[TestCase, ...]:
    """Test cases in the given order, which their names keep."""
    listed = list(found)
    width = len(str(len(listed)))
    return tuple(
        TestCase(name=f"{group}/{number:0{width}}-{clean(input_.stem)}", group=group, input=input_, answer=answer)
        for number, (input_, answer) in enumerate(listed, 1)
    )


def handed_in(source: Source, blame: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Names of tests for which outputs of these names are handed in.

    Raises:
        ProblemError: two of them are for one test.
    """
    made = []
    for name in names:
        stem, _, suffix = PurePosixPath(name).name.rpartition(".")
        made.append(clean(stem if stem and suffix in ("out", "ans", "txt") else PurePosixPath(name).name))
    if len(set(made)) < len(made):
        raise source.tree.error(blame, "two outputs to be handed in have one name", "rename them")
    return tuple(made)
