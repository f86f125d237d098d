"""A question to a person as a small machine: keys and texts go in, an answer comes out. Pure.

Both skins of the terminal use it: the one where a key is a key, and the plain one where it is a line.
"""

from __future__ import annotations

import json

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import (
    Always,
    Answer,
    EditArguments,
    Once,
    PlanConfirmation,
    QuestionConfirmation,
    Reject,
    Reply,
)
from handrail.contract.values import value
from handrail.runtime.answers import QUESTIONS, in_words, kind_of
from handrail.runtime.edits import check_edit
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.typed import typed_object
from handrail.surfaces.terminal.forms import blank_form
from handrail.surfaces.terminal.steps import Result, Step, Stop, Toggled, Wants

MOST_NUMBERED = 9
"""Choices that have a digit."""


@value
class Choice:
    """A key and what it means."""

    key: str
    label: str
    step: Step


class Dialog:
    """One question. Which keys it takes may change while options are chosen."""

    def __init__(self, call: AwaitingApproval) -> None:
        self.call = call
        self._chosen: tuple[int, ...] = ()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """In the order in which they are shown."""
        no = Choice("n", "no, and say why", Wants.FEEDBACK)
        match self.call.confirmation:
            case PlanConfirmation(next_modes=modes):
                return (*_plan_choices(modes), no, _STOP)
            case QuestionConfirmation() as asked if kind_of(self.call) in QUESTIONS:
                return (*self._options(asked), Choice("n", "no answer, and say why", Wants.FEEDBACK), _STOP)
            case _:
                offers = tuple(
                    Choice(str(number), f"yes, and always: {printable(offer.label)}", Always(offer))
                    for number, offer in enumerate(self.call.offers[:MOST_NUMBERED], 1)
                )
                edit = Choice("e", "edit the arguments", Wants.ARGUMENTS)
                return (Choice("y", "yes, once", Once()), *offers, edit, no, _STOP)

    @property
    def starts_with(self) -> Wants | None:
        """What is typed at once: there is nothing to choose from."""
        asked = self.call.confirmation
        if not isinstance(asked, QuestionConfirmation) or asked.options:
            return None
        return Wants.REPLY if asked.form is None else Wants.FORM

    def press(self, key: str) -> Step | None:
        """None: the key means nothing here."""
        step = next((choice.step for choice in self.choices if choice.key == key), None)
        if isinstance(step, Toggled):
            self._chosen = step.chosen
        return step

    def prefilled(self, wants: Wants) -> str:
        """What stands there to be edited."""
        if wants is Wants.ARGUMENTS:
            return _as_json(self.call.invocation.arguments)
        asked = self.call.confirmation
        if wants is Wants.FORM and isinstance(asked, QuestionConfirmation) and asked.form is not None:
            return _as_json(blank_form(asked.form))
        return ""

    def typed(self, wants: Wants, text: str) -> Answer:
        """Raises UsageError for what can't be used, with what is wrong."""
        match wants:
            case Wants.FEEDBACK:
                return Reject(text.strip())
            case Wants.REPLY:
                return Reply(text)
            case Wants.FORM:
                return Reply(typed_object(text))
            case Wants.ARGUMENTS:
                tool, arguments = self.call.invocation.tool, typed_object(text)
                check_edit(tool.name, tool.parameters, arguments)
                return EditArguments(arguments)

    def _options(self, asked: QuestionConfirmation) -> tuple[Choice, ...]:
        own = Choice("r", "in your own words", Wants.FORM if asked.form is not None else Wants.REPLY)
        if not asked.options:
            return (own,)
        meanings = (*asked.descriptions, *[""] * len(asked.options))
        labels = [
            printable(f"{option}: {meaning}" if meaning else option)
            for option, meaning in zip(asked.options[:MOST_NUMBERED], meanings, strict=False)
        ]
        if not asked.several:
            options = [
                Choice(str(number), label, Reply(asked.options[number - 1])) for number, label in enumerate(labels, 1)
            ]
            return (*options, own)
        boxes = [
            Choice(str(number), f"[{'x' if number in self._chosen else ' '}] {label}", Toggled(self._toggled(number)))
            for number, label in enumerate(labels, 1)
        ]
        chosen: list[Json] = [asked.options[number - 1] for number in self._chosen]
        return (*boxes, *([Choice("y", "these", Reply(chosen))] if chosen else []), own)

    def _toggled(self, number: int) -> tuple[int, ...]:
        return tuple(sorted({number} ^ {*self._chosen}))


def said_in_words(result: Result) -> str:
    """For whoever reads later what was answered."""
    match result:
        case Stop():
            return result.value
        case Reply(str() as text):
            return text
        case Reply(list() as several):
            return ", ".join(map(str, several))
        case Reply(value):
            return json.dumps(value, ensure_ascii=False)
        case _:
            return in_words(result)


_STOP = Choice("s", Stop.TURN.value, Stop.TURN)


def _plan_choices(modes: tuple[str, ...]) -> list[Choice]:
    """A plain yes goes on in the first mode."""
    if not modes:
        return [Choice("y", "yes, go on", Once())]
    more = [
        Choice(str(number), f"yes, and go on in mode {mode}", Reply(mode)) for number, mode in enumerate(modes[1:], 2)
    ]
    return [Choice("y", f"yes, and go on in mode {modes[0]}", Once()), *more]


def _as_json(arguments: JsonObject) -> str:
    return json.dumps(arguments, indent=2, ensure_ascii=False)
