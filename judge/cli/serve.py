"""`judge serve`: the judge over HTTP."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Unpack

import click

from judge.cli.options import Where, walls
from judge.common.errors import ConfigError
from judge.common.text import one_line


class _Asked(Where):
    """The values of the options, by the names that click passes them under."""

    config: Path | None
    host: str | None
    port: int | None
    database: str | None
    keys: Path | None
    open_: bool
    compat: tuple[str, ...]
    executor: str | None
    address: str | None
    log_format: str | None
    check: bool
    new_key: str | None


@click.command("serve")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="A TOML file of settings.")
@click.option("--host", metavar="ADDRESS", help="Where to listen (default: 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="(default: 8080).")
@click.option("--database", metavar="WHERE", help="An SQLite file, or postgresql://… that servers share.")
@click.option("--keys", type=click.Path(path_type=Path, dir_okay=False), help="A file of API keys.")
@click.option("--open", "open_", is_flag=True, help="Listen beyond loopback without keys.")
@click.option(
    "--compat",
    multiple=True,
    metavar="NAME",
    help="A rival's endpoints at the root, too: sandbox-fusion, piston, code-judge, judge0, go-judge, open-instruct.",
)
@click.option("--executor", type=click.Choice(["local", "ray"]), help="Who judges (default: this machine's cores).")
@click.option("--address", metavar="HOST:PORT", help="The Ray cluster's (default: RAY_ADDRESS, or the one here).")
@click.option("--log-format", type=click.Choice(["text", "json"]), help="A line on stderr for each judgement.")
@click.option("--check", is_flag=True, help="Show the settings and end.")
@click.option("--new-key", metavar="NAME", help="Print a new API key, and the lines for the file of keys.")
@walls
def command(**how: Unpack[_Asked]) -> int:
    """Serve the judge over HTTP: /v1 for programs of any kind, /docs for its description.

    Settings come from --config, then from JUDGE_SERVE_<NAME> of the environment, then from the options. Ctrl-C ends it;
    what was accepted and not judged is judged after the next start.

    \b
    Examples:
      judge serve
      judge serve --compat sandbox-fusion,piston
      judge serve --host 0.0.0.0 --keys keys.toml
      judge serve --new-key trainer
    """
    from judge.server.guarding import keys  # noqa: PLC0415 - few commands need it

    if how["new_key"] is not None:
        click.echo("\n\n".join(keys.new_key(one_line(how["new_key"]).replace('"', ""))), nl=False)
        return 0
    try:
        from judge.server import process, settings  # noqa: PLC0415 - an extra
        from judge.server.app import application  # noqa: PLC0415
        from judge.server.observing import logs  # noqa: PLC0415
        from judge.server.storing import store  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(f"judge serve needs {error.name}: run pip install '.[serve]' in judge's checkout") from error
    found = settings.read(how["config"], settings.environment(), _mine(how, settings.Settings.model_fields))
    if how["check"]:
        keys.Keys(found.keys)
        click.echo(json.dumps(found.model_dump(mode="json") | {"database": store.hide_password(found.where)}, indent=2))
        return 0
    logs.set_up(found.log_format, chatty=sys.stderr.isatty())
    app = application(found, keys.Keys(found.keys), store.Store(found.where))
    with _listening(found.host, found.port) as listening:
        host = f"[{found.host}]" if listening.family is socket.AF_INET6 else found.host
        logs.listening(f"http://{host}:{listening.getsockname()[1]}/docs", found.log_format)
        process.serve(app, found, listening, chatty=sys.stderr.isatty())
    return 0


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Opened anew, the socket knows that it is TCP's. Otherwise asyncio leaves Nagle's algorithm on, and each answer
        # on a kept connection waits 40 ms for an acknowledgement.
        return socket.socket(fileno=socket.create_server((host, port), family=family, backlog=2048).detach())
    except OSError as error:
        raise ConfigError(f"cannot listen on {host} port {port}: {error.strerror}; choose another --port") from error


def _mine(how: _Asked, known: Collection[str]) -> dict[str, object]:
    """The options that are settings, as far as they were given."""
    asked: dict[str, object] = dict(how) | {"open": how["open_"] or None}
    asked["compat"] = tuple(part for one in how["compat"] for part in one.split(","))
    asked["backend"] = how["backend"] if how["backend"] != "native" else None
    return {name: value for name, value in asked.items() if name in known}
