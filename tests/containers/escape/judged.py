"""Attacks on the verdict: programs that are judged, on problems of their own.

    judged/<class>/*        the programs
    problems/*              what they are judged on
    naive.py                the judge that they are to fool: their control

Their head is that of `judge.selftest.head`, with other keys:

    Tries, Control          as there
    Problem: sum            a directory of problems/, or `large`: `sum` with 20 MB of blank lines in each input
    Verdict: WA RE          the verdicts that are permitted
    Tests: all              goes on after the first failure: what it leaves for later tests matters
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from judge import Options, Stop, Submission, Verdict
from judge.selftest.head import LANGUAGES, comments, control

HERE = Path(__file__).parent
PROBLEMS = HERE / "problems"
#: Of `sum`: an honest program in each language, and one that takes its time.
HONEST = PROBLEMS / "sum/submissions/accepted"
_CPU_NS = 300_000_000
_KEYS = {"Tries", "Control", "Problem", "Verdict", "Tests"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    path: Path
    #: cheating | robustness
    kind: str
    tries: str
    #: Why the naive judge is not tried on it; None: it is.
    no_control: str | None
    problem: str
    permitted: frozenset[Verdict]
    all_tests: bool

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.path.name}"

    def submission(self, problem: Path) -> Submission:
        return submission(self.path, problem)

    @property
    def options(self) -> Options:
        # Where TLE is right, confirming it only costs time; elsewhere it is the machine's load.
        confirm = Verdict.TLE not in self.permitted
        return Options(cpu_ns=_CPU_NS, confirm_tle=confirm, stop=Stop.NEVER if self.all_tests else Stop.FIRST_FAILURE)


def load() -> list[Judged]:
    return [_read(path) for path in sorted((HERE / "judged").glob("*/*")) if path.name != "__pycache__"]


def _read(path: Path) -> Judged:
    head = {key: value for _, key, value in comments(path)}
    assert {"Tries", "Control", "Problem", "Verdict"} <= head.keys() <= _KEYS, f"{path}: {sorted(head)}"
    return Judged(
        path=path,
        kind=path.parent.name,
        tries=head["Tries"],
        no_control=control(head["Control"]),
        problem=head["Problem"],
        permitted=frozenset(map(Verdict, head["Verdict"].split())),
        all_tests=head.get("Tests") == "all",
    )


def submission(path: Path, problem: Path, *, nonce: bytes = b"") -> Submission:
    return Submission(source=path.read_bytes() + nonce, problem=problem, language=LANGUAGES[path.suffix])


def package(name: str, directory: Path) -> Path:
    """The problem; `large` is made in `directory`, once."""
    if name != "large":
        return PROBLEMS / name
    made = directory / "large"
    if not made.exists():
        shutil.copytree(PROBLEMS / "sum", made)
        for given in made.glob("data/secret/*.in"):
            given.write_bytes(given.read_bytes() + b"\n" * 20_000_000)
    return made
