"""Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent?alt=sse`."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from handrail.wire import Wire
from servers.conversation import Step
from servers.dialect import Event, halves
from servers.script import Turn, Use

SIGNATURE = base64.b64encode(bytes(range(256))).decode()
"""Of every byte there is, so that it shows which base64 alphabet somebody used, and how often."""


class GeminiDialect:
    wire = Wire.GEMINI
    alternates = True

    def __init__(self, *, ids: bool = True) -> None:
        """`ids`: newer models name their calls; older ones leave them to be told apart by name and order."""
        self._ids = ids

    def streams(self, path: str, body: Any) -> bool | None:
        if path.endswith(":generateContent"):
            return False
        return True if path.endswith(":streamGenerateContent?alt=sse") else None

    def messages(self, body: Any) -> Sequence[Any]:
        return body["contents"]

    def tools(self, body: Any) -> Sequence[Any]:
        return body.get("tools", [])

    def names(self, tools: Sequence[Any]) -> Sequence[str]:
        return [declared["name"] for tool in tools for declared in tool["functionDeclarations"]]

    def steps(self, messages: Sequence[Any]) -> list[Step]:
        return [_step(content) for content in messages]

    def whole(self, turn: Turn) -> Any:
        return _chunk(turn, self._parts(turn), "STOP")

    def events(self, turn: Turn) -> Iterator[Event]:
        for part in self._parts(turn):
            if "text" in part:
                for piece in halves(part["text"]):
                    yield "", _chunk(turn, [{**part, "text": piece}])
            else:
                yield "", _chunk(turn, [part])
        yield "", _chunk(turn, [{"text": ""}], "STOP")

    def model_step(self, turn: Turn) -> Step:
        return _step({"role": "model", "parts": self._parts(turn)})

    def error(self, message: str) -> Any:
        return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}

    def _parts(self, turn: Turn) -> list[dict[str, Any]]:
        """The first call of a turn is signed, as the newer models do it."""
        thought = [{"text": turn.thinking, "thought": True}] if turn.thinking else []
        text = [{"text": turn.text}] if turn.text else []
        calls = [self._call(use) for use in turn.uses]
        if calls:
            calls[0]["thoughtSignature"] = SIGNATURE
        return [*thought, *text, *calls]

    def _call(self, use: Use) -> dict[str, Any]:
        named = {"name": use.name, "args": use.arguments}
        return {"functionCall": {"id": use.id, **named} if self._ids else named}


_ABOUT = {"modelVersion": "gemini-local"}


def _chunk(turn: Turn, parts: Sequence[Any], finish: str = "") -> Any:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        return {"candidates": [candidate], "usageMetadata": usage, **_ABOUT, "responseId": turn.id}
    return {"candidates": [candidate], **_ABOUT, "responseId": turn.id}


def _step(content: Any) -> Step:
    parts = content["parts"]
    if content["role"] == "model":
        return Step("model", [_bytes(part) for part in parts], _ids(parts, "functionCall"))
    answered = _ids(parts, "functionResponse")
    return Step("tools" if answered else "user", parts, answered)


def _ids(parts: Sequence[Any], key: str) -> tuple[str, ...]:
    return tuple(part[key].get("id") or part[key]["name"] for part in parts if key in part)


def _bytes(part: Any) -> Any:
    """A signature is bytes: the provider takes either base64 alphabet, and its own is not that of its SDK."""
    if "thoughtSignature" not in part:
        return part
    standard = part["thoughtSignature"].replace("-", "+").replace("_", "/")
    return {**part, "thoughtSignature": base64.b64decode(standard)}
