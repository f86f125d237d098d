"""Each recorded schema, as a server's tool has it in a session: what it took when it came is still taken, and what each
provider is told of it is accepted by that one's types and refuses no such arguments."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema.validators import validator_for
from mcp_world import World, ready

from authoring.schema_arguments import fitting
from corpus_files import corpus
from handrail.contract.parameters import BadArguments
from handrail.session import Session
from handrail.wire import Wire, encode_menu
from handrail.wire.schemas import schema_for
from wire.sdk_types import TOOLS, problem

WIRES = (Wire.ANTHROPIC, Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES, Wire.GEMINI)
RECORDED = corpus("tool_schemas")
COUNT = 402
PARTS = 12
QUICK = settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@asynccontextmanager
async def served(folder: Path, part: int) -> AsyncIterator[tuple[Session, list[dict[str, Any]]]]:
    """Each `PARTS`th of them, by a server."""
    mine = RECORDED[part::PARTS]
    tools = [
        {"name": f"t{place}", "description": each["description"], "inputSchema": each["inputSchema"]}
        for place, each in enumerate(mine)
    ]
    world = World(folder)
    async with world.session(world.config("s", {"tools": tools}, always_loaded=True)) as session:
        await ready(session)
        yield session, [each["inputSchema"] for each in mine]


def test_all_of_them_are_there() -> None:
    assert len(RECORDED) == COUNT
    assert sum(len(RECORDED[part::PARTS]) for part in range(PARTS)) == COUNT


@pytest.mark.parametrize("part", range(PARTS))
async def test_what_its_server_takes_is_taken_and_told(tmp_path: Path, part: int) -> None:
    async with served(tmp_path, part) as (session, schemas):
        shown = session.menu().tools[1:]
        assert len(shown) == len(schemas)
        for each, schema in zip(shown, schemas, strict=True):
            for wire in WIRES:
                (entry,) = encode_menu([(each.name, each.description, each.schema)], wire)
                assert not problem(entry, TOOLS[wire]), (wire, each.name)
            still_takes(each.tool, schema, each.schema)


def refused(tool: Any, arguments: Any) -> list[str]:
    """What the tool has against them."""
    try:
        tool.parameters.validate(arguments)
    except BadArguments as error:
        return [str(found) for found in error.problems]
    return []


def still_takes(tool: Any, came: dict[str, Any], shown: Any) -> None:
    theirs = validator_for(came, default=jsonschema.Draft202012Validator)(came)
    told = {wire: jsonschema_rs.validator_for(dict(schema_for(wire, shown)), offline=True) for wire in WIRES}

    @QUICK
    @given(st.data())
    def law(data: st.DataObject) -> None:
        arguments = data.draw(fitting(came))
        if not theirs.is_valid(arguments):
            return
        found = refused(tool, arguments)
        # JSON Schema leaves open what a format is worth; ours are checked.
        assert all("in the format" in said for said in found), (arguments, found)
        if not found:
            for wire, validator in told.items():
                assert validator.is_valid(arguments), (wire, tool.name, arguments)

    law()
