"""Parameter schemas as each provider takes them.

Arguments are always checked by a tool's own schema, here; what a provider is told may say less of what is wanted, and
never forbids anything that the tool takes.
"""

from __future__ import annotations

from handrail.authoring.schema_repair import as_2020
from handrail.contract.basics import JsonObject
from handrail.wire.response import Wire
from handrail.wire.schemas.arrays import with_items
from handrail.wire.schemas.gemini import for_gemini
from handrail.wire.schemas.keys import with_plain_keys
from handrail.wire.schemas.top_level import flat


def schema_for(wire: Wire, schema: JsonObject) -> JsonObject:
    """A tool's schema, for one provider."""
    match wire:
        case Wire.ANTHROPIC:
            return with_plain_keys(flat(as_2020(schema)))
        case Wire.OPENAI_CHAT | Wire.OPENAI_RESPONSES:
            return with_items({"properties": {}, **flat(as_2020(schema))})
        case Wire.GEMINI:
            return for_gemini(flat(as_2020(schema)))
        case Wire.NEUTRAL:
            return schema
