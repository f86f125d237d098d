"""A decision explained to a person: each part of a command with its verdict, then the whole. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from handrail.contract.decision import Decision, Outcome
from handrail.contract.effects import Effects, PathEffect
from handrail.errors import UsageError
from handrail.policy import Facts, PartVerdict, Policy, offers, part_verdicts
from handrail.policy.near_misses import near_misses
from handrail.surfaces.cli.judged import Judged
from handrail.surfaces.cli.text import bold, dim, printable, tinted
from handrail.surfaces.cli.wrapping import wrapped

_BY_OUTCOME: Mapping[Outcome, Literal["red", "green", "yellow"]] = {
    Outcome.ALLOW: "green",
    Outcome.ASK: "yellow",
    Outcome.DENY: "red",
}
_INDENT = "  "


def explained(tool: str, judged: Judged, *, colour: bool, columns: int = 0) -> Iterator[str]:
    """The lines, from the parts to the whole, and what could be granted. Sentences are broken where words end, to fit
    `columns`, 0 for as many as there are. Raises UsageError for what is no call."""
    facts, policy = judged.facts, judged.policy
    if facts is None or policy is None:
        raise UsageError(judged.decision.reason)
    parts = part_verdicts(facts, policy)
    if parts:
        yield from _tree(parts, colour=colour, columns=columns)
        yield ""
    yield f"{_verdict(judged.decision, colour=colour)}  {bold(printable(tool), colour=colour)} in {policy.mode} mode"
    yield from wrapped(f"{_INDENT}{printable(judged.decision.reason)}", columns)
    source = wrapped(f"{_INDENT}{_source(judged.decision)}", columns)
    yield from (dim(line, colour=colour) for line in source)
    yield from _touched(facts.effects, facts, colour=colour)
    for note in near_misses(facts, policy.rules):
        yield f"{_INDENT}{dim('note', colour=colour)}     {printable(note)}"
    yield from _offered(facts, policy, judged.decision, colour=colour)


def _tree(parts: tuple[PartVerdict, ...], *, colour: bool, columns: int) -> Iterator[str]:
    """Each part below what it stands in; what several parts stand in is named once."""
    before: tuple[str, ...] = ()
    for verdict in parts:
        stands = verdict.part.stands
        shared = next((i for i, (a, b) in enumerate(zip(stands, before, strict=False)) if a != b), None)
        shared = min(len(stands), len(before)) if shared is None else shared
        for depth in range(shared, len(stands)):
            yield f"{_INDENT * depth}{dim(stands[depth], colour=colour)}"
        before = stands
        indent = _INDENT * len(stands)
        yield f"{indent}{_verdict(verdict.decision, colour=colour)}  {printable(verdict.part.text)}"
        why = wrapped(f"{indent}{'':7}{printable(verdict.decision.reason)}", columns)
        yield from (dim(line, colour=colour) for line in why)


def _verdict(decision: Decision, *, colour: bool) -> str:
    """The outcome, five characters wide."""
    return tinted(f"{decision.outcome:<5}", _BY_OUTCOME[decision.outcome], colour=colour)


def _source(decision: Decision) -> str:
    """Who says so; of a rule also its text."""
    rule = decision.rule
    return printable(f"{decision.source}   {rule.text}" if rule is not None else str(decision.source))


def _touched(effects: Effects, facts: Facts, *, colour: bool) -> Iterator[str]:
    if effects.certainty == "unknown":
        yield f"{_INDENT}{dim('touches', colour=colour)}  anything: what it touches is not known"
        return
    lists = (
        ("reads", _shown(effects.reads, facts)),
        ("writes", _shown(effects.writes, facts)),
        ("reaches", sorted(effects.connects)),
    )
    for verb, names in lists:
        if names:
            yield f"{_INDENT}{dim(f'{verb:<7}', colour=colour)}  {printable(', '.join(names))}"


def _shown(paths: frozenset[PathEffect], facts: Facts) -> list[str]:
    """As they were named; a tree ends in a slash."""
    return sorted({facts.places.shown(str(path.named)) + ("/" if path.scope == "tree" else "") for path in paths})


def _offered(facts: Facts, policy: Policy, decision: Decision, *, colour: bool) -> Iterator[str]:
    offered = offers(facts, policy, decision)
    if offered:
        yield f"{_INDENT}{dim('could be granted:', colour=colour)}"
        yield from (f"{_INDENT * 2}{printable(option.label)}" for option in offered)
