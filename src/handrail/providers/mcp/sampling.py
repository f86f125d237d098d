"""What a server asks a model while it carries out a call: only where a model is given, and with a yes each time."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from mcp import types

from handrail.contract.confirmation import QuestionConfirmation
from handrail.contract.context import Questions
from handrail.contract.results import AudioPart, ImagePart, TextPart
from handrail.contract.sampling import SampleMessage, Sampler, SampleRequest
from handrail.errors import NoReply, ToolFailed
from handrail.providers.mcp.elicitation import said_yes

ALLOW, REFUSE = "Allow", "Refuse"
MOST_SHOWN, MOST_LINES = 100_000, 1_000
"""Characters and lines of a request. A person is shown all of it before they say yes: what is longer than anybody can
look through in a terminal is refused."""
MOST_TOKENS = 32_000
"""Of one answer, whatever the server asks for."""

NO_MODEL = "This session gives servers no model to ask; carry on without one"


async def sampled(
    server: str, params: types.CreateMessageRequestParams, questions: Questions, sampler: Sampler | None
) -> types.CreateMessageResult | types.ErrorData:
    if sampler is None:
        return types.ErrorData(code=types.INVALID_REQUEST, message=NO_MODEL)
    try:
        request = _request(server, params)
        reply = await questions.ask(_question(request))
        if not said_yes(reply, ALLOW):
            return types.ErrorData(code=types.INVALID_REQUEST, message="The person refused to let a model answer")
        answer = await sampler.sample(request)
    except NoReply:
        return types.ErrorData(code=types.INVALID_REQUEST, message="Nobody agreed to let a model answer")
    except ToolFailed as error:
        return types.ErrorData(code=types.INTERNAL_ERROR, message=str(error))
    return types.CreateMessageResult(
        role="assistant",
        content=types.TextContent(text=answer.text),
        model=answer.model,
        stop_reason=answer.stopped_by,
    )


def _question(request: SampleRequest) -> QuestionConfirmation:
    """All that would be sent. Raises ToolFailed for a request that can't be shown whole."""
    lines = [f"[system] {request.system}"] if request.system else []
    for message in request.messages:
        lines += [f"[{message.role}] {_text(part)}" for part in message.parts]
    lines += [f"[stop at] {text}" for text in request.stop]
    text = "\n".join(lines)
    if len(text) > MOST_SHOWN or text.count("\n") >= MOST_LINES:
        raise ToolFailed(
            f"A person has to be shown all of it, and it is longer than {MOST_SHOWN:,} characters or {MOST_LINES:,} "
            "lines; ask with less"
        )
    asked = (
        f"It wants your model to answer what follows, in at most {request.max_tokens:,} tokens that you pay for. "
        f"The words are the server's, and the answer goes to it:\n\n{text}"
    )
    return QuestionConfirmation(
        f"{request.server} asks for your model", asked, (ALLOW, REFUSE), from_server=request.server
    )


def _text(part: TextPart | ImagePart | AudioPart) -> str:
    return part.text if isinstance(part, TextPart) else f"({part.media_type}, {len(part.data):,} bytes)"


def _request(server: str, params: types.CreateMessageRequestParams) -> SampleRequest:
    """Raises ToolFailed for what no sampler takes."""
    if params.tools:
        raise ToolFailed("Tools can't be given to the model; ask without them")
    return SampleRequest(
        server,
        tuple(SampleMessage(message.role, tuple(_parts(message))) for message in params.messages),
        params.system_prompt or "",
        max(1, min(params.max_tokens, MOST_TOKENS)),
        params.temperature,
        tuple(params.stop_sequences or ()),
    )


def _parts(message: types.SamplingMessage) -> Iterator[TextPart | ImagePart | AudioPart]:
    for block in message.content if isinstance(message.content, list) else [message.content]:
        match block:
            case types.TextContent(text=text):
                yield TextPart(text)
            case types.ImageContent(data=data, mime_type=kind):
                yield ImagePart(_bytes(data), kind)
            case types.AudioContent(data=data, mime_type=kind):
                yield AudioPart(_bytes(data), kind)
            case _:
                raise ToolFailed(f"A message holds {block.type!r}, which can't be given to the model")


def _bytes(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise ToolFailed(f"A message holds data that is not base64: {error}") from error
