"""What the outcome of a compiler means: its verdict, what it says to people, and whether it would end so again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, assert_never

from containers import Outcome, RunLimits, Termination
from containers.spec import KIB, MIB
from judge.compiling.headers import BUILD_NAME, LASTING_NAME
from judge.compiling.toolchain import has_succeeded, limits
from judge.languages import Language
from judge.ruling.classify import has_starved
from judge.slots.slot import over_time

OUTPUT_BYTES = 64 * MIB
DIAGNOSTIC_BYTES = 64 * KIB

CompileVerdict = Literal["ok", "error", "time", "memory", "output"]
#: Messages of compilers that exceeded a limit which the sandbox sees only as a failed call.
_LIMIT_MESSAGES: tuple[tuple[CompileVerdict, re.Pattern[bytes]], ...] = (
    ("time", re.compile(rb"CPU time limit exceeded signal terminated program")),
    (
        "memory",
        re.compile(
            rb"out of memory allocating|memory exhausted|Killed signal terminated program"
            rb"|java\.lang\.OutOfMemoryError|memory allocation of \d+ bytes failed|runtime: out of memory"
        ),
    ),
    ("output", re.compile(rb"No space left on device|File size limit exceeded|File too large")),
)
#: What gcc says when a limit ended one of its parts: it takes that for an internal error.
_ENDED_BY_LIMIT = re.compile(
    r"^\S+: (?:internal compiler|fatal) error: (?:(?:CPU time|File size) limit exceeded|Killed) signal terminated "
    r"program .*\n"
    r"(?:compilation terminated\.\n)?(?:Please submit .*\nSee <.*\n)?",
    re.MULTILINE,
)
#: What a compiler says that was told its memory limit and reached it.
_HEAP_FULL = b"java.lang.OutOfMemoryError: Java heap space"
#: Begins the message about a compiler that a signal ended. Such a result is not kept.
ENDED = "the compiler was ended by signal"
#: A temporary file of the compiler. Tried only where a word begins: the program chooses the text, and its length.
_OBJECT = re.compile(r"(?<![^\s:()'])[^\s:()']*/cc\w{6}\.[so]\b")
_PRECOMPILED_FROM = re.compile(rf"\.\./in/{re.escape(BUILD_NAME)}:(\d{{1,9}})(?!\d)")


def verdict_of(outcome: Outcome, made: bytes | None, allowed: RunLimits) -> CompileVerdict:
    match outcome.termination:
        case Termination.CPU_LIMIT | Termination.WALL_LIMIT:
            return "time"
        case Termination.MEMORY_LIMIT:
            return "memory"
        case Termination.OUTPUT_LIMIT:
            return "output"
        case Termination.EXITED | Termination.SIGNALED | Termination.CANCELLED:
            pass
        case _:
            assert_never(outcome.termination)
    if over_time(outcome, allowed):
        return "time"
    if has_succeeded(outcome):
        too_large = made is not None and not 0 < len(made) <= OUTPUT_BYTES
        return "output" if too_large else "ok"
    return next((verdict for verdict, pattern in _LIMIT_MESSAGES if pattern.search(outcome.stderr)), "error")


def diagnostics(
    outcome: Outcome, verdict: CompileVerdict, language: Language, directory: Path, lines: Mapping[int, int]
) -> str:
    """The compiler's messages, as if no precompiled header had been used, with the limit that stopped it, if any."""

    def rewrite_include(match: re.Match[str]) -> str:
        return f"{language.source}:{lines.get(int(match[1]), 1)}"

    ours = re.escape(str(directory))
    words = outcome.stderr + outcome.stdout[:DIAGNOSTIC_BYTES]  # Free Pascal writes messages to standard output
    text = words.decode("utf-8", "replace")
    text = re.sub(rf"(?<=from ){ours}/[\w-]+/bits/stdc\+\+\.h:\d+,\n +from ", "", text)  # our own header
    text = _PRECOMPILED_FROM.sub(rewrite_include, text)
    name = re.escape(language.source)  # clang++: line 1 includes the set, and the set the header
    text = re.sub(
        rf"\.\./in/{name}:1:\nIn file included from {ours}/[\w-]+/sets/\w+/{LASTING_NAME}:(\d{{1,9}})(?!\d)",
        rewrite_include,
        text,
    )
    text = _OBJECT.sub("solution.o", _ENDED_BY_LIMIT.sub("", text))
    text = text.replace("../in/", "").replace(f"{directory}/", "")
    if len(words) >= DIAGNOSTIC_BYTES:
        text += "\n… (cut)"
    if verdict in ("time", "memory", "output"):
        text += f"\nthe compiler was stopped: {_explain_stop(outcome, verdict, language)}\n"
    elif outcome.signal is not None:
        text += f"\n{ENDED} {outcome.signal}\n"
    return text


def _explain_stop(outcome: Outcome, verdict: CompileVerdict, language: Language) -> str:
    """Which limit stopped the compiler, and the option that raises it, if any."""
    allowed = limits(language)
    seconds, mib = (allowed.cpu_ns or 0) / 1e9, allowed.memory_bytes / MIB
    if outcome.termination is Termination.WALL_LIMIT:
        return f"it had not ended after {outcome.usage.wall_ns / 1e9:.0f} s"
    if verdict == "time":
        return f"{seconds:g} s of CPU time were not enough; --compile-time {3 * seconds:g} gives it more"
    if verdict == "memory":
        return f"{mib:g} MiB of memory were not enough; --compile-memory {2 * mib:g}MiB gives it more"
    if outcome.termination is Termination.OUTPUT_LIMIT:
        return f"it printed more than {allowed.output_bytes / MIB:g} MiB"
    if made := outcome.files.get(language.compile.output):
        return f"its program has {len(made) / MIB:.0f} MiB, more than {OUTPUT_BYTES / MIB:g} MiB"
    return f"it wrote files of more than {allowed.directory_bytes / MIB:g} MiB"


def would_last(outcome: Outcome, verdict: CompileVerdict, allowed: RunLimits) -> bool:
    """Whether the same compile under the same limits would end in the same way.

    Time over a limit was confirmed if the load might be the cause (`judge.slots.slot`). A run stopped for memory had
    used that memory itself. If only a message tells of a limit, the machine may have lacked memory or space."""
    match verdict:
        case "ok" | "error":
            return outcome.signal is None
        case "time":
            return not has_starved(outcome, allowed.wall_ns)
        case "memory":
            return outcome.termination is Termination.MEMORY_LIMIT or _HEAP_FULL in outcome.stderr
        case "output":
            return outcome.termination is Termination.OUTPUT_LIMIT or has_succeeded(outcome)
        case _:
            assert_never(verdict)
