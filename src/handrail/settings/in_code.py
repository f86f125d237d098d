"""What a program says in code when it opens a session, beside the settings: its word comes last, lists add up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.modes import Mode, mode_of
from handrail.policy.policy import Policy
from handrail.policy.rules import Rule
from handrail.settings.keys import ADD_DIRS, MODE, MODEL
from handrail.settings.load import Settings
from handrail.settings.origin import Layer


@value
class SaidInCode:
    """Empty values say nothing."""

    mode: Mode | str | None = None
    rules: tuple[Rule, ...] = ()
    model: str = ""
    added: tuple[Path, ...] = ()
    """Folders that exist, absolute."""

    def policy(self, settings: Settings) -> Policy:
        """Raises UsageError for a mode or rules that are none."""
        mode = mode_of(self.mode or settings[MODE])
        if not all(isinstance(rule, Rule) for rule in self.rules):
            raise UsageError("rules are made with load_rules or rules_from; got something else")
        return settings.policy(mode, self.rules)

    def kept(self, settings: Settings) -> Mapping[str, Json]:
        """What whoever takes the session up is to be told: all that was said here, and not in files."""
        said = dict(_said_here(settings))
        if self.mode:
            said[MODE.name] = str(self.mode)
        if self.model:
            said[MODEL.name] = self.model
        if self.added:
            here = said.get(ADD_DIRS.name, [])
            said[ADD_DIRS.name] = [*(here if isinstance(here, list) else []), *map(str, self.added)]
        return said


def _said_here(settings: Settings) -> Mapping[str, Json]:
    """What variables, the command line or code say, as JSON; lists without what files add to them."""
    here = {
        name: [given.value for given in setting.held if given.origin.layer in (Layer.ENVIRONMENT, Layer.FLAG)]
        for name, setting in settings.all.items()
    }
    return {name: _as_json(values) for name, values in here.items() if values}


def _as_json(values: list[object]) -> Json:
    """Of several layers' values the last; of their lists all parts. Paths are absolute."""
    match values[-1]:
        case tuple():
            return [_kept(part) for each in values if isinstance(each, tuple) for part in each]
        case Mapping() as table:
            return dict(table)
        case bool() | int() | str() as plain:
            return plain
        case other:
            return str(other)


def _kept(part: object) -> str:
    return str(part.absolute() if isinstance(part, Path) else part)
