"""Each tool's description for the model lies beside it, in a Markdown file of the tool's name."""

from __future__ import annotations

from importlib.resources import files


def description_of(tool: str) -> str:
    return files("handrail.tools").joinpath(f"{tool}.md").read_text("utf-8").strip()
