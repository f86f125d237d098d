"""What a server's tool gave, as a result of ours: all its text in one place, marked as a stranger's. Pure, but for the
number in the marks.

Every kind of content is there, or is told of; names in it are never used as paths.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from handrail.contract.basics import JsonObject
from handrail.contract.results import AudioPart, CallFault, ErrorKind, ImagePart, Part, TextPart, ToolResult
from handrail.errors import ArgumentProblem
from handrail.policy.wording import shortened
from handrail.tools.text.media import image_type
from handrail.tools.web.untrusted import Marks

if TYPE_CHECKING:
    from mcp import types

OutputCheck = Callable[[JsonObject], Sequence[ArgumentProblem]]

_MOST_PROBLEMS = 5
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}", re.ASCII)


def result_of(given: types.CallToolResult, name: str, output: OutputCheck | None = None) -> ToolResult:
    """`name` is the tool's; `output` checks structured content, where its definition promises some.

    What is wrong with the structured content is told, and the result delivered.
    """
    texts: list[str] = []
    media: list[Part] = []
    for block in given.content:
        text, part = _block(block)
        texts.append(text)
        media += [] if part is None else [part]
    structured = given.structured_content
    if structured is not None and not _is_shown(structured, given.content):
        texts.append(json.dumps(structured, ensure_ascii=False))
    notes: list[str] = []
    if output is not None and not given.is_error:
        problems = _problems(structured, output)
        if problems:
            notes.append("The structured content is not what the tool's definition promises.")
            texts.append("\n".join(problems))  # these repeat the server's words
    fault = _fault(name, texts) if given.is_error else None
    if fault is not None and not any(map(str.strip, texts)):
        notes.append(fault.message)
    data = structured if isinstance(structured, dict) else None
    return ToolResult((*_marked(texts, notes, name), *media), fault=fault, data=data)


def _fault(name: str, texts: list[str]) -> CallFault:
    """For people, a line; a model gets the whole, marked."""
    why = shortened(" ".join(texts))
    return CallFault(
        ErrorKind.FAILED, f"{name} failed: {why}" if why else f"{name} failed, and said nothing about why."
    )


def _marked(texts: list[str], notes: list[str], name: str) -> Iterator[TextPart]:
    """One part, so that what is too long is cut in its middle, and the marks stay."""
    shown = [text for text in texts if text]
    ours = "\n".join(f"[{note}]" for note in notes)
    if shown:
        marks = Marks.drawn("server_result")
        block = f"{marks.warning}\n{marks.around(chr(10).join(shown), name)}"
        yield TextPart(f"{block}\n{ours}" if ours else block)
    else:
        yield TextPart(ours or "[The result is empty.]")


def _block(block: types.ContentBlock) -> tuple[str, Part | None]:
    """As text, and as what it is where a model may take it as that."""
    match block.type:
        case "text":
            return block.text, None
        case "image":
            return _media(block.data, block.mime_type, "image")
        case "audio":
            return _media(block.data, block.mime_type, "audio")
        case "resource_link":
            size = f", {block.size:,} bytes" if block.size is not None else ""
            kind = f", {block.mime_type}" if block.mime_type else ""
            about = f": {block.description}" if block.description else ""
            return f"[link to the resource {block.uri}, named {block.title or block.name}{kind}{size}{about}]", None
        case "resource":
            return _resource(block.resource)


def _resource(resource: types.TextResourceContents | types.BlobResourceContents) -> tuple[str, Part | None]:
    kind = f" ({resource.mime_type})" if resource.mime_type else ""
    if (text := getattr(resource, "text", None)) is not None:
        return f"[resource {resource.uri}{kind}]\n{text}", None
    told, part = _media(getattr(resource, "blob", ""), resource.mime_type or "", "bytes")
    return f"[resource {resource.uri}{kind}]\n{told}", part


def _media(encoded: str, media_type: str, what: str) -> tuple[str, Part | None]:
    """Bytes that are no image are not called one: a provider refuses a whole request for that."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        return f"[{what} that can't be read: what was sent is not base64]", None
    kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else "unknown kind"
    if what != "audio" and (found := image_type(data)) is not None:
        return f"[image, {found}, {len(data):,} bytes]", ImagePart(data, found)
    if what == "audio" and kind.startswith("audio/"):
        return f"[audio, {kind}, {len(data):,} bytes]", AudioPart(data, kind)
    return f"[{len(data):,} bytes, said to be {what} ({kind}); they can't be shown]", None


def _is_shown(structured: object, content: Sequence[types.ContentBlock]) -> bool:
    """Servers repeat it as text, for clients that know only that."""
    for block in content:
        if block.type == "text" and block.text.lstrip()[:1] in ("{", "["):
            try:
                if json.loads(block.text) == structured:
                    return True
            except (ValueError, RecursionError):
                continue
    return False


def _problems(structured: object, output: OutputCheck) -> list[str]:
    if structured is None:
        return ["[There is no structured content.]"]
    if not isinstance(structured, dict):
        return ["[The structured content is no object.]"]
    return [f"[{problem}]" for problem in output(structured)[:_MOST_PROBLEMS]]
