"""API keys: who may do what. The file holds hashes only:

[[key]]
name = "trainer"
sha256 = "…"                       # `judge serve --new-key trainer` prints a key and these lines
roles = ["submit"]                 # submit: have programs run; read: see hidden tests; admin: both, and all of it
requests_per_minute = 600          # and what `Limits` says; without a line there is no such limit
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from judge.common.errors import ConfigError
from judge.common.fields import Strict, first_error

Role = Literal["submit", "read", "admin"]


class Limits(Strict):
    """What a key may use at most; None: as much as there is. Keys with the same name use it together."""

    requests_per_minute: int | None = Field(default=None, ge=1)
    #: Rows accepted and without a result, those of batches, too.
    most_waiting: int | None = Field(default=None, ge=1)
    #: CPU time of compiles and runs (of a run that sleeps: all its time), since the hour (or, of UTC, the day) began.
    cpu_seconds_per_hour: float | None = Field(default=None, gt=0)
    cpu_seconds_per_day: float | None = Field(default=None, gt=0)

    @property
    def of_cpu(self) -> bool:
        return self.cpu_seconds_per_hour is not None or self.cpu_seconds_per_day is not None


_UNLIMITED = Limits()


class _Key(Limits):
    name: str = Field(min_length=1, max_length=100)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    roles: tuple[Role, ...] = ("submit",)

    @property
    def limits(self) -> Limits:
        return Limits(**{name: getattr(self, name) for name in Limits.model_fields})


class _File(Strict):
    key: tuple[_Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks. What one caller stored, another sees only as an admin."""

    name: str
    roles: frozenset[Role]
    limits: Limits = _UNLIMITED

    def may(self, role: Role) -> bool:
        return role in self.roles or "admin" in self.roles


#: Where no keys are asked for.
ANYBODY = Caller(name="", roles=frozenset({"admin"}))


class Keys:
    def __init__(self, path: Path | None) -> None:
        """
        Raises:
            ConfigError: the file cannot be read, or a key in it is wrong.
        """
        self._keys: tuple[_Key, ...] | None = None
        if path is None:
            return
        try:
            self._keys = _File(**tomllib.loads(path.read_text(encoding="utf-8"))).key
        except OSError as error:
            raise ConfigError(f"keys {path}: {error.strerror}; `judge serve --new-key NAME` makes a key") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"keys {path}: {error}") from error
        except ValidationError as error:
            raise ConfigError(f"keys {path}: {first_error(error)}") from error

    @property
    def asked(self) -> bool:
        """Whether one needs a key."""
        return self._keys is not None

    def caller(self, authorization: str | None) -> Caller | None:
        """Who sent this header (`Bearer KEY`); None: nobody that we know. Takes as long for each key."""
        if self._keys is None:
            return ANYBODY
        scheme, _, key = (authorization or "").partition(" ")
        found = self.find_caller(digest(key))
        return found if scheme.casefold() == "bearer" else None

    def find_caller(self, hashed: str) -> Caller | None:
        """Whose key has this digest; None: nobody's."""
        if self._keys is None:
            return ANYBODY
        known = [key for key in self._keys if hmac.compare_digest(key.sha256, hashed)]
        if not known:
            return None
        return Caller(name=known[0].name, roles=frozenset(known[0].roles), limits=known[0].limits)

    def limits(self, name: str) -> Limits:
        """Those of the keys with this name."""
        return next((key.limits for key in self._keys or () if key.name == name), _UNLIMITED)


def digest(key: str) -> str:
    return hashlib.sha256(key.strip().encode("utf-8", "surrogatepass")).hexdigest()


def find_key(headers: Mapping[str, str]) -> str | None:
    """The header with the key, as `Keys.caller` takes it."""
    token = headers.get("x-auth-token")  # as Judge0's clients send it
    return headers.get("authorization") or (f"Bearer {token}" if token else None)


def new_key(name: str) -> tuple[str, str]:
    """A new key, and the lines for the file of keys."""
    key = secrets.token_urlsafe(32)
    return key, f'[[key]]\nname = "{name}"\nsha256 = "{digest(key)}"\nroles = ["submit"]\n'
