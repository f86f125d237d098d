"""Where tools come from beside the built-in ones, as a person sees it; and the prompts that sources have."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from handrail.contract.provider import Condition, Prompt, SourceStatus
from handrail.errors import UsageError
from handrail.policy.spelling import nearest
from handrail.surfaces.cli.text import printable

_TOLD = frozenset((Condition.FAILED, Condition.NEEDS_LOGIN))
"""What a person hears of unasked; what waits for trust is told when the settings are read."""


def source_lines(sources: Iterable[SourceStatus], prompts: Sequence[Prompt]) -> list[str]:
    """For `/mcp`."""
    lines = [line for source in sources for line in (_line(source), *(f"  {each}" for each in source.problems))]
    lines = lines or ["No servers, folders or commands give tools here: handrail mcp add, handrail mcp list."]
    if prompts:
        lines += ["", "Prompts, sent as if you had typed them:", *map(_prompt_line, prompts)]
    return [printable(line) for line in lines]


def news_lines(status: SourceStatus) -> list[str]:
    """What is worth a line when it happens."""
    return [printable(_line(status))] if status.condition in _TOLD else []


def command_of(prompt: Prompt) -> str:
    """`SOURCE:NAME`, in one word that is no path."""
    return _word(f"{prompt.source}:{prompt.name}")


def source_of(command: str, sources: Iterable[SourceStatus]) -> SourceStatus | None:
    """Whose prompt a command can be; None where there is no such source."""
    return next((each for each in sources if command.startswith(f"{_word(each.name)}:")), None)


def prompt_of(command: str, prompts: Sequence[Prompt]) -> Prompt:
    """Raises UsageError for a command that none of them has."""
    named = {command_of(prompt): prompt for prompt in prompts}
    if command not in named:
        near = nearest(command, named)
        raise UsageError(f"there is no prompt /{command}; {f'did you mean /{near}?' if near else '/mcp lists them'}")
    return named[command]


def arguments_of(prompt: Prompt, rest: str) -> Mapping[str, str]:
    """`port=Brest`, or values in the order of the prompt's arguments. Raises UsageError."""
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"the arguments of /{command_of(prompt)} can't be read: {error}") from error
    names = [argument.name for argument in prompt.arguments]
    given: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name in names):
            name, text = next((each for each in names if each not in given), ""), word
        if not name:
            raise UsageError(f"/{command_of(prompt)} takes {len(names)} arguments, and got more: {', '.join(names)}")
        given[name] = text
    return given


def _word(text: str) -> str:
    return "-".join(text.replace("/", " ").split())


def _line(source: SourceStatus) -> str:
    return f"{source.name}: {source.condition.value}{f', {source.detail}' if source.detail else ''}"


def _prompt_line(prompt: Prompt) -> str:
    arguments = " ".join(each.name if each.required else f"[{each.name}]" for each in prompt.arguments)
    about = " ".join(prompt.description.split())
    return f"  /{command_of(prompt)}{f' {arguments}' if arguments else ''}{f'  {about}' if about else ''}"
