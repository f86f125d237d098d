"""Where a path of a call lies and what it is, looked up in the file system."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Self

from handrail.contract.context import Workspace
from handrail.contract.effects import PathEffect, Scope
from handrail.contract.values import value
from handrail.policy.facts import Access, PathFact
from handrail.policy.places import SYSTEM_FOLDERS, Places, Zone, leads_elsewhere, normal, strictest, within
from handrail.policy.protected import protection
from handrail.policy.secrets import is_secret_name
from handrail.runtime import looking


@value
class Use:
    """What a call does with a path."""

    access: Access
    scope: Scope = "file"
    spares_secrets: bool = False
    """Below a folder; never in what is itself a file."""
    whole_tree: bool = False
    """It moves or removes what is below, so what is protected there counts too."""
    follows: bool = False
    """Links in a tree are followed."""
    only: tuple[str, ...] = ()
    """Patterns for the names of the files of a tree that are read; all where there are none."""
    holding: str = ""
    """A folder of which a copy is put there, with what is protected in it."""
    own_results: bool = False
    """It may read what the session keeps of results that were too long."""


@value
class Surveyor:
    """Makes PathFacts. All methods but `of` block: they run in a worker thread."""

    places: Places
    root: str
    home: str
    readable: tuple[str, ...] = ()
    """Further folders in which reading is free, secret files aside; each in both spellings."""

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        home: Path,
        state: Path | None,
        results: Path | None = None,
        settings: Iterable[Path] = (),
    ) -> Self:
        root, home_folder = normal(str(workspace.root)), normal(str(home))
        programs = (folder for prefix in (sys.prefix, sys.base_prefix) for folder in _spellings(prefix))
        places = Places(
            root=_spellings(root),
            added=tuple(spelling for folder in workspace.added for spelling in _spellings(str(folder))),
            home=_spellings(home_folder),
            temporary=_spellings(tempfile.gettempdir()),
            state=_spellings(str(state)) if state is not None else (),
            results=_spellings(str(results)) if results is not None else (),
            settings=tuple(spelling for place in settings for spelling in _spellings(str(place))),
            system=(*SYSTEM_FOLDERS, *(folder for folder in programs if not within(home_folder, folder))),
        )
        return cls(places, root, home_folder)

    def letting_read(self, folder: Path) -> Self:
        return replace(self, readable=tuple(dict.fromkeys((*self.readable, *_spellings(str(folder))))))

    def path(self, named: Path, use: Use) -> PathFact:
        access, scope, spares_secrets = use.access, use.scope, use.spares_secrets
        lexical = normal(str(named))
        resolved = looking.real(str(named))
        if scope == "tree":
            spares_secrets = spares_secrets and resolved is not None and looking.is_folder(resolved)
            scope = "file" if resolved is not None and looking.is_file(resolved) else scope
        effect = PathEffect(named, Path(resolved or lexical), scope, spares_secrets)
        if leads_elsewhere(str(named)) or leads_elsewhere(lexical):
            protected = "what another process has open" if access != "read" else ""
            return PathFact(effect, access, lexical, resolved or lexical, Zone.OUTSIDE, True, protected, elsewhere=True)
        if resolved is None:
            return PathFact(effect, access, lexical, lexical, Zone.OUTSIDE)
        spellings = (lexical, resolved)
        if use.own_results and access == "read" and all(map(self.places.is_result, spellings)):
            return PathFact(effect, access, lexical, resolved, Zone.TEMPORARY)
        zone = strictest(*(self._zone(spelling, access, scope) for spelling in spellings))
        secret = not spares_secrets and any(is_secret_name(self.places.inner(s)) for s in spellings)
        protected = "" if access == "read" else self._protection(spellings, use.whole_tree)
        state = any(self.places.is_state(s) for s in spellings)
        if (
            scope == "tree"
            and zone is not Zone.OUTSIDE
            and (use.whole_tree or (access == "read" and not spares_secrets))
        ):
            held = looking.holdings(resolved, self.places.inner(resolved), follows=use.follows, only=use.only)
            secret = secret or held.secret
            protected = protected or (held.protected if use.whole_tree and access == "write" else "")
        if use.holding and not protected and zone is not Zone.TEMPORARY:
            copied = looking.real(use.holding) or use.holding
            protected = looking.holdings(copied, self.places.inner(copied)).protected
        if scope == "tree" and not spares_secrets:
            state = state or any(self.places.holds_state(s) for s in spellings)
        return PathFact(effect, access, lexical, resolved, zone, secret, protected, state)

    def _zone(self, path: str, access: Access, scope: Scope) -> Zone:
        if access == "read" and any(within(path, folder) for folder in self.readable):
            zone = self.places.zone(path)
            return Zone.SYSTEM if zone is Zone.OUTSIDE else zone
        in_etc = within(path, "/etc") and scope == "file"
        return self.places.zone(path, readable_by_all=in_etc and looking.readable_by_all(path))

    def _protection(self, spellings: tuple[str, ...], whole_tree: bool) -> str:
        if any(self.places.is_setting(s) or (whole_tree and self.places.holds_setting(s)) for s in spellings):
            return "a file of Handrail's settings"
        return next((p for s in spellings if (p := protection(self.places.inner(s)))), "")


def _spellings(folder: str) -> tuple[str, ...]:
    """A folder as given and with links resolved."""
    given = normal(folder)
    return tuple(dict.fromkeys((given, looking.real(given) or given)))
