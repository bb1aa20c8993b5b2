"""What every endpoint answers to requests that its own description allows, or almost: never 500."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.server.conftest import Serve, Server


def test_every_body_is_described(server: Server) -> None:
    """Else it is not tried below."""
    paths = server.client.get("/openapi.json").json()["paths"]
    posts = {path: calls["post"] for path, calls in paths.items() if "post" in calls}
    bodies = {
        path: [each["schema"] for each in call["requestBody"]["content"].values()]
        for path, call in posts.items()
        if not path.endswith(("/authorize", "/authenticate"))
    }
    assert {path for path, schemas in bodies.items() if schemas == [{"type": "object"}]} == set()
    for one in bodies["/compat/judge0/submissions"]:  # as JSON, and as a form
        assert {"source_code", "language_id", "callback_url"} <= one["properties"].keys()
    (execute,) = bodies["/compat/piston/api/v2/execute"]
    assert {"files", "stdin", "run_timeout"} <= execute["properties"].keys()


@pytest.mark.long
def test_no_request_is_too_much_for_it(serve: Serve, tmp_path: Path) -> None:
    server = serve("--slots", "1")
    command = Path(sys.executable).with_name("schemathesis")
    ran = subprocess.run(
        (
            command, "run", f"{server.client.base_url}/openapi.json".replace("//openapi", "/openapi"),
            "--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing", "--max-examples", "10",
            "--seed", "1", "--request-timeout", "60", "--no-color",
        ),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "examples"),
            "SCHEMATHESIS_HOOKS": "tests.judge.server.fuzz_bodies",
            "PYTHONPATH": str(Path(__file__).resolve().parents[3]),
        },
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + server.said[-3000:]
    assert "Traceback" not in server.said
    assert server.client.get("/healthz").status_code == 200
