"""One message, and the line of JSON that it is on a pipe."""

from __future__ import annotations

import json

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError


def decoded(line: bytes) -> SessionMessage | None:
    """None for what is no message."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        # pydantic's parser takes some 200 levels. A schema may be deeper, and must not hide the tools beside it.
        deep = "recursion limit" in str(error.errors(include_input=False, include_url=False)[0]["msg"])
        return _deep(line) if deep else None


def _deep(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False))
    except (ValueError, RecursionError):
        return None


def encoded(item: SessionMessage) -> bytes:
    """With the end of its line. Numbers keep all their digits."""
    return item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def is_cancellation(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification) and item.message.method == "notifications/cancelled"


def is_notification(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification)
