"""The skills of a session: which are active, what they let be read, and what they allow until the turn ends.

A skill hides nothing and forbids nothing. What it allows are allow rules like any: denials, ask rules, protected
paths, what a mode denies and `needs_approval="always"` stand above them.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from handrail.contract.skills import ActiveSkill, SkillOffer
from handrail.errors import ToolFailed
from handrail.policy.rules import RuleScope
from handrail.runtime.judge import Judge
from handrail.runtime.resolver import Resolver
from handrail.settings.folder_content import names_in, read_folder
from handrail.settings.load import Settings
from handrail.settings.reading import Unreadable
from handrail.settings.skills.listing import told_of
from handrail.settings.skills.skill import FILE, Skill

MOST_NAMED = 100
"""Files of a skill that the model is told of by name."""

_CLOSE = 3


class SessionSkills:
    """Nothing of it outlives the process: after a restart a model takes its skills up again."""

    def __init__(self, found: Iterable[Skill], judge: Judge, resolver: Resolver, *, may_allow: bool = True) -> None:
        """`may_allow`: false where the system's policy forbids allow rules of lower scopes, as a skill's are."""
        self._found = {skill.name: skill for skill in found}
        self._judge = judge
        self._resolver = resolver
        self._may_allow = may_allow
        self._active: set[str] = set()
        self.told = told_of(tuple(self._found.values()))
        """For the menu."""

    @classmethod
    def of(cls, settings: Settings, judge: Judge, resolver: Resolver) -> Self:
        may_allow = not settings.rules.lower_allows_forbidden_by
        return cls(settings.skills.usable, judge, resolver, may_allow=may_allow)

    def for_path(self, path: Path) -> Sequence[SkillOffer]:
        """Those that are not active yet."""
        places = self._resolver.places
        return [
            SkillOffer(skill.name, skill.description)
            for skill in self._found.values()
            if skill.name not in self._active
            and any(pattern.covers(str(path), False, places) for pattern in skill.paths)
        ]

    async def activate(self, name: str) -> ActiveSkill:
        skill = self._found.get(name)
        if skill is None:
            raise ToolFailed(self._unknown(name))
        try:
            files = await asyncio.to_thread(_files, skill)
        except Unreadable as error:
            raise ToolFailed(f"The skill {name} {error}. Go on without it, and tell the user.") from None
        self._active.add(name)
        self._resolver.let_read(skill.folder)
        allows = bool(skill.allows) and self._may_allow
        if allows:
            policy = self._judge.policy
            self._judge.change(replace(policy, rules=tuple(dict.fromkeys((*policy.rules, *skill.allows)))))
        named = files[:MOST_NAMED]
        return ActiveSkill(name, skill.folder, skill.text, named, len(files) - len(named), allows)

    def end_turn(self) -> None:
        """What skills allowed is asked about again."""
        policy = self._judge.policy
        kept = tuple(rule for rule in policy.rules if rule.scope is not RuleScope.SKILL)
        if len(kept) != len(policy.rules):
            self._judge.change(replace(policy, rules=kept))

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self._found, n=_CLOSE, cutoff=0.0)
        return f"There is no skill named {name!r}. " + (
            f"The closest names are: {', '.join(close)}." if close else "There are no skills here."
        )


def _files(skill: Skill) -> tuple[str, ...]:
    """What lies beside its SKILL.md. Raises Unreadable, also where the content is not the trusted one."""
    if not skill.digest:
        return tuple(name for name in names_in(skill.folder) if name != FILE)
    content = read_folder(skill.folder.resolve())
    if content.digest != skill.digest:
        raise Unreadable("was changed since it was trusted, so it can't be used until a person trusts it again")
    return tuple(file.path for file in content.files if file.path != FILE)
