"""Grants: remembered approvals. Each answers the questions it was offered for, about the same things, and no wider.

options = offers(facts, policy, decision)       # policy.offers: what a person may choose beside yes and no
grant = Grant("g-1a2b", options[0])             # kept by whoever stores grants, with `as_record`
Policy(mode, rules, grants=(grant,))            # the next such call is not asked about
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import cast, get_args

from handrail.contract.basics import Json, JsonObject
from handrail.contract.confirmation import GrantOption, GrantScope
from handrail.contract.values import value
from handrail.errors import RuleError
from handrail.policy.argument_conditions import same_json
from handrail.policy.facts import Facts, PathFact, ShellPart
from handrail.policy.hosts import host_named
from handrail.policy.modes import Mode
from handrail.policy.patterns import BadPattern, CommandPattern
from handrail.policy.places import Zone, within

ASKED_BY_TOOL = "tool:ask"
"""The question of a tool whose `needs_approval` says yes to this call."""
ASKED_ONCE = "tool:once"
"""The question of a tool with `needs_approval="once"`: once per tool and session."""


@value
class Grant:
    """An option that a person chose, under an id of its own."""

    id: str
    option: GrantOption

    def __str__(self) -> str:
        return f"{self.option.label} ({self.id})"


def asked_by_mode(mode: Mode) -> str:
    """The question of a mode's default."""
    return f"mode:{mode}"


def once_granted(tool: str) -> GrantOption:
    """What a yes to `needs_approval="once"` comes to: that question, for this tool, in this session."""
    return GrantOption(f"{tool}, once approved, in this session", "session", tool, (ASKED_ONCE,))


def answers(grant: Grant, question: str, facts: Facts) -> bool:
    """True when the grant speaks of this question about this tool; what it covers is another matter.

    Where a server defines the tool, the grant speaks of it as it was defined then: of another definition, nobody was
    asked.

    What was granted in plan mode holds in every mode; what was granted elsewhere does not hold in plan mode.
    """
    option = grant.option
    if option.tool not in facts.names or (facts.definitions and option.definition not in facts.definitions):
        return False
    if question in option.answers:
        return True
    plan = asked_by_mode(Mode.PLAN)
    return question.startswith("mode:") and any(
        answered.startswith("mode:") and (answered == plan or question != plan) for answered in option.answers
    )


def covers(grant: Grant, piece: Facts) -> bool:
    """True when all that this piece of a call does lies within the grant."""
    option, shell = grant.option, piece.shell
    if option.arguments is not None:
        return piece.arguments is not None and same_json(option.arguments, piece.arguments)
    if not (option.commands or option.reads or option.writes or option.hosts):
        return shell is None and not piece.paths
    if shell is not None:
        part = shell.parts[0] if len(shell.parts) == 1 else None
        if part is None or shell.opaque or part.opaque:
            return False
        return _covers_words(option, part) or (not part.unread and _covers_apart(option, piece))
    return piece.effects.certainty != "unknown" and _covers_all(option, piece)


def _covers_all(option: GrantOption, piece: Facts) -> bool:
    """Every path and host, of which there is one at least."""
    hosts = {host_named(host) for host in piece.effects.connects}
    return bool(piece.paths or hosts) and hosts <= set(option.hosts) and all(_covers(option, p) for p in piece.paths)


def _covers_words(option: GrantOption, part: ShellPart) -> bool:
    """A pattern with an open end says nothing of paths that lie apart: they need grants of their own."""
    for text in option.commands:
        pattern = CommandPattern.parse(text)
        if part.words and pattern.covers(part.words):
            return not pattern.open_end or not any(is_apart(path) for path in part.paths)
    return False


def _covers_apart(option: GrantOption, piece: Facts) -> bool:
    """Of a command that only reads: every path that lies apart, of which there is one at least."""
    apart = [path for path in piece.paths if is_apart(path)]
    return bool(apart) and not piece.effects.connects and all(_covers(option, path) for path in apart)


def is_apart(path: PathFact) -> bool:
    """It holds secrets, or lies outside: what is said of commands says nothing of it."""
    return path.secret or path.zone is Zone.OUTSIDE


def _covers(option: GrantOption, path: PathFact) -> bool:
    """Both spellings of the path lie within what was granted for this access; of a tree, a folder must have been."""
    granted = option.reads if path.access == "read" else option.writes
    return all(any(_lies_in(spelling, each, path) for each in granted) for spelling in path.spellings)


def _lies_in(spelling: str, granted: str, path: PathFact) -> bool:
    """A folder holds all below it but secrets; a tree must have been granted as one."""
    if granted.endswith("/"):
        return within(spelling, granted.rstrip("/") or "/") and (not path.secret or path.is_tree)
    return spelling == granted and not path.is_tree


def as_record(grant: Grant) -> JsonObject:
    """A grant as JSON."""
    record: dict[str, Json] = {"id": grant.id}
    for field in fields(grant.option):
        given = getattr(grant.option, field.name)
        record[field.name] = list(given) if isinstance(given, tuple) else given
    return record


def from_record(record: Mapping[str, Json]) -> Grant:
    """The grant that `as_record` wrote. Raises RuleError for what is none: it grants nothing then."""
    id, label, scope, tool = (_text(record, name) for name in ("id", "label", "scope", "tool"))
    if scope not in get_args(GrantScope):
        raise RuleError(f"the grant {id} has no scope {scope!r}")
    arguments = record.get("arguments")
    if not (arguments is None or isinstance(arguments, Mapping)):
        raise RuleError(f"the grant {id} can't be read: its arguments are no object")
    option = GrantOption(
        label,
        cast("GrantScope", scope),
        tool,
        answers=_texts(record, "answers"),
        commands=_texts(record, "commands"),
        reads=_texts(record, "reads"),
        writes=_texts(record, "writes"),
        hosts=_texts(record, "hosts"),
        arguments=arguments,
        definition=_text(record, "definition") if record.get("definition") else "",
    )
    try:
        for pattern in option.commands:
            CommandPattern.parse(pattern)
    except BadPattern as error:
        raise RuleError(f"the grant {id} names a command that {error}") from error
    return Grant(id, option)


def _text(record: Mapping[str, Json], name: str) -> str:
    given = record.get(name)
    if not isinstance(given, str) or not given:
        raise RuleError(f"a grant has no {name}")
    return given


def _texts(record: Mapping[str, Json], name: str) -> tuple[str, ...]:
    given = record.get(name)
    texts = tuple(text for text in given if isinstance(text, str)) if isinstance(given, (list, tuple)) else ()
    if not isinstance(given, (list, tuple)) or len(texts) != len(given):
        raise RuleError(f"a grant's {name} are no list of texts")
    return texts
