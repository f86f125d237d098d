"""The parser, and whether its reading of a text can be relied on to allow something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

MAX_LENGTH = 10_000
"""Characters. A longer command is not judged but asked about; the number is Claude Code's."""

PLAIN_NODES = frozenset((
    "program", "list", "pipeline", "negated_command", "command", "command_name", "word", "number", "string",
    "string_content", "raw_string", "concatenation", "simple_expansion", "expansion", "variable_name", "comment",
    "redirected_statement", "file_redirect", "file_descriptor",
    "&&", "||", ";", "|", "|&", "!", "\n", '"', "$", "${", "}", ">", ">>", "<", ">&", "&>", "&>>", ">|",
))  # fmt: skip
"""All that a command may be made of whose every part is judged alone: chains and pipes of simple commands."""

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, changes of writing direction, halves of surrogate pairs: what they do can't be seen."""
_BETWEEN = re.compile(rb"(?:[ \t\n]|\\\n)*")
_ESCAPED = re.compile(rb"\\.", re.S)
_ENDS_A_WORD = re.compile(rb"[ \t\n;&|<>()'\"`]")
_ON_ONE_LINE = frozenset(("command", "file_redirect", "redirected_statement"))
"""Their parts, unlike those of chains and loops, are never on lines of their own."""
_DESCRIPTOR = re.compile(rb"\d+|\{\w+\}")
_BEFORE_COMMENT = b" \t\n;&|()"


@cache
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def parse(source: bytes) -> Node:
    return Parser(_language()).parse(source).root_node


def unreadable(text: str) -> str:
    """Why a text is not parsed at all, as a clause; empty when it is."""
    if len(text) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH:,} characters"
    unfit = _UNFIT.search(text)
    return f"it holds the unprintable character U+{ord(unfit[0]):04X}" if unfit else ""


def misread(root: Node, source: bytes) -> str:
    """Why the parser's reading is not to be trusted, as a clause; empty when it is."""
    if root.has_error:
        return "it is not valid shell, or uses syntax that the parser does not know"
    return next((problem for node in _all(root) if (problem := _misread_node(node, source))), "")


def _misread_node(node: Node, source: bytes) -> str:
    match node.type:
        case "comment" if node.start_byte and source[node.start_byte - 1] not in _BEFORE_COMMENT:
            return "a comment starts in the middle of a word"
        case "word" if _ENDS_A_WORD.search(_ESCAPED.sub(b"", node.text or b"")):
            return "the parser takes several words for one"
        case "file_descriptor" if not _DESCRIPTOR.fullmatch(node.text or b""):
            return "the parser takes a word for a descriptor"
        case "!" if source[node.end_byte : node.end_byte + 1] not in (b" ", b"\t", b"\n"):
            return "the parser takes a part of a word for a negation"
        case "heredoc_redirect" if not _heredoc_ends_where_bash_ends_it(node):
            return "a here-document has no clear end"
    for left, right in pairwise(node.children):
        between = source[left.end_byte : right.start_byte]
        if between.startswith(b"\\\n") and not between.replace(b"\\\n", b""):
            return "a line is broken in the middle of a word"
        if left.type in (">&", "<&") and right.is_named and source[right.start_byte : right.start_byte + 1] == b"-":
            return "the parser takes a closed descriptor and a word for a file"
        if node.type in _ON_ONE_LINE and left.is_named and right.is_named:
            unbroken = between.replace(b"\\\n", b"")
            if b"\n" in unbroken or (not unbroken and left.type != "file_descriptor"):
                return "the parser takes one word for several, or several commands for one"
    return ""


def is_plain(root: Node, source: bytes) -> bool:
    """True when the text is nothing but chains and pipes of simple commands, and no character was passed over."""
    end = 0
    for node in _all(root):
        if node.type not in PLAIN_NODES:
            return False
        if not node.child_count:
            if node.start_byte > end and not _BETWEEN.fullmatch(source, end, node.start_byte):
                return False
            end = max(end, node.end_byte)
    return bool(_BETWEEN.fullmatch(source, end))


def _all(root: Node) -> Iterator[Node]:
    """Every node, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _heredoc_ends_where_bash_ends_it(redirect: Node) -> bool:
    """The body ends before the first line that is the delimiter, and not later."""
    parts = {child.type: child.text or b"" for child in redirect.children}
    delimiter = re.sub(rb"[\"'\\]", b"", parts.get("heredoc_start", b""))
    tabs = b"\t" if "<<-" in parts else b""
    lines = [line.lstrip(tabs) for line in parts.get("heredoc_body", b"").split(b"\n")]
    return delimiter not in lines and parts.get("heredoc_end", b"").lstrip(tabs) == delimiter
