"""A program of its own: prints the text of a PDF document's pages, as one JSON object a line.

A document is somebody else's data, and may be made to keep a parser busy for ever or to fill the memory: it is
parsed in a child process, which has bounds and can be stopped. Imports nothing of the package.

Its argument is a JSON object: `place`, the folder that pypdf is in; `handle`, from which the document can be read;
`ranges`, pairs of first and last page, where a null last one is the document's; `most_pages`, `most_characters`.

Prints `{"total": 12, "wanted": [1, 2], "title": "…"}`, then for each page
`{"page": 1, "text": "…", "more": 0, "images": 2}`, and instead of what can't be had
`{"problem": "encrypted"}` or `{"problem": "broken", "why": "…"}`.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PdfReader

_MEMORY = 2 * 1024**3
"""Bytes of address space."""


def main() -> None:
    asked = json.loads(sys.argv[1])
    sys.path.append(asked["place"])
    sys.excepthook = _tell
    logging.disable()
    _bound_memory()
    from pypdf import PdfReader

    with os.fdopen(asked["handle"], "rb") as document:
        document.seek(0)
        reader = PdfReader(document)
        if reader.is_encrypted and not reader.decrypt(""):
            _say({"problem": "encrypted"})
        else:
            _print_pages(reader, asked)


def _print_pages(reader: PdfReader, asked: dict[str, Any]) -> None:
    total = len(reader.pages)
    spans = [range(first, min(last or total, total) + 1) for first, last in asked["ranges"]]
    wanted = sorted({number for span in spans for number in span})
    title = reader.metadata.title if reader.metadata else None
    _say({"total": total, "wanted": wanted, "title": str(title or "")})
    left: int = asked["most_characters"]
    for number in wanted[: asked["most_pages"]]:
        page = reader.pages[number - 1]
        text = page.extract_text()
        _say({"page": number, "text": text[:left], "more": len(text[left:]), "images": len(page.images)})
        left -= len(text)
        if left <= 0:
            break


def _say(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201  it is what the program is for


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _say({"problem": "broken", "why": f"{kind.__name__}: {error}"[:300]})


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not POSIX
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    main()
