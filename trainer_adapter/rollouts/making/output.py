"""The file of rollouts that a run makes, and goes on with after it was broken off.

rollouts.jsonl               a row for each rollout, in any order
rollouts.jsonl.settings.json what decides the rows: a run with other settings is refused
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judge.common.errors import ConfigError
from judge.store.appended import AppendedLines
from trainer_adapter.rollouts.making.requests import SampleRequest
from trainer_adapter.rollouts.row import Rollout, parse

Settings = Mapping[str, Any]


class RolloutFile:
    """The file, locked for this process; knows which rows it holds already."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """
        Raises:
            ConfigError: the file was made with other settings, it holds something else, or another run writes it.
            OSError: it cannot be read or written.
        """
        self.path = path
        #: Rows that earlier runs wrote; how many of them were accepted, and how many could not be judged.
        self.before = self.accepted_before = self.failed_before = 0
        self._ids = set[str]()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines = AppendedLines(path, "judge-train rollout")
        try:
            self._settle(_plain(settings))
            for number, line in self._lines.whole():
                self._know(number, line)
        except BaseException:
            self._lines.close()
            raise

    @property
    def record(self) -> Path:
        return self.path.with_name(f"{self.path.name}.settings.json")

    def _settle(self, settings: dict[str, Any]) -> None:
        if self._lines.size:
            before = self._read_recorded()
            if differ := list(differences(before, settings)):
                raise ConfigError(
                    f"{self.path} was made with other settings: {'; '.join(differ)}; give those, or name another file"
                )
            return
        temporary = self.record.with_name(f".{self.record.name}.{os.getpid()}")
        temporary.write_text(json.dumps(settings, indent=1, ensure_ascii=False) + "\n", "utf-8")
        temporary.replace(self.record)  # before the first row

    def _read_recorded(self) -> dict[str, Any]:
        try:
            found = json.loads(self.record.read_bytes())
        except FileNotFoundError:
            found = None
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{self.record} is no record of settings ({error}); name another file") from error
        if not isinstance(found, dict):
            raise ConfigError(f"{self.path} holds something, and {self.record} does not say what; name another file")
        return found

    def _know(self, number: int, line: bytes) -> None:
        rollout = next(parse((line,), f"{self.path}, line {number}"), None)
        if rollout is not None and rollout.id is not None:
            self._ids.add(rollout.id)
            self.before += 1
            self.accepted_before += rollout.accepted
            self.failed_before += not rollout.judged

    def __contains__(self, request: SampleRequest) -> bool:
        return request.id in self._ids

    def write(self, rollout: Rollout) -> None:
        self._lines.append(rollout.line().encode(errors="backslashreplace"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._lines.close()


def differences(before: Settings, now: Settings, name: str = "") -> Iterator[str]:
    """What differs, in words, by name."""
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{name}{key}.")
        elif old != new:
            yield f"{name}{key} is {_shorten(old)} there, and {_shorten(new)} now"


def _shorten(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(settings: Settings) -> dict[str, Any]:
    """As it is read again."""
    found: dict[str, Any] = json.loads(json.dumps(settings))
    return found
