"""Regular expressions with brackets, whose end sed and awk look for in several ways."""

from __future__ import annotations

import re

_CLOSED = re.compile(
    r"""(?: \\. | [^\[\\]
    | \[\^?(?:
        (?:[^]\[\\]|\\[^]\[\\]|\[:\w+:\])+
        | \](?:[^]\[\\]|\\[^]\[\\]|\[:\w+:\])*
    )\]
    )*""",
    re.X | re.S,
)
"""All brackets are closed, however they are read: in `[]a]` some take the first `]` for a letter, others for an end."""


def may_end_within_brackets(expression: str) -> bool:
    """True where a program may read on behind the delimiter, since that stands within brackets for it."""
    return _CLOSED.fullmatch(expression) is None
