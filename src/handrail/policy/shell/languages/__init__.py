"""The small languages that programs take in a word. Each has a checker that says why a text of it does more than read.

A checker knows the harmless constructs; whatever else there is makes the text one to ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from handrail.policy.shell.languages import awk, jq, sed

CHECKERS: Mapping[str, Callable[[str], str]] = MappingProxyType({"sed": sed.check, "awk": awk.check, "jq": jq.check})
"""By language: the checker of a whole script. It gives a clause, or nothing where the script only reads."""

OF_WORDS = frozenset(("find", "test"))
"""Languages whose sentences are the words of the command itself; `finding_files` and `test` read them."""

LANGUAGES = frozenset((*CHECKERS, *OF_WORDS))


def problem_in(language: str, script: str) -> str:
    """Why a script does more than read, as a clause; empty when it only reads."""
    return CHECKERS[language](script) if language in CHECKERS else ""
