"""`judge-train report`: draws the page of a run."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the page goes. [default: report.html in RUN]",
)
@click.option("--hidden", is_flag=True, help="Show on the page hidden tests, too, and messages that may quote them.")
def command(run: Path, output: Path | None, hidden: bool) -> int:
    """Draw the page of a run of grpo, sft or dpo from its directory, while it runs or afterwards.

    The page has the curves of the log up to the newest checkpoint, the symptoms that were found, and examples of each
    verdict: from the last evaluation, and from training with grpo.log_completions. It needs no network.

    \b
    Examples:
      judge-train report /data/runs/first
      judge-train report /data/runs/first -o with-tests.html --hidden

    Exit codes: 0 success, 2 error.
    """
    from trainer_adapter.training import run_page  # noqa: PLC0415 - torch is slow to import

    path = run / "report.html" if output is None else output
    path.write_text(run_page.page(run, hidden=hidden), "utf-8", "backslashreplace")
    click.echo(path)
    return 0
