"""What a package's limits of output and of compiles mean for judging."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

import problems
from judge import Judge, Options, Submission, languages
from judge.common.errors import OverBudget
from judge.common.models import CompileResult
from judge.judging import limits
from judge.judging.limits import check_compile
from problems.model import MIB
from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: As a package of the ICPC states that output is not bounded.
WIDE = "limits: {time_limit: 5, memory: 256, output: 24576}\n"
FLOOD = "print('7 ' * 50_000)\n"


def test_a_limit_of_output_is_no_demand_for_memory(judges: Judges, package: MakePackage) -> None:
    problem = package({"secret/1": ("", "7\n")}, metadata=WIDE)
    judge = judges(memory_bytes=3000 * MIB)
    assert judge.judge(Submission(source=b"print(7)\n", problem=problem, language="python3")).accepted


def test_what_is_written_is_reserved(judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEPT_BYTES", 1000)
    problem = package({"secret/1": ("1\n", "7 " * 50_000), "secret/2": ("2\n", "7 " * 50_000)}, metadata=WIDE)
    flood = f"input()\n{FLOOD}"
    assert judges().judge(Submission(source=flood.encode(), problem=problem, language="python3")).accepted


def test_a_second_run_is_no_second_guess(judges: Judges, package: MakePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts only if it begins with what the first one wrote."""
    monkeypatch.setattr(limits, "KEPT_BYTES", 1000)
    problem = package({"secret/1": ("", "7 " * 50_000)}, metadata=WIDE)
    guess = f"import os\nprint(os.urandom(400).hex())\n{FLOOD}"
    judged = judges().judge(Submission(source=guess.encode(), problem=problem, language="python3"))
    assert judged.verdict == "OLE"


def test_output_above_the_stated_limit_is_too_much(judges: Judges, package: MakePackage) -> None:
    problem = package({"secret/1": ("", "7\n")}, metadata="limits: {time_limit: 5, output: 1}\n")
    source = b"print('7' * (2 << 20))\n"
    assert judges().judge(Submission(source=source, problem=problem, language="python3")).verdict == "OLE"


BUSY = {"build": "#!/bin/sh\necho warning >&2\nwhile :; do :; done\n"}


def test_what_stops_a_compile_of_the_package_is_named(judges: Judges, package: MakePackage) -> None:
    files = {f"output_validator/{name}": text for name, text in BUSY.items()}
    stated = "limits: {time_limit: 1, memory: 256, output: 8, compilation_time: 1}\n"
    problem = package({"secret/1": ("", "7\n")}, metadata=stated, files=files)
    judged = judges().judge(Submission(source=b"print(7)\n", problem=problem, language="python3"))
    assert judged.verdict == "IE"
    # Where others keep the machine busy, the clock on the wall stops it before it has had a second of a core.
    stopped = r"the compiler was stopped: (?:1 s of CPU time were not enough|it had not ended after 4 s)"
    assert re.search(rf"does not compile:\n{stopped}", str(judged.tests[0].detail))


def test_submissions_compile_under_the_package_s_limits(judges: Judges, package: MakePackage) -> None:
    stated = "limits: {time_limit: 1, memory: 256, output: 8, compilation_time: 1}\n"
    problem = package({"secret/1": ("", "7\n")}, metadata=stated)
    many = "constexpr long f(long n) { long s = 0; for (long i = 0; i < 200000; i++) s += i * n; return s; }\n"
    many += "".join(f"constexpr long x{n} = f({n});\n" for n in range(300)) + "int main() {}\n"
    judged = judges().judge(Submission(source=many.encode(), problem=problem, language="cpp17"))
    assert judged.verdict == "CE"
    assert judged.compile is not None
    assert "1 s of CPU time were not enough" in judged.compile.output


def test_less_memory_than_the_format_grants_is_no_compile_error() -> None:
    """Where the budget has no room for what is granted, a compile that needs it is refused, not CE."""
    problem = problems.load("P1001")
    granted = replace(problem, compile_memory_bytes=2048 * MIB)
    stopped = CompileResult(verdict="memory", output="")
    with pytest.raises(OverBudget, match="grants compiles 2048 MiB, and 1024 MiB were not enough"):
        check_compile(granted, Options(), languages.get("cpp17"), stopped)
    check_compile(granted, Options(compile_memory_bytes=512 * MIB), languages.get("cpp17"), stopped)
    check_compile(granted, Options(), languages.get("cpp17"), CompileResult(verdict="error", output=""))


#: Needs some 1100 MiB to compile.
LARGE = "#define A0 1,\n" + "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 22))
LARGE += "int a[] = {A21 1};\nint main() { return a[5] - 1; }\n"
#: The same of a program of the package, which then accepts all.
BUILD = "#!/bin/sh\npython3 -c 'b\"7\" * (1100 << 20)' || exit 1\nprintf '#!/bin/sh\\nexit 42\\n' > run\nchmod +x run\n"
VERSIONS = {
    "2025-09": (
        "problem_format_version: 2025-09\nname: P\nuuid: 3e9f2ac5-8a43-4d2c-9d5c-6c1f2a7b8c9d\n",
        "output_validator",
    ),
    "legacy": ("name: P\nvalidation: custom\n", "output_validators/v"),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("stated", ["", ", compilation_memory: 300"])
def test_memory_of_compiles_is_the_package_s_else_the_format_s(
    judges: Judges, package: MakePackage, version: str, stated: str
) -> None:
    head, place = VERSIONS[version]
    more = {"problem.yaml": f"{head}limits: {{memory: 256, output: 8, time_limit: 5{stated}}}\n"}
    problem = package({"secret/1": ("", "")}, files={**more, f"{place}/build": BUILD})
    judge = judges(memory_bytes=4096 * MIB)
    judged = judge.judge(Submission(source=LARGE.encode(), problem=problem, language="cpp17"))
    said = judged.compile.output if judged.compile else ""
    assert ("CE" if stated else "AC") == judged.verdict, said
    small = judge.judge(Submission(source=b"int main() {}\n", problem=problem, language="cpp17"))
    assert ("IE" if stated else "AC") == small.verdict, small.tests
    for words in (said, str(small.tests[0].detail)) if stated else ():
        assert "300 MiB of memory were not enough" in words
