"""Says how it stands with one server: with its tools, with its login, and with what is beside its tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.contract.provider import Condition, Shelf, SourceStatus


class Saying:
    """Over all lives of the server in one session."""

    def __init__(self, server: str, shelf: Shelf) -> None:
        self.shelf = shelf
        self._of_tools = SourceStatus(server, Condition.STARTING)
        self._is_noisy = False

    def __call__(self, condition: Condition, detail: str = "", problems: Sequence[str] = ()) -> None:
        self._of_tools = _status(self._of_tools.name, condition, detail, problems)
        self.shelf.say(self._of_tools)

    def meanwhile(self, condition: Condition, trouble: str) -> None:
        """What stands in the place of what was said of its tools, until there is no trouble any more."""
        said = self._of_tools
        self.shelf.say(_status(said.name, condition, trouble) if trouble else said)

    def noise(self) -> None:
        """Once, however much of it there is."""
        if not self._is_noisy:
            self._is_noisy = True
            self.shelf.notice(
                f"The MCP server {self._of_tools.name} prints what is no message on its standard output. It is "
                "skipped; `handrail mcp logs` shows it."
            )

    def also(self, detail: str, problems: Sequence[str]) -> None:
        """Besides what was said of its tools."""
        said = self._of_tools
        more = ", ".join(filter(None, (said.detail, detail)))
        self.shelf.say(replace(said, detail=more, problems=(*said.problems, *problems)))


def _status(server: str, condition: Condition, detail: str, problems: Sequence[str] = ()) -> SourceStatus:
    """What the condition says already is not said twice."""
    return SourceStatus(server, condition, detail.removeprefix(f"{condition}: "), tuple(problems))
