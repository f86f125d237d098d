"""What a model may call in a session, and how the tool that a request means is found."""

from __future__ import annotations

from typing import Self

from handrail.catalog.called import Called, OwnReading
from handrail.catalog.registry import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.catalog.toolbox import Toolbox
from handrail.contract.calls import CallForm, CallRequest
from handrail.contract.values import value
from handrail.runtime.hosted import HostedServerCall
from handrail.runtime.intake import ToolFinder
from handrail.runtime.judge import Judge
from handrail.runtime.questions import QuestionCall
from handrail.runtime.skills import SessionSkills
from handrail.runtime.subagents import AgentSlot


@value
class SessionTools:
    """The tools of a session, and what stands behind some of them."""

    registry: Registry
    skills: SessionSkills
    box: Toolbox
    find: ToolFinder
    agents: AgentSlot

    @classmethod
    def of(cls, registry: Registry, judge: Judge, skills: SessionSkills, model: str) -> Self:
        """`model` names the model that answers."""
        agents = AgentSlot()
        box = Toolbox(registry, lambda: judge.policy, skills.told, agents.told)
        return cls(registry, skills, box, finder(registry, model, box.deferred), agents)


def finder(registry: Registry, model: str, deferred: SessionDeferredTools) -> ToolFinder:
    """By any name that a tool has. One that the model was to look for first is found all the same: it may know the
    tool from before, and policy judges the call like any."""

    def find(request: CallRequest) -> Called:
        if request.form is CallForm.MCP_APPROVAL:
            return Called(OwnReading(HostedServerCall(request.server, request.name)))
        if request.form is CallForm.QUESTION:
            return Called(OwnReading(QuestionCall()))
        called = registry.called(request.name, model)
        deferred.called(called.tool)
        return called

    return find
