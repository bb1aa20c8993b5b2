"""Every labelled submission gets the same verdict and score, time after time, whatever the slots, the load and the
backend.

    python benchmarks/stability.py [--rounds N] [--count N] [--minutes M] [--slots 1 8] [--backends native nsjail]
                                   [--hogs N] [--first-failure] [--interactive] [--json FILE] [PROBLEM ...]
    python benchmarks/stability.py --rounds 20 --slots 8 --hogs 4          # the library beside four busy processes
    python benchmarks/stability.py --rounds 40 --slots 8 --hogs 1 --interactive

First each submission is judged alone, one at a time: its verdict and score must be those of its label, and its CPU
time is measured. Languages that this machine cannot judge are left out and named. Then come rounds of all of them as
one stream, for each backend and number of slots. More slots than cores make runs compete for CPU, and --hogs keep
cores busy beside them; neither verdicts nor scores may change. Where the CPU time of a test alone is 0.7 to 1.5 times
the limit, it may be decided one way or the other: these submissions are listed apart, with what they did. (With
--first-failure a test behind the first that fails is not run, alone either.) --interactive takes only the problems
whose programs talk to an interactor or a manager.

Prints each submission that ever got another verdict or score, with the times of the tests that differ, and how many
processes are left when all judges are closed. Exits 1 if one of the clear ones differed, or a process is left. --json:
counts, added to those that the file holds, so that rounds may be run in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import problems
from judge import Judge, Judgement, Options, Stop, Submission, TestResult, Verdict, languages
from judge.common.models import OUTPUTS
from judge.many.verify import Verified, label, missing, request
from problems import LabelledSubmission, Problem

NEAR, FAR = 0.7, 1.5


@dataclass(slots=True, kw_only=True)
class Subject:
    submission: Submission
    labelled: LabelledSubmission
    #: CPU limit of the problem, and of this language on it.
    base_ns: int
    limit_ns: float
    #: CPU time of each test as a part of the limit, when judged alone.
    ratios: tuple[float, ...] = ()
    alone: str = ""
    #: Why that is not as labelled.
    complaint: str | None = None
    tests: tuple[TestResult, ...] = ()
    #: Verdicts and scores, how often.
    got: Counter[str] = field(default_factory=Counter)
    #: Tests that were run in these judgements.
    runs: int = 0

    @property
    def ratio(self) -> float:
        return max(self.ratios, default=0.0)

    @property
    def clear(self) -> bool:
        """No test lies where its time may decide it one way or the other."""
        return not any(NEAR <= ratio <= FAR for ratio in self.ratios)

    @property
    def steady(self) -> bool:
        return self.got.keys() <= {self.alone}


def talks(problem: Problem) -> bool:
    return problem.interactor is not None or problem.manager is not None


def subjects(judge: Judge, names: Iterable[str], *, interactive: bool) -> Iterator[Subject]:
    """The labelled submissions, as `judge problems verify` would judge them."""
    for name in names:
        problem = problems.load(name)
        if interactive and not talks(problem):
            continue
        for labelled in problem.submissions:
            key = f"{name}/{label(labelled)}"
            submission = replace(request(name, labelled, problem.constants), id=key)
            if (why := missing(judge, submission)) is not None:
                print(f"left out: {key}: {why}", flush=True)
                continue
            slower = 1.0 if submission.language == OUTPUTS else languages.get(submission.language).time_multiplier
            yield Subject(
                submission=submission,
                labelled=labelled,
                base_ns=problem.limits.cpu_ns,
                limit_ns=problem.limits.cpu_ns * slower,
            )


def said(judgement: Judgement) -> str:
    """Verdict and score."""
    score = "" if judgement.score is None else f" {judgement.score:.4f}"
    return f"{judgement.verdict}{score}"


def judged(judge: Judge, every: dict[str, Subject], options: Options) -> Iterator[tuple[Subject, Judgement]]:
    for judgement in judge.judge_many((s.submission for s in every.values()), options):
        yield every[judgement.id or ""], judgement


def alone(judge: Judge, every: dict[str, Subject], options: Options) -> None:
    for done, (subject, judgement) in enumerate(judged(judge, every, options), 1):
        subject.alone, subject.tests, longer = said(judgement), judgement.tests, judgement
        if any(test.verdict is Verdict.TLE for test in judgement.tests):  # how far over, had it been let go on?
            longer = judge.judge(subject.submission, replace(options, cpu_ns=2 * subject.base_ns))
        subject.ratios = tuple((test.cpu_ns or 0) / subject.limit_ns for test in longer.tests)
        scored = options.stop is Stop.NEVER  # else not all tests were run
        labelled = subject.labelled if scored else replace(subject.labelled, score=None)
        subject.complaint = Verified(submission=labelled, judgement=judgement).complaint
        if subject.complaint is not None:
            print(f"{judgement.id}: {subject.complaint}", flush=True)
        if done % 50 == 0:
            print(f"alone: {done} of {len(every)}", file=sys.stderr, flush=True)


def one_round(judge: Judge, every: dict[str, Subject], where: str, options: Options) -> int:
    """Judges all; how many time-outs were confirmed."""
    confirmed = 0
    for subject, judgement in judged(judge, every, options):
        subject.got[said(judgement)] += 1
        subject.runs += len(judgement.tests)
        confirmed += sum(test.confirmed is not None for test in judgement.tests)
        if said(judgement) != subject.alone:
            why = "; ".join(_differing(subject, judgement)) or judgement.error
            print(f"  {where}: {judgement.id}: {said(judgement)}, not {subject.alone} ({why})", flush=True)
    return confirmed


def _differing(subject: Subject, judgement: Judgement) -> Iterator[str]:
    """Each test that got another verdict than alone, with its times."""
    for before, now in zip(subject.tests, judgement.tests, strict=False):
        if before.verdict != now.verdict:
            times = (f"{(test.cpu_ns or 0) / 1e6:.0f}/{(test.wall_ns or 0) / 1e6:.0f} ms" for test in (before, now))
            shown = " then ".join(times)
            yield f"{now.name}: {now.verdict}, not {before.verdict}: CPU/wall {shown}, {now.detail!r}"


def report(every: dict[str, Subject], left: int) -> int:
    changed = {key: subject for key, subject in every.items() if not subject.steady}
    wrong = {key for key, subject in every.items() if subject.clear and subject.complaint is not None}
    wrong |= {key for key, subject in changed.items() if subject.clear}
    between = {key: subject for key, subject in every.items() if not subject.clear}
    for title, some in (("between", between), ("changed", changed)):
        for key, subject in some.items():
            got = ", ".join(f"{count} {verdict}" for verdict, count in subject.got.most_common())
            print(f"{title}: {key}: {subject.ratio:.2f} x the limit alone ({subject.alone}); then {got}")
    judgements = sum(subject.got.total() for subject in every.values())
    print(
        f"{len(every)} submissions, {len(between)} between {NEAR} and {FAR} x the limit; {judgements} judgements of "
        f"{sum(subject.runs for subject in every.values())} tests; {len(wrong)} clear ones wrong; {left} processes left"
    )
    return 1 if wrong or left else 0


def below(pid: int) -> list[int]:
    """All processes below this one."""
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread, or the process, has ended meanwhile
            children += map(int, task.read_text().split())
    return children + [further for child in children for further in below(child)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, help="instead of --rounds: at least so many judgements of each kind")
    parser.add_argument("--minutes", type=float, default=1e6, help="no round begins later")
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--backends", nargs="+", default=["native"])
    parser.add_argument("--hogs", type=int, default=0, help="busy processes beside the judge")
    parser.add_argument("--first-failure", action="store_true", help="quicker, but compares no scores")
    parser.add_argument("--interactive", action="store_true", help="only problems with an interactor or a manager")
    parser.add_argument("--json", type=Path)
    parser.add_argument("problems", nargs="*", default=list(problems.names()))
    arguments = parser.parse_args()
    options = Options(stop=Stop.FIRST_FAILURE if arguments.first_failure else Stop.NEVER)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Judge(slots=1, backend=arguments.backends[0]) as judge:
        found = subjects(judge, arguments.problems, interactive=arguments.interactive)
        every = {subject.submission.id or "": subject for subject in found}
        if not every:
            parser.error("no labelled submission of these problems can be judged here")
        alone(judge, every, options)
    with ExitStack() as stack:
        if arguments.json:  # whatever ends the rounds
            stack.callback(save, arguments.json, every)
        for _ in range(arguments.hogs):
            hog = stack.enter_context(subprocess.Popen((sys.executable, "-c", "while True: pass")))
            stack.callback(hog.kill)
        rounds(every, options, arguments)
    return report(every, len(below(os.getpid())))


def rounds(every: dict[str, Subject], options: Options, arguments: argparse.Namespace) -> None:
    wanted = arguments.rounds if arguments.count is None else -(-arguments.count // len(every))
    first = time.monotonic()
    for backend in arguments.backends:
        for slots in arguments.slots:
            with Judge(slots=slots, backend=backend) as judge:
                for number in range(1, wanted + 1):
                    began = time.monotonic()
                    if began - first > 60 * arguments.minutes:
                        break
                    where = f"{backend}, {slots} slots, round {number}"
                    confirmed = one_round(judge, every, where, options)
                    took = time.monotonic() - began
                    print(f"{where}: {took:.0f} s, {confirmed} time-outs run again", flush=True)


def save(path: Path, every: dict[str, Subject]) -> None:
    """Add the counts to those that the file holds."""
    changed = [subject for subject in every.values() if not subject.steady]
    more = {
        "judgements": sum(subject.got.total() for subject in every.values()),
        "other verdict or score, clear": sum(
            subject.got.total() - subject.got[subject.alone] for subject in changed if subject.clear
        ),
        f"other, between {NEAR} and {FAR} x the limit": sum(
            subject.got.total() - subject.got[subject.alone] for subject in changed if not subject.clear
        ),
    }
    found = json.loads(path.read_bytes()) if path.exists() else {}
    counts = {name: {"": number + found.get("flips", {}).get(name, {}).get("", 0)} for name, number in more.items()}
    path.write_text(json.dumps({"flips": counts}, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
