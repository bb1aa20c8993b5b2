"""The audit log: who called what, and nothing of what was sent."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from judge.common.errors import ConfigError
from judge.server.observing.audit import open_audit
from judge.server.settings import Settings
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_batches import lines
from tests.judge.server.test_limits import Asker
from tests.judge.server.test_v1 import ADD

SECRET = "int secret_of_the_source = 42;"


def told(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def use(server: Server, asker: Asker) -> None:
    body = {"source": f"{ADD}// {SECRET}", "problem": "P1001"}
    assert asker.ask(server, "one", "POST", "/v1/judgements?wait=60", json=body).status_code == 200
    asker.ask(server, "one", "POST", "/v1/batches", content=lines(3))
    asker.ask(server, "one", "GET", "/v1/judgements/no%0Asuch", params={"token": SECRET})
    server.client.post("/v1/judgements", json=body, headers={"Authorization": "Bearer wrong-key"})
    server.client.post("/v1/judgements", content=b"x" * (2 << 20))


@pytest.mark.parametrize("where", ["stderr", "logs/audit.jsonl"])
def test_each_call_is_a_line(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    asker = Asker(tmp_path, one="")
    log = tmp_path / where
    monkeypatch.setenv("JUDGE_SERVE_AUDIT", where if where == "stderr" else str(log))
    server = serve("--keys", str(asker.file))
    use(server, asker)
    server.stop()
    text = server.said if where == "stderr" else log.read_text()
    judged, batch, refused, unknown, large = told(text)
    assert (judged["key"], judged["method"], judged["path"], judged["status"]) == ("one", "POST", "/v1/judgements", 200)
    assert (judged["rows"], judged["problems"], judged["languages"]) == (1, ["P1001"], ["cpp17"])
    assert isinstance(judged["received"], int)
    assert judged["received"] > len(ADD)
    assert (batch["rows"], batch["status"]) == (3, 201)
    assert (refused["status"], refused["path"]) == (422, "/v1/judgements/no\nsuch"), "no such parameter"
    assert (unknown["key"], unknown["status"]) == (None, 401)
    assert (large["key"], large["status"]) == (None, 413), "what the bounds refuse is a call, too"
    for secret in (SECRET, asker.keys["one"], "wrong-key", "main"):
        assert secret not in text
    assert where == "stderr" or stat.S_IMODE(log.stat().st_mode) == 0o600


def test_the_file_is_rotated(tmp_path: Path) -> None:
    log = open_audit(Settings(audit=f"{tmp_path}/audit.jsonl", audit_bytes=2000, audit_files=2))
    assert log is not None
    for number in range(1000):
        log.info(json.dumps({"line": number}))
    log.handlers[0].close()
    files = sorted(tmp_path.glob("audit.jsonl*"))
    assert [file.name for file in files] == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]
    assert all(file.stat().st_size <= 2000 and told(file.read_text()) for file in files)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"audit .*/file/audit.jsonl: .*; name a file that can be written, or stderr"):
        open_audit(Settings(audit=f"{tmp_path}/file/audit.jsonl"))
