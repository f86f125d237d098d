"""What each family's models are shown: kept word by word, and taken by the providers' own types."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handrail.catalog import Menu, Registry, menu_for
from handrail.catalog.faces import families
from handrail.contract.context import Environment
from handrail.tools import builtin_tools
from handrail.wire import Wire
from wire.sdk_types import TOOLS, problem

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"
"""Set it to 1 to write what the models are shown now; read the difference before you keep it."""
MODELS = {family.name: family.models[0] for family in families()}


def shown(model: str) -> Menu:
    environment = Environment("linux", lambda name: Path("/bin") / name)
    return menu_for(Registry(builtin_tools()), model, environment, lambda tool: None)


@pytest.mark.parametrize("family", MODELS)
def test_what_a_family_is_shown_has_not_changed_unnoticed(family: str) -> None:
    menu = shown(MODELS[family])
    seen = {
        "tools": [
            {"name": each.name, "description": each.description.split("\n"), "parameters": each.schema}
            for each in menu.tools
        ],
        "hidden": [hidden.tool.name for hidden in menu.hidden],
    }
    text = json.dumps(seen, indent=2, ensure_ascii=False) + "\n"
    path = SNAPSHOTS / f"{family}.json"
    if os.environ.get(UPDATE) == "1":
        SNAPSHOTS.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert menu.family.name == family
    assert path.read_text("utf-8") == text


def test_every_snapshot_has_its_family() -> None:
    assert sorted(path.stem for path in SNAPSHOTS.iterdir()) == sorted(MODELS)


@pytest.mark.parametrize("wire", TOOLS)
@pytest.mark.parametrize("model", ["", *MODELS.values()])
def test_each_providers_own_types_take_each_familys_tools(model: str, wire: Wire) -> None:
    menu = shown(model)
    sent = {
        Wire.ANTHROPIC: menu.anthropic,
        Wire.OPENAI_CHAT: menu.openai_chat,
        Wire.OPENAI_RESPONSES: menu.openai_responses,
        Wire.GEMINI: menu.gemini,
    }[wire]()
    assert [problem(tool, TOOLS[wire]) for tool in sent] == [""] * len(sent)
    assert sent


@pytest.mark.parametrize("model", ["", *MODELS.values()])
def test_the_order_is_the_same_each_time_and_whatever_is_hidden(model: str) -> None:
    names = [each.name for each in shown(model).tools]
    environment = Environment("linux", lambda name: Path("/bin") / name)
    fewer = menu_for(
        Registry(builtin_tools()), model, environment, lambda tool: "denied" if tool.name == "read_file" else None
    )
    assert [each.name for each in shown(model).tools] == names
    assert [each.name for each in fewer.tools] == [name for name in names if name not in ("Read", "read_file")]
