"""A change to a file as a unified diff: for people, and as `git apply` and `patch` take it. Pure.

The format: https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html, and for files that come,
go or have odd names `git help diff`, "generating patch text with -p".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handrail.contract.line_diff import Change, changes, split_lines

CONTEXT = 3
"""Lines shown before and after each change, as diff and git have it."""
_NO_NEWLINE = "\\ No newline at end of file\n"
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}


def unified(path: str, old: str | None, new: str | None) -> Iterator[str]:
    """Lines, each with its end; none where nothing changes.

    `path` is relative, with forward slashes. `old` is None for a new file, `new` for one that is deleted.
    """
    if old == new:
        return
    before, after = split_lines(old or ""), split_lines(new or "")
    yield f"diff --git {_quoted(f'a/{path}')} {_quoted(f'b/{path}')}\n"
    if old is None:
        yield "new file mode 100644\n"
    if new is None:
        yield "deleted file mode 100644\n"
    if before or after:
        yield f"--- {'/dev/null' if old is None else _named(f'a/{path}')}\n"
        yield f"+++ {'/dev/null' if new is None else _named(f'b/{path}')}\n"
    yield from hunks(before, after)


def hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The changes between two texts, taken apart by `split_lines`."""
    for group in _groups(changes(old, new)):
        start = max(0, group[0].old_start - CONTEXT)
        end = min(len(old), group[-1].old_end + CONTEXT)
        shift = group[0].new_start - group[0].old_start
        new_end = group[-1].new_end + end - group[-1].old_end
        yield f"@@ -{_range(start, end)} +{_range(start + shift, new_end)} @@\n"
        for change in group:
            yield from _lines(" ", old[start : change.old_start])
            yield from _lines("-", old[change.old_start : change.old_end])
            yield from _lines("+", new[change.new_start : change.new_end])
            start = change.old_end
        yield from _lines(" ", old[start:end])


def _groups(found: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes whose context would meet are shown together."""
    group: list[Change] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _lines(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield sign + line
        else:
            yield f"{sign}{line}\n"
            yield _NO_NEWLINE


def _range(start: int, end: int) -> str:
    """From 1; of no lines, the line before."""
    return f"{start + (end > start)},{end - start}"


def _quoted(name: str) -> str:
    """As git quotes a name that would be read otherwise."""
    if name.isprintable() and not set(name) & set('"\\'):
        return name
    escaped = (_ESCAPES.get(character) or _octal(character) for character in name)
    return f'"{"".join(escaped)}"'


def _octal(character: str) -> str:
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def _named(name: str) -> str:
    """Without a tab after it, a name with blanks ends at the first for some programs."""
    quoted = _quoted(name)
    return f"{quoted}\t" if " " in name and quoted == name else quoted
