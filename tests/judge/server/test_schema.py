"""What every endpoint answers to requests that its own description allows, or almost: never 500."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.server.conftest import Serve

#: Streams that end with their submission; bodies that are no JSON (their own tests send wrong ones).
_WITHOUT = "/events$|/v1/batches(/.*/rows)?$|/v1/packages"


@pytest.mark.long
def test_no_request_is_too_much_for_it(serve: Serve, tmp_path: Path) -> None:
    server = serve("--slots", "1", "--compat", "judge0,piston,sandbox-fusion,code-judge")
    command = Path(sys.executable).with_name("schemathesis")
    ran = subprocess.run(
        (
            command, "run", f"{server.client.base_url}/openapi.json".replace("//openapi", "/openapi"),
            "--checks", "not_a_server_error", "--phases", "coverage,fuzzing", "--max-examples", "10", "--seed", "1",
            "--exclude-path-regex", _WITHOUT, "--request-timeout", "60", "--no-color",
        ),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "examples")},
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + server.said[-3000:]
    assert "Traceback" not in server.said
    assert server.client.get("/healthz").status_code == 200
