"""Bounds what goes back to the model. What is over the bound is kept whole in a file, and its head and tail shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from handrail.contract.basics import CallId
from handrail.contract.results import JsonPart, Part, ResourcePart, TextPart, ToolResult, part_text
from handrail.contract.spill import Kept
from handrail.contract.values import value
from handrail.runtime.cutting import head_end, is_json, json_cuts, tail_start
from handrail.runtime.spilling import SpillFolder

_HEAD_SHARE = 0.2
"""Errors and totals stand at the end of most output, so the tail gets the larger part; Gemini CLI's shares too."""

_MOST_CUT_APART = 8
"""Parts of one result that are cut each for itself; more are taken as one text."""

_ASK_FOR_LESS = Kept(None).in_words


@value
class _Whole:
    """What is known of a text that is cut: where it is kept, or why it is not, and how long it is."""

    hint: str
    characters: int | None = None
    """Of the text before its first cut; None: this is the first."""


class Budget:
    """The bounds of one session's results."""

    def __init__(
        self, spilled: SpillFolder | None, of_result: int, of_turn: int, on_cut: Callable[[CallId], None]
    ) -> None:
        """In characters: of any result, whatever its tool says, and of all results of one turn together.

        Without a folder nothing is kept of what is cut. `on_cut` is told of each call whose result is not whole.
        """
        self._on_cut = on_cut
        self._spilled = spilled
        self._of_result = of_result
        self._of_turn = of_turn
        self._kept: dict[CallId, _Whole] = {}

    def holds(self, result: ToolResult, characters: int) -> bool:
        """Whether the result has so many characters of text at most, and no more than the session allows."""
        return _size(result) <= min(characters, self._of_result)

    async def fit(self, call: CallId, result: ToolResult, characters: int) -> ToolResult:
        """The same result, within these bounds."""
        if self.holds(result, characters):
            return result
        return await self._cut(call, result, min(characters, self._of_result))

    async def fit_turn(self, results: Sequence[tuple[CallId, ToolResult]]) -> list[ToolResult]:
        """All results of a turn within its budget: short ones stay whole, the long ones share what is left."""
        sizes = [_size(result) for _, result in results]
        if sum(sizes) <= self._of_turn:
            return [result for _, result in results]
        shares = fair_shares(sizes, self._of_turn)
        return [
            result if size <= share else await self._cut(call, result, share)
            for (call, result), size, share in zip(results, sizes, shares, strict=True)
        ]

    async def _cut(self, call: CallId, result: ToolResult, characters: int) -> ToolResult:
        self._on_cut(call)
        return await asyncio.to_thread(self._cut_and_kept, call, result, characters)

    def _cut_and_kept(self, call: CallId, result: ToolResult, characters: int) -> ToolResult:
        before = self._kept.get(call)
        if before is None:
            text = "\n".join(_kept_text(part) for part in result.parts)
            self._kept[call] = _Whole(self._hint(call, text), len(result.text))
        hint = self._kept[call].hint
        return within_budget(result, characters, hint, None if before is None else before.characters)

    def _hint(self, call: CallId, text: str) -> str:
        if self._spilled is None:
            return _ASK_FOR_LESS
        try:
            return Kept(self._spilled.keep(call, text)).in_words
        except OSError as error:
            return Kept(None, why_not=error.strerror or type(error).__name__).in_words


def within_budget(
    result: ToolResult, characters: int, hint: str = _ASK_FOR_LESS, of_whole: int | None = None
) -> ToolResult:
    """The result with at most about `characters` of text. Its parts share them fairly; other media stay.

    `of_whole` is how many characters the result had before it was cut for the first time.
    """
    if _size(result) <= characters:
        return result
    texts = [part for part in result.parts if _length(part)]
    if len(texts) > _MOST_CUT_APART:
        joined: Part = TextPart("\n".join(map(part_text, texts)))
        others = [part for part in result.parts if not _length(part)]
        result, texts = replace(result, parts=(joined, *others)), [joined]
    shares = iter(fair_shares([_length(part) for part in texts], characters))
    whole = of_whole if len(texts) == 1 else None
    parts = [_within(part, next(shares), hint, whole) if _length(part) else part for part in result.parts]
    return replace(result, parts=tuple(parts))


def shortened(text: str, characters: int, hint: str = _ASK_FOR_LESS, of_whole: int | None = None) -> str:
    """Head and tail of a long text, with the number of characters left out between them, and where to find them."""
    if len(text) <= characters:
        return text
    head = int(characters * _HEAD_SHARE)
    tail = len(text) - (characters - head)
    first, last = json_cuts(text, head, tail) if is_json(text) else (head_end(text, head), tail_start(text, tail))
    whole = of_whole or len(text)
    left_out = whole - first - (len(text) - last)
    lines = text.count("\n", first, last) if of_whole is None else 0
    in_lines = f" ({lines:,} lines)" if lines > 1 else ""
    note = f"[… {left_out:,} of {whole:,} characters{in_lines} left out; {hint} …]"
    return f"{text[:first]}\n{note}\n{text[last:]}"


def fair_shares(sizes: Sequence[int], total: int) -> list[int]:
    """What each gets of the total: all it needs where that is little, else an equal share of what is left."""
    shares, left = list(sizes), total
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for place, index in enumerate(by_size):
        shares[index] = min(sizes[index], left // (len(by_size) - place))
        left -= shares[index]
    return shares


def _within(part: Part, characters: int, hint: str, of_whole: int | None) -> Part:
    if _length(part) <= characters:
        return part
    return TextPart(shortened(part_text(part), characters, hint, of_whole))


def _kept_text(part: Part) -> str:
    """JSON in lines, so that it can be paged and searched."""
    if isinstance(part, JsonPart):
        return json.dumps(part.value, ensure_ascii=False, indent=1)
    return part_text(part)


def _size(result: ToolResult) -> int:
    size = 0
    for part in result.parts:
        size += len(part.text) if isinstance(part, TextPart) else _length(part)
    return size


def _length(part: Part) -> int:
    """Of the text that a part is; 0 for other media."""
    if isinstance(part, TextPart):
        return len(part.text)
    return len(part_text(part)) if isinstance(part, (JsonPart, ResourcePart)) else 0
