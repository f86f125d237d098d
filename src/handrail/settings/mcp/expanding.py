"""Variables in the texts of a configuration: `${NAME}`, `${NAME:-otherwise}`; `$${x}` is `${x}` itself. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handrail.contract.values import value
from handrail.settings.mcp.server import Concealed

_IN_BRACES = r"\$(?P<plain>\$)?\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<otherwise>[^}]*))?\}"
_BRACED = re.compile(_IN_BRACES)
_BRACED_OR_BARE = re.compile(rf"{_IN_BRACES}|\$(?P<bare>[A-Za-z_][A-Za-z0-9_]*)")


class NotSet(Exception):
    """A variable that a text needs is not set; the message is its name."""


@value
class Variables:
    """What texts are filled in with."""

    values: Mapping[str, str]
    bare: bool = False
    """`$NAME` is a variable too, as Gemini CLI has it; it stays as it is where that is not set, as there."""

    def filled(self, text: str) -> str:
        """The text with its variables; one that had any is concealed. Raises NotSet."""
        values: list[str] = []

        def one(found: re.Match[str]) -> str:
            values.append(self._one(found))
            return values[-1]

        made = (_BRACED_OR_BARE if self.bare else _BRACED).sub(one, text)
        return text if made == text else Concealed(made, tuple(values))

    def _one(self, found: re.Match[str]) -> str:
        if found["plain"]:
            return found[0][1:]
        if self.bare and found["bare"]:
            return self.values.get(found["bare"], found[0])
        held = self.values.get(found["name"])
        if found["otherwise"] is not None:  # as a shell has it: also for a variable that is empty
            return held or found["otherwise"]
        if held is None:
            raise NotSet(found["name"])
        return held
