"""Facts made by hand, for tests of the decision alone: no file system, no parser."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from pathlib import Path
from typing import Any

from handrail.contract.effects import Effects, PathEffect
from handrail.contract.tool import Kind
from handrail.policy import Facts, PathFact, Places, ShellFacts, Zone
from handrail.policy.facts import Access, CommandFact, ShellPart
from handrail.policy.secrets import is_secret_name
from handrail.policy.shell.words import Known, Word

ROOT, HOME = "/home/me/work", "/home/me"
PLACES = Places(root=(ROOT,), home=(HOME,), temporary=("/tmp",), state=(f"{HOME}/.local/state/handrail",))


def path(text: str, access: Access = "read", resolved: str = "", *, tree: bool = False) -> PathFact:
    """Relative to the workspace, or absolute."""
    named = posixpath.normpath(posixpath.join(ROOT, text.replace("~", HOME, 1)))
    resolved = resolved or named
    effect = PathEffect(Path(named), Path(resolved), "tree" if tree else "file")
    zone = max(PLACES.zone(named), PLACES.zone(resolved), key=tuple(Zone).index)
    return PathFact(effect, access, named, resolved, zone, is_secret_name(named) or is_secret_name(resolved))


def words_of(text: str) -> tuple[Word, ...]:
    """`$X` is not known, `*.c` a pattern, all else literal."""
    return tuple(
        Word("", Known.UNKNOWN, word) if "$" in word else Word(word, Known.GLOB if "*" in word else Known.LITERAL)
        for word in text.split()
    )


def part(text: str, *, reads: bool = False, opaque: str = "", **more: Any) -> ShellPart:
    unread = "" if reads else "nobody knows that it only reads"
    return ShellPart(text, () if opaque else words_of(text), unread=unread, opaque=opaque, **more)


def shell(*parts: ShellPart, opaque: str = "", **more: Any) -> Facts:
    """A call of the shell tool whose command has these parts."""
    opaque = opaque or next((each.opaque for each in parts if each.opaque), "")
    text = " && ".join(each.text for each in parts)
    paths = tuple(path for each in parts for path in (*each.paths, *each.redirected))
    writes = any(each.access == "write" for one in parts for each in one.redirected)
    unread = next((each.text for each in parts if each.unread), "") or (text if writes or opaque else "")
    commands = tuple(CommandFact(each.text, each.words) for each in parts if each.words)
    facts = ShellFacts(text, commands, parts, opaque, unread)
    effects = Effects.unknown() if unread else Effects(certainty="bounded")
    arguments = {"command": text}
    made = Facts(
        "shell", ("shell", "Bash"), Kind.EXECUTE, effects, PLACES, paths=paths, shell=facts, arguments=arguments
    )
    return replace(made, **more)


def call(tool: str = "fetch", *paths: PathFact, hosts: tuple[str, ...] = (), **more: Any) -> Facts:
    """A call of any other tool, which touches these paths and hosts and nothing else."""
    effects = Effects(
        reads=frozenset(each.effect for each in paths if each.access == "read"),
        writes=frozenset(each.effect for each in paths if each.access == "write"),
        connects=frozenset(hosts),
    )
    return replace(Facts(tool, (tool,), Kind.OTHER, effects, PLACES, paths=paths, arguments={}), **more)


def unknown(tool: str = "mystery", **more: Any) -> Facts:
    """A call of a tool that declares nothing."""
    return replace(Facts(tool, (tool,), Kind.OTHER, Effects.unknown(), PLACES, arguments={}), **more)
