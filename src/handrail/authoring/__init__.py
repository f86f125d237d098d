"""Tools as anyone writes them: decorated functions, and parameters from models, dataclasses and JSON Schema."""

from __future__ import annotations

from handrail.authoring.define import define_tool
from handrail.authoring.function_tool import FunctionTool, tool
from handrail.authoring.json_schema import schema_parameters

__all__ = ["FunctionTool", "define_tool", "schema_parameters", "tool"]
