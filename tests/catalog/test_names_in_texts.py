"""What a model reads names a tool as its menu has it, or not at all."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import handrail
from handrail.catalog.faces import families, family_of
from handrail.catalog.menu import menu_for
from handrail.catalog.registry import Registry
from handrail.contract.context import Environment
from handrail.tools import builtin_tools

OURS = frozenset(tool.name for tool in builtin_tools())
TOLD_APART = frozenset(name for name in OURS if "_" in name)
"""Of our names those that are no other word: `glob`, `grep`, `shell`, `agent` and `memory` are."""
ANY_NAME = re.compile("|".join(sorted(TOLD_APART)))

SOURCES = Path(handrail.__file__).parent
FOR_MODELS = ("agent", "catalog", "contract", "policy", "providers", "runtime", "tools", "wire")
"""Layers whose texts may come before a model; what surfaces say is for people, who know our own names from rules."""

PROGRAMS = frozenset({"grep"})
"""Descriptions of shells say what is not to be run there."""
MODELS = ("", "claude-sonnet-5-5", "gemini-2.5-pro", "gemini-3-pro", "gpt-5.2")


def texts_in(path: Path) -> Iterator[str]:
    """What stands in quotes, but for docstrings, and for single words: names there are for programs. Nothing of a file
    without any name of ours."""
    source = path.read_text("utf-8")
    if not ANY_NAME.search(source):
        return  # to parse all of them takes seconds
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in bare
            and " " in node.value
        ):
            yield node.value


def test_no_text_in_the_sources_names_a_tool_as_one_vocabulary_does() -> None:
    """A name is asked for, of `ToolNames`; in a description it stands in a file, in backticks, and is told in its
    place by `catalog.faces.describing`."""
    named = re.compile(rf"(?<![\w-])({'|'.join(sorted(TOLD_APART))})(?![\w=-])")
    paths = [path for layer in FOR_MODELS for path in sorted((SOURCES / layer).rglob("*.py"))]
    assert len(paths) > 300
    found = [f"{path.relative_to(SOURCES)}: {text}" for path in paths for text in texts_in(path) if named.search(text)]
    assert found == []


@pytest.mark.parametrize("model", MODELS)
def test_a_menu_names_only_tools_that_may_be_on_it(model: str) -> None:
    family = family_of(model)
    known = {family.name_of(name) or name for name in OURS if name not in family.lacks}
    others = OURS.union(*(each.names for each in families())) - known - PROGRAMS
    with_everything = Environment("linux", lambda name: Path("/bin") / name)
    menu = menu_for(Registry(builtin_tools()), model, with_everything, lambda tool: None)
    assert len(menu.tools) > 20
    for tool in menu.tools:
        own = f"{tool.description} {json.dumps(tool.schema)}"
        said = set(re.findall(r"\w+_\w+|(?<=`)\w+(?=`)", own)) - set(re.findall(r'"(\w+)": \{', own))
        assert said & others == set(), f"{tool.name} for {model or 'our own vocabulary'}"
