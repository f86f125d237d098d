"""The Responses wire, answered: every kind of call has its own output item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallForm
from handrail.contract.results import ErrorKind, ImagePart, Part, ToolResult, part_text
from handrail.wire.jsontext import index_of, list_of, object_of, text_of
from handrail.wire.media import data_url
from handrail.wire.response import Answer, Response

_BLANK_SCREEN = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
"""One pixel. A computer call is answered by a screenshot and nothing else, so one that failed shows this."""


def results(response: Response, answers: Sequence[Answer]) -> list[JsonObject]:
    """An output item for each call."""
    asked = {text_of(item.get("call_id")): item for item in response.assistant}
    return [_result(answer, asked.get(answer.request.wire_id, {})) for answer in answers]


def _result(answer: Answer, item: JsonObject) -> JsonObject:
    """`caller` says that a program of the provider made the call; its result must say so too."""
    result: dict[str, Json] = dict(_OUTPUTS[answer.request.form](answer, item))
    if item.get("caller") is not None and answer.request.form in _WITH_CALLER:
        result["caller"] = item["caller"]
    return result


def _function(answer: Answer, _: JsonObject) -> JsonObject:
    return {"type": "function_call_output", "call_id": answer.request.wire_id, "output": _output(answer.result)}


def _custom(answer: Answer, _: JsonObject) -> JsonObject:
    return {"type": "custom_tool_call_output", "call_id": answer.request.wire_id, "output": _output(answer.result)}


def _apply_patch(answer: Answer, _: JsonObject) -> JsonObject:
    return {
        "type": "apply_patch_call_output",
        "call_id": answer.request.wire_id,
        "status": "failed" if answer.failure else "completed",
        "output": answer.result.text,
    }


def _local_shell(answer: Answer, _: JsonObject) -> JsonObject:
    """The published type knows the call by `id`, the guide by `call_id`; both name the same thing here."""
    return {
        "type": "local_shell_call_output",
        "id": answer.request.wire_id,
        "call_id": answer.request.wire_id,
        "output": answer.result.text,
    }


def _shell(answer: Answer, item: JsonObject) -> JsonObject:
    """One output for all the commands of the call: they ran as one script."""
    stdout, stderr = _streams(answer)
    limit = object_of(item.get("action")).get("max_output_length")
    most = index_of(limit)
    if most is not None:
        stdout = _cut(stdout, max(most, 0))
        stderr = _cut(stderr, max(most - len(stdout), 0))
    captured: JsonObject = {"stdout": stdout, "stderr": stderr, "outcome": _outcome(answer)}
    result: dict[str, Json] = {
        "type": "shell_call_output",
        "call_id": answer.request.wire_id,
        "output": [captured],
    }
    return result if limit is None else {**result, "max_output_length": limit}


def _streams(answer: Answer) -> tuple[str, str]:
    """What the commands printed, both streams as one, and what else there is to say.

    The shell tool gives them apart in its data: `output`, `notes`. They count only while the text still holds that
    output: whoever has changed the text since, to hide or to shorten, has changed it for this wire too.
    """
    text, data = answer.result.text, object_of(answer.result.data)
    output = data.get("output")
    if isinstance(output, str) and text.startswith(output.rstrip("\r\n")):
        return output, text_of(data.get("notes"))
    return ("", text) if answer.failure is not None else (text, "")


def _cut(text: str, most: int) -> str:
    """The start and the end of a text that is too long, in exactly so many characters."""
    tail = most // 2
    return text if len(text) <= most else text[: most - tail] + text[len(text) - tail :]


def _outcome(answer: Answer) -> JsonObject:
    """As shells have it, a signal's exit code is 128 and its number."""
    if answer.failure is not None and answer.failure.kind is ErrorKind.TIMEOUT:
        return {"type": "timeout"}
    data = object_of(answer.result.data)
    code, signal = index_of(data.get("exit_code")), index_of(data.get("signal"))
    if code is None:
        code = int(answer.failure is not None) if signal is None else 128 + signal
    return {"type": "exit", "exit_code": code}


def _computer(answer: Answer, item: JsonObject) -> JsonObject:
    """Nobody looked at pending safety checks unless the call was carried out."""
    images = [part for part in answer.result.parts if isinstance(part, ImagePart)]
    shown = data_url(images[-1].data, images[-1].media_type) if images else _BLANK_SCREEN
    result: dict[str, Json] = {
        "type": "computer_call_output",
        "call_id": answer.request.wire_id,
        "output": {"type": "computer_screenshot", "image_url": shown},
        "status": "incomplete" if answer.failure else "completed",
    }
    checks = list_of(item.get("pending_safety_checks"))
    if checks and answer.failure is None:
        result["acknowledged_safety_checks"] = checks
    return result


def _tool_search(answer: Answer, _: JsonObject) -> JsonObject:
    """Only tool definitions can be given back: those in the result's `data["tools"]`, else none."""
    return {
        "type": "tool_search_output",
        "call_id": answer.request.wire_id,
        "execution": "client",
        "status": "incomplete" if answer.failure else "completed",
        "tools": list_of(object_of(answer.result.data).get("tools")),
    }


def _mcp_approval(answer: Answer, _: JsonObject) -> JsonObject:
    result: dict[str, Json] = {
        "type": "mcp_approval_response",
        "approval_request_id": answer.request.wire_id,
        "approve": answer.failure is None,
    }
    return {**result, "reason": answer.result.text or answer.failure.message} if answer.failure else result


_OUTPUTS: Mapping[CallForm, Callable[[Answer, JsonObject], JsonObject]] = {
    CallForm.FUNCTION: _function,
    CallForm.LEGACY_FUNCTION: _function,
    CallForm.CUSTOM: _custom,
    CallForm.APPLY_PATCH: _apply_patch,
    CallForm.LOCAL_SHELL: _local_shell,
    CallForm.SHELL: _shell,
    CallForm.COMPUTER: _computer,
    CallForm.TOOL_SEARCH: _tool_search,
    CallForm.MCP_APPROVAL: _mcp_approval,
}

_WITH_CALLER = frozenset({CallForm.FUNCTION, CallForm.CUSTOM, CallForm.APPLY_PATCH, CallForm.SHELL})


def _output(result: ToolResult) -> Json:
    """Text alone as a string; with images, a list of parts."""
    if not any(isinstance(part, ImagePart) for part in result.parts):
        return result.text
    return [_content(part) for part in result.parts]


def _content(part: Part) -> JsonObject:
    match part:
        case ImagePart(data, media_type):
            return {"type": "input_image", "image_url": data_url(data, media_type)}
        case _:
            return {"type": "input_text", "text": part_text(part)}
