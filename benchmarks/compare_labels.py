#!/usr/bin/env python3
"""How many labelled submissions of real packages get a verdict that their label allows, and why the others do not.

    python benchmarks/compare_labels.py ~/packages -o found.jsonl              # every package below; resumes
    python benchmarks/compare_labels.py ~/packages -o found.jsonl --table      # only the table of what is known

Each package below the folder (a directory with problem.yaml and tests) goes through `judge problems verify --json`. Its
answer is a line of the output, so that a run that was stopped goes on where it was. Packages are never changed.

strict agreement    as labelled, of the submissions that this machine can judge
cause               what was expected and what was got, a language that is not here, or why a package is refused
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_JUDGE = Path(sys.executable).with_name("judge")


def packages(folder: Path) -> Iterator[Path]:
    """The packages below a folder that hold tests, those with few bytes and submissions first."""
    found = [path.parent for path in folder.rglob("problem.yaml")]
    yield from sorted((one for one in found if _size(one)), key=lambda one: (_size(one), one))


def _size(package: Path) -> int:
    """A guess at how long it takes."""
    data = sum(path.stat().st_size for path in (package / "data" / "secret").rglob("*.in") if path.is_file())
    return data * sum(1 for path in (package / "submissions").rglob("*") if path.is_file())


def verified(package: Path, timeout_s: int, jobs: str) -> dict[str, Any]:
    """What `judge problems verify` says of one package."""
    try:
        done = subprocess.run(
            [_JUDGE, "problems", "verify", package, "--json", "-j", jobs],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env=os.environ | {"NO_COLOR": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"problem": str(package), "error": f"not done in {timeout_s} s"}
    try:
        found: dict[str, Any] = json.loads(done.stdout)[0]
    except (ValueError, IndexError):
        return {"problem": str(package), "error": f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"}
    return {**found, "problem": str(package)}


def cause_of(submission: dict[str, Any]) -> str | None:
    """Why a submission is not as labelled; None: it is."""
    if submission["missing"]:
        return f"not judged: {submission['missing'].partition(';')[0][:70]}"
    if submission["complaint"] is None:
        return None
    label = submission["name"].partition("/")[0]
    return f"{label}: expected {' '.join(submission['expected'])}, got {submission['verdict']}"


def refusal_of(error: str, package: str) -> str:
    """A refused package's reason, without what is this package's own."""
    return re.sub(r"[^\s:]*/", "", error.replace(package, ""))[:100]


def table_of(rows: Iterable[dict[str, Any]]) -> str:
    rows = list(rows)
    judged = [row for row in rows if "error" not in row]
    submissions = [submission for row in judged for submission in row["submissions"]]
    causes = Counter(cause_of(submission) for submission in submissions)
    right = causes.pop(None, 0)
    here = right + sum(count for cause, count in causes.items() if not str(cause).startswith("not judged"))
    lines = [
        f"{len(rows)} packages, {len(judged)} judged, {len(submissions)} labelled submissions, {here} judged here",
        f"as labelled: {right} of {here} ({100 * right / max(1, here):.1f} %)",
    ]
    lines += [f"{count:6} {cause}" for cause, count in causes.most_common()]
    refused = Counter(refusal_of(row["error"], row["problem"]) for row in rows if "error" in row)
    return "\n".join([*lines, *(f"{count:6} refused: {reason}" for reason, count in refused.most_common())])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--table", action="store_true", help="judge nothing more")
    parser.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help="for one package")
    parser.add_argument("--most", type=int, default=sys.maxsize, metavar="N", help="of packages")
    parser.add_argument("--only", default="", metavar="TEXT", help="packages whose path holds this")
    parser.add_argument("-j", "--jobs", default="1", metavar="N", help="slots, as of judge problems verify")
    given = parser.parse_args()
    known = {}
    if given.output.is_file():
        known = {row["problem"]: row for row in map(json.loads, given.output.read_text().splitlines())}
    waiting = [path for path in packages(given.folder) if given.only in str(path) and str(path) not in known]
    if not given.table:
        with given.output.open("a", encoding="utf-8") as output:
            for package in waiting[: given.most]:
                row = known[str(package)] = verified(package, given.timeout, given.jobs)
                output.write(json.dumps(row, ensure_ascii=False) + "\n")
                output.flush()
    print(table_of(known.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
