"""The Responses wire: a list of output items, which go back as input items.

Client calls are functions, free-text custom tools, and the API's own `apply_patch`, `local_shell`, `shell`,
`computer` and client-side `tool_search`; each kind has its own output item. A hosted server's approval
request is a call too: its answer is yes or no. Every other item is the provider's own, and so is a call
that the same response already answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallForm, CallRequest
from handrail.contract.values import value
from handrail.errors import WireError
from handrail.wire.arguments import LENGTH_LIMIT, Cut, JsonText, PlainText, Raw, Whole, call_request, given_back_text
from handrail.wire.ids import unique_ids
from handrail.wire.jsontext import list_of, object_of, objects_of, text_of
from handrail.wire.response import Response, Wire, error_text
from handrail.wire.text import paragraphs

_FORMS: Mapping[str, CallForm] = {
    "function_call": CallForm.FUNCTION,
    "custom_tool_call": CallForm.CUSTOM,
    "apply_patch_call": CallForm.APPLY_PATCH,
    "local_shell_call": CallForm.LOCAL_SHELL,
    "shell_call": CallForm.SHELL,
    "computer_call": CallForm.COMPUTER,
    "tool_search_call": CallForm.TOOL_SEARCH,
    "mcp_approval_request": CallForm.MCP_APPROVAL,
}

_OWN_TOOLS: Mapping[CallForm, str] = {
    CallForm.APPLY_PATCH: "apply_patch",
    CallForm.LOCAL_SHELL: "local_shell",
    CallForm.SHELL: "shell",
    CallForm.COMPUTER: "computer",
    CallForm.TOOL_SEARCH: "tool_search",
}
"""The API's own tools, and the names under which ours are looked up."""

_HOSTED_STEPS = frozenset({"x_search"})
"""Hosted tools whose steps appear as custom tool calls that nobody declared (xAI). The provider runs them."""

_WAITING = frozenset({"queued", "in_progress"})

_OUTPUT_ONLY = frozenset({"created_by"})
"""What the API adds to items and does not take back."""


@value
class _Call:
    item: JsonObject
    form: CallForm

    @property
    def id_key(self) -> str:
        return "id" if self.form is CallForm.MCP_APPROVAL else "call_id"

    @property
    def raw(self) -> Whole:
        match self.form:
            case CallForm.CUSTOM:
                return PlainText(text_of(self.item.get("input")))
            case CallForm.APPLY_PATCH:
                return self.item.get("operation")
            case CallForm.LOCAL_SHELL | CallForm.SHELL:
                return self.item.get("action")
            case CallForm.COMPUTER:
                actions = self.item.get("actions")
                return self.item.get("action") if actions is None else {"actions": actions}
            case _:
                arguments = self.item.get("arguments")
                return JsonText(arguments) if isinstance(arguments, str) else arguments


def decode(document: JsonObject, cut: Mapping[int, str] | None = None) -> Response:
    """A whole response. `cut` says, by place in the output, why a call there is not whole.

    Raises WireError when the document is no response.
    """
    output = document.get("output")
    problem = error_text(document)
    if not isinstance(output, list):
        if not problem:
            raise WireError("not an openai-responses response: expected an object with an `output` array")
        return Response(Wire.OPENAI_RESPONSES, (), (), problem, "")
    items = objects_of(output)
    cut = _cut_off(document, items) if cut is None else cut
    found = {place: call for place, call in enumerate(_calls(items, document)) if call is not None}
    others = [item.get(key) for item in items for key in ("id", "call_id")]
    ids = unique_ids([call.item.get(call.id_key) for call in found.values()], others)
    calls: list[CallRequest] = []
    turn = [_given_back(item) for item in items]
    for (place, call), id in zip(found.items(), ids, strict=True):
        raw: Raw = Cut(call.raw, cut[place]) if place in cut else call.raw
        name = _OWN_TOOLS.get(call.form, call.item.get("name"))
        server = text_of(call.item.get("server_label"))
        request = call_request(raw, id=id, name=name, form=call.form, server=server)
        calls.append(request)
        turn[place] = _call_item(turn[place], call, request)
    return Response(
        Wire.OPENAI_RESPONSES,
        tuple(calls),
        tuple(turn),
        paragraphs([*_said(items), None, problem]),
        paragraphs(_thought(items)),
        paused=text_of(document.get("status")) in _WAITING and not calls,
    )


def name_called(item: JsonObject) -> str:
    """What an item calls that has begun; empty for one that calls nothing, or what the provider runs itself."""
    form = _FORMS.get(text_of(item.get("type")))
    if form is None or (form is CallForm.TOOL_SEARCH and item.get("execution") != "client"):
        return ""
    if form is CallForm.SHELL and object_of(item.get("environment")).get("type") == "container_reference":
        return ""
    return _OWN_TOOLS.get(form) or text_of(item.get("name"))


def _calls(items: Sequence[JsonObject], document: JsonObject) -> Iterator[_Call | None]:
    answered = {text_of(item.get("call_id")) for item in items if text_of(item.get("type")).endswith("_output")}
    declared = list(_declared(document.get("tools")))
    hosted_steps = any(text_of(tool.get("type")) in _HOSTED_STEPS for tool in declared)
    names = {text_of(tool.get("name")) for tool in declared}
    for item in items:
        form = _FORMS.get(text_of(item.get("type")))
        match form:
            case None:
                yield None
            case CallForm.SHELL if object_of(item.get("environment")).get("type") == "container_reference":
                yield None
            case CallForm.TOOL_SEARCH if item.get("execution") != "client":
                yield None
            case CallForm.CUSTOM if hosted_steps and text_of(item.get("name")) not in names:
                yield None
            case _:
                id = text_of(item.get("call_id"))
                yield None if id and id in answered else _Call(item, form)


def _declared(tools: Json) -> Iterator[JsonObject]:
    """The tools that the response says it was given, those in namespaces included."""
    for tool in objects_of(tools):
        yield tool
        yield from objects_of(tool.get("tools"))


def _cut_off(document: JsonObject, items: Sequence[JsonObject]) -> Mapping[int, str]:
    """Calls that were still being written when the response hit its limit."""
    places = [place for place, item in enumerate(items) if item.get("status") == "incomplete"]
    if document.get("status") == "incomplete" and items and items[-1].get("status") != "completed":
        places.append(len(items) - 1)
    return dict.fromkeys(places, LENGTH_LIMIT)


def _given_back(item: JsonObject) -> JsonObject:
    """The item as input. An absent status is absent there, not null."""
    return {
        key: value for key, value in item.items() if key not in _OUTPUT_ONLY and not (key == "status" and value is None)
    }


def _call_item(item: JsonObject, call: _Call, request: CallRequest) -> JsonObject:
    """The call with its mended id, and with text where only text is taken."""
    mended: dict[str, Json] = {**item, call.id_key: request.wire_id}
    if call.form not in _OWN_TOOLS:
        mended["name"] = request.name
    if call.form is CallForm.CUSTOM:
        mended["input"] = text_of(item.get("input"))
    elif call.form in (CallForm.FUNCTION, CallForm.MCP_APPROVAL):
        mended["arguments"] = given_back_text(item.get("arguments"), request)
    return mended


def _said(items: Sequence[JsonObject]) -> Iterator[str | None]:
    for item in items:
        yield None
        if item.get("type") == "message":
            for part in objects_of(item.get("content")):
                yield text_of(part.get("text")) or text_of(part.get("refusal"))


def _thought(items: Sequence[JsonObject]) -> Iterator[str | None]:
    for item in items:
        if item.get("type") == "reasoning":
            for part in [*list_of(item.get("summary")), *list_of(item.get("content"))]:
                yield None
                yield text_of(object_of(part).get("text"))
