"""What the project and the user ask of every agent: AGENTS.md and its like, and what is remembered. As data.

They steer what the model does and never what it may do: permissions come from policy alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.reading import Unreadable, read_in_workspace, read_own
from handrail.tools.memory_file.facts import facts_in

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""What agents read in a folder: agents.md, and the names that Claude Code and Gemini CLI look for."""

OF_THE_USER = ("~/.claude/CLAUDE.md", "~/.gemini/GEMINI.md")
"""The user's own, beside the one in Handrail's folder."""

MEMORY = "memory.md"

MOST = 40_000
"""Characters of all of them together, about 10,000 tokens: the nearest ones are whole first."""

_MOST_FOLDERS = 50
_CUT = "\n[The rest is left out: {name} is longer than what is read at once. Read the file for it.]"


@value
class Instructions:
    """One file's text."""

    name: str
    """As people see it named."""
    text: str
    of_user: bool = False


def instructions_of(workspace: Path, user: Path) -> tuple[Instructions, ...]:
    """The nearest first: the workspace's folder, those above it up to the repository's, then the user's own.

    `user` is the folder of Handrail's own user files. A text that stands in two files counts once. Blocks; what can't
    be read is left out, for the session works without it.
    """
    found: list[Instructions] = []
    seen: set[str] = set()
    left = MOST
    for name, text, of_user in (*_of_project(workspace), *_of_user(user)):
        digest = sha256(text.encode()).hexdigest()
        if not text.strip() or digest in seen or left <= 0:
            continue
        seen.add(digest)
        shown = text.strip() if len(text) <= left else text[:left].rstrip() + _CUT.format(name=name)
        left -= len(shown)
        found.append(Instructions(name, shown, of_user))
    return tuple(found)


def as_told(instructions: Instructions) -> str:
    """Between marks that the text can't imitate: they hold its own digest, so that they stay the same in a session."""
    mark = f"instructions_{sha256(instructions.text.encode()).hexdigest()[:12]}"
    whose = "the user's own" if instructions.of_user else "the project's"
    return f"{instructions.name}, {whose}:\n<{mark}>\n{instructions.text}\n</{mark}>"


def remembered(workspace: Path, user: Path) -> str:
    """The facts that were saved in earlier sessions, as lists; empty where there are none. Blocks."""
    parts = [
        f"Remembered for {whose}:\n" + "\n".join(f"- {fact}" for fact in facts)
        for whose, facts in (
            ("this project", _facts(_text(workspace / ".handrail" / MEMORY, workspace))),
            ("the user", _facts(_own_text(user / MEMORY))),
        )
        if facts
    ]
    return "\n\n".join(parts)


def _of_project(workspace: Path) -> Iterator[tuple[str, str, bool]]:
    root = _repository(workspace) or workspace
    for folder in (workspace, *workspace.parents):
        for name in NAMES:
            if (text := _text(folder / name, root)) is not None:
                yield os.path.relpath(folder / name, workspace), text, False
        if folder == root:
            return


def _of_user(user: Path) -> Iterator[tuple[str, str, bool]]:
    places = [(str(user / name), user / name) for name in NAMES[:1]]
    places += [(name, Path(os.path.expanduser(name))) for name in OF_THE_USER]
    for name, path in places:
        if (text := _own_text(path)) is not None:
            yield name, text, True


def _repository(workspace: Path) -> Path | None:
    """The nearest folder from there up that git takes for a repository's."""
    above = (workspace, *workspace.parents)[:_MOST_FOLDERS]
    return next((folder for folder in above if os.path.lexists(folder / ".git")), None)


def _facts(text: str | None) -> list[str]:
    return [" ".join(fact.text.split()) for fact in facts_in(text or "")]


def _text(path: Path, root: Path) -> str | None:
    try:
        found = read_in_workspace(path, root)
    except Unreadable:
        return None
    return None if found is None else found.text


def _own_text(path: Path) -> str | None:
    """What somebody else could have written is not the user's."""
    try:
        found = read_own(path)
    except Unreadable:
        return None
    return None if found is None or found.doubt else found.text
