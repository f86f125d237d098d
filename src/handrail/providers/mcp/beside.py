"""What a server has beside its tools: resources and prompts, as it last listed them.

That it has none, or can't list them, costs no tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from handrail.contract.basics import Json
from handrail.contract.provider import PromptArgument
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.providers.mcp.pages import Listing, all_pages

if TYPE_CHECKING:
    from handrail.providers.mcp.connection import Connection

T = TypeVar("T")

LONGEST_URI = 4_000
LONGEST_TEXT = 500
"""Characters of a name or a description that are kept."""
LIST_WITHIN = 30.0
"""Seconds for all these lists."""

KINDS = frozenset(("resources", "prompts"))


@value
class Resource:
    """Something that a server can be asked to read out, or a template of such addresses."""

    uri: str
    """As RFC 3986 has it, of any scheme; of a template as RFC 6570."""
    name: str
    description: str = ""
    media_type: str = ""
    size: int | None = None
    """Bytes, where the server says."""
    is_template: bool = False


@value
class ListedPrompt:
    """A prompt as the server lists it."""

    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Beside:
    """Of one server, over all its lives."""

    def __init__(self) -> None:
        self.resources: tuple[Resource, ...] = ()
        self.prompts: tuple[ListedPrompt, ...] = ()
        self.problems: tuple[str, ...] = ()
        self._known = asyncio.Event()
        self.tell: Callable[[], None] = lambda: None
        """Called whenever one of these is another."""

    async def look(self, connection: Connection) -> None:
        """Lists what the server says to have. Never raises. What changed, and was not seen to its end, stays stale."""
        changed = connection.stale & KINDS
        connection.stale.difference_update(changed)
        has, problems, seen = connection.capabilities, list[str](), False
        try:
            async with asyncio.timeout(LIST_WITHIN):
                if has.resources is not None:
                    plain = await _listed(connection, "resources/list", "resources", _resource, problems)
                    templates = await _templates(connection, problems)
                    self.resources = (*plain, *templates)
                if has.prompts is not None:
                    self.prompts = await _listed(connection, "prompts/list", "prompts", _prompt, problems)
            seen = True
        except TimeoutError:
            problems.append(f"It did not list its resources and prompts within {LIST_WITHIN:g} s.")
        except ToolFailed as error:
            problems.append(str(error))
        finally:
            if not seen:
                connection.stale.update(changed)
        self.problems = tuple(problems)
        self.rest()

    @property
    def is_known(self) -> bool:
        """Whether it was looked at, or won't be."""
        return self._known.is_set()

    async def known(self) -> None:
        """Returns once it is, or had time enough."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_WITHIN):
                await self._known.wait()

    def counts(self) -> str:
        """For people; empty where it has nothing."""
        has = ((len(self.resources), "resource"), (len(self.prompts), "prompt"))
        return ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in has if count)

    def rest(self) -> None:
        """No more will be known for now."""
        self._known.set()
        self.tell()


async def _templates(connection: Connection, problems: list[str]) -> Sequence[Resource]:
    """Few servers have any, and many that have none refuse to say so."""
    try:
        return await _listed(connection, "resources/templates/list", "resourceTemplates", _template, problems)
    except ToolFailed:
        return ()


async def _listed(
    connection: Connection, method: str, key: str, read: Callable[[dict[str, Json]], T | None], problems: list[str]
) -> tuple[T, ...]:
    listing: Listing[Json] = await all_pages(lambda cursor: connection.request(method, cursor), key)
    items = [read(item) if isinstance(item, dict) else None for item in listing.items]
    problems += listing.problems
    if odd := sum(item is None for item in items):
        problems.append(f"{odd} of its {key} can't be read, and are left out.")
    return tuple(item for item in items if item is not None)


def _resource(item: dict[str, Json]) -> Resource | None:
    return _addressed(item, "uri")


def _template(item: dict[str, Json]) -> Resource | None:
    return _addressed(item, "uriTemplate")


def _addressed(item: dict[str, Json], key: str) -> Resource | None:
    uri, size = item.get(key), item.get("size")
    if not isinstance(uri, str) or not 0 < len(uri) <= LONGEST_URI:
        return None
    return Resource(
        uri,
        _text(item, "title") or _text(item, "name") or uri[:LONGEST_TEXT],
        _text(item, "description"),
        _text(item, "mimeType"),
        size if isinstance(size, int) and not isinstance(size, bool) else None,
        is_template=key != "uri",
    )


def _prompt(item: dict[str, Json]) -> ListedPrompt | None:
    name, arguments = item.get("name"), item.get("arguments")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT:
        return None
    listed = arguments if isinstance(arguments, list) else []
    return ListedPrompt(
        name,
        _text(item, "description") or _text(item, "title"),
        tuple(
            PromptArgument(_text(each, "name"), _text(each, "description"), each.get("required") is True)
            for each in listed
            if isinstance(each, dict) and _text(each, "name")
        ),
    )


def _text(item: dict[str, Json], key: str) -> str:
    found = item.get(key)
    return found[:LONGEST_TEXT] if isinstance(found, str) else ""
