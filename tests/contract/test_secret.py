from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from handrail.authoring.function_tool import tool
from handrail.contract.models import ModelParameters
from handrail.contract.secret import Secret, marks_secrets, secrets_in

PASSWORD = {"type": "string", "format": "password"}
WRITE_ONLY = {"type": "string", "writeOnly": True}

CASES: dict[str, tuple[dict[str, Any], Any, list[str]]] = {
    "format": ({"properties": {"p": PASSWORD, "q": {}}}, {"p": "a", "q": "b"}, ["a"]),
    "writeOnly": ({"properties": {"p": WRITE_ONLY}}, {"p": "a"}, ["a"]),
    "an object": ({"properties": {"p": {"writeOnly": True}}}, {"p": {"x": "a", "y": [1, True, None]}}, ["1", "a"]),
    "in a list": ({"properties": {"p": {"items": PASSWORD}}}, {"p": ["a", "b"]}, ["a", "b"]),
    "in a tuple": ({"properties": {"p": {"prefixItems": [{}, PASSWORD]}}}, {"p": ["a", "b", "c"]}, ["b"]),
    "by reference": (
        {"properties": {"p": {"$ref": "#/$defs/Key"}}, "$defs": {"Key": {"properties": {"k": PASSWORD}}}},
        {"p": {"k": "a", "n": "b"}},
        ["a"],
    ),
    "in one of two forms": (
        {"properties": {"p": {"anyOf": [{"type": "null"}, PASSWORD]}}},
        {"p": "a"},
        ["a"],
    ),
    "where the schema branches": (
        {"properties": {"p": {}}, "then": {"properties": {"p": PASSWORD}}},
        {"p": "a"},
        ["a"],
    ),
    "any other member": ({"additionalProperties": PASSWORD, "properties": {"q": {}}}, {"p": "a", "q": "b"}, ["a"]),
    "by the shape of a name": ({"patternProperties": {"^x": PASSWORD}}, {"x1": "a"}, ["a"]),
    "all arguments": ({"writeOnly": True}, {"p": "a"}, ["a"]),
    "a reference to itself": (
        {"properties": {"p": {"$ref": "#"}, "k": PASSWORD}},
        {"p": {"p": {"k": "a"}}, "k": "b"},
        ["a", "b"],
    ),
}


@pytest.mark.parametrize(("schema", "arguments", "secrets"), CASES.values(), ids=CASES)
def test_what_a_schema_marks_is_found_in_the_arguments(schema, arguments, secrets):
    assert marks_secrets(schema)
    assert sorted(secrets_in(schema, arguments)) == secrets


def test_a_schema_without_marks_marks_nothing():
    schema = {"type": "object", "properties": {"p": {"type": "string", "format": "uri"}}}
    assert not marks_secrets(schema)
    assert list(secrets_in(schema, {"p": "a"})) == []


def test_references_that_lead_nowhere_and_round_in_circles_end():
    schema = {
        "properties": {"p": {"$ref": "#/$defs/A"}, "q": {"$ref": "https://example.org/x"}, "r": {"$ref": "#/no"}},
        "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}},
    }
    assert list(secrets_in(schema, {"p": "a", "q": "b", "r": "c"})) == []


def test_arguments_of_any_depth_are_gone_through():
    deep: Any = "a"
    for _ in range(100_000):
        deep = [deep]
    assert list(secrets_in({"properties": {"p": {"writeOnly": True}}}, {"p": deep})) == ["a"]


class Login(BaseModel):
    user: str
    code: Annotated[str, Secret]
    pin: Annotated[int | None, Secret()] = Field(default=None, description="If there is one.")
    token: SecretStr | None = None


def test_python_types_say_it_with_a_mark_or_with_pydantics_own_type():
    schema = ModelParameters(Login).schema
    arguments = {"user": "ada", "code": "c0de", "pin": 7, "token": "t"}
    assert sorted(secrets_in(schema, arguments)) == ["7", "c0de", "t"]


def test_the_mark_says_nothing_else_about_a_parameter():
    properties: Any = ModelParameters(Login).schema["properties"]
    assert properties["code"] == {"type": "string", "writeOnly": True}
    assert properties["pin"]["description"] == "If there is one."


def test_a_function_marks_its_parameters_the_same_way():
    def log_in(user: str, code: Annotated[str, Secret()]) -> str:
        """Logs in."""
        return user

    assert list(secrets_in(tool(log_in).parameters.schema, {"user": "ada", "code": "c0de"})) == ["c0de"]
