"""The hooks of a session: registered by decorators, asked one after the other, through the guard and in time.

All hooks of a moment are asked, in the order in which they were registered. One that raises, takes too long
or says what it may not say has failed; before a call that blocks it, unless the hook was registered
otherwise.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeVar, overload

from handrail.contract.basics import JsonObject
from handrail.contract.events import NoticeGiven
from handrail.contract.hooks import (
    MAY_REPLY,
    AddContext,
    Allow,
    ApprovalAnswered,
    ApprovalAsked,
    Block,
    Moment,
    Notice,
    ReplaceResult,
    Reply,
    Rewrite,
    ToolFault,
    ToolUse,
    ToolUsed,
)
from handrail.contract.results import FollowUp, ToolResult
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.argument_conditions import same_json
from handrail.policy.patterns import BadPattern, ToolPattern
from handrail.runtime.bus import Bus
from handrail.runtime.guard import Returned, guarded
from handrail.runtime.hook_outcome import Hooked, Note, Said, blocked_by, notes_of

HOOK_SECONDS = 60.0
"""How long a hook may take, unless it was registered with another limit."""

Replies: TypeAlias = "Reply | Sequence[Reply] | None"
HookFunction: TypeAlias = Callable[[Any], "Replies | Awaitable[Replies]"]
OnError: TypeAlias = Literal["block", "pass"]
F = TypeVar("F", bound=HookFunction)


@value
class Hook:
    """One registered hook."""

    function: HookFunction
    name: str
    tools: ToolPattern
    trusted: bool
    seconds: float
    on_error: OnError


@value
class After:
    """What the hooks made of a result."""

    result: ToolResult
    notes: tuple[Note, ...] = ()
    withheld: Said | None = None
    follow_up: FollowUp | None = None


class HookPoint:
    """Registers hooks for one moment, as a decorator: bare, or with the tools it is for and other options.

        @session.before_tool
        @session.before_tool("mcp_*", trusted=True, seconds=5)

    A function that is not `async` runs in a thread.
    """

    def __init__(self, moment: Moment, on_error: OnError) -> None:
        self.moment = moment
        self.hooks: list[Hook] = []
        self._on_error = on_error

    @overload
    def __call__(self, function: F, /) -> F: ...

    @overload
    def __call__(
        self,
        tools: str = "*",
        /,
        *,
        name: str = "",
        trusted: bool = False,
        seconds: float = HOOK_SECONDS,
        on_error: OnError | None = None,
    ) -> Callable[[F], F]: ...

    def __call__(self, first: Any = "*", /, **options: Any) -> Any:
        """`tools` is a name or a glob; `on_error` says what a failing hook does: `block`, or `pass`.

        Raises UsageError for what is no such thing.
        """
        if isinstance(first, str):
            return lambda function: self._add(function, first, **options)
        return self._add(first, "*", **options)

    def _add(
        self,
        function: F,
        tools: str,
        *,
        name: str = "",
        trusted: bool = False,
        seconds: float = HOOK_SECONDS,
        on_error: OnError | None = None,
    ) -> F:
        if not callable(function):
            raise UsageError(f"{function!r} is no hook; write @session.{self.moment} above a function")
        if on_error not in (None, "block", "pass"):
            raise UsageError(f"on_error is {on_error!r}; it can be 'block' or 'pass'")
        try:
            pattern = ToolPattern.parse(tools)
        except BadPattern as error:
            raise UsageError(f"the tools of a hook, {tools!r}: it {error}") from error
        named = name or str(getattr(function, "__name__", type(function).__name__))
        self.hooks.append(Hook(function, named, pattern, trusted, seconds, on_error or self._on_error))
        return function

    def of(self, names: tuple[str, ...]) -> Iterator[Hook]:
        return (hook for hook in tuple(self.hooks) if hook.tools.matches(names))


class Hooks:
    """All hooks of one session. `names` are all names of the call's tool, for the hooks' own filters."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.before_tool = HookPoint(Moment.BEFORE, "block")
        self.after_tool = HookPoint(Moment.AFTER, "pass")
        self.on_failure = HookPoint(Moment.FAILURE, "pass")
        self.on_approval_asked = HookPoint(Moment.ASKED, "block")
        self.on_approval_answered = HookPoint(Moment.ANSWERED, "pass")

    async def before(self, use: ToolUse, names: tuple[str, ...], misfit: Callable[[JsonObject], str]) -> Hooked:
        """Asks all about the call as the ones before left it. `misfit` says what is wrong with arguments.

        Hooks that were asked before the last rewrite are asked again about what came of it. They may tighten
        then, but change nothing more: an allow of what no longer is to run does not count.
        """
        said: list[Said] = []
        rewriters: list[str] = []
        asked_before: list[Hook] = []
        hooks = tuple(self.before_tool.of(names))
        for place, hook in enumerate(hooks):
            rewritten = False
            for reply in await self._replies(self.before_tool, hook, use):
                if not isinstance(reply, Rewrite):
                    said.append(Said(hook.name, reply))
                elif problem := _problem(reply, misfit):
                    said.append(Said(hook.name, Block(problem)))
                elif not same_json(reply.arguments, use.arguments):
                    use, rewritten = replace(use, arguments=reply.arguments), True
            if rewritten:
                rewriters.append(hook.name)
                asked_before = list(hooks[:place])
        if asked_before:
            early = {hook.name for hook in asked_before}
            said = [one for one in said if not (isinstance(one.reply, Allow) and one.hook in early)]
            for hook in asked_before:
                again = [Said(hook.name, reply) for reply in await self._replies(self.before_tool, hook, use)]
                said += [one for one in again if not isinstance(one.reply, Rewrite) and one not in said]
        return Hooked(use.arguments, tuple(said), tuple(rewriters))

    async def after(self, used: ToolUsed, names: tuple[str, ...]) -> After:
        """Each hook sees the result as the ones before left it."""
        said: list[Said] = []
        outcome = After(used.result)
        for hook in self.after_tool.of(names):
            for reply in await self._replies(self.after_tool, hook, used):
                match reply:
                    case ReplaceResult(result):
                        used = replace(used, result=result)
                        outcome = replace(outcome, result=result)
                    case FollowUp():
                        outcome = replace(outcome, follow_up=reply)
                    case Block():
                        outcome = replace(outcome, withheld=outcome.withheld or Said(hook.name, reply))
                    case _:
                        said.append(Said(hook.name, reply))
        return replace(outcome, notes=notes_of(said))

    async def failed(self, fault: ToolFault, names: tuple[str, ...]) -> tuple[Note, ...]:
        """What the hooks add for the model."""
        said = [
            Said(hook.name, reply)
            for hook in self.on_failure.of(names)
            for reply in await self._replies(self.on_failure, hook, fault)
        ]
        return notes_of(said)

    async def asked(self, asked: ApprovalAsked, names: tuple[str, ...]) -> Said | None:
        """The first block, where one of the hooks would rather not have a person asked."""
        blocks = [
            Said(hook.name, reply)
            for hook in self.on_approval_asked.of(names)
            for reply in await self._replies(self.on_approval_asked, hook, asked)
        ]
        return next(iter(blocks), None)

    async def answered(self, answered: ApprovalAnswered, names: tuple[str, ...]) -> None:
        for hook in self.on_approval_answered.of(names):
            await self._replies(self.on_approval_answered, hook, answered)

    async def _replies(self, point: HookPoint, hook: Hook, notice: Notice) -> Sequence[Reply]:
        """What one hook says; where it fails, what that comes to."""
        outcome = await guarded(_called(hook.function, notice), hook.seconds)
        if not isinstance(outcome, Returned):
            return self._failed(point, hook, notice, outcome.message)
        said = outcome.value
        replies = () if said is None else tuple(said) if isinstance(said, (list, tuple)) else (said,)
        wrong = next((reply for reply in replies if not _may_say(point.moment, reply)), None)
        if wrong is not None:
            return self._failed(point, hook, notice, f"it gave {wrong!r}, which is no reply for {point.moment}")
        if any(isinstance(reply, Allow) for reply in replies) and not hook.trusted:
            self._tell(notice, f"The hook {hook.name} allowed the call, but is not trusted to; that counts for nothing")
            return [reply for reply in replies if not isinstance(reply, Allow)]
        return replies

    def _failed(self, point: HookPoint, hook: Hook, notice: Notice, why: str) -> Sequence[Reply]:
        self._tell(notice, f"The hook {hook.name} failed: {why}")
        if hook.on_error == "block" and Block in MAY_REPLY[point.moment]:
            return (Block(f"it failed: {why}"),)
        if AddContext in MAY_REPLY[point.moment]:
            return (AddContext(f"It failed, and had no say: {why}"),)
        return ()

    def _tell(self, notice: Notice, message: str) -> None:
        self._bus.tell(NoticeGiven(notice.call, message))


def withheld(said: Said) -> str:
    """Why a result does not go to the model."""
    return blocked_by(said).reason


async def _called(function: HookFunction, notice: Notice) -> object:
    """A function that doesn't wait runs in a thread, where it may take its time without stopping the loop."""
    answer = function(notice) if inspect.iscoroutinefunction(function) else await asyncio.to_thread(function, notice)
    return await answer if inspect.isawaitable(answer) else answer


def _may_say(moment: Moment, reply: object) -> bool:
    held: object = reply.result if isinstance(reply, ReplaceResult) else None
    return isinstance(reply, MAY_REPLY[moment]) and (held is None or isinstance(held, ToolResult))


def _problem(rewrite: Rewrite, misfit: Callable[[JsonObject], str]) -> str:
    """What is wrong with a hook's arguments; empty when they fit."""
    if not isinstance(rewrite.arguments, dict):
        return f"its arguments are no object, but {type(rewrite.arguments).__name__}"
    problem = misfit(rewrite.arguments)
    return f"it changed the arguments into what does not fit. {problem}" if problem else ""
