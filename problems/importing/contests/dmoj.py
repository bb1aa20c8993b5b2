"""DMOJ: a folder, or a folder of folders, each with init.yml and the test files, which may lie in a zip.

init.yml    archive; test_cases: a list of {in, out, points} and of batches {points, batched, dependencies}, or
            {input_format, output_format, case_points} (regular expressions); pretest_test_cases; points; checker;
            interactive; signature_grader; output_limit_length; file_io (of VNOJ's judge). What a case does not state
            is stated above it.
tests/      submissions, each with a test.yml: trials of the site's judge, with limits of their own

Limits of time and memory are not in it: the site keeps them elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from problems.importing.contests.dmoj_yaml import (
    BatchYaml,
    CaseYaml,
    CheckerYaml,
    FileIoYaml,
    FormatsYaml,
    InitYaml,
)
from problems.importing.contests.patterns import match_names
from problems.importing.draft import Draft, of_folders
from problems.importing.source import Source
from problems.model import (
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Grader,
    Group,
    Limits,
    Mode,
    Problem,
    Program,
)

_INIT = "init.yml"
_TRIALS = ("test.yml", "test.posix.yml", "test.linux.yml")
_COMPARISONS = {
    "standard": Comparison(mode=Mode.TOKENS_BY_LINE),
    "identical": Comparison(mode=Mode.EXACT),
    "rstripped": Comparison(mode=Mode.STRIPPED_LINES),
    "sorted": Comparison(mode=Mode.SORTED_LINES),
    "unordered": Comparison(mode=Mode.UNORDERED_TOKENS),
}
_FLOATS = {"floats": "default", "floatsabs": "absolute", "floatsrel": "relative"}
_CONVENTIONS = {"default": Convention.DMOJ, "coci": Convention.DMOJ_COCI, "testlib": Convention.DMOJ_TESTLIB}
#: Arguments of each checker, which may decide verdicts.
_ARGUMENTS = {
    "bridged": (
        *("files", "lang", "type", "flags", "time_limit", "memory_limit", "compiler_time_limit", "feedback"),
        *("args_format_string", "cached", "unbuffered"),
    ),
    "sorted": ("split_on",),
    **dict.fromkeys(_FLOATS, ("precision", "error_mode")),
}
#: Those with words for values.
_VALUES = {"split_on": ("lines", "whitespace"), "error_mode": ("default", "absolute", "relative")}
_DIGITS = re.compile(r"(\d++)")
#: Flags of compilers that change what a program does.
_DEFINING = ("-D", "-U", "-include", "-f", "/D")

#: Keys that change no verdict of a program within its limits.
_TOLD = ("output_prefix_length", "wall_time_factor", "hints", "short_circuit")
_TOLD_OF_INTERACTORS = ("lang", "preprocessing_time", "memory_limit", "compiler_time_limit", "feedback")
#: Makes an interactor in C or C++ write each character at once, as the site's judge does for it.
_UNBUFFERED = """#include <stdio.h>
__attribute__((constructor)) static void judge_unbuffered(void) { setvbuf(stdout, NULL, _IONBF, 0); }
#line 1
"""


@dataclass(slots=True, kw_only=True)
class _Init:
    """One init.yml with the places of its files."""

    draft: Draft
    stated: InitYaml
    archive: Source | None
    #: The number of the group of each batch, by the batch's number from 1 on.
    batches: list[str] = field(default_factory=list)

    def file(self, name: str) -> Path:
        """A file of the problem: of its folder, else of its archive, as the judge looks for it."""
        packed = None if self.archive is None else self.archive.tree.root / name
        if self.archive is not None and not (self.draft.directory / name).is_file():
            return self.archive.find_named(self.archive.tree.root, name, self.archive.tree.root)
        found = self.draft.find(name)
        if packed is not None:  # the file of the folder stands for it
            self.draft.source.seen.add(packed)
        return found

    def refuse(self, what: str, remedy: str, value: object = None) -> Exception:
        """`value`: that which is wrong, as it is stated."""
        line = None if value is None else self.draft.source.line(self.draft.path, None, str(value))
        return self.draft.error(what, remedy, line=line)


def _read(draft: Draft) -> Problem:
    source, directory = draft.source, draft.directory
    stated = source.read_yaml(source.inside(draft.path), InitYaml)
    packed = None if stated.archive is None else source.unzip(draft.find(stated.archive))
    if packed is not None:  # the judge opens files of it by the names in init.yml, and nothing else
        source.aside.add(packed.tree.root)
    init = _Init(draft=draft, stated=stated, archive=packed)
    if stated.custom_judge is not None:
        raise init.refuse(
            "custom_judge: a judge in Python is not imported", "write an interactor or a checker", stated.custom_judge
        )
    _tell_dropped(init)
    trials = (child for child in draft.list_files("tests") if any((child / name).is_file() for name in _TRIALS))
    source.aside.update(trials)
    if stated.pretest_test_cases is not None:
        draft.lose("pretest_test_cases are not imported", "remove them: the tests hold them")
    _add_tests(init)
    draft.assume("limits of 1 s and 256 MiB, which are not in it")
    interactor = _interactor(init)
    if (statement := next((file for file in source.entries(directory) if file.suffix == ".md"), None)) is not None:
        draft.add_statement("en", statement)
    return replace(
        draft.build("en"),
        limits=Limits(output_bytes=stated.output_limit_length),
        checker=Comparison() if interactor else _checker(init, stated.checker),
        kind="interactive" if interactor else "batch",
        interactor=interactor,
        grader=_grader(init),
        file_io=_file_io(init, talks=interactor is not None),
    )


def _tell_dropped(init: _Init) -> None:
    """Keys that are known, and not imported."""
    stated, draft = init.stated, init.draft
    for key in _TOLD:
        if key in stated.model_fields_set:
            draft.note(f"{key} is not imported", key)
    for key in _TOLD_OF_INTERACTORS:
        if stated.interactive is not None and key in stated.interactive.model_fields_set:
            draft.note(f"interactive.{key} is not imported: the judge's own holds", "interactive", key)
    if stated.symlinks:
        draft.lose("symlinks, files that programs read, are not imported", "remove them", "symlinks")
    if stated.validator is not None:
        draft.note("validator, of inputs, is not imported")
        files = stated.validator.get("files") if isinstance(stated.validator, dict) else None
        for name in files if isinstance(files, list) else [files] if files else ():
            init.file(str(name))


def _add_tests(init: _Init) -> None:
    listed = init.stated.test_cases
    if isinstance(listed, FormatsYaml):
        listed = _by_names(init, listed)
    if not listed:
        raise init.refuse("has no test cases", "name them in test_cases")
    gates: list[str] = []  # groups worth nothing: where one fails, nothing after it is run
    # Cases without points, and batches, are groups of their own; others are one group until the next such.
    runs = groupby(enumerate(listed), key=lambda one: (one[0], 0) if _apart(init, one[1]) else (0, 1))
    for number, (_, run) in enumerate(runs, 1):
        name = f"secret/{number:03}"
        within = [one for _, one in run]
        batch = within[0] if within[0].batched is not None else None
        weights = _add_cases(init, name, within if batch is None else batch.batched or (), batch)
        points = _points(init, batch) if batch is not None else sum(weights)
        needs = (*gates, *(_read_needed(init, batch) if batch is not None else ()))
        kind = Aggregation.SUM if batch is None else Aggregation.MIN
        made = Group(name=name, points=points, aggregation=kind, requires=tuple(dict.fromkeys(needs)))
        init.draft.groups.append(made)
        if batch is not None:
            init.batches.append(name)
        if not points:
            gates.append(name)


def _apart(init: _Init, one: BatchYaml) -> bool:
    return one.batched is not None or not _points(init, one)


def _points(init: _Init, one: CaseYaml) -> float:
    if one.points is not None:
        return one.points
    return 1.0 if init.stated.points is None else init.stated.points


def _read_needed(init: _Init, batch: BatchYaml) -> Iterator[str]:
    for number in batch.dependencies:
        if not 0 < number <= len(init.batches):
            raise init.refuse(
                f"batch {len(init.batches) + 1} depends on {number}, which is none before it", "correct it"
            )
        yield init.batches[number - 1]


def _add_cases(init: _Init, group: str, listed: Sequence[CaseYaml], batch: BatchYaml | None) -> list[float]:
    """Add the tests of a group. Returns their weights."""
    if not listed:
        raise init.refuse("a batch has no cases", "remove it")
    draft, weights = init.draft, list[float]()
    graded = isinstance(init.stated.checker, CheckerYaml) or init.stated.interactive is not None
    for number, one in enumerate(listed, 1):
        if None in (one.input, one.output) and _has(init, one, batch, "generator"):
            what = "generator: DMOJ's print input and answer at once, which a package cannot say"
            draft.lose(what, "run it and keep what it prints")
            continue
        if _has(init, one, batch, "generator"):
            _refuse_both(init, one, batch)
        points = _points(init, one if batch is None else batch)
        if batch is not None and one.points not in (None, points):
            what = f"a case of a batch has {one.points:g} points, and the batch {points:g}"
            raise init.refuse(what, "state those of the batch alone")
        checker = one.checker or (batch and batch.checker)
        name = f"{number:0{len(str(len(listed)))}}"
        weights.append(points if batch is None else 1.0)
        draft.add_test(
            draft.make(f"{group}/{name}.in", "") if one.input is None else _lines(init, one, one.input),
            None if one.output is None else _lines(init, one, one.output),
            name,
            group,
            weight=weights[-1],
            full_score=points if graded and points else 1.0,
            limits=_limits(init, one if batch is None else one.model_copy(update=_below(batch, one))),
            checker=_checker(init, checker) if checker else None,
        )
    if not weights:
        raise init.refuse("has no test cases but generated ones", "run the generator and keep what it prints")
    return weights


def _refuse_both(init: _Init, case: CaseYaml, batch: BatchYaml | None) -> None:
    """The site's judge does not choose between a file and words for the generator."""
    for key in ("generator_args", "generator_in"):
        if _has(init, case, batch, key):
            raise init.refuse(f"a case states `in` and {key}, which the site's judge refuses", "remove one of them")


def _has(init: _Init, case: CaseYaml, batch: BatchYaml | None, key: str) -> bool:
    """Whether a case has the key, or something above it."""
    return any(getattr(one, key, None) for one in (case, batch, init.stated) if one is not None)


def _lines(init: _Init, case: CaseYaml, name: str) -> Path:
    """The file as the judge gives it to programs: each line ends with LF, unless its data are binary."""
    file = init.file(name)
    content = file.read_bytes()
    if not content or case.binary_data or init.stated.binary_data:
        return file
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines += b"" if lines.endswith(b"\n") else b"\n"
    return file if lines == content else init.draft.make(f"lf/{name}", lines)


def _below(batch: CaseYaml, one: CaseYaml) -> dict[str, Any]:
    """The limits that a batch states and its case does not."""
    names = ("time_limit", "memory_limit", "output_limit_length")
    return {name: getattr(batch, name) for name in names if getattr(one, name) is None}


def _limits(init: _Init, one: CaseYaml) -> Limits | None:
    """The limits of a case, where it has some of its own."""
    usual = Limits(output_bytes=init.stated.output_limit_length)
    limits = replace(
        usual,
        cpu_ns=usual.cpu_ns if one.time_limit is None else round(one.time_limit * SECOND_NS),
        memory_bytes=usual.memory_bytes if one.memory_limit is None else one.memory_limit * 1024,
        output_bytes=usual.output_bytes if one.output_limit_length is None else one.output_limit_length,
    )
    return None if limits == usual else limits


def _checker(init: _Init, stated: str | CheckerYaml | None) -> Checker:
    name, args = (stated.name, stated.args) if isinstance(stated, CheckerYaml) else (stated or "standard", {})
    possible = _ARGUMENTS.get(name, ())
    for key in args if possible or name in _COMPARISONS else ():
        if key not in possible:
            what = f"checker {name[:40]}: argument {str(key)[:40]!r} is unknown here"
            line = init.draft.source.line(init.draft.path, str(key), str(args[key]))
            raise init.draft.error(what, f"take one of {', '.join(possible) or 'none'}", line=line)
    if name == "bridged":
        type_ = args.get("type", "default")
        return _program(init, args, _type(init, "null" if type_ is None else str(type_)))
    precision = args.get("precision", 6)
    if name in _FLOATS and not (
        isinstance(precision, int) and not isinstance(precision, bool) and 0 <= precision <= 300
    ):
        raise init.refuse(
            f"checker {name}: precision {str(precision)[:40]!r} is no number of digits", "correct it", precision
        )
    for key, values in _VALUES.items():
        if key in args and args[key] not in values:
            what = f"checker {name[:40]}: {key} {str(args[key])[:40]!r} is unknown"
            raise init.refuse(what, f"take one of {', '.join(values)}", args[key])
    if (found := comparison(name, args)) is not None:
        return found
    known = ", ".join((*_COMPARISONS, *_FLOATS, "bridged"))
    raise init.refuse(f"checker {name[:60]!r} is not imported", f"take one of {known}", name)


def comparison(name: str, args: Mapping[str, Any]) -> Comparison | None:
    """What a checker of the site's own compares; None: none that is imported has this name."""
    if name == "sorted" and args.get("split_on") == "whitespace":
        name = "unordered"
    if name in _FLOATS:
        mode, tolerance = args.get("error_mode", _FLOATS[name]), 10.0 ** -args.get("precision", 6)
        return Comparison(
            mode=Mode.TOKENS_BY_LINE,
            absolute_tolerance=None if mode == "relative" else tolerance,
            relative_tolerance=None if mode == "absolute" else tolerance,
        )
    return _COMPARISONS.get(name)


def _type(init: _Init, type_: str) -> Convention:
    if type_ not in _CONVENTIONS:
        raise init.refuse(f"type {type_[:40]!r} is not imported", f"take one of {', '.join(_CONVENTIONS)}", type_)
    return _CONVENTIONS[type_]


def _program(init: _Init, args: dict[str, Any], convention: Convention) -> Program:
    files = args.get("files") or ()
    names = [files] if isinstance(files, str) else files
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise init.refuse(f"files of a program are {str(files)[:40]!r}", "write a name, or a list of names")
    if not names:
        raise init.refuse("a bridged program has no files", "name them")
    if args.get("args_format_string"):
        what = "args_format_string: a program that is called with arguments of its own is not imported"
        raise init.refuse(what, "let it take input, output and answer")
    _tell_flags(init, args.get("flags"))
    first, *others = (init.file(name) for name in names)
    program = init.draft.source.checker(first, convention) if first.is_relative_to(init.draft.directory) else None
    if program is None:
        program = Program(convention=convention, sources=(first,))
    return replace(program, sources=tuple(dict.fromkeys((*program.sources, *others))))


def _tell_flags(init: _Init, flags: object) -> None:
    """Raises ProblemError if a flag of the compiler makes another program, or flags are not to be lost."""
    for flag in flags if isinstance(flags, list) else str(flags or "").split():
        if str(flag).startswith(_DEFINING):
            raise init.refuse(f"flag {str(flag)[:40]!r} changes the program", "write what it says into the source")
    if flags:
        init.draft.lose("flags of a compiler are not imported", "remove them")


def _interactor(init: _Init) -> Program | None:
    stated = init.stated.interactive
    if stated is None:
        return None
    if init.stated.signature_grader is not None:
        raise init.refuse("interactive: beside signature_grader the site does not read it", "keep one of them")
    args = {
        "files": list((stated.files,) if isinstance(stated.files, str) else stated.files),
        "flags": stated.flags,
        "args_format_string": stated.args_format_string,
    }
    program = _program(init, args, _type(init, stated.type))
    first, *others = program.sources
    if not stated.unbuffered:
        return program
    if first.suffix not in (".cpp", ".cc", ".cxx", ".c"):
        what = "interactive: an interactor of this language is not made to write at once, as the site's judge makes it"
        init.draft.lose(what, "let it flush, and write unbuffered: false")
        return program
    made = init.draft.make(f"unbuffered/{first.name}", _UNBUFFERED.encode() + first.read_bytes())
    return replace(program, sources=(made, *others))


def _grader(init: _Init) -> Grader | None:
    stated = init.stated.signature_grader
    if stated is None:
        return None
    entry, header = init.file(stated.entry), init.file(stated.header)
    # Its own judge compiles the entry in the language of the submission, puts these lines before each submission, and
    # renames a main() that it may have.
    before = f'#define SIGNATURE_GRADER 1\n#include "{header.name}"\n'
    before += "" if stated.allow_main else "#define main main_of_the_submission\n"
    files = {"cpp": (entry, header)}
    if entry.suffix == ".c":
        files = {"c": files["cpp"], "cpp": (init.draft.make(f"cpp/{entry.stem}.cpp", entry.read_bytes()), header)}
    return Grader(files=files, before={kind: before for kind in ("c", "cpp")})


def _file_io(init: _Init, *, talks: bool) -> FileIO | None:
    """The files that programs read and write. The site's judge finds them by names in other letters' case, too."""
    stated = init.stated.file_io
    if stated is None or stated == FileIoYaml():
        return None
    if talks:
        raise init.refuse("file_io: beside an interactor it is not imported", "remove it")
    return FileIO(input=stated.input or None, output=stated.output or None)


def _by_names(init: _Init, formats: FormatsYaml) -> tuple[BatchYaml, ...]:
    """The test cases that file names say: NAME.BATCH.CASE.in with NAME.BATCH.CASE.out."""
    place = init.archive or init.draft.source
    root = init.draft.directory if init.archive is None else place.tree.root
    names = [path.relative_to(root).as_posix() for path in place.tree.walk(root)]
    inputs = _place_files(init, formats.input_format, names, "in")
    answers = _place_files(init, formats.output_format, names, "out")
    for where, name in [*inputs.items(), *answers.items()]:
        if (where in inputs) + (where in answers) == 1:
            init.draft.lose(f"{name!r} has no other half", "add it")
    worth = iter(formats.case_points or ())
    made = []
    paired = sorted(inputs.keys() & answers.keys(), key=lambda where: (_order(where.group), _order(where.case)))
    for _, run in groupby(paired, key=lambda where: where.group):
        places = list(run)
        cases = [{"in": inputs[where], "out": answers[where]} for where in places]
        points = next(worth, -1.0 if formats.case_points else init.stated.points)
        if points is not None and points < 0:
            raise init.refuse("case_points states fewer points than there are test cases", "state all")
        points = 1.0 if points is None else points
        stated: dict[str, Any] = {"batched": cases} if any(one.batched for one in places) else {**cases[0]}
        made.append(BatchYaml.model_validate({**stated, "points": points}))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file belongs by its name. A case of no batch is a group of its own, which has the name of the case: it is
    of the batch of that name, if there is one."""

    group: int | str
    case: int | str
    batched: bool = field(compare=False)


def _order(name: int | str) -> tuple[bool, int, str]:
    """Words come before numbers, as the site sorts them."""
    return (True, name, "") if isinstance(name, int) else (False, 0, name)


def _number_or_word(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _place_of(batch: str | None, case: str | None) -> _Place:
    group, own = batch or None, _number_or_word(case or "")
    return _Place(group=own if group is None else _number_or_word(group), case=own, batched=group is not None)


def _place_files(init: _Init, pattern: str | None, names: Sequence[str], kind: str) -> dict[_Place, str]:
    """The files by their batch and their case."""
    if pattern is None:
        found = [(name, _numbers(name, kind)) for name in names]
    else:
        try:
            rows = match_names([pattern], names, ignore_case=True)[0]
        except ValueError as error:
            raise init.refuse(
                f"{kind}put_format {pattern[:60]!r} {error}", "correct it, or list the test cases"
            ) from None
        found = [
            (name, None if one is None else _place_of(one.get("batch"), one.get("case")))
            for name, one in zip(names, rows, strict=True)
        ]
    made: dict[_Place, str] = {}
    for name, where in found:
        if where is None:
            continue
        if where in made:
            raise init.refuse(f"{made[where]!r} and {name!r} are one test case by their names", "list the test cases")
        made[where] = name
    return made


def _numbers(name: str, kind: str) -> _Place | None:
    """Batch and case of a file by the usual rule: the last number, and the one before if nothing joins it to a word."""
    name = name.lower()
    if f".{kind}" not in name and not name.startswith(kind):
        return None
    parts = _DIGITS.split(name)
    if len(parts) < 3 or any(letter.isspace() for letter in parts[-1]):
        return None
    batch = ""
    if len(parts) > 4:
        before, number, between = parts[-5], parts[-4], parts[-3]
        joined = before and (before[-1].isalnum() or before[-1] == "_")
        if not joined and not any(letter.isspace() for letter in between):
            batch = number
    return _place_of(batch, parts[-2])


FORMAT = of_folders(
    name="dmoj",
    holds="DMOJ's init.yml",
    is_problem=lambda directory: (directory / _INIT).is_file(),
    read=_read,
    head=_INIT,
)
