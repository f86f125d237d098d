"""What a model may call in a session, and how the tool that a request means is found."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self

from handrail.catalog.called import Called, OwnReading
from handrail.catalog.later import LaterTool
from handrail.catalog.registry import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.catalog.toolbox import Toolbox
from handrail.contract.calls import CallForm, CallRequest
from handrail.contract.values import value
from handrail.contract.window import Window
from handrail.errors import UnknownTool
from handrail.runtime.hosted import HostedServerCall
from handrail.runtime.judge import Judge
from handrail.runtime.questions import QuestionCall
from handrail.runtime.shelves import Shelves
from handrail.runtime.skills import SessionSkills
from handrail.runtime.subagents import AgentSlot


@value
class SessionTools:
    """The tools of a session, and what stands behind some of them."""

    registry: Registry
    skills: SessionSkills
    box: Toolbox
    shelves: Shelves
    find: Finder
    agents: AgentSlot
    window: Window

    @classmethod
    def of(cls, shelves: Shelves, judge: Judge, skills: SessionSkills, model: str, window: int) -> Self:
        """`model` names the model that answers, `window` says how many tokens its context has; 0: not known."""
        registry = shelves.registry
        agents = AgentSlot()
        box = Toolbox(registry, lambda: judge.policy, skills.told, agents.told, shelves.sources)
        find = Finder(registry, model, box.deferred, shelves)
        return cls(registry, skills, box, shelves, find, agents, Window(window))


class Finder:
    """Implements `intake.ToolFinder`."""

    def __init__(self, registry: Registry, model: str, deferred: SessionDeferredTools, sources: Shelves) -> None:
        """`model` names the main model."""
        self._registry = registry
        self._model = model
        self._deferred = deferred
        self._sources = sources

    def speak(self, model: str) -> None:
        """Another one is the main model now: what is told it is in the words that its family knows."""
        self._model = model

    def __call__(self, request: CallRequest, model: str = "") -> Called:
        """One that the model was to look for first is found all the same: it may know the tool from before, and
        policy judges the call like any."""
        if request.form is CallForm.MCP_APPROVAL:
            return Called(OwnReading(HostedServerCall(request.server, request.name)))
        if request.form is CallForm.QUESTION:
            return Called(OwnReading(QuestionCall()))
        called = self._registry.called(request.name, model or self._model)
        self._deferred.called(called.tool)
        return called

    def name_of(self, tool: str, model: str = "") -> str:
        """What this model, the main one where it is empty, knows the tool of this name as."""
        return self._registry.shown_as(tool, model or self._model)

    async def load(self, request: CallRequest) -> None:
        """Beside the event loop: the first call of a tool may be the first to need pydantic."""
        with suppress(UnknownTool):
            tool = self(request).tool
            if isinstance(tool, LaterTool) and not tool.is_loaded:
                await asyncio.to_thread(lambda: tool.loaded)

    async def awaited(self, request: CallRequest) -> bool:
        return await self._sources.awaited(request.name)
