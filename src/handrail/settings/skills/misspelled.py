"""Fields of front matter that are not known, and which known ones they seem to mean. Pure.

Whoever writes `Tools:` or `allowed_tools:` for a limit would get none where such a field were passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handrail.contract.values import value
from handrail.policy.spelling import nearest, shown
from handrail.settings.skills.front_matter import Fields, Words

MOST_OTHERS = 30
"""Fields that are not known, of one file. Whoever has more is not understood: to compare them takes time."""


@value
class Misspelled:
    """A field that seems to mean a known one."""

    given: Words
    meant: str

    def __str__(self) -> str:
        return f"line {self.given.line}: unknown field {shown(self.given.text[:64])}; did you mean {self.meant}?"


def misspelled(fields: Fields, known: Mapping[str, str]) -> Iterator[Misspelled]:
    """Of the fields that are not known those that are like a known one; others may be another program's.

    `known` has names, and what is meant by each. One that means another field is known only as it is written.
    """
    own = [name for name, meant in known.items() if meant == name]
    for given in fields.others[:MOST_OTHERS]:
        if name := _same(given.text, known) or nearest(given.text[:64], own):
            yield Misspelled(given, known[name])


def _same(given: str, known: Mapping[str, str]) -> str:
    """The known name that differs in case, in what parts its words, or in that there are several."""
    return next((name for name in known if _plain(name) == _plain(given)), "")


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").removesuffix("s")
