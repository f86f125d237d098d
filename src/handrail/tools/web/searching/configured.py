"""Which search service a person has configured: by variables of their own environment, never by a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.tools.web.searching.provider import SearchProvider

TAVILY = ("TAVILY_API_KEY",)
BRAVE = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
SEARXNG = ("SEARXNG_URL",)
_PACKAGE = "ddgs"


def is_configured(environ: Mapping[str, str]) -> bool:
    """Without loading anything: whoever lists the tools asks this."""
    return any(environ.get(name) for name in (*TAVILY, *BRAVE, *SEARXNG)) or find_spec(_PACKAGE) is not None


def configured(environ: Mapping[str, str]) -> SearchProvider | None:
    """The first that there is a key or an address for; without any, the package ddgs where it is installed."""
    if key := _first(environ, TAVILY):
        from handrail.tools.web.searching.tavily import Tavily

        return Tavily(key)
    if key := _first(environ, BRAVE):
        from handrail.tools.web.searching.brave import Brave

        return Brave(key)
    if url := _first(environ, SEARXNG):
        from handrail.tools.web.searching.searxng import SearXNG

        return SearXNG(url)
    if is_configured(environ):
        from handrail.tools.web.searching.duckduckgo import DuckDuckGo

        return DuckDuckGo()
    return None


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environ[name].strip() for name in names if environ.get(name)), "")
