"""SIGINT and SIGTERM at random moments, once or twice in a row, to each command and to a program that uses a Judge.

    python -m tests.robustness.interrupts --count 2000 [--python PATH] [--only batch,verify] [--seed N]

After each one, in the time that is promised: the process has ended with the exit code that docs/cli.md names, and
neither a process nor a temporary directory nor a cgroup of it is left.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tests.robustness.machine import cgroups

if TYPE_CHECKING:
    from trainer_adapter.training.config import AnyConfig

ROOT = Path(__file__).parents[2]
_STARTS_S = 60.0
#: What trains ends its step and keeps a checkpoint first.
_KEEPING_S = 60.0
SPINS = "int main() { for (;;) ; }\n"
ADDS = '#include <cstdio>\nint main() { long a, b; scanf("%ld%ld", &a, &b); printf("%ld", a + b); }\n'

#: A program of somebody else's, which meets KeyboardInterrupt wherever it is.
LIBRARY = """
import sys
from pathlib import Path
from judge import Judge, Options, Submission
problem, quick = sys.argv[1], b"int main() { return %d; }"
Path("begun").touch()
with Judge(slots=2) as judge:
    while True:
        batch = judge.batch()
        rows = [Submission(source=quick % (i % 7), problem=problem, language="c17") for i in range(20)]
        futures = [batch.submit(row) for row in rows]
        [future.result() for future in futures]
        list(judge.judge_many(rows, Options(verdict_cache=False)))
        judge.judge(rows[0])
        with judge.build_tests(problem):
            judge.validate(problem)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line, and what it takes at most that is of interest."""

    name: str
    argv: tuple[str, ...]
    #: Signals come within so many seconds from the moment when the command takes them.
    within_s: float = 3.0
    stdin: bytes | None = b""
    #: The exit code of each signal.
    codes: dict[int, int] | None = None
    module: str | None = "judge"
    #: It imports torch and loads a model, which costs seconds of every try: it is tried once in so many rounds.
    every: int = 1
    #: From the signal to the end of the process.
    promised_s: float = 5.0

    def code(self, number: int) -> int:
        return 128 + number if self.codes is None else self.codes[number]


def commands(home: Path) -> Iterator[Command]:
    """`home`: for the files that they read."""
    spins, adds, rows = home / "spins.cpp", home / "adds.cpp", home / "rows.jsonl"
    spins.write_text(SPINS)
    adds.write_text(ADDS)
    with rows.open("w") as file:
        for number in range(400):
            source = f"int main() {{ return {number % 3}; }} extern int number{number};"
            file.write(json.dumps({"id": number, "problem": "P1001", "source": source, "language": "cpp17"}) + "\n")
    benchmark = home / "benchmark.jsonl"
    benchmark.write_text(json.dumps({"prompt": "Read two integers and print their sum."}) + "\n")
    slow = ("--time-limit", "60s")
    yield Command(name="run", argv=("run", str(spins), "-p", "P1001", *slow))
    yield Command(name="run from stdin", argv=("run", "-", "-p", "P1001", "-l", "cpp17"), stdin=None)
    yield Command(name="batch", argv=("batch", str(rows), "-o", "out.jsonl", "-j", "2", "--no-verdict-cache"))
    yield Command(name="batch, known", argv=("batch", str(rows), "-o", "out.jsonl", "-j", "2"), within_s=1.5)
    yield Command(name="batch from stdin", argv=("batch", "-", "-o", "out.jsonl"), stdin=None)
    yield Command(name="exec", argv=("exec", str(spins), *slow))
    yield Command(name="exec from stdin", argv=("exec", str(adds)), stdin=None)
    yield Command(name="verify", argv=("problems", "verify", "P1001", "P1046", "P1047", "P1048"))
    yield Command(name="check", argv=("problems", "check", "--all"))
    yield Command(name="strength", argv=("problems", "strength", "P1001"))
    yield Command(name="stress", argv=("problems", "stress", "P1001", "--against", str(adds), "--inputs", "100000"))
    yield Command(name="calibrate", argv=("problems", "calibrate", "P1001", "--repeat", "50"))
    yield Command(name="talk", argv=("problems", "talk", "guess"), stdin=None)
    yield Command(name="serve", argv=("serve", "--port", "0", "--database", "db"), within_s=9.0, codes={2: 0, 15: 0})
    yield Command(name="selftest", argv=("selftest",))
    yield Command(name="bench", argv=("bench",))
    yield Command(
        name="library",
        argv=("-c", LIBRARY, str(ROOT / "problems/library/P1001")),
        module=None,
        codes={signal.SIGINT: -signal.SIGINT},
    )
    for name, argv in (
        ("filter", ("filter", "-", "-o", "out")),
        ("rft", ("rft", "-", "-o", "out")),
        ("pairs", ("pairs", "-", "-o", "out")),
        ("decontaminate", ("decontaminate", "-", "--against", str(benchmark), "-o", "out")),
    ):
        yield Command(name=name, argv=argv, stdin=None, module="trainer_adapter")
    yield Command(name="data", argv=("data", "inspect", str(ROOT / "problems/library")), module="trainer_adapter")


def training_commands(home: Path) -> Iterator[Command]:
    """Those that train or ask a tiny model, made in `home`; none ends by itself in the time that is of interest."""
    from tests.trainer_adapter.runs import configuration, on_examples
    from tests.trainer_adapter.tiny_model import make_tokenizer, save_model

    def write_config(config: AnyConfig, name: str) -> str:
        path = home / f"{name}.yaml"
        path.write_text(json.dumps(config.model_dump(mode="json", by_alias=True)))
        return str(path)

    model, directory = home / "model", Path("run")  # each try in a directory of its own
    save_model(model, make_tokenizer())
    examples = {"sft": {"completion": "print(1)"}, "dpo": {"chosen": "print(1)", "rejected": "print(2)"}}
    for kind, row in examples.items():
        path = home / f"{kind}.jsonl"
        path.write_text("".join(json.dumps({"prompt": f"Print {number}.", **row}) + "\n" for number in range(24)))
        steps = on_examples(kind, model, path, directory, **{kind: {"max_steps": 100_000, "save_steps": 10}})
        yield _training(kind, kind, write_config(steps, kind), promised_s=_KEEPING_S)
    endless = {"functions": ("tests.trainer_adapter.runs:endless",)}
    judged = {"functions": ("accepted",)}
    for name, reward in (("grpo, judging", endless), ("grpo", judged)):
        steps = configuration(model, directory, {"max_steps": 100_000, "save_steps": 10}, {"reward": reward})
        yield _training(name, "grpo", write_config(steps, name), promised_s=_KEEPING_S)
    config = str(home / "grpo.yaml")
    yield _training("doctor", "doctor", config, "--rollouts", "64")
    yield _training("rollout", "rollout", "--config", config, "-n", "400", "-o", "rollouts.jsonl")
    yield _training("eval", "eval", "rollouts.jsonl", "--config", config, "-n", "400")
    yield replace(_training("ask", "ask", "--config", config), stdin=None)
    yield _training("demo", "demo")


def _training(name: str, *argv: str, promised_s: float = 5.0) -> Command:
    return Command(name=name, argv=argv, module="trainer_adapter", within_s=15.0, every=6, promised_s=promised_s)


def in_turn(chosen: Sequence[Command]) -> Iterator[Command]:
    """Round after round, for ever."""
    for number in itertools.count():
        yield from (command for command in chosen if number % command.every == 0)


def takes_signals(pid: int) -> bool:
    """Whether it has a handler for SIGTERM: it is a command of ours that has begun."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


def of_session(leader: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(words[3]) == leader and words[0] not in "ZX":
                    found.append(int(entry.name))
    return found


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one interrupt."""

    command: str
    signals: tuple[int, ...]
    after_s: float
    took_s: float
    code: int
    #: What does not hold of it.
    wrong: tuple[str, ...]
    is_late: bool
    said: str


def interrupt(command: Command, signals: Sequence[int], chance: random.Random, python: str, cache: Path) -> Told | None:
    """None: it ended by itself before the signal."""
    with tempfile.TemporaryDirectory(prefix="interrupts-") as name:
        here, places = Path(name), Path(name) / "tmp"
        places.mkdir()
        environment = {
            **os.environ, "TMPDIR": str(places), "PYTHONPATH": str(ROOT), "JUDGE_CACHE_DIR": str(cache),
            "JUDGE_DEBUG": "1",
        }  # fmt: skip
        argv = (python, *(() if command.module is None else ("-m", command.module)), *command.argv)
        with (here / "said").open("w") as errors:
            process = subprocess.Popen(
                argv, cwd=here, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        of_others = cgroups(process.pid)  # who was killed, and had its number before
        with process:  # closes its pipes
            try:
                if command.stdin is not None and process.stdin is not None:
                    process.stdin.close()
                    process.stdin = None
                begun = wait_until(
                    lambda: takes_signals(process.pid) or (here / "begun").exists() or process.poll() is not None,
                    _STARTS_S,
                )
                after_s = chance.uniform(0, command.within_s)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(after_s)
                    return None
                sent_s = time.monotonic()
                for number in signals:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)  # as a terminal does
                    time.sleep(chance.choice((0, 0.01, 0.1)))
                wrong = [] if begun else ["it did not begin"]
                if command.module is None and is_lost(process, here / "said", command.promised_s):
                    sent_s = time.monotonic()
                    os.killpg(process.pid, signals[-1])
                try:
                    process.wait(command.promised_s + 30)
                except subprocess.TimeoutExpired:
                    wrong.append("it hangs: " + stacks(process.pid))
                    process.kill()
                took_s = time.monotonic() - sent_s
                said = (here / "said").read_text(errors="replace")
                wrong += find_left(process.pid, places, of_others)
            finally:
                for pid in of_session(process.pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                process.wait()
    wanted = {0, 1} if command.module else set[int]()  # it was at its end
    if said.rstrip().endswith("KeyboardInterrupt"):  # Python forgets to kill itself where a thread imports just then
        wanted.add(1)
    for number in signals:  # two at once may come in any order
        wanted |= {command.code(number)} | ({128 + number} if command.name == "serve" else set())  # while it starts
    if process.returncode not in wanted:
        wrong.append(f"exit code {process.returncode}, not {wanted}")
    if "Traceback" in said and command.module is not None:
        wrong.append("a traceback")
    return Told(
        command=command.name, signals=tuple(signals), after_s=after_s, took_s=took_s, code=process.returncode,
        wrong=tuple(wrong), is_late=took_s > command.promised_s, said=said[-3000:],
    )  # fmt: skip


def is_lost(process: subprocess.Popen[bytes], said: Path, seconds: float) -> bool:
    """Whether the interpreter has thrown the KeyboardInterrupt away, which came in a callback of its own (of a weak
    reference while a module is imported, of a finalizer): then whoever sits there types Ctrl-C again."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
        return False
    told = said.read_text(errors="replace")
    return "Exception ignored in" in told and "KeyboardInterrupt" in told


def stacks(pid: int) -> str:
    spy = [str(Path(sys.executable).parent / "py-spy"), "dump", "--pid", str(pid)]
    with suppress(OSError):
        return subprocess.run(spy, capture_output=True, text=True, check=False).stdout
    return "no py-spy"


def find_left(pid: int, places: Path, of_others: set[Path]) -> list[str]:
    """What is left of a process; waits for the kernel."""
    found: dict[str, object] = {}
    for _ in range(300):
        found = {
            "processes": of_session(pid),
            "cgroups": cgroups(pid) - of_others,
            "directories": [path.name for path in places.iterdir()],
        }
        if not any(found.values()):
            return []
        time.sleep(0.01)
    return [f"{what} left: {which}" for what, which in found.items() if which]


def signals_for(command: Command, chance: random.Random) -> tuple[int, ...]:
    kinds = tuple(command.codes) if command.codes else (signal.SIGINT, signal.SIGTERM)
    first = chance.choice(kinds)
    return (first,) if chance.random() < 0.5 else (first, chance.choice(kinds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none after so many")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", type=int, default=4)
    parser.add_argument("--cache", type=Path, default=None)
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background, also by what starts there
    ends_s = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory(prefix="interrupts-home-") as name, ThreadPoolExecutor(asked.j) as pool:
        home = Path(name)
        (cache := asked.cache or home / "cache").mkdir(exist_ok=True, parents=True)
        trains = find_spec("torch") is not None
        all_of_them = (*commands(home), *(training_commands(home) if trains else ()))
        chosen = [c for c in all_of_them if not asked.only or c.name in asked.only.split(",")]

        def one(number: int, command: Command) -> Told | None:
            if time.monotonic() > ends_s:
                return None
            chance = random.Random(f"{asked.seed} {number}")
            return interrupt(command, signals_for(command, chance), chance, asked.python, cache)

        count, late, bad, early, codes = Counter[str](), Counter[str](), 0, 0, Counter[str]()
        worst = dict[str, float]()
        for told in pool.map(one, range(asked.count), itertools.islice(in_turn(chosen), asked.count)):
            if told is None:
                early += 1
                continue
            count[told.command] += 1
            codes[f"{told.command}: {told.code}"] += 1
            late[told.command] += told.is_late
            worst[told.command] = max(worst.get(told.command, 0.0), told.took_s)
            if told.wrong or told.is_late:
                bad += bool(told.wrong)
                print(told, flush=True)
    for command in sorted(count):
        slowest = f"the slowest end after {worst[command]:.1f} s"
        print(f"{command}: {count[command]} interrupts, {slowest}, {late[command]} late")
    print(dict(sorted(codes.items())))
    print(f"{count.total()} interrupts, {bad} wrong, {late.total()} late; {early} not begun, or ended before")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
