"""What stands in a text where a secret was taken out: `[redacted:github-token]`. Pure."""

from __future__ import annotations

import re

OPENING = "[redacted:"

_PLACEHOLDER = re.compile(re.escape(OPENING) + r"[$\w.-]{1,100}\]")
_UNFIT = re.compile(r"[^$\w.-]")
_LONGEST_KIND = 100


def placeholder(kind: str) -> str:
    """The placeholder for a kind of secret, or for a variable's value: `$NAME`."""
    return f"{OPENING}{_UNFIT.sub('_', kind)[:_LONGEST_KIND]}]"


def placeholders_in(text: str) -> list[str]:
    """The placeholders in a text: where they stand, something else stood once."""
    return _PLACEHOLDER.findall(text)
