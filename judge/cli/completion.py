"""`judge completion`: prints the script that completes commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, languages and problems.

    \b
    Examples:
      judge completion bash | install -D -m 644 /dev/stdin ~/.local/share/bash-completion/completions/judge
      judge completion zsh | install -D -m 644 /dev/stdin ~/.zfunc/_judge      (a directory in $fpath)
      judge completion fish | install -D -m 644 /dev/stdin ~/.config/fish/completions/judge.fish
    """
    click.echo(_SHELLS[shell](context.find_root().command, {}, "judge", "_JUDGE_COMPLETE").source())
