from __future__ import annotations

import asyncio
import hashlib
import json
import socket
import tomllib
from pathlib import Path

import pytest

from judge.cli.serve import _listening
from tests.judge.cli.conftest import Cli


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "name a file of API keys"),
        (("--config", "absent.toml"), "settings absent.toml: No such file or directory"),
        (("--compat", "judge1"), "compat (entry 1): 'judge1' is unknown; did you mean 'judge0'?"),
        (("--keys", "absent.toml"), "keys absent.toml: No such file or directory; `judge serve --new-key NAME` makes"),
    ],
)
def test_settings_that_cannot_be(cli: Cli, options: tuple[str, ...], said: str) -> None:
    ran = cli("serve", *options, "--check")
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("key = 3\n", "key"),
        ("[[key]]\n", "key (entry 1): name: is missing"),
        ('[[key]]\nname = "a"\nsha256 = "x"\n', "sha256"),
        ("[", "keys.toml"),
    ],
)
def test_files_of_keys_that_cannot_be(cli: Cli, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "keys.toml").write_text(text)
    ran = cli("serve", "--keys", tmp_path / "keys.toml", "--check")
    assert ran.code == 2
    assert said in ran.err


def test_of_a_wrong_setting_the_source_is_named(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text("prot = 8\n")
    file, option = (cli("serve", "--check", *how).err for how in (("--config", tmp_path / "c.toml"), ("--port", "0")))
    assert f"settings {tmp_path / 'c.toml'}: unknown field 'prot'; did you mean 'port'?" in file
    assert option == ""
    monkeypatch.setenv("JUDGE_SERVE_SLOTS", "0")
    assert "JUDGE_SERVE_SLOTS of the environment: slots: Input should be greater" in cli("serve", "--check").err


def test_options_win_over_the_environment_and_that_over_the_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judge.toml").write_text('port = 1\nmost_waiting = 7\ncompat = ["piston"]\nslots = 3\n')
    monkeypatch.setenv("JUDGE_SERVE_PORT", "2")
    monkeypatch.setenv("JUDGE_SERVE_SLOTS", "4")
    ran = cli("serve", "--config", tmp_path / "judge.toml", "--port", "5", "--check")
    found = json.loads(ran.out)
    assert [found[name] for name in ("port", "slots", "most_waiting", "compat")] == [5, 4, 7, ["piston"]]


def test_of_a_new_key_the_file_holds_a_hash(cli: Cli) -> None:
    key, _, lines = cli("serve", "--new-key", "trainer").out.partition("\n")
    (entry,) = tomllib.loads(lines)["key"]
    assert entry["sha256"] == hashlib.sha256(key.encode()).hexdigest()
    assert (entry["name"], entry["roles"]) == ("trainer", ["submit"])


def test_answers_on_a_kept_connection_do_not_wait_for_acknowledgements() -> None:
    """asyncio turns Nagle's algorithm off only where it knows that the socket is TCP's."""

    async def accepted(listening: socket.socket) -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(met, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            writer.close()
            return await found

    with _listening("127.0.0.1", 0) as listening:
        assert asyncio.run(accepted(listening)) == 1
