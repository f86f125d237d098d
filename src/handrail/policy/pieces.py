"""A call taken apart: each piece is facts of their own, so that rules, grants and modes judge it alone. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handrail.contract.effects import Effects
from handrail.contract.values import value
from handrail.policy.facts import Facts, PathFact, ShellFacts, ShellPart


@value
class Piece:
    """One thing that a call does: a part of a command, a path, a host."""

    facts: Facts
    text: str


def pieces(facts: Facts) -> tuple[Piece, ...]:
    """All that a call does; one at least. What can't be taken apart is one piece."""
    if facts.shell is not None:
        return tuple(_of_shell(facts, facts.shell))
    effects = facts.effects
    whole = effects.certainty == "unknown" or (effects.destructive and not effects.writes)
    if whole or len(facts.paths) + len(effects.connects) < 2:
        return (Piece(facts, _only_text(facts)),)
    return (*(of_path(facts, path) for path in facts.paths), *(_of_host(facts, h) for h in _sorted_hosts(facts)))


def parts_of(facts: Facts) -> tuple[ShellPart, ...]:
    """The parts of a command. Of one that was not taken apart, the whole as one part."""
    shell = facts.shell
    if shell is None:
        return ()
    if shell.parts:
        return shell.parts
    return (ShellPart(shell.text, (), shell.unread, shell.opaque or "it was not taken apart", facts.paths),)


def alone(facts: Facts, part: ShellPart) -> Facts:
    """A part as a call of its own, with what it redirects."""
    shell = facts.shell or ShellFacts(part.text, ())
    commands = tuple(command for command in shell.commands if command.text == part.text)
    writes = next((path for path in part.redirected if path.access != "read"), None)
    unread = part.unread or (f"it writes {facts.places.shown(writes.named)}" if writes else "")
    judged = replace(
        shell,
        text=part.text,
        commands=commands,
        parts=(part,),
        opaque=part.opaque,
        unread=unread,
        unnamed=shell.unnamed if shell.unnamed == part.text else "",
        removals=tuple(removal for removal in shell.removals if removal.command == part.text),
        answers_itself=shell.answers_itself if shell.answers_itself == part.text else "",
        unjudged=shell.unjudged and bool(part.opaque),
    )
    paths = (*part.paths, *part.redirected)
    return _narrowed(facts, _effects(part, paths, unread), paths, judged)


def _of_shell(facts: Facts, shell: ShellFacts) -> Iterator[Piece]:
    parts = parts_of(facts)
    for part in parts:
        if part.words or part.opaque or part.unread or not part.redirected:
            yield Piece(_words_alone(facts, part), part.text)
        for path in part.redirected:
            yield of_path(facts, path)
    if shell.opaque and not any(part.opaque for part in parts):
        opaque = ShellPart(shell.text, unread=shell.opaque, opaque=shell.opaque)
        yield Piece(_words_alone(facts, opaque), shell.text)
    yield from _beside(facts, parts)


def _beside(facts: Facts, parts: tuple[ShellPart, ...]) -> Iterator[Piece]:
    """What the call does beside its command, by the tool's own claims."""
    if not facts.paths and not facts.effects.connects:
        return
    named = {path for part in parts for path in (*part.paths, *part.redirected)}
    yield from (of_path(facts, path) for path in facts.paths if path not in named and path.access != "mention")
    hosts = frozenset().union(*(part.connects for part in parts))
    yield from (_of_host(facts, host) for host in _sorted_hosts(facts) if host not in hosts)


def _words_alone(facts: Facts, part: ShellPart) -> Facts:
    """A part without its redirections, as allow rules and modes see it."""
    commands = tuple(command for command in facts.shell.commands if command.text == part.text) if facts.shell else ()
    shell = ShellFacts(part.text, commands, (part,), part.opaque, part.unread)
    return _narrowed(facts, _effects(part, part.paths, part.unread), part.paths, shell)


def _effects(part: ShellPart, paths: tuple[PathFact, ...], unread: str) -> Effects:
    return Effects(
        reads=frozenset(path.effect for path in paths if path.access == "read"),
        writes=frozenset(path.effect for path in paths if path.access == "write"),
        connects=part.connects,
        destructive=bool(unread),
        certainty="unknown" if unread else "bounded",
    )


def of_path(facts: Facts, path: PathFact) -> Piece:
    """One path of a call, apart from all else that it does."""
    effect = frozenset((path.effect,))
    effects = Effects(reads=effect) if path.access == "read" else Effects(writes=effect)
    return Piece(_narrowed(facts, effects, (path,)), facts.places.shown(path.named))


def _narrowed(
    facts: Facts, effects: Effects, paths: tuple[PathFact, ...] = (), shell: ShellFacts | None = None
) -> Facts:
    """The call as if it did no more than this. Each decision makes some, and `dataclasses.replace` takes its time."""
    return Facts(
        facts.tool,
        facts.names,
        facts.kind,
        effects,
        facts.places,
        facts.approval,
        facts.opinion,
        paths,
        shell,
        facts.server,
        facts.definitions,
        facts.annotations,
        facts.caller,
        facts.arguments,
    )


def _of_host(facts: Facts, host: str) -> Piece:
    return Piece(_narrowed(facts, Effects(connects=frozenset((host,)))), host)


def _sorted_hosts(facts: Facts) -> list[str]:
    return sorted(facts.effects.connects)


def _only_text(facts: Facts) -> str:
    return next((facts.places.shown(path.named) for path in facts.paths), next(iter(facts.effects.connects), ""))
