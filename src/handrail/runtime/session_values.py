"""`contract.session_values.SessionValues`: in memory, and kept in the journal where there is one on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping

from handrail.contract.basics import Json
from handrail.errors import ToolFailed
from handrail.runtime.value_rows import KeptTogether, KeptValue, ValueKeeper

LARGEST = 4_000_000
"""Characters of JSON under one name: a thousand tasks with long descriptions."""


class KeptValues:
    """The values of one session."""

    def __init__(self, keeper: ValueKeeper | None = None, kept: Mapping[str, Json] | None = None) -> None:
        """`kept` is what an earlier process left. Without a keeper all ends with the session."""
        self._keeper = keeper
        self._values = dict(kept or {})

    def get(self, name: str) -> Json:
        return self._values.get(name)

    def put(self, name: str, value: Json) -> None:
        self.put_all({name: value})

    def put_all(self, values: Mapping[str, Json]) -> None:
        kept = tuple(KeptValue(name, json.dumps(value)) for name, value in values.items())
        for each in kept:
            if len(each.content) > LARGEST:
                raise ToolFailed(
                    f"The session can't keep so much under {each.name!r}: {len(each.content):,} characters, and at "
                    f"most {LARGEST:,} are kept. Nothing was changed; shorten it, or put it into a file."
                )
        # As they would be read again, so that a restart changes nothing.
        self._values.update((each.name, json.loads(each.content)) for each in kept)
        if self._keeper is not None:
            self._keeper.keep_values(KeptTogether(kept))


def fits(value: Json) -> bool:
    """Whether a session keeps so much under one name."""
    return len(json.dumps(value)) <= LARGEST
