"""What a run takes from Hugging Face's hub: from which address, and what the user has already."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from judge.common.errors import ConfigError
from trainer_adapter.training.config import load
from trainer_adapter.training.modelscope import take_from_modelscope

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process that has imported nothing of Hugging Face's."""
    theirs = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "XDG_"))}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**theirs, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


class Mirror(ThreadingHTTPServer):
    """A hub on this machine that has nothing; it notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.paths: list[str] = []


class Asked(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self.send_response(404)
        self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_mirror_of_the_hub_is_asked(mirror: Mirror, tmp_path: Path) -> None:
    """HF_ENDPOINT, as users of hf-mirror.com set it."""
    command = "import sys; from trainer_adapter.commands.main import main; sys.exit(main(sys.argv[1:]))"
    command = f"import sys; sys.argv[1:] = ['data', 'inspect', 'somebody/problems']; {command}"
    endpoint = f"http://127.0.0.1:{mirror.server_address[1]}"
    done = python(command, HF_ENDPOINT=endpoint, HF_HOME=str(tmp_path), NO_PROXY="127.0.0.1")
    assert done.returncode != 0
    assert any("somebody/problems" in path for path in mirror.paths), done.stderr
    assert "somebody/problems: cannot be had from the hub" in done.stderr


def test_modelscope_brings_model_and_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its client is a stub here: what is asked of it, and what becomes of what it brings."""
    asked: list[tuple[str, str, str]] = []

    def bring(kind: str) -> Callable[..., str]:
        return lambda name, *, cache_dir: asked.append((kind, name, cache_dir)) or f"{cache_dir}/{kind}"

    client = SimpleNamespace(snapshot_download=bring("model"), dataset_snapshot_download=bring("data"))
    recipe = load(Path("gsm8k_qwen2.5_0.5b"), [f"run.directory={tmp_path}"])
    assert take_from_modelscope(recipe) is recipe
    monkeypatch.setenv("HUB", "modelscope")
    monkeypatch.setitem(sys.modules, "modelscope", None)
    with pytest.raises(ConfigError, match="pip install modelscope"):
        take_from_modelscope(recipe)
    monkeypatch.setitem(sys.modules, "modelscope", client)
    found, place = take_from_modelscope(recipe), f"{tmp_path}/cache/modelscope"
    assert asked == [("model", "Qwen/Qwen2.5-0.5B-Instruct", place), ("data", "modelscope/gsm8k", place)]
    assert (found.model.path, found.data.source) == (f"{place}/model", f"{place}/data")
    here = load(Path("gsm8k_qwen2.5_0.5b"), [f"run.directory={tmp_path}", f"model.path={tmp_path}", "data.source=./x"])
    assert take_from_modelscope(here) == here
    monkeypatch.setenv("HUB", "somewhere")
    with pytest.raises(ConfigError, match="there is huggingface, and modelscope"):
        take_from_modelscope(recipe)


SETTLED = """
from pathlib import Path
from trainer_adapter.training.config import load
from trainer_adapter.training.environment import settle
settle(load(Path("run.yaml")))
from huggingface_hub import constants, get_token
from transformers import AutoConfig
print(constants.HF_HOME, get_token())
print(AutoConfig.from_pretrained("somebody/tiny").hidden_size)
"""


@pytest.mark.parametrize("there", [True, False])
def test_what_the_user_has_already_is_used(
    model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """A model that was downloaded before, and the token of `hf auth login`; all that a run writes stays below it."""
    monkeypatch.chdir(tmp_path)
    Path("run.yaml").write_text("model: {path: somebody/tiny}\ndata: {}\nrun: {directory: run}\n")
    home = tmp_path / "cache" / "huggingface"
    if there:
        model = home / "hub" / "models--somebody--tiny"
        (model / "refs").mkdir(parents=True)
        (model / "refs" / "main").write_text("0" * 40)
        shutil.copytree(model_directory, model / "snapshots" / ("0" * 40))
        (home / "token").write_text("hf_mine")
    done = python(SETTLED, XDG_CACHE_HOME=str(tmp_path / "cache"), HF_HUB_OFFLINE="1")
    assert done.stdout.splitlines()[:1] == [f"{tmp_path}/run/cache/huggingface {'hf_mine' if there else None}"]
    assert done.stdout.splitlines()[1:] == (["64"] if there else []), done.stderr
