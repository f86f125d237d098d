"""What a SKILL.md says of itself before its text. Pure.

By the Agent Skills specification (agentskills.io/specification), with `when_to_use`, `paths` and
`disable-model-invocation` as Claude Code has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.contract.values import value
from handrail.settings.skills.front_matter import Fields, Words, read_fields
from handrail.settings.skills.misspelled import MOST_OTHERS, Misspelled, misspelled

_NOT_FOR_MODELS = "disable-model-invocation"
_FIELDS = ("name", "description", "when_to_use", "allowed-tools", "paths", _NOT_FOR_MODELS)
_NARROWING = ("paths", _NOT_FOR_MODELS)
_TAKES_AWAY = "disallowed-tools"
"""Claude Code's. A skill has no tools of its own here that could be taken away."""
_MEANT = {name: name for name in (*_FIELDS, _TAKES_AWAY)}
_NO = frozenset(("", "false", "no", "off", "0"))


@value
class FrontMatter:
    """What can be read of it; what is wrong is among the problems."""

    name: str = ""
    description: str = ""
    allowed_tools: tuple[Words, ...] = ()
    paths: tuple[str, ...] = ()
    for_model: bool = True
    """False for a skill that only a person starts."""
    problems: tuple[str, ...] = ()
    """Each starts with its line: `line 3: …`."""


def read_front_matter(matter: str) -> FrontMatter:
    """Never raises. Of what is no YAML, plain lines are read, and nothing that allows anything. Where a field that is
    not known seems to say when the skill is to be offered, it is offered to no model."""
    fields = read_fields(matter, _FIELDS)
    odd = tuple(misspelled(fields, _MEANT))
    is_unsure = len(fields.others) > MOST_OTHERS or any(each.meant in _NARROWING for each in odd)
    for_model = fields.text(_NOT_FOR_MODELS).lower() in _NO and _NOT_FOR_MODELS not in fields.unread
    return FrontMatter(
        fields.text("name"),
        f"{fields.text('description')} {fields.text('when_to_use')}".strip(),
        fields.said.get("allowed-tools", ()),
        tuple(path for words in fields.said.get("paths", ()) for path in re.split(r"[\s,]+", words.text) if path),
        for_model and not is_unsure,
        (*fields.problems, *_problems(fields, odd)),
    )


def _problems(fields: Fields, odd: tuple[Misspelled, ...]) -> Iterator[str]:
    for each in odd:
        if each.meant == _TAKES_AWAY:
            yield f"line {each.given.line}: {_TAKES_AWAY} takes nothing away here; write a rule that denies"
        elif each.meant in _NARROWING:
            yield f"{each} Until it is called so, the skill is offered to no model"
        else:
            yield str(each)
    if len(fields.others) > MOST_OTHERS:
        yield f"it has more than {MOST_OTHERS} fields that are not known: it is offered to no model"
