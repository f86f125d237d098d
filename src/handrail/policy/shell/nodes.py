"""Nodes of a syntax tree: their text, and those below them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tree_sitter import Node


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def below(top: Node, types: Collection[str] = ()) -> Iterator[Node]:
    """The node and all below it, in the order of the text; of given types, where some are given."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if not types or node.type in types:
            yield node
        waiting += reversed(node.children)
