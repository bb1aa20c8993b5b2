"""Every labelled submission gets the same verdict, time after time, whatever the slots, the load and the backend.

    python benchmarks/stability.py [--rounds N] [--slots 1 8] [--backends native nsjail] [--hog] [PROBLEM ...]

First each submission is judged alone, one at a time: its verdict must be that of its label, and its CPU time is
measured. Then come rounds of all of them as one stream, for each backend and number of slots. More slots than cores
make runs compete for CPU, and --hog keeps a core busy beside them; the verdicts must not change. Where the CPU time
alone is 0.7 to 1.5 times the limit a verdict may be one or the other: these are listed apart, with what they did.

Prints each submission that ever got another verdict, and exits 1 if one of the clear ones did.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import problems
from judge import Judge, Judgement, Options, Submission, Verdict, languages
from judge.errors import LanguageError
from judge.verify import label, request

NEAR, FAR = 0.7, 1.5


@dataclass(slots=True, kw_only=True)
class Subject:
    submission: Submission
    allowed: frozenset[str]
    #: CPU limit of the problem, and of this language on it.
    base_ns: int
    limit_ns: float
    #: Largest CPU time of a test as a part of the limit, when judged alone.
    ratio: float = 0.0
    alone: str = ""
    #: Verdicts by what they were judged on.
    got: Counter[str] = field(default_factory=Counter)

    @property
    def clear(self) -> bool:
        return self.ratio < NEAR or self.ratio > FAR

    @property
    def steady(self) -> bool:
        return self.got.keys() <= {self.alone}


def subjects(names: Iterable[str]) -> Iterator[Subject]:
    for name in names:
        problem = problems.load(name)
        for labelled in problem.submissions:
            made = request(name, labelled)
            language = languages.get(made.language)
            try:
                language.find()
            except LanguageError:
                continue
            key = f"{name}/{label(labelled)}"
            yield Subject(
                submission=Submission(source=made.source, problem=name, language=made.language, id=key),
                allowed=frozenset(labelled.expected),
                base_ns=problem.limits.cpu_ns,
                limit_ns=problem.limits.cpu_ns * language.time_multiplier,
            )


def judged(judge: Judge, every: dict[str, Subject]) -> Iterator[tuple[Subject, Judgement]]:
    for judgement in judge.judge_many((s.submission for s in every.values()), Options(first_failure=True)):
        yield every[judgement.id or ""], judgement


def alone(backend: str, every: dict[str, Subject]) -> None:
    with Judge(slots=1, backend=backend) as judge:
        for subject, judgement in judged(judge, every):
            subject.alone, longer = judgement.verdict, judgement
            if judgement.verdict == Verdict.TLE:  # how far over the limit, had it been let go on?
                longer = judge.judge(subject.submission, Options(first_failure=True, cpu_ns=2 * subject.base_ns))
            subject.ratio = max((test.cpu_ns or 0 for test in longer.tests), default=0) / subject.limit_ns
            if subject.alone not in subject.allowed:
                print(f"{judgement.id}: {subject.alone} instead of {'/'.join(sorted(subject.allowed))}")


def one_round(judge: Judge, every: dict[str, Subject], where: str) -> int:
    """Judges all; how many time-outs were confirmed."""
    confirmed = 0
    for subject, judgement in judged(judge, every):
        subject.got[judgement.verdict] += 1
        confirmed += sum(test.confirmed is not None for test in judgement.tests)
        if judgement.verdict != subject.alone:
            failing = next((t for t in judgement.tests if t.verdict not in (Verdict.AC, Verdict.SK)), None)
            why = f"{failing.name}: {failing.detail}" if failing else judgement.error
            print(f"  {where}: {judgement.id}: {judgement.verdict}, not {subject.alone} ({why})", flush=True)
    return confirmed


def report(every: dict[str, Subject]) -> int:
    changed = {key: subject for key, subject in every.items() if not subject.steady}
    wrong = [key for key, subject in every.items() if subject.clear and subject.alone not in subject.allowed]
    wrong += [key for key, subject in changed.items() if subject.clear]
    between = {key: subject for key, subject in every.items() if not subject.clear}
    for title, some in (("between", between), ("changed", changed)):
        for key, subject in some.items():
            got = ", ".join(f"{count} {verdict}" for verdict, count in subject.got.most_common())
            print(f"{title}: {key}: {subject.ratio:.2f} x the limit alone ({subject.alone}); then {got}")
    print(
        f"{len(every)} submissions, {len(between)} between {NEAR} and {FAR} x the limit; {len(wrong)} clear ones wrong"
    )
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--backends", nargs="+", default=["native"])
    parser.add_argument("--hog", action="store_true")
    parser.add_argument("problems", nargs="*", default=list(problems.names()))
    arguments = parser.parse_args()
    every = {subject.submission.id or "": subject for subject in subjects(arguments.problems)}
    alone(arguments.backends[0], every)
    with ExitStack() as stack:
        if arguments.hog:
            hog = stack.enter_context(subprocess.Popen((sys.executable, "-c", "while True: pass")))
            stack.callback(hog.kill)
        for backend in arguments.backends:
            for slots in arguments.slots:
                with Judge(slots=slots, backend=backend) as judge:
                    for number in range(1, arguments.rounds + 1):
                        began = time.monotonic()
                        where = f"{backend}, {slots} slots, round {number}"
                        confirmed = one_round(judge, every, where)
                        took = time.monotonic() - began
                        print(f"{where}: {took:.0f} s, {confirmed} time-outs run again", flush=True)
    return report(every)


if __name__ == "__main__":
    raise SystemExit(main())
