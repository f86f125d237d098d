"""Why an edit could not be made, in words for a person and a model: what is nearest, and what to do. Pure."""

from __future__ import annotations

from handrail.tools.text.counting import counted
from handrail.tools.text.finding import line_at
from handrail.tools.text.nearest import nearest, nothing_near
from handrail.tools.text.read_numbers import has_numbers
from handrail.tools.text.replacing import Edit, NotFound, Overlapping, Unfit, WrongCount

OLD = "old_string"


def unfit(error: Unfit, edit: Edit, text: str, shown: str, *, after_others: bool) -> str:
    """`after_others`: other edits of the same call would make the text that this one looks for."""
    match error:
        case WrongCount():
            return _wrong_count(error, edit, shown)
        case Overlapping(other=other, line=line):
            return (
                f"it touches the same text of {shown} as edit {other + 1}, at line {line:,}. Make one edit of the two."
            )
        case NotFound() if after_others:
            return (
                f"{OLD} is not in {shown} as it is, only in what an edit before it puts there. All edits of a call are "
                "looked for in the file as it was before. Make one edit of the two."
            )
        case _:
            return not_found(text, edit.old, edit.new, shown)


def not_found(text: str, old: str, new: str, shown: str) -> str:
    problem = f"{OLD} was not found in {shown}."
    if not text:
        return f"{problem} The file is empty: leave {OLD} empty to fill it."
    if has_numbers(old):
        return f"{problem} It starts its lines with line numbers: leave them out and try again."
    near = nearest(text, old)
    hint = f"Nearest: line {near.line:,}, which {near.difference(OLD)}." if near else nothing_near(text, OLD)
    there = text.find(new) if len(new.strip()) > 1 else -1
    if there >= 0:
        hint += f" new_string is there already, at line {line_at(text, there):,}: the change may have been made."
    where = f"lines {near.first:,}-{near.last:,}" if near else "the file"
    return f"{problem} {hint} Read {where} and try again."


def _wrong_count(error: WrongCount, edit: Edit, shown: str) -> str:
    lines = ", ".join(f"{line:,}" for line in error.lines)
    more = " and more" if len(error.lines) < error.count else ""
    where = f"line{'s' if len(error.lines) > 1 else ''} {lines}{more}"
    if edit.count is not None:
        return (
            f"{OLD} occurs {counted(error.count, 'time')} in {shown}, not {counted(edit.count, 'time')} as "
            f"expected_count says: {where}. Correct it, or {OLD}."
        )
    if error.count == 1:
        return f"{OLD} occurs more than once in {shown}, overlapping itself, at line {lines}. Make it longer."
    return (
        f"{OLD} occurs {error.count:,} times in {shown}: {where}. "
        "Add lines around it to make it unique, or set replace_all."
    )
