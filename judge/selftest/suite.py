"""Runs the attacks and a few honest programs on this machine as submissions run: `judge selftest`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from containers import ContainerError, File, Isolation, Sandbox, Unavailable
from judge.common import config
from judge.common.errors import LanguageError
from judge.common.models import Submission, Verdict
from judge.compiling.compiler import Compiler
from judge.languages import for_path, get
from judge.many.pool import Judge
from judge.selftest import head, trial
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from judge.slots.stoppable import open_stoppable
from judge.store.cache import Cache

_HERE = Path(__file__).parent
_HEADER = "attack.h"
_PROBLEM = {
    "problem.yaml": "problem_format_version: 2025-09\nname: sum\nuuid: 0f7f0b1e-6a1c-5c0e-9d1f-3f1d1b8f2a57\n"
    "limits: {time_limit: 1, memory: 256, output: 64}\n",
    "statement/problem.en.md": "Print the sum of two integers.\n",
    "data/secret/1.in": "123456789012 -9876543210\n",
    "data/secret/1.ans": "113580245802\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One attack, or (`kind` "honest") one honest program."""

    kind: str
    name: str
    tries: str
    #: What went wrong, in words; empty: the attack was contained, the honest program accepted.
    found: tuple[str, ...] = ()
    #: Why it was not run.
    skipped: str | None = None


class Selftest:
    """A context manager that plants the canaries on entering, and removes them at the end."""

    def __init__(self, backend: str, require: str | None) -> None:
        self._backend, self._require = backend, require

    def __enter__(self) -> Selftest:
        with ExitStack() as undo:
            self._canaries = undo.enter_context(Canaries())
            self._cache = Cache()
            self._hide = (*config.hidden_directories(self._cache.directory), *self._canaries.hide)
            self._compiler = Compiler(cache=self._cache)
            self._sandbox = self._open()
            undo.callback(self._close)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    @property
    def isolation(self) -> Isolation:
        return self._sandbox.isolation

    def run(self) -> Iterator[Tried]:
        """Run everything, one after another.

        Raises:
            Unavailable: the sandbox cannot be opened again after it failed.
        """
        for attack in head.load(_HERE / "attacks"):
            yield self._attack(attack)
        with tempfile.TemporaryDirectory(prefix="judge-selftest-") as directory:
            yield from self._honest(Path(directory))

    def _close(self) -> None:
        self._sandbox.close()

    def _open(self) -> Sandbox:
        return open_stoppable(self._backend, require=self._require, hide=self._hide)

    def _attack(self, attack: Attack) -> Tried:
        skipped, found = None, []
        before = self._canaries.state()
        self._canaries.find_reached()
        try:
            found = self._try_compile(attack) if attack.kind == "compile" else self._ran(attack)
        except (Unavailable, LanguageError) as error:
            skipped = str(error)
        except ContainerError as error:
            found = [f"the sandbox failed: {error}"]
            self._close()
            self._sandbox = self._open()
        after = self._canaries.state()
        found += [f"the canary {name} was changed" for name in before if before[name] != after[name]]
        found += [f"it reached the socket {name}" for name in self._canaries.find_reached()]
        name = attack.path.stem.replace("_", " ")
        return Tried(kind=attack.kind, name=name, tries=attack.tries, found=tuple(found), skipped=skipped)

    def _ran(self, attack: Attack) -> list[str]:
        stdin = self._canaries.lines(neighbour=os.getpid())
        if attack.path.suffix == ".py":
            return trial.weaknesses(attack, trial.run(attack, None, self._sandbox, stdin), self._canaries)
        header = File(name=_HEADER, content=(trial.INCLUDE / _HEADER).read_bytes())
        text, language = attack.path.read_bytes(), get(attack.language)
        compiled = self._compiler.compile(text, language, self._sandbox, extra=(header,), wrap_freopen=False)
        if compiled.program is None:
            return [f"it does not compile here: {compiled.result.output[:500]}"]
        with compiled.program as program:
            outcome = trial.run(attack, program.executable, self._sandbox, stdin)
        return trial.weaknesses(attack, outcome, self._canaries)

    def _try_compile(self, attack: Attack) -> list[str]:
        text = self._canaries.fill(attack.path.read_bytes())
        compiled = self._compiler.compile(text, get(attack.language), self._sandbox)
        found = []
        if compiled.program is not None:
            with compiled.program as program:
                executable = (
                    b"" if program.executable is None else Path(f"/proc/self/fd/{program.executable}").read_bytes()
                )
            found += [f"the secret of {name} is in the program" for name in self._canaries.find_leaks(executable)]
        words = compiled.result.output.encode()
        found += [f"the secret of {name} is in the compiler's words" for name in self._canaries.find_leaks(words)]
        if compiled.result.verdict not in attack.expect:
            found.append(f"the compiler said {compiled.result.verdict}, not {' or '.join(sorted(attack.expect))}")
        return found

    def _honest(self, directory: Path) -> Iterator[Tried]:
        for name, text in _PROBLEM.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text)
        with Judge(slots=1, backend=self._backend, require=self._require) as judge:
            for path in sorted((_HERE / "honest").glob("*.*")):
                yield _try_accepted(judge, path, directory)


def _try_accepted(judge: Judge, path: Path, problem: Path) -> Tried:
    shows = next(value for _, _, value in head.comments(path))
    skipped, found = None, []
    try:
        submission = Submission(source=path.read_bytes(), problem=problem, language=for_path(path).name)
        judgement = judge.judge(submission)
    except (Unavailable, LanguageError) as error:
        skipped = str(error)
    else:
        if judgement.verdict is not Verdict.AC:
            why = judgement.error or next((test.detail for test in judgement.tests), "")
            found = [f"{judgement.verdict} instead of AC: {why}"]
    return Tried(kind="honest", name=path.name, tries=shows, found=tuple(found), skipped=skipped)
