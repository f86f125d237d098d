"""Where tools come from, as the terminal tells it; and the prompts of servers, sent by a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from handrail.contract.provider import Condition, PromptArgument, SourceStatus
from handrail.errors import UsageError
from handrail.surfaces.terminal.slash import parsed, prompt_named
from handrail.surfaces.terminal.sources import arguments_of, command_of, news_lines, prompt_of, source_lines


class Told:
    """A prompt of a server."""

    description = "Looks\n at the tides"

    def __init__(self, source: str, name: str, arguments: Sequence[PromptArgument] = ()) -> None:
        self.source, self.name, self.arguments = source, name, arguments

    async def text(self, arguments: Mapping[str, str]) -> str:
        return str(arguments)


PLAN = Told("tides", "plan", (PromptArgument("port", required=True), PromptArgument("day")))


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("/tides:plan Brest", ("tides:plan", "Brest")),
        ("  /tides:plan  ", ("tides:plan", "")),
        ("/etc/hosts:3 is wrong", None),
        ("/etc/hosts", None),
        ("/help", None),
        ("/:plan", None),
        ("/tides:", None),
        ("tides:plan", None),
    ],
)
def test_a_prompt_is_named_by_its_source_and_its_name(typed: str, named: tuple[str, str] | None) -> None:
    assert prompt_named(typed) == named
    assert named is None or parsed(typed) is None


@pytest.mark.parametrize(
    ("rest", "given"),
    [
        ("", {}),
        ("Brest", {"port": "Brest"}),
        ("'St Malo' tomorrow", {"port": "St Malo", "day": "tomorrow"}),
        ("day=today Brest", {"day": "today", "port": "Brest"}),
        ("a=b", {"port": "a=b"}),
    ],
)
def test_arguments_are_given_by_name_or_in_order(rest: str, given: dict[str, str]) -> None:
    assert arguments_of(PLAN, rest) == given


@pytest.mark.parametrize(("rest", "why"), [("a b c", "takes 2 arguments"), ("'a", "can't be read")])
def test_what_fits_no_argument_is_told(rest: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        arguments_of(PLAN, rest)


def test_a_command_is_one_word_that_is_no_path() -> None:
    odd = Told("My tides", "a/b c")
    assert command_of(odd) == "My-tides:a-b-c"
    assert prompt_of("My-tides:a-b-c", [PLAN, odd]) is odd
    with pytest.raises(UsageError, match="there is no prompt /tides:plam; did you mean /tides:plan"):
        prompt_of("tides:plam", [PLAN])


def test_sources_and_prompts_are_listed_and_nothing_in_them_moves_the_terminal() -> None:
    sources = [
        SourceStatus("tides", Condition.READY, "2 tools", ("tide\x1b[2J: no name",)),
        SourceStatus("maps", Condition.STARTING),
    ]
    lines = source_lines(sources, [PLAN])
    assert lines[:1] == ["tides: ready, 2 tools"]
    assert lines[2:] == [
        "maps: starting",
        "",
        "Prompts, sent as if you had typed them:",
        "  /tides:plan port [day]  Looks at the tides",
    ]
    assert "\x1b" not in "".join(lines)
    assert "handrail mcp add" in source_lines([], [])[0]


@pytest.mark.parametrize("condition", Condition)
def test_a_person_hears_unasked_of_what_fails_and_of_logins(condition: Condition) -> None:
    told = news_lines(SourceStatus("tides", condition, "why"))
    expected = condition in (Condition.FAILED, Condition.NEEDS_LOGIN)
    assert told == ([f"tides: {condition.value}, why"] if expected else [])
