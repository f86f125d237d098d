"""What must hold of a run whose processes died, or lost their journal: read from what is left on the disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from one_life import DIALECTS, Place
from thirty_calls import SCRIPT, attempted, mark_of, marks_left

from handrail.contract.basics import SessionId
from handrail.contract.calls import Approved, Completed, Executing, Interrupted, ObjectArguments, Pending
from handrail.contract.transitions import SETTLED, STATES, transitions
from handrail.runtime.audit import verify
from handrail.runtime.recalled import Trail, recall
from handrail.runtime.recalled_states import settled_state
from handrail.settings.places import journal_file
from handrail.wire import Wire
from servers.conversation import problems
from wire.sdk_types import MESSAGES, problem

_STATES = {state.__name__: state for state in STATES}
_ALLOWED = {state: set(nexts.values()) for state, nexts in transitions().items()}
_QUESTION = {
    Wire.OPENAI_RESPONSES: {"role": "user", "content": "When is high water?"},
    Wire.GEMINI: {"role": "user", "parts": [{"text": "When is high water?"}]},
}
_ELSEWHERE = {"role": "user", "content": "When is high water?"}


@dataclass(frozen=True)
class Journaled:
    """One call in the journal."""

    id: str
    trail: Trail

    @property
    def states(self) -> list[type]:
        return [_STATES[row[0]] for row in self.trail.rows]

    @property
    def last(self) -> type:
        return self.states[-1]

    @property
    def mark(self) -> str:
        call = self.trail.recalled(self.id)
        return mark_of(call.request.name, call.arguments.value) if isinstance(call.arguments, ObjectArguments) else ""

    @property
    def result(self) -> str:
        return settled_state(self.trail.recalled(self.id), None).result.text

    @property
    def may_run_again(self) -> bool:
        """What it declared, when it started, was reading and no more."""
        started = [json.loads(row[2])["effects"] for row in self.trail.rows if row[0] == Executing.__name__]
        return all(effects["read_only"] and effects["certainty"] == "exact" for effects in started)


def journaled(place: Place) -> dict[str, Journaled]:
    """Every call in the journal, by id; none where there is no session yet."""
    if not place.session:
        return {}
    trails = recall(journal_file(place.state, place.workspace), SessionId(place.session)).calls
    return {id: Journaled(id, trail) for id, trail in trails.items()}


def left_wrong(place: Place) -> Iterator[str]:
    """What is wrong at the end of a life, however it ended."""
    calls = journaled(place)
    started = {call.mark for call in calls.values() if Executing in call.states}
    for mark, times in marks_left(place.workspace).items():
        if times > 1:
            yield f"{mark} was done {times} times"
        if mark not in started:
            yield f"{mark} was done, and the journal knows of no start"
    for told in place.kept("told"):
        if told["sure"]:
            yield from _changed(told, calls.get(told["call"]))


def _changed(told: dict[str, Any], call: Journaled | None) -> Iterator[str]:
    if call is None or call.last not in SETTLED:
        yield f"{told['call']} was told as {told['kind']}, which the journal does not have"
    elif (told["kind"], told["text"]) != (call.last.__name__, call.result):
        yield f"{told['call']} was told as {told['kind']}: {told['text']!r}, and became {call.last}: {call.result!r}"


def ended_wrong(place: Place, wire: Wire) -> Iterator[str]:
    """What is wrong when the conversation has come to its end."""
    calls = journaled(place)
    left = marks_left(place.workspace)
    parents = {call.trail.parent for call in calls.values()}
    yield from left_wrong(place)
    for call in calls.values():
        yield from _wrong_way(call, alone=call.trail.parent is None and call.id not in parents)
    for call in calls.values():
        if call.last is Completed and call.mark and not left[call.mark]:
            yield f"{call.id} is completed, and {call.mark} was not done"
        if call.trail.parent and _started_at(call) > calls[call.trail.parent].trail.rows[-1][1]:
            yield f"{call.id} was started after {call.trail.parent} had ended"
    yield from _wanted_by_nobody(place, calls)
    for finding in verify(journal_file(place.state, place.workspace)):
        yield from map(str, finding.flaws)
    yield from _wrong_conversation(place, wire)


def _wanted_by_nobody(place: Place, calls: dict[str, Journaled]) -> Iterator[str]:
    """Calls of a response that broke off with its process, for which the model was asked anew."""
    turns = recall(journal_file(place.state, place.workspace), SessionId(place.session)).turns
    wanted = {id for turn in turns for id in turn.calls}
    restarts = [entry["at"] for entry in place.kept("lives")]
    for call in calls.values():
        if call.trail.parent is None and call.id not in wanted:
            later = [at for at in restarts if at > call.trail.rows[0][1]]
            if later and _started_at(call) > min(later):
                yield f"{call.id} was started after the response that asked for it was lost"


def _started_at(call: Journaled) -> float:
    return max((row[1] for row in call.trail.rows if row[0] == Executing.__name__), default=0.0)


def _wrong_way(call: Journaled, *, alone: bool) -> Iterator[str]:
    """`alone`: it was made by no call, and made none."""
    way = " > ".join(state.__name__ for state in call.states)
    if [state for state in call.states if state in SETTLED] != [call.last]:
        yield f"{call.id} has not exactly one result: {way}"
    if (Approved, Pending) in pairwise(call.states):
        yield f"{call.id} was approved, and decided again: {way}"
    for before, after in pairwise(call.states):
        if after not in _ALLOWED[before] and before is not after:
            yield f"{call.id} went a way that there is not: {way}"
    if call.states.count(Executing) > 1 and not call.may_run_again:
        yield f"{call.id} was started twice: {way}"
    if call.last is Interrupted and call.states[-2:] != [Executing, Interrupted]:
        yield f"{call.id} is interrupted, and had not started: {way}"
    if call.last is Interrupted and alone and call.may_run_again:
        yield f"{call.id} is interrupted, and could do no harm: {way}"


def _wrong_conversation(place: Place, wire: Wire) -> Iterator[str]:
    dialect = DIALECTS[wire]()
    turns: dict[int, Any] = {}
    for entry in place.kept("turns"):
        if entry["sure"] and turns.setdefault(entry["number"], entry["messages"]) != entry["messages"]:
            yield f"the messages of turn {entry['number']} have changed"
    if sorted(turns) != list(range(1, len(SCRIPT) + 1)):
        yield f"the conversation has the turns {sorted(turns)}"
    messages = [_QUESTION.get(wire, _ELSEWHERE), *(message for _, said in sorted(turns.items()) for message in said)]
    for message in messages:
        if wrong := problem(message, MESSAGES[wire]):
            yield f"not a message that the SDK knows: {wrong}"
    steps = dialect.steps(messages)
    said = [attempted(number, place.times_asked(number)) for number in range(1, len(SCRIPT) + 1)]
    yield from problems(steps, [dialect.model_step(turn) for turn in said], alternates=dialect.alternates)
