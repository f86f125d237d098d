"""The files that `handrail init` writes: comments for people, rules for what was found. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handrail.settings.keys import KEYS, Key
from handrail.settings.origin import Layer
from handrail.surfaces.cli.init.finding import FoundCommands, Project
from handrail.surfaces.cli.init.tables import Role

_POLICY_HEAD = """\
# What runs here without a question, and what never does. `handrail init` wrote it for what it found: {names}.
# Change it as you like; `handrail trust add` then asks you for a yes to the new content.
#
# Where no rule speaks the mode decides: by default reading is free, writing and running is asked about. Try a rule with
#     handrail policy explain shell 'COMMAND'
# A command is a pattern: " *" at its end is any further words. All parts of `a && b` need a rule, or be harmless.
"""

_POLICY_TAIL = """\
# More that people write. A deny wins over an ask, an ask over an allow.
#
# [[rule]]
# command = "git push *"
# decision = "deny"
# reason = "Push after the review."
#
# [[rule]]
# path = "migrations/"
# decision = "ask"
# reason = "A migration can't be taken back."
"""

_CONFIG_HEAD = """\
# Settings for everybody who works here; what begins with a # is as it is without this file.
# Your own go into ~/.config/handrail/config.toml, or into .handrail/config.local.toml beside this, which belongs into
# no version control. `handrail config show --origin` shows what holds, and where it was said.
"""


def policy_text(project: Project, roles: Mapping[Role, str]) -> str:
    """A policy.toml that lets what was found through, and shows what else could be said."""
    head = _POLICY_HEAD.format(names=", ".join(project.names) or "no project that it knows")
    rules = (_group(about, project.of(role), off=role == "install") for role, about in roles.items())
    return "\n".join([head, *(text for text in rules if text), _POLICY_TAIL])


def config_text() -> str:
    """A config.toml that says nothing yet, and names what can be said."""
    keys = (key for key in KEYS if Layer.PROJECT in key.layers)
    return "\n".join([_CONFIG_HEAD, *map(_setting, keys)])


def _group(about: str, found: Iterable[FoundCommands], *, off: bool) -> str:
    """The rules for one purpose, under its comment; `off` ones are comments too."""
    rules = [line for each in found for line in ("", *_rule(each))]
    if not rules:
        return ""
    mark = "# " if off else ""
    return "\n".join([f"# {about}", *(f"{mark}{line}".rstrip() for line in rules[1:]), ""])


def _rule(found: FoundCommands) -> Iterator[str]:
    yield "[[rule]]"
    yield f"command = {_listed(found.patterns)}"
    yield 'decision = "allow"'
    yield f"reason = {_text(f'This project works with {found.name}.')}"


def _setting(key: Key[Any]) -> str:
    example = _EXAMPLES.get(key.name) or _value(key.default)
    return f"# {key.about}\n# Takes {key.type.shape}.\n# {key.name} = {example}\n"


_EXAMPLES = {
    "add_dirs": '["../another-folder"]',
    "policies": '["rules/reviewed.toml"]',
    "pass_env": '["DATABASE_NAME"]',
    "limits": "{ shell = 4 }",
    "model": '"anthropic:claude-sonnet-5-5"',
    "discovery_command": '"./bin/tools list"',
    "call_command": '"./bin/tools run"',
}
"""Where the default shows no form."""


def _value(held: object) -> str:
    if isinstance(held, bool):
        return str(held).lower()
    return _text(held) if isinstance(held, str) else str(held)


def _listed(texts: Iterable[str]) -> str:
    items = [_text(text) for text in texts]
    if len(one := f"[{', '.join(items)}]") <= 100:
        return one
    return "\n".join(["[", *(f"    {item}," for item in items), "]"])


def _text(text: str) -> str:
    """A basic string of TOML, which JSON's strings are."""
    return json.dumps(text, ensure_ascii=False)
