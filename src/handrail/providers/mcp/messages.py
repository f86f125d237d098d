"""One message, and the line of JSON that it is on a pipe."""

from __future__ import annotations

from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json

from handrail.providers.mcp.readable import readable

_NOT_TAKEN = ("recursion limit", "surrogate", "hex escape", "number out of range")
"""In what pydantic's parser says of JSON that can be made readable."""


def decoded(line: bytes) -> SessionMessage | None:
    """None for what is no message.

    Parsed first, and then looked at: the adapter parses a line once for each kind of message, and 30 MB of small
    things held the loop for half a minute. An answer that is none is an error, for nobody else answers that request.
    """
    try:
        parsed = _parsed(line)
    except (ValueError, RecursionError):
        return None
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(parsed, by_name=False))
    except (ValidationError, RecursionError):
        answered = parsed.get("id") if isinstance(parsed, dict) and "method" not in parsed else None
        if isinstance(answered, bool) or not isinstance(answered, int | str):
            return None
        error = ErrorData(code=INTERNAL_ERROR, message="its answer is neither a result nor an error")
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=answered, error=error))


def _parsed(line: bytes) -> object:
    try:
        return from_json(line)
    except ValueError as error:
        if not any(known in str(error) for known in _NOT_TAKEN):
            raise
    return from_json(readable(line))


def error_in(body: bytes) -> dict[str, object] | None:
    """The error of JSON-RPC that a body is; None for any other."""
    try:
        read = from_json(readable(body))
    except ValueError:
        return None
    error = read.get("error") if isinstance(read, dict) else None
    return error if isinstance(error, dict) and "code" in error else None


def encoded(item: SessionMessage) -> bytes:
    """With the end of its line. Numbers keep all their digits."""
    return item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def is_cancellation(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification) and item.message.method == "notifications/cancelled"


def is_notification(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification)
