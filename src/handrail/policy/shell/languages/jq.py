"""Filters of jq: all of them only read, save for those that look at the environment or at other files."""

from __future__ import annotations

import re

_STRING = re.compile(r'"(?:[^"\\]|\\[^(])*"', re.S)
"""A string without an expression in it."""
_UNCLEAR = re.compile(r"\\\(|#")
"""An expression in a string, or a comment: where strings start and end is not known then."""
_ENVIRONMENT = re.compile(r"\$\s*ENV\b|(?<![.\w])ENV\b(?!\s*:)|__prog_args|(?<![.\w$@])env\b(?!\s*:)")
_FILES = re.compile(r"(?<![.\w$])(?:import|include|modulemeta|get_search_list|input_filename)\b(?!\s*:)")


def check(filter_text: str) -> str:
    """Why a filter does more than read its input, as a clause; empty when it does not."""
    bare = filter_text if _UNCLEAR.search(filter_text) else _STRING.sub('""', filter_text)
    if _ENVIRONMENT.search(bare):
        return "its filter shows the environment"
    if _FILES.search(bare):
        return "its filter looks at other files"
    return ""
