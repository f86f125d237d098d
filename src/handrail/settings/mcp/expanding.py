"""Variables in the texts of a configuration: `${NAME}`, `${NAME:-otherwise}`; `$${x}` is `${x}` itself. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handrail.contract.values import value
from handrail.settings.mcp.server import Concealed

_BRACED = re.compile(r"\$(?P<plain>\$)?\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<otherwise>[^}]*))?\}")
_BARE = re.compile(r"\$(?P<bare>[A-Za-z_][A-Za-z0-9_]*)")
_BRACED_OR_BARE = re.compile(f"{_BRACED.pattern}|{_BARE.pattern}")


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
            values.append(self._one(found.groupdict(), found[0]))
            return values[-1]

        # Behind the last brace no variable ends: its end is not looked for there anew for each that seems to begin.
        end = text.rfind("}") + 1
        made = (_BRACED_OR_BARE if self.bare else _BRACED).sub(one, text[:end])
        made += _BARE.sub(one, text[end:]) if self.bare else text[end:]
        return text if made == text else Concealed(made, tuple(values))

    def _one(self, found: Mapping[str, str | None], written: str) -> str:
        if found.get("plain"):
            return written[1:]
        if bare := found.get("bare"):
            return self.values.get(bare, written)
        name = found["name"] or ""
        held, otherwise = self.values.get(name), found["otherwise"]
        if otherwise is not None:  # as a shell has it: also for a variable that is empty
            return held or otherwise
        if held is None:
            raise NotSet(name)
        return held
