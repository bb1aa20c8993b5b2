"""A `judge serve` for other benchmarks, with a cache and a database of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    process: subprocess.Popen[bytes]
    address: str
    log: Path


@contextmanager
def serving(slots: int, keys: str = "") -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as directory:
        log, listed = Path(directory, "log"), Path(directory, "keys.toml")
        command = [sys.executable, "-m", "judge", "serve", "--port", "0", "--slots", str(slots)]
        if keys:
            listed.write_text(keys)
            command += ["--keys", str(listed)]
        with log.open("wb") as said:
            process = subprocess.Popen(
                (*command, "--database", f"{directory}/s.sqlite"),
                stderr=said,
                env={**os.environ, "JUDGE_CACHE_DIR": f"{directory}/cache"},
            )
        try:
            while (found := re.search(r"judge: (http://\S+:\d+)/docs", log.read_text())) is None:
                if process.poll() is not None:
                    raise SystemExit(log.read_text())
                time.sleep(0.05)
            yield Server(process=process, address=found[1], log=log)
        finally:
            process.kill()
            process.wait()
