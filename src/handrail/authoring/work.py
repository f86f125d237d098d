"""Runs a function as it was written: awaited, as a stream of text, or in a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from handrail.authoring.returned import DONE, as_result
from handrail.contract.context import Output, RunContext
from handrail.contract.results import CallFault, ErrorKind, TextPart, ToolResult
from handrail.errors import ToolFailed

T = TypeVar("T")

Pick = Callable[[RunContext], object]
"""Takes from the context what one parameter of a function wants."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a tool does: a function, and the parts of the context that it takes by name."""

    function: Callable[..., object]
    injected: Mapping[str, Pick]

    @property
    def streams(self) -> bool:
        return inspect.isasyncgenfunction(code_of(self.function))

    @property
    def blocks(self) -> bool:
        """True for a plain `def`: it runs in a thread, which nobody can stop."""
        return not (self.streams or inspect.iscoroutinefunction(code_of(self.function)))

    async def run(
        self, tool: str, arguments: tuple[object, ...], named: Mapping[str, object], context: RunContext
    ) -> ToolResult:
        """Calls an async function with these arguments and its parts of the context."""
        return await _outcome(self._called(arguments, named, context), tool, context.output)

    async def run_in_thread(
        self,
        tool: str,
        arguments: tuple[object, ...],
        named: Mapping[str, object],
        context: RunContext,
        seconds: float | None,
    ) -> ToolResult:
        """The same for a function that blocks. After `seconds`, or when cancelled, its thread is left alone."""
        context = replace(context, output=_FromThread(context.output, asyncio.get_running_loop()))

        def called() -> object:
            try:
                value = self._called(arguments, named, context)
            except StopIteration as error:  # which no future can carry: its waiter would wait for ever
                raise RuntimeError("it raised StopIteration") from error
            return value if inspect.isawaitable(value) or inspect.isasyncgen(value) else as_result(value, tool)

        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await _outcome(await _in_own_thread(called), tool, context.output)
        except TimeoutError:
            if limit.expired():
                return _left_running(tool, seconds)
            raise

    def _called(self, arguments: tuple[object, ...], named: Mapping[str, object], context: RunContext) -> object:
        return self.function(*arguments, **named, **{name: pick(context) for name, pick in self.injected.items()})


def code_of(function: Callable[..., object]) -> Callable[..., object]:
    """Where the `def` is: below a partial, and for an object that can be called its `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if inspect.isroutine(function) else cast("Callable[..., object]", type(function).__call__)


async def _in_own_thread(work: Callable[[], T]) -> T:
    """Not in the loop's pool: there, functions that never end would take the places of everything else."""
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="handrail-tool")
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, contextvars.copy_context().run, work)
    finally:
        pool.shutdown(wait=False)


async def _outcome(value: object, tool: str, output: Output) -> ToolResult:
    if inspect.isawaitable(value):
        value = await cast("Awaitable[object]", value)
    if inspect.isasyncgen(value):
        return await _streamed(value, tool, output)
    return as_result(value, tool)


async def _streamed(stream: AsyncGenerator[object, Any], tool: str, output: Output) -> ToolResult:
    """Every string is live output and part of the result; a ToolResult adds its parts, and ends it."""
    pieces: list[str] = []
    async with aclosing(stream):
        async for item in stream:
            match item:
                case str():
                    pieces.append(item)
                    output.text(item)
                case ToolResult():
                    return replace(item, parts=(*_text(pieces), *item.parts))
                case _:
                    raise ToolFailed(
                        f"{tool} ran and yielded a value of type {type(item).__name__}. "
                        "It must yield strings, and a ToolResult at its end where text is not all it has to say."
                    )
    return ToolResult(_text(pieces) or (TextPart(DONE),))


def _text(pieces: list[str]) -> tuple[TextPart, ...]:
    text = "".join(pieces)
    return (TextPart(text),) if text else ()


def _left_running(tool: str, seconds: float | None) -> ToolResult:
    message = (
        f"{tool} did not end within {seconds:g} seconds. It runs in a thread, which can't be stopped, and may still "
        "be at work: look before you repeat it, and ask for less at a time."
    )
    return ToolResult((TextPart(message),), fault=CallFault(ErrorKind.TIMEOUT, message))


@dataclass(frozen=True, slots=True)
class _FromThread:
    """Live output of a function that runs in a thread: told on the loop, in order."""

    output: Output
    loop: asyncio.AbstractEventLoop

    def text(self, text: str) -> None:
        self.loop.call_soon_threadsafe(self.output.text, text)

    def progress(self, fraction: float | None, message: str = "") -> None:
        self.loop.call_soon_threadsafe(self.output.progress, fraction, message)

    def notice(self, message: str) -> None:
        self.loop.call_soon_threadsafe(self.output.notice, message)

    def topic(self, title: str, intent: str, summary: str) -> None:
        self.loop.call_soon_threadsafe(self.output.topic, title, intent, summary)
