"""Anthropic refuses a schema with parameters whose names are other than letters, digits, `_`, `.`, `-`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import list_of
from handrail.wire.schemas.combining import noted

_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_LONGEST_TOLD = 2_000


def with_plain_keys(schema: JsonObject) -> JsonObject:
    """Parameters with other names are told of in words: a model may give them all the same."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or all(map(_KEY.fullmatch, properties)):
        return schema
    odd = {name: said for name, said in properties.items() if not _KEY.fullmatch(name)}
    required = [name for name in map(str, list_of(schema.get("required"))) if name not in odd]
    made: dict[str, Json] = {
        key: said for key, said in schema.items() if key not in ("additionalProperties", "required")
    }
    made["properties"] = {name: said for name, said in properties.items() if name not in odd}
    made |= {"required": required} if required else {}
    told = json.dumps(odd, ensure_ascii=False)[:_LONGEST_TOLD]
    return noted(made, f"It also takes these parameters, by their JSON Schemas: {told}")
