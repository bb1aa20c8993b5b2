"""Problems that are held out: by name, or a share of all, by a hash of the name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from judge.common.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    names: frozenset[str] = frozenset()
    #: 0 to 1. A problem is in it or not, whatever else is in the file.
    share: float = 0.0
    seed: int = 0

    def __contains__(self, problem: str) -> bool:
        digest = hashlib.sha256(f"{self.seed}:{problem}".encode("utf-8", "surrogatepass")).digest()
        return problem in self.names or int.from_bytes(digest[:8]) < self.share * 2**64


NOTHING = HeldOut()


def names(path: Path) -> frozenset[str]:
    """Names of problems: one a line, or objects with `problem` or `problem_id`.

    Raises:
        ConfigError: it cannot be read, or a line is neither.
    """
    found = set()
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if text := line.strip():
                    found.add(_name(text, f"{path}:{number}"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    return frozenset(found)


def _name(line: bytes, where: str) -> str:
    try:
        if not line.startswith(b"{"):
            return line.decode()
        row = json.loads(line)
        found = row.get("problem") or row.get("problem_id")
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: neither a name nor JSON ({error})") from error
    if not isinstance(found, str):
        raise ConfigError(f"{where}: has neither `problem` nor `problem_id`")
    return found
