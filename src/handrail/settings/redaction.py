"""Takes secrets out of text for journals, logs and people. Pure, and linear in the text's length.

Three things are secrets: the values of environment variables whose names say so, what has the shape of a
token (both in `redaction.toml`), and what a tool marked (`contract.secret`). In their place stands what kind of
thing it was: `[redacted:github-token]`, `[redacted:$DB_PASSWORD]`. What a model gets is never changed.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from handrail.contract.values import value
from handrail.settings.placeholders import OPENING, placeholder

MARKED = "marked"
"""The kind of what a tool marked as secret."""

_SHORT = 512
"""Characters; the outcome for shorter texts is remembered: reasons and paths come again and again."""

_EXPRESSION_BYTES = 64 << 20
"""What RE2 may take for one expression; the default is too little for all shapes at once."""


class _Expression(Protocol):
    """What is used here of a compiled expression of RE2, which ships no types."""

    def search(self, text: bytes) -> Any: ...

    def sub(self, replacement: Any, text: bytes) -> bytes: ...


@value
class _Shape:
    kind: str
    pattern: str


@value
class _Knowledge:
    """`redaction.toml`."""

    within: tuple[str, ...]
    words: frozenset[str]
    spared: frozenset[str]
    spared_beginnings: tuple[str, ...]
    spared_endings: tuple[str, ...]
    shortest: int
    shapes: tuple[_Shape, ...]

    @classmethod
    @cache
    def load(cls) -> _Knowledge:
        table = tomllib.loads(Path(__file__).with_name("redaction.toml").read_text("utf-8"))
        names = table["variables"]
        return cls(
            tuple(names["within"]),
            frozenset(names["words"]),
            frozenset(names["spared"]),
            tuple(names["spared_beginnings"]),
            tuple(names["spared_endings"]),
            names["shortest"],
            tuple(_Shape(shape["kind"], shape["pattern"]) for shape in table["shapes"]),
        )

    def is_secret_name(self, name: str) -> bool:
        upper = name.upper()
        if upper in self.spared or upper.startswith(self.spared_beginnings) or upper.endswith(self.spared_endings):
            return False
        return any(part in upper for part in self.within) or not self.words.isdisjoint(upper.split("_"))


def names_secret(name: str) -> bool:
    """Whether a variable, an option or a header of this name has a secret for a value: `API_KEY`, `api-key`."""
    return _Knowledge.load().is_secret_name(name.replace("-", "_"))


class Redactor:
    """Knows what is secret here. Nothing is loaded or compiled before the first text."""

    def __init__(self, environment: Mapping[str, str], marked: Iterable[str] = ()) -> None:
        """`environment` is that of the process; `marked` are values that are secret whatever they look like."""
        self._environment = environment
        self._marked = tuple(marked)
        self._remembered = lru_cache(maxsize=1_000)(self._without_secrets)

    def text(self, text: str) -> str:
        """The text with a placeholder for each secret in it."""
        return self._remembered(text) if len(text) <= _SHORT else self._without_secrets(text)

    def knowing(self, marked: Iterable[str]) -> Redactor:
        """One that also knows these values, of whatever length."""
        return Redactor(self._environment, (*self._marked, *(text for text in marked if text)))

    def _without_secrets(self, text: str) -> str:
        # As bytes: half a surrogate pair, which a model can send, is no text for RE2.
        data = text.encode("utf-8", "surrogatepass")
        redacted = data
        if self._values is not None:
            redacted = self._values.sub(lambda found: self._labels[found[0]], redacted)
        if _any_shape().search(redacted):
            for put, expression in _shapes():
                redacted = expression.sub(lambda found, put=put: _replaced(found, put), redacted)
        return text if redacted is data or redacted == data else redacted.decode("utf-8", "surrogatepass")

    @cached_property
    def _labels(self) -> dict[bytes, bytes]:
        """The placeholder of each known value, by each form in which the value may stand in a text."""
        known = [(f"${name}", value) for name, value in self._secret_variables()]
        known += [(MARKED, value) for value in self._marked]
        return {form: _placeholder(kind) for kind, value in known for form in _forms(value)}

    def _secret_variables(self) -> Iterable[tuple[str, str]]:
        knowledge = _Knowledge.load()
        for name, given in self._environment.items():
            text = given.strip()
            if len(text) >= knowledge.shortest and knowledge.is_secret_name(name):
                yield name, text

    @cached_property
    def _values(self) -> _Expression | None:
        """The longest first, so that a value which holds another is replaced as a whole."""
        forms = sorted(self._labels, key=len, reverse=True)
        return _compiled(b"|".join(map(_literal, forms))) if forms else None


@cache
def _shapes() -> tuple[tuple[bytes, _Expression], ...]:
    return tuple((_placeholder(shape.kind), _compiled(shape.pattern)) for shape in _Knowledge.load().shapes)


@cache
def _any_shape() -> _Expression:
    """One look for all shapes: most texts hold none."""
    patterns = [shape.pattern.replace("(?P<secret>", "(?:") for shape in _Knowledge.load().shapes]
    return _compiled("|".join(f"(?:{pattern})" for pattern in patterns))


def _placeholder(kind: str) -> bytes:
    return placeholder(kind).encode("utf-8", "replace")


def _replaced(found: Any, put: bytes) -> bytes:
    """The match with its secret replaced, or as it is where the secret was replaced before."""
    whole: bytes = found[0]
    if not found.re.groups:
        return put
    start, end = found.span(1)
    start, end = start - found.start(), end - found.start()
    if whole[start:end].startswith(OPENING.encode()):
        return whole
    return whole[:start] + put + whole[end:]


def _forms(value: str) -> set[bytes]:
    """The value as it is, as JSON writes it, and as URLs do."""
    in_url = quote(value.encode("utf-8", "surrogatepass"), "")
    forms = (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], in_url)
    return {form.encode("utf-8", "surrogatepass") for form in forms}


def _literal(value: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in value)


def _compiled(pattern: str | bytes) -> _Expression:
    # RE2 compiles in milliseconds and matches in linear time; imported here, for it is off the start path.
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are
    options.max_mem = _EXPRESSION_BYTES
    data = pattern.encode() if isinstance(pattern, str) else pattern
    expression: _Expression = re2.compile(data, options)
    return expression
