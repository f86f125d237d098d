"""Scripts of sed, as GNU sed reads them: to print and edit the stream is harmless; `w`, `r` and `e` are not."""

from __future__ import annotations

import re

from handrail.policy.shell.languages.brackets import may_end_within_brackets

_ADDRESS = re.compile(r"\d+(?:~\d+)?|\$|[+~]\d+")
_ADDRESS_FLAGS = re.compile(r"[IM]*")
_NUMBER = re.compile(r"[ \t]*\d*")
_LABEL = re.compile(r"[ \t]*[\w.-]*")
_BLANKS = re.compile(r"[ \t]*")
_SEPARATORS = re.compile(r"[ \t\n;]*")
_PLAIN = frozenset("=dDgGhHnNpPxzF")
"""Commands that are a letter and nothing more."""
_NUMBERED = frozenset("lqQL")
"""They may take a number."""
_LABELLED = frozenset("btT:")
_TEXT = frozenset("aic")
_SUBSTITUTING = re.compile(r"[gpiImM0-9]*")
_END = re.compile(r"[ \t]*(?=[;\n}#]|\Z)")


class _Refused(Exception):
    """The script holds something that is not known to only read."""


def check(script: str) -> str:
    """Why a script does more than edit what it prints, as a clause; empty when it does not."""
    position, depth = 0, 0
    try:
        while (position := _skipped(script, position)) < len(script):
            position, change = _command(script, position)
            depth += change
            if depth < 0:
                raise _Refused("its braces do not match")
    except _Refused as refused:
        return f"{refused} in its script"
    return "its braces do not match in its script" if depth else ""


def _skipped(script: str, position: int) -> int:
    """Past blanks, separators and comments."""
    while True:
        position = _match(_SEPARATORS, script, position)
        if not script.startswith("#", position):
            return position
        end = script.find("\n", position)
        position = len(script) if end < 0 else end


def _command(script: str, position: int) -> tuple[int, int]:
    """Past one command, and by how much it changes the depth of braces."""
    position = _addresses(script, position)
    letter = script[position : position + 1]
    after = position + 1
    match letter:
        case "{":
            return after, 1
        case "}":
            return _ended(script, after), -1
        case "s":
            after = _parted(script, _parted(script, after, opens=True), opens=False)
            return _ended(script, _match(_SUBSTITUTING, script, after)), 0
        case "y":
            return _ended(script, _parted(script, _parted(script, after, opens=True), opens=False)), 0
    if letter and letter in _PLAIN:
        return _ended(script, after), 0
    if letter and letter in _NUMBERED:
        return _ended(script, _match(_NUMBER, script, after)), 0
    if letter and letter in _LABELLED:
        return _ended(script, _match(_LABEL, script, after)), 0
    if letter and letter in _TEXT:
        return _past_text(script, after), 0
    raise _Refused(f"`{letter}` is not known to be harmless" if letter else "a command is missing")


def _addresses(script: str, position: int) -> int:
    after = _address(script, position)
    if after != position:
        after = _match(_BLANKS, script, after)
        if script.startswith(",", after):
            start = _match(_BLANKS, script, after + 1)
            after = _address(script, start)
            if after == start:
                raise _Refused("an address is missing")
    after = _match(_BLANKS, script, after)
    while script.startswith("!", after):
        after = _match(_BLANKS, script, after + 1)
    return after


def _address(script: str, position: int) -> int:
    if script.startswith("/", position):
        return _past_flags(script, _delimited(script, position + 1, "/"))
    if script.startswith("\\", position) and len(script) > position + 1:
        return _past_flags(script, _delimited(script, position + 2, script[position + 1]))
    return _match(_ADDRESS, script, position)


def _past_flags(script: str, position: int) -> int:
    return _match(_ADDRESS_FLAGS, script, position)


def _parted(script: str, position: int, *, opens: bool) -> int:
    """Past one part of `s/…/…/`; the first starts with the delimiter, which the position of the second follows."""
    delimiter = script[position : position + 1] if opens else script[position - 1]
    if not delimiter or delimiter in "\n\\":
        raise _Refused("a delimiter is missing")
    return _delimited(script, position + 1 if opens else position, delimiter, brackets=opens)


def _delimited(script: str, start: int, delimiter: str, *, brackets: bool = True) -> int:
    """Past the next delimiter. Within brackets not every sed takes one for the end, so there must be none."""
    position = start
    while position < len(script) and script[position] != delimiter:
        position += 2 if script[position] == "\\" else 1
    if position >= len(script):
        raise _Refused("an expression has no end")
    if brackets and may_end_within_brackets(script[start:position]):
        raise _Refused("an expression ends within brackets")
    return position + 1


def _past_text(script: str, position: int) -> int:
    """Past the text of `a`, `i` or `c`: to the end of the first line that does not end in a backslash."""
    for end in range(position, len(script)):
        if script[end] == "\n" and not _is_continued(script, end):
            return end
    return len(script)


def _is_continued(script: str, end: int) -> bool:
    before = script[:end]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _ended(script: str, position: int) -> int:
    found = _END.match(script, position)
    if found is None:
        raise _Refused(f"`{script[position]}` is not known to be harmless")
    return found.end()


def _match(pattern: re.Pattern[str], script: str, position: int) -> int:
    found = pattern.match(script, position)
    return found.end() if found else position
