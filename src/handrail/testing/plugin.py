"""Fixtures for pytest, there wherever Handrail is installed.

    async def test_my_tool_refuses_a_full_harbour(handrail_session, scripted_model):
        async with handrail_session(MyTool()) as session:
            turn = await session.run({"calls": [{"name": "my_tool", "arguments": {"port": "Brest"}}]})

`handrail_session(*tools, mode=…, rules=…, workspace=…, **parts)` opens a session with these tools (none: the
built-in ones) in the test's own `tmp_path`, with a journal in memory, and in mode `bypass`, where nothing is
asked. `workspace` names another folder; `parts` are those of `handrail.Parts`.

`scripted_model(*turns, name=…)` makes a `ScriptedModel` that plays these turns.

Nothing of Handrail is loaded before a test asks for a fixture.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from handrail.agent.scripted import Line, ScriptedModel
    from handrail.contract.tool import Tool
    from handrail.policy import Mode, Rule
    from handrail.session import Session


class OpenSession(Protocol):
    """The type of `handrail_session`."""

    def __call__(
        self,
        *tools: Tool[Any],
        mode: Mode | str = "bypass",
        rules: Sequence[Rule] = (),
        workspace: Path | None = None,
        **parts: Any,
    ) -> AbstractAsyncContextManager[Session]: ...


class MakeModel(Protocol):
    """The type of `scripted_model`."""

    def __call__(self, *turns: Line, name: str = "scripted") -> ScriptedModel: ...


@pytest.fixture
def handrail_session(tmp_path: Path) -> OpenSession:
    """Opens sessions in a folder of the test's own, with a journal in memory."""

    @asynccontextmanager
    async def opened(
        *tools: Tool[Any],
        mode: Mode | str = "bypass",
        rules: Sequence[Rule] = (),
        workspace: Path | None = None,
        **parts: Any,
    ) -> AsyncIterator[Session]:
        from handrail.runtime.parts import Parts
        from handrail.session import Session
        from handrail.testing.journal import MemoryJournal

        made = Parts(**{"tools": tools or None, "journal": MemoryJournal(), **parts})
        async with Session.open(workspace or tmp_path, mode=mode, rules=rules, parts=made) as session:
            yield session

    return opened


@pytest.fixture
def scripted_model() -> MakeModel:
    """Makes models that play a script."""

    def made(*turns: Line, name: str = "scripted") -> ScriptedModel:
        from handrail.agent.scripted import ScriptedModel

        return ScriptedModel(turns, name)

    return made
