"""What has to be asked about a call before it may run, in the order in which it is asked. Pure.

First what no allow rule answers: checks, ask rules, deny rules that may hold, the tool's opinion, `always`. Then,
unless rules allow the whole call, what the tool's `needs_approval` says, and the mode's default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from handrail.contract.decision import Decision, FromTool
from handrail.contract.values import value
from handrail.policy import checks, grants
from handrail.policy.coverage import Coverage
from handrail.policy.facts import Facts
from handrail.policy.modes import ASK
from handrail.policy.patterns import Match
from handrail.policy.pieces import Piece
from handrail.policy.policy import Policy
from handrail.policy.reasons import by_rule, not_ruled_out
from handrail.policy.rules import LIFTS_ALWAYS, Hit
from handrail.policy.wording import sentence


@value
class Question:
    """One thing to ask a person about."""

    decision: Decision
    id: str = ""
    """What a grant answers it by; empty where no grant does."""
    pieces: tuple[Piece, ...] = ()
    """What it is about."""

    def granted(self, policy: Policy) -> tuple[grants.Grant, ...]:
        """Grants that together answer it, one for each piece; none where any piece has none."""
        if not self.id or not policy.grants or any(is_opaque(piece) for piece in self.pieces):
            return ()
        found = [_grant_for(self.id, piece.facts, policy.grants) for piece in self.pieces]
        return tuple(grant for grant in found if grant is not None) if None not in found else ()


def questions(call: Coverage, policy: Policy) -> Iterator[Question]:
    """All that is to be asked, answered by grants or not."""
    yield from _fixed(call, policy)
    if call.uncovered or call.allowing is None:
        yield from _needed(call)
        yield from _by_mode(call, policy)


def is_opaque(piece: Piece) -> bool:
    shell = piece.facts.shell
    return shell is not None and bool(shell.opaque or any(part.opaque for part in shell.parts))


def _fixed(call: Coverage, policy: Policy) -> Iterator[Question]:
    facts = call.facts
    yield from (Question(decision) for decision in checks.asks(facts))
    for rule in policy.denies.that_may_hold(facts):
        if (hit := rule.reach(facts)) is not None and hit.match is Match.MAYBE:
            yield Question(not_ruled_out(hit, facts))
    for rule in policy.asks.that_may_hold(facts):
        if (hit := rule.reach(facts)) is not None:
            yield _asked_by_rule(hit, call)
    if facts.opinion is not None and facts.opinion.outcome == "ask":
        yield Question(Decision(ASK, FromTool(), sentence(f"{facts.tool} itself asks: {facts.opinion.reason}")))
    if facts.approval == "always" and not lifts_always(call, policy):
        yield Question(
            Decision(ASK, FromTool(), f"{facts.tool} is approved every time, unless an allow rule names it.")
        )


def _asked_by_rule(hit: Hit, call: Coverage) -> Question:
    """An answer is remembered where the rule says so, and surely holds; it must speak of all that the rule reaches."""
    if hit.match is not Match.YES:
        return Question(not_ruled_out(hit, call.facts))
    if not hit.rule.grantable:
        return Question(by_rule(hit.rule, hit.part))
    taken = [each.piece for each in call.judged]
    reached = [piece for piece in taken if hit.rule.reach(piece.facts) is not None]
    return Question(by_rule(hit.rule, hit.part), hit.rule.id, tuple(reached or taken))


def lifts_always(call: Coverage, policy: Policy) -> bool:
    """An allow rule that names the tool itself, written by a person outside the workspace, covers the call."""
    facts = call.facts
    return any(
        rule.scope in LIFTS_ALWAYS
        and rule.names_exactly(facts.names)
        and rule.when.cover(facts)
        and all(rule.covers(each.piece.facts) for each in call.judged)
        for rule in policy.allows.that_may_cover(facts)
    )


def _needed(call: Coverage) -> Iterator[Question]:
    """What `needs_approval` asks about; the pieces that rules allow are answered."""
    facts, asked = call.facts, tuple(each.piece for each in call.uncovered)
    match facts.approval:
        case "ask":
            reason = f"{facts.tool} says that this call needs approval."
            yield Question(Decision(ASK, FromTool(), reason), grants.ASKED_BY_TOOL, asked)
        case "once":
            yield Question(
                Decision(ASK, FromTool(), f"{facts.tool} needs to be approved once."), grants.ASKED_ONCE, asked
            )


def _by_mode(call: Coverage, policy: Policy) -> Iterator[Question]:
    """One question for each piece that the mode asks about, and no rule allows."""
    if call.facts.approval == "never":
        return
    id = grants.asked_by_mode(policy.decides_as)
    for each in call.judged:
        if each.rule is None and each.by_mode.outcome is ASK:
            yield Question(each.by_mode, id, (each.piece,))


def _grant_for(question: str, piece: Facts, granted: Iterable[grants.Grant]) -> grants.Grant | None:
    return next((g for g in granted if grants.answers(g, question, piece) and grants.covers(g, piece)), None)
