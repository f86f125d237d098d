"""What stands between a request and its answer, and whether asking again may help.

Statuses and waits are from the providers' pages on errors and limits: Anthropic (api/errors), OpenAI
(guides/error-codes), Google (gemini-api/docs/troubleshooting; google.rpc.RetryInfo); `retry-after` is of RFC 9110,
section 10.2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus

from handrail.agent.models.endpoint import Endpoint
from handrail.contract.basics import Json, JsonObject
from handrail.errors import ModelError, ModelFault
from handrail.wire import Wire
from handrail.wire.jsontext import index_of, object_of, objects_of, parse, text_of
from handrail.wire.response import error_text
from handrail.wire.text import printable

_MOST_SAID = 300
"""Characters of what a provider says that a message repeats."""

_AGAIN = frozenset({408, 409, 425, 429})
"""Beside all from 500 on, with which the same request may be answered later."""

_KEY_WORDS = ("api key not valid", "api_key_invalid", "invalid api key", "invalid_api_key", "authentication_error")
_LENGTH_WORDS = (
    "context_length_exceeded",
    "context length",
    "context window",
    "prompt is too long",
    "maximum context",
    "exceeds the maximum number of tokens",
    "too many tokens",
    "input is too long",
    "request_too_large",
    "exceed context limit",  # Anthropic, of input and answer together: github.com/anthropics/claude-code/issues/476
    "context size",  # llama.cpp, some of it with status 500: github.com/ggml-org/llama.cpp/issues/19774
    "maximum prompt length",  # xAI: github.com/cline/cline/issues/3120
)
_LASTING = frozenset(
    {"invalid_request_error", "invalid_prompt", "permission_error", "not_found_error", "billing_error"}
)
"""Kinds of errors that the same request meets again."""

_EMPTY_WORDS = ("insufficient_quota", "insufficient balance", "credit balance", "billing", "perday")
"""No wait that an agent could take helps then."""
_NO_CREDIT = "credit balance is too low"
"""Anthropic says this with status 400, as of a wrong request: github.com/anthropics/claude-code/issues/88711."""

_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")


class Trouble(Exception):
    """One request that got no answer."""

    def __init__(self, fault: ModelFault, why: str, advice: str, *, again: bool = False, wait: float = 0.0) -> None:
        """`why` is what happened, `advice` what to do; `again`: the same request may be answered later, after `wait`
        seconds if the server says so."""
        self.fault = fault
        self.why = why
        self.advice = advice
        self.again = again
        self.wait = wait
        super().__init__(why)

    def error(self, tries: int) -> ModelError:
        often = f", {tries} times in a row" if tries > 1 else ""
        return ModelError(self.fault, f"{self.why}{often}; {self.advice}")

    def cut_short(self) -> ModelError:
        """Where a part of the answer had come: whatever the trouble was, that is what became of the answer."""
        fault = self.fault if self.fault is ModelFault.UNREADABLE else ModelFault.CUT
        return ModelError(fault, f"{self.why}; {self.advice}")


def unreachable(endpoint: Endpoint, problem: str, *, again: bool = True) -> Trouble:
    advice = "is the server running, and the address right?" if endpoint.is_here else "is the network there?"
    return Trouble(ModelFault.OVERLOADED, f"{endpoint.address} can't be reached ({problem})", advice, again=again)


def answered(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes) -> Trouble:
    """What an answer means that is none of the wire: its status, and what it says. `headers` in lower case."""
    document = _document(body)
    told = _clean(error_text(document) or text_of(document.get("message")) or text_of(document.get("detail")), endpoint)
    why = f"{endpoint.address} answered {_in_words(status)}{f' ({told})' if told else ''}"
    words = f"{told} {body[:65536].decode('utf-8', 'replace')}".lower()
    wait = _wait(headers, document)
    empty = (
        status == HTTPStatus.PAYMENT_REQUIRED
        or (status == HTTPStatus.TOO_MANY_REQUESTS and any(word in words for word in _EMPTY_WORDS))
        or (status == HTTPStatus.BAD_REQUEST and _NO_CREDIT in told.lower())
    )
    if empty:
        return Trouble(ModelFault.LIMITED, why, _NO_MORE)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and _is_too_long(told):
        return Trouble(ModelFault.TOO_LONG, why, _SHORTER)
    if status in _AGAIN or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        limited = status == HTTPStatus.TOO_MANY_REQUESTS
        fault = ModelFault.LIMITED if limited else ModelFault.OVERLOADED
        again = headers.get("x-should-retry") != "false"
        return Trouble(fault, why, "try again later, or another model (--model)", again=again, wait=wait)
    return _refused(endpoint, status, why, words)


def failed(endpoint: Endpoint, event: JsonObject) -> Trouble:
    """What a provider sent in the middle of a stream, or in place of an answer, with a status that says all is well."""
    error = object_of(event.get("error")) or event
    status = index_of(error.get("code"))
    if status is not None:  # as a status that the answer itself did not have (OpenRouter, Gemini)
        return answered(endpoint, status, {}, json.dumps(event).encode())
    told = _clean(error_text(event), endpoint) or "an error it says nothing about"
    why = f"{endpoint.address} broke off: {told}"
    if _is_too_long(told):
        return Trouble(ModelFault.TOO_LONG, why, _SHORTER)
    if any(word in told.lower() for word in _KEY_WORDS):
        return Trouble(ModelFault.KEY, why, _key_advice(endpoint))
    if any(word in told.lower() for word in _EMPTY_WORDS):
        return Trouble(ModelFault.LIMITED, why, _NO_MORE)
    again = not {text_of(error.get("type")), text_of(error.get("code"))} & _LASTING
    fault = ModelFault.OVERLOADED if again else ModelFault.REFUSED
    return Trouble(fault, why, "try again later, or another model (--model)", again=again)


def unreadable(endpoint: Endpoint, problem: str) -> Trouble:
    why = f"what {endpoint.address} sent is not of the wire {endpoint.wire}: {_clean(problem, endpoint)}"
    return Trouble(ModelFault.UNREADABLE, why, "check the address, and the wire that the provider speaks")


def cut(endpoint: Endpoint, problem: str) -> Trouble:
    why = f"the answer of {endpoint.address} broke off ({_clean(problem, endpoint)})"
    return Trouble(ModelFault.CUT, why, "send again", again=True)


def endless(endpoint: Endpoint, most: int) -> Trouble:
    """Of a model, or a server, that does not come to an end."""
    why = f"the answer of {endpoint.address} had no end: more than {most:,} bytes came"
    return Trouble(ModelFault.UNREADABLE, why, "ask for less at once, or another model (--model)")


_NO_MORE = "the account has no more credit or quota: see to it at the provider"
_SHORTER = "make the conversation shorter (/compact), or begin a new one"


def _key_advice(endpoint: Endpoint) -> str:
    return f"check the key in {endpoint.key_variable}" if endpoint.key_variable else "it wants a key"


def _not_found(endpoint: Endpoint) -> str:
    """Many servers speak Chat Completions alone."""
    asked = f"is there a model {endpoint.model!r} at that address"
    if endpoint.wire is Wire.OPENAI_RESPONSES:
        return f"{asked}, and does it speak the Responses API? If not, name the model as openai-chat:{endpoint.model}"
    return f"{asked}? With Ollama: ollama pull {endpoint.model}" if endpoint.is_here else f"{asked}?"


def _refused(endpoint: Endpoint, status: int, why: str, words: str) -> Trouble:
    if status in (401, 403) or any(word in words for word in _KEY_WORDS):
        return Trouble(ModelFault.KEY, why, _key_advice(endpoint))
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _is_too_long(words):
        return Trouble(ModelFault.TOO_LONG, why, _SHORTER)
    if status == HTTPStatus.NOT_FOUND:
        return Trouble(ModelFault.REFUSED, why, _not_found(endpoint))
    if 300 <= status < 400:
        return Trouble(
            ModelFault.REFUSED, why, "redirects are not followed, the key would go along: correct the address"
        )
    return Trouble(ModelFault.REFUSED, why, f"it does not take this request; is {endpoint.model!r} able to call tools?")


def _is_too_long(said: str) -> bool:
    return any(word in said.lower() for word in _LENGTH_WORDS)


def _document(body: bytes) -> JsonObject:
    try:
        document = parse(body.decode("utf-8", "replace"))
    except ValueError:
        return {}
    if isinstance(document, list):  # Gemini's unstreamed streams
        return next(iter(objects_of(document)), {})
    return object_of(document)


def _in_words(status: int) -> str:
    known = status in {item.value for item in HTTPStatus}
    return f"{status} {HTTPStatus(status).phrase}" if known else str(status)


def _clean(told: str, endpoint: Endpoint) -> str:
    """On one line, not long, and without the key, should the provider repeat it."""
    line = " ".join(printable(told).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    line = line.replace(endpoint.key, "[key]") if endpoint.key else line
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"


def _wait(headers: Mapping[str, str], document: JsonObject) -> float:
    """Seconds that the server asks for; 0 where it says nothing."""
    exact = _number(headers.get("retry-after-ms", "")) / 1000
    return exact or _number(headers.get("retry-after", "")) or _until(headers.get("retry-after", "")) or _info(document)


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else 0.0


def _until(text: str) -> float:
    from email.utils import parsedate_to_datetime  # only for servers that name a time

    try:
        at = parsedate_to_datetime(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):  # also of a date that the clock's arithmetic can't hold
        return 0.0
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _info(document: JsonObject) -> float:
    """Google's: `{"@type": "…google.rpc.RetryInfo", "retryDelay": "34.5s"}` among the details."""
    return max(map(_seconds, _delays(document)), default=0.0)


def _delays(document: JsonObject) -> Iterator[Json]:
    for detail in objects_of(object_of(document.get("error")).get("details")):
        yield detail.get("retryDelay")


def _seconds(delay: Json) -> float:
    found = _DURATION.fullmatch(text_of(delay))
    return float(found[1]) if found else 0.0
