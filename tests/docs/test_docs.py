from __future__ import annotations

import re
from pathlib import Path

import pytest

from handrail.contract.transitions import as_table
from handrail.policy import load_policy

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_drawn_transitions_are_those_of_the_classes() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    drawn = page.split("<!-- transitions:begin -->\n")[1].split("<!-- transitions:end -->")[0]
    assert drawn == as_table(), "copy contract.transitions.as_table() between the marks"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_source_file_exists(page: Path) -> None:
    for name in re.findall(r"`((?:src|tests|bench|docs)/[\w./-]+)`", page.read_text()):
        assert (ROOT / name).exists(), name


def test_the_rules_shown_can_be_loaded() -> None:
    shown = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/how-to/policy.md").read_text(), re.DOTALL)
    assert shown
    for text in shown:
        shown_set = load_policy(text, "policy.md")
        assert shown_set.rules or shown_set.declared
