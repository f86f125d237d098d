"""Programs that run code in their words, or code that they are fed: `python -c`, `perl -e`, `awk`, `sed`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from handrail.policy.shell.languages import sed
from handrail.policy.shell.runners import Runners, unversioned
from handrail.policy.shell.script import names_input
from handrail.policy.shell.words import Word

ONLY_TELLS = frozenset(("--version", "-V", "-VV", "--help", "-h", "-v"))
"""Options with which an interpreter runs nothing."""

_SED_TAKES_SCRIPT = re.compile(r"-\w*e|--expression")


def runs_code(name: str, words: tuple[Word, ...], tables: Runners, fed: str = "") -> bool:
    """True where it may; `fed` is what is written out for it to read."""
    if any(marker in f"\n{fed}" for marker in tables.words("fed_code", name) or ()):
        return True
    rest = [word.text for word in words[1:]]
    if not set(tables.words("fed", name) or ()).isdisjoint(rest):
        return True
    if name in ("sed", "gsed"):
        return any("e" in script and sed.check(script) for script in _scripts_of_sed(rest))
    plain_name = unversioned(name)
    markers = tables.words("code", plain_name)
    if markers is not None:
        letters = {marker[1] for marker in markers if len(marker) == 2}
        clustered = any(re.match(r"-\w+$", text) and not letters.isdisjoint(text) for text in rest)
        is_fed = all(text.startswith("-") or names_input(text) for text in rest) and not (
            rest and ONLY_TELLS.issuperset(rest)
        )
        return clustered or is_fed or not set(markers).isdisjoint(rest)
    return any(marker in text for marker in tables.words("within", name) or () for text in rest)


def _scripts_of_sed(texts: list[str]) -> Iterator[str]:
    """The first word that is no option, and what `-e` gives."""
    yield from [text for text in texts if not text.startswith("-")][:1]
    yield from (script for option, script in pairwise(texts) if _SED_TAKES_SCRIPT.fullmatch(option))
    yield from (text.partition("e")[2] for text in texts if text.startswith("-") and not text.startswith("--"))
    yield from (text.partition("=")[2] for text in texts if text.startswith("--e"))
