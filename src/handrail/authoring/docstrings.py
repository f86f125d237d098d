"""What a docstring says of a function and of its parameters: Google, NumPy and reST styles.

Why docstring-parser, and what it costs: docs/decisions/0004-docstrings.md.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Documented:
    """A docstring's text without its sections, and what it says of each parameter."""

    description: str
    parameters: Mapping[str, str] = field(default_factory=dict)


_STYLES = {
    "NUMPYDOC": re.compile(
        r"^(?:(?:Other )?Parameters|Returns|Yields|Raises|Warns|Attributes|Examples|Notes|References|See Also)[ \t]*\n"
        r"-{3,}[ \t]*$",
        re.MULTILINE,
    ),
    "REST": re.compile(
        r"^:(?:param|parameter|arg|argument|key|keyword|type|raises?|except|exception|returns?|rtype|yields?)\b.*?:",
        re.MULTILINE,
    ),
    "GOOGLE": re.compile(
        r"^(?:Args|Arguments|Parameters|Params|Returns|Yields|Raises|Exceptions|Attributes|Examples?):[ \t]*$",
        re.MULTILINE,
    ),
}
"""docstring-parser's name of each style, and the headings that only this style has."""


def read_docstring(text: str | None) -> Documented:
    """From a docstring as written, `function.__doc__`: the summary and body are the description.

    One that follows no style, or doesn't keep to it, is all description.
    """
    cleaned = inspect.cleandoc(text or "").strip()
    style = next((name for name, heading in _STYLES.items() if heading.search(cleaned)), None)
    return Documented(cleaned) if style is None else _parsed(cleaned, style)


def _parsed(text: str, style: str) -> Documented:
    # Imported here: most docstrings have no sections, and those of the built-in tools aren't read.
    from docstring_parser import DocstringStyle, ParseError, parse

    try:
        parsed = parse(f"\n{text}", DocstringStyle[style])  # else a first line that is a heading loses its indent
    except ParseError:
        return Documented(text)
    described = {
        name.strip().lstrip("*"): parameter.description
        for parameter in parsed.params
        for name in parameter.arg_name.split(",")
        if parameter.description
    }
    return Documented((parsed.description or "").strip(), described)
