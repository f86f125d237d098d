"""Plans a change to one file: its new bytes, and what to say of it. Nothing is written here. Pure."""

from __future__ import annotations

from handrail.contract.context import FileContent, FileLedger
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import PLAIN, TextFile, Unencodable, as_text
from handrail.tools.text.omissions import refuse_omissions
from handrail.tools.text.placeholders import refuse_placeholders


@value
class Change:
    before: FileContent | None
    """None for a new file."""
    old: str | None
    """As text for people; None for a new file."""
    new: str
    data: bytes
    done: str
    """What was done, for the model; a sentence."""


def refuse_stale(before: FileContent, ledger: FileLedger, shown: str) -> None:
    """Raises ToolFailed where the file holds something else now than what the model last read or wrote there."""
    last = ledger.last(before.path)
    if last is not None and last != before.digest:
        raise ToolFailed(
            f"{shown} has changed since you last read it, and was left as it is. Read it again, and repeat the change "
            "if it is still right."
        )


def created(new: str, shown: str) -> Change:
    """Raises ToolFailed for text that stands for other text."""
    refuse_placeholders(new, None, shown)
    refuse_omissions(new, "", shown)
    return Change(None, None, new, new.encode(), f"Created {shown} ({counted(line_count(new), 'line')}).")


def rewritten(before: FileContent, content: str, shown: str) -> Change:
    """All of a file replaced. A byte order mark, the encoding that it names, and line endings outlive that.

    Raises ToolFailed for text that stands for other text.
    """
    file = as_text(before.data)
    old = as_shown(before) if file is None else file.text
    refuse_placeholders(content, before, shown)
    refuse_omissions(content, "" if file is None else old, shown)
    form = PLAIN if file is None else file
    kept = []
    if form.mark:
        content = content.removeprefix("\ufeff")
    if form.mark or form.encoding != PLAIN.encoding:
        kept.append(form.name)
    if file is not None and has_crlf(old) and "\n" in content and "\r\n" not in content:
        content = content.replace("\n", "\r\n")
        kept.append("CRLF line endings")
    data = encoded(form, content, shown)
    if data == before.data:
        return Change(before, old, content, data, f"{shown} holds exactly this already; nothing was written.")
    was = counted(line_count(old), "line")
    size = (
        f"{counted(line_count(content), 'line')}; before, {was}"
        if content
        else f"it is now empty; before, it had {was}"
    )
    note = f" Kept from the old file: {' and '.join(kept)}." if kept else ""
    return Change(before, old, content, data, f"Replaced {shown} ({size}).{note}")


def as_shown(before: FileContent) -> str:
    """A file's text for people."""
    file = as_text(before.data)
    return f"[binary, {counted(len(before.data), 'byte')}]" if file is None else file.text


def has_crlf(text: str) -> bool:
    """Most of its lines end with CRLF."""
    return 2 * text.count("\r\n") > text.count("\n")


def encoded(file: TextFile, text: str, shown: str) -> bytes:
    """The text in the file's encoding, with its mark. Raises ToolFailed where a character has no place in that."""
    try:
        return file.to_file(file.encode(text))
    except Unencodable as error:
        raise ToolFailed(
            f"{shown} is encoded in {file.name}, which has no {error}. Use other characters, or convert the file first."
        ) from None


def line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))
