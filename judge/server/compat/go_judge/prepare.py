"""Turns a command of go-judge's clients into one of ours.

Its programs find themselves in /w, and may write in /tmp. Ours run in a directory of another name and have no other.
So "/w/" at the beginning of an argument, or of a part of a variable, becomes "./". Where a file is copied into /tmp,
"/tmp/" becomes "./tmp/".

A program that the caller brings (`copyIn`, mostly what a compile left) may have threads; only programs of this machine,
compilers and shells, may start others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from containers import Trust
from judge.common.command import Command
from judge.common.errors import ConfigError
from judge.server.compat.go_judge.requests import MOST_COLLECTED_BYTES, Cmd, CmdFile
from problems.model import MIB, SECOND_NS

_CPU_NS, _MEMORY_BYTES, _COPY_OUT_BYTES = 10 * SECOND_NS, 256 * MIB, 64 * MIB
_MOST_PROCESSES = 64
#: Directories of its programs, and what they are in ours.
_HOME, _TEMPORARY = "/w", "/tmp"  # noqa: S108 - a name in a request
_PLACES = {_HOME: ".", _TEMPORARY: "./tmp"}
_NOTHING, _STDIN, _STDOUT = "/dev/null", "/dev/stdin", "/dev/stdout"
#: Programs of the machine that execute nothing of what they compile. The client chooses their options, as we do.
_COMPILER = re.compile(r"/usr/(?:local/)?bin/(?:(?:gcc|g\+\+|clang|clang\+\+)(?:-\d+)?|cc|c\+\+|rustc|javac|fpc)")
#: Runs a file of the caller's that names its interpreter.
_SCRIPT = ("/bin/sh", "-c", 'exec "$0" "$@"')
_PATH = "/usr/local/bin:/usr/bin:/bin"
#: A program that writes more than its collector takes may do so to its end, up to this; then it is stopped.
_BEYOND_BYTES = MIB


class Refused(Exception):
    """A request that cannot be run, in words for its sender: 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One name of `copyOut` or `copyOutCached`."""

    #: As the client spells it.
    name: str
    plain: str
    optional: bool
    cached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    name: str
    most_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    command: Command
    #: Of standard output and standard error.
    collectors: tuple[Collector | None, Collector | None]
    wanted: tuple[Wanted, ...]
    most_bytes: int
    truncate: bool
    #: Links to standard output: what these files hold is told as written there.
    outputs: tuple[str, ...] = ()
    #: A file that was to be copied in: its name, and why it cannot be. Then nothing is run.
    missing: tuple[str, str] | None = None
    #: /stream: whether standard input comes, and standard output goes, while it runs.
    streams_in: bool = False
    streams_out: bool = False


class Sources:
    """Where contents come from: the request itself, files that were kept, and directories that the server allows."""

    def __init__(self, kept: Callable[[str], bytes], directories: tuple[Path, ...]) -> None:
        """`kept`: the content of a file by its id; KeyError: there is none."""
        self._kept, self._directories = kept, directories

    def content(self, file: CmdFile) -> bytes:
        """
        Raises:
            Refused: it is none, or not allowed.
            OSError: it cannot be read.
        """
        if file.content is not None:
            return file.content.encode()
        if file.fileId is not None:
            try:
                return self._kept(file.fileId)
            except KeyError as error:
                raise Refused(f"there is no file {file.fileId[:100]!r}; it may have been deleted or too old") from error
        if file.src is not None:
            return b"" if file.src == _NOTHING else self._read(file.src)
        raise Refused("file is not valid for cmd: give content, fileId or src")

    def _read(self, name: str) -> bytes:
        try:
            path = Path(name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            path = Path(os.path.abspath(name)) if "\0" not in name else Path("/")  # noqa: PTH100 - follows no link
        if not any(path.is_relative_to(directory.resolve()) for directory in self._directories):
            raise Refused(f"src {name[:200]!r} is not below a directory that this server allows (source_directories)")
        if not path.is_file():
            raise FileNotFoundError(f"open {name}: no such file")
        if path.stat().st_size > MOST_COLLECTED_BYTES:
            raise Refused(f"src {name[:200]!r} has more than {MOST_COLLECTED_BYTES} bytes")
        return path.read_bytes()


def prepare(cmd: Cmd, sources: Sources, *, piped: frozenset[int], streams: bool = False) -> Prepared:
    """`piped`: those descriptors of the command that pipes join. `streams`: whether it may have streams.

    Raises:
        Refused: it cannot be run here.
    """
    if cmd.tty or cmd.copyOutDir:
        raise Refused("tty and copyOutDir are not there: leave them out")
    given = [*(cmd.files or []), None, None, None]
    stdin_content = b"" if 0 in piped else _read_stdin(given[0], sources)
    files, missing = _copy_in(cmd, sources, stdin_content)
    wanted = _find_wanted(cmd)
    env = _environment(cmd.env or [], _find_places(cmd))
    argv, executable = _program(cmd, files, env)
    if executable is not None and not _named_elsewhere(argv, wanted):
        del files[argv[0]]
    if any(file is not None for file in given[3:]):
        raise Refused("a command has three descriptors here: standard input, output and error")
    stdin, stdout, stderr = given[:3]
    collectors = _collector(stdout, streams), _collector(stderr, streams)
    script = argv[:3] == _SCRIPT and cmd.args[0] != argv[0]
    try:
        command = Command(
            argv=argv,
            executable=executable,
            env=env,
            stdin=stdin_content,
            files=files,
            collect=_collect(wanted, collectors, _outputs(cmd)),
            trust=Trust.TOOL if _COMPILER.fullmatch(argv[0]) else Trust.HOSTILE,
            **_limits(cmd, collectors, own=script or executable is not None),
        )
    except (ConfigError, OSError) as error:
        raise Refused(str(error)) from error
    return Prepared(
        command=command,
        collectors=collectors,
        wanted=wanted,
        most_bytes=cmd.copyOutMax or _COPY_OUT_BYTES,
        truncate=cmd.copyOutTruncate,
        outputs=_outputs(cmd),
        missing=missing,
        streams_in=stdin is not None and stdin.streamIn and streams,
        streams_out=stdout is not None and stdout.streamOut and streams,
    )


def _read_stdin(file: CmdFile | None, sources: Sources) -> bytes:
    """Raises Refused."""
    try:
        return b"" if file is None or file.streamIn else sources.content(file)
    except OSError as error:
        raise Refused(str(error)) from error


def _limits(cmd: Cmd, collectors: tuple[Collector | None, Collector | None], *, own: bool) -> dict[str, Any]:
    """`own`: the caller brings the program."""
    most = [MOST_COLLECTED_BYTES if one is None else one.most_bytes for one in collectors]
    return {
        "cpu_ns": cmd.cpuLimit or _CPU_NS,
        "wall_ns": cmd.realCpuLimit or cmd.clockLimit or None,
        "memory_bytes": cmd.memoryLimit or _MEMORY_BYTES,
        "output_bytes": max(*most, _BEYOND_BYTES),
        "stderr_bytes": max(1, most[1]),
        "processes": 0 if own else min(cmd.procLimit or _MOST_PROCESSES, _MOST_PROCESSES),
    }


def _outputs(cmd: Cmd) -> tuple[str, ...]:
    """Names that are links to standard output."""
    return tuple(_plain(name) for name, file in (cmd.copyIn or {}).items() if file.symlink == _STDOUT)


def _collect(
    wanted: tuple[Wanted, ...], collectors: tuple[Collector | None, Collector | None], outputs: tuple[str, ...]
) -> tuple[str, ...]:
    collected = {one.name for one in collectors if one is not None}
    return tuple(dict.fromkeys((*(one.plain for one in wanted if one.name not in collected), *outputs)))


def _copy_in(cmd: Cmd, sources: Sources, stdin: bytes) -> tuple[dict[str, bytes], tuple[str, str] | None]:
    """Contents by plain name, and the file that cannot be copied in, if there is one. A link is a copy here, also of
    standard input; one to standard output is a file that the program makes."""
    found: dict[str, bytes] = {}
    links: dict[str, str] = {}
    for name, file in (cmd.copyIn or {}).items():
        if file.symlink == _STDIN:
            found[_plain(name)] = stdin
            continue
        if file.symlink == _STDOUT:
            continue
        if file.symlink is not None:
            links[_plain(name)] = _plain(file.symlink)
            continue
        try:
            found[_plain(name)] = sources.content(file)
        except OSError as error:
            return found, (name, str(error))
    for name, target in links.items():
        if target not in found:
            raise Refused(f"symlink {name}: {target} is no file of copyIn; links to others are not there")
        found[name] = found[target]
    return found, None


def _plain(name: str) -> str:
    """The name of a file of the working directory."""
    name = _translate(name, [*_PLACES])
    while name.startswith("./"):
        name = name.removeprefix("./").lstrip("/")
    return name


def _find_places(cmd: Cmd) -> list[str]:
    """Those of `_PLACES` that the command has here: what is copied in makes the directory of temporary files."""
    return [_HOME, *([_TEMPORARY] if any(name.startswith(f"{_TEMPORARY}/") for name in cmd.copyIn or ()) else [])]


def _translate(text: str, places: list[str]) -> str:
    """A path below one of `places`, as the program finds it here; any other text as it stands."""
    for place in places:
        if text == place or text.startswith(f"{place}/"):
            return _PLACES[place] + text.removeprefix(place)
    return text


def _environment(lines: list[str], places: list[str]) -> dict[str, str]:
    pairs = (line.partition("=")[::2] for line in lines)
    return {name: ":".join(_translate(part, places) for part in value.split(":")) for name, value in pairs if name}


def _program(cmd: Cmd, files: dict[str, bytes], env: dict[str, str]) -> tuple[tuple[str, ...], bytes | None]:
    """The arguments, and the program itself if the caller brings it."""
    first, rest = cmd.args[0], tuple(_translate(part, _find_places(cmd)) for part in cmd.args[1:])
    own = files.get(_plain(first))
    if own is not None and own.startswith(b"#!"):
        return (*_SCRIPT, f"./{_plain(first)}", *rest), None
    if own is not None:
        return (_plain(first), *rest), own
    if first.startswith("/"):
        return (first, *rest), None
    directories = env.get("PATH", _PATH).split(":")
    paths = (Path(directory) / first for directory in directories if directory.startswith("/") and "/" not in first)
    try:
        found = next((path for path in paths if os.access(path, os.X_OK)), None)
    except ValueError:
        found = None
    if found is None:
        raise Refused(f"there is no program {first[:200]!r}: neither in copyIn, nor on its PATH")
    return (str(found), *rest), None


def _named_elsewhere(argv: tuple[str, ...], wanted: tuple[Wanted, ...]) -> bool:
    """Whether the program's own file must lie in its directory."""
    name = argv[0]
    return any(name in part for part in argv[1:]) or any(one.plain == name for one in wanted)


def _find_wanted(cmd: Cmd) -> tuple[Wanted, ...]:
    found = []
    for names, cached in ((cmd.copyOut, False), (cmd.copyOutCached, True)):
        for given in names or ():
            name = given.removesuffix("?")
            found.append(Wanted(name=name, plain=_plain(name), optional=given != name, cached=cached))
    return tuple(found)


def _collector(file: CmdFile | None, streams: bool) -> Collector | None:
    if file is None or (streams and file.streamOut):
        return None
    if file.name is None or file.max is None:
        raise Refused("standard output and error go to collectors: give name and max")
    return Collector(name=file.name, most_bytes=min(file.max, MOST_COLLECTED_BYTES))
