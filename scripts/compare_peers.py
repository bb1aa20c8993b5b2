"""Compares our verdicts with those of problemtools and BAPCtools.

    pip install problemtools bapctools
    python scripts/compare_peers.py                       # the whole library; takes an hour
    python scripts/compare_peers.py P1001 P5960 --bin ~/peers/bin

Each bundled problem is exported: to legacy Kattis for `verifyproblem`, to ICPC 2025-09 for `bt run`. Their verdicts on
the labelled submissions stand beside ours. They know fewer verdicts: MLE and OLE are RTE, PE and PC are WA. Problems
that a peer cannot know whole are left out. A difference for which `KNOWN` has the reason is "known": docs/packages.md
argues it. The exit code is 1 where another verdict differs, or where a peer should have judged and judged nothing.

BAPCtools measures CPU time, but kills by the clock: what it alone calls TLE runs there once more, with patience.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import problems
from judge import Judge, Judgement, languages
from judge.many.verify import Verified, verify
from problems.errors import ProblemError
from problems.exporting import export
from problems.model import Problem
from problems.writing.dump import scores

#: How both tools want packages to be called.
_SHORT = re.compile(r"[^a-z0-9]")
_SAME = {"RE": "RTE", "MLE": "RTE", "OLE": "RTE", "PE": "WA", "PC": "WA"}
_KATTIS = re.compile(
    r"^(?:\s+|ERROR )(\w+/\S+)(?: \(.*\))? (?:OK|OK with extra time|got)(?:: | )(AC|WA|TLE|RTE|MLE|OLE|JE)\b"
)
_BAPC = re.compile(r"^(\w+/\S+?):?\s+(AC|WA|TLE|RTE|MLE|OLE|CE|JUDGE_ERROR|VALIDATOR_CRASH)\b")
_SECONDS = 1200
#: How many times the time limit a program may take on a busy machine.
_PATIENCE = 20


def _output(command: list[str], directory: Path) -> list[str]:
    # The peers hand their environment to submissions. This variable would flush what these do not.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, cwd=directory, env=env, text=True, errors="replace", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as peer:  # fmt: skip
        try:
            said = "".join(peer.communicate(timeout=_SECONDS))
        except subprocess.TimeoutExpired as error:
            raise ProblemError(f"{command[0]} took more than {_SECONDS} s") from error
        finally:
            if peer.returncode is None:
                os.killpg(peer.pid, signal.SIGKILL)  # with the submission that it runs
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", said).splitlines()


def _found(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    return {found[1]: found[2] for line in lines if (found := pattern.match(line)) is not None}


def _verifyproblem(program: Path, package: Path, seconds: float, only: list[str]) -> Mapping[str, str]:
    command = [str(program), str(package), "-t", f"{seconds:g}", "-p", "validators", "data", "submissions"]
    if only:
        command += ["-s", f"^({'|'.join(map(re.escape, only))})$"]
    return _found(_output(command, package.parent), _KATTIS)


def _bt(program: Path, package: Path, seconds: float, only: list[str]) -> Mapping[str, str]:
    command = [str(program), "run", "--no-bar", "--no-generate", "--time-limit", f"{seconds:g}"]
    if only:
        command += ["--timeout", f"{math.ceil(_PATIENCE * seconds)}", *(f"submissions/{one}" for one in only)]
    return _found(_output(command, package), _BAPC)


def unknown_to_bt(problem: Problem) -> str | None:
    """What of a problem only judge.yaml says, or `bt` refuses."""
    kinds = (
        (problem.function, "functions that the judge calls"),
        (problem.manager, "submissions in several processes"),
        (problem.file_io, "input and output files"),
        (problem.grader, "files that are compiled with submissions"),
        (problem.kind == "submit-answer", "submissions that are outputs"),
        (scores(problem), "scores"),
    )
    return next((f"it does not know {words}" for there, words in kinds if there), None)


def unknown_to_problemtools(problem: Problem) -> str | None:
    """What a problem needs beside the text of version legacy. What that cannot hold, the export refuses."""
    return "it does not know passes in version legacy" if problem.passes > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    name: str
    command: str
    format: str
    #: Judges a package within a time limit in seconds: all its submissions, or those with the names.
    run: Callable[[Path, Path, float, list[str]], Mapping[str, str]]
    unknown: Callable[[Problem], str | None]


PEERS = (
    Peer(
        name="problemtools",
        command="verifyproblem",
        format="kattis",
        run=_verifyproblem,
        unknown=unknown_to_problemtools,
    ),
    Peer(name="BAPCtools", command="bt", format="icpc", run=_bt, unknown=unknown_to_bt),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    problem: str
    peer: str
    submission: str
    ours: str
    theirs: str
    same: bool
    #: Why it is not the same; None: nobody knows.
    known: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    rows: list[Row] = field(default_factory=list)
    #: Problems that were not compared, by peer and reason.
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Problems of which a peer should have judged something.
    silent: list[str] = field(default_factory=list)


def _python(ours: Judgement, theirs: str, limit_ns: int) -> bool:
    return ours.language == "python3" and "RTE" in (_SAME.get(ours.verdict, ours.verdict), theirs)


def _slower(ours: Judgement, theirs: str, limit_ns: int) -> bool:
    slow = max((test.cpu_ns or 0 for test in ours.tests), default=0) > limit_ns / 2
    return slow and theirs == "TLE" and ours.verdict != "TLE" and languages.get(ours.language).time_multiplier > 1


#: Differences that are known: the reason, and whether it explains our judgement and their verdict.
KNOWN: Mapping[str, Callable[[Judgement, str, int], bool]] = {
    "the files that it opens are standard streams here": lambda ours, theirs, _: (
        ours.freopen_neutralised > 0 and theirs in ("WA", "RTE")
    ),
    "Node cannot start in this address space there": lambda ours, theirs, _: (
        ours.language == "javascript" and theirs == "RTE"
    ),
    "output has no limit there": lambda ours, theirs, _: ours.verdict == "OLE" and theirs == "TLE",
    "PyPy runs it there, with another recursion limit and memory": _python,
    "its language has more time here": _slower,
}


def compare(judge: Judge, name: str, peer: Peer, program: Path, scratch: Path) -> tuple[list[Row], str | None]:
    """The verdicts that both gave, or why the problem was left out.

    Raises:
        ProblemError: the peer judged nothing, though it knows such problems.
    """
    place = scratch / peer.name / _SHORT.sub("", name.lower())
    with judge.build_tests(name) as problem:
        if (unknown := peer.unknown(problem)) is not None:
            return [], unknown
        try:
            export(problem, peer.format, place)
        except ProblemError as error:
            return [], f"not exported: {str(error).removeprefix(f'problem {name}: ')}"
    seconds = problem.limits.cpu_ns / 1e9
    theirs = dict(peer.run(program, place, seconds, []))
    if not theirs:
        raise ProblemError(f"problem {name}: {peer.name} judged nothing; run `{peer.command}` on its export to see why")
    ours = [
        (one.judgement, label)
        for one in verify(judge, name)
        if one.judgement is not None and (label := _label(one, theirs)) in theirs
    ]
    late = [label for mine, label in ours if theirs[label] == "TLE" and mine.verdict not in ("TLE", "OLE")]
    if late:
        theirs |= peer.run(program, place, seconds, late)
    shutil.rmtree(place)
    return [_row(mine, name, peer, label, theirs[label], problem.limits.cpu_ns) for mine, label in ours], None


def _label(one: Verified, theirs: Mapping[str, str]) -> str:
    """What the peer calls the submission."""
    label = one.name if not one.submission.files else "/".join(one.submission.path.parts[-3:-1])
    return label if label in theirs else label.removesuffix(".py")  # in a directory of its own, beside a grader


def _row(ours: Judgement, name: str, peer: Peer, label: str, theirs: str, limit_ns: int) -> Row:
    same = _SAME.get(ours.verdict, ours.verdict) == _SAME.get(theirs, theirs)
    why = None if same else next((why for why, explains in KNOWN.items() if explains(ours, theirs, limit_ns)), None)
    return Row(
        problem=name, peer=peer.name, submission=label, ours=str(ours.verdict), theirs=theirs, same=same, known=why
    )


def _compare_all(judge: Judge, names: list[str], peer: Peer, program: Path, report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="judge-peers-") as scratch:
        for number, name in enumerate(names, 1):
            try:
                rows, why = compare(judge, name, peer, program, Path(scratch))
            except ProblemError as error:
                report.silent.append(str(error))
                rows, why = [], str(error)
            else:
                report.rows.extend(rows)
                if why is not None:
                    report.left_out[peer.name, why] += 1
            said = why or f"{len(rows)} verdicts, {sum(not row.same for row in rows)} differ"
            print(f"{peer.name} {number}/{len(names)} {name}: {said}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("problems", nargs="*", help="names of bundled problems; none: all")
    parser.add_argument("--bin", type=Path, help="where verifyproblem and bt are, if not on the path")
    parser.add_argument("--only", choices=[peer.name for peer in PEERS], help="one of the peers")
    parser.add_argument("--json", action="store_true", help="print all verdicts as JSON")
    asked = parser.parse_args()
    names = asked.problems or list(problems.names())
    if unheard := sorted(set(names) - set(problems.names())):
        parser.error(f"no bundled problem is called {', '.join(unheard)}")
    report = Report()
    with Judge() as judge:
        for peer in [peer for peer in PEERS if asked.only in (None, peer.name)]:
            found = shutil.which(peer.command, path=str(asked.bin.absolute()) if asked.bin else None)
            if found is None:
                print(f"{peer.command} is not there: pip install problemtools bapctools", file=sys.stderr)
                return 2
            _compare_all(judge, names, peer, Path(found), report)
    if asked.json:
        print(json.dumps([asdict(row) for row in report.rows]))
    else:
        _print(report)
    return 1 if report.silent or any(not row.same and row.known is None for row in report.rows) else 0


def _print(report: Report) -> None:
    print("| peer | problems | verdicts | differ, known | differ |\n| --- | --- | --- | --- | --- |")
    for peer in PEERS:
        own = [row for row in report.rows if row.peer == peer.name]
        differing = Counter(row.known is not None for row in own if not row.same)
        compared = len({row.problem for row in own})
        print(f"| {peer.name} | {compared} | {len(own)} | {differing[True]} | {differing[False]} |")
    for row in sorted((row for row in report.rows if not row.same), key=lambda row: row.known or ""):
        print(
            f"{row.peer}: {row.problem} {row.submission}: {row.ours} here, {row.theirs} there: {row.known or 'UNKNOWN'}"
        )
    for (named, why), count in sorted(report.left_out.items()):
        print(f"{named}: {count} problems not compared: {why}")
    for error in report.silent:
        print(f"failed: {error}")


if __name__ == "__main__":
    sys.exit(main())
