"""One message, and the line of JSON that it is on a pipe."""

from __future__ import annotations

import json

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json


def decoded(line: bytes) -> SessionMessage | None:
    """None for what is no message.

    Parsed first, and then looked at: the adapter parses a line once for each kind of message, and 30 MB of small
    things held the loop for half a minute.
    """
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(_parsed(line), by_name=False))
    except (ValidationError, ValueError, RecursionError):
        return None


def _parsed(line: bytes) -> object:
    """pydantic's parser takes some 200 levels. A schema may be deeper, and must not hide the tools beside it."""
    try:
        return from_json(line)
    except ValueError as error:
        if "recursion limit" not in str(error):
            raise
        return json.loads(line)


def encoded(item: SessionMessage) -> bytes:
    """With the end of its line. Numbers keep all their digits."""
    return item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def is_cancellation(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification) and item.message.method == "notifications/cancelled"


def is_notification(item: SessionMessage) -> bool:
    return isinstance(item.message, JSONRPCNotification)
