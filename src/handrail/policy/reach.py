"""Which tools a subagent may call at all, by name. It narrows, and allows nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from handrail.contract.values import value


@value
class Reach:
    """Names and patterns (`mcp__github__*`), in any family's words."""

    only: tuple[str, ...] | None = None
    """None: every tool but those of `never`."""
    never: tuple[str, ...] = ()

    def holds(self, names: Sequence[str]) -> bool:
        """Whether a tool with these names is within it."""
        if _names(self.never, names):
            return False
        return self.only is None or _names(self.only, names)


def _names(patterns: Sequence[str], names: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
