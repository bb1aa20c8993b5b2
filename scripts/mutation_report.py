"""Takes one wall of the sandbox out after the other, and says which test notices.

    python scripts/mutation_report.py [-o docs/mutation-report.md] [-j 2] [--only TEXT ...] [--keep] [--check]

Each mutant of mutations.toml has a copy of the tree of its own, in which it is compiled and the tests run that are
expected to notice it, on each tier where it stands; if all pass there, the whole conformance suite. One that is behind
others may survive that, but not without them. First of all every mutation must apply, and all these tests must pass
without one. Exit code 1 if one survives, 2 if one cannot be tried. As root; mutants run in namespaces of their own,
under limits: they may do to this machine what the wall was to prevent.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutations import TIERS, Mutation, MutationError, read_mutations, with_those_before

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "mutations.json"
SUITE = "tests/containers/conformance"
COPIED = (
    "containers",
    "judge",
    "problems",
    "scripts",
    "tests",
    "pyproject.toml",
    ":!problems/library",
    ":!tests/containers/escape",
)
#: A launcher that runs nothing at all shows nothing about a wall.
HONEST = "streams::test_input_reaches_the_program"
_TEST_S, _SUITE_S = 150, 600
#: What a mutant may do to the machine, at most.
_BOUNDED = ("prlimit", "--nproc=2000", f"--as={20 << 30}", "--")
#: The shell is there to reap what was left behind, which falls to the first process of a namespace.
_REAPED = ("sh", "-c", '"$@"; exit $?', "sh")
_APART = ("unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--")
_RESULT = re.compile(rf"^{SUITE}/test_(\w+)\.py::(\w+)(?:\[(\S+)\])? ?(PASSED|FAILED|ERROR|SKIPPED)?", re.MULTILINE)
_TIER = re.compile(rf"(?:^|-)({'|'.join(TIERS)})(?:-|$)")


#: Tests by name, in order: whether they passed, with all parameters.
Ran = dict[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    mutation: Mutation
    tier: str
    #: The test that failed first; None: it survived.
    by: str | None
    #: It survived alone: this is with those that it is behind.
    together: bool = False


def remember(outcomes: Sequence[Outcome]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps([[found.mutation.without, found.tier, found.by, found.together] for found in outcomes]))


def remembered(named: Mapping[str, Mutation]) -> list[Outcome]:
    """Of an earlier run, for the mutations that are still there."""
    rows = json.loads(KEPT.read_text()) if KEPT.exists() else []
    return [
        Outcome(mutation=named[without], tier=tier, by=by, together=together)
        for without, tier, by, together in rows
        if without in named and tier in named[without].tiers
    ]


@cache
def sources() -> dict[str, bytes]:
    """As they are when the first mutant is made, by their names: what is edited meanwhile is not what is tried."""
    listed = subprocess.run(("git", "ls-files", "-z", *COPIED), cwd=ROOT, check=True, capture_output=True, text=True)
    return {name: (ROOT / name).read_bytes() for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@contextmanager
def tree(mutations: Sequence[Mutation]) -> Iterator[Path]:
    """A copy of the tree in which these are made, and the launcher compiled."""
    with tempfile.TemporaryDirectory(prefix="judge-mutant-", dir="/tmp") as scratch:
        root = Path(scratch)
        root.chmod(0o755)  # the users that slots lease pass through
        for name, content in sources().items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)
        for mutation in mutations:
            mutation.path(root).write_text(mutation.edited(root))
        # What a row that was taken out used is now unused.
        command = (sys.executable, "scripts/build_launcher.py", "-Wno-error")
        built = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            raise MutationError(f"{title(mutations)}: does not compile:\n{built.stderr}")
        yield root


def title(mutations: Sequence[Mutation]) -> str:
    return " + ".join(mutation.without for mutation in mutations) or "nothing taken out"


def run_tests(root: Path, tests: Sequence[str], tiers: Sequence[str], seconds: int, *flags: str) -> dict[str, Ran]:
    """A test that does not end has failed."""
    environment = {**os.environ, "JUDGE_VARIANTS": " ".join(tiers), "PYTHONPATH": str(root)}
    environment |= {"JUDGE_HOSTILE_RUNS": "40", "JUDGE_REQUIRE": ",".join(tiers)}
    selected = [f"{SUITE}/test_{test}".replace("::", ".py::") for test in tests] or [SUITE]
    found: dict[str, Ran] = {}
    pytest = (sys.executable, "-u", "-m", "pytest", "-v", "--tb=no", "-p", "no:cacheprovider", *flags, *selected)
    try:
        done = subprocess.run(
            (*_APART, *_REAPED, *_BOUNDED, *pytest),
            cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=seconds,
        )  # fmt: skip
        if done.returncode not in (0, 1) and done.returncode < 128:  # else the mutant killed them
            raise MutationError(f"pytest {' '.join(selected)} ended with {done.returncode}:\n{done.stdout.decode()}")
        output = done.stdout
    except subprocess.TimeoutExpired as error:
        if len(tiers) > 1:  # each by itself, as far as the first that does not end
            found = {}
            for tier in tiers:
                found |= run_tests(root, tests, (tier,), seconds, "-x")
            return found
        output = error.stdout or b""
    found = {tier: {} for tier in tiers}
    for module, test, parameters, result in _RESULT.findall(output.decode()):
        of, name = _TIER.search(parameters), f"{module}::{test}"
        if of is None and result in ("FAILED", "ERROR"):
            raise MutationError(f"{name} fails, which is of no tier")
        if of is not None and of[1] in found and result != "SKIPPED":
            found[of[1]][name] = found[of[1]].get(name, True) and result == "PASSED"
    return found


def first_failed(ran: Ran) -> str | None:
    return next((test for test, passed in ran.items() if not passed), None)


def notice(mutations: Sequence[Mutation], tiers: Sequence[str], *, suite: bool) -> dict[str, str | None]:
    """The test that fails first on each tier."""
    tests = list(dict.fromkeys(test for mutation in mutations for test in mutation.tests))
    found: dict[str, str | None] = {}
    with tree(mutations) as root:
        results = run_tests(root, list(dict.fromkeys((HONEST, *tests))), tiers, _TEST_S)
        for tier, ran in results.items():
            if not ran:
                raise MutationError(f"{title(mutations)}: no test ran on {tier}; does this machine grant it?")
            if not ran.get(HONEST, True) and HONEST not in tests:
                raise MutationError(f"{title(mutations)}: runs nothing any more on {tier}: not a wall alone")
            found[tier] = first_failed(ran)
            if found[tier] is None and suite:
                whole = run_tests(root, (), (tier,), _SUITE_S, "-x", "--ignore", f"{SUITE}/test_languages.py")[tier]
                found[tier] = first_failed(whole)
                if not whole:
                    raise MutationError(f"{title(mutations)}: the suite does not run on {tier}")
    return found


def try_one(mutation: Mutation, named: Mapping[str, Mutation]) -> list[Outcome] | MutationError:
    """The error of one, said when all others are done."""
    try:
        return try_out(mutation, named)
    except MutationError as error:
        print(error, file=sys.stderr, flush=True)
        return error


def try_out(mutation: Mutation, named: Mapping[str, Mutation]) -> list[Outcome]:
    found = notice((mutation,), mutation.tiers, suite=not mutation.behind)
    outcomes = [Outcome(mutation=mutation, tier=tier, by=by) for tier, by in found.items() if by is not None]
    survived = [tier for tier, by in found.items() if by is None]
    if survived and mutation.behind:
        found = notice(with_those_before(mutation, named), survived, suite=True)
    outcomes += [
        Outcome(mutation=mutation, tier=tier, by=found[tier], together=bool(mutation.behind)) for tier in survived
    ]
    for outcome in outcomes:
        print(f"{mutation.group}: {mutation.without}: {outcome.tier}: {said(outcome)}", flush=True)
    return outcomes


def said(outcome: Outcome) -> str:
    if outcome.by is None:
        return "**survived**"
    module, test = outcome.by.split("::")
    failed = f"`test_{module}.py::{test}`"
    if not outcome.together:
        return failed
    others = ", ".join(outcome.mutation.behind)
    return f"second line behind *{others}*: {outcome.mutation.because}; without both: {failed}"


def report(outcomes: Sequence[Outcome], named: Mapping[str, Mutation]) -> str:
    mutations = list(dict.fromkeys(outcome.mutation for outcome in outcomes))
    alone = [outcome for outcome in outcomes if outcome.by and not outcome.together]
    second = [outcome for outcome in outcomes if outcome.by and outcome.together]
    survived = [outcome for outcome in outcomes if outcome.by is None]
    tried = {(outcome.mutation.without, outcome.tier) for outcome in outcomes}
    pairs = [(mutation.without, tier) for mutation in named.values() for tier in mutation.tiers]
    left_out = [f"{without} ({tier})" for without, tier in pairs if (without, tier) not in tried]
    lines = [
        "# Mutation report",
        "",
        "Made by `scripts/mutation-report.sh`: one layer, or one group of rows of a table, is taken out, the launcher",
        "compiled, and the conformance suite run on every tier where it stands. Each line names the test that fails.",
        "",
        f"{len(mutations)} mutations, {len(outcomes)} pairs of mutation and tier. {len(alone)} are noticed by a test;",
        f"{len(second)} take out a second line of defence, and are noticed where the first is out too.",
        f"{len(survived) or 'None'} survived;",
        f"{len(left_out) or 'none'} of the pairs in mutations.toml were not tried{': ' if left_out else ''}"
        f"{', '.join(left_out)}.",
        "",
    ]
    for group in dict.fromkeys(mutation.group for mutation in mutations):
        lines += [f"## {group}", "", "| taken out | tiers | noticed by |", "|---|---|---|"]
        for mutation in mutations:
            if mutation.group != group:
                continue
            of = [outcome for outcome in outcomes if outcome.mutation is mutation]
            for text in dict.fromkeys(map(said, of)):
                tiers = ", ".join(outcome.tier for outcome in of if said(outcome) == text)
                lines.append(f"| {mutation.without} | {tiers} | {text} |")
        lines.append("")
    return "\n".join(lines)


def check_without(mutations: Sequence[Mutation]) -> None:
    """All these tests pass where nothing is taken out."""
    tests = list(dict.fromkeys(test for mutation in mutations for test in mutation.tests))
    tiers = [tier for tier in TIERS if any(tier in mutation.tiers for mutation in mutations)]
    with tree(()) as root:
        for tier, ran in run_tests(root, tests, tiers, _SUITE_S).items():
            if failed := first_failed(ran):
                raise MutationError(f"{failed} fails on {tier} although nothing is taken out")
            expected = {test for mutation in mutations if tier in mutation.tiers for test in mutation.tests}
            if not ran.keys() >= expected:
                print(f"not run on {tier}: {', '.join(sorted(expected - ran.keys()))}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="where the table is written (default: nowhere)")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[], help="mutations whose name or group holds one of these")
    parser.add_argument("--keep", action="store_true", help="take what an earlier run said of the others")
    parser.add_argument("--check", action="store_true", help="only that every mutation applies")
    arguments = parser.parse_args()
    try:
        named = read_mutations(Path(__file__).with_name("mutations.toml"))
        chosen = [
            mutation
            for mutation in named.values()
            if not arguments.only or any(text in f"{mutation.group}: {mutation.without}" for text in arguments.only)
        ]
        for mutation in chosen:
            mutation.edited(ROOT)
        if arguments.check:
            return 0
        check_without(chosen)
        with ThreadPoolExecutor(arguments.jobs) as threads:
            results = list(threads.map(lambda mutation: try_one(mutation, named), chosen))
    except MutationError as error:
        print(error, file=sys.stderr)
        return 2
    broken = [result for result in results if isinstance(result, MutationError)]
    outcomes = [outcome for result in results if not isinstance(result, MutationError) for outcome in result]
    if arguments.keep:
        outcomes += [found for found in remembered(named) if found.mutation not in chosen]
        outcomes.sort(key=lambda outcome: list(named).index(outcome.mutation.without))
    remember(outcomes)
    if arguments.output and not broken:
        arguments.output.write_text(report(outcomes, named))
    survived = [f"{outcome.mutation.without} ({outcome.tier})" for outcome in outcomes if outcome.by is None]
    print(f"{len(outcomes)} pairs of mutation and tier; survived: {', '.join(survived) or 'none'}")
    return 2 if broken else 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
