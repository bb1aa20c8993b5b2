"""Every labelled submission of the library gets the verdict of its label, time after time, whatever the slots.

    python benchmarks/stability.py [--rounds N] [--slots 1 4] [PROBLEM ...]

Rounds of all labelled submissions, as one stream. More slots than cores make runs compete for CPU; the verdicts must
not change. Prints each submission that ever got another verdict, and exits 1 if there is one.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import problems
from judge import Judge, Options, Submission, Verdict
from judge.verify import label, request
from problems.model import LabelledSubmission

Expected = dict[str, tuple[str, LabelledSubmission]]


def labelled(names: list[str]) -> Expected:
    return {f"{name}/{label(s)}": (name, s) for name in names for s in problems.load(name).submissions}


def stream(expected: Expected) -> Iterator[Submission]:
    for key, (name, submission) in expected.items():
        made = request(name, submission)
        yield Submission(source=made.source, problem=name, language=made.language, id=key)


def one_round(judge: Judge, expected: Expected, wrong: Counter[str]) -> int:
    confirmed = 0
    for judgement in judge.judge_many(stream(expected), Options(first_failure=True)):
        key = judgement.id or ""
        confirmed += sum(test.confirmed is not None for test in judgement.tests)
        allowed = expected[key][1].expected
        if judgement.verdict not in allowed:
            failing = next((t for t in judgement.tests if t.verdict not in (Verdict.AC, Verdict.SK)), None)
            where = f" on {failing.name}: {failing.detail}" if failing else f": {judgement.error}"
            wrong[f"{key}: {judgement.verdict} instead of {'/'.join(sorted(allowed))}{where}"] += 1
    return confirmed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4])
    parser.add_argument("problems", nargs="*", default=list(problems.names()))
    arguments = parser.parse_args()
    expected = labelled(arguments.problems)
    wrong: Counter[str] = Counter()
    for slots in arguments.slots:
        with Judge(slots=slots) as judge:
            for number in range(1, arguments.rounds + 1):
                began = time.monotonic()
                confirmed = one_round(judge, expected, wrong)
                took = time.monotonic() - began
                print(
                    f"{slots} slots, round {number}: {len(expected)} submissions in {took:.0f} s, "
                    f"{confirmed} time-outs run again, {wrong.total()} wrong verdicts so far",
                    flush=True,
                )
    for line, count in wrong.most_common():
        print(f"{count} x {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
