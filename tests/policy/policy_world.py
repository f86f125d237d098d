"""A small real world to decide in: a workspace, a home, something outside, a temporary folder, Handrail's state."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel

from handrail.contract.context import Workspace
from handrail.contract.decision import Decision
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Reads, Tool, Writes
from handrail.policy import Facts, Mode, Policy, decide, rules_from
from handrail.runtime.resolver import Resolver


class Command(BaseModel):
    command: str


class File(BaseModel):
    file_path: Annotated[str, Reads()]


class Target(BaseModel):
    file_path: Annotated[str, Writes()]


class Tree(BaseModel):
    path: Annotated[str, Reads("tree")] = "."


class SparingTree(BaseModel):
    path: Annotated[str, Reads("tree", spares_secrets=True)] = "."


class Nothing(BaseModel):
    pass


class ShellTool(Tool[Command]):
    name, kind, aliases = "shell", Kind.EXECUTE, ("bash",)

    def effects(self, params: Command) -> Claims:
        return Claims(shell=params.command)

    async def run(self, params: Command) -> ToolResult:
        return ToolResult.of_text("")


class ReadTool(Tool[File]):
    name, kind = "read_file", Kind.READ

    async def run(self, params: File) -> ToolResult:
        return ToolResult.of_text("")


class WriteTool(Tool[Target]):
    name, kind, aliases = "write_file", Kind.EDIT, ("Write",)

    async def run(self, params: Target) -> ToolResult:
        return ToolResult.of_text("")


class DeleteTool(Tool[Target]):
    name, kind = "delete_file", Kind.DELETE

    async def run(self, params: Target) -> ToolResult:
        return ToolResult.of_text("")


class ReadTreeTool(Tool[Tree]):
    name, kind = "read_tree", Kind.READ

    async def run(self, params: Tree) -> ToolResult:
        return ToolResult.of_text("")


class GrepTool(Tool[SparingTree]):
    name, kind = "grep", Kind.SEARCH

    async def run(self, params: SparingTree) -> ToolResult:
        return ToolResult.of_text("")


class UnknownTool(Tool[Nothing]):
    """Says nothing of its effects."""

    name, kind = "mystery", Kind.OTHER

    async def run(self, params: Nothing) -> ToolResult:
        return ToolResult.of_text("")


class NoopTool(Tool[Nothing]):
    name, kind = "noop", Kind.THINK

    def effects(self, params: Nothing) -> Claims:
        return Claims.nothing()

    async def run(self, params: Nothing) -> ToolResult:
        return ToolResult.of_text("")


class FetchTool(Tool[Nothing]):
    name, kind = "fetch", Kind.FETCH

    def effects(self, params: Nothing) -> Claims:
        return Claims(connects=frozenset(("example.org",)))

    async def run(self, params: Nothing) -> ToolResult:
        return ToolResult.of_text("")


TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        ShellTool(),
        ReadTool(),
        WriteTool(),
        DeleteTool(),
        ReadTreeTool(),
        GrepTool(),
        UnknownTool(),
        NoopTool(),
        FetchTool(),
    )
}


@dataclass(frozen=True)
class World:
    root: Path
    home: Path
    outside: Path
    temporary: Path
    state: Path
    resolver: Resolver

    def facts(self, tool: str | Tool[Any], **arguments: Any) -> Facts:
        found = TOOLS[tool] if isinstance(tool, str) else tool
        return asyncio.run(self.resolver.facts(found.bind(arguments)))

    def decide(
        self,
        tool: str | Tool[Any],
        mode: str = "default",
        rules: list[dict[str, object]] | None = None,
        **arguments: Any,
    ) -> Decision:
        return decide(self.facts(tool, **arguments), Policy(Mode(mode), rules_from(rules or [])))

    def shell(self, command: str, mode: str = "default", rules: list[dict[str, object]] | None = None) -> Decision:
        return self.decide("shell", mode, rules, command=self.filled(command))

    def filled(self, text: str) -> str:
        """`{root}`, `{home}`, `{outside}` in a table are the folders of this world."""
        for name in ("root", "home", "outside", "temporary", "state"):
            text = text.replace("{" + name + "}", str(getattr(self, name)))
        return text


def make_world(folder: Path) -> World:
    """Lays out the files that the tables speak of, below `folder`."""
    root, home, outside = folder / "workspace", folder / "home", folder / "outside"
    temporary, state = folder / "temporary", folder / "home" / "state" / "handrail"
    for path in (root / "src", root / "build", root / "secrets", root / ".git" / "hooks", outside, temporary, state):
        path.mkdir(parents=True)
    for path in (root / "a.txt", root / "src" / "app.py", root / ".env", root / "secrets" / "plan.txt"):
        path.write_text("text\n")
    (outside / "b.txt").write_text("text\n")
    (root / "link_out").symlink_to(outside)
    (root / "link_in").symlink_to(root / "src")
    (root / "link_env").symlink_to(root / ".env")
    (root / "linked").mkdir()
    (root / "linked" / "out").symlink_to(outside)
    (outside / "link_back").symlink_to(root / "a.txt")
    return World(root, home, outside, temporary, state, Resolver(Workspace(root), home, state))
