"""Commands that cost nothing until they are called: their modules are imported by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose `later` commands are imported when they are looked up."""

    def __init__(self, *args: Any, later: Mapping[str, str], **options: Any) -> None:
        """`later` gives `module:attribute` by the command's name."""
        super().__init__(*args, **options)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._later})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._later.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = place.partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own error for a command that is not there knows none of those that are imported later."""
        name = args[0]
        if ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        from handrail.policy.spelling import nearest  # only where something is misspelled: the policy takes its time

        if " " in name.strip():
            more = " A task in words is for 'handrail run'."
        else:
            near = nearest(name, self.list_commands(ctx))
            more = f" Did you mean '{near}'?" if near else ""
        raise click.UsageError(f"No such command '{name}'.{more}", ctx)
