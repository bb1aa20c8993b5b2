"""Every kind of run: a sandbox that fails once costs nothing, and a second trial counts only if the program does in it
what it did in the first one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Outcome, RunSpec, Sandbox, SandboxError, Termination, open_sandbox
from judge import Judge, Options, Program, Submission
from judge.common.command import Command
from judge.judging import trial
from judge.judging.commands import Pipes
from judge.many import local
from judge.ruling.classify import Allowed, Ruling
from tests.conftest import MakePackage

Judges = Callable[..., Judge]

SUM = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
INTERACTOR = """
import sys
print("1 2", flush=True)
sys.exit(42 if input().strip() == "3" else 43)
"""
MANAGER = """
import sys
print("1 2", file=open(sys.argv[5], "w"), flush=True)
sys.exit(42 if open(sys.argv[4]).readline().strip() == "3" else 43)
"""
CHECKER = """
import sys
sys.exit(42 if sys.stdin.read().strip() == "3" else 43)
"""
PASSES = """
import sys
given = open(sys.argv[1]).read()
if given == "1 2\\n":
    open(sys.argv[3] + "nextpass.in", "w").write("0 3")
sys.exit(42 if sys.stdin.read().strip() == "3" else 43)
"""
LINE = SUM.replace("sys.stdin.read()", "input()")


class Faulty:
    """A real sandbox whose runs of this process are counted; the run number `failing` fails before it begins."""

    runs = 0
    failing = -1
    opened = 0
    _lock = threading.Lock()

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        Faulty.opened += 1

    def __getattr__(self, name: str) -> object:
        return getattr(self._sandbox, name)

    def run(self, spec: RunSpec) -> Outcome:
        with Faulty._lock:
            number, Faulty.runs = Faulty.runs, Faulty.runs + 1
        if number == Faulty.failing:
            raise SandboxError("planted")
        return self._sandbox.run(spec)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Begin to count anew, and let the run of that number fail."""

    def fail(number: int) -> None:
        Faulty.runs, Faulty.failing, Faulty.opened = 0, number, 0

    monkeypatch.setattr(local, "open_sandbox", lambda *given, **more: Faulty(open_sandbox(*given, **more)))
    fail(-1)
    return fail


#: Kind: metadata, files and source of a problem's submission.
PROBLEMS = {
    "plain": ("", {}, SUM),
    "checker": ("", {"output_validator/judge.py": CHECKER}, SUM),
    "interactive": ("type: interactive\n", {"output_validator/judge.py": INTERACTOR}, LINE),
    "communication": ("", {"manager/manage.py": MANAGER, "judge.yaml": "manager: {processes: 1}\n"}, LINE),
    "multi-pass": (
        "type: multi-pass\nlimits: {validation_passes: 2}\n",
        {"output_validator/judge.py": PASSES},
        SUM,
    ),
}
COMMAND = Command(argv=("/usr/bin/python3", "-c", SUM), stdin=b"1 2\n")
JOINED = (
    Command(argv=("/usr/bin/python3", "-c", "print(1, 2)")),
    Command(argv=("/usr/bin/python3", "-c", SUM)),
)


def run_kind(judge: Judge, kind: str, problem: Path | None) -> str:
    """What comes of it, as one word."""
    if problem is not None:
        source = PROBLEMS[kind][2].encode()
        options = Options(verdict_cache=False)
        return judge.judge(Submission(source=source, problem=problem, language="python3"), options).verdict
    if kind == "executed":
        done = judge.execute(Program(source=SUM.encode(), language="python3", stdin=b"1 2\n"))
        return f"{done.verdict or done.stdout.decode().strip()}"
    if kind == "compiled":
        source = b'#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }\n'
        done = judge.execute(Program(source=source, language="c17", stdin=b"1 2\n"))
        return f"{done.verdict or done.stdout.decode().strip()}"
    ran = judge.submit_commands(*(([COMMAND],) if kind == "command" else (JOINED, Pipes.FORWARD))).result()[-1]
    return f"{ran.ruling or ran.outcome.stdout.decode().strip()}"


@pytest.mark.parametrize("kind", [*PROBLEMS, "executed", "compiled", "command", "joined"])
def test_a_sandbox_that_fails_once_costs_nothing(
    judges: Judges, package: MakePackage, faults: Callable[[int], None], tmp_path: Path, kind: str
) -> None:
    """Each run in its turn: of the submission, its compiler, the checker, the interactor, the manager."""
    problem = None
    if kind in PROBLEMS:
        metadata, files, _ = PROBLEMS[kind]
        problem = package({"secret/1": ("1 2\n", "3\n")}, metadata=metadata, files=files)
    right = "AC" if problem is not None else "3"
    with judges(slots=1, cache_directory=tmp_path / "none") as judge:
        assert run_kind(judge, kind, problem) == right
        count = Faulty.runs
    assert count
    for number in range(count):
        faults(number)
        with judges(slots=1, cache_directory=tmp_path / str(number)) as judge:
            assert run_kind(judge, kind, problem) == right, f"run {number} of {count} failed"
        assert Faulty.runs > number, "the planted fault was never met"


@pytest.fixture
def in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time-out of a first trial is in doubt."""

    def doubtful(outcome: Outcome, ruling: Ruling | None, allowed: Allowed, *, crowded: bool) -> bool:
        return crowded and ruling is not None and ruling.verdict == "TLE"

    monkeypatch.setattr(trial, "doubtful", doubtful)
    monkeypatch.setattr(trial, "is_crowded", lambda company, *_: not company.is_repeat)
    monkeypatch.setattr(local, "open_sandbox", lambda *given, **more: Numbered(open_sandbox(*given, **more)))
    Numbered.trial = 0


class Numbered:
    """A real sandbox that tells a program, by its last argument, how many programs were told so before: in the second
    trial of one command 1, of the second one of two 3."""

    trial = 0

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def __getattr__(self, name: str) -> object:
        return getattr(self._sandbox, name)

    def run(self, spec: RunSpec) -> Outcome:
        if "TRIAL" not in spec.argv:
            return self._sandbox.run(spec)
        number, Numbered.trial = Numbered.trial, Numbered.trial + 1
        return self._sandbox.run(replace(spec, argv=(*spec.argv[:-1], str(number))))


#: Writes its guess, and ends only in the second trial.
GUESSES = "import sys, time\nme = int(sys.argv[-1])\nprint(GUESS, flush=True)\nif not me: time.sleep(100)\n"


@pytest.mark.parametrize("kind", ["executed", "command", "joined"])
@pytest.mark.parametrize(("guess", "stands"), [("7", False), ("3 + 4 * me", True)], ids=["the same", "another guess"])
@pytest.mark.usefixtures("in_doubt")
def test_a_second_trial_counts_only_if_it_begins_as_the_first(
    judges: Judges, kind: str, guess: str, stands: bool
) -> None:
    source, wall_ns = GUESSES.replace("GUESS", guess), 700_000_000
    command = Command(argv=("/usr/bin/python3", "-c", source, "TRIAL"), wall_ns=wall_ns)
    judge = judges(slots=1)
    if kind == "executed":
        program = Program(
            source=source.encode(), language="python3", wall_ns=wall_ns, cpu_ns=wall_ns, arguments=("TRIAL",)
        )
        verdict = judge.execute(program).verdict
    elif kind == "command":
        ruling = judge.submit_commands([command]).result()[0].ruling
        verdict = ruling.verdict if ruling else None
    else:
        reader = Command(argv=("/usr/bin/python3", "-c", "import sys; sys.stdin.read()"), wall_ns=10 * wall_ns)
        ruling = judge.submit_commands([command, reader], Pipes.FORWARD).result()[0].ruling
        verdict = ruling.verdict if ruling else None
    assert (verdict == "TLE") == stands
    assert Numbered.trial == 2


def test_a_sandbox_that_fails_twice_is_an_internal_error(
    judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Faulty, "run", lambda *_: (_ for _ in ()).throw(SandboxError("planted")))
    monkeypatch.setattr(local, "open_sandbox", lambda *given, **more: Faulty(open_sandbox(*given, **more)))
    judge = judges(slots=1)
    judgement = judge.judge(
        Submission(source=SUM.encode(), problem=package({"secret/1": ("1 2\n", "3\n")}), language="python3")
    )
    assert (judgement.verdict, judgement.error) == ("IE", "the sandbox failed twice: planted")
    assert judge.execute(Program(source=SUM.encode(), language="python3")).verdict == "IE"
    with pytest.raises(SandboxError, match="twice"):
        judge.submit_commands([COMMAND]).result()


class Starving:
    """A real sandbox whose runs of TRIAL get no core, as the kernel would tell that."""

    runs = 0
    processes = 0

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def __getattr__(self, name: str) -> object:
        return getattr(self._sandbox, name)

    def run(self, spec: RunSpec) -> Outcome:
        done = self._sandbox.run(spec)
        if "TRIAL" not in spec.argv:
            return done
        Starving.runs += 1
        wall_ns = spec.limits.wall_ns
        usage = replace(done.usage, wall_ns=2 * wall_ns, waited_ns=wall_ns, waited_exact=Starving.processes == 0)
        return replace(done, termination=Termination.WALL_LIMIT, exit_code=None, signal=9, usage=usage)


@pytest.mark.parametrize(("processes", "verdict"), [(0, "IE"), (4, "TLE")], ids=["one process", "several"])
def test_who_has_no_core_alone_either_has_no_verdict(
    judges: Judges, monkeypatch: pytest.MonkeyPatch, processes: int, verdict: str
) -> None:
    """Others than the judge took it. Several processes may have taken it from each other."""
    monkeypatch.setattr(local, "open_sandbox", lambda *given, **more: Starving(open_sandbox(*given, **more)))
    Starving.runs, Starving.processes = 0, processes
    program = Program(source=b"print(3)", language="python3", arguments=("TRIAL",))
    done = judges(slots=1).execute(program)
    assert done.verdict == verdict
    assert ("had no core for" in done.detail) == (verdict == "IE"), done.detail
    assert Starving.runs == 2, "a third trial would fare no better"
