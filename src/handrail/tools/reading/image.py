"""An image, for models that see."""

from __future__ import annotations

from handrail.contract.results import ImagePart, TextPart
from handrail.errors import ToolFailed
from handrail.tools.reading.view import View

LARGEST_IMAGE = 5_000_000
"""Bytes; the least of what the providers take."""


def image_view(data: bytes, media_type: str, shown: str) -> View:
    size = len(data)
    if size > LARGEST_IMAGE:
        raise ToolFailed(
            f"{shown} is an image ({media_type}) of {size:,} bytes; at most {LARGEST_IMAGE:,} can be shown. "
            "Make a smaller copy by the shell and read that."
        )
    caption = f"{shown}: {media_type}, {size:,} bytes"
    return View(caption, (TextPart(caption), ImagePart(data, media_type)), {"bytes": size})
