"""What a call gives back: parts for the model, a display for people, an error with a kind."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value


@value
class TextPart:
    """Text for the model."""

    text: str


@value
class ImagePart:
    """An image: its bytes, and its type, such as `image/png`."""

    data: bytes
    media_type: str


@value
class AudioPart:
    """Sound: its bytes, and its type, such as `audio/wav`."""

    data: bytes
    media_type: str


@value
class ResourcePart:
    """Something with an address: embedded when `text` is given, else a link."""

    uri: str
    media_type: str = ""
    text: str = ""


@value
class JsonPart:
    """A value. Wires that carry text only get it as JSON text."""

    value: Json


Part: TypeAlias = TextPart | ImagePart | AudioPart | ResourcePart | JsonPart


@value
class TextDisplay:
    """Text for people, where it differs from what the model gets."""

    text: str
    markdown: bool = False


@value
class DiffDisplay:
    """A change to one file. `old` is None for a new file, `new` for one that went."""

    path: Path
    old: str | None
    new: str | None


@value
class PatchDisplay:
    """Changes to several files."""

    files: tuple[DiffDisplay, ...]


@value
class TerminalDisplay:
    """A command and what it printed. `exit_code` is None where it did not end by itself."""

    command: str
    output: str
    exit_code: int | None


@value
class TodoItem:
    text: str
    status: Literal["pending", "in_progress", "completed", "cancelled", "blocked"]


@value
class TodoDisplay:
    items: tuple[TodoItem, ...]


Display: TypeAlias = TextDisplay | DiffDisplay | PatchDisplay | TerminalDisplay | TodoDisplay


class ErrorKind(StrEnum):
    """Why a call has no good result. The values are part of the published JSON."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    DENIED = "denied"
    """A rule, a mode, a check, or that nobody could be asked."""
    REJECTED = "rejected"
    """A person said no."""
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    """It started, and nobody knows how it ended."""
    FAILED = "failed"


@value
class CallFault:
    """The error of a call: its kind, and one message for a person and the model."""

    kind: ErrorKind
    message: str


@value
class FollowUp:
    """Another call to make in place of this one, under the same call id."""

    tool: str
    arguments: JsonObject


@value
class ToolResult:
    """What a tool returns: parts for the model, and what people and programs see beside them."""

    parts: tuple[Part, ...]
    display: Display | None = None
    fault: CallFault | None = None
    """Set when the tool ran and failed: the parts, if any, still go to the model."""
    data: JsonObject | None = None
    """Structured facts for programs; not shown to the model."""
    follow_up: FollowUp | None = None

    @classmethod
    def of_text(cls, text: str, *, display: Display | None = None, data: JsonObject | None = None) -> ToolResult:
        return cls((TextPart(text),), display=display, data=data)

    @classmethod
    def of_json(cls, value: Json, *, display: Display | None = None) -> ToolResult:
        return cls((JsonPart(value),), display=display)

    @property
    def text(self) -> str:
        """All parts as the text a model without other media would get."""
        return "\n".join([part_text(part) for part in self.parts])


def part_text(part: Part) -> str:
    """One part as text; media that text can't carry are named by type and size in bytes."""
    match part:
        case TextPart(text):
            return text
        case JsonPart(value):
            return json.dumps(value, ensure_ascii=False)
        case ResourcePart(uri=uri, text=text):
            return text or f"[resource {uri}]"
        case ImagePart(data=data, media_type=media_type):
            return f"[image {media_type}, {len(data)} bytes]"
        case AudioPart(data=data, media_type=media_type):
            return f"[audio {media_type}, {len(data)} bytes]"
