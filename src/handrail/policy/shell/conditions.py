"""`[ … ]` and `[[ … ]]` as the words of a command, which the parser takes for a tree."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from handrail.policy.shell.quoting import Surroundings, words_of
from handrail.policy.shell.words import Known, Word

_TREES = frozenset(("unary_expression", "binary_expression", "parenthesized_expression", "test_operator"))
_PATTERNS = frozenset(("extglob_pattern", "regex"))


def condition_words(node: Node, around: Surroundings) -> tuple[Word, ...]:
    """All its words, the brackets among them; in `[[ … ]]` none is split or taken for a pattern."""
    return tuple(_words(node, around, double=node.children[0].type == "[["))


def condition_operands(node: Node) -> Iterator[Node]:
    """The nodes that are words of their own, without operators and brackets."""
    for child in node.children:
        if child.type in _TREES:
            yield from condition_operands(child)
        elif child.is_named:
            yield child


def _words(node: Node, around: Surroundings, double: bool) -> Iterator[Word]:
    for child in node.children:
        text = (child.text or b"").decode(errors="replace")
        if child.type in _TREES and child.child_count:
            yield from _words(child, around, double)
        elif not child.is_named or child.type == "test_operator":
            yield Word(text)
        elif child.type in _PATTERNS:
            yield Word(text, Known.EXPANDED)
        else:
            for word in words_of([child], around):
                yield Word(word.text, word.known, word.source, word.holds) if double else word
