"""How the parser hangs redirections on commands, and what they feed them."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from handrail.policy.shell.nodes import text_of
from handrail.policy.shell.quoting import Surroundings, words_of


def last_command(node: Node | None) -> Node | None:
    """The command that a redirection after a chain or pipe belongs to."""
    while node is not None and node.type in ("list", "pipeline", "negated_command"):
        node = node.named_children[-1] if node.named_children else None
    return node if node is not None and node.type == "command" else None


def stray_words(node: Node) -> list[Node]:
    """Words of the command that the parser hung on one of its redirections."""
    match node.type:
        case "file_redirect":
            return node.children_by_field_name("destination")[1:]
        case "heredoc_redirect":
            return node.children_by_field_name("argument")
    return []


def opening_nodes(node: Node) -> Iterator[Node]:
    """The redirection itself, and those that the parser hung on a here-document."""
    if node.type == "file_redirect":
        yield node
    elif node.type == "heredoc_redirect":
        yield from (child for child in node.children if child.type == "file_redirect")


def fed_text(node: Node) -> str | None:
    """What this redirection feeds a command, where it holds the text itself."""
    match node.type:
        case "heredoc_redirect":
            bodies = [child for child in node.children if child.type == "heredoc_body"]
            return text_of(bodies[0]) if bodies else ""
        case "herestring_redirect":
            words = words_of(node.named_children[-1:], Surroundings(""))
            return words[0].text if words else ""
    return None


def fed_expansions(node: Node) -> list[Node]:
    """What the shell puts into the text that a here-document or here-string feeds."""
    if node.type == "herestring_redirect":
        return node.named_children[-1:]
    bodies = [child for child in node.children if child.type == "heredoc_body"]
    return [child for body in bodies for child in body.named_children if child.type != "heredoc_content"]
