"""Quick submissions of every verdict, some of them compiled anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from judge import Submission, Verdict

CASES: Mapping[str, tuple[str, str]] = {"secret/1": ("1 2\n", "3\n"), "secret/2": ("20 22\n", "42\n")}

_HEAD = "int scanf(const char *, ...); int printf(const char *, ...); void *malloc(unsigned long);\n"
_PROGRAMS: tuple[tuple[Verdict, str, str], ...] = (
    (Verdict.AC, "c17", _HEAD + 'int main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }'),
    (Verdict.WA, "c17", _HEAD + 'int main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a - b); }'),
    (Verdict.RE, "c17", "int main(void) { return 3; }"),
    (Verdict.AC, "python3", "print(sum(map(int, input().split())))"),
    (Verdict.CE, "c17", "int main(void) { return x; }"),
    (Verdict.RE, "c17", "int raise(int); int main(void) { raise(9); }"),
    (Verdict.MLE, "c17", _HEAD + "int main(void) { for (char *p; (p = malloc(1 << 20)); ) for (int i = 0; i < 1 << 20; "
     "i += 512) p[i] = 1; return 1; }"),
)  # fmt: skip
_SLOW = (Verdict.TLE, "c17", "int main(void) { for (volatile int i = 0;; i++) ; }")
_COMMENT = {"c17": "//", "python3": "#"}


def row(number: int, problem: Path) -> tuple[Verdict, Submission]:
    """The submission of that number and its verdict. Half of them are like no other."""
    verdict, language, program = _SLOW if number % 20 == 9 else _PROGRAMS[number // 2 % len(_PROGRAMS)]
    distinct = number if number % 2 else 0
    source = f"{program}\n{_COMMENT[language]} {distinct}\n".encode()
    return verdict, Submission(source=source, problem=problem, language=language, id=str(number))
