"""The tests of a Polygon package, of both kinds that the site exports.

full        tests/01 with its answer tests/01.a
standard    tests/01 of tests that were written by hand, without answers, and a command for each other one:
            <test method="generated" cmd="gen 5 7"/>, where gen is one of the <executables> in problem.xml

Tests of the second kind become generated tests of the package, so nothing of the source is run here: they are built at
first use, in the sandbox, and the main solution prints the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from problems.errors import ProblemError
from problems.files.languages import by_suffix
from problems.importing.draft import Draft
from problems.importing.source import Source
from problems.model import GeneratedCase, TestCase
from problems.reading.generated import has_placeholder
from problems.reading.metadata import split_words
from problems.reading.programs import TESTLIB
from problems.reading.testdata import MOST_GENERATED

_REMEDY = "export a full package, or run its doall script"
#: Words that join commands in a shell. We have none, and run one program for a test.
_SHELL = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>"})
_TESTLIBS = re.compile(rb"\bregister(?:Interaction|TestlibCmd)\b")
#: `ans.readInt()`, `read(ans)`, `InStream& from = ans`, argv[3].
_READS_ANSWER = re.compile(
    rb"\bans\s*+(?:\.\s*+(?:read|next|seek|eo|skip|cur|quit|reset|init|stream|file)|\))|&[^;&\n]{0,80}=\s*+ans\b"
    rb"|,\s*+ans\s*+[,)]|\(\s*+ans\s*+,|\bargv\s*+\[\s*+3|\bargs\s*+\[\s*+3"
)
#: No statement shows a larger sample.
_MOST_SHOWN_BYTES = 64 << 10


def with_lf(source: Source, file: Path) -> bytes | None:
    """The content as the site gives it to programs: on Windows CR LF ends a line, and they read LF. None: as it is."""
    content = file.read_bytes()
    lines = content.replace(b"\r\n", b"\n")
    if lines == content:
        return None
    if b"\r" in lines or lines.count(b"\n") != content.count(b"\r\n"):
        source.assume(file, "its line ends as they are, though only some are CR LF")
        return None
    return lines


@dataclass(kw_only=True)
class Tests:
    """The tests of one test set: `add` takes them one after the other."""

    __test__ = False

    draft: Draft
    root: Element
    testset: Element
    #: Why the main solution cannot print answers; None: it can.
    unanswered: str | None
    #: What prints answers, if anything does.
    solution: Path | None
    #: An empty answer, for tests whose answers nothing reads; None: they are read.
    no_answer: Path | None = None
    #: Those that are to be built.
    generated: list[GeneratedCase] = field(default_factory=list)
    #: How many had lines that end with CR LF.
    turned: int = 0
    #: Copies of generators, by their place in the source.
    _placed: dict[Path, Path] = field(default_factory=dict)

    def add(self, test: Element, number: int, *, name: str, group: str, weight: float, full_score: float) -> None:
        """
        Raises:
            ProblemError: its files are not in the package, and it cannot be generated.
        """
        sample = test.get("sample") == "true"
        input_, answer = (self._file(kind, number) for kind in ("input", "answer"))
        if input_ is not None and answer is None and sample:
            answer = self._shown.get(_text(input_))
        if input_ is not None and answer is None:
            answer = self.no_answer
        if input_ is not None and answer is not None:
            made = TestCase(
                name=name,
                group=group,
                input=self._of_lines(input_),
                answer=answer if answer == self.no_answer else self._of_lines(answer),
                sample=sample,
                weight=weight,
                full_score=full_score,
            )
            self.draft.tests.append(made)
            return
        missing = GeneratedCase(name=name, group=group, weight=weight, full_score=full_score)
        if input_ is not None:
            self._count(f"test {number} has no answer in the package")
            missing = replace(missing, input=self._of_lines(input_))
        elif test.get("method") == "generated":
            generator, arguments = self._command(test, number)
            missing = replace(missing, generator=generator, arguments=arguments)
        else:
            raise self._error(f"test {number} ({self._name_test('input', number)}) is not in the package")
        self.generated.append(missing)

    def _of_lines(self, file: Path) -> Path:
        lines = with_lf(self.draft.source, file)
        if lines is None:
            return file
        if not self.turned:
            self.draft.source.assume(
                file, "lines of tests end with LF, as programs read them on the site: here with CR LF"
            )
        self.turned += 1
        return self.draft.make(f"lf/{file.relative_to(self.draft.directory).as_posix()}", lines)

    def _error(self, what: str) -> ProblemError:
        return self.draft.error(what, _REMEDY)

    def _count(self, what: str) -> None:
        """One more test is to be built. `what`: why."""
        if self.unanswered is not None:
            raise self._error(f"{what}, and {self.unanswered}")
        if len(self.generated) >= MOST_GENERATED:
            raise self._error(f"more than {MOST_GENERATED} tests would have to be generated")

    def _command(self, test: Element, number: int) -> tuple[Path, tuple[str, ...]]:
        """The generator, and what it is given."""
        text = test.get("cmd") or ""
        shown = f"test {number} is to be generated by {text[:60]!r}"
        self._count(shown)
        words = split_words(text) if len(text) <= 4096 else []
        if not words:
            raise self._error(f"{shown}, which is no command")
        if test.get("from-file") is not None or _SHELL.intersection(words):
            raise self._error(f"{shown}, which is more than a generator that prints one test")
        if has_placeholder(text):
            raise self._error(f"{shown}, and packages read {{seed}} and {{name}} as something else")
        place = self._executables.get(words[0]) or self._executables.get(PurePosixPath(words[0]).stem)
        if place is None:
            raise self._error(f"{shown}, and <executables> have no {words[0][:40]!r}")
        file = self.draft.find(place)
        if by_suffix(file.suffix) is None:
            raise self._error(f"{shown}, and {place} is of no language that is known by its suffix")
        if file not in self._placed:
            self._placed[file] = self.draft.source.generator(
                file, self.draft.name, self.draft.source.file("files", TESTLIB)
            )
        return self._placed[file], tuple(words[1:])

    @cached_property
    def _executables(self) -> dict[str, str]:
        """Their sources, by the name that commands use."""
        found: dict[str, str] = {}
        for one in self.root.findall("files/executables/executable/source"):
            place = one.get("path") or ""
            found.setdefault(PurePosixPath(place).stem, place)
        return found

    @cached_property
    def _shown(self) -> dict[bytes, Path]:
        """Answers that statements show, by the input."""
        found: dict[bytes, Path] = {}
        for directory in self.draft.list_files("statements"):
            for file in self.draft.source.entries(directory):
                answer = self.draft.source.file("statements", directory.name, f"{file.name}.a")
                if answer is not None and file.is_file():
                    found.setdefault(_text(file), answer)
        found.pop(b"", None)
        return found

    def _name_test(self, kind: str, number: int) -> str:
        return name_by_pattern(self.draft, self.testset, kind, number)

    def _file(self, kind: str, number: int) -> Path | None:
        return there(self.draft, self._name_test(kind, number))


def reads_answer(sources: Iterable[Path]) -> bool:
    """Whether a program of testlib may read the answer: it names testlib's stream for it, other than as a variable of
    that name, or opens the file itself. One without testlib's interactor or checker may."""
    texts = [path.read_bytes() for path in sources if path.name != TESTLIB]
    return not any(_TESTLIBS.search(text) for text in texts) or any(_READS_ANSWER.search(text) for text in texts)


def name_by_pattern(draft: Draft, testset: Element, kind: str, number: int) -> str:
    """The name of a test's input, answer or output, by a pattern such as tests/%02d."""
    pattern = testset.findtext(f"{kind}-path-pattern") or ""
    before, sign, rest = pattern.partition("%")
    width, letter, after = rest.partition("d")
    digits = width.removeprefix("0")
    if not (sign and letter and (not width or (width.isascii() and width.isdecimal() and len(width) <= 3))):
        what = f"pattern {pattern[:40]!r} names no tests"
        raise draft.error(what, "one such as tests/%02d does")
    return f"{before}{number:0{int(digits or 1)}}{after}"


def there(draft: Draft, name: str) -> Path | None:
    """The file that problem.xml names; None: it is not in the package.

    Raises:
        ProblemError: it would lie elsewhere.
    """
    place = PurePosixPath(name)
    inside = not place.is_absolute() and ".." not in place.parts
    if inside and draft.source.file(*place.parts) is None:
        return None
    return draft.find(name)


def _text(path: Path) -> bytes:
    """What samples are compared by; empty: it is too large for one."""
    return b"" if path.stat().st_size > _MOST_SHOWN_BYTES else b"\n".join(path.read_bytes().split(b"\r\n")).strip()
