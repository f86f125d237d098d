"""What it means to set a variable, or to print one: the table `variables.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources

from handrail.contract.effects import OPEN_WORLD
from handrail.policy.shell.script import Assigned
from handrail.policy.shell.words import Word
from handrail.policy.wording import shortened

_NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?")
_HARMLESS_VALUE = re.compile(r"[\w.,:;@+=-]*")
_OF_THE_SHELL = re.compile(r"(?:BASH|GIT|SSH|LD|DYLD)_.*|.*_proxy")
"""Beginnings and ends of names that shells and programs obey; beside those of the table."""
_NAMES_HOST = re.compile(r"(?i:\w+_proxy)|GH_HOST")


@cache
def variable_names() -> Mapping[str, frozenset[str]]:
    """The lists of the table."""
    data = tomllib.loads(resources.files("handrail.policy.shell").joinpath("variables.toml").read_text("utf-8"))
    return {name: frozenset(entry) for name, entry in data.items()}


def may_be_shown(name: str) -> bool:
    return name in variable_names()["shown"]


def problem_of(assigned: Assigned) -> str:
    """Why an assignment may change what runs, as a clause; empty for one that does not."""
    names, name = variable_names(), assigned.name
    shown = f"`{shortened(assigned.text)}`"
    if not _NAME.fullmatch(name):
        return f"which variable {shown} sets is not known"
    if name in names["pagers"] and assigned.value.value in ("cat", ""):
        return ""
    if assigned.reach == "shell":
        felt = name.partition("[")[0] in names["felt"] | names["pagers"] or _OF_THE_SHELL.fullmatch(name)
        return f"{shown} sets {name}, which may change what runs" if felt else ""
    if name in names["harmless"] and _is_harmless(assigned.value):
        return ""
    return f"{shown} sets {name}, which may change what runs"


def hosts_set_by(assigned: Iterable[Assigned]) -> Iterator[str]:
    """The hosts that programs are told to go through, or to talk to: `https_proxy=…`, `GH_HOST=…`."""
    for each in assigned:
        if _NAMES_HOST.fullmatch(each.name):
            yield each.value.value or OPEN_WORLD


def _is_harmless(value: Word) -> bool:
    return value.value is not None and _HARMLESS_VALUE.fullmatch(value.text) is not None
