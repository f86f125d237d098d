"""A text of the model that is to be one line, whatever was in it. Pure."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """Blanks of any kind become single spaces; controls, and marks that turn the direction of text, are left out."""
    return " ".join("".join(each for each in text if each.isspace() or not _hides(each)).split())


def _hides(character: str) -> bool:
    """`Cc` controls, `Cf` formats such as the bidirectional overrides, `Cs` halves of surrogate pairs."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")
