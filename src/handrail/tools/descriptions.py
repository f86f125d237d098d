"""Each tool's description for the model lies beside it, in a Markdown file of the tool's name."""

from __future__ import annotations

from pathlib import Path


def description_of(tool: str) -> str:
    return Path(__file__).with_name(f"{tool}.md").read_text("utf-8").strip()
