"""Bounds what goes back to the model, and never cuts a character in half."""

from __future__ import annotations

from dataclasses import replace

from handrail.contract.results import JsonPart, Part, ResourcePart, TextPart, ToolResult, part_text

_HEAD_SHARE = 0.4
"""Errors and totals stand at the end of most output, so the tail gets the larger part."""


def within_budget(result: ToolResult, characters: int) -> ToolResult:
    """The same result with at most about `characters` of text, shared by its parts in order."""
    if sum([_size(part) for part in result.parts]) <= characters:
        return result
    left, dropped = characters, 0
    parts: list[Part] = []
    for part in result.parts:
        if not _size(part):
            parts.append(part)
        elif left:
            parts.append(part if _size(part) <= left else TextPart(shortened(part_text(part), left)))
            left = max(0, left - _size(part))
        else:
            dropped += 1
    if dropped:
        parts.append(TextPart(f"[… {dropped:,} more left out; ask for a smaller part …]"))
    return replace(result, parts=tuple(parts))


def shortened(text: str, characters: int) -> str:
    """Head and tail of a long text, with the number of characters left out between them."""
    if len(text) <= characters:
        return text
    head = int(characters * _HEAD_SHARE)
    tail = characters - head
    left_out = len(text) - head - tail
    note = f"\n[… {left_out:,} of {len(text):,} characters left out; ask for a smaller part …]\n"
    return text[:head] + note + (text[-tail:] if tail else "")


def _size(part: Part) -> int:
    if isinstance(part, TextPart):
        return len(part.text)
    return len(part_text(part)) if isinstance(part, (JsonPart, ResourcePart)) else 0
