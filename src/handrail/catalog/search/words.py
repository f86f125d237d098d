"""The words that a text is found by. Pure."""

from __future__ import annotations

import re

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
"""A run of one case, as in `getHTTPStatus`; a number; names in other scripts stay whole."""

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""))
"""How plurals lose theirs: the first that fits. Other forms of a word are found by its beginning."""

_STOP = frozenset((
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "if", "in", "into",
    "is", "it", "me", "my", "of", "on", "or", "some", "that", "the", "this", "to", "tool", "use", "using", "want",
    "what", "when", "where", "which", "with",
))  # fmt: skip
"""Words that say nothing of what a tool does."""

_SHORTEST_PLURAL = 4


def words_of(text: str) -> list[str]:
    """Lower-case words in their order, plurals as singulars: `getOpenIssues` and `open_issue` share two."""
    words = (_singular(part.lower()) for part in _PART.findall(text))
    return [word for word in words if word not in _STOP]


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL:
        return word
    ending, instead = next(((e, i) for e, i in _ENDINGS if word.endswith(e)), ("", ""))
    return word.removesuffix(ending) + instead
