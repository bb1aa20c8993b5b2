"""Makes and chooses precompiled headers (PCH): the libraries that programs include first, parsed and instantiated once.

    headers/<compiler>/<flags>/
    ├── bits/stdc++.h            includes the real one; found by -I
    ├── bits/stdc++.h.gch        made at first use
    ├── seen                     how often each set was wanted: one byte for each, at an offset that its hash gives.
    │                            (Programs choose their sets, so a file for each could become any number of files)
    └── sets/<hash>/             one set of standard headers (or of `ALL` and some of ext/), made by `judge cache warm`
        │                        or when it was wanted `SIGHTINGS` times
        ├── headers.h            its #include lines: what g++ reads if the .gch cannot be used
        └── headers.h.gch
    (state.json beside each .gch: how it was made, or that there is none)

A PCH never changes what a program means:

- ``bits/stdc++.h`` is found by ``-I``. g++ uses its PCH only if nothing that could matter precedes the #include (a
  macro whose name the header uses, a token, a pragma). Otherwise it reads the real header, which is next on its path.
- A set is given by ``-include``, and only if all its headers are among the leading ``#include <…>`` lines (only white
  space and comments before or between them): those headers are read first anyway. The order of standard headers does
  not matter, so sets are sorted.
- clang++ takes a PCH by ``-include`` alone. So `ALL` is a set there, too. It has an option to instantiate.
- If an error may come from the PCH itself (`FAILURES`), the compiler runs again without it.
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
from judge.common.strict import read_remembered
from judge.compiling.linker import COMPILE_ARGUMENTS, Linking, link_source
from judge.compiling.toolchain import TINY, Toolchain, works
from judge.languages import Language
from judge.store.directory import Directory, make_below, write_atomically, writing

_log = logging.getLogger(__name__)

ALL = "bits/stdc++.h"
#: A set is made when it was wanted so often. Making it takes as long as it saves in some six compiles, and 30 MB.
SIGHTINGS = 6
#: Limits of all sets of all compilers together: size and number. The set that was unused for longest is dropped first.
_SETS_LIMIT_BYTES = 1024**3
_MOST_SETS = 256
#: No compile takes so long: a compiler that was given a set has read it by then.
_READ_S = 3600.0
_SEEN_BYTES = 1 << 16

#: Messages that may be the PCH's fault, not the program's: the PCH was damaged or could not be mapped, the compiler
#: crashed, or the program specialises a template that the PCH has instantiated.
FAILURES = re.compile(rb"internal compiler error|submit a bug report|PCH|precompiled|after instantiation")

#: Name of the header while a PCH is built. It shows in "included from" lines, where `Use.lines` undoes it. For clang++
#: the header has its lasting name and place, because clang++ looks for it whenever the PCH is used.
BUILD_NAME = "judge-headers.h"
LASTING_NAME = "headers.h"

_LINK = Path(__file__).parent / "link"
#: Headers whose order does not matter. link/standard-headers.txt lists them.
_STANDARD = frozenset((_LINK / "standard-headers.txt").read_text().split())
#: What may stand before or between leading includes, and one such include alone on its line.
_BLANK = re.compile(rb"\s+|//[^\n]*(?:\n|\Z)|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(rb"#[ \t]*include[ \t]*<([^>\n]+)>[ \t]*(?:/\*[^\n]*?\*/[ \t]*)?(?=\r?\n|//|\Z)")
#: A line splice (or its trigraph), which could hide the end of a comment. Programs with one get no set.
_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t\r]*\n")
_MENTIONS_ALL = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]bits/stdc\+\+\.h[>\"]", re.MULTILINE)

Kind = Literal["instantiated", "plain", "none"]

#: Content of the file beside the .gch of `ALL`. g++ reads it if the program includes the header a second time.
_GO_ON = b"#include_next <bits/stdc++.h>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """How a PCH was made."""

    kind: Kind
    #: A .gch of another size is damaged.
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How one compile uses a PCH, with the compiler's arguments; empty: it uses none."""

    arguments: tuple[str, ...] = ()
    #: The header of the PCH, if a held compiler can read it before it knows the program.
    header: Path | None = None
    #: The program's leading includes that the PCH replaces.
    covers: frozenset[str] = frozenset()
    #: Line of the build's header -> line of the program that includes the same header.
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
        """The best PCH for this program; builds it if it pays. If there are other sources in the same command (not
        `alone`), a set does not fit all of them: then only bits/stdc++.h by -I, which g++ takes or leaves for each."""
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

    def make(self, headers: tuple[str, ...]) -> Kind:
        """Build the PCH of these standard headers now, if there is none. Returns its kind."""
        directory = self.directory if headers == (ALL,) and not self._clang else self._set_directory(headers)
        self._ready(directory, headers)
        state = _state(directory)
        return "none" if state is None else state.kind

    def _best_set(self, leading: Mapping[str, int]) -> Use:
        exact = tuple(sorted(leading))
        if ALL in leading:  # it includes all others but ext/
            exact = (ALL, *(name for name in exact if name.startswith("ext/")))
        if not exact or (exact == (ALL,) and not self._clang):
            return Use()
        directory = self._set_directory(exact)
        if exact == (ALL,) or self._count_sighting(directory) >= SIGHTINGS:
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
                    yield directory, _read_set(f"{directory}/{LASTING_NAME}")

    def _set_directory(self, headers: tuple[str, ...]) -> Path:
        return self.directory / "sets" / hashlib.sha256(" ".join(headers).encode()).hexdigest()[:16]

    def _count_sighting(self, directory: Path) -> int:
        """How often the set was wanted, with this time. Two sets that share a byte are made a little early."""
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
        """Whether there is a PCH now. Builds it if nobody has tried yet and the cache can be written."""
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
        """From the header's lasting place. Without its timestamp, because every use of a set touches the header."""
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
        """Whether a program compiled with the PCH does what it should. g++ must not ignore the PCH."""
        whole = directory == self.directory
        arguments: tuple[str, ...] = ("-I", str(directory)) if whole else ("-include", str(_header(directory)))
        if not self._clang:  # clang++ never ignores one
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
        """Drop the sets that were unused for longest. A set that was used a moment ago keeps its headers.h, because a
        compiler may be about to read it. After a drop we count all sets from 0 again: programs that want ever new sets
        would otherwise have each of them made at once."""
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
    """The sets that programs include most often. A set also serves programs that include more than it holds."""
    lines = (_LINK / "common-headers.txt").read_text().splitlines()
    return ((ALL,), *(tuple(sorted(line.split())) for line in lines))


def include_lines(headers: Iterable[str]) -> bytes:
    return "".join(f"#include <{name}>\n" for name in headers).encode()


def leading_headers(text: bytes) -> dict[str, int]:
    """The standard headers that the program includes before anything else, in order: name -> line number."""
    found: dict[str, int] = {}
    for name, begin, _ in _leading(text):
        if name not in found:
            found[name] = text.count(b"\n", 0, begin) + 1
    return found


def without(text: bytes, names: Collection[str]) -> bytes:
    """The program with its leading includes of these headers replaced by white space."""
    parts, at = [], 0
    for name, begin, end in _leading(text):
        if name in names:
            parts += [text[at:begin], b" " * (end - begin)]
            at = end
    return b"".join((*parts, text[at:]))


def _leading(text: bytes) -> list[tuple[str, int, int]]:
    """The leading includes of standard headers: (name, start, end) of each directive."""
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
def _read_set(header: str) -> tuple[str, ...]:
    """The headers of a set. They never change: the directory's name is their hash."""
    lines = Path(header).read_text().splitlines()
    return tuple(line[len("#include <") : -1] for line in lines)


def _header(directory: Path) -> Path:
    return directory / (LASTING_NAME if directory.parent.name == "sets" else ALL)


def _gch(header: Path) -> Path:
    return header.with_name(header.name + ".gch")


def _state(directory: Path) -> _State | None:
    return read_remembered(_State, directory / "state.json", lasting=lambda state: state.kind != "none")


def _usable(directory: Path) -> int:
    """Size of the PCH in bytes; 0: there is none, or it is damaged."""
    state = _state(directory)
    try:
        size = _gch(_header(directory)).stat().st_size
    except OSError:
        return 0
    return size if state is not None and state.kind != "none" and state.size_bytes == size else 0
