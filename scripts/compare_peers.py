"""Compares our verdicts with those of problemtools and BAPCtools.

    pip install problemtools bapctools
    python scripts/compare_peers.py                       # the whole library; takes half an hour
    python scripts/compare_peers.py P1001 P5960 --bin ~/peers/bin

Each bundled problem is exported: to legacy Kattis for `verifyproblem`, to ICPC 2025-09 for `bt run`. Their verdicts on
the labelled submissions stand beside ours. They know fewer verdicts: MLE and OLE are RTE, PE and PC are WA. The exit
code is 1 where a verdict differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import problems
from judge import Judge
from judge.many.verify import verify
from problems.errors import ProblemError
from problems.exporting import export

#: How both tools want packages to be called.
_SHORT = re.compile(r"[^a-z0-9]")
_SAME = {"RE": "RTE", "MLE": "RTE", "OLE": "RTE", "PE": "WA", "PC": "WA"}
_KATTIS = re.compile(
    r"^(?:\s+|ERROR )(\w+/\S+)(?: \(.*\))? (?:OK|OK with extra time|got)(?:: | )(AC|WA|TLE|RTE|MLE|OLE|JE)\b"
)
_BAPC = re.compile(r"^(\w+/\S+?):?\s+(AC|WA|TLE|RTE|MLE|OLE|CE|JUDGE_ERROR|VALIDATOR_CRASH)\b")
_UNCOMPILED = re.compile(r"(?:Compile error for|Failed to compile) ?(\w+/\S+)?")
_SECONDS = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    name: str
    command: str
    format: str
    run: Callable[[Path, Path, float], Mapping[str, str]]


def _output(command: list[str], directory: Path) -> list[str]:
    # The peers hand their environment to submissions. This variable would flush what these do not.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    try:
        ran = subprocess.run(
            command, cwd=directory, env=env, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ProblemError(f"{command[0]} took more than {_SECONDS} s") from error
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", ran.stdout + ran.stderr).splitlines()


def _found(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    return {found[1]: found[2] for line in lines if (found := pattern.match(line)) is not None}


def _verifyproblem(program: Path, package: Path, seconds: float) -> Mapping[str, str]:
    parts = ["-p", "validators", "data", "submissions"]
    return _found(_output([str(program), str(package), "-t", f"{seconds:g}", *parts], package.parent), _KATTIS)


def _bt(program: Path, package: Path, seconds: float) -> Mapping[str, str]:
    command = [str(program), "run", "--no-bar", "--no-generate", "--time-limit", f"{seconds:g}"]
    return _found(_output(command, package), _BAPC)


PEERS = (
    Peer(name="problemtools", command="verifyproblem", format="kattis", run=_verifyproblem),
    Peer(name="BAPCtools", command="bt", format="icpc", run=_bt),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    problem: str
    peer: str
    submission: str
    ours: str
    theirs: str


def compare(judge: Judge, name: str, peer: Peer, program: Path, scratch: Path) -> tuple[list[Row], str | None]:
    """The verdicts that both gave, and why there are none."""
    place = scratch / peer.name / _SHORT.sub("", name.lower())
    with judge.built(name) as problem:
        try:
            export(problem, peer.format, place)
        except ProblemError as error:
            return [], f"not exported: {error}"
    theirs = peer.run(program, place, problem.limits.cpu_ns / 1e9)
    if not theirs:
        return [], "the peer judged nothing"
    rows = []
    for one in verify(judge, name):
        label = one.name if not one.submission.files else "/".join(one.submission.path.parts[-3:-1])
        if label not in theirs:
            label = label.removesuffix(".py")  # in a directory of its own, beside a grader
        if one.judgement is not None and label in theirs:
            ours = str(one.judgement.verdict)
            rows.append(Row(problem=name, peer=peer.name, submission=label, ours=ours, theirs=theirs[label]))
    return rows, None


def differs(row: Row) -> bool:
    return _SAME.get(row.ours, row.ours) != _SAME.get(row.theirs, row.theirs)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("problems", nargs="*", help="names of bundled problems; none: all")
    parser.add_argument("--bin", type=Path, help="where verifyproblem and bt are, if not on the path")
    parser.add_argument("--only", choices=[peer.name for peer in PEERS], help="one of the peers")
    parser.add_argument("--json", action="store_true", help="print all verdicts as JSON")
    asked = parser.parse_args()
    rows, reasons, compared = list[Row](), Counter[tuple[str, str]](), Counter[str]()
    with Judge() as judge, tempfile.TemporaryDirectory(prefix="judge-peers-") as scratch:
        for peer in [peer for peer in PEERS if asked.only in (None, peer.name)]:
            found = shutil.which(peer.command, path=str(asked.bin) if asked.bin else None)
            if found is None:
                print(f"{peer.command} is not there: pip install problemtools bapctools", file=sys.stderr)
                return 2
            for name in asked.problems or problems.names():
                got, why = compare(judge, name, peer, Path(found), Path(scratch))
                rows += got
                compared[peer.name] += bool(got)
                if why is not None:
                    reasons[peer.name, re.sub(r"problem \S+: ", "", why)] += 1
                bad = [row for row in got if differs(row)]
                print(f"{peer.name} {name}: {len(got)} verdicts, {len(bad)} differ", file=sys.stderr, flush=True)
                for row in bad:
                    print(f"  {row.submission}: {row.ours} here, {row.theirs} there", file=sys.stderr, flush=True)
    wrong = [row for row in rows if differs(row)]
    if asked.json:
        print(
            json.dumps(
                [{**{key: getattr(row, key) for key in Row.__slots__}, "same": not differs(row)} for row in rows]
            )
        )
    else:
        _print(rows, wrong, reasons, compared)
    return 1 if wrong else 0


def _print(rows: list[Row], wrong: list[Row], reasons: Counter[tuple[str, str]], compared: Counter[str]) -> None:
    print("| peer | problems | verdicts | differ |\n| --- | --- | --- | --- |")
    for peer in PEERS:
        own = [row for row in rows if row.peer == peer.name]
        differing = sum(row.peer == peer.name for row in wrong)
        print(f"| {peer.name} | {compared[peer.name]} | {len(own)} | {differing} |")
    for row in wrong:
        print(f"{row.peer}: {row.problem} {row.submission}: {row.ours} here, {row.theirs} there")
    for (named, why), count in sorted(reasons.items()):
        print(f"{named}: {count} problems: {why}")


if __name__ == "__main__":
    sys.exit(main())
