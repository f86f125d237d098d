"""Names for plain values that several parts of the contract share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NewType, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value as `json.loads` gives it; sequences and mappings are not changed after decoding."""

JsonObject: TypeAlias = Mapping[str, Json]

CallId = NewType("CallId", str)
"""Unique within a session. Equal to the id on the wire unless that was missing or repeated."""

ApprovalId = NewType("ApprovalId", str)
"""Names one open question at the approval desk."""

SessionId = NewType("SessionId", str)

JobId = NewType("JobId", str)
"""Names one background job: the id of the call that started it, and its number there."""

Instant = NewType("Instant", float)
"""Seconds since the Unix epoch, from the session's clock."""
