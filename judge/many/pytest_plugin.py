"""Verifies problem packages with pytest: each ``problem.yaml`` gives one item for the package and one for each labelled
submission. ``pytest --judge-problems -n auto`` verifies in parallel (each worker process has its own Judge).

Off unless ``--judge-problems`` or the ini setting ``judge_problems`` is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle

    from judge.common.units import Quantity
    from judge.many.pool import Judge
    from problems.model import LabelledSubmission, Problem
    from problems.validate import Finding

_JUDGE = pytest.StashKey["Judge"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("judge", "problem packages")
    group.addoption("--judge-problems", action="store_true", help="verify the problem packages among the test files")
    group.addoption("--judge-backend", default=None, help="sandbox backend (default: native)")
    group.addoption("--judge-compile-time", metavar="TIME", help="CPU time of each compile, e.g. 30s (default: 10s)")
    group.addoption("--judge-compile-memory", metavar="SIZE", help="memory of each compile (default: 1GiB)")
    group.addoption("--judge-memory-budget", metavar="SIZE", help="memory of each worker's judge, e.g. 4GiB")
    parser.addini("judge_problems", "verify the problem packages among the test files", type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    wanted = parent.config.getoption("judge_problems") or parent.config.getini("judge_problems")
    if wanted and file_path.name == "problem.yaml":
        return ProblemFile.from_parent(parent, path=file_path)
    return None


def pytest_unconfigure(config: pytest.Config) -> None:
    if (judge := config.stash.get(_JUDGE, None)) is not None:
        del config.stash[_JUDGE]
        judge.close()


class ProblemFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        import problems  # noqa: PLC0415 - a plugin is loaded by every pytest run
        from judge.many.verify import label  # noqa: PLC0415

        problem = problems.load(self.path.parent)
        yield PackageItem.from_parent(self, name="package")
        if problem.kind != "interactive":
            yield DataItem.from_parent(self, name="data")
        for submission in problem.submissions:
            yield SubmissionItem.from_parent(self, name=label(submission), submission=submission, problem=problem)


class Complaint(Exception):
    """A package is wrong. The message says how."""


class _VerifiedItem(pytest.Item):
    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        from judge import ContainerError, JudgeError, ProblemError  # noqa: PLC0415
        from judge.common.text import harmless  # noqa: PLC0415

        if isinstance(excinfo.value, (Complaint, ContainerError, JudgeError, ProblemError)):
            return harmless(str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.parent.name}: {self.name}"


class PackageItem(_VerifiedItem):
    """The package is well formed."""

    def runtest(self) -> None:
        import problems  # noqa: PLC0415
        from problems.validate import validate  # noqa: PLC0415

        _complain(validate(problems.load(self.path.parent)))


class DataItem(_VerifiedItem):
    """The package's validators accept its data."""

    def runtest(self) -> None:
        _complain(_judge(self.config).validate(self.path.parent))


def _complain(findings: Iterable[Finding]) -> None:
    """Of what is wrong. Warnings are for `judge problems verify`."""
    from problems.validate import Severity  # noqa: PLC0415

    if errors := [str(finding) for finding in findings if finding.severity is Severity.ERROR]:
        raise Complaint("\n".join(errors))


class SubmissionItem(_VerifiedItem):
    """One labelled submission gets a verdict that its label allows."""

    def __init__(self, *, submission: LabelledSubmission, problem: Problem, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._submission = submission
        self._problem = problem

    def runtest(self) -> None:
        from judge.common.units import SIZE, TIME  # noqa: PLC0415
        from judge.many.verify import compare_with_label, missing, options_for, request  # noqa: PLC0415

        compiles = (
            _quantity(self.config, "--judge-compile-time", TIME),
            _quantity(self.config, "--judge-compile-memory", SIZE),
        )
        options = options_for(self._problem, self._submission, compiles)
        submission = request(self.path.parent, self._submission, self._problem.constants)
        judge = _judge(self.config)
        if (why := missing(judge, submission)) is not None:
            pytest.skip(why)
        judgement = judge.judge(submission, options)
        if complaint := compare_with_label(self._problem, self._submission, judgement).complaint:
            raise Complaint(complaint)


def _quantity(config: pytest.Config, option: str, kind: Quantity) -> int | None:
    """
    Raises:
        UsageError: it is none.
    """
    from click import BadParameter  # noqa: PLC0415

    try:
        return None if (text := config.getoption(option)) is None else kind.convert(text, None, None)
    except BadParameter as error:
        raise pytest.UsageError(f"{option}: {error.message}") from error


def _judge(config: pytest.Config) -> Judge:
    """The Judge of this process, opened when it is first needed."""
    if (judge := config.stash.get(_JUDGE, None)) is None:
        from judge.common.units import SIZE  # noqa: PLC0415
        from judge.many.pool import Judge  # noqa: PLC0415

        backend = config.getoption("judge_backend") or "native"
        judge = Judge(slots=1, backend=backend, memory_bytes=_quantity(config, "--judge-memory-budget", SIZE))
        config.stash[_JUDGE] = judge
    return judge
