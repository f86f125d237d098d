"""Commands that discover tools and run them: our own settings, and those of Gemini CLI as they are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.command_line import BadCommandLine, command_line
from handrail.settings.json_text import NotJson, parsed
from handrail.settings.keys import CALL_COMMAND, DISCOVERY_COMMAND
from handrail.settings.merging import Setting
from handrail.settings.opening import Opened, Opener, Place
from handrail.settings.origin import Doubt, Layer, Origin
from handrail.settings.reading import Unreadable
from handrail.settings.trust import TrustKey, TrustKind
from handrail.settings.waiting import Waiting

GEMINI = ".gemini/settings.json"
GEMINI_OF_SYSTEM = Path("/etc/gemini-cli/settings.json")

_SPELLINGS = (
    ("discoveryCommand", "toolDiscoveryCommand"),
    ("callCommand", "toolCallCommand"),
)
"""Below `tools`, and where they stood before: at the top."""


@value
class ToolCommands:
    """A command that prints declarations of tools, and one that runs them."""

    origin: str
    """Where they are configured, as people see it named."""
    discover: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    waiting: Waiting | None = None
    """They came with the workspace, and nobody said yes to them: they are not run."""
    trusted: TrustKey | None = None
    problem: str = ""
    """Why they can't be run."""


def find_tool_commands(opener: Opener, settings: Mapping[str, Setting], home: Path | None) -> tuple[ToolCommands, ...]:
    """From what wins to what yields: what came with a workspace comes last. Blocks; never raises."""
    ours = _ours(settings)
    return (*(() if ours is None else (ours,)), *filter(None, (_geminis(opener, at) for at in _places(opener, home))))


def _ours(settings: Mapping[str, Setting]) -> ToolCommands | None:
    discovering, calling = settings[DISCOVERY_COMMAND.name], settings[CALL_COMMAND.name]
    if not discovering.value and not calling.value:
        return None
    given = discovering if discovering.value else calling
    lacks = (
        "" if discovering.value and calling.value else (CALL_COMMAND if discovering.value else DISCOVERY_COMMAND).name
    )
    problem = f"{lacks} is not set: it takes both, one to list the tools and one to run them" if lacks else ""
    return ToolCommands(given.held[-1].origin.name, discovering.value, calling.value, problem=problem)


def _places(opener: Opener, home: Path | None) -> Iterator[Place]:
    yield Place(GEMINI_OF_SYSTEM, Origin(Layer.SYSTEM, str(GEMINI_OF_SYSTEM)))
    if home is not None:
        yield Place(home / GEMINI, Origin(Layer.USER, f"~/{GEMINI}"))
    yield Place(opener.workspace / GEMINI, Origin(Layer.PROJECT, GEMINI))


def _geminis(opener: Opener, place: Place) -> ToolCommands | None:
    """None where the file says nothing of such commands. One that is no JSON may have said something."""
    try:
        opened = opener.open(place, TrustKind.COMMAND)
    except Unreadable:
        return None  # whoever reads all of the file tells of it
    if opened is None:
        return None
    try:
        said = _said(parsed(opened.text))
    except NotJson as error:
        speaks_of_them = any(name in opened.text for names in _SPELLINGS for name in names)
        return ToolCommands(place.origin.name, problem=f"line {error.line}: {error}") if speaks_of_them else None
    except BadCommandLine as error:
        return ToolCommands(place.origin.name, problem=str(error))
    return None if said is None else _judged(opened, *said)


def _judged(opened: Opened, discover: tuple[str, ...], call: tuple[str, ...]) -> ToolCommands:
    origin = opened.place.origin.name
    if opened.doubt is Doubt.WRITABLE:
        return ToolCommands(origin, problem=f"{opened.why}; until then its commands are not run")
    if opened.doubt is not None and opened.trust is not None:
        would = (f"tools.discoveryCommand: runs {shlex.join(discover)}", f"tools.callCommand: runs {shlex.join(call)}")
        return ToolCommands(origin, waiting=Waiting(opened.trust, origin, opened.text, would))
    return ToolCommands(origin, discover, call, trusted=opened.trust)


def _said(document: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Raises BadCommandLine."""
    tools = document.get("tools")
    below = tools if isinstance(tools, Mapping) else {}
    discover, call = (below.get(now, document.get(before)) for now, before in _SPELLINGS)
    if not discover:
        return None
    if not call:
        raise BadCommandLine("says tools.discoveryCommand and no tools.callCommand: it takes both")
    return _words("tools.discoveryCommand", discover), _words("tools.callCommand", call)


def _words(name: str, said: object) -> tuple[str, ...]:
    try:
        return command_line(said)
    except BadCommandLine as error:
        raise BadCommandLine(f"says {name}, which {error}") from error
