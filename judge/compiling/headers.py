"""Precompiled headers (PCH): the libraries that a program starts with, parsed and instantiated once.

    headers/<compiler>/<flags>/
    ├── bits/stdc++.h            goes on to the real one; found by -I
    ├── bits/stdc++.h.gch        made at first use
    ├── seen                     how often each set was wanted: a byte at the place that its hash gives. Programs choose
    │                            their sets, so that a file for each would be files without end
    └── sets/<hash>/             one set of standard headers (or of `ALL` and some of ext/), made by `judge cache warm`
        │                        or when it has been seen `SIGHTINGS` times
        ├── headers.h            its #include lines: what g++ reads where the .gch is not (any more) usable
        └── headers.h.gch
    (state.json beside each .gch: how it was made, or why there is none)

The meaning of no program changes:

- ``bits/stdc++.h`` is offered by ``-I``. g++ takes the PCH only if nothing that could matter precedes the #include (a
  macro whose name the header uses, a token, a pragma), else the real header, which is next on its path.
- A set is given by ``-include``, and only a set that is part of the leading run of ``#include <…>`` lines (nothing but
  white space and comments before or between): the same headers are then read first anyway. Order does not matter among
  standard headers, so sets are sorted.
- clang++ takes a PCH by ``-include`` alone, so that `ALL`, too, is a set of its; it has an option to instantiate.
- Errors that come from the PCH itself (`FAILURES`) make the compiler run again without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from containers import File, Sandbox
from judge.common.errors import ConfigError
from judge.common.strict import remembered
from judge.compiling.linker import COMPILE_ARGUMENTS, Linking, link_source
from judge.compiling.toolchain import TINY, Toolchain, works
from judge.languages import Language
from judge.store.directory import Directory, make_below, write_atomically, writing

_log = logging.getLogger(__name__)

ALL = "bits/stdc++.h"
#: Times that a set must be seen before it is made: by then, making it at once would have cost less (it takes as long as
#: it saves in some six compiles, and 30 MB).
SIGHTINGS = 6
#: All sets of all compilers together, their size and their number; the one unused for longest goes first.
_SETS_LIMIT_BYTES = 1024**3
_MOST_SETS = 256
#: No compile takes so long: who was told to use a set has read it by then.
_READ_S = 3600.0
_SEEN_BYTES = 1 << 16

#: The compiler's messages that may be the PCH's fault, not the program's: it was damaged or could not be mapped, the
#: compiler crashed, or the program specialises what the PCH has instantiated already.
FAILURES = re.compile(rb"internal compiler error|submit a bug report|PCH|precompiled|after instantiation")

#: Name of the header in the build: it shows in "included from" lines, where `Use.lines` turns it back. clang++ reads it
#: where it lasts, because it looks for it whenever the PCH is used.
BUILD_NAME = "judge-headers.h"
LASTING_NAME = "headers.h"

_LINK = Path(__file__).parent / "link"
#: Headers whose order among themselves does not matter: the file beside this one lists them.
_STANDARD = frozenset((_LINK / "standard-headers.txt").read_text().split())
#: What may stand before or between leading includes, and one such include alone on its line.
_BLANK = re.compile(rb"\s+|//[^\n]*(?:\n|\Z)|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(rb"#[ \t]*include[ \t]*<([^>\n]+)>[ \t]*(?:/\*[^\n]*?\*/[ \t]*)?(?=\r?\n|//|\Z)")
#: A line splice or its trigraph in a comment: leave such sources to the compiler.
_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t\r]*\n")
_MENTIONS_ALL = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]bits/stdc\+\+\.h[>\"]", re.MULTILINE)

Kind = Literal["instantiated", "plain", "none"]

#: Stands beside the .gch of `ALL`: g++ wants a file there when the header is included once more.
_GO_ON = b"#include_next <bits/stdc++.h>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """How a PCH was made."""

    kind: Kind
    #: A .gch of another size is damaged.
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What the compiler is given."""

    arguments: tuple[str, ...] = ()
    #: The header whose PCH it is, where it can be read before the program is known, and the program's leading includes
    #: that it makes superfluous.
    header: Path | None = None
    covers: frozenset[str] = frozenset()
    #: Line of the build's header -> line of the program that includes the same.
    lines: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The PCHs of one compiler and language."""

    toolchain: Toolchain
    language: Language
    linking: Linking
    sandbox: Sandbox

    @property
    def directory(self) -> Path:
        flags = hashlib.sha256(repr((self.flags, COMPILE_ARGUMENTS)).encode()).hexdigest()[:12]
        return self.toolchain.directory / f"{self.language.name}-{flags}"

    @property
    def _clang(self) -> bool:
        return self.toolchain.clang

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(part for part in self.language.compile.argv[1:] if part != "{source}")

    def use(self, text: bytes, *, alone: bool = True) -> Use:
        """What helps to compile this program; builds it if it is worth it. With other sources in the same command (not
        `alone`) only what g++ itself takes or leaves for each: their leading headers are others."""
        leading = leading_headers(text)
        if alone and (use := self._best_set(leading)).arguments:
            return use
        if self._clang or not (ALL in leading or (not leading and _MENTIONS_ALL.search(text))):
            return Use()
        first = next(iter(leading), None)
        if not (alone or first in (ALL, None)) or not self._ready(self.directory):
            return Use()
        before = () if first in (ALL, None) else ("-include", ALL)  # found by -I, too
        line = leading.get(ALL) or _line(text, _MENTIONS_ALL)
        return Use(
            arguments=("-I", str(self.directory), *before),
            header=_header(self.directory) if alone and ALL in leading else None,
            covers=frozenset((ALL,)),
            lines={1: line},
        )

    def made(self, headers: tuple[str, ...]) -> Kind:
        """Build the PCH of these standard headers now, if there is none; what it became."""
        directory = self.directory if headers == (ALL,) and not self._clang else self._set_directory(headers)
        self._ready(directory, headers)
        state = _state(directory)
        return "none" if state is None else state.kind

    def _best_set(self, leading: Mapping[str, int]) -> Use:
        exact = tuple(sorted(leading))
        if ALL in leading:  # which holds the others
            exact = (ALL, *(name for name in exact if name.startswith("ext/")))
        if not exact or (exact == (ALL,) and not self._clang):
            return Use()
        directory = self._set_directory(exact)
        if exact == (ALL,) or self._seen(directory) >= SIGHTINGS:
            self._ready(directory, exact)
        best: tuple[int, Path, tuple[str, ...]] | None = None
        for candidate, headers in self._sets():
            fits = set(headers) <= leading.keys() and (ALL in headers) is (ALL in leading)
            if fits and (size := _usable(candidate)):
                best = max(best or (0, candidate, headers), (size, candidate, headers))
        if best is None:
            return Use()
        _, directory, headers = best
        with contextlib.suppress(OSError):
            _header(directory).touch()
        return Use(
            arguments=("-include", str(_header(directory))),
            header=None if self._clang else _header(directory),
            covers=frozenset(headers),
            lines={line: leading[name] for line, name in enumerate(headers, 1)},
        )

    def _sets(self) -> Iterator[tuple[Path, tuple[str, ...]]]:
        with contextlib.suppress(OSError):
            for directory in (self.directory / "sets").iterdir():
                with contextlib.suppress(OSError):
                    yield directory, _included(f"{directory}/{LASTING_NAME}")

    def _set_directory(self, headers: tuple[str, ...]) -> Path:
        return self.directory / "sets" / hashlib.sha256(" ".join(headers).encode()).hexdigest()[:16]

    def _seen(self, directory: Path) -> int:
        """How often the set was wanted, now included. Two sets that share a place are made a little early."""
        place = int(directory.name, 16) % _SEEN_BYTES
        try:
            make_below(self.toolchain.directory.parent, self.directory)
            fd = Directory.of(self.directory).open("seen", os.O_RDWR | os.O_CREAT)
            try:
                times = int.from_bytes(os.pread(fd, 1, place))
                if times < SIGHTINGS:
                    times += 1
                    os.pwrite(fd, bytes([times]), place)
                return times
            finally:
                os.close(fd)
        except OSError:  # a full or read-only disk
            return 0

    def _ready(self, directory: Path, headers: tuple[str, ...] = (ALL,)) -> bool:
        """Whether there is a PCH now; builds it if nobody has tried yet and it can be kept."""
        if _state(directory) is None:
            with contextlib.suppress(ConfigError), self.toolchain.building(str(directory)):
                if _state(directory) is None:
                    what = "bits/stdc++.h" if headers == (ALL,) else ", ".join(headers)
                    _log.info("making a precompiled header of %s for %s; it is kept", what, self.language.name)
                    self._build(directory, headers)
                    with contextlib.suppress(OSError):
                        self._evict()
        return _usable(directory) > 0

    def _build(self, directory: Path, headers: tuple[str, ...]) -> None:
        header = _header(directory)
        with writing(self.directory):
            make_below(self.toolchain.directory.parent, header.parent)
        includes = include_lines(headers)
        write_atomically(header, includes if header.name == LASTING_NAME else _GO_ON, mode=0o644)
        state = _State(kind="none")
        kinds: tuple[tuple[Kind, bool], ...] = (("instantiated", True), ("plain", False))
        for kind, instantiate in kinds:
            compile_ = self._compile_clang if self._clang else self._compile
            content = compile_(header, includes, instantiate=instantiate)
            if content is None:
                continue
            write_atomically(_gch(header), content, mode=0o644)
            if self._self_test(directory):
                state = _State(kind=kind, size_bytes=len(content))
                break
            _gch(header).unlink(missing_ok=True)
        write_atomically(directory / "state.json", json.dumps(asdict(state)).encode(), mode=0o644)

    def _compile(self, _: Path, includes: bytes, *, instantiate: bool) -> bytes | None:
        arguments: tuple[str, ...] = ()
        if instantiate:
            if (plugin := self._plugin()) is None:
                return None
            arguments = (f"-fplugin={plugin}",)
            includes += b"#pragma judge instantiate\n"
        return self.toolchain.build(
            self.sandbox,
            *(*self.flags, *COMPILE_ARGUMENTS, *arguments, "-x", "c++-header", f"../in/{BUILD_NAME}"),
            files=(File(name=BUILD_NAME, content=includes),),
            output="headers.gch",
        )

    def _compile_clang(self, header: Path, _: bytes, *, instantiate: bool) -> bytes | None:
        """Of the header where it lasts; without its time, which changes with every use."""
        arguments = ("-Xclang", "-fno-pch-timestamp", *(("-fpch-instantiate-templates",) if instantiate else ()))
        return self.toolchain.build(
            self.sandbox,
            *(*self.flags, *COMPILE_ARGUMENTS, *arguments, "-x", "c++-header", str(header)),
            files=(),
            output="headers.gch",
        )

    def _plugin(self) -> Path | None:
        path = self.toolchain.directory / "instantiate.so"
        if not path.exists():
            plugin = self.toolchain.build(
                self.sandbox,
                *("-x", "c", "-shared", "-fPIC", "-O1", "../in/instantiate.c"),
                files=(File(name="instantiate.c", content=link_source("instantiate.c")),),
                output="instantiate.so",
            )
            if plugin is None:
                return None
            write_atomically(path, plugin, mode=0o755)
        return path

    def _self_test(self, directory: Path) -> bool:
        """A PCH is used only after a program that was compiled with it did what it should; g++ must not ignore it."""
        whole = directory == self.directory
        arguments: tuple[str, ...] = ("-I", str(directory)) if whole else ("-include", str(_header(directory)))
        if not self._clang:  # which never ignores one
            arguments = ("-Winvalid-pch", "-Werror=invalid-pch", *arguments)
        program = self.toolchain.build(
            self.sandbox,
            *(*self.flags, *COMPILE_ARGUMENTS, *arguments, f"../in/{self.language.source}"),
            *self.linking.argv(self.toolchain, wrap_freopen=True),
            files=(File(name=self.language.source, content=self.language.smoke_source() if whole else TINY),),
            output="smoke",
        )
        return works(program, self.sandbox)

    def _evict(self) -> None:
        """Drop the sets unused for longest. What was used a moment ago keeps its headers.h: a compiler may be about to
        read it. Where sets had to go, all are counted anew: else whoever wants ever new ones has each made at once."""
        found = []
        for directory in self.toolchain.directory.parent.glob("*/*/sets/*"):
            with contextlib.suppress(FileNotFoundError):
                header = directory / LASTING_NAME
                used_s = (header if header.exists() else directory).stat().st_mtime
                found.append((used_s, _gch(header).stat().st_size if _gch(header).exists() else 0, directory))
        excess, most = sum(size for _, size, _ in found) - _SETS_LIMIT_BYTES, len(found) - _MOST_SETS
        for number, (used_s, size, directory) in enumerate(sorted(found)):
            if excess <= 0 and number >= most:
                return
            for path in (_gch(directory / LASTING_NAME), directory / "state.json"):
                path.unlink(missing_ok=True)
            if time.time() - used_s > _READ_S:
                Directory.of(directory.parent).remove(directory.name)
            directory.parent.with_name("seen").unlink(missing_ok=True)
            excess -= size


def common() -> tuple[tuple[str, ...], ...]:
    """The sets that programs start with most often: few serve many, as a set serves all programs that include more."""
    lines = (_LINK / "common-headers.txt").read_text().splitlines()
    return ((ALL,), *(tuple(sorted(line.split())) for line in lines))


def include_lines(headers: Iterable[str]) -> bytes:
    return "".join(f"#include <{name}>\n" for name in headers).encode()


def leading_headers(text: bytes) -> dict[str, int]:
    """The standard headers that the program includes before anything else, with their lines, in order."""
    found: dict[str, int] = {}
    for name, begin, _ in _leading(text):
        if name not in found:
            found[name] = text.count(b"\n", 0, begin) + 1
    return found


def without(text: bytes, names: Collection[str]) -> bytes:
    """The program with white space where it begins by including these."""
    parts, at = [], 0
    for name, begin, end in _leading(text):
        if name in names:
            parts += [text[at:begin], b" " * (end - begin)]
            at = end
    return b"".join((*parts, text[at:]))


def _leading(text: bytes) -> list[tuple[str, int, int]]:
    """The leading includes of standard headers: the name, and where the line's part of it begins and ends."""
    found: list[tuple[str, int, int]] = []
    at = 0
    while True:
        while blank := _BLANK.match(text, at):
            at = blank.end()
        include = _INCLUDE.match(text, at)
        name = "" if include is None else include[1].decode("ascii", "replace").strip()
        if include is None or name not in _STANDARD:
            return [] if _SPLICE.search(text, 0, at) else found
        found.append((name, at, include.end()))
        at = include.end()


def _line(text: bytes, pattern: re.Pattern[bytes]) -> int:
    match = pattern.search(text)
    return 1 if match is None else text.count(b"\n", 0, match.start()) + 1


@lru_cache(1024)
def _included(header: str) -> tuple[str, ...]:
    """The headers of a set, whose name stands for them: they never change."""
    lines = Path(header).read_text().splitlines()
    return tuple(line[len("#include <") : -1] for line in lines)


def _header(directory: Path) -> Path:
    return directory / (LASTING_NAME if directory.parent.name == "sets" else ALL)


def _gch(header: Path) -> Path:
    return header.with_name(header.name + ".gch")


def _state(directory: Path) -> _State | None:
    return remembered(_State, directory / "state.json", lasting=lambda state: state.kind != "none")


def _usable(directory: Path) -> int:
    """Bytes of the PCH; 0: none, or damaged."""
    state = _state(directory)
    try:
        size = _gch(_header(directory)).stat().st_size
    except OSError:
        return 0
    return size if state is not None and state.kind != "none" and state.size_bytes == size else 0
