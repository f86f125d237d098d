"""Text in which a secret was replaced must not be written back in the secret's place."""

from __future__ import annotations

from handrail.contract.context import FileContent
from handrail.errors import ToolFailed
from handrail.settings.placeholders import placeholders_in
from handrail.tools.text.encoding import as_text


def refuse_placeholders(new: str, before: FileContent | None, shown: str) -> None:
    """Raises ToolFailed for new text with a placeholder that the file, as it is, does not hold.

    A file that holds one already is about placeholders: it can be edited like any other.
    """
    placeholders = placeholders_in(new)
    file = as_text(before.data) if placeholders and before is not None else None
    for placeholder in placeholders:
        if file is None or placeholder not in file.text:
            raise ToolFailed(
                f"The text for {shown} holds {placeholder}, which stands where a secret was taken out: written to the "
                "file, it would take the secret's place. Nothing was written. Change only what stands around it."
            )
