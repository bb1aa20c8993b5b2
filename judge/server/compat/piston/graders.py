"""The packages that open-r1 adds to Piston: tests of the IOI and of Codeforces, one a request, judged as a problem.

    cms_ioi         graders/NAME.cpp (the submission), other files of graders/ (grader.cpp or stub.cpp, headers),
                    checker/ (checker.cpp), graders/manager.cpp, input.txt, correct_output.txt
    c++17,          main.cpp or main.python (the submission), input.txt, correct_output.txt, grader_config (lines
    cf_python3      TIME_LIMIT=seconds, MEMORY_LIMIT=MB, INPUT_MODE=stdio or file), and perhaps checker.py

`run.stdout` is the score, 0 to 1, and `run.stderr` the reason. (Shapes: open_r1/utils/competitive_programming/.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from judge.common.models import CompileResult, Judgement, Options, Submission, Verdict
from judge.server.compat import inline
from judge.server.compat.piston.answers import show_compile, stage
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES
from judge.server.service import Service
from problems.model import (
    MIB,
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Grader,
    Limits,
    Manager,
    Problem,
    Program,
)

#: Its names of these packages, and the version that they have.
IOI = "cms_ioi"
_PYTHON = "cf_python3"
CODEFORCES = ("codeforces", _PYTHON)
VERSION = "1.0.0"
#: A request with such a file is for the package of Codeforces, whatever language it names.
CONFIG = "grader_config"
_INPUT, _ANSWER, _CHECKER = "input.txt", "correct_output.txt", "checker.py"
#: What open-r1 adds to a time limit when it asks for a `run_timeout`.
_BEYOND_S = 3
_OWN_MAIN = ("grader.cpp", "stub.cpp")
_REASONS = {
    Verdict.TLE: "Time limit exceeded",
    Verdict.MLE: "Memory limit exceeded",
    Verdict.OLE: "Output limit exceeded",
    Verdict.WA: "Output isn't correct",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request."""

    language: str
    #: In their order, by path.
    files: Mapping[str, bytes]
    #: In ms and bytes; None: not given.
    run_timeout_ms: int | None
    run_memory_bytes: int | None


def is_meant(language: str, names: Sequence[str]) -> bool:
    """Whether a request is for one of these packages."""
    return language in (IOI, *CODEFORCES) or CONFIG in names


async def run(asked: Asked, service: Service) -> dict[str, Any]:
    """The stages of Piston's answer. Raises Unusable, Failed, Refused."""
    async with inline.directory() as where:
        source, language, problem = _ioi(asked, where) if asked.language == IOI else _codeforces(asked, where)
        options = Options(language_multiplier=False)
        submission = Submission(source=source, problem=problem, language=language)
        judgement = await inline.judge_inline(submission, options, service, checked=True)
    return {
        "compile": show_compile(judgement.compile or CompileResult(verdict="ok")),
        "run": _show_judgement(judgement),
    }


def _show_judgement(judgement: Judgement) -> dict[str, Any]:
    if judgement.verdict is Verdict.CE:
        return stage(None, "", "", 1, "RE", None, None, None, None)
    test = judgement.tests[0]
    score = f"{test.score:g}" if test.score else "0"
    reason = _REASONS.get(test.verdict, test.detail or test.verdict.value)
    told = "Output is correct" if test.verdict is Verdict.AC else f"{reason}\n{test.detail}".strip()
    return stage(None, score, told, 0, None, test.cpu_ns, test.wall_ns, test.memory_bytes, None)


def _ioi(asked: Asked, where: Path) -> tuple[bytes, str, Problem]:
    sources = [name for name in asked.files if name.startswith("graders/") and name.endswith(".cpp")]
    if not sources or sources[0] != next(iter(asked.files)):
        raise inline.Unusable(f"{IOI}: the first file is graders/NAME.cpp, the submission")
    own = sources[0]
    beside = [
        _write_file(where / "graders", name, text) for name, text in asked.files.items() if _of(name, "graders", own)
    ]
    checks = [
        _write_file(where / "checker", name, text) for name, text in asked.files.items() if _of(name, "checker", "")
    ]
    first = {path.name: path for path in (*checks, *beside) if path.name in ("checker.cpp", "manager.cpp")}
    linked = tuple(path for path in beside if path.suffix == ".h" or path.name in _OWN_MAIN)
    checker: Checker = Comparison()
    if "checker.cpp" in first:
        checker = _cms(first["checker.cpp"], [*checks, *beside])
    manager = (
        Manager(program=_cms(first["manager.cpp"], beside), processes=1, fifos=True) if "manager.cpp" in first else None
    )
    timeout_ms = asked.run_timeout_ms or 0
    limits = _limits(timeout_ms / 1000 - _BEYOND_S if timeout_ms > _BEYOND_S * 1000 else 2, asked.run_memory_bytes)
    grader = Grader(files={"cpp": linked}, submission_name={"cpp": PurePosixPath(own).name}) if linked else None
    problem = _problem(where, asked, limits, checker, grader=grader, manager=manager)
    return asked.files[own], "cpp17", problem


def _codeforces(asked: Asked, where: Path) -> tuple[bytes, str, Problem]:
    own = next(iter(asked.files))
    language = "python3" if asked.language == _PYTHON or own.endswith((".py", ".python")) else "cpp17"
    config = dict(
        line.split("=", 1)
        for line in asked.files.get(CONFIG, b"").decode("utf-8", "replace").splitlines()
        if "=" in line
    )
    limits = _limits(_number(config, "TIME_LIMIT", 2), int(_number(config, "MEMORY_LIMIT", 256) * MIB))
    checker: Checker = Comparison()
    if text := asked.files.get(_CHECKER):
        checker = _cms(_write_file(where / "checker", _CHECKER, text), ())
    file_io = FileIO(input=_INPUT, output="output.txt") if config.get("INPUT_MODE", "").strip() == "file" else None
    return asked.files[own], language, _problem(where, asked, limits, checker, file_io=file_io)


def _problem(where: Path, asked: Asked, limits: Limits, checker: Checker, **more: Any) -> Problem:
    if _INPUT not in asked.files:
        raise inline.Unusable(f"{_INPUT} is not among the files")
    test = inline.case(where, 0, asked.files[_INPUT], asked.files.get(_ANSWER, b""))
    problem = inline.make_problem(asked.language, where, [test])
    return replace(problem, limits=limits, checker=checker, **more)


def _cms(first: Path, others: Sequence[Path]) -> Program:
    """A checker or manager of the convention of CMS, with the headers beside it."""
    headers = tuple(path for path in others if path.suffix in (".h", ".hpp"))
    return Program(convention=Convention.CMS, sources=(first, *headers))


def _of(name: str, directory: str, own: str) -> bool:
    return name.startswith(f"{directory}/") and name != own


def _write_file(where: Path, name: str, content: bytes) -> Path:
    return inline.write_file(where, PurePosixPath(name).name, content)


def _number(config: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(config.get(name, default))
    except ValueError as error:
        raise inline.Unusable(f"{CONFIG}: {name} is no number") from error
    if not 0 < value < float("inf"):
        raise inline.Unusable(f"{CONFIG}: {name} is not positive")
    return value


def _limits(cpu_s: float, memory_bytes: int | None) -> Limits:
    memory = memory_bytes or 256 * MIB
    if cpu_s * SECOND_NS > MOST_CPU_NS or not 0 < memory <= MOST_MEMORY_BYTES:
        raise inline.Unusable("its limits are larger than this server allows")
    return Limits(cpu_ns=max(1, int(cpu_s * SECOND_NS)), memory_bytes=memory)
