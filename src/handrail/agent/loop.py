"""The loop: ask the model, carry out its calls, give it the results, again, until it makes no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

from handrail.agent.compacting import Shorter, is_full, summed_up, without_old_results
from handrail.agent.conversation import CarriedOut, Conversation, Entry, messages_of
from handrail.agent.events import Compacted, Ended, Finished, TurnEnded
from handrail.agent.hands import Hands
from handrail.agent.limits import Limits
from handrail.agent.model import Model, ModelRequest, Stop, Usage, Waiting
from handrail.agent.models.known_models import cost_of, why_no_money_limit
from handrail.agent.responding import Responding, Tell
from handrail.agent.run import Run
from handrail.agent.spent import ForServers, Spent
from handrail.agent.tokens import estimated, tokens_of
from handrail.errors import HandrailError, ModelError, ModelFault, UsageError, WireError
from handrail.runtime.guard import Returned, guarded_call
from handrail.runtime.turns import Turn
from handrail.wire.user import in_turn

MOST_CUTS = 3
"""Responses in a row that may break off; then the model is given up."""
MOST_LENGTHS = 3
"""Responses in a row that may reach the most tokens of an answer."""


Halt: TypeAlias = Callable[[Turn], str | None]
"""A hook of whoever opened the agent: why the work is to end after this turn; None to go on."""

SaidMeanwhile: TypeAlias = Callable[[], Iterable[str]]
"""What the user has said since it was last asked, each message once."""

_SENT_AGAIN = frozenset({ModelFault.CUT, ModelFault.UNREADABLE})
"""What may go better when the same is asked again; all else the model's client has tried itself, or can't be helped."""

_CUT_OFF = (
    "Your last answer reached the most tokens that an answer may have, and broke off there. A call that was not "
    "complete was not run. Go on where it broke off, in smaller steps."
)


class Surroundings(Protocol):
    """What the model is told beside the conversation."""

    def system(self) -> str:
        """The same for a whole conversation, so that providers can cache it."""
        ...

    @property
    def has_news(self) -> bool:
        """Something has come that the model is to hear before it may end."""
        ...

    def news(self) -> Iterable[str]:
        """What has changed since the last request; each is told once."""
        ...

    def forget(self, *, told: bool) -> None:
        """The conversation was made shorter: what was shown of files is not in it, nor, if so, what was `told`."""
        ...


class Loop:
    """One conversation with a model, and the hands that its calls are carried out by."""

    def __init__(
        self,
        hands: Hands,
        model: Model,
        conversation: Conversation,
        surroundings: Surroundings,
        limits: Limits,
        clock: Callable[[], float],
        id: str = "agent",
    ) -> None:
        """`clock` gives seconds that only grow. `id` begins the ids of the turns."""
        self.model = model
        self.conversation = conversation
        self.limits = limits
        self.spent = Spent()
        self._told = (0, 0)
        """Tokens that the provider counted last, and how many entries these were."""
        self._asking: asyncio.Task[Shorter | None] | None = None
        """For a summary."""
        self.parked = ""
        """The turn that waits for somebody outside."""
        self.halts: list[Halt] = []
        """Asked after each turn whether the work is to end there."""
        self.said_meanwhile: SaidMeanwhile | None = None
        self.employer: Loop | None = None
        """Whose limits hold for this one, too; None for the main one."""
        self.hands = hands
        self._surroundings = surroundings
        self.clock = clock
        self._id = id
        self._responding: Responding | None = None
        self._stopped: str | None = None
        self._late = ""
        self._run: Run | None = None
        self._count = 0

    def begin(self) -> None:
        """Before what the user says: what stopped the work before is over, what stops this one from here on counts, and
        it has all its limits before it."""
        self._stopped, self._late, self._run = None, "", None

    async def work(self, tell: Tell) -> Finished:
        """Goes on with the conversation as it stands. Never raises, but for cancellation."""
        begun = self.clock()
        run = self._run = self._run or Run(self.spent, begun)
        alarm = self._alarm()
        try:
            while (ended := self._ended_early(run)) is None:
                if (ended := await self._step(run, tell)) is not None:
                    break
        except HandrailError as error:
            ended = Finished(Ended.FAILED, why=str(error))
        finally:
            self._responding = None
            self.spent += Spent(seconds=self.clock() - begun)
            if alarm is not None:
                alarm.cancel()
        return replace(self._interrupted() or ended, text=run.said)

    async def stop(self, reason: str, *, by_person: bool = False) -> None:
        """The model and all its calls are stopped, and each call is answered; `work` then comes to its end."""
        self._stopped = reason
        if self._asking is not None:
            self._asking.cancel()
        if self._responding is not None:
            await self._responding.stop(reason, by_person=by_person)
        elif self.parked:
            await self.hands.cancel_turn(self.parked, reason, by_person=by_person)

    async def go_on(self, *, anyhow: bool) -> None:
        """Takes up the parked turn, once its calls are answered. `anyhow`: those that still wait are cancelled."""
        if self.parked and anyhow:
            await self.hands.cancel_turn(self.parked, "they said something else", by_person=True)
        if self.parked:
            self.resumed(await self.hands.resume(self.parked))

    def resumed(self, turn: Turn) -> None:
        """What became of the parked turn. Whoever resumed it may say so, and more than one: it is told once."""
        if turn.id == self.parked and not turn.waiting:
            self.parked = ""
            self.conversation.carried_out(turn)

    def _alarm(self) -> asyncio.Task[None] | None:
        """Stops the work when its time is over, in the middle of a call too."""
        seconds = self.left().seconds
        return asyncio.get_running_loop().create_task(self._stop_after(seconds)) if seconds else None

    async def _stop_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._late = f"it worked for {self.limits.seconds:g} s, the most that it may"
        if self._asking is not None:
            self._asking.cancel()
        if self._responding is not None:
            await self._responding.stop(self._late)

    async def _step(self, run: Run, tell: Tell) -> Finished | None:
        """One response, carried out. None where the model is to be asked again."""
        turn, broken = await self._respond(run, tell)
        if turn is None:
            return None
        if turn.waiting:
            self.parked = turn.id
            return Finished(Ended.PARKED, why="a call waits for somebody who answers later")
        if broken is None or turn.calls or self._is_ending:
            self.conversation.carried_out(turn)
        return (
            self._interrupted()
            or self._out_of_time()
            or self._halted(turn)
            or (None if broken else self._after(run, turn))
        )

    async def _respond(self, run: Run, tell: Tell) -> tuple[Turn | None, ModelError | None]:
        """The turn, if anything came of it, and what broke its stream off, if anything did.

        Raises ModelError for what asking again does not help, or has not helped.
        """
        self._listen()
        if is_full(self.model, self.used):
            await self._make_room(tell)
            if self._is_ending:
                return None, None
        self._count += 1
        entries = self.conversation.entries
        request = self._request(entries)
        responding = Responding(self.model, request, self.hands, f"{self._id}-{self._count}", tell)
        self._responding = responding
        turn = await self._carried_out(responding)
        broken, self._responding = responding.broken, None
        run.turns += 1
        self._account(responding.ended.usage or self._estimated(request, turn))
        if responding.ended.usage.input:
            self._told = (responding.ended.usage.input, len(entries))
        run.last, run.said = responding.ended.stop, (turn.response.text if turn else "") or run.said
        if turn is not None:
            tell(TurnEnded(turn))
        if broken is None or self._is_ending:
            run.cuts, run.compacted = 0, False
        elif broken.fault is ModelFault.TOO_LONG and not run.compacted:
            run.compacted = True
            await self._make_room(tell, anyhow=True)
        elif broken.fault not in _SENT_AGAIN or run.cuts == MOST_CUTS:
            self._keep(turn)
            raise broken
        else:
            run.cuts += 1
            tell(Waiting(0.0, str(broken)))
        return turn, broken

    def _listen(self) -> None:
        """What has come since the last request: from the user first. Raises HandrailError where it can't be had."""
        if self.said_meanwhile is not None:
            said = guarded_call(partial(_all_of, self.said_meanwhile))
            if not isinstance(said, Returned):
                raise UsageError(f"what the user said meanwhile could not be had: {said.message}")
            for text in said.value:
                self.conversation.tell(text)
        for note in self._surroundings.news():
            self.conversation.note(note)

    def _estimated(self, request: ModelRequest, turn: Turn | None) -> Usage:
        """Of a response whose tokens nobody counted: a limit of what may be spent holds all the same."""
        if turn is None or not self._counts:
            return Usage()
        said = tokens_of((CarriedOut(turn.response, ()),))
        return Usage(self.used + estimated(request.system), output=said)

    @property
    def _counts(self) -> bool:
        return bool(self.limits.tokens or self.limits.money)

    def _request(self, entries: Sequence[Entry]) -> ModelRequest:
        messages = in_turn(messages_of(entries, self.model.wire), self.model.wire)
        return ModelRequest(self._surroundings.system(), messages, self.hands.menu(self.model.name))

    @property
    def used(self) -> int:
        """Tokens of the window that the conversation takes: as the provider said last, with what came since."""
        told, entries = self._told
        return told + tokens_of(self.conversation.entries[entries:])

    async def compact(self) -> Compacted | None:
        """Has the model sum the conversation up. None where there is nothing to gain. Raises ModelError."""
        before, entries = self.used, self.conversation.entries
        asking = self._asking = asyncio.get_running_loop().create_task(
            summed_up(self.model, entries, self._request, partial(self._account, turns=0))
        )
        try:
            shorter = await asyncio.shield(asking)
        except asyncio.CancelledError:
            if self._is_ending and asking.cancelled():
                return None
            raise
        finally:
            asking.cancel()
            self._asking = None
        if shorter is None:
            return None
        came = self.conversation.entries[len(entries) :]  # a turn that was parked may be resumed meanwhile
        return self._shortened(Shorter((*shorter.entries, *came)), before)

    async def _make_room(self, tell: Tell, *, anyhow: bool = False) -> None:
        """Old results go first; where that is not enough, the model sums up what was before the newest entries.

        `anyhow`: it was not enough, whatever is estimated. Without a summary it goes on as it is.
        """
        before = self.used
        cleared = without_old_results(self.conversation.entries)
        compacted = None if cleared is None else self._shortened(cleared, before, told=False)
        if is_full(self.model, self.used) or anyhow:
            with suppress(ModelError):
                compacted = await self.compact() or compacted
        if compacted is not None:
            tell(Compacted(before, self.used))

    def clear(self) -> None:
        """Forgets the conversation."""
        self.conversation.replace(())
        self._told = (0, 0)
        self._surroundings.forget(told=True)

    def _shortened(self, shorter: Shorter, before: int, *, told: bool = True) -> Compacted:
        self.conversation.replace(shorter.entries)
        self._told = (0, 0)
        self._surroundings.forget(told=told)
        return Compacted(before, self.used)

    async def _carried_out(self, responding: Responding) -> Turn | None:
        """None where nothing came that could be carried out; `responding.broken` says why."""
        try:
            return await responding.carry_out()
        except WireError as error:
            responding.broken = responding.broken or ModelError(ModelFault.UNREADABLE, str(error))
            return None

    def _keep(self, turn: Turn | None) -> None:
        """What ran before the model was given up."""
        if turn is not None and turn.calls and not turn.waiting:
            self.conversation.carried_out(turn)

    def _after(self, run: Run, turn: Turn) -> Finished | None:
        """What follows a whole response."""
        match run.last:
            case Stop.LENGTH if run.lengths < MOST_LENGTHS:
                run.lengths += 1
                self.conversation.note(_CUT_OFF)
                return None
            case Stop.LENGTH:
                return Finished(Ended.FAILED, why="its answers reached the most tokens of an answer again and again")
            case Stop.REFUSED if not turn.calls:
                return Finished(Ended.FAILED, why=f"{self.model.name} would not go on; ask for it in another way")
            case Stop.PAUSED:
                return None
        run.lengths = 0
        return Finished(Ended.DONE) if turn.done and not self._surroundings.has_news else None

    @property
    def _is_ending(self) -> bool:
        return self._stopped is not None or bool(self._late)

    def _interrupted(self) -> Finished | None:
        return None if self._stopped is None else Finished(Ended.INTERRUPTED, why=self._stopped)

    def _ended_early(self, run: Run) -> Finished | None:
        return self._interrupted() or self._out_of_time() or run.made_all(self.limits) or self.limit_reached()

    def limit_reached(self) -> Finished | None:
        """Of what may be spent."""
        return self._unpriced() or self._spent_up()

    def _unpriced(self) -> Finished | None:
        """A limit that can't be kept is one that is reached."""
        why = why_no_money_limit(self.model) if self.limits.money else ""
        return Finished(Ended.MONEY, why=why) if why else None

    def _spent_up(self) -> Finished | None:
        """Its own limits, and those of whoever it works for, which all that work at the same time use up together."""
        own = None if self._run is None else self._run.spent_up(self.limits, self.spent)
        return own or (None if self.employer is None else self.employer._spent_up())

    def _out_of_time(self) -> Finished | None:
        return Finished(Ended.TIME, why=self._late) if self._late else None

    def _halted(self, turn: Turn) -> Finished | None:
        """A hook that fails ends the work, too: what it was to prevent may come next."""
        for halt in self.halts:
            said = guarded_call(partial(halt, turn))
            why = said.value if isinstance(said, Returned) else f"a hook failed: {said.message}"
            if why is not None:
                return Finished(Ended.HOOK, why=why)
        return None

    def left(self) -> Limits:
        """What a subagent may spend of what is left of this work."""
        return self.limits if self._run is None else self._run.left(self.limits, self.spent, self.clock())

    def _account(self, usage: Usage, turns: int = 1) -> None:
        self._add(Spent(usage, cost_of(self.model, usage), turns))

    def answered_server(self, model: Model, usage: Usage, estimate: Usage) -> None:
        """A server had the model answer, as part of this work. `usage` may be nothing, where nobody counted."""
        used = usage or (estimate if self._counts else Usage())
        money = cost_of(model, used)
        self._add(Spent(used, money, for_servers=ForServers(1, used, money)))

    def _add(self, spent: Spent) -> None:
        """What a subagent uses counts as its employer's at once; the time it takes is part of that one's."""
        self.spent += spent
        if self.employer is not None:
            self.employer._add(spent)


def _all_of(said: SaidMeanwhile) -> tuple[str, ...]:
    return tuple(said())
