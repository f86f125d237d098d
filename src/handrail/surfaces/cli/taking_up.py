"""The settings of a session that is taken up: as it was opened, with what is given now in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.errors import UsageError
from handrail.runtime.openings import HowOpened
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.settings_here import settings_here
from handrail.surfaces.cli.text import printable


def settings_as_left(workspace: Path, how: HowOpened, flags: Mapping[str, object]) -> Settings:
    """Raises UsageError, also for a session with rules that only the program which opened it has."""
    if how.rules:
        raise UsageError(
            "the program that opened this session gave it rules of its own, which are not here; take it up in that "
            "program, with Session.open(…, session=ID)"
        )
    given = {name: value for name, value in flags.items() if value not in (None, ())}
    left = {name: value for name, value in how.settings.items() if name not in given}
    try:
        settings = settings_here(workspace, {**left, **given})
    except UsageError as error:
        if not left:
            raise
        raise UsageError(
            f"{error}\nthe session was opened with {_listed(left)}; give what is to hold instead"
        ) from error
    if left:
        exits.told(f"going on as the session was opened: {_listed(left)}")
    return settings


def _listed(settings: Mapping[str, object]) -> str:
    """`mode accept-edits, policies /etc/rules.toml, limits.shell 4`."""
    return printable(", ".join(f"{name} {value}" for name, value in _told("", settings)))


def _told(of: str, table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        match value:
            case Mapping():
                yield from _told(f"{of}{name}.", value)
            case list():
                yield f"{of}{name}", " ".join(map(str, value))
            case _:
                yield f"{of}{name}", str(value)
