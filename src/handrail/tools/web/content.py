"""What came, by what it is: a page, text, a document, an image. What the bytes show goes before what a server says."""

from __future__ import annotations

import asyncio
import re

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import ImagePart, TextPart
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.reading.image import LARGEST_IMAGE
from handrail.tools.reading.pdf import pdf_view
from handrail.tools.reading.view import View
from handrail.tools.text.media import PDF, document_type, image_type
from handrail.tools.web.decoding import decoded
from handrail.tools.web.exchange import Answer
from handrail.tools.web.page import read_page

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_BEGINS_A_PAGE = re.compile(
    r"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_SNIFFED = 2_000
"""Characters."""
_UNTYPED = frozenset({"", "text/plain", "application/octet-stream"})


@value
class Content:
    """What a model is to see of an answer."""

    kind: str
    """In words: `page`, `text`, `PDF document`, `image/png`."""
    text: str
    title: str = ""
    notes: tuple[str, ...] = ()
    """Ours, not the stranger's."""
    image: ImagePart | None = None


async def content_of(answer: Answer, launcher: Launcher, workspace: Workspace) -> Content:
    """Raises ToolFailed for what can't be shown, and says what it is."""
    data, source = answer.body, str(answer.address)
    if (media_type := image_type(data)) is not None:
        return _image(data, media_type, source)
    if data.startswith(PDF):
        return _pdf(await pdf_view(data, (), source, launcher, workspace))
    read = await asyncio.to_thread(decoded, data, answer.headers.get("content-type", ""))
    if read is None:
        raise ToolFailed(
            f"{source} is {document_type(data)} ({answer.media_type or 'of no type'}), {len(data):,} bytes, and can't "
            "be shown. If the user wants the file, load it by the shell."
        )
    text, note = read
    notes = (note,) if note else ()
    if answer.media_type in _PAGES or (answer.media_type in _UNTYPED and _BEGINS_A_PAGE.match(text[:_SNIFFED])):
        page = await read_page(text, source, launcher, workspace)
        empty = () if page.markdown else ("The page has no text; it may be made by scripts, which are not run.",)
        return Content("page", page.markdown, page.title, (*notes, *empty))
    return Content(answer.media_type or "text", text, notes=notes if text else (*notes, "The answer is empty."))


def _pdf(view: View) -> Content:
    """Of a long document the first pages; what the view says about going on is for who has the file."""
    text = "\n".join(part.text for part in view.parts if isinstance(part, TextPart))
    shown, total = view.data["pages"], view.data["total"]
    if not isinstance(shown, list) or len(shown) == total:
        return Content("PDF document", text)
    note = f"{view.name}: for the others, load the file by the shell and read it."
    return Content("PDF document", text.rpartition("\n[")[0], notes=(note,))


def _image(data: bytes, media_type: str, source: str) -> Content:
    if len(data) > LARGEST_IMAGE:
        raise ToolFailed(
            f"{source} is an image ({media_type}) of {len(data):,} bytes; at most {LARGEST_IMAGE:,} can be shown."
        )
    return Content(media_type, f"An image, {len(data):,} bytes.", image=ImagePart(data, media_type))
