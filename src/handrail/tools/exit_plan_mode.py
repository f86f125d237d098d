"""Show the person the plan, and leave plan mode when they approve it."""

from __future__ import annotations

from handrail.contract.confirmation import PlanConfirmation
from handrail.contract.context import FileReader, Questions, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.plan_mode import PLAN_FOLDER, PlanMode
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters

MOST = 100_000
"""Characters of a plan: a person is to read it."""


class Params(Parameters):
    pass


class ExitPlanMode(Tool[Params]):
    name = "exit_plan_mode"
    title = "Have the plan approved"
    kind = Kind.SWITCH_MODE
    description = description_of("exit_plan_mode")

    def effects(self, params: Params) -> Claims:
        """It reads the plan, so it waits until earlier calls have written it. The question is a call of its own."""
        return Claims(reads=(PathClaim(PLAN_FOLDER, "tree"),))

    async def run(
        self, params: Params, plan_mode: PlanMode, files: FileReader, questions: Questions, workspace: Workspace
    ) -> ToolResult:
        if not plan_mode.is_on:
            raise ToolFailed("The session is not in plan mode, so there is no plan to approve. Go on with the work.")
        plan = await _plan(plan_mode.file, files)
        shown = PlanConfirmation(
            "A plan to approve", plan, workspace.absolute(plan_mode.file), tuple(plan_mode.next_modes)
        )
        reply = await questions.ask(shown)
        if not isinstance(reply, str) or reply not in shown.next_modes:
            raise ToolFailed(f"The plan is not approved yet. The person said: {reply}")
        plan_mode.leave(reply)
        return ToolResult.of_text(
            f"The person approved the plan in {plan_mode.file}, and the session goes on in {reply} mode. Carry it out; "
            "the plan can be read there again.",
            display=TextDisplay(f"The plan is approved; mode: {reply}"),
            data={"plan_file": plan_mode.file, "mode": reply, "plan": plan},
        )


async def _plan(file: str, files: FileReader) -> str:
    """Raises ToolFailed where there is nothing that a person could approve."""
    if await files.kind(file) is None:
        raise ToolFailed(f"There is no plan yet. Write it to {file}, and call this again.")
    plan = (await files.read(file)).data.decode("utf-8", "replace")
    if not plan.strip():
        raise ToolFailed(f"The plan in {file} is empty. Write it there, and call this again.")
    if len(plan) > MOST:
        raise ToolFailed(
            f"The plan in {file} has {len(plan):,} characters, and nobody reads more than {MOST:,} of them. Shorten it."
        )
    return plan
