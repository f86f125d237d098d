"""Assignments as they stand in a text: `a=1`, `a+=1`, and the words of `export a=1`."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from handrail.policy.shell.nodes import text_of
from handrail.policy.shell.quoting import Surroundings, words_of
from handrail.policy.shell.script import Assigned, Reach
from handrail.policy.shell.words import Known, Word

ASSIGNMENT = "variable_assignment"
_EXPORTERS = frozenset(("export", "declare", "typeset"))


def assigned_by(node: Node, around: Surroundings, reach: Reach) -> Assigned:
    value = node.child_by_field_name("value")
    words = words_of([value], around) if value is not None else (Word(""),)
    only = words[0] if len(words) == 1 else Word("", Known.UNKNOWN, text_of(value))
    return Assigned(text_of(node), text_of(node.child_by_field_name("name")), only, reach)


def appends(node: Node) -> bool:
    return any(child.type == "+=" for child in node.children)


def declared_words(node: Node, around: Surroundings) -> tuple[Word, ...]:
    """The words that one argument of `export` or `local` makes."""
    if node.type != ASSIGNMENT:
        return words_of([node], around)
    assigned = assigned_by(node, around, "shell")
    return (replace(assigned.value, text=f"{assigned.name}={assigned.value.text}", source=assigned.text),)


def has_options(declaration: Node) -> bool:
    """`declare -n a`; those of `export` do nothing to what a variable holds."""
    keyword, *rest = declaration.children
    return keyword.type != "export" and any(text_of(child).startswith(("-", "+")) for child in rest)


def reach_of(declaration: Node) -> Reach:
    """Whether what it declares is exported."""
    keyword, *rest = declaration.children
    exports = any(text_of(child).startswith("-") and "x" in text_of(child) for child in rest)
    return "exported" if keyword.type == "export" or (keyword.type in _EXPORTERS and exports) else "shell"
