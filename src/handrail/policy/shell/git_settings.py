"""Whether a repository's own settings could make git's read-only commands run other programs. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

RUN_HOOKS = ("post-index-change",)
"""Hooks that reading commands run: `git diff` may write what it learned of the files' times into the index."""

_HEADER = re.compile(r"\[([\w-]+)(?:[ \t]+\"[^\"\\]*\")?\]")
_SETTING = re.compile(r"([A-Za-z][\w-]*)(?:[ \t]*=[^\\]*)?")


def odd_setting(config: str) -> str:
    """The first line of a `.git/config` that is not known to be harmless; empty when all are."""
    allowed: frozenset[str] = frozenset()
    for line in (line.strip(" \t\r") for line in config.split("\n")):
        header, setting = _HEADER.fullmatch(line), _SETTING.fullmatch(line)
        if not line or line.startswith(("#", ";")):
            continue
        if header:
            allowed = _harmless().get(header[1].lower(), frozenset())
        elif not setting or setting[1].lower() not in allowed:
            return line
    return ""


def is_harmless_setting(name: str) -> bool:
    """True for a name, as `git config` takes it (`core.eol`, `branch.main.remote`), under which git runs nothing."""
    section, _, rest = name.partition(".")
    return rest.rpartition(".")[2].lower() in _harmless().get(section.lower(), frozenset())


@cache
def _harmless() -> Mapping[str, frozenset[str]]:
    text = Path(__file__).with_name("git_settings.toml").read_text("utf-8")
    return {section: frozenset(keys) for section, keys in tomllib.loads(text).items()}
