"""What the variables may hold that a text sets itself, followed from command to command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from types import MappingProxyType
from typing import TypeAlias

from tree_sitter import Node

from handrail.policy.shell.nodes import below, text_of
from handrail.policy.shell.quoting import variable_in
from handrail.policy.shell.words import Holds, Known, Word

MOST_VALUES = 32
"""Values that are followed for one variable, and ways to fill in the words of one command."""

Variables: TypeAlias = Mapping[str, tuple[Word, ...]]
"""All values that each may have at one place. One that is not among them has the value that it came with."""

NONE: Variables = MappingProxyType({})

NAME = re.compile(r"[A-Za-z_]\w*")
_NUMERAL = re.compile(r"-?\d+")

INHERITED = Word("", Known.UNKNOWN, whole=False)
"""What a variable came with."""
PRINTED = Word("", Known.UNKNOWN, holds=Holds.PRINTED, whole=False)
COUNTED = Word("", Known.UNKNOWN, holds=Holds.NUMBER)

_READERS = frozenset(("read", "mapfile", "readarray", "getopts", "printf"))
_SETTERS = ("variable_assignment", "for_statement", "command")
_NUMBERED = frozenset(("arithmetic_expansion", "number"))
_USES = ("simple_expansion", "expansion")


def with_values(variables: Variables, name: str, values: tuple[Word, ...]) -> Variables:
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) > MOST_VALUES:
        distinct = (PRINTED,)
    return {**variables, name: distinct}


def merged(left: Variables, right: Variables) -> Variables:
    """What they may hold where both ways may have been taken."""
    if left == right:
        return left
    joined: Variables = NONE
    for name in {**left, **right}:
        joined = with_values(joined, name, left.get(name, (INHERITED,)) + right.get(name, (INHERITED,)))
    return joined


def widened(variables: Variables, loop: Node) -> Variables:
    """What they may hold at the start of any round of a loop: all that its body sets may already be set."""
    for name, value in set_in(loop):
        values = variables.get(name, (INHERITED,))
        known = all(map(is_number, values)) and value is not None and value.type in _NUMBERED
        variables = with_values(variables, name, (COUNTED,) if known else (INHERITED,))
    return variables


def is_number(word: Word) -> bool:
    if word.known is Known.UNKNOWN:
        return word.holds is Holds.NUMBER
    return _NUMERAL.fullmatch(word.text) is not None


def used_in(nodes: list[Node], variables: Variables) -> list[str]:
    """The names of those that the words use."""
    if not variables:
        return []
    found = (variable_in(text_of(node)) for top in nodes for node in below(top, _USES))
    return [name for name in dict.fromkeys(found) if name in variables]


def fillings(names: list[str], variables: Variables) -> list[Mapping[str, Word]]:
    """Every way to fill them in; only one, with unknown values, where there are too many."""
    unknown = {name: _any_of(values) for name, values in variables.items()}
    if not names:
        return [unknown]
    ways = list(islice(product(*(variables[name] for name in names)), MOST_VALUES + 1))
    if len(ways) > MOST_VALUES:
        return [unknown]
    return [{**unknown, **dict(zip(names, way, strict=True))} for way in ways]


def _any_of(values: tuple[Word, ...]) -> Word:
    if len(values) == 1:
        return values[0]
    if all(map(is_number, values)):
        return COUNTED
    return INHERITED if any(v.known is Known.UNKNOWN and v.holds is Holds.ANYTHING for v in values) else PRINTED


def read_into(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words that name variables which a command of the shell sets by what it reads."""
    match words[0].value if words else None:
        case "read" | "mapfile" | "readarray":
            return tuple(word for word in words[1:] if not word.written.startswith("-"))
        case "getopts":
            return words[2:3]
        case "printf":
            return words[2:3] if len(words) > 2 and words[1].text == "-v" else ()
    return ()


def set_in(node: Node) -> Iterator[tuple[str, Node | None]]:
    """The names of the variables that are set in it, each with its value where that is one word."""
    for inner in below(node, _SETTERS):
        match inner.type:
            case "variable_assignment":
                appends = any(child.type == "+=" for child in inner.children)
                value = None if appends else inner.child_by_field_name("value")
                yield text_of(inner.child_by_field_name("name")), value
            case "for_statement":
                yield text_of(inner.child_by_field_name("variable")), None
            case _:
                texts = [text_of(child) for child in inner.named_children]
                if texts and texts[0] in _READERS:
                    yield from ((text, None) for text in texts[1:] if NAME.fullmatch(text))
