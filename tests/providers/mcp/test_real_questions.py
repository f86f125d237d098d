"""A server from the registry asks a person, a model and for the roots, and has resources and prompts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from handrail.contract.confirmation import Reply
from handrail.policy import Mode
from handrail.providers.mcp.resources import ResourceTools
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal
from providers.mcp.mcp_world import PATIENCE, World, called, text_of, until
from providers.mcp.real_servers import javascript
from providers.mcp.test_questions_of_servers import Model, Person


@asynccontextmanager
async def everything(folder: Path, person: Person) -> AsyncIterator[Session]:
    world = World(folder, sampler=Model())
    config = world.config("s", {}, transport=javascript("server-everything"), start_within=PATIENCE)
    server = world.server(config)
    parts = Parts(
        tools=(FakeTool("own"),),
        providers=[server, ResourceTools([server])],
        journal=MemoryJournal(),
        asker=person,
    )
    async with Session.open(folder, mode=Mode.BYPASS, parts=parts) as session:
        await until(session, lambda status: "prompts" in status.detail)
        yield session


async def test_everything_asks_and_is_answered(tmp_path: Path) -> None:
    person = Person(Reply({"name": "Ada"}), Reply("allow"))
    async with everything(tmp_path, person) as session:
        assert "Name: Ada" in text_of(await called(session, "mcp_s_trigger-elicitation-request"))
        sampled = await called(session, "mcp_s_trigger-sampling-request", {"prompt": "2 + 2?", "maxTokens": 50})
        assert '"text": "four"' in text_of(sampled)
        assert tmp_path.as_uri() in text_of(await called(session, "mcp_s_get-roots-list"))


async def test_everything_is_read_and_has_prompts(tmp_path: Path) -> None:
    async with everything(tmp_path, Person()) as session:
        listed = text_of(await called(session, "list_mcp_resources", {"server": "s"}))
        uri = next(line.split()[1] for line in listed.splitlines() if line.startswith("- demo://"))
        assert f"[resource {uri}" in text_of(await called(session, "read_mcp_resource", {"uri": uri}))
        prompts = {prompt.name: prompt for _, prompt in session.prompts()}
        assert "Paris" in await prompts["args-prompt"].text({"city": "Paris"})
