"""Arithmetic of the shell: a variable in it is evaluated as an expression again, which may run commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from handrail.policy.shell.nodes import below, text_of
from handrail.policy.shell.quoting import variable_in
from handrail.policy.shell.variables import INHERITED, Variables, is_number

_NAMES = frozenset(("variable_name", "word"))
_NUMERAL = re.compile(r"\d+|0x[0-9a-fA-F]+")
_OPAQUE = frozenset(("subscript", "string", "raw_string", "concatenation", "command_substitution", "ansi_c_string"))
_SETTING = frozenset(("++", "--", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="))


def unsafe_name(node: Node, variables: Variables) -> str:
    """The first part whose value may be more than a number; empty when there is none.

    A variable that the text does not set has the value of the environment, which no model wrote.
    """
    for inner in below(node):
        text = text_of(inner)
        if inner.type in _OPAQUE:
            return text
        if inner.type in _NAMES and not _NUMERAL.fullmatch(text):
            values = variables.get(text, ())
            if not all(is_number(value) or value is INHERITED for value in values):
                return text
        if inner.type == "expansion" and not (variable_in(text) or text.startswith("${#")):
            return text
    return ""


def counters(node: Node) -> Iterator[str]:
    """The names of the variables that it sets; each is a number afterwards."""
    for inner in below(node):
        if not _SETTING.isdisjoint(child.type for child in inner.children):
            yield from (text_of(child) for child in inner.named_children[:1] if child.type in _NAMES)
