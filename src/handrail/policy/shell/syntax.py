"""The parser, and whether its reading of a text can be relied on to allow something."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from handrail.policy.shell.nodes import below, text_of

MAX_LENGTH = 10_000
"""Characters. A longer command is not judged but asked about; the number is Claude Code's."""

JUDGED_NODES = frozenset((
    "program", "list", "pipeline", "negated_command", "command", "command_name", "word", "number", "string",
    "string_content", "raw_string", "ansi_c_string", "concatenation", "simple_expansion", "expansion", "variable_name",
    "special_variable_name", "comment", "redirected_statement", "file_redirect", "file_descriptor",
    "heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content", "heredoc_end", "herestring_redirect",
    "subshell", "compound_statement", "command_substitution", "process_substitution", "arithmetic_expansion",
    "variable_assignment", "array", "declaration_command", "unset_command", "function_definition",
    "if_statement", "elif_clause", "else_clause", "case_statement", "case_item", "extglob_pattern", "regex",
    "for_statement", "while_statement", "c_style_for_statement", "do_group",
    "test_command", "test_operator", "unary_expression", "binary_expression", "postfix_expression",
    "ternary_expression", "parenthesized_expression", "subscript",
))  # fmt: skip
"""All that a command may be made of whose every part is judged alone."""

_PLAIN_EXPANSION = re.compile(
    r"""\$\{(?:
        [?#!$@*\d]                                         # what the script was given, and how the last part ended
        | \#?[A-Za-z_]\w*(?:\[(?:[@*]|\d+)\])?             # a value, an element, a length
        | [A-Za-z_]\w*(?:\[[@*]\])?(?:
            :?[-+?].*                                      # another value where there is none; `:=` would set one
            | (?:\#\#?|%%?|//?|\^\^?|,,?).*                 # without a beginning or an end, replaced, in other letters
            | :[ ]?-?\d+(?::-?\d+)?                        # a piece of it
        )
    )\}""",
    re.X | re.S,
)
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, changes of writing direction, halves of surrogate pairs: what they do can't be seen."""
_UNSAFE = re.compile(rb"(\{[0-9]*(?:\.\.[0-9]*)?)([\xc4-\xf4][\x80-\xbf]*)")
"""A brace, as of a range, and a character above U+00FF, in UTF-8. There the grammar's scanner reads outside a table of
the C library (`isdigit` of a wide character), which ends the process or not, as memory happens to lie."""
_ENDS_OF_CASES = frozenset((";;", ";&", ";;&"))
_NOT_JUDGED = frozenset(("select", "coproc", "$["))
_TEXTS = frozenset(("heredoc_content", "string_content"))
_LIVE_IN_TEXT = re.compile(rb"`|\$[({\[]")
_BETWEEN = re.compile(rb"(?:[ \t\n]|\\\n)*")
_ESCAPED = re.compile(rb"\\.", re.S)
_ENDS_A_WORD = re.compile(rb"[ \t\n;&|<>()'\"`]")
_ON_ONE_LINE = frozenset(("command", "file_redirect", "redirected_statement"))
"""Their parts, unlike those of chains and loops, are never on lines of their own."""
_OF_THE_BODY = ("heredoc_body", "heredoc_end")
_DESCRIPTOR = re.compile(rb"\d+|\{\w+\}")
_BEFORE_COMMENT = b" \t\n;&|()"
_UNESCAPED_FIRST = re.compile(rb"\\[`$\\\"]")
"""In backticks the shell takes these backslashes away, and then reads the command: there may be another in it."""
_RESERVED = frozenset((
    b"!", b"{", b"}", b"[[", b"if", b"then", b"elif", b"else", b"fi", b"for", b"while", b"until", b"do", b"done",
    b"case", b"esac", b"function", b"select",
))  # fmt: skip
"""Words that are no commands where a command begins."""
_BEFORE_RESERVED = frozenset((b"time", b"coproc"))
"""Behind these a command begins, too, and the parser takes it for words."""
_PATTERNS = frozenset(("regex", "extglob_pattern"))


@cache
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def parse(source: bytes) -> Node:
    """The tree of a text. What the parser must not see stands in it as letters: `unreadable` tells of it."""
    safe = _UNSAFE.sub(lambda found: found[1] + b"x" * len(found[2]), source)
    return Parser(_language()).parse(safe).root_node


def unreadable(text: str) -> str:
    """Why a text can't be read as the shell reads it, as a clause; empty when it can."""
    if len(text) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH:,} characters"
    if unfit := _UNFIT.search(text):
        return f"it holds the unprintable character U+{ord(unfit[0]):04X}"
    if not text.isascii() and (unsafe := _UNSAFE.search(text.encode(errors="replace"))):
        return f"the parser can't be given U+{ord(unsafe[2].decode()):04X} behind a brace"
    return ""


def misread(root: Node, source: bytes) -> str:
    """Why the parser's reading is not to be trusted, as a clause; empty when it is."""
    if root.has_error:
        return "it is not valid shell, or uses syntax that the parser does not know"
    return next((problem for node in below(root) if (problem := _misread_node(node, source))), "")


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
        case "heredoc_redirect" if not _heredoc_is_read(node):
            return "a here-document holds a command that the parser passes over"
        case "command_substitution" if node.children[0].type == "`" and _UNESCAPED_FIRST.search(node.text or b""):
            return "a command in backticks holds escapes that the shell reads twice"
        case "command" if _holds_syntax(node):
            return "the parser takes a part of the syntax for words"
        case "regex" | "extglob_pattern" if _LIVE_IN_TEXT.search(node.text or b"") and not _is_all_read(node):
            return "a pattern holds a command that the parser passes over"
        case "string" if not _is_all_read(node):
            return "a string holds a command that the parser passes over"
    if node.type != "case_item" and not _ENDS_OF_CASES.isdisjoint(child.type for child in node.children):
        return "the end of a case stands where there is none"
    for left, right in pairwise(node.children):
        between = source[left.end_byte : right.start_byte]
        if between.startswith(b"\\\n") and not between.replace(b"\\\n", b""):
            return "a line is broken in the middle of a word"
        if left.type in (">&", "<&") and right.is_named and source[right.start_byte : right.start_byte + 1] == b"-":
            return "the parser takes a closed descriptor and a word for a file"
        unbroken = between.replace(b"\\\n", b"")
        if node.type == "heredoc_redirect" and b"\n" in unbroken and right.type not in _OF_THE_BODY:
            return "the parser takes the body of a here-document for words"
        both_are_words = node.type in _ON_ONE_LINE and left.is_named and right.is_named
        if both_are_words and (b"\n" in unbroken or (not unbroken and left.type != "file_descriptor")):
            return "the parser takes one word for several, or several commands for one"
    return ""


def unjudged(root: Node, source: bytes) -> str:
    """Why its parts can't be judged one by one, as a clause: syntax that is not known, or characters passed over."""
    end = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_named and node.type not in JUDGED_NODES:
            return f"it uses syntax that is not judged ({node.type.replace('_', ' ')})"
        if node.type == "expansion" and not _PLAIN_EXPANSION.fullmatch(text_of(node)):
            return f"what {text_of(node)} does is not judged"
        if node.type in _NOT_JUDGED:
            return f"it uses syntax that is not judged ({node.type})"
        if node.type in ("heredoc_body", "string"):
            end = max(end, node.end_byte)
            waiting += reversed(node.named_children)
        elif node.child_count:
            waiting += reversed(node.children)
        else:
            if node.start_byte > end and not _BETWEEN.fullmatch(source, end, node.start_byte):
                return "it holds characters that the parser passes over"
            end = max(end, node.end_byte)
    return "" if _BETWEEN.fullmatch(source, end) else "it holds characters that the parser passes over"


def _holds_syntax(command: Node) -> bool:
    """`! ! x`, `time { x; }`, `time [[ a || -z $(x) ]]`."""
    words = [child.text or b"" for child in command.named_children]
    name = command.child_by_field_name("name")
    first = (name.text or b"") if name is not None else b""
    if first in _RESERVED or any(child.type in _PATTERNS for child in command.children):
        return True
    return first in _BEFORE_RESERVED and not _RESERVED.isdisjoint(words)


def _heredoc_ends_where_bash_ends_it(redirect: Node) -> bool:
    """The body ends before the first line that is the delimiter, and not later."""
    parts = {child.type: child.text or b"" for child in redirect.children}
    delimiter = re.sub(rb"[\"'\\]", b"", parts.get("heredoc_start", b""))
    tabs = b"\t" if "<<-" in parts else b""
    lines = [line.lstrip(tabs) for line in parts.get("heredoc_body", b"").split(b"\n")]
    return delimiter not in lines and parts.get("heredoc_end", b"").lstrip(tabs) == delimiter


def _heredoc_is_read(redirect: Node) -> bool:
    """Of a body in which the shell expands something, the parser must have found all of it."""
    parts = {child.type: child for child in redirect.children}
    body, start = parts.get("heredoc_body"), parts.get("heredoc_start")
    is_quoted = start is not None and re.search(rb"[\"'\\]", start.text or b"") is not None
    return body is None or is_quoted or _is_all_read(body)


def _is_all_read(node: Node) -> bool:
    """True where nothing that the shell would expand is left between the parts that the parser found."""
    text = node.text or b""
    if _LIVE_IN_TEXT.search(text) is None:
        return True
    rest = bytearray(text)
    for child in node.named_children:
        if child.type not in _TEXTS:
            first, last = child.start_byte - node.start_byte, child.end_byte - node.start_byte
            rest[first:last] = b" " * (last - first)
    return _LIVE_IN_TEXT.search(_ESCAPED.sub(b"", bytes(rest))) is None
