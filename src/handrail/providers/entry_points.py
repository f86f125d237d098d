"""Tools of installed packages, by entry points of the group `handrail.tools`: none is loaded that nobody asked for."""

from __future__ import annotations

from functools import partial
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from handrail.authoring.function_tool import FunctionTool
from handrail.contract.provider import Condition, Shelf, SourceStatus
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError
from handrail.providers.counting import tools_text
from handrail.providers.python.holding import Held, checked, held_by
from handrail.providers.python.loading import LOAD_WITHIN
from handrail.runtime.guard import Returned, guarded_in_thread

GROUP = "handrail.tools"


class EntryPointTools:
    """Implements `Provider`, and is `Quick` and `Aware`: the tools of one entry point that a person enabled by its
    name."""

    opens_within = 2.0
    is_stale = False

    def __init__(self, entry_point: str) -> None:
        self.name = f"entry point {entry_point}"
        self._entry_point = entry_point

    async def provide(self, shelf: Shelf) -> None:
        outcome = await guarded_in_thread(partial(_held, self._entry_point), LOAD_WITHIN)
        if not isinstance(outcome, Returned):
            shelf.say(SourceStatus(self.name, Condition.FAILED, outcome.message))
            return
        held = outcome.value
        refused = shelf.put(held.tools)
        count = len(held.tools) - len(refused)
        condition = Condition.READY if count else Condition.FAILED
        shelf.say(SourceStatus(self.name, condition, tools_text(count), (*held.problems, *refused)))

    async def refresh(self) -> None:
        """What is installed does not change while the program runs."""


def _held(name: str) -> Held:
    """Imports the package. Raises ToolDefinitionError where there is no such entry point, or several."""
    loaded = _only(name).load()
    if isinstance(loaded, ModuleType):
        return held_by(loaded, "")
    if isinstance(loaded, FunctionTool):
        return checked([loaded])
    if _is_tool(loaded):
        return checked([loaded], name)
    if isinstance(loaded, (list, tuple)) and loaded and all(map(_is_tool, loaded)):
        return checked(loaded)
    raise ToolDefinitionError(f"it leads to {type(loaded).__name__}, and not to a tool, a list of tools, or a module")


def _is_tool(one: object) -> bool:
    return isinstance(one, Tool) or (isinstance(one, type) and issubclass(one, Tool))


def _only(name: str) -> EntryPoint:
    installed = entry_points(group=GROUP)
    found = [each for each in installed if each.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        owners = ", ".join(sorted(each.dist.name for each in found if each.dist is not None))
        raise ToolDefinitionError(f"several packages have it: {owners}. Uninstall all but one")
    known = ", ".join(sorted({each.name for each in installed})) or "none"
    raise ToolDefinitionError(f"no installed package has it in the group {GROUP}. Those that are installed: {known}")
