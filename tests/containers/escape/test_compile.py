"""Attacks on the compiler, through the judge's own compile step, on every backend and tier.

What comes of the compiler (its words, the executable, and what that prints when it runs) holds no secret; it ends by
the attack's limits with a verdict that the head permits; and the next compile is right. Where compilers can be held,
those of C++ are, and the attacks go on in them.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Isolation, Outcome, RunLimits, RunSpec, Sandbox, Unsupported
from containers.launcher.driver import LauncherSandbox
from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import CompileResult
from judge.compiling import held
from judge.compiling.compiler import Compiled, Compiler
from judge.compiling.headers import SIGHTINGS
from judge.compiling.toolchain import RUN_LIMITS
from judge.selftest.canaries import Canaries
from judge.selftest.head import Attack
from judge.selftest.trial import Said
from judge.store.cache import Cache
from judge.store.memfd import memfd
from tests.containers.escape import record
from tests.containers.escape.control import compile_outside
from tests.containers.escape.neighbour import Neighbour
from tests.containers.escape.programs import Programs
from tests.containers.escape.watch import Watch

_HONEST = {
    "c17": '#include <stdio.h>\nint main(void) { int x; if (scanf("%d", &x) == 1) printf("%d\\n", 6 * x); }\n',
    "cpp17": '#include <cstdio>\nint main() { int x; if (std::scanf("%d", &x) == 1) std::printf("%d\\n", 6 * x); }\n',
    "python3": "print(6 * int(input()))\n",
}


class Lowered:
    """A real sandbox, with the attack's limits for the compiler."""

    def __init__(self, sandbox: Sandbox, limits: RunLimits) -> None:
        self._sandbox, self._limits = sandbox, limits

    @property
    def isolation(self) -> Isolation:
        return self._sandbox.isolation

    @property
    def holds(self) -> bool:
        return self._sandbox.holds

    def run(self, spec: RunSpec) -> Outcome:
        limits = self._limits
        lowered = replace(
            spec.limits,
            cpu_ns=limits.cpu_ns,
            wall_ns=limits.wall_ns,
            memory_bytes=limits.memory_bytes,
            output_bytes=limits.output_bytes,
            directory_bytes=limits.directory_bytes,
        )
        return self._sandbox.run(replace(spec, limits=lowered))

    def __getattr__(self, name: str) -> object:
        return getattr(self._sandbox, name)


@pytest.fixture(scope="module")
def cache() -> Iterator[Cache]:
    """Where users that slots lease can reach it, too."""
    directory = Path(tempfile.mkdtemp(prefix="judge-cache-", dir="/tmp"))
    directory.chmod(0o711)
    yield Cache(directory)
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def prepared() -> set[str]:
    """Languages of which the cache holds what all compiles share."""
    return set()


def test_compile_attack(
    compile_attack: Attack,
    open_slot: Callable[..., Sandbox],
    tier: str,
    programs: Programs,
    canaries: Canaries,
    cache: Cache,
    prepared: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attack, compiler, honest = compile_attack, Compiler(cache), programs.neighbour
    watch = Watch(canaries)
    slot, other = open_slot(canaries.hide), open_slot(canaries.hide)
    watch.opened()
    monkeypatch.setattr(held, "HELD_AFTER", 1)
    text = source(attack, canaries)
    try:
        complaints = []
        if attack.language not in prepared:
            for _ in range(SIGHTINGS if attack.language == "cpp17" else 1):
                complaints += _honest(compiler, attack.language, slot)
            prepared.add(attack.language)
        lowered: Sandbox = Lowered(slot, attack.limits)  # type: ignore[assignment]
        if attack.language == "cpp17" and slot.holds:
            text = b"#include <cstdio>\n" + text  # as the honest one has: where it is read, the compiler is held
            complaints += [complaint for _ in range(2) for complaint in _honest(compiler, attack.language, lowered)]
        with Neighbour(other, honest, canaries) as neighbour:
            compiled = compiler.compile(text, languages.get(attack.language), lowered)
    except (Unsupported, LanguageError) as error:
        pytest.skip(str(error))
    found = _weaknesses(attack, compiled, slot, canaries)
    complaints += neighbour.complaints() + _honest(compiler, attack.language, slot)
    if attack.language == "cpp17" and slot.holds:
        assert isinstance(slot, LauncherSandbox)
        assert any(held and held.argv[0].endswith("/cc1plus") for _, held in slot._launchers)
    slot.close()
    other.close()
    complaints += watch.found()
    record.write(
        attack=attack.name,
        tries=attack.tries,
        variant=f"{slot.isolation.backend}/{tier}",
        result="ESCAPED" if found else "held" if compiled.result.verdict in ("ok", "error") else "contained",
        termination=f"compile: {compiled.result.verdict}",
        found=found,
        side_effects=complaints,
    )
    if found or complaints:
        pytest.fail("\n".join([*found, *complaints, compiled.result.output[-1000:]]), pytrace=False)


def test_compile_control(compile_attack: Attack) -> None:
    """The same compiler with twice the limits, outside: a secret comes out, or even that is not enough."""
    attack = compile_attack
    if attack.no_control is not None:
        record.write(attack=attack.name, control=f"no: {attack.no_control}")
        return
    worked, output = compile_outside(attack, source)
    record.write(attack=attack.name, control="works" if worked else "DOES NOT WORK")
    if not worked:
        pytest.fail(output[-1000:].decode(errors="replace"), pytrace=False)


def source(attack: Attack, canaries: Canaries) -> bytes:
    """With the canaries' places in it; no cache has seen it before."""
    text = canaries.fill(attack.path.read_bytes())
    return text.replace(b"Tries:", f"{secrets.token_hex(8)}:".encode(), 1)


def _weaknesses(attack: Attack, compiled: Compiled, slot: Sandbox, canaries: Canaries) -> list[str]:
    result: CompileResult = compiled.result
    texts = [result.output.encode()]
    found = []
    if compiled.program is not None:
        with ExitStack() as stack:
            program = stack.enter_context(compiled.program)
            stdin = stack.enter_context(memfd("input", canaries.lines()))
            if program.executable is not None:
                texts.append(Path(f"/proc/self/fd/{program.executable}").read_bytes())
            limits = replace(attack.limits, processes=0)
            outcome = slot.run(program.spec(limits=limits, stdin=stdin))
        texts += [outcome.stdout, outcome.stderr]
        found += [f"ESCAPED {what}" for what in Said.of(outcome.stdout).escaped]
    found += [f"the secret of {name} is in what was compiled" for name in canaries.find_leaks(*texts)]
    if result.verdict not in attack.expect:
        found.append(f"the compile ended as {result.verdict!r}, not {' or '.join(sorted(attack.expect))}")
    return found


def _honest(compiler: Compiler, language: str, slot: Sandbox) -> list[str]:
    """Another program, compiled in the same slot: it does what it should."""
    one = f"x{secrets.token_hex(8)}"  # declared: programs that differ in a comment are compiled once
    text = f"{_HONEST[language]}{f'{one} = 0' if language == 'python3' else f'int {one};'}\n"
    compiled = compiler.compile(text.encode(), languages.get(language), slot)
    if compiled.program is None:
        return [f"an honest program does not compile: {compiled.result}"]
    with compiled.program as program, memfd("input", b"7\n") as stdin:
        outcome = slot.run(program.spec(limits=RUN_LIMITS, stdin=stdin))
    return [] if outcome.stdout == b"42\n" else [f"an honest program goes wrong: {outcome}"]
