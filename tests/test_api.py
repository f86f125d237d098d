"""What `import handrail` offers, and that none of it changes unnoticed."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import handrail
from api_description import description
from handrail import api

SNAPSHOT = Path(__file__).parent / "snapshots" / "api.json"
UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"
"""Set it to 1 to write the API as it is now; read the difference before you keep it."""


def test_the_api_has_not_changed_unnoticed() -> None:
    described = {name: description(getattr(api, name)) for name in api.__all__}
    text = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
    assert not re.search(r" at 0x[0-9a-f]+", text), "an address is no description"
    if os.environ.get(UPDATE) == "1":
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(text, "utf-8")
    assert SNAPSHOT.read_text("utf-8") == text


@pytest.mark.parametrize("name", api.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    value = getattr(handrail, name)
    if isinstance(value, type) or inspect.isroutine(value):
        written = value.__doc__ or ""
        # A dataclass without one of its own gets its signature.
        assert written
        assert not written.startswith(f"{name}(")


@pytest.mark.parametrize("name", ["Session", "BlockingSession", "Turn", "Menu", "Tool"])
def test_every_public_method_of_the_main_classes_is_documented(name: str) -> None:
    value = getattr(handrail, name)
    undocumented = [
        member
        for member, found in inspect.getmembers(value)
        if not member.startswith("_") and callable(found) and not inspect.getdoc(found)
    ]
    assert undocumented == []


def test_the_package_gives_what_the_list_says_and_nothing_else() -> None:
    assert len(set(api.__all__)) == len(api.__all__)
    assert set(dir(handrail)) == {"__version__", *api.__all__}
    for name in api.__all__:
        assert getattr(handrail, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = handrail.Nonsense


def test_the_list_names_all_that_the_module_imports() -> None:
    tree = ast.parse(Path(inspect.getfile(api)).read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    assert sorted(alias.name for node in imports for alias in node.names) == sorted(api.__all__)


@pytest.mark.parametrize("absent", ["pydantic", "asyncio", "sqlite3", "click"])
def test_importing_the_package_loads_only_what_is_used(absent: str) -> None:
    code = f"import sys, handrail; handrail.__version__; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-I", "-c", code], timeout=60, check=False).returncode == 0
