"""The page of a run: what its directory shows, that hidden tests stay hidden, and how a browser lays it out."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from tests.trainer_adapter.rollouts.judged import rollout
from tests.trainer_adapter.rollouts.test_report import _TAGS, judgement, seen, write
from tests.trainer_adapter.runs import Configure
from trainer_adapter.commands.main import main
from trainer_adapter.health.page import render
from trainer_adapter.training import run_page, train

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def completions(path: Path, *rows: tuple[str, str, str]) -> None:
    """As TRL keeps them."""
    path.parent.mkdir(parents=True)
    table = [
        {
            "step": 4,
            "prompt": [{"role": "user", "content": f"Solve {place}."}],
            "completion": [{"role": "assistant", "content": text}],
            "accepted": 0.0,
            "verdict": verdict,
            "failing_test": failing,
            "detail": "",
            "advantage": 0.0,
        }
        for place, (text, verdict, failing) in enumerate(rows)
    ]
    parquet.write_table(pyarrow.Table.from_pylist(table), path)


def test_examples_of_each_verdict(tmp_path: Path) -> None:
    (tmp_path / "evaluation").mkdir()
    write(tmp_path / "evaluation" / "step-000002.jsonl", [rollout("OLD", 0, "AC")])
    newest = [rollout("P1", 0, "WA", judgement=judgement()), rollout("P2", 0, "AC")]
    write(tmp_path / "evaluation" / "step-000004.jsonl", newest)
    rows = (("wrong<script>", "WA", "secret/1"), ("no program", "NO_CODE", ""), ("lost", "IE", ""))
    completions(tmp_path / "checkpoints" / "completions" / "completions_00004.parquet", *rows)
    shown = run_page.examples(tmp_path)
    assert re.findall("<h[23]>(.*?)</h", shown) == [
        *("Examples from held-out problems", "AC", "WA"),
        *("Examples from training", "CE", "WA", "not judged"),
    ]
    assert all(
        text in shown for text in ("SAMPLE-OUT", "first failing test secret/1", "wrong&lt;script&gt;", "NO_CODE")
    )
    assert "OLD" not in shown
    assert "SECRET" not in shown
    assert "SAMPLE-OUT" in run_page.examples(tmp_path, hidden=True)


def test_hidden_tests_are_shown_on_request_only(tmp_path: Path) -> None:
    (tmp_path / "evaluation").mkdir()
    write(tmp_path / "evaluation" / "step-000004.jsonl", [rollout("P1", 0, "WA", judgement=judgement(verdict="AC"))])
    assert "SECRET" not in run_page.examples(tmp_path)
    assert "SECRET-DETAIL" in run_page.examples(tmp_path, hidden=True)


def test_a_file_that_is_torn_costs_only_its_examples(tmp_path: Path) -> None:
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / "step-000004.jsonl").write_text('{"problem": "P1", "verd')
    path = tmp_path / "checkpoints" / "completions" / "completions_00004.parquet"
    completions(path)
    path.write_bytes(b"PAR1")
    assert run_page.examples(tmp_path).count('class="found"') == 2


def test_the_page_of_a_run(configure: Configure, capsys: pytest.CaptureFixture[str]) -> None:
    config = configure(
        grpo={"max_steps": 2, "log_completions": True, "num_completions_to_print": 0},
        reward={"functions": ("tests.trainer_adapter.runs:length", "accepted"), "slots": 1},
    )
    train.train(config)
    report = config.run.directory / "report.html"
    drawn = report.read_text("utf-8")
    assert all(f"<figcaption>{name}<" in drawn for name in ("Reward", "Verdicts", "Completion length"))
    assert "Examples from training" in drawn
    assert "NO_CODE" in drawn
    found = seen(drawn)
    assert found.tags <= _TAGS
    assert not found.addresses
    assert not re.search(r"https?:|//|url\(|@import", re.sub("<pre>.*?</pre>", "", drawn, flags=re.DOTALL))
    report.unlink()
    assert main(["report", str(config.run.directory)]) == 0
    assert report.read_text("utf-8") == drawn
    assert main(["report", str(config.run.directory / "adapter")]) == 2
    assert "no whole checkpoint" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no browser: the page's HTML is checked without one")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_needs_no_sideways_scrolling(tmp_path: Path, width: int) -> None:
    history = [{"step": step, "reward": step / 9, "judge/wait_share": 0.3, "judge/wa": 0.5} for step in range(9)]
    page = render(history, [], "run", f"<pre>{'x' * 4000}</pre>", f"<table><tr>{'<td>wide</td>' * 90}</tr></table>")
    probe = (
        "<script>const e = document.documentElement;"
        "document.title = 'sideways ' + Math.max(0, e.scrollWidth - e.clientWidth) + ' of ' + innerWidth</script>"
    )
    # Headless windows have a least width: a frame has the width that is asked for.
    (tmp_path / "page.html").write_text(page.replace("</body>", f"{probe}</body>"), "utf-8")
    frame = f'<iframe src="page.html" style="width: {width}px; height: 900px; border: 0"></iframe>'
    told = "<script>onload = () => { document.title = frames[0].document.title }</script>"
    (tmp_path / "frame.html").write_text(f"<!DOCTYPE html><body>{frame}{told}</body>", "utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = [str(CHROMIUM), *options, profile, (tmp_path / "frame.html").as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    assert f"<title>sideways 0 of {width}</title>" in dom
