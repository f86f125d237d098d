"""Plans edits of one file: its new bytes, and what to say of them. Nothing is written here. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_fields

from handrail.contract.context import FileContent
from handrail.errors import ToolFailed
from handrail.tools.text.changing import Change, encoded, line_count
from handrail.tools.text.counting import counted
from handrail.tools.text.edit_failures import unfit
from handrail.tools.text.encoding import TextFile, as_text
from handrail.tools.text.finding import find
from handrail.tools.text.omissions import refuse_omissions
from handrail.tools.text.placeholders import refuse_placeholders
from handrail.tools.text.read_numbers import has_numbers, without_numbers
from handrail.tools.text.replacing import Done, Edit, NotFound, Unfit, replace


def edited(before: FileContent, edits: Sequence[Edit], shown: str) -> Change:
    """Raises ToolFailed, in words, for an edit that does not fit."""
    file = as_text(before.data)
    if file is None:
        raise ToolFailed(
            f"{shown} is binary, {counted(len(before.data), 'byte')}, and can't be edited as text. Use the shell."
        )
    text = file.text
    for edit in edits:
        refuse_placeholders(edit.new, before, shown)
        refuse_omissions(edit.new, edit.old, shown)
    if not edits[0].old:
        return _filled(before, file, edits[0].new, shown)
    edits = [_as_in_the_file(text, file, edit) for edit in edits]
    try:
        replaced = replace(text, edits)
    except Unfit as error:
        raise ToolFailed(_why(error, edits, text, shown)) from None
    data = encoded(file, replaced.text, shown)
    if data == before.data:
        raise ToolFailed(
            f"{shown} would not change: old_string and new_string differ in line endings alone, and those are kept."
        )
    return Change(before, text, replaced.text, data, _report(replaced.done, shown))


def _filled(before: FileContent, file: TextFile, new: str, shown: str) -> Change:
    if file.text:
        raise ToolFailed(
            f"old_string is empty, but {shown} exists and has {counted(line_count(file.text), 'line')}. "
            "Give the text to replace, or write the whole file anew."
        )
    return Change(before, "", new, encoded(file, new, shown), f"Filled {shown}, which was empty.")


def _as_in_the_file(text: str, file: TextFile, edit: Edit) -> Edit:
    """Without a byte order mark, which is no part of the text, and without the numbers of lines."""
    if file.mark:
        edit = with_fields(edit, old=edit.old.removeprefix("\ufeff"), new=edit.new.removeprefix("\ufeff"))
    old, new = without_numbers(edit.old), without_numbers(edit.new)
    if not old or (new is None and _some_numbers(edit.new)) or find(text, edit.old, first=1).places:
        return edit
    return with_fields(edit, old=old, new=edit.new if new is None else new)


def _some_numbers(new: str) -> bool:
    return any(line.strip() and has_numbers(line) for line in new.split("\n"))


def _why(error: Unfit, edits: Sequence[Edit], text: str, shown: str) -> str:
    edit = edits[error.index]
    others = [other.new for index, other in enumerate(edits) if index < error.index]
    after_others = isinstance(error, NotFound) and any(edit.old in new for new in others)
    why = unfit(error, edit, text, shown, after_others=after_others)
    return why if len(edits) == 1 else f"Edit {error.index + 1} of {len(edits)} can't be made, and none was: {why}"


def _report(done: Sequence[Done], shown: str) -> str:
    loose = (
        "" if all(each.exact for each in done) else " Blanks at line ends, or composed characters, were seen through."
    )
    if len(done) == 1:
        (each,) = done
        if each.count == 1:
            return f"Edited {shown}: replaced 1 occurrence, at line {each.line:,}.{loose}"
        return f"Edited {shown}: replaced {each.count:,} occurrences, the first at line {each.line:,}.{loose}"
    places = sum(each.count for each in done)
    lines = ", ".join(f"{each.line:,}" for each in done)
    return (
        f"Edited {shown}: {len(done)} edits, {counted(places, 'occurrence')}, the first of each at line {lines}.{loose}"
    )
