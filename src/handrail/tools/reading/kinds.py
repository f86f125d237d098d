"""Which kind of file it is, by its content, and what a read shows of it."""

from __future__ import annotations

from handrail.contract.context import FileContent
from handrail.contract.results import TextPart
from handrail.errors import ToolFailed
from handrail.tools.notebook.document import NotANotebook, Notebook
from handrail.tools.reading.image import image_view
from handrail.tools.reading.notebook import notebook_view
from handrail.tools.reading.text import Page, text_view
from handrail.tools.reading.view import View
from handrail.tools.text.encoding import FALLBACKS, TextFile, as_text
from handrail.tools.text.media import PDF, binary_file, image_type, is_known_binary


def view_of(content: FileContent, page: Page, shown: str) -> View:
    """All kinds but PDF documents. Takes its time for a large file. Raises ToolFailed for what can't be shown."""
    data = content.data
    if (media_type := image_type(data)) is not None:
        return image_view(data, media_type, shown)
    file = None if data.startswith(PDF) else as_text(data)
    if file is None or (file.encoding in FALLBACKS and is_known_binary(data)):
        raise ToolFailed(binary_file(shown, data, len(data)))
    return _notebook(file, page, shown) if content.path.suffix == ".ipynb" else text_view(file, page, shown)


def _notebook(file: TextFile, page: Page, shown: str) -> View:
    """One that is broken is shown as the text it is, so that it can be mended."""
    try:
        notebook = Notebook.parse(file.text)
    except NotANotebook as error:
        view = text_view(file, page, shown)
        note = TextPart(f"[This is no notebook that can be read, so it is shown as text: {error}.]")
        return View(view.name, (*view.parts, note), view.data)
    return notebook_view(notebook, page, shown)
