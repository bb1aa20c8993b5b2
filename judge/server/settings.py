"""The settings of `judge serve`: a TOML file, then JUDGE_SERVE_* of the environment, then options."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError, field_validator

from judge import languages
from judge.common import config
from judge.common.errors import ConfigError, LanguageError
from judge.common.fields import Strict, first_error
from judge.common.installed import installed_version
from problems.model import MIB

Compat = Literal["sandbox-fusion", "piston", "code-judge", "judge0", "go-judge", "open-instruct"]
COMPAT: tuple[Compat, ...] = get_args(Compat)
_PREFIX = "JUDGE_SERVE_"
#: In the environment their parts are separated by commas.
_LISTS = ("compat", "source_directories", "callback_hosts", "languages")


class Settings(Strict):
    """Each field is a key of the TOML file, and JUDGE_SERVE_<NAME> in the environment (lists by commas)."""

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    #: An SQLite file, or postgresql://… that several servers share; None: `server.sqlite` in the cache directory.
    database: str | None = Field(default=None, min_length=1)
    #: Seconds after which the other servers take over what a server that fell silent had begun.
    claim_seconds: float = Field(default=15.0, ge=1)
    #: Days after which a result is removed, and a batch as a whole; None: it is kept for ever.
    keep_days: float | None = Field(default=None, gt=0)
    #: TOML file with the API keys (`judge.server.guarding.keys`). None: whoever reaches the port may do everything.
    keys: Path | None = None
    #: Where each call is told: `stderr`, or a file, which is rotated at so many bytes and kept so many times more.
    audit: str | None = Field(default=None, min_length=1)
    audit_bytes: int = Field(default=64 * MIB, ge=1024)
    audit_files: int = Field(default=5, ge=0)
    #: Bytes of problem packages that clients have sent: in the database, and unpacked on the disk of each server.
    packages_bytes: int = Field(default=4096 * MIB, ge=1)
    #: A line on stderr for each judgement: `text` or `json`; None: warnings and errors only.
    log_format: Literal["text", "json"] | None = None
    #: Seconds that what has begun may take to end, when the server is asked to.
    drain_seconds: float = Field(default=1.0, ge=0)
    #: Whether to listen beyond loopback without keys.
    open: bool = False
    #: Rivals whose endpoints stand at the root path, too. All stand below /compat/<name>.
    compat: tuple[Compat, ...] = ()
    #: Who judges: the cores of this machine, or those of a Ray cluster, and its address. Programs without a problem run
    #: on this machine in either case.
    executor: Literal["local", "ray"] = "local"
    address: str | None = Field(default=None, min_length=1)
    slots: int | None = Field(default=None, ge=1)
    backend: str = "native"
    require: str | None = None
    memory_budget: int | None = Field(default=None, ge=1)
    #: The most that the wall limits of all that one judgement runs may add up to, without compiles and repeats.
    judgement_seconds: float = Field(default=86_400.0, gt=0)
    #: Accepted and not yet judged, of no batch; more is answered with 429.
    most_waiting: int = Field(default=10_000, ge=1)
    #: What `judge problems strength --json` printed: the page shows it with the problems.
    strength: Path | None = None
    #: Rows of one batch.
    most_rows: int = Field(default=1_000_000, ge=1)
    #: Bytes of one request.
    most_body: int = Field(default=64 * MIB, ge=1024)
    #: What clients of go-judge keep here: bytes of all files together, and seconds after which an unused one is gone.
    files_bytes: int = Field(default=256 * MIB, ge=0)
    files_seconds: float = Field(default=1800.0, gt=0)
    #: Directories of this machine whose files clients of go-judge may name as `src`.
    source_directories: tuple[Path, ...] = ()
    #: Hosts that clients of Judge0 may have results sent to, by name.
    callback_hosts: tuple[str, ...] = ()
    #: Where a row names no language, the fence of its completion may choose one of these, or of their families.
    languages: tuple[str, ...] = Field(default=config.CHOSEN_LANGUAGES, min_length=1)
    #: Seconds that a client may take to send one.
    body_seconds: float = Field(default=60.0, gt=0)

    @field_validator("compat")
    @classmethod
    def _share_no_path(cls, names: tuple[Compat, ...]) -> tuple[Compat, ...]:
        if {"code-judge", "go-judge"} <= set(names):
            raise ValueError("code-judge and go-judge both have /run: name one, and use the other below /compat/NAME")
        return names

    @field_validator("languages")
    @classmethod
    def _are_known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(languages.get(name).name for name in names)
        except LanguageError as error:
            raise ValueError(str(error)) from error

    @property
    def where(self) -> str | Path:
        """The database."""
        if self.database is None:
            return config.cache_directory() / "server.sqlite"
        return self.database if self.database.startswith(("postgresql:", "postgres:")) else Path(self.database)

    @property
    def loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read(path: Path | None, environment: Mapping[str, str], options: Mapping[str, Any]) -> Settings:
    """
    Raises:
        ConfigError: a source cannot be read, or a setting is unknown, wrong, or not safe.
    """
    values: dict[str, Any] = {}
    #: Which source each value is from, for messages.
    sources: dict[str, str] = {}
    if path is not None:
        try:
            values |= tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"settings {path}: {error.strerror}") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"settings {path}: {error}") from error
        sources |= dict.fromkeys(values, f"settings {path}")
    for name, text in environment.items():
        if name.startswith(_PREFIX):
            key = name.removeprefix(_PREFIX).lower()
            values[key] = [part for part in text.split(",") if part] if key in _LISTS else text
            sources[key] = f"{name} of the environment"
    given = {name: value for name, value in options.items() if value not in (None, ())}
    values |= given
    sources |= {name: f"--{name.replace('_', '-')}" for name in given}
    try:
        settings = Settings(**values)
    except ValidationError as error:
        source = sources.get(str(error.errors()[0]["loc"][0]), "settings")
        raise ConfigError(f"{source}: {first_error(error)}") from error
    if not settings.loopback and settings.keys is None and not settings.open:
        raise ConfigError(
            f"host {settings.host} can be reached from other machines: name a file of API keys (--keys), or say --open"
        )
    return settings


def read_version() -> str:
    """The version of this package."""
    return installed_version() or "unknown"


def environment() -> Mapping[str, str]:
    return os.environ
