"""`handrail completion`: the script that a shell needs to complete our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from handrail.errors import UsageError

_VARIABLE = "_HANDRAIL_COMPLETE"
"""As click names it after the command: it asks a command of that name for what could come next."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    \b
    bash:  eval "$(handrail completion bash)"     in ~/.bashrc
    zsh:   eval "$(handrail completion zsh)"      in ~/.zshrc
    fish:  handrail completion fish > ~/.config/fish/completions/handrail.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"there is no completion for {shell}")
    click.echo(kind(context.find_root().command, {}, "handrail", _VARIABLE).source())
