"""Rows for tests of judges with several processes: C programs with each verdict, and what of a judgement must not
depend on who gave it."""

from __future__ import annotations

from pathlib import Path

from judge import Judgement, Options, Submission

ADD = b'#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n'
SOURCES = (ADD, ADD.replace(b"a + b", b"a - b"), ADD.replace(b"return 0", b"return 3"), b"int main(")
VERDICTS = ("AC", "WA", "RE", "CE")
SLEEP = b"#include <unistd.h>\nint main(void) { sleep(60); }\n"
PATIENT = Options(cpu_ns=50_000_000_000)


def rows(problem: Path, count: int) -> list[Submission]:
    """So many programs that differ, with the verdicts in turn."""
    return [
        Submission(source=SOURCES[i % 4] + b"/* %d */" % i, problem=problem, language="c17", id=str(i))
        for i in range(count)
    ]


def facts(judgement: Judgement) -> tuple[object, ...]:
    """What does not depend on when and where."""
    tests = tuple((test.name, test.verdict, test.score) for test in judgement.tests)
    output = judgement.compile and judgement.compile.output
    return judgement.id, judgement.problem, judgement.verdict, judgement.score, tests, output, judgement.error
