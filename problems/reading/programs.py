"""Finds the programs of a package: output validators, interactors, and code that is compiled with submissions.

`judge.yaml` states which convention a validator follows, or its source shows it. One that includes testlib.h is a
testlib checker, unless a file beside it defines testlib's exit codes as the format's 42 and 43. Ports of testlib to
this format do so. Everything else follows the package format.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from problems.files.entry import defines_main, entry, source_suffixes
from problems.files.languages import by_suffix, part_suffixes
from problems.files.tree import Tree
from problems.model import SCRIPTS, Convention, Grader, LabelledSubmission, Program
from problems.reading.metadata import Metadata

if TYPE_CHECKING:
    from problems.reading.extension import ProgramYaml

#: Suffixes of the languages in which the format wants its programs: what else lies beside such a source is no program.
#: Version `legacy` takes every language of the specification's table (`source_suffixes`).
_C = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".C"})
_COMMON = _C | {".py", ".py3"}

#: What programs include, and what is no program of its own.
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".tcc"})

TESTLIB = "testlib.h"
#: A comment without an end goes on to the end of the text, so that no part is searched twice.
_COMMENT = re.compile(r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+")
_INCLUDES_TESTLIB = re.compile(r"^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+[<\"](?:[^>\"\n]*/)?testlib\.h[>\"]", re.MULTILINE)
_ICPC_EXIT = re.compile(r"_EXIT_CODE\s*+(?:=\s*+)?42\b")
#: A program with one of these is built and run by them.
_SCRIPTS = ("build", "run")
_TEMPLATES = ("template", "skeleton")
#: The directory of version `legacy` in which each entry is a program of its own.
_SEVERAL = "output_validators"
_WORD = re.compile(r"\w++")
#: By which sources take in others, in one language or the other.
_TAKES = frozenset({"import", "from", "require", "require_relative", "include", "use", "source", "load", "__import__"})
_MAIN = re.compile(r"\bmain\s*+\(")
#: What a program needs to start others: in C and C++, Python, Java, Rust.
_STARTS = re.compile(
    r"#[^\S\n]*+include[^\S\n]*+<(?:sys/wait|spawn)\.h>"
    r"|\bos\.fork\(|\bimport subprocess\b|\bProcessBuilder\(|\bCommand::new\("
)


def read_program(
    tree: Tree, metadata: Metadata, directories: tuple[str, ...], stated: ProgramYaml | None
) -> Program | None:
    """The program in the first of these directories that has one.

    Raises:
        ProblemError: several programs lie side by side; or there are files, and no program among them.
    """
    for name in directories:
        sources = _sources(tree, tree.root / name)
        if sources:
            if not (stated and stated.main):
                _check_single(tree, tree.root / name, sources)
            return build_program(tree, metadata, sources, stated)
        if (odd := first_entry(tree, tree.root / name)) is not None:
            what = "lies where a program judges, and no program does: this is none, or its name is not allowed"
            raise tree.error(odd, what, "use letters, digits, '_', '.' and '-' only, or remove the directory")
    return None


def first_entry(tree: Tree, directory: Path) -> Path | None:
    """The first of what lies in a directory, whatever its name, but for what is hidden; None: nothing."""
    tree.entries(directory)  # no link there leaves the package
    found = directory.iterdir() if directory.is_dir() else ()
    return min((path for path in found if not path.name.startswith((".", "__pycache__"))), default=None)


def _check_single(tree: Tree, directory: Path, sources: tuple[Path, ...]) -> None:
    """Raises ProblemError if several of the files are programs: version `legacy` runs each that lies in
    output_validators/ itself, and elsewhere one of them would judge by its name alone."""
    if any(source.name in _SCRIPTS for source in sources):
        return
    several = directory.name == _SEVERAL and sources[0].parent == directory
    if not several and any(source.name == "__main__.py" or source.stem.lower() == "main" for source in sources):
        return
    below = tree.walk(directory) if sources[0].parent == directory and not several else []
    names = [
        path.relative_to(directory).as_posix()
        for path in _beginnings({path: _text(path) for path in (*sources, *below)})
    ]
    if len(names) > 1:
        what = f"has several programs ({', '.join(names)})"
        raise tree.error(
            directory, what, "keep the one to judge with, or name it in judge.yaml (checker: {main: FILE})"
        )


def _beginnings(texts: Mapping[Path, str]) -> list[Path]:
    """The sources with which a program begins: those that define `main` or, in languages that need none, those that no
    other source takes in by its name."""
    listed = [path for path in texts if path.suffix in source_suffixes() - _HEADERS and path.name != "__init__.py"]
    listed = [path for path in listed if not is_template(path)]
    taken = {path: _taken_in(texts[path]) for path in (listed if len(listed) > 1 else ())}
    return [
        path
        for path in listed
        if _begins(path, texts[path], [words for other, words in taken.items() if other != path])
    ]


def _begins(path: Path, text: str, taken_by_others: Sequence[set[str]]) -> bool:
    language = by_suffix(path.suffix)
    if language is not None and language.text.main:
        return defines_main(path, text.encode("latin-1", "replace"))
    return path.suffix not in part_suffixes() and not any(path.stem in words for words in taken_by_others)


def _taken_in(text: str) -> set[str]:
    """The words of all lines that take in other files."""
    lines = (_WORD.findall(line) for line in text.splitlines())
    return {word for words in lines if not _TAKES.isdisjoint(words) for word in words}


def _sources(tree: Tree, directory: Path) -> tuple[Path, ...]:
    files, directories = tree.entries(directory)
    files = [file for file in files if file.suffix != ".md" and not file.name.startswith("README")]
    if any(file.name in _SCRIPTS for file in files):
        return tuple(tree.walk(directory))
    programs = [child for child in directories if tree.entries(child)[0]]
    own = _own([*files, *programs])
    files, programs = [file for file in files if file in own], [child for child in programs if child in own]
    beside = [file for file in files if file.suffix in source_suffixes()]
    if programs and not beside:  # what lies beside a program's directory (notes, headers) is no program
        files = []
    if len(programs) > 1 or (programs and directory.name == _SEVERAL and beside):
        names = ", ".join(path.name for path in (*beside, *programs))
        raise tree.error(directory, f"has several programs ({names})", "keep the one to judge with")
    if files:
        return tuple(files)  # one program; several files of it may lie here directly
    return tuple(tree.walk(programs[0])) if programs else ()


def read_generator(path: Path) -> Program:
    """The program of a generator: a file in generators/ with the headers beside it (in Python: the modules), or a
    directory there with all its files. Generators that lie side by side are programs of their own.

    Raises:
        ProblemError: it has no files, or one of them leaves the package.
    """
    tree = Tree(root=path.parent.parent, shown=str(path.parent.parent))
    files = tree.walk(path) if path.is_dir() else tree.entries(path.parent)[0]
    if path.is_dir():
        sources = [file for file in files if file.suffix != ".md"]
        script = next((file for name in _SCRIPTS for file in sources if file == path / name), None)
        begins = [(file, _bytes(tree, file)) for file in sources if file.suffix not in _HEADERS]
        main = script or entry(begins)
    else:
        beside = {".py", ".py3"} if path.suffix in {".py", ".py3"} else _HEADERS
        sources, script, main = [file for file in files if file.suffix in beside], None, path
    if main is None:
        raise tree.error(path, "has no source of a generator", "add one, or ship the data")
    return Program(
        convention=Convention.ICPC,
        sources=(main, *(source for source in sources if source != main)),
        language=None if script is None else SCRIPTS,
    )


def _bytes(tree: Tree, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise tree.error(path, f"cannot be read: {error.strerror}", "check its permissions") from error


def _own(paths: list[Path]) -> list[Path]:
    """Without the template from which an author began (template.cpp, validate.cpp.template), which collections leave
    beside the program made of it."""
    made = [path for path in paths if not is_template(path)]
    return made if any(path.suffix in source_suffixes() or path.is_dir() for path in made) else paths


def is_template(path: Path) -> bool:
    parts = path.name.lower().split(".")
    return parts[0].startswith(_TEMPLATES) or parts[-1] in _TEMPLATES


def build_program(
    tree: Tree, metadata: Metadata, sources: tuple[Path, ...], stated: ProgramYaml | None = None
) -> Program:
    """The program of these sources.

    Raises:
        ProblemError: we cannot compile or run it.
    """
    texts = {source: _text(source) for source in sources}
    script = next((source for name in _SCRIPTS for source in sources if source.name == name), None)
    main = script or _main(tree, sources, texts, stated.main if stated else None)
    program = Program(
        convention=stated.convention if stated and stated.convention else _convention(texts),
        sources=(main, *(source for source in sources if source != main)),
        language=None if script is None else SCRIPTS,
        constants=metadata.constants,
        limits=metadata.validation_limits,
    )
    return program if stated is None else stated.apply(program)


def _text(path: Path) -> str:
    return path.read_bytes().decode("latin-1")  # we search for ASCII only


def _main(tree: Tree, sources: tuple[Path, ...], texts: Mapping[Path, str], stated: str | None) -> Path:
    if stated is not None:
        for source in sources:
            if source.name == stated:
                return source
        raise tree.error(sources[0].parent, f"has no file {stated!r}, which judge.yaml names as main", "correct it")
    candidates = [source for source in sources if source.suffix in _COMMON]
    for source in candidates:
        if source.name == "__main__.py" or source.stem == "main":
            return source
    begins = _beginnings(texts)
    if len(begins) == 1:
        return begins[0]
    if not candidates:
        return _other_main(tree, sources)
    return next((source for source in candidates if _MAIN.search(texts[source])), candidates[0])


def _other_main(tree: Tree, sources: tuple[Path, ...]) -> Path:
    """With which file a program begins that is neither C, C++ nor Python."""
    found = entry([(source, _bytes(tree, source)) for source in sources if source.suffix in source_suffixes()])
    if found is None:
        raise tree.error(sources[0], "is no source of a known language", "ship the program's source")
    return found


def writes_score(program: Program) -> bool:
    """Whether it may write score.txt: a source names the file."""
    return any("score.txt" in _text(source) for source in program.sources)


def lacks_testlib(program: Program) -> bool:
    """Whether it includes testlib.h, which is not among its sources. Such a program does not compile."""
    if program.language == SCRIPTS or any(source.name == TESTLIB for source in program.sources):
        return False
    return _includes_testlib({source: _text(source) for source in program.sources})


def _includes_testlib(texts: Mapping[Path, str]) -> bool:
    return any(
        _INCLUDES_TESTLIB.search(_COMMENT.sub(" ", text)) for path, text in texts.items() if path.name != TESTLIB
    )


def _convention(texts: Mapping[Path, str]) -> Convention:
    uses = _includes_testlib(texts)
    ported = any(_ICPC_EXIT.search(text) for text in texts.values())
    return Convention.TESTLIB if uses and not ported else Convention.ICPC


#: Language codes of the specification whose files serve several of our languages.
_FAMILY = {"python3": "python", "cpp": "cpp", "c": "c"}


def read_grader(tree: Tree) -> Grader | None:
    """include/<language>/: files that are put beside every submission; those in `default` serve each language.

    Raises:
        ProblemError: one starts processes. A submission may start none, so each would be refused.
    """
    _, directories = tree.entries(tree.root / "include")
    files: dict[str, tuple[Path, ...]] = {}
    for directory in directories:
        found = tuple(tree.walk(directory))
        for path in found:
            if (word := _STARTS.search(_text(path))) is not None:
                what = f"starts processes ({word[0]}), and a submission, of which it is a part, may start none"
                raise tree.error(path, what, "let a manager run the program several times (judge.yaml)")
        if found:
            files[_FAMILY.get(directory.name, directory.name)] = found
    default = files.pop("default", ())
    return Grader(files=MappingProxyType(files), default=default) if files or default else None


def name_submissions(tree: Tree, grader: Grader, submissions: Iterable[LabelledSubmission]) -> Grader:
    """The grader, with the name of the first accepted submission in each language where one of its files speaks of that
    name: it imports what submissions define. In C and C++ it includes no submission."""
    names = dict(grader.submission_name)
    for language in grader.files.keys() - names.keys() - {"c", "cpp"}:
        paths = [path for path in grader.files[language] if _is_in(path, language)]
        words = {word for path in paths for word in _WORD.findall(tree.read_text(path))}
        accepted = [one.path for one in submissions if one.expected == {"AC"} and _is_in(one.path, language)]
        spoken = (path.name for path in accepted if path.stem in words and path.stem not in {one.stem for one in paths})
        if "solution" not in words and (name := next(spoken, None)):
            names[language] = name
    return dataclasses.replace(grader, submission_name=MappingProxyType(names))


def _is_in(path: Path, language: str) -> bool:
    facts = by_suffix(path.suffix)
    return facts is not None and facts.grader_key == language
