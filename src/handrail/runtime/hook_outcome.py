"""What all hooks together say about a call, and the decision that comes of it. Pure: the strictest wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.contract.basics import JsonObject
from handrail.contract.decision import Decision, FromHook, FromMode, FromTool, Outcome
from handrail.contract.hooks import AddContext, Allow, Ask, Block, Reply
from handrail.contract.values import value
from handrail.policy import Facts

_STRICTNESS = (Block, Ask, Allow)


@value
class Said:
    """One reply, and the hook that gave it."""

    hook: str
    reply: Reply


@value
class Note:
    """Text for the model, and the hook that adds it."""

    hook: str
    text: str


@value
class Hooked:
    """What the hooks said before a call, about these arguments."""

    arguments: JsonObject
    said: tuple[Said, ...] = ()
    rewriters: tuple[str, ...] = ()
    """The hooks that changed the arguments, in their order."""

    @property
    def verdict(self) -> Said | None:
        """The strictest opinion; of several equal ones, the first."""
        opinions = [said for said in self.said if isinstance(said.reply, _STRICTNESS)]
        return min(opinions, key=lambda said: _STRICTNESS.index(type(said.reply)), default=None)

    @property
    def blocks(self) -> Decision | None:
        verdict = self.verdict
        return blocked_by(verdict) if verdict is not None and isinstance(verdict.reply, Block) else None

    @property
    def notes(self) -> tuple[Note, ...]:
        return notes_of(self.said)


def notes_of(said: Sequence[Said]) -> tuple[Note, ...]:
    return tuple(Note(one.hook, one.reply.text) for one in said if isinstance(one.reply, AddContext))


def blocked_by(said: Said) -> Decision:
    reason = said.reply.reason if isinstance(said.reply, Block) else ""
    return Decision(Outcome.DENY, FromHook(said.hook), _because(f"The hook {said.hook} blocks it", reason))


def decided_with(hooked: Hooked, decision: Decision, facts: Facts) -> Decision:
    """The policy's decision, as far as the hooks let it stand.

    A block denies. An ask is asked where the policy would allow, or where only the mode or the tool's need
    asks. An allow answers what only the mode asks, and never an opaque command.
    """
    verdict = hooked.verdict
    if verdict is None or decision.outcome is Outcome.DENY:
        return decision
    match verdict.reply:
        case Block():
            return blocked_by(verdict)
        case Ask(reason) if decision.outcome is Outcome.ALLOW or isinstance(decision.source, FromMode | FromTool):
            asked = _because(f"The hook {verdict.hook} asks about it", reason)
            return replace(decision, outcome=Outcome.ASK, source=FromHook(verdict.hook), reason=asked)
        case Allow(reason) if decision.outcome is Outcome.ASK and _only_the_mode_asks(decision, facts):
            allowed = _because(f"The hook {verdict.hook} allows it", reason)
            return replace(decision, outcome=Outcome.ALLOW, source=FromHook(verdict.hook), reason=allowed)
        case _:
            return decision


def _only_the_mode_asks(decision: Decision, facts: Facts) -> bool:
    opaque = facts.shell is not None and bool(facts.shell.opaque or facts.shell.unjudged)
    return isinstance(decision.source, FromMode) and not decision.needs_person and not opaque


def _because(what: str, reason: str) -> str:
    text = f"{what}: {reason}" if reason.strip() else what
    return text if text.endswith((".", "!", "?")) else f"{text}."
