"""What a header of HTTP can hold. Pure."""

from __future__ import annotations

import re

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, section 5.6.2."""


def is_header(name: str, text: str) -> bool:
    """Whether a request can carry it; other characters than those of ASCII no server need understand."""
    return bool(_NAME.fullmatch(name)) and text.isascii() and text.replace("\t", " ").isprintable()
