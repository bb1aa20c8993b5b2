"""Servers as processes of their own: `judge serve` as a user starts it, and a real PostgreSQL."""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from containers.launcher.tiers import closed_way
from tests.preloaded import start_judge

#: On a machine that does much else at the same time.
START_S = 300.0


class Server:
    """One `judge serve`, and a client of it."""

    def __init__(
        self,
        directory: Path,
        cache: Path,
        backend: str,
        *options: str,
        port: int = 0,
        executed: bool = False,
        within: tuple[str, ...] = (),
    ) -> None:
        """`executed`: as a user starts it, not from a process that has imported what it needs; `within`: by a command
        that executes it."""
        self._log = directory / f"log{time.monotonic_ns()}"
        command = ("serve", "--port", str(port), "--backend", backend, *options)
        #: Its file of SQLite.
        self.database = directory / "server.sqlite"
        if "--database" not in options:
            command += ("--database", str(self.database))
        environment = {**os.environ, "JUDGE_CACHE_DIR": str(cache)}
        with self._log.open("wb") as log:
            if executed or within:
                whole = (*within, sys.executable, "-m", "judge", *command)
                self.process = subprocess.Popen(whole, stderr=log, stdin=subprocess.DEVNULL, env=environment)
            else:
                self.process = start_judge(*command, environment=environment, error=log.fileno())
        self.client = httpx.Client(base_url=self._address(), timeout=120)

    @property
    def said(self) -> str:
        return self._log.read_text()

    def _address(self) -> str:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"^(?:judge: |.*\"address\": \")(http://\S+:\d+)/docs\b", self.said, re.MULTILINE)
            if found is not None:
                return found[1]
            time.sleep(0.05)
        self.kill()
        raise AssertionError(f"the server did not start: {self.said}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.client.close()
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(60)


Serve = Callable[..., Server]


@pytest.fixture
def serve(tmp_path: Path, shared_cache: Path, backend: str) -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(*options: str, executed: bool = False, within: tuple[str, ...] = ()) -> Server:
            server = Server(tmp_path, shared_cache, backend, *options, executed=executed, within=within)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Server]:
    """One for all tests that do not end it."""
    one = Server(
        tmp_path_factory.mktemp("server"), shared_cache, backend, "--compat", "sandbox-fusion,piston,code-judge,judge0"
    )
    yield one
    one.stop()


def make_keys(path: Path, *names: str) -> list[str]:
    """New API keys, and the file that knows them."""
    keys, lines = [], ""
    for name in names:
        command = (sys.executable, "-m", "judge", "serve", "--new-key", name)
        key, more = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n", 1)
        keys.append(key)
        lines += more
    path.write_text(lines)
    return keys


def _tool(name: str) -> str:
    places = [os.environ["PATH"], *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        missing = f"no {name}: apt-get install postgresql"
        if os.environ.get("JUDGE_REQUIRE"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="session")
def postgres_directory() -> Iterator[str]:
    """Where a PostgreSQL of our own listens. It refuses to run as root: then it runs as the user `postgres`."""
    run, serve = _tool("initdb"), _tool("postgres")
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None and (closed := closed_way()) is not None:
        pytest.skip(closed)
    with tempfile.TemporaryDirectory(prefix="judge-pg-") as directory:
        if user is not None:
            os.chown(directory, pwd.getpwnam(user).pw_uid, -1)
        data = f"{directory}/data"
        create = (run, "-D", data, "-U", "judge", "-A", "trust", "-E", "UTF8", "--no-sync")
        subprocess.run(create, check=True, user=user, stdout=subprocess.DEVNULL, cwd=directory)
        # Its processes hear of its end by their parent's.
        server = subprocess.Popen(
            (serve, "-D", data, "-k", directory, "-h", "", "-c", "fsync=off"),
            user=user,
            cwd=directory,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while not Path(directory, ".s.PGSQL.5432").exists():
            assert server.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        yield directory
        server.send_signal(signal.SIGINT)
        server.wait(60)


@pytest.fixture(scope="module")
def postgres(postgres_directory: str) -> str:
    """The address of a new database."""
    import psycopg

    name, at = f"judge_{secrets.token_hex(8)}", f"?host={postgres_directory}"
    deadline = time.monotonic() + START_S
    while True:
        try:
            with psycopg.connect(
                f"postgresql://judge@/postgres?host={postgres_directory}", autocommit=True
            ) as database:
                database.execute(f"CREATE DATABASE {name}".encode())
            return f"postgresql://judge@/{name}{at}"
        except psycopg.OperationalError:  # it is still starting
            assert time.monotonic() < deadline
            time.sleep(0.05)
