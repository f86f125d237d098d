"""Whether a tool says the same every time it is asked the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from handrail.contract.tool import Invocation, Tool
from handrail.runtime.guard import Raised, Returned, guarded_call
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.report import Problem

_ASKED: Mapping[str, Callable[[Invocation], object]] = MappingProxyType({
    "describe()": Invocation.describe,
    "effects()": Invocation.claims,
    "opinion()": Invocation.opinion,
})  # fmt: skip


def said_of(tool: Tool[Any]) -> str:
    """What a model is shown of the tool, as one text: the order of names counts too."""
    return json.dumps([tool.name, tool.description, tool.parameters.schema])


def stability_problems(tool: Tool[Any], example: Example) -> Iterator[Problem]:
    """Binds the example twice, and asks both for all that may depend on the arguments alone."""
    bound = [_bound(tool, example) for _ in range(2)]
    for what, ask in _ASKED.items():
        answers = [guarded_call(partial(ask, invocation)) for invocation in bound if invocation is not None]
        if len(answers) == len(bound):  # an example that doesn't fit is told of elsewhere
            yield from _answer_problems(what, answers, example)


def _bound(tool: Tool[Any], example: Example) -> Invocation | None:
    outcome = guarded_call(lambda: tool.bind(example.arguments))
    return outcome.value if isinstance(outcome, Returned) else None


def _answer_problems(what: str, answers: list[Returned[object] | Raised], example: Example) -> Iterator[Problem]:
    raised = [answer.message for answer in answers if isinstance(answer, Raised)]
    values = [answer.value for answer in answers if isinstance(answer, Returned)]
    if raised:
        yield Problem("determinism", f"{what} of {example} raised {raised[0]}. It may only look at its arguments.")
    elif values[0] != values[1]:
        differ = f"{values[0]!r}, then {values[1]!r}"
        yield Problem("determinism", f"{what} of {example} differs from one time to the next: {differ}.")
    elif what == "describe()" and not _is_line(values[0]):
        yield Problem("determinism", f"{what} of {example} gave {values[0]!r}. Give one line of text, for people.")


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value
