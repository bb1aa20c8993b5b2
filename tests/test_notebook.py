"""The notebook in examples/, run in a real kernel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
REQUIRED = "page" in os.environ.get("JUDGE_REQUIRE", "").split(",")


@pytest.mark.filterwarnings("default")  # of Jupyter, about its own
def test_the_notebook_runs_and_shows_results(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbclient import NotebookClient
    except ImportError as error:
        if REQUIRED:
            raise
        pytest.skip(f"no kernel can be run here: {error}")
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without its outputs"
    NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    one, many, evaluation = (cell.outputs for cell in notebook.cells if cell.get("outputs"))
    assert not [
        output for cell in notebook.cells for output in cell.get("outputs", ()) if output.output_type == "stream"
    ]
    assert "first failing test" in one[-1]["data"]["text/html"]
    bar, shown = many
    assert "<progress" in bar["data"]["text/html"]
    assert "max='4' value='4'" in bar["data"]["text/html"]
    assert all(text in shown["data"]["text/html"] for text in ("broken", "CE", "AC", "WA"))
    assert "pass@1" in evaluation[-1]["data"]["text/html"]
