"""Runs a request of go-judge's clients."""

from __future__ import annotations

from typing import Any

from containers import SandboxError, Unavailable
from judge.common.errors import ConfigError
from judge.judging.commands import Pipes
from judge.server.compat.go_judge.answers import Keep, describe_failure, missing, result
from judge.server.compat.go_judge.prepare import Refused, Sources, prepare
from judge.server.compat.go_judge.requests import PipeMap, RunRequest
from judge.server.guarding.keys import Caller
from judge.server.service import Service
from problems.model import usual_wall_ns

_STDIN, _STDOUT = 0, 1


def sources(caller: Caller, service: Service) -> Sources:
    return Sources(lambda id_: service.files.get(caller.name, id_).content, service.settings.source_directories)


def keeper(caller: Caller, service: Service) -> Keep:
    return lambda name, content: service.files.add(caller.name, name, content)


async def run(request: RunRequest, caller: Caller, service: Service) -> list[dict[str, Any]]:
    """The results of its commands.

    Raises:
        Refused: it cannot be run here.
        Full: too much waits.
    """
    asked = request.cmd or []
    if not asked:
        raise Refused("no cmd provided")
    maps = request.pipeMapping or []
    pipes, order = join_commands(maps, len(asked))
    ends = {(end.index, end.fd) for one in maps for end in (one.in_, one.out)}
    found = [
        prepare(cmd, sources(caller, service), piped=frozenset(fd for at, fd in ends if at == index))
        for index, cmd in enumerate(asked)
    ]
    if any(one.missing is not None for one in found):
        return [missing(one) for one in found]
    names = {one.in_.index: (one.name, one.max) for one in maps if one.proxy and one.name}
    ordered = [found[index] for index in order]
    try:
        commands = [one.command for one in ordered]
        longest_ns = sum(command.wall_ns or usual_wall_ns(command.cpu_ns) for command in commands)
        ran = await service.run(lambda judge: judge.submit_commands(commands, pipes), longest_ns=longest_ns)
    except ConfigError as error:
        raise Refused(str(error)) from error
    except (SandboxError, Unavailable) as error:
        return [describe_failure(str(error)) for _ in found]
    told = {
        index: result(one, its, keeper(caller, service), names.get(index))
        for index, one, its in zip(order, ordered, ran, strict=True)
    }
    return [told[index] for index in range(len(found))]


def join_commands(maps: list[PipeMap], count: int) -> tuple[Pipes | None, list[int]]:
    """What joins the commands, and their order then: who writes to the first pipe comes first.

    Raises:
        Refused: no such pipes are there.
    """
    if not maps:
        return None, list(range(count))
    ways = {(one.in_.index, one.out.index) for one in maps}
    fds_fit = all((one.in_.fd, one.out.fd) == (_STDOUT, _STDIN) for one in maps)
    if count != 2 or not fds_fit or len(ways) != len(maps) or not ways <= {(0, 1), (1, 0)}:
        raise Refused("pipes join two commands here, from standard output (1) to standard input (0)")
    if len(maps) == 2:
        return Pipes.BOTH, [0, 1]
    return Pipes.FORWARD, [maps[0].in_.index, maps[0].out.index]
