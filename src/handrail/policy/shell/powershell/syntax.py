"""The parser for PowerShell, and whether its reading of a text can be relied on to allow something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Language, Node, Parser

from handrail.policy.shell.nodes import below
from handrail.policy.shell.powershell.cmdlets import cmdlets
from handrail.policy.shell.syntax import unreadable

NOT_INSTALLED = "the parser for PowerShell is not installed (the extra handrail[powershell] brings it)"

COMPUTED = frozenset(("script_block_expression", "hash_literal_expression"))
"""Arguments that PowerShell works out itself."""

VALUES = frozenset(("array_literal_expression", "unary_expression", *COMPUTED))

_COMMANDS = frozenset((
    "program", "statement_list", "empty_statement", "pipeline", "pipeline_chain", "pipeline_chain_tail", "command",
    "command_name", "command_elements", "command_argument_sep", "command_parameter", "generic_token", "comment",
    "array_literal_expression", "unary_expression", "string_literal", "verbatim_string_characters",
    "expandable_string_literal", "integer_literal", "decimal_integer_literal", "real_literal", "variable",
    "redirection", "merging_redirection_operator", "file_redirection_operator", "redirected_file_name",
))  # fmt: skip
"""All that pipes of commands with plain words are made of."""

_EXPRESSIONS = frozenset((
    "script_block_expression", "script_block", "script_block_body", "statement_list", "empty_statement", "pipeline",
    "pipeline_chain", "hash_literal_expression", "hash_literal_body", "hash_entry", "key_expression", "simple_name",
    "logical_expression", "bitwise_expression", "comparison_expression", "comparison_operator", "additive_expression",
    "multiplicative_expression", "format_expression", "format_operator", "range_expression",
    "array_literal_expression", "unary_expression", "expression_with_unary_operator", "parenthesized_expression",
    "member_access", "member_name", "variable", "string_literal", "verbatim_string_characters",
    "expandable_string_literal", "integer_literal", "decimal_integer_literal", "hexadecimal_integer_literal",
    "real_literal",
))  # fmt: skip
"""All that a block may be made of which only compares, and shows properties of what it is given."""

_BLANK = " "
_STRUCTURE = frozenset((_BLANK, ":", "|", ";", "&&", "||", ",", "{", "}", "@{", "=", "(", ")", ".", '"', "'", '""'))
_OPERATORS = frozenset((
    "-not", "!", "-and", "-or", "-xor", "+", "-", "*", "/", "%", "-f", "-is", "-isnot", "-replace", "-ireplace",
    "-creplace", "-join", "-split", "-isplit", "-csplit",
    *(
        f"-{case}{operator}"
        for case in ("", "i", "c")
        for operator in (
            "eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch", "contains", "notcontains",
            "in", "notin",
        )
    ),
))  # fmt: skip
_CONSTANTS = frozenset(("$true", "$false", "$null"))
_GIVEN = frozenset(("$_", "$psitem"))
"""What a block is given."""
_IN_BLOCKS = _STRUCTURE | _OPERATORS | _GIVEN
_SHOWN_IN_BLOCKS = _CONSTANTS | _GIVEN

_PIECE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"`]|`.|"")*"|[(){}\[\],]""", re.S)
"""A string, a bracket or a comma."""
_SIZE = re.compile(r"(?<=\d)[kmgtp]b\b", re.I)
"""Of a number, as in `2MB`; the grammar knows small letters."""
_ODD = re.compile("[\u2013-\u2015\u2018-\u201f\u00a0\u0085\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")
"""Other dashes, quotes and blanks, which PowerShell takes for the common ones."""
_GAP = re.compile(rb"(?:[ \t]|`\n)*")
_BETWEEN = re.compile(rb"(?:[ \t\n]|`\n)*")
_NEW_STATEMENT = re.compile(rb";|(?<!`)\n")
_ACTS = re.compile(r"[$`]")
"""What PowerShell acts on in a string with double quotes."""
_BARE = re.compile(r"[\w./\\*?+=:~%!^\[\]@-]+")
_REDIRECTED = re.compile(r"(?P<operator>[1-6*]?>>?)(?P<target>\$null|[\w./\\~:-]+)", re.I)
_MERGED = re.compile(r"(?:[2-6*]>&1|1>&2)")
_NAME = re.compile(r"[\w.-]+|[%?]", re.ASCII)
_PARAMETER = re.compile(r"--?\w[\w-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tree:
    """What the parser makes of a text."""

    root: Node
    source: bytes
    problem: str = ""
    """Why its reading is not to be trusted, or holds what is not judged, as a clause."""

    def text(self, node: Node) -> str:
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        return self.source[start:end].decode(errors="replace")


def parse(text: str) -> Tree | None:
    """The tree of a text; None where there is no parser."""
    try:
        import tree_sitter_powershell
    except ImportError:
        return None
    problem = unreadable(text)
    odd = _ODD.search(text)
    if odd is not None:
        problem = problem or f"it holds the character U+{ord(odd[0]):04X}, which PowerShell takes for another"
    known = _SIZE.sub(lambda size: size[0].lower(), _without_commas(text))
    source = text.encode(errors="replace")
    root = Parser(Language(tree_sitter_powershell.language())).parse(known.encode(errors="replace")).root_node
    tree = Tree(root, source)
    return Tree(root, source, problem or _misread(tree) or next(_unjudged(tree), ""))


def elements(command: Node) -> list[Node]:
    """The name of a command and its arguments, without the blanks between them."""
    found: list[Node] = []
    for child in command.children:
        found += child.children if child.type == "command_elements" else [child]
    return [node for node in found if node.type != "command_argument_sep"]


def redirected(text: str) -> re.Match[str] | None:
    """A redirection without a blank before its target, which the grammar takes for a word."""
    return _REDIRECTED.fullmatch(text)


def _without_commas(text: str) -> str:
    """With blanks for the commas between arguments: beside bare words the grammar does not know them.

    Within brackets they stay. Where this takes a bracket in a comment for another, the checks of the tree find out.
    """
    depth = 0
    pieces: list[str] = []
    end = 0
    for piece in _PIECE.finditer(text):
        depth += (piece[0] in "({[") - (piece[0] in ")}]")
        pieces += [text[end : piece.start()], " " if piece[0] == "," and depth == 0 else piece[0]]
        end = piece.end()
    return "".join((*pieces, text[end:]))


def _misread(tree: Tree) -> str:
    """Why the tree may not be what PowerShell would make of the text."""
    if tree.root.has_error:
        return "it is not valid PowerShell, or uses syntax that the parser does not know"
    end = 0
    for node in below(tree.root):
        if (node.child_count and not _is_string(node)) or node.type == _BLANK:
            continue
        if node.start_byte > end and not _is_between(tree, end, node.start_byte):
            return "it holds characters that the parser passes over"
        end = max(end, node.end_byte)
    if not _BETWEEN.fullmatch(tree.source, end):
        return "it holds characters that the parser passes over"
    for node in below(tree.root, ("statement_list", "command")):
        if node.type == "command" and not _is_one_command(tree, node):
            return "the parser takes one word for several, or several commands for one"
        if node.type == "statement_list" and not _are_apart(tree, node):
            return "the parser takes one command for several"
    return ""


def _is_string(node: Node) -> bool:
    return node.type in ("expandable_string_literal", "verbatim_string_characters")


def _is_between(tree: Tree, start: int, end: int) -> bool:
    """True for blanks, and for a comma that was taken out, if it stood between two arguments."""
    gap = tree.source[start:end]
    if b"," not in gap:
        return _BETWEEN.fullmatch(gap) is not None
    holder: Node | None = tree.root.descendant_for_byte_range(start, end)
    while holder is not None and holder.type != "command":
        if holder.type in COMPUTED:
            return False
        holder = holder.parent
    return holder is not None and elements(holder)[-1].start_byte >= end


def _is_one_command(tree: Tree, command: Node) -> bool:
    """Its words are on one line, with a blank, a comma or (behind a parameter) a colon between any two."""
    for left, right in pairwise(elements(command)):
        gap = tree.source[left.end_byte : right.start_byte]
        before, comma, after = gap.partition(b",")
        if left.type == "command_parameter" and gap.startswith(b":"):
            before, comma, after = gap[1:], b"", b""
        elif not gap and not (left.type == "command_name" and right.type in COMPUTED):
            return False
        if not (_GAP.fullmatch(before) and _GAP.fullmatch(after)):
            return False
        if comma and not (_is_value(left) and _is_value(right)):
            return False
    return True


def _is_value(node: Node) -> bool:
    return node.type == "generic_token" or node.type in VALUES


def _are_apart(tree: Tree, statements: Node) -> bool:
    commands = [node for node in statements.children if node.type not in ("empty_statement", "comment")]
    gaps = ((left.end_byte, right.start_byte) for left, right in pairwise(commands))
    return all(_NEW_STATEMENT.search(tree.source, *gap) for gap in gaps)


def _unjudged(tree: Tree) -> Iterator[str]:
    """Why not all of it is judged: what is more than pipes of commands with plain words and simple blocks."""
    waiting = [(tree.root, _COMMANDS)]
    while waiting:
        node, known = waiting.pop()
        if node.type in COMPUTED:
            known = _EXPRESSIONS
        yield from _unjudged_node(tree, node, known)
        if not _is_string(node):
            waiting += [(child, known) for child in reversed(node.children)]


def _unjudged_node(tree: Tree, node: Node, known: frozenset[str]) -> Iterator[str]:
    text = tree.text(node)
    if node.is_named and node.type not in known:
        where = "a block or table" if known is _EXPRESSIONS else "syntax"
        yield f"it uses {where} that is not judged ({node.type.replace('_', ' ')})"
    match node.type:
        case "comment" if not _is_plain_comment(tree, node, text):
            yield "it uses a comment that PowerShell may act on"
        case "command_name" if not _NAME.fullmatch(text):
            yield "which command it runs is not a plain word"
        case "generic_token" if not (_BARE.fullmatch(text) and text[0] != "@") and not redirected(text):
            yield f"what PowerShell makes of {text} is not judged"
        case "command_parameter" if not _PARAMETER.fullmatch(text):
            yield f"what PowerShell makes of {text} is not judged"
        case "expandable_string_literal" if _ACTS.search(text):
            yield f"what PowerShell makes of {text} is not judged"
        case "merging_redirection_operator" if not _MERGED.fullmatch(text):
            yield f"what the redirection {text} does is not judged"
        case "variable" if text.lower() not in (_SHOWN_IN_BLOCKS if known is _EXPRESSIONS else _CONSTANTS):
            yield f"what the variable {text} holds is not known"
        case "member_name" if text.lower() in cmdlets().listed("hiding"):
            yield f"the property {text} shows the environment"
        case "key_expression" if text.lower() not in cmdlets().listed("describing"):
            yield f"what a table does with {text} is not judged"
    if not node.is_named and known is _EXPRESSIONS and node.type.lower() not in _IN_BLOCKS:
        yield f"what {text} does is not judged"


def _is_plain_comment(tree: Tree, node: Node, text: str) -> bool:
    before = tree.source[node.start_byte - 1 : node.start_byte] if node.start_byte else b"\n"
    return text.startswith("#") and before in (b" ", b"\t", b"\n", b";") and not text.lower().startswith("#requires")
