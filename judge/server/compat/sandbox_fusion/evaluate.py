"""Judges the program of a completion on tests that came with a request, or on a problem of this server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge import languages
from judge.checkers.assertions import NotHeld
from judge.checkers.assertions.reading import read_assertions
from judge.checkers.calls import Call, NotACall
from judge.common.errors import LanguageError
from judge.common.models import Judgement, Options, Stop, Submission, TestResult, Verdict
from judge.common.whole import encode_text
from judge.judging.public import public
from judge.languages.extraction import extract, read_answer
from judge.server.compat import inline
from judge.server.compat.sandbox_fusion.datasets import Case, Wrong
from judge.server.compat.sandbox_fusion.requests import Id, TestConfig, our_language
from judge.server.compat.sandbox_fusion.running import command, find_signal, response, seconds
from judge.server.guarding.keys import Caller
from judge.server.service import Service
from problems.model import (
    MIB,
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    Function,
    Limits,
    Mode,
    Problem,
    Program,
    TestCase,
)

_MEMORY_BYTES = 1024 * MIB
_RUN_S, _COMPILE_S = 10.0, 10.0
_SPECIAL_S = 10
_MOST_TESTS = 1000
#: So much of a test's texts is told, unless all is asked for.
_TOLD = 1000
#: Verdicts of tests whose program ended well.
_RAN = (Verdict.AC, Verdict.WA, Verdict.PC, Verdict.PE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    text: str
    #: As SandboxFusion calls how it was found.
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """ScaleBox's special judge: it finds three files, and its exit code is its word."""

    source: bytes
    #: Our name of it.
    language: str

    def write(self, where: Path) -> Program:
        path = where / "special_judge"
        path.write_bytes(self.source)
        limits = Limits(cpu_ns=_SPECIAL_S * SECOND_NS, memory_bytes=_MEMORY_BYTES)
        return Program(convention=Convention.SCALEBOX, sources=(path,), language=self.language, limits=limits)


def special(config: TestConfig) -> Special | None:
    """Raises Wrong."""
    source = config.extra.get("special_judge_program")
    if source is None or source == "":
        return None
    language = config.extra.get("special_judge_language") or "python"
    if not (isinstance(source, str) and isinstance(language, str)):
        raise Wrong("config.extra.special_judge_program and special_judge_language are texts")
    try:
        return Special(source=encode_text(source), language=our_language(language))
    except LanguageError as error:
        raise Wrong(f"special_judge_language: {error}") from None


def code(completion: str, config: TestConfig) -> Code:
    """The program of a completion, by the judge's rule; else the block that the completion's end cut off.

    Raises:
        Wrong: the language is unknown, or an extraction of the caller's own is asked for.
    """
    if config.custom_extract_logic:
        raise Wrong("custom_extract_logic is not run here: send the program as a fenced block")
    try:
        found = extract(completion, language_of(config))
    except LanguageError as error:
        raise Wrong(str(error)) from error
    if found.code is not None:
        return Code(text=found.code, kind="fenced")
    open_ = [block for block in read_answer(completion).blocks if not block.closed and block.code.strip()]
    return Code(text=open_[-1].code, kind="incomplete_fenced") if open_ else Code(text="", kind="empty")


def language_of(config: TestConfig) -> str:
    if not config.language:
        raise Wrong("config.language field must exist, got None")
    return our_language(config.language)


async def on_cases(id_: Id, found: Code, given: Sequence[Case], config: TestConfig, service: Service) -> dict[str, Any]:
    """A special judge rules on each output, one equal to the answer, too. Raises Wrong, Unusable, Failed, Refused."""
    infos = [{"input": case.input, "output": case.output} for case in given]
    tests = [(encode_text(case.input.get("stdin", "")), encode_text(case.output["stdout"])) for case in given]
    files = [{name: encode_text(text) for name, text in case.input.items() if name != "stdin"} for case in given]
    checker: Comparison | Special = special(config) or Comparison()
    if (tolerance := config.extra.get("float_tolerance")) is not None:
        if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance <= 1:
            raise Wrong("config.extra.float_tolerance is a number between 0 and 1")
        if isinstance(checker, Special):
            raise Wrong("config.extra holds float_tolerance and special_judge_program: only one can rule")
        checker = Comparison(mode=Mode.FLOAT, absolute_tolerance=tolerance, relative_tolerance=tolerance)
    return await _inline(id_, found, tests, files, checker, None, infos, config, service)


async def on_calls(
    id_: Id, found: Code, name: str, given: Sequence[tuple[Any, Any, Call]], config: TestConfig, service: Service
) -> dict[str, Any]:
    """`given`: input and output of each test as the request has them, and its call. Raises as `on_cases`."""
    if not name.isidentifier():
        raise Wrong("test_cases.fn_name is the name of a function")
    infos = [{"type": "function_call", "fn_name": name, "input": one, "output": two} for one, two, _ in given]
    try:
        tests = [(call.input().encode(), call.answer().encode()) for *_, call in given]
    except NotACall as error:
        raise Wrong(f"test_cases: {error}") from None
    comparison = Comparison(mode=Mode.JSON, absolute_tolerance=1e-9, relative_tolerance=1e-9)
    function = Function(name=name, integer_keys=True)
    return await _inline(id_, found, tests, [{}] * len(tests), comparison, function, infos, config, service)


async def on_assertions(
    id_: Id, found: Code, tests: Mapping[str, Any], config: TestConfig, service: Service
) -> dict[str, Any]:
    """`tests`: ScaleBox's `test` and `entry_point`. None runs in the program's process. Raises as `on_cases`."""
    text, name = tests.get("test"), tests.get("entry_point") or ""
    if not (isinstance(text, str) and isinstance(name, str)):
        raise Wrong("with type assert, test_cases holds test and entry_point, texts")
    try:
        held = await asyncio.to_thread(read_assertions, text, name)
    except NotHeld as error:
        raise Wrong(f"test_cases: {error}") from None
    if held.left_out:
        raise Wrong(f"test_cases: {held.left_out} assertions are of no form that can be held")
    given = [(encode_text(one.input), encode_text(one.output)) for one in held.tests]
    comparison = Comparison(
        mode=Mode.JSON, absolute_tolerance=held.absolute_tolerance, relative_tolerance=held.relative_tolerance
    )
    infos = [{"type": "assert", "fn_name": held.function.name, "input": one.input} for one in held.tests]
    return await _inline(id_, found, given, [{}] * len(given), comparison, held.function, infos, config, service)


async def on_problem(
    id_: Id, found: Code, problem: Problem, config: TestConfig, caller: Caller, service: Service
) -> dict[str, Any]:
    """Without what would reveal hidden tests, unless the key may read them. Raises as `on_cases`."""
    reads = caller.may("read")
    judgement = await _judge_row(
        found, problem, config, service, options=_options(config, own_limits=False), reads=reads
    )
    if not reads:
        judgement = public(judgement, [case.name for case in problem.cases if case.sample])
    return _result(id_, found, judgement, [None] * len(judgement.tests))


async def _inline(
    id_: Id,
    found: Code,
    tests: Sequence[tuple[bytes, bytes]],
    files: Sequence[dict[str, bytes]],
    checker: Comparison | Special,
    function: Function | None,
    infos: Sequence[dict[str, Any]],
    config: TestConfig,
    service: Service,
) -> dict[str, Any]:
    if len(tests) > _MOST_TESTS:
        raise Wrong(f"{len(tests)} tests, more than {_MOST_TESTS}")
    async with inline.directory() as where:
        cases = await asyncio.to_thread(_cases, where, tests, files)
        ruling: Checker = checker.write(where) if isinstance(checker, Special) else checker
        problem = inline.make_problem("provided_data", where, cases)
        limits = Limits(memory_bytes=_MEMORY_BYTES)
        problem = replace(problem, checker=ruling, function=function, limits=limits)
        judgement = await _judge_row(found, problem, config, service, options=_options(config, own_limits=True))
    told = infos if config.extra.get("return_full_case") else [_short(info) for info in infos]
    return _result(id_, found, judgement, told)


def _cases(
    where: Path, tests: Sequence[tuple[bytes, bytes]], files: Sequence[dict[str, bytes]]
) -> tuple[TestCase, ...]:
    """Raises as `inline.case`."""
    return tuple(
        inline.case(where, number, given, wanted, extra)
        for number, ((given, wanted), extra) in enumerate(zip(tests, files, strict=True))
    )


def _options(config: TestConfig, *, own_limits: bool) -> Options:
    """`own_limits`: the request says them, or SandboxFusion's hold; else the problem's."""
    run_s = config.run_timeout or (_RUN_S if own_limits else None)
    try:
        return Options(
            stop=Stop.NEVER if config.extra.get("run_all_cases") else Stop.FIRST_FAILURE,
            cpu_ns=None if run_s is None else seconds(run_s),
            compile_cpu_ns=seconds(config.compile_timeout or _COMPILE_S),
            language_multiplier=not own_limits,
        )
    except ValueError as error:
        raise Wrong(str(error)) from error


async def _judge_row(
    found: Code, problem: Problem, config: TestConfig, service: Service, *, options: Options, reads: bool = True
) -> Judgement:
    submission = Submission(source=encode_text(found.text), problem=problem, language=language_of(config))
    checked = isinstance(problem.checker, Program) and problem.checker.convention is Convention.SCALEBOX
    return await inline.judge_inline(submission, options, service, checked=checked, reads=reads)


def _result(id_: Id, found: Code, judgement: Judgement, infos: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    tests = []
    compiled = _show_compile(judgement)
    if judgement.verdict is Verdict.CE:
        info = response("Failed", "", compiled)
        tests.append({"passed": False, "exec_info": info, "test_info": infos[0] if infos else None})
    for test, told in zip(judgement.tests, infos, strict=False):
        if test.verdict is not Verdict.SK:
            info = response("Success" if test.verdict in _RAN else "Failed", test.detail, compiled, _ran(test))
            tests.append({"passed": test.verdict is Verdict.AC, "exec_info": info, "test_info": told})
    return {
        "id": id_,
        "accepted": judgement.accepted,
        "extracted_code": found.text,
        "full_code": None,
        "test_code": None,
        "tests": tests,
        "extracted_type": found.kind,
        "extra": None,
    }


def _show_compile(judgement: Judgement) -> dict[str, Any] | None:
    result = judgement.compile
    if result is None or not (languages.get(judgement.language).compile.output or result.verdict != "ok"):
        return None
    late = result.verdict == "time"
    code_ = None if late else int(result.verdict != "ok")
    return command("TimeLimitExceeded" if late else "Finished", result.wall_ns, code_, "", result.output)


def _ran(test: TestResult) -> dict[str, Any]:
    if test.verdict is Verdict.TLE:
        return command("TimeLimitExceeded", test.wall_ns, None, test.stdout, test.stderr)
    code_ = test.exit_code if test.exit_code is not None else find_signal(test.signal)
    if test.exit_code is None and test.signal is None and test.verdict in _RAN:
        code_ = 0  # of a hidden test it is not told; but that it ended well is
    return command("Finished", test.wall_ns, code_, test.stdout, test.stderr)


def _short(info: dict[str, Any]) -> dict[str, Any]:
    def cut(value: Any) -> Any:
        if isinstance(value, str) and len(value) > _TOLD:
            return f"{value[:_TOLD]}… ({len(value)} characters)"
        return {name: cut(one) for name, one in value.items()} if isinstance(value, dict) else value

    return {name: cut(value) for name, value in info.items()}
