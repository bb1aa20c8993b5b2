"""`judge completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, languages and problems.

    \b
    Examples:
      judge completion bash > ~/.local/share/bash-completion/completions/judge
      judge completion zsh > ~/.zfunc/_judge      (a directory in $fpath)
      judge completion fish > ~/.config/fish/completions/judge.fish
    """
    script = get_completion_class(shell)
    assert script is not None  # click has these three
    click.echo(script(context.find_root().command, {}, "judge", "_JUDGE_COMPLETE").source())
