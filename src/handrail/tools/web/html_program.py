"""A program of its own: turns a page of HTML into Markdown.

A page is a stranger's data, and can keep any parser busy for hours: what HTML says of deeply nested elements costs
the square of their number. So it is parsed in a child process, which has bounds and can be stopped. Imports nothing
of the package.

Its argument is a JSON object: `places`, the folders that the parsers are in; `handle`, from which the page can be
read, in UTF-8; `base`, the address that its links start at; `most`, the characters to give.

Prints `{"title": "…"}` and behind that line the Markdown, or one line `{"problem": "…"}`. Left out is what nobody
reads: navigation, forms, scripts, and text that a page hides from people and shows to machines.
"""

from __future__ import annotations

import json
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MEMORY = 2 * 1024**3
"""Bytes of address space."""
_DEEPEST = 500
"""Elements within each other; what lies deeper is left out."""
_MAIN = ("main", "[role=main]", "article", "#content", "#main", "#main-content", ".markdown-body", "#mw-content-text")
"""Where pages have what they are for, the first that says enough."""
_ENOUGH = 0.3
"""Of the text that the page has without its navigation."""
_NAVIGATION = "nav,header,footer,aside,[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=menu]"
_NOTHING = "script,style,template,noscript,svg,iframe,object,embed,dialog,[hidden],[aria-hidden=true]"


def main() -> None:
    asked = json.loads(sys.argv[1])
    sys.path.extend(asked["places"])
    sys.excepthook = _tell
    _bound_memory()
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
    from selectolax.lexbor import LexborHTMLParser

    with os.fdopen(asked["handle"], "rb") as document:
        document.seek(0)
        page = LexborHTMLParser(document.read().decode("utf-8", "replace"))
    title = page.css_first("head title")
    options = ConversionOptions(
        base_url=_base(page) or asked["base"],
        extract_metadata=False,
        hidden_content="drop",
        max_depth=_DEEPEST,
        preprocessing=PreprocessingOptions(enabled=True, preset="standard", remove_navigation=False, remove_forms=True),
        inline_data_media="alt_text_only",
    )
    markdown = convert(_worth_reading(page), options).content or ""
    said = json.dumps({"title": " ".join(title.text().split())[:300] if title else ""})
    out = f"{said}\n{markdown.strip()[: asked['most']]}"
    sys.stdout.buffer.write(out.encode("utf-8", "replace"))
    sys.stdout.flush()


def _worth_reading(page: LexborHTMLParser) -> str:
    """The part of the page that it is for; all of it but its navigation where no part says enough."""
    body = page.body
    if body is None:
        return page.html or ""
    for node in page.css(_NOTHING):
        node.decompose()
    whole = body.html or ""
    for node in page.css(_NAVIGATION):
        if not _holds_the_title(node):
            node.decompose()
    enough = _ENOUGH * len(body.text())
    parts = (page.css(selector) for selector in _MAIN)
    found = next((nodes for nodes in parts if nodes and len("".join(node.text() for node in nodes)) >= enough), None)
    shown = "".join(node.html or "" for node in found) if found else body.html or ""
    return shown if body.text().strip() else whole


def _holds_the_title(node: LexborNode) -> bool:
    """A header within an article often has its heading, and belongs to it."""
    return node.tag == "header" and node.css_first("h1") is not None


def _base(page: LexborHTMLParser) -> str:
    node = page.css_first("head base[href]")
    href = (node.attributes.get("href") or "") if node else ""
    return href if href.startswith(("http://", "https://")) else ""


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    sys.stdout.write(json.dumps({"problem": f"{kind.__name__}: {error}"[:300]}) + "\n")


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not POSIX
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    main()
