"""What may be said of a call's arguments where they are kept for good, or shown to whoever looks. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.secret import secrets_in
from handrail.contract.tool import Invocation
from handrail.settings.redaction import Redactor

LONGEST_TEXT = 200
"""Characters of one text; a longer one, and one of several lines, is content, and only its size is told."""

LONGEST_VIEW = 2_000
"""Characters of JSON; of arguments that take more, only the names and sizes are told."""

_MOST_NAMES = 50
_DEEPEST = 4


def redactor_for(invocation: Invocation, redactor: Redactor) -> Redactor:
    """One that also knows what the call's tool marks as secret among its arguments."""
    marked = list(secrets_in(invocation.tool.parameters.schema, invocation.arguments))
    return redactor.knowing(marked) if marked else redactor


def view_of(arguments: JsonObject, redactor: Redactor) -> JsonObject:
    """The arguments without secrets and without content: commands, paths and options, and how much of the rest."""
    view = {
        redactor.text(name): _short(value, redactor, _DEEPEST) for name, value in list(arguments.items())[:_MOST_NAMES]
    }
    if len(json.dumps(view)) > LONGEST_VIEW:
        view = {name[:LONGEST_TEXT]: _size(value) for name, value in view.items()}
    if len(arguments) > _MOST_NAMES:
        view["…"] = f"[{len(arguments) - _MOST_NAMES:,} more]"
    return view


def _short(value: Json, redactor: Redactor, levels: int) -> Json:
    if isinstance(value, str):
        is_content = len(value) > LONGEST_TEXT or "\n" in value
        return _size(value) if is_content else redactor.text(value)
    if not isinstance(value, (Mapping, list, tuple)):
        return _number(value, redactor)
    if not levels or len(value) > _MOST_NAMES:
        return _size(value)
    if isinstance(value, Mapping):
        return {redactor.text(name): _short(item, redactor, levels - 1) for name, item in value.items()}
    return [_short(item, redactor, levels - 1) for item in value]


def _number(value: Json, redactor: Redactor) -> Json:
    """A number may be marked as secret too; then its text is."""
    text = str(value)
    redacted = redactor.text(text)
    return value if redacted == text else redacted


def _size(value: Json) -> Json:
    if isinstance(value, str):
        return f"[{len(value):,} characters]"
    return f"[{len(value):,} items]" if isinstance(value, (Mapping, list, tuple)) else value
