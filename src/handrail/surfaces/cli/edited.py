"""Edited arguments of a built-in tool's call, checked by the tool itself: it knows more than its schema says."""

from __future__ import annotations

from handrail.catalog import Registry
from handrail.contract.basics import JsonObject
from handrail.runtime.approval_rows import schema_digest
from handrail.runtime.approval_store import ApprovalRecord
from handrail.runtime.edits import check_edit
from handrail.tools import builtin_tools


def check_built_in(record: ApprovalRecord, arguments: JsonObject) -> None:
    """Raises UsageError. Says nothing of a session's own tool, also where that has a built-in one's name."""
    built_in = Registry(builtin_tools())
    if built_in.knows(record.tool):
        tool = built_in.resolve(record.tool)
        if record.schema == schema_digest(tool):
            check_edit(tool.name, tool.parameters, arguments)
