"""Runs an attack in a sandbox, and says what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from containers import File, Outcome, RunSpec, Sandbox, Termination, Trust
from containers.outcome import counts_processes
from judge import languages
from judge.languages import ENVIRONMENT
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack, Bound
from judge.store.inputs import stream

INCLUDE = Path(__file__).with_name("include")
_HELPER = "attack.py"
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The lines of the protocol in a program's output."""

    escaped: tuple[str, ...]
    held: tuple[str, ...]
    absent: tuple[str, ...]
    #: The largest number in a line ``GOT``, and the units in those lines.
    got: int | None
    units: frozenset[str]

    @staticmethod
    def of(output: bytes) -> Said:
        words = [line.decode("utf-8", "replace").partition(" ") for line in output.splitlines() if line[:1] in b"EHAG"]
        said = {kind: tuple(rest for word, _, rest in words if word == kind) for kind in ("ESCAPED", "HELD", "ABSENT")}
        amounts = [rest.partition(" ") for word, _, rest in words if word == "GOT"]
        return Said(
            escaped=said["ESCAPED"],
            held=said["HELD"],
            absent=said["ABSENT"],
            got=max((int(number) for number, _, _ in amounts if number.isdigit()), default=None),
            units=frozenset(unit for _, _, unit in amounts),
        )

    @property
    def worked(self) -> bool:
        """Whether the attack reports an escape. (`beyond` tells whether it exceeded its bound.)"""
        return bool(self.escaped)

    def beyond(self, bound: Bound | None) -> bool:
        return bound is not None and self.got is not None and self.got > bound.most


@contextmanager
def run_spec(attack: Attack, program: int | None, stdin: bytes, trust: Trust = Trust.HOSTILE) -> Iterator[RunSpec]:
    """The run of an attack. `program`: its executable; None: a Python program, which runs as submissions do."""
    argv: tuple[str, ...] = ("attack",)
    files: tuple[File, ...] = ()
    if program is None:
        argv = (str(languages.get("python3").find()), "-s", "-E", "-B", "../in/solution.py")
        files = (
            File(name="solution.py", content=attack.path.read_bytes()),
            File(name=_HELPER, content=(INCLUDE / _HELPER).read_bytes()),
        )
    with stream(stdin) as fd:
        yield RunSpec(
            argv=argv,
            executable=program,
            stdin=fd,
            files=files,
            env=dict(ENVIRONMENT),
            limits=attack.limits,
            trust=trust,
            warm=program is None,
        )


def run(attack: Attack, program: int | None, sandbox: Sandbox, stdin: bytes) -> Outcome:
    """The outcome of the attack. If the launcher, which watches memory, stopped it too late, it is run again.

    Raises:
        ContainerError: the sandbox failed or refuses.
    """
    # Where no submission may have several processes, only a compiler that was taken over could do this.
    refused = attack.limits.processes > 0 and not counts_processes(sandbox.isolation)
    for _ in range(_TRIES):
        with run_spec(attack, program, stdin, Trust.TOOL if refused else Trust.HOSTILE) as spec:
            outcome = sandbox.run(spec)
        if not _late(attack, outcome):
            break
    return outcome


def _late(attack: Attack, outcome: Outcome) -> bool:
    """Whether the launcher stopped the attack too late. It watches memory where there is no cgroup, and files on
    gVisor. If it gets no core for some milliseconds, the attack gets more: that shows the load, not a hole."""
    watched = outcome.termination in (Termination.MEMORY_LIMIT, Termination.OUTPUT_LIMIT)
    return watched and Said.of(outcome.stdout).beyond(attack.bound)


def weaknesses(attack: Attack, outcome: Outcome, canaries: Canaries) -> list[str]:
    """What was not contained, in words; empty: nothing."""
    said = Said.of(outcome.stdout)
    found = [f"ESCAPED {what}" for what in said.escaped]
    found += [f"the secret of {name} is in its output" for name in canaries.find_leaks(outcome.stdout, outcome.stderr)]
    if said.beyond(attack.bound):
        found.append(f"it got {said.got} {attack.bound.unit if attack.bound else ''}, beyond its bound")
    if outcome.termination.value not in attack.expect:
        ended = f"exit code {outcome.exit_code}" if outcome.signal is None else f"signal {outcome.signal}"
        found.append(f"it ended by {outcome.termination} ({ended}), not {' or '.join(sorted(attack.expect))}")
    return found + _silence(attack, outcome, said)


def _silence(attack: Attack, outcome: Outcome, said: Said) -> list[str]:
    """A complaint if the attack reported nothing, or other units than its bound's: then it proves nothing."""
    ended = outcome.termination in (Termination.EXITED, Termination.SIGNALED)
    if ended and not (said.escaped or said.held or said.absent or said.got is not None):
        return [f"it said nothing; standard error: {outcome.stderr[-500:].decode(errors='replace')!r}"]
    wrong = said.units - ({attack.bound.unit} if attack.bound else set())
    if said.units and wrong:
        return [f"it speaks of {', '.join(sorted(wrong))}, which its head does not bound"]
    return []
