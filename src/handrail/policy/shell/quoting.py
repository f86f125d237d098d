"""Syntax nodes to words: quotes and escapes removed, `~`, `$HOME` and `$PWD` put in, braces written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise

from tree_sitter import Node

from handrail.policy.shell.braces import UNFOLLOWED_RANGE, without_braces
from handrail.policy.shell.settable import may_be_shown
from handrail.policy.shell.words import Holds, Known, Word, worst

MAX_BRACES = 6
"""Pairs of braces in one word that are written out."""
MAX_BRACE_WORDS = 64
"""Words that one word with braces may become; beyond this its value counts as unknown."""

_PLAIN = re.compile(r"[\w./:,@%+-][\w./:,@%+=-]*")
_ACTS_IN_QUOTES = frozenset("$`\\")
_GLOB = re.compile(r"[*?]|\[.+\]", re.S)
_SPLIT = re.compile(r"[\s*?\[\\]")
"""What makes the shell take a value that stands bare for several words, or for a pattern."""
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_NUMBERS = re.compile(
    r"\$(?:[?#!$]|\{(?:[?#!$]|#\w+(?:\[[@*]\])?|(?:PIPESTATUS|BASH_REMATCH)\[\d+\])\})|\$(?:RANDOM|SECONDS|LINENO|UID|EUID|PPID)"
)
_GIVEN = re.compile(r"\$(?:[@*\d]|\{[@*\d]\})")
"""What a script was called with."""
_LIVE_DOLLAR = re.compile(r"\$[\w({*@#?$!'\"\-]")
_ANSI_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|(.))", re.S
)
_ANSI_LETTERS = dict(zip("abeEfnrtv\\'\"?", "\a\b\033\033\f\n\r\t\v\\'\"?", strict=True))
_QUOTES = frozenset("'\"\\")
_EMPTY_QUOTES = re.compile(r"\"\"|''")
_A_NUMBER = "\ue002"
"""Stands in a word that is being read for digits that nobody knows; no text holds it."""
_ESCAPED_GLOB = str.maketrans({c: f"[{c}]" for c in "*?["})


@dataclass(slots=True)
class _Text:
    """A word being read: its characters, and for each whether the shell may still act on it."""

    characters: list[str] = field(default_factory=list)
    live: list[bool] = field(default_factory=list)
    known: bool = True
    expanded: bool = False
    quoted: bool = False
    """What comes next stands in double quotes, so the shell does not split it."""
    holds: Holds = Holds.NUMBER
    whole: bool = True

    def add(self, text: str, *, live: bool = False) -> None:
        self.characters += text
        self.live += [live] * len(text)

    def expand(self, value: str) -> None:
        """Puts in what the shell would; an empty value is one that nobody knows, and a bare one may be split."""
        self.add(value)
        self.expanded = True
        if not value or (not self.quoted and _SPLIT.search(value)):
            self.unknown(Holds.PRINTED if value else Holds.ANYTHING)

    def unknown(self, holds: Holds = Holds.ANYTHING) -> None:
        self.known = False
        if holds is Holds.NUMBER:
            self.add(_A_NUMBER)
        self.holds = worst(self.holds, holds)
        self.whole = self.whole and (self.quoted or holds in (Holds.NUMBER, Holds.PIPE))

    def put_in(self, word: Word) -> None:
        """The value of a variable."""
        match word.known:
            case Known.GLOB:
                self.characters += word.text
                self.live += [character in "*?[]" for character in word.text]
                self.expanded, self.whole = True, self.whole and self.quoted
            case Known.UNKNOWN:
                self.unknown(word.holds)
            case _ if not word.text:
                self.whole = self.whole and self.quoted
                self.expanded = True
            case _:
                self.expand(word.text)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the shell would put in for `~`, `$HOME` and `$PWD`, where an empty one is not known; and for variables."""

    home: str
    folder: str = ""
    variables: Mapping[str, Word] = field(default_factory=dict)
    """Those that the text itself has set, with the value that they have here."""


def words_of(nodes: list[Node], around: Surroundings) -> tuple[Word, ...]:
    """The words that the nodes of one argument list make: one each, but for braces."""
    return tuple(word for node in nodes for word in _words(node, around))


def _words(node: Node, around: Surroundings) -> Iterator[Word]:
    source = _source(node)
    plain = _plain_word(node.type, source)
    if plain is not None:
        yield plain
        return
    text = _Text()
    _read(node, text, around)
    braces = sum(alive and c == "{" for c, alive in zip(text.characters, text.live, strict=True))
    # Bash may pass by a `{` before a `}`, and a range between capital and small letters holds signs that it acts on.
    odd = ("{}" in source and "," in source) or UNFOLLOWED_RANGE.search(source) is not None
    if not text.known or braces > MAX_BRACES or (braces and odd):
        _put_in_home(text, around, source)
        yield _unknown(text, source)
        return
    variants = list(islice(without_braces(text.characters, text.live), MAX_BRACE_WORDS + 1))
    # An empty one vanishes unless it was quoted, and which of them the quotes belong to is not known here.
    vanishing = len(variants) > 1 and not all(c for c, _ in variants)
    if len(variants) > MAX_BRACE_WORDS or (vanishing and not _QUOTES.isdisjoint(source)):
        text.unknown(Holds.PRINTED)
        yield _unknown(text, source)
        return
    for characters, live in variants:
        if characters or not vanishing:
            variant = _Text(characters, live, expanded=text.expanded or len(variants) > 1, whole=text.whole)
            _put_in_home(variant, around, source)
            yield _word(variant, source)


def _plain_word(kind: str, source: str) -> Word | None:
    """A word on which the shell has nothing to do but to take its quotes away: most are such."""
    match kind:
        case "word" | "number" | "command_name" | "concatenation" if _PLAIN.fullmatch(source):
            return Word(source)
        case "raw_string":
            return Word(source[1:-1], source=source)
        case "string" if _ACTS_IN_QUOTES.isdisjoint(source):
            return Word(source[1:-1], source=source)
    return None


def _unknown(text: _Text, source: str) -> Word:
    holds = Holds.PRINTED if text.known else text.holds  # braces that are not written out name only what they hold
    pattern = _pattern(text.characters, text.live)
    numbered = pattern.replace(_A_NUMBER, "*") if holds is Holds.NUMBER else ""
    whole = text.whole and not text.known
    return Word(pattern.replace(_A_NUMBER, ""), Known.UNKNOWN, source, holds, whole, numbered)


def _word(text: _Text, source: str) -> Word:
    value, pattern = "".join(text.characters), _pattern(text.characters, text.live)
    if not text.known:
        return _unknown(text, source)
    if _GLOB.search("".join(c for c, alive in zip(text.characters, text.live, strict=True) if alive)):
        return Word(pattern, Known.GLOB, source, whole=text.whole)
    if not value and not text.whole:  # nothing is left of `$x`, not even a word
        return Word("", Known.UNKNOWN, source, Holds.NUMBER, whole=False)
    return Word(value, Known.EXPANDED if text.expanded else Known.LITERAL, "" if source == value else source)


def _pattern(characters: list[str], live: list[bool]) -> str:
    """The word as a pattern for file names: what was quoted stands for itself."""
    return "".join(c if alive else c.translate(_ESCAPED_GLOB) for c, alive in zip(characters, live, strict=True))


def _read(node: Node, text: _Text, around: Surroundings) -> None:
    match node.type:
        case "word" | "number" | "variable_name" | "special_variable_name" | "brace_expression":
            _read_bare(_source(node), text)
        case "raw_string":
            text.add(_source(node)[1:-1])
        case "ansi_c_string":
            _read_ansi(_source(node)[2:-1], text)
        case "string":
            _read_string(node, text, around)
        case "concatenation" | "command_name":
            for child in node.children:
                _read(child, text, around)
        case "simple_expansion" | "expansion":
            _read_expansion(_source(node), text, around)
        case "command_substitution" if _source(node) in ("$(pwd)", "`pwd`") and around.folder:
            text.expand(around.folder)
        case "command_substitution":
            text.unknown(Holds.PRINTED)
        case "process_substitution":
            text.unknown(Holds.PIPE)
        case "arithmetic_expansion":
            text.unknown(Holds.NUMBER)
        case _:
            text.unknown()


def variable_in(source: str) -> str:
    """The name in `$NAME` or `${NAME}`; empty for an expansion that does anything else."""
    found = _VARIABLE.fullmatch(source)
    return found[1] or found[2] if found else ""


def _read_expansion(source: str, text: _Text, around: Surroundings) -> None:
    name = variable_in(source)
    if name in around.variables:
        text.put_in(around.variables[name])
    elif name in ("HOME", "PWD"):
        text.expand(around.home if name == "HOME" else around.folder)
    elif _NUMBERS.fullmatch(source):
        text.unknown(Holds.NUMBER)
    else:
        text.unknown(Holds.PRINTED if _GIVEN.fullmatch(source) or may_be_shown(name) else Holds.ANYTHING)


def _read_bare(source: str, text: _Text) -> None:
    rest = iter(source)
    for character in rest:
        if character == "\\":
            escaped = next(rest, "")
            if escaped != "\n":
                text.add(escaped or "\\")
        else:
            text.add(character, live=True)
            if character in "$`":
                text.unknown()


def _read_string(node: Node, text: _Text, around: Surroundings) -> None:
    """Text between expansions is taken from the source: the parser leaves blanks out of its nodes."""
    source = node.text or b""
    position = 1
    for child in node.children:
        if child.type in ("string_content", '"'):
            continue
        start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
        _read_quoted(source[position:start].decode(errors="replace"), text)
        text.quoted = True
        _read(child, text, around)
        text.quoted = False
        position = end
    _read_quoted(source[position:-1].decode(errors="replace"), text)


def _read_quoted(source: str, text: _Text) -> None:
    value = re.sub(r'\\([$`"\\\n])', lambda escape: "" if escape[1] == "\n" else escape[1], source)
    bare = re.sub(r"\\\n", "", source)
    bare = re.sub(r'\\[$`"\\]', "", bare)
    if "`" in bare or _LIVE_DOLLAR.search(bare):
        text.unknown()
    text.add(value)


def _read_ansi(source: str, text: _Text) -> None:
    def character(escape: re.Match[str]) -> str:
        letter, octal, hexadecimal, unicode, _ = escape.groups()
        if letter:
            return _ANSI_LETTERS[letter]
        code = int(octal, 8) if octal else int(unicode or hexadecimal or "0", 16)
        if not 0 < code < (0x110000 if unicode else 0x80):
            text.unknown()
            return ""
        return chr(code)

    text.add(_ANSI_ESCAPE.sub(character, source))


def _put_in_home(text: _Text, around: Surroundings, source: str) -> None:
    """A live `~` at the start, up to the first slash: home, the working folder (`~+`), or somebody's home.

    The shell also puts one in behind the `=` of what looks like an assignment, and behind a `:` there.
    """
    pairs = pairwise(zip(text.characters, text.live, strict=True))
    if any(left in (("=", True), (":", True)) and right == ("~", True) for left, right in pairs):
        text.unknown()
    if not text.characters or text.characters[0] != "~" or not text.live[0]:
        return
    letters = enumerate(zip(text.characters, text.live, strict=True))
    end = next((i for i, letter in letters if letter == ("/", True)), len(text.characters))
    if not all(text.live[:end]):
        return
    value = {"": around.home, "+": around.folder}.get("".join(text.characters[1:end]), "")
    if not value or _EMPTY_QUOTES.search(source):  # quotes around nothing, if they touch it, make it stand for itself
        text.unknown()
        return
    text.characters[:end], text.live[:end] = list(value), [False] * len(value)
    text.expanded = True


def _source(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
