"""Official SDKs' objects as the JSON they stand for, without importing any SDK.

All four SDKs' responses and stream events are pydantic models. What the provider did not send is left
out, so that the turn goes back as it came: fields that were never set, and what the SDKs' own helpers
(`parse`, `stream`) read into their objects for the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast, runtime_checkable

from handrail.contract.basics import Json
from handrail.errors import WireError


@runtime_checkable
class SdkObject(Protocol):
    """A pydantic model, as far as it matters here."""

    def model_dump(
        self, *, mode: str, by_alias: bool, exclude_unset: bool, exclude: Mapping[str, Any], warnings: bool
    ) -> dict[str, Json]: ...


def as_json(value: object) -> Json:
    """The JSON of a response or an event: an SDK's object, or JSON already. Raises WireError for anything else."""
    if isinstance(value, Mapping):
        return cast(Json, value)
    if isinstance(value, SdkObject):
        sent = getattr(value, "chunk", value)  # openai's `chat.completions.stream` wraps each chunk in an event
        # The helpers put objects of other types than declared into their fields, of which pydantic would warn.
        return cast(SdkObject, sent).model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude=_READ_BY_HELPERS, warnings=False
        )
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [as_json(item) for item in value]
    raise WireError(
        f"got {type(value).__name__}; expected a provider's response as a dict or SDK object, its stream, "
        "or a list of its events"
    )


_READ_OUTPUT: Mapping[str, Any] = {
    "output": {"__all__": {"parsed_arguments": True, "content": {"__all__": {"parsed": True}}}}
}
_READ_MESSAGE: Mapping[str, Any] = {
    "parsed": True,
    "tool_calls": {"__all__": {"function": {"parsed_arguments": True}}},
}
_READ_BY_HELPERS: Mapping[str, Any] = {
    "content": {"__all__": {"parsed_output": True}},
    "choices": {"__all__": {"message": _READ_MESSAGE}},
    "response": _READ_OUTPUT,
    **_READ_OUTPUT,
}
"""What `parse` and `stream` of the SDKs add, as pydantic's `exclude` takes it: anthropic's messages, openai's
completions, and openai's responses, alone or in an event. No provider takes these keys back."""
