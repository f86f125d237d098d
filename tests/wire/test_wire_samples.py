from __future__ import annotations

import copy
import json
from operator import attrgetter
from typing import Any

import pytest
from sdk_types import MESSAGES, TOOLS, problem
from wire_answers import arguments_of, bad_answers, good_answers
from wire_samples import SAMPLES, Sample

from handrail.wire import Wire, decode, encode, encode_menu, read

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=attrgetter("id"))


@every_sample
def test_a_response_is_recognised_and_its_calls_are_found(sample: Sample) -> None:
    response = decode(sample.document)

    assert response.wire is sample.wire
    assert [(call.wire_id, call.name, arguments_of(call)) for call in response.calls] == sample.calls
    assert (response.text, response.thinking, response.paused) == (sample.text, sample.thinking, False)


@every_sample
def test_text_and_parsed_documents_decode_the_same(sample: Sample) -> None:
    assert read(json.dumps(sample.document, indent=2)) == (decode(sample.document),)


@every_sample
def test_decoding_leaves_the_document_as_it_was(sample: Sample) -> None:
    before = copy.deepcopy(sample.document)

    encode(decode(sample.document), good_answers(decode(sample.document)))

    assert sample.document == before


@every_sample
def test_calls_have_ids_of_their_own_in_every_response(sample: Sample) -> None:
    ids = [call.id for call in decode(sample.document).calls]

    assert len(set(ids)) == len(ids)
    assert all(ids)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.wire in MESSAGES], ids=attrgetter("id"))
@pytest.mark.parametrize("answers_of", [good_answers, bad_answers])
def test_what_is_given_back_fits_the_official_types(sample: Sample, answers_of: Any) -> None:
    response = decode(sample.document)

    for message in encode(response, answers_of(response)):
        assert problem(message, MESSAGES[sample.wire]) == ""


@pytest.mark.parametrize("wire", list(Wire))
def test_a_menu_has_the_form_of_its_wire(wire: Wire) -> None:
    menu = encode_menu([(name, about, _SCHEMA) for name, about in _NAMES], wire)

    assert menu == MENUS[wire]
    assert [problem(tool, TOOLS[wire]) for tool in menu if wire in TOOLS] == ["" for _ in menu if wire in TOOLS]
    assert encode_menu([], wire) == []


_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
_NAMES = [("glob", "Finds files."), ("grep", "Finds text.")]
MENUS: dict[Wire, Any] = {
    Wire.ANTHROPIC: [{"name": name, "description": about, "input_schema": _SCHEMA} for name, about in _NAMES],
    Wire.OPENAI_CHAT: [
        {"type": "function", "function": {"name": name, "description": about, "parameters": _SCHEMA}}
        for name, about in _NAMES
    ],
    Wire.OPENAI_RESPONSES: [
        {"type": "function", "name": name, "description": about, "parameters": _SCHEMA, "strict": False}
        for name, about in _NAMES
    ],
    Wire.GEMINI: [
        {
            "functionDeclarations": [
                {"name": name, "description": about, "parametersJsonSchema": _SCHEMA} for name, about in _NAMES
            ]
        }
    ],
    Wire.NEUTRAL: [{"name": name, "description": about, "parameters": _SCHEMA} for name, about in _NAMES],
}
