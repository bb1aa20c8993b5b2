"""A small batch that writes wherever a judge writes: what is expected of it, and what it may leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from judge.common.models import Verdict
from tests.packages import write_package
from tests.processes import descendants
from tests.robustness.machine import cgroups
from tests.robustness.rows import CASES, row

ROOT = Path(__file__).parents[2]
#: So many programs that begin with the same header have it precompiled; one more is compiled with it.
_SAME_HEADER = 7
_SUM = "print(sum(map(int, input().split())))"
_CHECKER = """
int main(int argc, char **argv) {
    FILE *answer = fopen(argv[2], "r");
    long long theirs = 0, ours = 1;
    if (!answer || fscanf(answer, "%lld", &theirs) != 1 || scanf("%lld", &ours) != 1) return 43;
    return theirs == ours ? 42 : 43;
}
"""
_GENERATED: Mapping[str, str] = {
    "generators/gen.py": "import sys\nprint(*range(int(sys.argv[1])))\n",
    "generators/generators.yaml": 'solution: /submissions/accepted/std.py\ndata:\n  secret:\n    data:\n'
    '      - "02-made": gen.py 9\n      - "03-made": gen.py 99\n',
    "submissions/accepted/std.py": _SUM,
}  # fmt: skip

#: A batch that takes seconds.
_HANGS_S = 180

#: What a row is worth: verdict, score, verdicts of the tests.
Facts = tuple[object, ...]


class Broken(Exception):
    """A promise that did not hold; says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A row, and the verdict that its program earns."""

    verdict: Verdict
    id: str
    problem: Path
    language: str
    source: str

    def line(self) -> str:
        return json.dumps(
            {"id": self.id, "problem": str(self.problem), "language": self.language, "source": self.source}
        )


def every_writer(root: Path) -> Iterator[Expected]:
    """Programs that together make the judge write each kind of file: objects, link objects, precompiled headers,
    verdicts, generated data, a compiled checker, packages as they were read."""
    plain = write_package(root / "plain", CASES)
    checked = write_package(
        root / "checked", CASES, files={"output_validator/check.c": "#include <stdio.h>\n" + _CHECKER}
    )
    generated = write_package(root / "generated", {"secret/1": ("1 2\n", "3\n")}, files=_GENERATED)
    for number in (0, 2, 4, 6, 8):  # AC, WA, RE, AC in Python, CE
        verdict, submission = row(number, plain)
        yield Expected(
            verdict=verdict,
            id=f"plain-{number}",
            problem=plain,
            language=submission.language,
            source=submission.source.decode(),
        )
    scan = 'int main() { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }'
    for number in range(_SAME_HEADER):
        source = f"#include <cstdio>\n{scan}\nextern int number{number};\n"
        yield Expected(verdict=Verdict.AC, id=f"header-{number}", problem=plain, language="cpp17", source=source)
    yield Expected(verdict=Verdict.AC, id="checked", problem=checked, language="python3", source=_SUM)
    yield Expected(verdict=Verdict.AC, id="generated", problem=generated, language="python3", source=_SUM)


def mixed(root: Path, count: int, first: int = 0) -> Iterator[Expected]:
    """Quick programs of every verdict, half of them like no other number's."""
    problem = root / "mixed"
    if not problem.exists():
        write_package(problem, CASES)
    for number in range(first, first + count):
        verdict, submission = row(number, problem)
        yield Expected(
            verdict=verdict,
            id=str(number),
            problem=problem,
            language=submission.language,
            source=submission.source.decode(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Rows, where they are judged into, and the cache that is used: all below `root`."""

    root: Path
    rows: tuple[Expected, ...]

    @property
    def out(self) -> Path:
        return self.root / "out" / "results.jsonl"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def given(self) -> Path:
        return self.root / "rows.jsonl"

    def prepare(self) -> None:
        self.root.chmod(0o755)  # users that slots lease pass through
        self.given.write_text("".join(f"{expected.line()}\n" for expected in self.rows))
        for directory in (self.out.parent, self.cache):
            directory.mkdir(mode=0o711, exist_ok=True)

    def command(self, *flags: str) -> tuple[str, ...]:
        limits = ("--time-limit", "200ms", "--memory-limit", "64MiB")
        return (
            *(sys.executable, "-m", "judge", "batch", str(self.given), "-o", str(self.out), "--resume"),
            *limits,
            *flags,
        )

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "JUDGE_CACHE_DIR": str(self.cache), **more}

    def written(self) -> dict[str, Facts]:
        """The whole lines of the output.

        Raises:
            Broken: a row stands there twice.
        """
        found: dict[str, Facts] = {}
        lines = self.out.read_bytes().splitlines(keepends=True) if self.out.exists() else []
        for line in lines:
            if not line.endswith(b"\n"):
                continue
            result = json.loads(line)
            if result["id"] in found:
                raise Broken(f"row {result['id']} was judged twice")
            tests = tuple((test["name"], test["verdict"]) for test in result.get("tests") or ())
            found[result["id"]] = (result["verdict"], result.get("score"), tests, result.get("error"))
        return found

    def forget_errors(self) -> None:
        """What a person does with rows that got an error: they are to be judged again."""
        lines = self.out.read_bytes().splitlines(keepends=True) if self.out.exists() else []
        whole = (line for line in lines if line.endswith(b"\n"))
        self.out.write_bytes(b"".join(line for line in whole if json.loads(line)["verdict"] not in (None, "IE")))

    def wrong(self, found: Mapping[str, Facts]) -> dict[str, Facts]:
        """Rows that got another verdict than they earn."""
        earned = {expected.id: expected.verdict.value for expected in self.rows}
        return {id_: facts for id_, facts in found.items() if facts[0] != earned[id_]}

    def complete(self) -> None:
        """
        Raises:
            Broken: not every row stands there once with the verdict that it earns.
        """
        found = self.written()
        missing = [expected.id for expected in self.rows if expected.id not in found]
        if missing or (wrong := self.wrong(found)):
            raise Broken(f"rows missing: {missing}" if missing else f"rows with another verdict: {wrong}")

    def left(self, pid: int, seen: set[int] | None = None, killed: int = 0) -> None:
        """
        Args:
            killed: how many judges were killed. Each may have been writing an entry of the cache: the half of it that
                was written is evicted as whole ones are.

        Raises:
            Broken: the judge of this number, which is gone, left something.
        """
        temporary = [path for path in self.cache.rglob("*") if path.name.startswith((".new-", "building-"))]
        entries = [path for path in temporary if path.is_file() and path.is_relative_to(self.cache / "objects")]
        if len(entries) <= killed:
            temporary = [path for path in temporary if path not in entries]
        running = [other for other in seen or () if Path(f"/proc/{other}").exists()]
        found = {"files": temporary, "processes": running, "cgroups": cgroups(pid), "children": descendants(pid)}
        if any(found.values()):
            raise Broken(f"left: { {what: which for what, which in found.items() if which} }")


def sweep(judge: int) -> None:
    """What a killed judge leaves of cgroups, empty ones, the next one removes when they are a minute old; here at once.

    Raises:
        Broken: a process lives there.
    """
    for group in cgroups(judge):
        with suppress(FileNotFoundError):
            for _ in range(500):  # launchers notice that it is gone
                if not (holds := (group / "cgroup.procs").read_text().split()):
                    break
                time.sleep(0.02)
            if holds:
                raise Broken(f"{group} holds processes {holds}")
            group.rmdir()


def run(job: Job, *flags: str, before: Callable[[], None] | None = None, **environment: str) -> tuple[int, str, int]:
    """Exit code, what it said on stderr, its number. `before` is called in the new process.

    Raises:
        Broken: it hangs.
    """
    judge = subprocess.Popen(
        job.command(*flags),
        env=job.environment(**environment),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        preexec_fn=before,  # noqa: PLW1509 - this process has one thread
    )
    try:
        _, said = judge.communicate(timeout=_HANGS_S)
    except subprocess.TimeoutExpired:
        raise Broken(f"it hangs: no end after {_HANGS_S} s") from None
    finally:
        judge.kill()
        judge.wait()
    return judge.returncode, said.decode(errors="replace"), judge.pid
