"""The command line: `judge COMMAND …`.

Exit codes of every command: 0 success, 1 done but not passed, 2 error, 130 interrupted, 143 asked to end. Results go to
stdout; errors and progress go to stderr. An error is one line; JUDGE_DEBUG=1 shows its traceback.

A command's module is imported when it is called, so `judge --help` only imports click.
"""

from __future__ import annotations

import errno
import gc
import io
import logging
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from judge.common.collecting import COLLECTED_AFTER
from judge.common.ending import failed_for_the_end, run_command
from judge.common.installed import installed_version

#: Line that `judge --help` shows. A command's module is judge.cli.NAME (its attribute `command`).
COMMANDS = {
    "run": "Judge one program on one problem.",
    "exec": "Run one program in the sandbox, without a problem.",
    "batch": "Judge many programs, one JSON line each.",
    "serve": "Serve the judge over HTTP.",
    "mcp": "Serve agents the judge as tools (Model Context Protocol).",
    "problems": "List, show, verify, check and create problem packages.",
    "languages": "Show languages and the toolchains that were found.",
    "bench": "Measure what judging costs on this machine.",
    "cache": "Show, warm, clear or prune the cache.",
    "doctor": "Say what this machine grants and what is missing.",
    "selftest": "Try on this machine whether the sandbox holds.",
    "completion": "Print the completion script of a shell.",
}


#: The page of the documentation that explains each command.
PAGES = {
    "run": "docs/cli.md#one-program",
    "exec": "docs/cli.md#a-program-without-a-problem",
    "batch": "docs/cli.md#many-programs",
    "serve": "docs/serve.md",
    "mcp": "docs/cli.md#tools-for-agents",
    "problems": "docs/packages.md",
    "languages": "docs/languages.md",
    "bench": "docs/performance.md",
    "cache": "docs/cli.md#settings",
    "doctor": "docs/troubleshooting.md",
    "selftest": "docs/security.md",
    "completion": "docs/cli.md#shell-completion",
}

#: What to do when the machine has run out of something.
_REMEDIES: Mapping[int, str] = {
    errno.ENOSPC: "free space there, or name another place",
    errno.EDQUOT: "free space there, or name another place",
    errno.EROFS: "name another place",
    errno.EIO: "the disk fails (see dmesg): name another place",
    errno.ENOMEM: "free memory, or judge fewer at once (-j)",
    errno.EMFILE: "raise the limit of open files (ulimit -n), or judge fewer at once (-j)",
    errno.ENFILE: "raise the machine's limit of open files (sysctl fs.file-max)",
    errno.EAGAIN: "raise the limit of processes (ulimit -u, or pids.max of the cgroup), or judge fewer at once (-j)",
}


class Commands(click.Group):
    """Commands that are imported when they are called: `modules` says from where (MODULE, whose `command` it is, or
    MODULE:NAME), `lines` what help shows of them, `pages` where the documentation has more."""

    def __init__(
        self, *, modules: Mapping[str, str], lines: Mapping[str, str], pages: Mapping[str, str], **attributes: Any
    ) -> None:
        super().__init__(**attributes)
        self._modules, self._lines, self._pages = modules, lines, pages

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._modules:
            return None
        module, _, name = self._modules[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        if not gc.isenabled():
            gc.freeze()
            gc.set_threshold(*COLLECTED_AFTER)
            gc.enable()
        _refer(command, self._pages[cmd_name])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))


def _refer(command: click.Command, page: str) -> None:
    """Have its help, and that of commands below it, name the page, unless they name one of their own."""
    command.epilog = command.epilog or f"Documentation: {page}"
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _refer(below, page)


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        installed = installed_version()
        click.echo(f"judge {installed}" if installed else "judge, from a source tree that is not installed")
        ctx.exit()


@click.group(
    "judge",
    cls=Commands,
    modules={name: f"judge.cli.{name}" for name in COMMANDS},
    lines=COMMANDS,
    pages=PAGES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Exit codes: 0 success, 1 judged but not accepted, 2 error. JUDGE_DEBUG=1 shows the traceback of an error. "
    "Documentation: docs/cli.md",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli() -> None:
    """Judge untrusted programs on programming problems, inside a sandbox.

    \b
    Examples:
      judge run solution.cpp --problem P1001
      judge batch rollouts.jsonl -o results.jsonl -j 4
      judge problems list
      judge doctor
    """


def process() -> int:
    """`main` for a process of its own, which keeps what it imports until it ends: the garbage collector need not look
    at it, neither meanwhile nor at the end."""
    gc.disable()  # until the command is imported
    _tell()
    return run_command("judge", main)


def _tell() -> None:
    """From now on stderr is told what takes long the first time, and what went wrong and is tried again."""
    logger = logging.getLogger("judge")
    logger.addHandler(logging.StreamHandler())  # without "judge:", which begins the line of an error
    logger.setLevel(logging.INFO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    return invoke(cli, arguments)


def invoke(group: click.Group, arguments: Sequence[str] | None = None, *, extra: str | None = None) -> int:
    """Run one command of a program; returns the exit code. The boundary of the process.

    `extra` of this package brings what its commands import beside what is always there.
    """
    name = group.name or ""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a title in Chinese must not end a command in a Latin-1 locale
            stream.reconfigure(errors="backslashreplace")
    try:
        code = group.main(arguments, prog_name=name, standalone_mode=False)
    except click.Abort:
        click.echo(f"{name}: interrupted", err=True)
        return 130
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2; before, it is no error
            click.echo(error.format_message(), err=True)
            return 2
        return _refuse(name, _usage(error))
    except Exception as error:  # exit 1 must never mean that the judge crashed
        if extra is not None and isinstance(error, ModuleNotFoundError):
            return _refuse(
                name, f"the package {error.name} is missing: in the checkout of judge, pip install '.[{extra}]'"
            )
        if _is_closed(error) and failed_for_the_end():
            click.echo(f"{name}: interrupted", err=True)
            return 130
        if os.environ.get("JUDGE_DEBUG") or not _is_expected(error):
            traceback.print_exc()
        return _refuse(name, _words(error))
    return code if isinstance(code, int) else 0


def _refuse(name: str, message: str) -> int:
    from judge.common.text import harmless  # noqa: PLC0415 - only needed on the way out

    click.echo(f"{name}: {harmless(' '.join(message.split()))}", err=True)
    return 2


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        remedy = _REMEDIES.get(error.errno or 0)
        return f"{where}{error.strerror}" + (f"; {remedy}" if remedy else "")
    return str(error) or type(error).__name__


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" (`{context.command_path} --help` explains)" if context else ""
    return f"{error.format_message().rstrip('.')}{hint}"


def _is_expected(error: Exception) -> bool:
    """Errors whose message tells the user what to do; any other one is a bug and keeps its traceback."""
    from containers.errors import ContainerError  # noqa: PLC0415 - only needed on the way out
    from judge.common.errors import JudgeError  # noqa: PLC0415
    from problems.errors import ProblemError  # noqa: PLC0415

    return isinstance(error, (JudgeError, ProblemError, ContainerError, OSError))


def _is_closed(error: Exception) -> bool:
    """Whether what the command uses may be gone because the command was asked to end. A child that was about to leave
    our process group may hear of the signal, too."""
    import subprocess  # noqa: PLC0415 - only needed on the way out

    from containers.errors import SandboxError  # noqa: PLC0415 - only needed on the way out
    from judge.common.errors import Cancelled  # noqa: PLC0415

    killed = isinstance(error, subprocess.CalledProcessError) and error.returncode < 0
    return killed or isinstance(error, (Cancelled, SandboxError))


if __name__ == "__main__":
    sys.exit(process())
