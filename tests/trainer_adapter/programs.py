"""Quick programs of every verdict for a problem that wants a + b, as completions of a model."""

from __future__ import annotations

from collections.abc import Mapping

from judge import Verdict

#: Tests of the problem; all three answers differ.
CASES: Mapping[str, tuple[str, str]] = {
    "sample/1": ("1 2\n", "3\n"),
    "secret/1": ("1 2\n", "3\n"),
    "secret/2": ("20 22\n", "42\n"),
    "secret/3": ("5 0\n", "5\n"),
    "secret/4": ("7 0\n", "7\n"),
}
METADATA = "limits: {time_limit: 0.2, memory: 64, output: 1}\n"

_READ = (
    'int scanf(const char *, ...); int printf(const char *, ...); int a, b; int main(void) { scanf("%d%d", &a, &b); '
)
RIGHT = _READ + 'printf("%d\\n", a + b); }\n'
#: Passes the last two of the four tests that count, with two outputs.
HALF = _READ + 'printf("%d\\n", a - b); }\n'
#: Passes one of four.
CONSTANT = _READ + 'printf("3\\n"); }\n'
PROGRAMS: Mapping[Verdict, str] = {
    Verdict.AC: RIGHT,
    Verdict.WA: HALF,
    Verdict.CE: "int main(void) { return undeclared; }\n",
    Verdict.RE: "int main(void) { return 3; }\n",
    Verdict.TLE: "int main(void) { for (volatile int i = 0;; i++) ; }\n",
    Verdict.MLE: "void *malloc(unsigned long); int main(void) { for (char *p; (p = malloc(1 << 20)); ) "
    "for (int i = 0; i < 1 << 20; i += 512) p[i] = 1; return 1; }\n",
    Verdict.OLE: 'int puts(const char *); int main(void) { for (;;) puts("0123456789012345678901234567"); }\n',
}


def completion(code: str, tag: str = "c") -> str:
    return f"The sum:\n```{tag}\n{code}```\n"


def message(code: str, tag: str = "c") -> list[dict[str, str]]:
    return [{"role": "assistant", "content": completion(code, tag)}]
