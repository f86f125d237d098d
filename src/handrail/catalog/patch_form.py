"""The Responses API's own `apply_patch` calls, in the words of a tool that takes one patch.

Field names: OpenAI's `apply_patch_call.operation` (type, path, diff). In a new file's diff the lines are joined, so
that the file ends with a newline only where the last `+` has nothing after it.
"""

from __future__ import annotations

from handrail.contract.basics import JsonObject

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_NO_NEWLINE = "\\ No newline at end of file"


def patch_of(operation: JsonObject) -> JsonObject:
    """Arguments for the tool. What has not the provider's shape is left for validation to refuse."""
    match operation:
        case {"type": "create_file", "path": str(path), "diff": str(diff)} if _is_path(path):
            return _patch(f"*** Add File: {path}", *_created(diff))
        case {"type": "update_file", "path": str(path), "diff": str(diff)} if _is_path(path):
            return _patch(f"*** Update File: {path}", *diff.removesuffix("\n").split("\n"))
        case {"type": "delete_file", "path": str(path)} if _is_path(path):
            return _patch(f"*** Delete File: {path}")
        case _:
            return operation


def _patch(*lines: str) -> JsonObject:
    return {"input": "\n".join([_BEGIN, *lines, _END])}


def _created(diff: str) -> list[str]:
    lines = diff.removesuffix("\n").split("\n") if diff else []
    if lines and lines[-1] == "+":
        return lines[:-1]
    return [*lines, _NO_NEWLINE] if lines else []


def _is_path(path: str) -> bool:
    """It stands on a line of its own, and is that line."""
    return bool(path) and path == path.strip() and "\n" not in path and "\r" not in path
