"""The arguments that a tool is tried with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.contract.basics import Json, JsonObject
from handrail.contract.tool import Tool
from handrail.runtime.guard import Returned, guarded_call

_SHOWN = 100
"""Characters of the arguments in a message."""


@dataclass(frozen=True, slots=True)
class Example:
    number: int
    """From 1, as people count."""
    arguments: JsonObject

    def __str__(self) -> str:
        text = json.dumps(self.arguments, ensure_ascii=False, default=repr)
        return f"example {self.number} {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"

    def fits(self, tool: Tool[Any]) -> bool:
        """The tool takes the arguments."""
        return isinstance(guarded_call(lambda: tool.bind(self.arguments)), Returned)

    def moved(self, old: Path, new: Path) -> JsonObject:
        """The arguments for a copy of the workspace: where they name the folder itself, the copy's name stands.

        Both are absolute.
        """
        named = re.compile(rf"{re.escape(str(old))}(?![\w.-])")  # and not a folder whose name only begins so
        return {name: _moved(value, named, str(new)) for name, value in self.arguments.items()}


def _moved(value: Json, old: re.Pattern[str], new: str) -> Json:
    match value:
        case str():
            return old.sub(lambda _: new, value)
        case Mapping():
            return {name: _moved(inner, old, new) for name, inner in value.items()}
        case list() | tuple():
            return [_moved(inner, old, new) for inner in value]
        case _:
            return value
