"""Makes a conversation shorter before it fills the model's window: old results first, then a summary by the model.

Entries are taken whole, so no call is parted from its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from handrail.agent.conversation import CarriedOut, Entry, Told
from handrail.agent.listening import listen
from handrail.agent.model import Model, ModelEvent, ModelRequest, Received, ResponseEnded, Usage
from handrail.agent.tokens import tokens_of
from handrail.contract.results import TextPart, ToolResult
from handrail.contract.values import value
from handrail.errors import ModelError, ModelFault, WireError
from handrail.wire import Answer, StreamReader

FULL = 0.8
"""Of a window: the rest is for the answer, and for estimates that are too low."""
TAIL = 0.2
"""Of a conversation: the newest entries, which stay as they are."""

LONG = 400
"""Characters of a result that is worth leaving out."""
LEFT_OUT = "[This result was left out to save room. Make the call again if you still need it.]"

MOST_ATTEMPTS = 4
"""Summaries that are asked for, each of half as much, while the model says that it is too much."""

RequestOf: TypeAlias = Callable[[Sequence[Entry]], ModelRequest]
"""The request that some entries come to."""

_BEGINNING = "[What came before was too much to be summed up, and is left out.]"
_HEADING = "The conversation up to here was summed up to save room. The summary, by you:"


@value
class Shorter:
    """What is left of a conversation."""

    entries: tuple[Entry, ...]


def is_full(model: Model, used: int) -> bool:
    """Whether the next request should wait for a compaction; never where the window is not known."""
    return bool(model.window) and used > model.window * FULL


def without_old_results(entries: Sequence[Entry]) -> Shorter | None:
    """Long results before the newest entries give way to a note. None where there are none."""
    keep = _tail(entries)
    shorter = tuple(_without_results(entry) for entry in entries[:keep])
    if shorter == tuple(entries[:keep]):
        return None
    return Shorter((*shorter, *entries[keep:]))


async def summed_up(
    model: Model, entries: Sequence[Entry], request_of: RequestOf, spend: Callable[[Usage], None]
) -> Shorter | None:
    """A summary by the model, and the newest entries. None where there is nothing before these. Raises ModelError.

    `spend` hears what each answer costs, also one that is no summary.
    """
    keep = _tail(entries)
    old, newest = entries[:keep], entries[keep:]
    if not any(isinstance(entry, CarriedOut) for entry in old):
        return None
    for attempt in range(MOST_ATTEMPTS):
        try:
            text = await _answer(model, request_of((*old, Told(_instructions()))), spend)
        except ModelError as error:
            if error.fault is not ModelFault.TOO_LONG or attempt == MOST_ATTEMPTS - 1:
                raise
            old = _newer_half(old)
            continue
        if not text:
            raise ModelError(
                ModelFault.UNREADABLE, "the model was asked for a summary of the conversation and gave none"
            )
        kept = _last_words(entries[:keep], newest)  # of all that there was, also where a part was not summed up
        return Shorter((Told(f"{_HEADING}\n\n{text}"), *kept, *newest))
    return None


def _newer_half(entries: Sequence[Entry]) -> Sequence[Entry]:
    """A conversation begins with the user: providers refuse one that the model begins."""
    newer = entries[(len(entries) + 1) // 2 :]
    return newer if not newer or not isinstance(newer[0], CarriedOut) else (Told(_BEGINNING), *newer)


def _tail(entries: Sequence[Entry]) -> int:
    """Where the newest entries begin: the last one is always among them."""
    sizes = [tokens_of((entry,)) for entry in entries]
    room, at = sum(sizes) * TAIL, len(sizes)
    while at > 0 and (at == len(sizes) or sizes[at - 1] <= room):
        at -= 1
        room -= sizes[at]
    return at


def _last_words(old: Sequence[Entry], newest: Sequence[Entry]) -> tuple[Entry, ...]:
    """What the user said last stays in their words."""
    if any(isinstance(entry, Told) for entry in newest):
        return ()
    return tuple(entry for entry in old if isinstance(entry, Told))[-1:]


def _without_results(entry: Entry) -> Entry:
    if not isinstance(entry, CarriedOut):
        return entry
    return replace(entry, answers=tuple(map(_shortened, entry.answers)))


def _shortened(answer: Answer) -> Answer:
    if len(answer.result.text) <= LONG:
        return answer
    return replace(answer, result=ToolResult((TextPart(LEFT_OUT),), fault=answer.result.fault))


async def _answer(model: Model, request: ModelRequest, spend: Callable[[Usage], None]) -> str:
    """What the model says; the calls that it makes all the same are not carried out."""
    reader = StreamReader(model.wire)

    def hear(event: ModelEvent) -> None:
        if isinstance(event, Received):
            reader.feed(event.event)
        elif isinstance(event, ResponseEnded):
            spend(event.usage)

    broken = await listen(model, request, hear)
    if broken is not None:
        raise broken
    try:
        return reader.finish().text.strip()
    except WireError as error:
        raise ModelError(ModelFault.UNREADABLE, str(error)) from error


@cache
def _instructions() -> str:
    return (Path(__file__).parent / "context" / "summary.md").read_text("utf-8").strip()
