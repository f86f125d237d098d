"""Which grants a person is offered beside yes and no: narrow ones, and none where nothing may be remembered. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from handrail.contract.confirmation import GrantOption, GrantScope
from handrail.contract.decision import Decision
from handrail.contract.effects import OPEN_WORLD
from handrail.policy.coverage import coverage
from handrail.policy.facts import Facts, PathFact, ShellPart
from handrail.policy.grants import is_apart
from handrail.policy.hosts import host_named
from handrail.policy.modes import ASK
from handrail.policy.offered_words import named_by, spelled
from handrail.policy.pieces import Piece
from handrail.policy.policy import Policy
from handrail.policy.questions import is_opaque, questions
from handrail.policy.server_names import all_of_server
from handrail.policy.wording import shortened

MOST = 5
"""Patterns in one grant, and grants in one question."""

SCOPES: Mapping[GrantScope, str] = {
    "session": "in this session",
    "project": "in this project",
    "user": "in every project",
}


def offers(facts: Facts, policy: Policy, decision: Decision) -> tuple[GrantOption, ...]:
    """Grants of which each would answer all that is asked about a call, the narrowest and shortest first.

    None where any of it may not be remembered: checks, opaque commands, rules that don't say `grantable`.
    """
    if decision.outcome is not ASK or decision.needs_person:
        return ()
    policy = policy.within(facts.caller.mode)
    asked = [question for question in questions(coverage(facts, policy), policy) if not question.granted(policy)]
    pieces: list[Piece] = []
    for piece in (piece for question in asked for piece in question.pieces):
        if piece not in pieces:
            pieces.append(piece)
    if not pieces or any(map(is_opaque, pieces)) or not all(question.id for question in asked):
        return ()
    answers = tuple(dict.fromkeys(question.id for question in asked))
    drafts = tuple(_drafts(facts, pieces))
    return tuple(
        replace(draft, label=f"{draft.label} {SCOPES[scope]}", scope=scope, answers=answers)
        for draft in drafts
        for scope in (_scopes_of(draft) if facts.server else SCOPES)
    )[:MOST]


def _scopes_of(draft: GrantOption) -> tuple[GrantScope, ...]:
    """Of a server's tool: there are wider things to grant, and room for them."""
    return ("session",) if draft.arguments is not None else ("session", "project")


def _drafts(facts: Facts, pieces: list[Piece]) -> Iterator[GrantOption]:
    """What could be remembered, the narrowest first: scope and answers are put in later."""
    touching = [draft for piece in pieces if (draft := _of_piece(piece.facts)) is not None]
    together = _together(facts.tool, touching)
    if len(touching) == len(pieces) and _size(together) <= MOST:
        yield replace(together, label=_label(facts, together))
        if len(pieces) == 1 and (folders := _folders(facts, together)) is not None:
            yield replace(folders, label=_label(facts, folders))
        return
    if facts.arguments is not None:
        yield GrantOption(
            f"{facts.tool} with these very arguments,",
            "session",
            facts.tool,
            arguments=facts.arguments,
            definition=_definition(facts),
        )
    if facts.shell is None and not facts.paths and not facts.effects.connects:
        yield GrantOption(f"every call of {facts.tool}", "session", facts.tool, definition=_definition(facts))
        if all_of_server(facts.server) in facts.names:
            whole = all_of_server(facts.server)
            yield GrantOption(
                f"every tool of the server {shortened(facts.server)}",
                "session",
                whole,
                definition=facts.definitions[-1] if facts.definitions else "",
            )


def _definition(facts: Facts) -> str:
    """Of the tool itself."""
    return facts.definitions[0] if facts.definitions else ""


def _of_piece(piece: Facts) -> GrantOption | None:
    """The command, path or host that a piece is about; None where it is about none of them."""
    empty = GrantOption("", "session", piece.tool)
    if piece.shell is not None:
        return _of_part(piece, piece.shell.parts[0], empty)
    if piece.effects.certainty == "unknown":
        return None
    hosts = tuple(sorted(map(host_named, piece.effects.connects)))
    if not (piece.paths or hosts) or OPEN_WORLD in hosts:
        return None
    return replace(_with_paths(empty, piece.paths), hosts=hosts)


def _of_part(piece: Facts, part: ShellPart, empty: GrantOption) -> GrantOption | None:
    """The paths that lie apart, of a part that only reads; else its words, its very words where paths lie apart."""
    apart = tuple(path for path in part.paths if is_apart(path))
    if apart and not part.unread and not part.connects:
        return _with_paths(empty, apart)
    pattern = spelled(part.words) if apart else named_by(part.words)
    return replace(empty, commands=(pattern,)) if pattern else None


def _with_paths(option: GrantOption, paths: tuple[PathFact, ...]) -> GrantOption:
    reads = tuple(spelling for path in paths if path.access == "read" for spelling in _spellings(path))
    writes = tuple(spelling for path in paths if path.access != "read" for spelling in _spellings(path))
    return replace(option, reads=reads, writes=writes)


def _spellings(path: PathFact) -> tuple[str, ...]:
    return tuple(spelling.rstrip("/") + "/" if path.is_tree else spelling for spelling in path.spellings)


def _together(tool: str, drafts: list[GrantOption]) -> GrantOption:
    return GrantOption(
        "",
        "session",
        tool,
        commands=_each(draft.commands for draft in drafts),
        reads=_each(draft.reads for draft in drafts),
        writes=_each(draft.writes for draft in drafts),
        hosts=_each(draft.hosts for draft in drafts),
    )


def _each(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All of them, each once."""
    return tuple(dict.fromkeys(each for listed in lists for each in listed))


def _size(option: GrantOption) -> int:
    return len(option.commands) + len(option.reads) + len(option.writes) + len(option.hosts)


def _folders(facts: Facts, option: GrantOption) -> GrantOption | None:
    """The folders of the paths; None for secret files, and where a folder is the workspace, home or wider."""
    paths = option.reads + option.writes
    if facts.shell is not None or not paths or any(path.endswith("/") for path in paths):
        return None
    if any(fact.secret for fact in facts.paths) or any(
        facts.places.ruined_by_removal(posixpath.dirname(path)) for path in paths
    ):
        return None
    return replace(option, reads=_above(option.reads), writes=_above(option.writes))


def _above(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(posixpath.dirname(path) + "/" for path in paths))


def _label(facts: Facts, option: GrantOption) -> str:
    """What is granted, for people; of a path that is a link, as it was named."""
    shown = [f"`{shortened(command)}`" for command in option.commands]
    for verb, paths in (("reading", option.reads), ("writing", option.writes)):
        named = [path for path in paths if path.rstrip("/") in {fact.named for fact in facts.paths}] or list(paths)
        shown += [f"{verb} {'all in ' if path.endswith('/') else ''}{facts.places.shown(path)}" for path in named]
    shown += [f"connecting to {host}" for host in option.hosts]
    by = "" if option.commands else f" by {facts.tool}"
    return f"{', '.join(shown)}{by}"
