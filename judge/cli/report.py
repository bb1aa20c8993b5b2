"""Prints a Judgement for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click

from judge.common.models import CompileResult, Judgement, TestResult, Verdict
from judge.common.text import cut, harmless, one_line, table, verdict_text
from judge.common.units import size_text, time_text


def report(judgement: Judgement) -> Iterator[str]:
    """Blocks of text: compiler output, tests, where the first failing test parts, the summary line."""
    if judgement.compile is not None and judgement.compile.output.strip():
        yield _compiler(judgement.compile)
    if judgement.tests:
        yield _tests(judgement.tests)
    failing = next((test for test in judgement.tests if test.verdict not in (Verdict.AC, Verdict.SK)), None)
    if failing is not None:
        yield _failing(failing)
    if judgement.dropped:
        reasons = [f"  {one_line(test.name)}: {one_line(test.reason)}" for test in judgement.dropped]
        yield "\n".join([f"{len(reasons)} tests dropped, they hold prose instead of data:", *reasons])
    if judgement.error:
        yield f"error: {harmless(judgement.error)}"
    yield _summary(judgement)


def _compiler(result: CompileResult) -> str:
    lines = harmless(result.output).rstrip().split("\n")
    shown = lines[:40]
    if len(lines) > len(shown):
        shown.append(f"… {len(lines) - len(shown)} more lines (--json has all)")
    return "\n".join(["compiler output:", *(f"  {line}" for line in shown)])


def _tests(tests: tuple[TestResult, ...]) -> str:
    rows = [
        (
            one_line(test.name, 40),
            verdict_text(test.verdict) + ("" if test.confirmed is None else "*"),
            time_text(test.cpu_ns),
            time_text(test.wall_ns),
            size_text(test.memory_bytes),
            one_line(_remarks(test), 70),
        )
        for test in tests
    ]
    text = table(("test", "verdict", "CPU", "wall", "memory", "detail"), rows, right={2, 3, 4})
    return f"{text}\n* run once more to confirm a time-out" if any(test.confirmed for test in tests) else text


def _remarks(test: TestResult) -> str:
    remarks = [test.detail] if test.detail else []
    if test.verdict == Verdict.PC:
        raw = "" if test.raw_score is None else f", raw score {test.raw_score:g}"
        remarks.insert(0, f"score {test.score:g}{raw}")
    if test.suspicious:
        remarks.append(f"tried {', '.join(test.suspicious)}")
    if test.cjk is not None:
        remarks.append(f"prose? {test.cjk}")
    return "; ".join(remarks)


def _failing(test: TestResult) -> str:
    lines = [f"first failing test: {one_line(test.name)} {verdict_text(test.verdict)}"]
    if test.detail:
        lines += [f"  {line}" for line in harmless(test.detail).split("\n")]
    for name, text in (("stdout", test.stdout), ("stderr", test.stderr)):
        if text.strip():
            lines += [f"  {name}:", *_excerpt(text)]
    if test.conversation:
        lines += ["  conversation (> what the program wrote, < what it read):", *_conversation(test.conversation)]
    return "\n".join(lines)


def _conversation(text: str, most: int = 8) -> list[str]:
    """Its first and its last lines."""
    lines = [f"    {cut(line)}" for line in harmless(text).expandtabs().split("\n")]
    left_out = len(lines) - 2 * most
    return lines if left_out <= 1 else [*lines[:most], f"    … {left_out} lines left out", *lines[-most:]]


def _excerpt(text: str, most: int = 8) -> list[str]:
    lines = harmless(text).expandtabs().rstrip("\n").split("\n")
    shown = [f"    {cut(line)}" for line in lines[:most]]
    return [*shown, "    …"] if len(lines) > most else shown


def _describe_objective(judgement: Judgement) -> list[str]:
    parts = []
    if (objective := judgement.objective) is not None:
        raw = "-" if judgement.raw_score is None else f"{judgement.raw_score:g}"
        best = "" if objective.best is None else f", best {objective.best:g}"
        parts.append(f"raw score {raw} ({objective.direction}{best})")
    if judgement.efficiency is not None:
        parts.append(f"{judgement.efficiency:.2f} × the fastest accepted submission")
    return parts


def _summary(judgement: Judgement) -> str:
    counts = Counter(test.verdict for test in judgement.tests)
    tests = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    parts = [
        f"score {'-' if judgement.score is None else format(judgement.score, 'g')}",
        *_describe_objective(judgement),
        f"tests: {tests or 'none'}",
        f"CPU {time_text(judgement.cpu_ns)}",
        f"memory {size_text(judgement.memory_bytes)}",
    ]
    if judgement.freopen_neutralised:
        parts.append(f"{judgement.freopen_neutralised} freopen neutralised")
    if judgement.isolation is not None:
        parts.append(f"{judgement.isolation.backend}/{judgement.isolation.tier}")
    name = click.style(f"{judgement.problem} {judgement.language}", bold=True)
    return f"{verdict_text(judgement.verdict)}  {name}  {' · '.join(parts)}"
