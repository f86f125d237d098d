from __future__ import annotations

import pytest

from corpus_files import cases
from handrail.authoring.json_schema import schema_parameters
from handrail.contract.parameters import BadArguments
from handrail.errors import ToolDefinitionError

CASES = [*cases("gemini_behaviour", "schema-*").values()]
VALIDATION = [case for case in CASES if case["area"] == "schema-validation"]
CYCLE = [case for case in CASES if case["area"] == "schema-cycle"]
assert VALIDATION
assert CYCLE
assert len(CASES) == len(VALIDATION) + len(CYCLE)

OTHERWISE = {
    "gm-schema-validation-219": "a schema that does not compile is refused at registration, never a skipped validation",
}
"""Where we decide otherwise, by the case's id, each with the reason."""

WHERE = {
    "gm-schema-validation-213": ["p: got an integer, expected a string"],
    "gm-schema-validation-218": ["got a string, expected an object"],
    "gm-schema-validation-220": ["t[0]: got an integer, expected a string"],
    "gm-schema-validation-221": ['u: got "not a uri", expected a string in the format uri'],
}
"""Our words for what is wrong, where we say what."""


SAME = [case for case in VALIDATION if case["id"] not in OTHERWISE]
STRICTER = [case for case in VALIDATION if case["id"] in OTHERWISE]


def problems(case):
    try:
        schema_parameters(case["given"].get("schema", {})).validate(case["given"]["data"])
    except BadArguments as error:
        return [str(problem) for problem in error.problems]
    return []


def registers(case):
    try:
        schema_parameters(case["given"]["schema"])
    except ToolDefinitionError:
        return False
    return True


@pytest.mark.parametrize("case", SAME, ids=lambda case: case["id"])
def test_arguments_are_judged_the_same(case):
    found = problems(case)
    assert (not found) == (case["expect"] is None), case["why"]
    assert found == WHERE.get(case["id"], found)


@pytest.mark.parametrize("case", STRICTER, ids=lambda case: case["id"])
def test_where_we_are_stricter_the_schema_is_refused(case):
    assert case["expect"] is None
    assert not registers(case), OTHERWISE[case["id"]]


@pytest.mark.parametrize("case", CYCLE, ids=lambda case: case["id"])
def test_a_schema_that_leads_back_to_itself_is_refused_and_one_that_shares_is_not(case):
    assert registers(case) is not case["expect"], case["why"]
