"""A model that is asked over HTTP, on any of the four wires."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from handrail.agent.model import ModelEvent, ModelRequest, Received, ResponseEnded
from handrail.agent.models.asking import until_answered
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.known_models import Prices, known_model
from handrail.agent.models.patience import Patience
from handrail.agent.models.provider import Provider
from handrail.agent.models.telling import Teller, Told, teller_for
from handrail.agent.models.trouble import Trouble, answered, cut, endless, failed, unreadable
from handrail.contract.basics import JsonObject
from handrail.errors import WireError
from handrail.wire import Question, Wire, encode_menu, encode_request
from handrail.wire.detect import wire_of
from handrail.wire.jsontext import parse
from handrail.wire.sse import DONE
from handrail.wire.sse_stream import MOST_CHARACTERS, EventReader

if TYPE_CHECKING:
    from handrail.agent.models.exchange import Answer

_ERROR_BYTES = 65_536
"""Of an answer that says no, as much is read."""

MOST_BYTES = 128 << 20
"""Of one answer. The longest that models give, some 128,000 tokens, is a third of it, at one token in each event."""

_SAY_WHEN = (Wire.ANTHROPIC, Wire.OPENAI_RESPONSES)
"""Wires on which nothing comes behind the event that ends a response; on the others, its tokens may."""

_STREAMS = frozenset({"text/event-stream", "text/plain", "application/octet-stream", ""})
"""What servers call a stream of events."""

_END_MARK: JsonObject = {"data": DONE}
"""The end marker of OpenAI's wires, which is no object, in the form in which recordings hold events."""


class HttpModel:
    """One model of a provider. Each request has its own connection, which ends with it."""

    def __init__(self, provider: Provider, endpoint: Endpoint, patience: Patience | None = None) -> None:
        known = known_model(provider.models or provider.name, endpoint.model, datetime.now(UTC).date())
        self.provider = provider.name
        self.name = endpoint.model
        self.wire: Wire = endpoint.wire
        self.window = provider.window or known.window
        self.prices: Prices | None = known.prices
        self._endpoint = endpoint
        self._output = provider.output
        self._habits = provider.habits_of(endpoint.model)
        self._patience = patience or Patience()
        self._tls: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        return f"<{self.provider}:{self.name} at {self._endpoint.address}>"

    async def respond(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model`."""
        body = json.dumps(self.body(request), separators=(",", ":")).encode()
        async with aclosing(until_answered(lambda: self._once(body), self._patience)) as events:
            async for event in events:
                yield event

    def body(self, request: ModelRequest) -> JsonObject:
        """What is sent for a request, before it is text."""
        tools = [(tool.name, tool.description, tool.schema) for tool in request.menu.tools]
        question = Question(
            self.name,
            request.system,
            request.messages,
            encode_menu(tools, self.wire),
            request.max_tokens or self._output,
            self._habits,
        )
        return encode_request(question, self.wire)

    async def _once(self, body: bytes) -> AsyncGenerator[ModelEvent, None]:
        """One try. Raises Trouble; when nothing was given before, the same may be tried again."""
        # In a thread: the first import of the HTTP client, and reading certificates, would hold up the loop.
        await asyncio.to_thread(self._prepare)
        from handrail.agent.models.exchange import posted

        async with posted(self._endpoint, body, self._tls, self._patience.silence) as answer:
            if answer.status != 200:
                raise answered(self._endpoint, answer.status, answer.headers, await answer.body(_ERROR_BYTES))
            teller = teller_for(self.wire)
            received = self._events(answer)
            async with aclosing(received), aclosing(self._told(received, teller)) as events:
                async for event in events:
                    yield event
            yield ResponseEnded(teller.usage, teller.stop)

    def _prepare(self) -> None:
        from handrail.agent.models.connecting import tls_for

        self._tls = self._tls or tls_for(self._endpoint)

    async def _told(
        self, received: AsyncGenerator[JsonObject, None], teller: Teller
    ) -> AsyncGenerator[ModelEvent, None]:
        """Events are held until one tells something: so long, nothing is lost if the request has to be sent again."""
        held: list[JsonObject] = []
        telling = known = False
        async for event in self._to_its_end(received, teller):
            known = known or wire_of(event) is self.wire
            told: list[Told] = list(teller.tell(event))
            if teller.failed:
                raise failed(self._endpoint, teller.failed)
            held.append(event)
            telling = telling or bool(told)
            if telling:
                for each in held:
                    yield Received(each)
                held = []
                for each_told in told:
                    yield each_told
        if not teller.ended:
            raise self._unended(known, any_event=telling or bool(held))
        for each in held:
            yield Received(each)

    async def _to_its_end(
        self, received: AsyncGenerator[JsonObject, None], teller: Teller
    ) -> AsyncGenerator[JsonObject, None]:
        """What comes behind the end changes nothing, and neither does a connection that breaks there."""
        try:
            async for event in received:
                yield event
                if event is _END_MARK or (teller.ended and self.wire in _SAY_WHEN):
                    return
        except Trouble:
            if not teller.ended:
                raise

    def _unended(self, known: bool, *, any_event: bool) -> Trouble:
        if any_event and not known:
            return unreadable(self._endpoint, "none of its events is")
        return cut(self._endpoint, "its end did not come")

    async def _events(self, answer: Answer) -> AsyncGenerator[JsonObject, None]:
        """The events of a stream; or the whole response, from a server that does not stream."""
        try:
            if answer.media_type == "application/json":
                yield _whole(await answer.body(MOST_CHARACTERS))
                return
            if answer.media_type not in _STREAMS:
                raise WireError(f"it is {answer.media_type}")
            reader = EventReader()
            came = 0
            async with aclosing(answer.pieces()) as pieces:
                async for piece in pieces:
                    came += len(piece)
                    if came > MOST_BYTES:
                        raise endless(self._endpoint, MOST_BYTES)
                    for event in reader.feed(piece):
                        yield _END_MARK if event is None else event
            for event in reader.finish():
                yield _END_MARK if event is None else event
        except WireError as error:
            raise unreadable(self._endpoint, str(error)) from error


def _whole(body: bytes) -> JsonObject:
    try:
        document = parse(body.decode("utf-8", "replace"))
    except ValueError as error:
        raise WireError(f"its answer is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise WireError("its answer is not an object")
    return document
