from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from handrail.authoring.function_tool import tool
from handrail.contract.context import Files
from handrail.contract.tool import ConnectsTo, Kind, Reads

SNAPSHOT = Path(__file__).parent / "rich_signature.json"


class Unit(Enum):
    METRES = "m"
    FEET = "ft"


class Place(BaseModel):
    """Where on earth."""

    latitude: float = Field(ge=-90, le=90, description="Degrees north.")
    longitude: float = Field(ge=-180, le=180)


@dataclass
class Span:
    start: date
    days: int = 1


class Style(TypedDict):
    colour: str
    bold: NotRequired[bool]


@tool(title="Draw the tide", kind=Kind.SEARCH)
async def draw_tide(
    port: Annotated[str, Field(description="Harbour to look up, such as 'Brest'", min_length=1)],
    place: Place,
    spans: list[Span],
    files: Files,
    almanac: Annotated[Path, Reads] = Path("almanac.txt"),
    server: Annotated[str | None, ConnectsTo] = None,
    unit: Unit = Unit.METRES,
    form: Literal["line", "bars"] = "line",
    style: Style | None = None,
    marks: tuple[float, ...] = (),
    limits: dict[str, Annotated[float, Field(gt=0)]] | None = None,
    copy: bool = False,
) -> str:
    """Draws the tide of one harbour.

    The drawing is text. It knows no wind.

    Args:
        port: Not said, for the annotation says it.
        place: Where the harbour lies.
        spans: The days to draw,
            each with its own line.
        files: Never seen by a model.
        unit: Of heights.
        style: How it looks.
        copy: Also keep a copy.

    Returns:
        The drawing.
    """
    return port


def test_what_a_model_sees_of_a_rich_signature_has_not_changed_unnoticed():
    seen = {
        "name": draw_tide.name,
        "title": draw_tide.title,
        "description": draw_tide.description,
        "parameters": draw_tide.parameters.schema,
    }
    assert json.dumps(seen, indent=2, ensure_ascii=False) + "\n" == SNAPSHOT.read_text("utf-8")
