"""The page about performance shows the figures that were measured, in both languages."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("performance*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_tables_are_those_of_the_figures(page: Path) -> None:
    spec = importlib.util.spec_from_file_location("benchmarks_all", ROOT / "benchmarks/all.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["benchmarks_all"] = importlib.util.module_from_spec(spec)  # dataclasses look for it
    spec.loader.exec_module(module)
    figures = json.loads((ROOT / "docs/performance.json").read_bytes())
    text = page.read_text(encoding="utf-8")
    assert module.rendered(text, figures) == text, "run python benchmarks/all.py --draw"
    assert "| subprocess |" in text
    for picture in ("run", "compile", "where"):
        assert f"(performance-{picture}.png)" in text
        assert (ROOT / f"docs/performance-{picture}.png").exists()
