"""`judge mcp`: the judge as tools of the Model Context Protocol, for agents."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Unpack

import click

import problems
from judge import ContainerError, Judge, JudgeError, SandboxError, Submission, Verdict
from judge.cli.options import Where, open_judge, walls
from judge.cli.samples import describe_samples
from judge.common.errors import ConfigError
from judge.common.text import one_line
from judge.common.whole import encode_text
from judge.judging.public import keep_samples, public
from problems import Problem, ProblemError, UnknownProblem
from problems.text.constants import substitute


@click.command("mcp")
@click.option("--samples-only", is_flag=True, help="Offer no tool `submit`: programs run on samples alone.")
@walls
def command(samples_only: bool, **where: Unpack[Where]) -> int:
    """Speak the Model Context Protocol on stdin and stdout. Tools: list_problems, show_problem, run_samples, submit.

    `submit` says what became of a program without what would reveal hidden tests. Where the judge or the machine fails,
    a tool's result is an error: nothing was found out about the program.

    \b
    Examples:
      judge mcp
      claude mcp add judge -- judge mcp --samples-only
    """
    with open_judge(where) as judge:
        make_server(judge, samples_only=samples_only).run("stdio")
    return 0


def make_server(judge: Judge, *, samples_only: bool = False) -> Any:
    """
    Raises:
        ConfigError: the protocol's package is not installed.
    """
    try:
        from mcp.server import MCPServer  # noqa: PLC0415 - an extra
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError("judge mcp needs mcp 2: run pip install '.[mcp]' in judge's checkout") from error

    def say_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
        """The protocol's package tells the agent the text of a ToolError alone."""

        @wraps(tool)
        def call(**arguments: Any) -> Any:
            try:
                return tool(**arguments)
            except (JudgeError, ProblemError, ContainerError) as error:
                raise ToolError(str(error)) from error

        return call

    server = MCPServer("judge")
    tools = Tools(judge)
    for tool in (tools.list_problems, tools.show_problem, tools.run_samples, tools.submit):
        if not (samples_only and tool == tools.submit):
            server.add_tool(say_errors(tool))
    return server


class Tools:
    """The tools. Their docstrings are what an agent reads."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def list_problems(self) -> list[str]:
        """Names of the problems."""
        return list(problems.names())

    def show_problem(self, problem: str) -> dict[str, Any]:
        """The statement, the limits and the samples of a problem. cpu_ns: null where the judge measures the limit."""
        package = _load(problem)
        return {
            "statements": {
                tag: substitute(path.read_bytes(), package.constants, f"statement {tag}").decode("utf-8", "replace")
                for tag, path in package.statements.items()
                if path.suffix in (".md", ".tex", ".txt")
            },
            "cpu_ns": package.stated_cpu_ns,
            "memory_bytes": package.limits.memory_bytes,
            "samples": describe_samples(package),
        }

    def run_samples(self, problem: str, source: str, language: str) -> dict[str, Any]:
        """Run a program on the samples of a problem. Languages are named as cpp20, c17, python3, java, rust, go."""
        samples = keep_samples(_load(problem))
        if samples is None:
            raise ProblemError(f"problem {problem} has no samples; submit the program")
        return self._judge_program(samples, source, language)

    def submit(self, problem: str, source: str, language: str) -> dict[str, Any]:
        """Judge a program on all tests of a problem. Of hidden tests only verdicts are told."""
        return self._judge_program(_load(problem), source, language)

    def _judge_program(self, problem: Problem, source: str, language: str) -> dict[str, Any]:
        """
        Raises:
            SandboxError: the judge or the machine failed. The agent is told so, instead of a verdict.
        """
        program = Submission(source=encode_text(source), problem=problem, language=language)
        judgement = self._judge.judge(program)
        if judgement.verdict is Verdict.IE:
            raise SandboxError("not judged: the judge or its machine failed; try again")
        return public(judgement, [case.name for case in problem.cases if case.sample]).as_dict()


def _load(name: str) -> Problem:
    """By its name alone: an agent must not reach the files of this machine.

    Raises:
        UnknownProblem: there is none of this name.
    """
    if name not in problems.names():
        raise UnknownProblem(one_line(name, 80))
    return problems.load(name)
