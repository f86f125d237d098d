"""What a server asks a person while it carries out a call, put to the approval desk. Its words are shown as its own.

A form is answered by an object that fits it; an address is shown, and never opened. Whoever is not there declines.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from mcp import types

from handrail.authoring.json_schema import schema_parameters
from handrail.contract.basics import Json, JsonObject
from handrail.contract.confirmation import QuestionConfirmation
from handrail.contract.context import Questions
from handrail.contract.parameters import BadArguments, ParameterSchema
from handrail.errors import NoReply, ToolDefinitionError

MOST_FORM = 20_000
"""Characters of a form's schema: the specification has flat objects of simple values."""
MOST_TEXT = 4_000
"""Characters of a server's question that are shown."""
MOST_TRIES = 3
"""How often a reply that doesn't fit the form is asked for."""

DONE, NOT_DONE = "Done", "Not done"

_FORMLESS: JsonObject = {"type": "object", "properties": {}}


async def elicited(
    server: str, params: types.ElicitRequestParams, questions: Questions
) -> types.ElicitResult | types.ErrorData:
    """The person's answer, or the error of a question that can't be put to anybody."""
    try:
        match params:
            case types.ElicitRequestURLParams(url=url, message=message):
                return await _visited(server, message, url, questions)
            case types.ElicitRequestFormParams(requested_schema=form, message=message):
                return await _filled_in(server, message, form or _FORMLESS, questions)
    except NoReply as error:
        return types.ElicitResult(action="cancel" if error.cancelled else "decline")


async def _filled_in(
    server: str, message: str, form: JsonObject, questions: Questions
) -> types.ElicitResult | types.ErrorData:
    try:
        fits = _compiled(form)
    except ToolDefinitionError as error:
        return types.ErrorData(code=types.INVALID_PARAMS, message=str(error))
    problem = ""
    for _ in range(MOST_TRIES):
        text = f"{_shown(message)}\n\nThe last reply was not taken: {problem}" if problem else _shown(message)
        title = f"{server} asks"
        reply = await questions.ask(QuestionConfirmation(title, text, form=form, from_server=server))
        try:
            return types.ElicitResult(action="accept", content=_content(fits, reply))
        except BadArguments as error:
            problem = "; ".join(map(str, error.problems))
    return types.ElicitResult(action="decline")


def _compiled(form: JsonObject) -> ParameterSchema[JsonObject]:
    if len(json.dumps(form)) > MOST_FORM:
        raise ToolDefinitionError(f"The form is larger than {MOST_FORM} characters; ask for less")
    return schema_parameters(form, "The form")


def _content(fits: ParameterSchema[JsonObject], reply: Json) -> dict[str, str | int | float | bool | list[str] | None]:
    """Raises BadArguments for what is no object, doesn't fit, or holds what no form may ask for."""
    given = fits.validate(reply if isinstance(reply, dict) else {})
    return {name: _simple(value) for name, value in given.items()}


def _simple(value: Json) -> str | int | float | bool | list[str] | None:
    """The specification has texts, numbers, switches and lists of texts alone."""
    match value:
        case str() | int() | float() | None:
            return value
        case list() | tuple():
            return [each if isinstance(each, str) else json.dumps(each) for each in value]
        case _:
            return json.dumps(value)


async def _visited(server: str, message: str, url: str, questions: Questions) -> types.ElicitResult | types.ErrorData:
    if not _is_page(url):
        said = f"Only an http or https address of up to {MOST_TEXT:,} characters can be visited"
        return types.ErrorData(code=types.INVALID_PARAMS, message=said)
    text = (
        f"{_shown(message)}\n\nIt wants you to visit this address, at {urlsplit(url).hostname}. Nothing "
        f"opens it for you; open it only if you trust it:\n{url}"
    )
    asked = QuestionConfirmation(f"{server} sends you to an address", text, (DONE, NOT_DONE), from_server=server)
    reply = await questions.ask(asked)
    return types.ElicitResult(action="accept" if said_yes(reply, DONE) else "decline")


def visits_first(data: object) -> str:
    """Of a call that a server refuses until a person was at an address: which, and what to do; empty without any."""
    listed = data.get("elicitations") if isinstance(data, dict) else None
    given = [each.get("url") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    pages = [url for url in given if isinstance(url, str) and _is_page(url)]
    if not pages:
        return ""
    return f" A person has to visit first, if they trust it: {', '.join(pages)}. Tell them, and call again afterwards."


def _is_page(url: str) -> bool:
    """Whether it can be shown whole, and visited."""
    if len(url) > MOST_TEXT:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable()


def said_yes(reply: Json, word: str) -> bool:
    return isinstance(reply, str) and reply.strip().casefold() == word.casefold()


def _shown(message: str) -> str:
    return message if len(message) <= MOST_TEXT else f"{message[:MOST_TEXT]}… ({len(message):,} characters)"
