"""How a server is reached, for people and logs: as it is written, without what may be a secret in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from handrail.settings.redaction import names_secret

HIDDEN = "…"

_VARIABLE = r"\$(?:\{\w+\}|[A-Za-z_]\w*)"
_NO_SECRET = re.compile(rf"{HIDDEN}|(?:[A-Za-z]+\s+)?{_VARIABLE}(?=[\s&#\"']|$)")
"""`${TOKEN}`, `Bearer ${TOKEN}`: it stands for a secret. Or what stood here is hidden."""
_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)")
_NAMED = re.compile(r"(?<![\w.-])([\w.-]++)[\"']?\s*+[=:]\s*+(?=\S)")
"""`--api-key=X`, `TOKEN=X`, `X-Api-Key: X`, `"token": "X"`, wherever it stands in a word. Each name is looked at once,
however long it is."""
_USER = re.compile(rf"(?<=://)(?!{_VARIABLE}@)[^/?#@:]+(?=@)")
_PASSWORD = re.compile(rf"(?<=://)([^/?#@:]*:)(?!{_VARIABLE}@)[^/?#@]+(?=@)")
_QUERY_VALUE = re.compile(rf"([?&][^=&#?]*+=)(?!{_VARIABLE}(?:[&#]|$))[^&#]+")


def shown_words(words: Iterable[str]) -> str:
    """A command with its words; what an option, a variable or a header of a secret's name has for a value is hidden."""
    return " ".join(_shown(words))


def shown_address(url: str) -> str:
    """An address without its user, password and the values of its query."""
    return _QUERY_VALUE.sub(rf"\1{HIDDEN}", _PASSWORD.sub(rf"\1{HIDDEN}", _USER.sub(HIDDEN, url)))


def is_written_secret(name: str, text: str) -> bool:
    """Whether a value of this name is a secret that stands there itself: no variable is in it."""
    return bool(text) and "${" not in text and names_secret(name)


def _shown(words: Iterable[str]) -> Iterator[str]:
    follows = False
    for word in words:
        option = _OPTION.fullmatch(word)
        if follows and option is None:
            yield word if _NO_SECRET.fullmatch(word) else HIDDEN
        else:
            yield _without_named(shown_address(word) if "://" in word else word)
        follows = option is not None and names_secret(option[1])


def _without_named(word: str) -> str:
    for found in _NAMED.finditer(word):
        if names_secret(found[1].lstrip("-.0123456789")) and not _NO_SECRET.match(word, found.end()):
            return f"{word[: found.end()]}{HIDDEN}"
    return word
