"""Remember facts for later sessions: in a Markdown file of the project, or of the user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileContent, FileReader, Files, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.settings.places import WORKSPACE_FOLDER, folders
from handrail.settings.redaction import Redactor
from handrail.tools.descriptions import description_of
from handrail.tools.memory_file.facts import facts_in, with_fact, without_fact
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line

NAME = "memory.md"
MOST = 200
"""Facts in one file: all of them are read in every session."""


class Params(Parameters):
    action: Literal["save", "list", "forget"] = Field(description="What to do.")
    fact: str = Field(
        default="", max_length=1_000, description="save: the fact, as one sentence. forget: that fact, or words of it."
    )
    scope: Literal["project", "user"] = Field(
        default="project", description="project: for whoever works here. user: for this person, in every project."
    )


@value
class _Change:
    before: FileContent | None
    old: str
    new: str
    done: str


class Memory(Tool[Params]):
    name = "memory"
    title = "Remember facts"
    kind = Kind.OTHER
    description = description_of("memory")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        fact = one_line(params.fact)
        if params.action != "list" and not fact:
            return f"To {params.action}, give the fact."
        if params.action == "save" and Redactor(os.environ).text(fact) != fact:
            return "The fact holds what looks like a secret, and a file is no place for one. Say it without that."
        return None

    def effects(self, params: Params) -> Claims:
        """The files are protected: what they hold steers later sessions, so a person is asked about every change."""
        path = (PathClaim(_path(params)),)
        return Claims(reads=path) if params.action == "list" else Claims(writes=path)

    def describe(self, params: Params) -> str:
        whose = "the project" if params.scope == "project" else "the user"
        match params.action:
            case "list":
                return f"List what is remembered for {whose}"
            case "save":
                return f"Remember for {whose}: {one_line(params.fact)}"
            case "forget":
                return f"Forget for {whose}: {one_line(params.fact)}"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        old = await _content(_path(params), files)
        path, text = workspace.absolute(_path(params)), None if old is None else _text(old)
        if params.action == "list":
            return EditConfirmation(self.describe(params), path, text, text)
        return EditConfirmation(self.describe(params), path, text, _changed(params, old).new)

    async def run(self, params: Params, files: Files, workspace: Workspace) -> ToolResult:
        path = _path(params)
        content = await _content(path, files)
        if params.action == "list":
            facts = facts_in("" if content is None else _text(content))
            listed = "\n".join(f"- {one_line(fact.text)}" for fact in facts)
            where = f"In {workspace.shown(workspace.absolute(path))}:"
            said = f"{where}\n{listed}" if facts else f"Nothing is remembered for the {params.scope}."
            return ToolResult.of_text(said, data={"facts": [fact.text for fact in facts]})
        change = _changed(params, content)
        await files.write(path, change.new.encode(), replacing=change.before)
        old = None if change.before is None else change.old
        return ToolResult.of_text(change.done, display=DiffDisplay(workspace.absolute(path), old, change.new))


def _path(params: Params) -> str:
    """As it is written in a claim."""
    if params.scope == "project":
        return f"{WORKSPACE_FOLDER}/{NAME}"
    user: Path = folders(os.environ).user
    return str(user / NAME)


async def _content(path: str, files: FileReader) -> FileContent | None:
    return await files.read(path) if await files.exists(path) else None


def _text(content: FileContent) -> str:
    """Raises ToolFailed for what is no text."""
    try:
        return content.data.decode()
    except UnicodeDecodeError as error:
        raise ToolFailed(
            f"{content.path} is not UTF-8 at byte {error.start}. Tell the person; nothing is changed."
        ) from None


def _changed(params: Params, content: FileContent | None) -> _Change:
    """Raises ToolFailed where there is nothing to change."""
    old = "" if content is None else _text(content)
    return _saved(params, content, old) if params.action == "save" else _forgotten(params, content, old)


def _saved(params: Params, content: FileContent | None, old: str) -> _Change:
    fact, facts = one_line(params.fact), facts_in(old)
    if any(one_line(known.text).lower() == fact.lower() for known in facts):
        raise ToolFailed("That is remembered already; nothing was changed.")
    if len(facts) >= MOST:
        raise ToolFailed(f"{MOST} facts are remembered for the {params.scope}, and no more are. Forget some first.")
    return _Change(content, old, with_fact(old, fact), f"Remembered for the {params.scope}: {fact}")


def _forgotten(params: Params, content: FileContent | None, old: str) -> _Change:
    wanted, facts = one_line(params.fact).lower(), facts_in(old)
    same = [fact for fact in facts if one_line(fact.text).lower() == wanted]
    found = same or [fact for fact in facts if wanted in one_line(fact.text).lower()]
    if len(found) != 1:
        which = "\n".join(f"- {one_line(fact.text)}" for fact in found[:10])
        many = f"{len(found)} facts have these words; give one of them whole:\n{which}"
        raise ToolFailed(many if found else "No such fact is remembered. See with action list which are.")
    return _Change(content, old, without_fact(old, found[0]), f"Forgotten: {one_line(found[0].text)}")
