"""Each provider's call, as its official SDK makes it: one place that knows the SDKs' own names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from google import genai
from openai import AsyncOpenAI, OpenAI

from handrail.catalog import Menu
from servers.anthropic_dialect import AnthropicDialect
from servers.chat_dialect import ChatDialect
from servers.dialect import Dialect
from servers.gemini_dialect import GeminiDialect
from servers.responses_dialect import ResponsesDialect

MODEL = "local"


@dataclass(frozen=True)
class SdkCall:
    """`ask(client, menu, messages, streamed)` gives a response, a stream, or from an async client a wait for one."""

    id: str
    dialect: Callable[[], Dialect]
    client: Callable[[str], Any]
    async_client: Callable[[str], Any]
    ask: Callable[[Any, Menu, Sequence[Any], bool], Any]
    opening: Any


def _anthropic(client: Any, menu: Menu, messages: Sequence[Any], streamed: bool) -> Any:
    return client.messages.create(
        model=MODEL, max_tokens=1000, tools=menu.anthropic(), messages=messages, stream=streamed
    )


def _chat(client: Any, menu: Menu, messages: Sequence[Any], streamed: bool) -> Any:
    return client.chat.completions.create(model=MODEL, tools=menu.openai_chat(), messages=messages, stream=streamed)


def _responses(client: Any, menu: Menu, messages: Sequence[Any], streamed: bool) -> Any:
    return client.responses.create(
        model=MODEL, tools=menu.openai_responses(), input=messages, stream=streamed, store=False
    )


def _gemini(client: Any, menu: Menu, messages: Sequence[Any], streamed: bool) -> Any:
    generate = client.models.generate_content_stream if streamed else client.models.generate_content
    return generate(model=MODEL, contents=messages, config={"tools": menu.gemini()})


def _of_openai(make: Callable[..., Any]) -> Callable[[str], Any]:
    return lambda url: make(api_key="none", base_url=f"{url}/v1", max_retries=0)


def _of_anthropic(make: Callable[..., Any]) -> Callable[[str], Any]:
    return lambda url: make(api_key="none", base_url=url, max_retries=0)


def _genai(url: str) -> Any:
    return genai.Client(api_key="none", http_options={"base_url": url})


_SPOKEN = {"role": "user", "content": "Look around."}
_PARTS = {"role": "user", "parts": [{"text": "Look around."}]}

SDK_CALLS = [
    SdkCall(
        "anthropic", AnthropicDialect, _of_anthropic(Anthropic), _of_anthropic(AsyncAnthropic), _anthropic, _SPOKEN
    ),
    SdkCall("openai-chat", ChatDialect, _of_openai(OpenAI), _of_openai(AsyncOpenAI), _chat, _SPOKEN),
    SdkCall("openai-responses", ResponsesDialect, _of_openai(OpenAI), _of_openai(AsyncOpenAI), _responses, _SPOKEN),
    SdkCall("gemini", GeminiDialect, _genai, lambda url: _genai(url).aio, _gemini, _PARTS),
    SdkCall(
        "gemini-without-ids",
        lambda: GeminiDialect(ids=False),
        _genai,
        lambda url: _genai(url).aio,
        _gemini,
        _PARTS,
    ),
]
