"""Programs of awk: arithmetic and printing are harmless; commands, files of its own and the environment are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handrail.policy.shell.languages.brackets import may_end_within_brackets

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r]|\\\n)+)
    | (?P<comment>\#[^\n]*)
    | (?P<newline>\n)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator>\+\+|--|\*\*=?|[-+*%^!<>=]=|&&|\|\||>>|\|&|[-+*%^!<>=?:,;~$(){}\[\]|&@])
    """,
    re.X | re.S,
)
_REGEX = re.compile(r"/((?:[^/\\\n]|\\.)+)/", re.S)

_FORBIDDEN = {
    "system": "runs a command",
    "getline": "reads what it names itself",
    "ENVIRON": "shows the environment",
    "SYMTAB": "reaches any variable",
    "ARGV": "chooses its own files",
    "ARGC": "chooses its own files",
    "PROCINFO": "reaches into the process",
}
_PRINTING = frozenset(("print", "printf"))
_HARMLESS_TARGETS = frozenset(('"/dev/stderr"', '"/dev/stdout"'))
_BEFORE_REGEX = frozenset((
    "", "\n", "(", "{", "}", ",", ";", "!", "~", "!~", "&&", "||", "?", ":", "=", "==", "!=", "<", "<=", ">=", "+", "-",
    "*", "%", "print", "printf", "return", "in", "case", "else", "do", "if", "while", "exit",
))  # fmt: skip
"""After these an operand is missing, so that a slash starts an expression."""
_GOES_ON = frozenset((",", "&&", "||", "?", ":"))
"""After these a statement goes on in the next line."""
_AFTER_OPERAND = frozenset((")", "]"))
_BEFORE_CONDITION = frozenset(("if", "while", "for", "switch"))
"""Behind the parentheses of these a statement starts, so that a slash may start an expression."""
_NOT_AN_OPERAND = frozenset(("length",))
"""Behind these, mawk starts an expression where others divide."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


class _Refused(Exception):
    """The program holds something that is not known to only read."""


def check(program: str) -> str:
    """Why a program does more than read its files and print, as a clause; empty when it does not."""
    try:
        tokens = list(_tokens(program))
        _refuse_words(tokens)
        _refuse_outlets(tokens)
    except _Refused as refused:
        return f"{refused} in its program"
    return ""


def _tokens(program: str) -> Iterator[_Token]:
    """All but blanks and comments."""
    position, before = 0, _Token("", "")
    conditions: list[bool] = []
    while position < len(program):
        found = _TOKEN.match(program, position)
        if found is not None:
            kind = str(found.lastgroup)
            position = found.end()
            if kind in ("blank", "comment"):
                continue
            before = _after_parenthesis(before, _Token(kind, found[0]), conditions)
            yield before
            continue
        if program[position] != "/":
            raise _Refused(f"`{program[position]}` is not known")
        before, position = _slash(program, position, before)
        yield before


def _after_parenthesis(before: _Token, token: _Token, conditions: list[bool]) -> _Token:
    """The token; of another kind where it closes the parentheses of a condition. `conditions`: of those still open."""
    if token.text == "(":
        conditions.append(before.text in _BEFORE_CONDITION)
    elif token.text == ")" and conditions and conditions.pop():
        return _Token("condition", token.text)
    return token


def _slash(program: str, position: int, before: _Token) -> tuple[_Token, int]:
    """A division, or a regular expression. Where it could be either, neither is taken for granted."""
    if before.text not in _BEFORE_REGEX:
        if _is_operand(before):
            length = 2 if program.startswith("/=", position) else 1
            return _Token("operator", program[position : position + length]), position + length
        raise _Refused("a slash may divide or start an expression")
    found = _REGEX.match(program, position)
    if found is None:
        raise _Refused("an expression has no end")
    if may_end_within_brackets(found[1]):
        raise _Refused("an expression ends within brackets")
    return _Token("regex", found[0]), found.end()


def _is_operand(token: _Token) -> bool:
    """True where a slash behind it divides, whoever reads it."""
    if token.kind in ("condition", "operator"):
        return token.kind == "operator" and token.text in _AFTER_OPERAND
    return token.kind in ("number", "string", "name") and token.text not in _NOT_AN_OPERAND


def _refuse_words(tokens: list[_Token]) -> None:
    for position, token in enumerate(tokens):
        if token.kind == "name" and token.text in _FORBIDDEN:
            following = [each.text for each in tokens[position + 1 : position + 4]]
            if token.text == "PROCINFO" and following == ["[", '"sorted_in"', "]"]:
                continue
            raise _Refused(f"`{token.text}` {_FORBIDDEN[token.text]}")
        if token.text in ("|", "|&", ">>", "@", "&"):
            raise _Refused(f"`{token.text}` is not known to be harmless")


def _refuse_outlets(tokens: list[_Token]) -> None:
    """`>` writes a file behind `print`, outside of parentheses; everywhere else it compares."""
    printing, depth = False, 0
    for position, token in enumerate(tokens):
        if token.text in _PRINTING and token.kind == "name":
            printing, depth = True, 0
        elif token.kind in ("string", "regex"):
            continue
        elif token.text in ("(", "["):
            depth += 1
        elif token.text in (")", "]"):
            depth -= 1
        elif token.text in (";", "{", "}") or (token.text == "\n" and tokens[position - 1].text not in _GOES_ON):
            printing = False
        elif token.text == ">" and printing and depth <= 0 and not _is_harmless(tokens[position + 1 : position + 3]):
            raise _Refused("`>` writes a file")


def _is_harmless(target: list[_Token]) -> bool:
    """`"/dev/stderr"` and nothing behind it."""
    ends = len(target) == 1 or (len(target) == 2 and target[1].text in (";", "}", "\n"))
    return ends and target[0].text in _HARMLESS_TARGETS
