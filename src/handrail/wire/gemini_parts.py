"""Parts of a generateContent answer, put together from chunks.

Text comes in pieces. So may a call: a part names the function and says `willContinue`, further parts
bring values of its arguments by JSON path (`partialArgs`), and a part that says nothing ends it.
"""

from __future__ import annotations

import re
from dataclasses import field
from itertools import pairwise
from typing import TypeAlias

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import mutable, value
from handrail.wire.arguments import STREAM_ENDED, Cut
from handrail.wire.jsontext import object_of, objects_of, text_of
from handrail.wire.text import joined, preview

_STEP = re.compile(r"""\.([^.*\[\]'"\s]+) | \[(\d{1,9})\] | \['((?:[^'\\]|\\.)*)'\] | \["((?:[^"\\]|\\.)*)"\]""", re.X)
"""One step of a JSON path (RFC 9535): `.name`, `[0]`, `['any name']`. Arguments need no others."""

Step: TypeAlias = "str | int"


@value
class GeminiPart:
    """One part. `call` is its function call, if it is one, and `arguments` what that carries."""

    data: JsonObject
    call: JsonObject | None = None
    arguments: Json | Cut = None


@mutable
class _Text:
    data: JsonObject
    pieces: list[str]

    def part(self) -> GeminiPart:
        return GeminiPart({**self.data, "text": joined(self.pieces)})


@mutable
class _OpenCall:
    data: dict[str, Json]
    call: JsonObject
    arguments: dict[str, Json] = field(default_factory=dict)
    growing: set[tuple[Step, ...]] = field(default_factory=set)
    """Paths whose text goes on."""
    goes_on: bool = True
    problem: str = ""

    def add(self, call: JsonObject) -> None:
        for partial in objects_of(call.get("partialArgs")):
            if not self._place(partial):
                self.problem = f"a streamed value has no place at {preview(text_of(partial.get('jsonPath')))!r}"
        self.goes_on = call.get("willContinue") is True

    def part(self) -> GeminiPart:
        call = {key: value for key, value in self.call.items() if key not in ("willContinue", "partialArgs")}
        call["args"] = self.arguments
        problem = STREAM_ENDED if self.goes_on else self.problem
        return GeminiPart(self.data, call, Cut(self.arguments, problem) if problem else self.arguments)

    def _place(self, partial: JsonObject) -> bool:
        """Puts one value where it belongs; False where it can't be put."""
        path = _steps(text_of(partial.get("jsonPath")))
        if not path or not isinstance(path[0], str):
            return False
        holder: Json = self.arguments
        for step, following in pairwise(path):
            holder = _entered(holder, step, [] if isinstance(following, int) else {})
        value = _value(partial)
        before = _held(holder, path[-1])
        if path in self.growing and isinstance(value, str) and isinstance(before, str):
            value = joined([before, value])
        if partial.get("willContinue") is True:
            self.growing.add(path)
        else:
            self.growing.discard(path)
        return _put(holder, path[-1], value)


class Parts:
    """Collects the parts of one answer in order."""

    def __init__(self) -> None:
        self._parts: list[GeminiPart | _Text | _OpenCall] = []

    def add(self, part: JsonObject) -> None:
        call = part.get("functionCall")
        if isinstance(call, dict):
            self._add_call(part, call)
        elif isinstance(part.get("text"), str):
            self._add_text(part, text_of(part.get("text")))
        else:
            self._parts.append(GeminiPart(part))

    def finished(self) -> list[GeminiPart]:
        whole = [part if isinstance(part, GeminiPart) else part.part() for part in self._parts]
        return [part for part in whole if not _says_nothing(part.data)]

    def _add_text(self, part: JsonObject, text: str) -> None:
        """Goes on with the text before, where both are of one kind and neither is signed."""
        kind = {key: value for key, value in part.items() if key != "text"}
        last = self._parts[-1] if self._parts else None
        if isinstance(last, _Text) and last.data == kind and "thoughtSignature" not in kind:
            last.pieces.append(text)
        else:
            self._parts.append(_Text(kind, [text]))

    def _add_call(self, part: JsonObject, call: JsonObject) -> None:
        going_on = self._going_on(call)
        if going_on is not None:
            going_on.data = {**part, **going_on.data}
            going_on.add(call)
        elif call.get("willContinue") is True or "partialArgs" in call:
            begun = _OpenCall(dict(part), call, dict(object_of(call.get("args"))))
            begun.add(call)
            self._parts.append(begun)
        elif call:
            self._parts.append(GeminiPart(part, call, call.get("args")))

    def _going_on(self, call: JsonObject) -> _OpenCall | None:
        """The call that this part goes on with: of the same id, or the newest one where it names nothing."""
        waiting = [part for part in reversed(self._parts) if isinstance(part, _OpenCall) and part.goes_on]
        id = call.get("id")
        if id:
            return next((part for part in waiting if part.call.get("id") == id), None)
        return None if call.get("name") else next(iter(waiting), None)


def _says_nothing(part: JsonObject) -> bool:
    """Empty text that carries nothing else, as the last chunk of a stream often does."""
    return part.get("text") == "" and not (part.keys() - {"text", "thought"})


def _steps(path: str) -> tuple[Step, ...]:
    """The steps of a JSON path; none where it is not one of the simple kind."""
    steps: list[Step] = []
    at = 1
    while path.startswith("$") and at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return ()
        name, index, single, double = found.groups()
        quoted = single if single is not None else double
        steps.append(int(index) if index is not None else name or re.sub(r"\\(.)", r"\1", quoted or ""))
        at = found.end()
    return tuple(steps)


def _value(partial: JsonObject) -> Json:
    return next((partial[key] for key in ("stringValue", "numberValue", "boolValue") if key in partial), None)


def _held(holder: Json, step: Step) -> Json:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    held: Json = None
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        held = holder[step]
    return held


def _entered(holder: Json, step: Step, empty: Json) -> Json:
    """What stands at a step, made if nothing does; None where nothing can stand there."""
    held = _held(holder, step)
    if held is None and _put(holder, step, empty):
        return empty
    return held


def _put(holder: Json, step: Step, value: Json) -> bool:
    """Arrays grow by one at a time: a far index is a mistake, not a wish for thousands of nulls."""
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
        return True
    if isinstance(holder, list) and isinstance(step, int) and step <= len(holder):
        holder[step : step + 1] = [value]
        return True
    return False
