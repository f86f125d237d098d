"""Enter plan mode: look and think, and change nothing but the plan."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.context import ToolNames
from handrail.contract.effects import Claims
from handrail.contract.plan_mode import PlanMode
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line


class Params(Parameters):
    reason: str = Field(default="", max_length=500, description="Why this is to be planned first, for the person.")


class EnterPlanMode(Tool[Params]):
    name = "enter_plan_mode"
    title = "Enter plan mode"
    kind = Kind.SWITCH_MODE
    description = description_of("enter_plan_mode")

    def effects(self, params: Params) -> Claims:
        """It only tightens what may run, so nobody needs to be asked."""
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        reason = one_line(params.reason)
        return f"{self.title}: {reason}" if reason else self.title

    async def run(self, params: Params, plan_mode: PlanMode, names: ToolNames) -> ToolResult:
        before = "The session is in plan mode already" if plan_mode.is_on else "The session is in plan mode now"
        plan_mode.enter()
        return ToolResult.of_text(
            f"{before}: reading and searching are free, and the one file that can be written is {plan_mode.file}. "
            f"Write the plan there, ask with {names.of('ask_user')} what you can't find out, and call "
            f"{names.of('exit_plan_mode')} for the person to approve it.",
            display=TextDisplay(f"Plan mode: the plan goes to {plan_mode.file}"),
            data={"plan_file": plan_mode.file},
        )
