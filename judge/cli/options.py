"""The options that commands share, and their translation to `Options` and to arguments of `Judge`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypedDict, TypeVar

import click
from click.shell_completion import CompletionItem

import problems
from judge import Judge, Options
from judge.common.config import CHOSEN_LANGUAGES
from judge.common.models import Cjk, Stop
from judge.common.units import SIZE, TIME
from problems.lookup import VARIABLE, lost_directories

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Option(Protocol):
    """What `click.option` gives."""

    def __call__(self, function: _Function, /) -> _Function: ...


class Where(TypedDict):
    """The values of `walls`, by the names that click passes them under."""

    backend: str
    require: str | None
    slots: int | None
    memory_budget: int | None


class Judging(Where):
    """The values of `judging`, too."""

    time_limit: int | None
    memory_limit: int | None
    compile_time: int | None
    compile_memory: int | None
    first_failure: bool
    cjk: str
    no_confirm_tle: bool
    efficiency: bool
    at_least: float
    at_once: bool
    no_language_multiplier: bool


def complete_language(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from judge import languages  # noqa: PLC0415 - only completion lists them

    return [CompletionItem(name) for name in languages.names() if name.startswith(incomplete)]


def complete_problem(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    names = [CompletionItem(name) for name in problems.names() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def list_problems() -> tuple[str, ...]:
    """The names of all problems that have one. Directories of JUDGE_PROBLEMS that are not there are told of."""
    for directory in lost_directories():
        click.echo(f"judge: {VARIABLE} names {directory}, which is no directory", err=True)
    return problems.names()


language = click.option(
    "-l", "--language", metavar="NAME", shell_complete=complete_language, help="Language, see `judge languages`."
)

may_choose = click.option(
    "--languages",
    metavar="NAMES",
    default=",".join(CHOSEN_LANGUAGES),
    show_default=True,
    help="What a completion may choose by its fence, with their families, where its row names no language.",
)

backend = click.option("--backend", default="native", show_default=True, metavar="NAME", help="Isolation backend.")
require = click.option("--require", metavar="TIER", help="Refuse isolation weaker than this tier, e.g. full.")
slots = click.option(
    "-j", "--slots", type=click.IntRange(min=1), metavar="N", help="Programs at once (default: what fits)."
)

memory_budget = click.option(
    "--memory-budget",
    type=SIZE,
    metavar="SIZE",
    help="Memory of the judge and all that it runs, e.g. 4GiB (default: what is available, less a reserve).",
)

_WALLS = (backend, require, slots, memory_budget)
_COMPILING = (
    click.option(
        "--compile-time", type=TIME, metavar="TIME", help="CPU time of each compile, e.g. 30s (default: 10s)."
    ),
    click.option("--compile-memory", type=SIZE, metavar="SIZE", help="Memory of each compile (default: 1GiB)."),
)

_JUDGING = (
    click.option("--time-limit", type=TIME, metavar="TIME", help="CPU time of each test, e.g. 1s or 500ms."),
    click.option("--memory-limit", type=SIZE, metavar="SIZE", help="Memory of each test, e.g. 256MiB."),
    *_COMPILING,
    click.option("--first-failure", is_flag=True, help="Stop at the first counted test that is refused."),
    click.option(
        "--cjk",
        type=click.Choice([choice.value for choice in Cjk]),
        default=Options().cjk.value,
        show_default=True,
        help="What to do with test cases that hold Chinese prose instead of data.",
    ),
    click.option(
        "--at-least",
        type=click.FloatRange(0, 1),
        default=0.0,
        metavar="SCORE",
        help="Stop testing a program once its score cannot reach this any more.",
    ),
    click.option("--at-once", is_flag=True, help="Run tests of one program on all slots that are free."),
    click.option(
        "--efficiency",
        is_flag=True,
        help="Compare the CPU time of accepted programs with that of the package's own accepted submissions.",
    ),
    click.option("--no-confirm-tle", is_flag=True, help="Believe a time-out without running the test once more."),
    click.option("--no-language-multiplier", is_flag=True, help="The same time limit for every language."),
    *_WALLS,
)


def json_flag(what: str) -> _Option:
    """The flag `--json` of a command that prints `what`, as the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what} as one line of JSON.")


def _all(options: tuple[_Option, ...]) -> _Option:
    def decorate(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


#: Limits of compiles.
compiling = _all(_COMPILING)
#: Behind which walls, and how much at once: the options of `Where`.
walls = _all(_WALLS)
#: How to judge, and where: the options of `Judging`.
judging = _all(_JUDGING)


def options(how: Judging) -> Options:
    return Options(
        stop=Stop.FIRST_FAILURE if how["first_failure"] else Stop.NEVER,
        confirm_tle=not how["no_confirm_tle"],
        efficiency=how["efficiency"],
        at_least=how["at_least"],
        at_once=how["at_once"],
        language_multiplier=not how["no_language_multiplier"],
        cpu_ns=how["time_limit"],
        memory_bytes=how["memory_limit"],
        compile_cpu_ns=how["compile_time"],
        compile_memory_bytes=how["compile_memory"],
        cjk=Cjk(how["cjk"]),
    )


def open_judge(how: Where, executor: Literal["local", "ray", "server"] = "local", address: str | None = None) -> Judge:
    return Judge(
        slots=how["slots"],
        backend=how["backend"],
        require=how["require"],
        executor=executor,
        address=address,
        memory_bytes=how["memory_budget"],
    )
