"""Fetches for one call, and shows what came: marked as the strangers' that it is, cut to what a result holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, Part, TextDisplay, TextPart, ToolResult
from handrail.contract.spill import Spill
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.web.address import Address
from handrail.tools.web.content import Content, content_of
from handrail.tools.web.exchange import Answer
from handrail.tools.web.following import Elsewhere, fetch
from handrail.tools.web.network import PublicInternet
from handrail.tools.web.untrusted import Marks

MOST_OF_AN_ERROR = 2_000
"""Characters of what a server says beside a status that is no success."""
_ADVICE = {
    401: "It wants a log-in, which is not given",
    403: "It wants a log-in, or keeps programs out",
    404: "Check the address, or search for it",
    410: "It is gone: search for another",
    429: "It was asked too often: wait before the next try",
}


@value
class Failed:
    """An address that could not be fetched, and why."""

    address: Address
    why: str


@value
class Got:
    """What a server answered, and what of it is shown."""

    answer: Answer
    content: Content

    @property
    def is_success(self) -> bool:
        return 200 <= self.answer.status < 300

    @property
    def problem(self) -> str:
        """A sentence for an answer that is no success."""
        status = self.answer.status
        advice = _ADVICE.get(status, "Try later" if status >= 500 else "Check the address")
        wait = self.answer.headers.get("retry-after", "")
        after = f" ({wait} s)" if wait.isascii() and wait.isdigit() and len(wait) < 9 else ""
        return f"{self.answer.address} answered {self.answer.said}. {advice}{after}."

    @property
    def text(self) -> str:
        titled = self.content.title and self.content.title not in self.content.text[:1_000]
        return f"Title: {self.content.title}\n\n{self.content.text}" if titled else self.content.text


Outcome: TypeAlias = Got | Elsewhere | Failed


class Fetcher:
    """Fetches what one call asks for."""

    def __init__(self, internet: PublicInternet, launcher: Launcher, workspace: Workspace) -> None:
        self._internet = internet
        self._launcher = launcher
        self._workspace = workspace

    async def get(self, address: Address) -> Outcome:
        try:
            fetched = await fetch(address, self._internet)
            return fetched if isinstance(fetched, Elsewhere) else await self._got(fetched)
        except ToolFailed as error:
            return Failed(address, str(error))

    async def get_all(self, addresses: Sequence[Address]) -> list[Outcome]:
        """At once, in the order of the addresses."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.get(address)) for address in addresses]
        return [task.result() for task in tasks]

    async def _got(self, answer: Answer) -> Got:
        try:
            return Got(answer, await content_of(answer, self._launcher, self._workspace))
        except ToolFailed:
            if 200 <= answer.status < 300:
                raise
            return Got(answer, Content("", ""))


class Showing:
    """Makes the result of what was fetched."""

    def __init__(self, spill: Spill, marks: Marks, most: int) -> None:
        """`most` is in characters, for all addresses together."""
        self._spill = spill
        self._marks = marks
        self._most = most

    async def one(self, outcome: Got | Failed) -> ToolResult:
        """Raises ToolFailed where there is nothing to show."""
        if isinstance(outcome, Failed):
            raise ToolFailed(outcome.why)
        parts = await self._parts(outcome, self._most)
        fault = None if outcome.is_success else CallFault(ErrorKind.FAILED, outcome.problem)
        return ToolResult(
            (TextPart(self._marks.warning), *parts), display=_display([outcome]), fault=fault, data=_data(outcome)
        )

    async def several(self, outcomes: Sequence[Outcome], wrong: Sequence[str]) -> ToolResult:
        """Raises ToolFailed where none was a success."""
        if not any(isinstance(outcome, Got) and outcome.is_success for outcome in outcomes):
            raise ToolFailed("\n".join([*map(_why_none, outcomes), *wrong]))
        most = self._most // len(outcomes)
        parts: list[Part] = [TextPart(self._marks.warning)]
        for outcome in outcomes:
            parts += await self._parts(outcome, most)
        parts += [TextPart(f"[Not fetched. {problem}]") for problem in wrong]
        return ToolResult(tuple(parts), display=_display(outcomes))

    async def _parts(self, outcome: Outcome, most: int) -> list[Part]:
        if isinstance(outcome, Failed):
            return [TextPart(f"[Not fetched. {outcome.why}]")]
        if isinstance(outcome, Elsewhere):
            said = f"[{outcome.asked} redirects ({outcome.status}) to another host. To go there, fetch this address:]"
            return [TextPart(f"{said}\n{self._marks.around(str(outcome.to), str(outcome.asked))}")]
        return await self._of_content(outcome, most)

    async def _of_content(self, got: Got, most: int) -> list[Part]:
        source, text = str(got.answer.address), got.text
        notes = [f"[{note}]" for note in got.content.notes]
        if not got.is_success:
            notes, text = [f"[{got.problem}]"], text[:MOST_OF_AN_ERROR]
        elif len(text) > most:
            await self._spill.add(self._marks.around(text, source).encode("utf-8", "backslashreplace"))
            shown = _cut(text, most)
            left = f"[The first {len(shown):,} of {len(text):,} characters; {self._spill.kept.in_words}.]"
            notes, text = [*notes, left], shown
        rows = [self._marks.around(text, source)] if text else [f"[{source}]"]
        parts: list[Part] = [TextPart("\n".join([*rows, *notes]))]
        if got.content.image is not None and got.is_success:
            parts.append(got.content.image)
        return parts


def _cut(text: str, most: int) -> str:
    """At the end of a line, where one ends near."""
    end = text.rfind("\n", most - most // 10, most)
    return text[: end if end > 0 else most]


def _why_none(outcome: Outcome) -> str:
    match outcome:
        case Failed(why=why):
            return why
        case Elsewhere(asked=asked, status=status, to=to):
            return f"{asked} redirects ({status}) to another host, {to.host}. Fetch it by itself to be led there."
        case Got():
            return outcome.problem


def _display(outcomes: Sequence[Outcome]) -> TextDisplay:
    return TextDisplay("\n".join(map(_in_short, outcomes)))


def _in_short(outcome: Outcome) -> str:
    match outcome:
        case Failed(address=address):
            return f"{address}: not fetched"
        case Elsewhere(asked=asked, to=to):
            return f"{asked}: redirects to {to.host}"
        case Got(answer=answer, content=content):
            return f"{answer.address}: {answer.said}, {content.kind}, {len(answer.body):,} bytes"


def _data(got: Got) -> dict[str, str | int]:
    answer = got.answer
    return {"url": str(answer.address), "status": answer.status, "kind": got.content.kind, "bytes": len(answer.body)}
