"""The tables of docs/attack-report.md, from what tests/containers/escape recorded: see attack-report.sh.

python scripts/attack_report.py [-o FILE] RECORD ...
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from judge.selftest.head import CLASSES  # noqa: E402
from tests.containers.variants import VARIANTS  # noqa: E402

_LANGUAGES = {".c": "C", ".cpp": "C++", ".py": "Python"}
_VERSIONS = (("gcc", "--version"), ("python3", "--version"), ("nsjail", "--version"), ("docker", "--version"))


@dataclass(slots=True, kw_only=True)
class Row:
    """One attack or honest program."""

    tries: str = ""
    control: str = "—"
    #: By variant: what a cell says.
    cells: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Found:
    attacks: dict[str, Row] = field(default_factory=dict)
    benign: dict[str, Row] = field(default_factory=dict)
    #: (name, variant, what went wrong)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def variants(self) -> list[str]:
        seen = {variant for row in (*self.attacks.values(), *self.benign.values()) for variant in row.cells}
        order = [f"{name}{suffix}" for suffix in ("", _USER) for name in VARIANTS]
        return sorted(seen, key=order.index)


#: Of a tier that root and an ordinary user may have.
_USER = ", not root"


def read(paths: Iterable[Path]) -> Found:
    found = Found()
    for path in paths:
        for line in path.read_text().splitlines():
            _add(found, json.loads(line))
    return found


def _add(found: Found, record: dict[str, Any]) -> None:
    name = record.get("attack") or record["benign"]
    row = (found.attacks if "attack" in record else found.benign).setdefault(name, Row())
    row.tries = record.get("tries") or record.get("shows") or row.tries
    if "control" in record:
        # One that root alone can try is skipped, not recorded, for others.
        row.control = _worst(row.control, record["control"])
        if row.control == _BROKEN:
            found.wrong.append((name, "outside", "the control does not work"))
        return
    variant = record["variant"].partition("/")[2]
    if not record["root"] and not variant.startswith("restricted-user"):
        variant += _USER
    if "benign" in record:
        row.cells[variant] = record["verdict"]
        if record["verdict"] != "AC":
            found.wrong.append((name, variant, f"the verdict is {record['verdict']}"))
        return
    row.cells[variant] = _cell(record)
    if record["found"] or record["side_effects"]:
        what = "not contained" if record["found"] else "side effects"
        found.wrong.append((name, variant, what))


_BROKEN = "DOES NOT WORK"


def _worst(one: str, other: str) -> str:
    return _BROKEN if _BROKEN in (one, other) else other


def _cell(record: dict[str, Any]) -> str:
    if record["found"]:
        return "**ESCAPED**"
    if record["side_effects"]:
        return "**side effects**"
    ended = str(record["termination"]).removeprefix("compile: ")
    return "held" if record["result"] == "held" and ended == "exited" else ended


def report(found: Found) -> str:
    variants = found.variants
    pairs = sum(len(row.cells) for row in found.attacks.values())
    controls = Counter("no" if row.control.startswith("no: ") else row.control for row in found.attacks.values())
    lines = [
        "# Attack report",
        "",
        "Made by `scripts/attack-report.sh`: every program of `tests/containers/escape` and `judge selftest`, on every",
        "tier and backend that the machine granted, with its control: the same program outside, where what it tries",
        "works.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {_machine()}",
        "",
        f"**{len(found.attacks)} attacks, {pairs} pairs of attack and variant: {_count(found, found.attacks)}. "
        f"{len(found.benign)} honest programs, {sum(len(row.cells) for row in found.benign.values())} pairs: "
        f"{_count(found, found.benign)}.**",
        f"Controls: {controls['works']} work, {controls['no']} would not be safe or possible, "
        f"{controls[_BROKEN]} do not work; {controls['—']} were not run.",
        "",
        "After each attack these are looked at: a neighbour that ran meanwhile, an honest run in the same slot (its",
        "output, its directory), canary files, environment, descriptors and sockets. So are the process table, mounts,",
        "cgroups, shared memory, the disk and the host name. What differs is a side effect.",
        "",
    ]
    if found.wrong:
        lines += ["## What went wrong", "", "| program | where | what |", "|---|---|---|"]
        lines += [f"| {name} | {variant} | {what} |" for name, variant, what in dict.fromkeys(found.wrong)] + [""]
    lines += _mechanisms(found)
    lines += [
        "## How to read the tables",
        "",
        "*held*: refused, and the program went on. *exited*, *signaled*: it ended so, within its bound. A limit, a",
        "compiler's verdict (*ok*: what it made holds no secret) or the judge's verdict: what ended it. ·: not run",
        "there, for want of what it needs. Control: *works*, or why there is none. On gVisor the bounds of",
        "files_deep.c, files_many.c and timers.c are wider: their heads say how wide.",
        "",
    ]
    for kind in CLASSES:
        rows = {name: row for name, row in found.attacks.items() if name.startswith(f"{kind}/")}
        lines += [f"## {kind.capitalize()}", ""]
        lines += _table({name.partition("/")[2]: row for name, row in rows.items()}, variants, control=True)
    lines += ["## Honest programs", ""]
    return "\n".join(lines + _table(found.benign, variants, control=False))


def _count(found: Found, rows: dict[str, Row]) -> str:
    wrong = {(name, variant) for name, variant, _ in found.wrong if name in rows and variant != "outside"}
    good = "accepted" if rows is found.benign else "contained without side effects"
    return f"all {good}" if not wrong else f"{len(wrong)} not {good}"


def _mechanisms(found: Found) -> list[str]:
    lines = ["## Attacks by class and language", "", f"| class | {' | '.join(_LANGUAGES.values())} | all |"]
    lines.append("|---" * (len(_LANGUAGES) + 2) + "|")
    for kind in CLASSES:
        count = Counter(Path(name).suffix for name in found.attacks if name.startswith(f"{kind}/"))
        numbers = " | ".join(str(count[suffix]) for suffix in _LANGUAGES)
        lines.append(f"| {kind} | {numbers} | {count.total()} |")
    return [*lines, ""]


def _table(rows: dict[str, Row], variants: list[str], *, control: bool) -> list[str]:
    if not rows:
        return ["None.", ""]
    variants = [variant for variant in variants if any(variant in row.cells for row in rows.values())]
    head = ["program", "what it tries" if control else "what it shows", *(["control"] if control else []), *variants]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, row in sorted(rows.items()):
        tries = row.tries.replace("|", "\\|")
        told = [row.control.replace("|", "\\|")] if control else []
        lines.append(f"| {' | '.join([name, tries, *told, *(row.cells.get(each, '·') for each in variants)])} |")
    return [*lines, ""]


def _machine() -> str:
    found = [f"Linux {platform.release().partition('-')[0]} {platform.machine()}", f"{os.cpu_count()} cores"]
    for command, option in _VERSIONS:
        try:
            done = subprocess.run((command, option), check=False, capture_output=True, text=True)
        except OSError:  # not there, or not for this user
            continue
        if done.returncode == 0 and done.stdout:
            found.append(done.stdout.splitlines()[0])
    return "; ".join(found) + "."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="where the report is written (default: standard output)")
    parser.add_argument("records", type=Path, nargs="+")
    arguments = parser.parse_args()
    found = read(arguments.records)
    text = report(found)
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)
    for name, variant, what in dict.fromkeys(found.wrong):
        print(f"{name} ({variant}): {what}", file=sys.stderr)
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
