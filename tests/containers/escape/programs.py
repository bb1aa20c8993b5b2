"""The attacks as they are run: static executables, compiled once in a test session."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from judge.selftest.head import Attack
from judge.selftest.trial import INCLUDE
from judge.store.memfd import seal

NEIGHBOUR = Path(__file__).with_name("neighbour.c")
_FLAGS = ("-O1", "-w", "-static", "-pthread", "-I", str(INCLUDE))


class Programs:
    """Compiles on demand; gives descriptors, which it closes at the end."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._paths: dict[Path, Path] = {}
        self._fds: dict[Path, int] = {}

    def of(self, attack: Attack) -> int | None:
        """The executable; None: it is interpreted."""
        return None if attack.path.suffix == ".py" else self.made(attack.path)

    @property
    def neighbour(self) -> int:
        return self.made(NEIGHBOUR)

    def made(self, source: Path) -> int:
        """Its descriptor, as the judge keeps what it has compiled."""
        if source not in self._fds:
            self._fds[source] = seal("attack", self.path(source).read_bytes(), executable=True)
        return self._fds[source]

    def path(self, source: Path) -> Path:
        if source not in self._paths:
            compiler = "gcc" if source.suffix == ".c" else "g++"
            output = self._directory / f"{len(self._paths)}-{source.stem}"
            subprocess.run((compiler, *_FLAGS, "-o", output, source), check=True)
            self._paths[source] = output
        return self._paths[source]

    def close(self) -> None:
        for fd in self._fds.values():
            os.close(fd)
