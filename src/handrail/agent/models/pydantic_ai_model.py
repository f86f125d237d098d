"""Any model that pydantic-ai knows, by its `direct` API: the extra `models`. Importing it costs a second.

On our side it speaks the neutral wire. What a provider wants back as it came (signed thoughts) is kept beside the
calls, in the form in which pydantic-ai writes messages down.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from pydantic import ValidationError
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.messages import ModelRequest as TheirRequest
from pydantic_ai.models import Model as TheirModel
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from handrail.agent.model import (
    CallBegun,
    ModelEvent,
    ModelRequest,
    Received,
    ResponseEnded,
    Stop,
    TextArrived,
    ThinkingArrived,
    Usage,
)
from handrail.agent.models.asking import until_answered
from handrail.agent.models.other import NotKnown
from handrail.agent.models.patience import Patience
from handrail.agent.models.trouble import Trouble
from handrail.catalog import Menu
from handrail.contract.basics import Json, JsonObject
from handrail.errors import ModelFault, UsageError
from handrail.wire import Wire
from handrail.wire.jsontext import list_of, objects_of, parse, text_of

_KEPT = "pydantic_ai"
"""Under this key of a neutral response stands what pydantic-ai gave."""

_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED, "tool_call": Stop.CALLS}

_FAULTS: Sequence[tuple[type[ModelAPIError], ModelFault, str]] = (
    (ModelAuthenticationError, ModelFault.KEY, "check the provider's key"),
    (ModelContextWindowExceededError, ModelFault.TOO_LONG, "make the conversation shorter, or begin a new one"),
    (ModelQuotaExceededError, ModelFault.LIMITED, "the account has no more credit or quota"),
    (ModelRateLimitError, ModelFault.LIMITED, "try again later, or another model (--model)"),
    (ModelOverloadedError, ModelFault.OVERLOADED, "try again later, or another model (--model)"),
    (ModelUnavailableError, ModelFault.OVERLOADED, "try again later, or another model (--model)"),
    (ModelServerError, ModelFault.OVERLOADED, "try again later, or another model (--model)"),
    (ModelConnectionError, ModelFault.OVERLOADED, "is the network there?"),
)
_AGAIN = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_MOST_SAID = 300


def model_named(name: str) -> PydanticAiModel:
    """Raises NotKnown for a provider that is none, UsageError for one whose key or library is missing."""
    try:
        return PydanticAiModel(infer_model(name))
    except ImportError as error:
        raise UsageError(f"the model {name!r} needs another library: {_line(error)}") from error
    except (UserError, ValueError) as error:
        if "Unknown" in str(error):
            raise NotKnown("(pydantic-ai knows none of this name either)") from error
        raise UsageError(f"the model {name!r} can't be used: {_line(error)}") from error


class PydanticAiModel:
    """One of its models as one of ours."""

    wire = Wire.NEUTRAL

    def __init__(self, model: TheirModel, window: int = 0, patience: Patience | None = None) -> None:
        self.name = model.model_name
        self.provider = model.system
        self.window = window
        self._model = model
        self._patience = patience or Patience()

    async def respond(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model`."""
        async with aclosing(until_answered(lambda: self._once(request), self._patience)) as events:
            async for event in events:
                yield event

    async def _once(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        parameters = ModelRequestParameters(function_tools=_tools(request.menu))
        settings = ModelSettings(max_tokens=request.max_tokens) if request.max_tokens else None
        messages = _messages(request)
        try:
            async with model_request_stream(
                self._model, messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                async for event in stream:
                    for told in _told(event):
                        yield told
                response = stream.get()
        except (AgentRunError, UserError) as error:
            raise _trouble(self.provider, error) from error
        yield Received(_neutral(response))
        yield ResponseEnded(_usage(response.usage), _stop(response))


def _tools(menu: Menu) -> list[ToolDefinition]:
    return [
        ToolDefinition(
            name=tool.name, parameters_json_schema=dict(tool.schema), description=tool.description, strict=False
        )
        for tool in menu.tools
    ]


def _messages(request: ModelRequest) -> list[ModelMessage]:
    """The conversation in their words; the system's text goes with the last request, where they look for it."""
    found: list[ModelMessage] = [each for message in request.messages for each in _message(message)]
    if request.system and found and isinstance(found[-1], TheirRequest):
        found[-1].instructions = request.system
    return found


def _message(message: JsonObject) -> Iterator[ModelMessage]:
    if "results" in message:
        yield TheirRequest([_result(result) for result in objects_of(message.get("results"))])
    elif "calls" in message:
        yield _kept(message) or _retold(message)
    else:
        yield TheirRequest([UserPromptPart(text_of(message.get("content")))])


def _result(result: JsonObject) -> ToolReturnPart:
    name, text, id = (text_of(result.get(key)) for key in ("name", "result", "id"))
    return ToolReturnPart(name, text, id, outcome="failed" if result.get("error") else "success")


def _kept(message: JsonObject) -> ModelResponse | None:
    """The response as it was given; None where it is another model's, or its calls were mended since."""
    if _KEPT not in message:
        return None
    try:
        (response,) = ModelMessagesTypeAdapter.validate_python([message[_KEPT]])
    except (ValidationError, ValueError):
        return None
    meant = [(text_of(call.get("id")), text_of(call.get("name"))) for call in objects_of(message.get("calls"))]
    if isinstance(response, ModelResponse) and [(c.tool_call_id, c.tool_name) for c in response.tool_calls] == meant:
        return response
    return None


def _retold(message: JsonObject) -> ModelResponse:
    said = text_of(message.get("text"))
    calls = [
        ToolCallPart(text_of(call.get("name")), _arguments(call.get("arguments")), text_of(call.get("id")))
        for call in objects_of(message.get("calls"))
    ]
    return ModelResponse([*([TextPart(said)] if said else []), *calls])


def _arguments(given: Json) -> str | dict[str, object]:
    return dict(given) if isinstance(given, dict) else text_of(given) or {}


def _told(event: ModelResponseStreamEvent) -> Iterator[ModelEvent]:
    match event:
        case PartStartEvent(part=ToolCallPart(tool_name=name)):
            yield CallBegun(name)
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            if text:
                yield TextArrived(text)
        case (
            PartStartEvent(part=ThinkingPart(content=text))
            | PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text)))
        ):
            if text:
                yield ThinkingArrived(text)


def _neutral(response: ModelResponse) -> JsonObject:
    calls: list[Json] = [
        {"id": call.tool_call_id, "name": call.tool_name, "arguments": _read(call.args)} for call in response.tool_calls
    ]
    (kept,) = list_of(ModelMessagesTypeAdapter.dump_python([response], mode="json"))
    return {"text": response.text or "", "calls": calls, _KEPT: kept}


def _read(arguments: object) -> Json:
    """An object, where it is one or its text; else what was sent, for the runtime to refuse."""
    if isinstance(arguments, str) and arguments:
        try:
            return parse(arguments)
        except ValueError:
            return arguments
    return dict(arguments) if isinstance(arguments, dict) else {}


def _usage(usage: RequestUsage) -> Usage:
    return Usage(usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)


def _stop(response: ModelResponse) -> Stop:
    usual = Stop.CALLS if response.tool_calls else Stop.END
    return _STOPS.get(response.finish_reason or "", usual)


def _trouble(provider: str, error: AgentRunError | UserError) -> Trouble:
    why = f"{provider}: {_line(error)}"
    for kind, fault, advice in _FAULTS:
        if isinstance(error, kind):
            again = isinstance(error, _AGAIN) and not isinstance(error, ModelQuotaExceededError)
            return Trouble(fault, why, advice, again=again, wait=error.retry_after or 0.0)
    if isinstance(error, ModelAPIError | UserError):
        return Trouble(ModelFault.REFUSED, why, "it does not take this request")
    return Trouble(ModelFault.UNREADABLE, why, "try again, or another model (--model)")


def _line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"
