"""What the server's log does not tell."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from judge.server.observing import logs


@pytest.fixture
def _loggers() -> Iterator[None]:
    """As they were, after the test."""
    root, uvicorn, judge = (logging.getLogger(name) for name in (None, "uvicorn", "judge"))
    before = (root.handlers[:], root.level, uvicorn.level, judge.handlers[:])
    yield
    root.handlers[:], judge.handlers[:] = before[0], before[3]
    root.setLevel(before[1])
    uvicorn.setLevel(before[2])


@pytest.mark.usefixtures("_loggers")
@pytest.mark.parametrize("how", ["text", "json", None])
def test_a_key_in_an_address_is_not_logged(how: logs.Format | None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(how, chatty=True)
    where, address = "127.0.0.1:9", "/authenticate?X-Auth-Token=secret"
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', where, "POST", address, "1.1", 200)
    logging.getLogger("uvicorn.error").info('%s - "WebSocket %s" 403', where, address)
    said = capsys.readouterr().err
    assert said.count("/authenticate") == 2
    assert "POST" in said
    assert "secret" not in said
