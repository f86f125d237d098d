from __future__ import annotations

import subprocess
import sys

import pytest

LATE = ("docstring_parser", "jsonschema_rs", "jsonschema")

WITHOUT = {
    "the package": "import handrail.authoring",
    "a plain function": "from handrail.authoring.function_tool import tool\n@tool\ndef f(a: int):\n    'Does it.'",
    "a model": "from handrail.authoring.define import define_tool\nfrom pydantic import BaseModel\n"
    "define_tool(name='f', parameters=BaseModel, run=lambda params: 1)",
    "the menu": "from handrail.__main__ import main\nimport sys\nsys.argv[1:] = ['tools']\n"
    "try:\n    main()\nexcept SystemExit:\n    pass",
}
WITH = {
    "docstring_parser": "from handrail.authoring.function_tool import tool\n@tool\ndef f(a: int):\n    ':param a: x'",
    "jsonschema_rs": "from handrail.authoring.json_schema import schema_parameters\nschema_parameters({})",
}


def loaded(code):
    ending = f"\nimport sys\nprint('LOADED', *sorted(set(sys.modules) & {set(LATE)!r}))"
    done = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True, check=True)
    return done.stdout.rpartition("LOADED")[2].split()


@pytest.mark.parametrize("code", WITHOUT.values(), ids=WITHOUT)
def test_what_is_not_needed_is_not_imported(code):
    assert loaded(code) == []


@pytest.mark.parametrize(("module", "code"), WITH.items(), ids=WITH)
def test_what_is_needed_is_imported_then(module, code):
    assert loaded(code) == [module]
