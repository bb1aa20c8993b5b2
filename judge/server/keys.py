"""API keys: who may do what. The file holds hashes only:

[[key]]
name = "trainer"
sha256 = "…"                       # `judge serve --new-key trainer` prints a key and these lines
roles = ["submit"]                 # submit: have programs run; read: see hidden tests; admin: both, and all of it
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judge.common.errors import ConfigError

Role = Literal["submit", "read", "admin"]


class _Key(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=100)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    roles: tuple[Role, ...] = ("submit",)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    key: tuple[_Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks. What one caller stored, another sees only as an admin."""

    name: str
    roles: frozenset[Role]

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
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"keys {path}: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(f"keys {path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error

    @property
    def asked(self) -> bool:
        """Whether one needs a key."""
        return self._keys is not None

    def caller(self, authorization: str | None) -> Caller | None:
        """Who sent this header (`Bearer KEY`); None: nobody that we know. Takes as long for each key."""
        scheme, _, given = (authorization or "").partition(" ")
        found = self.known(digest(given))
        return found if scheme.casefold() == "bearer" or not self.asked else None

    def known(self, hashed: str) -> Caller | None:
        """Whose key has this digest; None: nobody's."""
        if self._keys is None:
            return ANYBODY
        known = [key for key in self._keys if hmac.compare_digest(key.sha256, hashed)]
        return Caller(name=known[0].name, roles=frozenset(known[0].roles)) if known else None


def digest(key: str) -> str:
    return hashlib.sha256(key.strip().encode("utf-8", "surrogatepass")).hexdigest()


def new_key(name: str) -> tuple[str, str]:
    """A new key, and the lines for the file of keys."""
    key = secrets.token_urlsafe(32)
    digest = hashlib.sha256(key.encode()).hexdigest()
    return key, f'[[key]]\nname = "{name}"\nsha256 = "{digest}"\nroles = ["submit"]\n'
