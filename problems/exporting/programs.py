"""Programs that stand in for what a format lacks: comparisons as checkers (`compare.cpp`), and validators of one
convention behind the calls of the other (`adapter.cpp`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from problems.exporting.target import Target
from problems.model import SCRIPTS, Comparison, Convention, Mode, Program

Kind = Literal["checker", "interactor", "validator"]

_HERE = Path(__file__).parent
_CPP = frozenset({".cpp", ".cc", ".cxx", ".c++", ".C"})
_QUOTED = re.compile(rb'^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+"([^"\n]*+)"', re.MULTILINE)
_TESTLIB = "testlib.h"
_MODES = {
    **{
        mode: mode.name
        for mode in (
            *(Mode.EXACT, Mode.LINES, Mode.FULL_LINES, Mode.STRIPPED_LINES, Mode.ALIKE_SPACES, Mode.TOKENS),
            *(Mode.NUMBERS, Mode.TOKENS_BY_LINE, Mode.TOKENS_BY_EVERY_LINE, Mode.SORTED_LINES, Mode.UNORDERED_TOKENS),
        )
    },
    Mode.TOKENS_CI: "TOKENS",
    Mode.YESNO: "TOKENS",
    Mode.FLOAT: "TOKENS",
}


def comparing(target: Target, rule: Comparison, convention: Convention) -> str:
    """The source of a checker that compares by this rule. It needs no library.

    Raises:
        ProblemError: the rule compares values that functions return.
    """
    if rule.mode not in _MODES:
        raise target.refusal(f"the comparison {rule.mode}", "export it to icpc")
    if rule.presentation_error:
        target.note("wrong white space is WA there: the format has no PE")
    tolerances = (rule.absolute_tolerance, rule.relative_tolerance)
    numeric = rule.mode in (Mode.FLOAT, Mode.NUMBERS) or tolerances != (None, None)
    settings = {
        "ICPC": convention is Convention.ICPC,
        "MODE": "EXACT" if rule.space_sensitive and not numeric else _MODES[rule.mode],
        "NUMERIC": numeric,
        "IGNORE_CASE": not rule.case_sensitive or rule.mode in (Mode.TOKENS_CI, Mode.YESNO),
        "SPACES_COUNT": rule.space_sensitive,
        "ABSOLUTE": rule.absolute_tolerance or 0.0,
        "RELATIVE": rule.relative_tolerance or 0.0,
    }
    return _set((_HERE / "compare.cpp").read_text(), settings)


def of_convention(target: Target, program: Program, convention: Convention, kind: Kind) -> dict[str, bytes]:
    """The program's sources by name, the first of which is to be compiled, as one that the convention can call.

    Raises:
        ProblemError: it is not in C++, so it cannot be adapted.
    """
    main, *others = program.sources
    root = main.parent
    whole = program.language == SCRIPTS
    texts = {path.relative_to(root).as_posix() if whole else path.name: target.text(path) for path in program.sources}
    if len(texts) < len(program.sources):
        raise target.refusal(f"a {kind} with two files of one name", "rename one of them")
    own = Convention.ICPC if program.convention is Convention.ICPC_LEGACY else program.convention
    if own is convention and not (program.arguments and convention is Convention.TESTLIB):
        return texts
    if own not in (Convention.ICPC, Convention.TESTLIB):
        raise target.refusal(f"the {kind} {main.name}, of the convention {program.convention}", "write it for testlib")
    if main.suffix not in _CPP:
        wanted = "testlib's" if convention is Convention.TESTLIB else "the ICPC format's"
        raise target.refusal(f"the {kind} {main.name}, which is not in C++", f"write it in C++, by {wanted} convention")
    words = ", ".join(_quote(word) for word in program.arguments)
    settings = {
        "TO_TESTLIB": convention is Convention.TESTLIB,
        "KIND": kind.upper(),
        "ARGUMENTS": f"{{{words}}}" if convention is Convention.TESTLIB else "{}",
    }
    head = _set((_HERE / "adapter.cpp").read_text(), settings)
    if own is convention:  # only its arguments are new: it is called as it is
        raise target.refusal(f"arguments of the {kind}", "put them into its source")
    body = _inline_includes(texts, main.name, keep={_TESTLIB})
    tail = b"\n#undef main\nint main(int argc, char **argv) { return adapter::run(package_main, argc, argv); }\n"
    made = {main.name: head.encode() + b"\n" + body + tail}
    return made | {path.name: texts[path.name] for path in others if path.name == _TESTLIB}


def in_one(files: Mapping[str, bytes]) -> tuple[bytes, bytes | None]:
    """The program as one source, and testlib.h if it comes with it."""
    return _inline_includes(files, next(iter(files)), keep={_TESTLIB}), files.get(_TESTLIB)


def _inline_includes(files: Mapping[str, bytes], main: str, keep: set[str]) -> bytes:
    """The text of a source with the other files of the program, each once, in place of its #include lines."""
    done = {main}

    def content(found: re.Match[bytes]) -> bytes:
        name = found[1].rpartition(b"/")[2].decode("latin-1")
        if name in keep or name not in files:
            return found[0]
        if name in done:
            return b""
        done.add(name)
        return _QUOTED.sub(content, files[name])

    return _QUOTED.sub(content, files[main])


def _set(text: str, settings: Mapping[str, object]) -> str:
    """The text with other values of its constants: `static const TYPE NAME = value;`."""
    for name, value in settings.items():
        before, sign, rest = text.partition(f" {name} = ")
        if not sign:
            raise ValueError(f"no setting {name}")
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        text = f"{before}{sign}{shown};{rest.partition(';')[2]}"
    return text


def _quote(word: str) -> str:
    """A string literal of C++."""
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in word.encode()
    )
    return f'"{plain}"'
