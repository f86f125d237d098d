from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

import pytest
from authoring_context import WORKSPACE, context, run
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from handrail.authoring.define import define_tool
from handrail.authoring.function_tool import FunctionTool, tool
from handrail.contract.confirmation import InfoConfirmation
from handrail.contract.context import Output
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import ErrorKind, ImagePart, JsonPart, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool, Writes
from handrail.errors import ToolDefinitionError, ToolFailed


class Tide(BaseModel):
    port: str
    metres: float = Field(default=1.0)


@dataclass
class Span:
    start: date
    end: date | None = None


class Style(TypedDict):
    colour: str


@tool
async def get_tide(port: str, days: int = 1) -> Tide:
    """Looks up the tide."""
    return Tide(port=port, metres=days)


async def test_a_tool_is_still_the_function_it_was_made_of():
    assert await get_tide("Brest", days=2) == Tide(port="Brest", metres=2)
    assert (get_tide.__name__, get_tide.__doc__) == ("get_tide", "Looks up the tide.")
    assert isinstance(get_tide, FunctionTool)
    assert isinstance(get_tide, Tool)


def test_a_bare_decorator_takes_name_and_description_from_the_function():
    assert (get_tide.name, get_tide.description, get_tide.kind) == ("get_tide", "Looks up the tide.", Kind.OTHER)
    assert (get_tide.on_cancel, get_tide.timeout, get_tide.needs_approval) == ("cancel", None, None)


def test_every_option_is_the_tools_attribute_of_that_name():
    options = {
        "title": "The tide",
        "description": "Other words.",
        "kind": Kind.SEARCH,
        "aliases": ("tide",),
        "needs_approval": "once",
        "client_side": True,
        "on_cancel": "finish",
        "timeout": 3.0,
        "max_result_chars": 100,
        "output_is_markdown": True,
        "defers_loading": True,
    }

    @tool(name="lookup", **options)
    async def get(port: str) -> None:
        """Not these."""

    assert get.name == "lookup"
    assert {name: getattr(get, name) for name in options} == options


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"need_approval": "always"}, "there is no option 'need_approval'; the options are: title, description"),
        (
            {"needs_approval": "allways"},
            "needs_approval is 'allways'; it can be: True, False, 'always', 'never', 'once', a fun",
        ),
        ({"needs_approval": 1}, "needs_approval is 1; it can be"),
        ({"on_cancel": "stop"}, "on_cancel is 'stop'; it can be: 'cancel' or 'finish'"),
        ({"kind": "reading"}, "kind is 'reading'; it can be: 'read', 'search'"),
        ({"timeout": 0}, "timeout is 0; it can be: a number of seconds, more than 0, or None"),
        ({"timeout": "5"}, "timeout is '5'; it can be: a number of seconds"),
        ({"aliases": "tide"}, "aliases is 'tide'; it can be: a tuple of names"),
        ({"effects": Claims.nothing()}, "effects is Claims.*; it can be: a function of the checked arguments"),
        ({"name": "get tide"}, "'get tide' can't name a tool"),
    ],
)
def test_an_option_that_would_be_lost_is_refused(options, problem):
    with pytest.raises(ToolDefinitionError, match=problem):
        tool(**{"name": "get", **options})(lambda: None)


def test_effects_are_unknown_unless_kind_or_author_say_otherwise():
    @tool
    def act(path: str) -> None: ...

    @tool(kind=Kind.READ)
    def look(path: str) -> None: ...

    @tool(effects=lambda params: Claims(writes=(PathClaim(params.path),)))
    def write(path: str) -> None: ...

    claims = [made.bind({"path": "a"}).claims() for made in (act, look, write)]
    assert claims == [Claims.unknown(), Claims.nothing(), Claims(writes=(PathClaim("a"),))]


def test_effects_are_said_in_one_place():
    with pytest.raises(ToolDefinitionError, match="has marked parameters and effects=; say in one place"):

        @tool(effects=lambda params: Claims.nothing())
        def write(path: Annotated[Path, Writes]) -> None: ...


async def test_a_marked_path_arrives_as_seen_from_the_workspace():
    @tool
    def touch(
        path: Annotated[Path, Writes],
        texts: Annotated[list[str], Reads],
        both: Annotated[dict[Path, Path], Writes],
        maybe: Annotated[Path | None, Reads] = None,
        default: Annotated[Path, Reads("tree")] = Path("."),
        plain: str = "a",
    ) -> list[str]:
        return [str(value) for value in (path, texts, both, maybe, default, plain)]

    result = await run(touch, path="../a", texts=["b", "/c"], both={"d": "e"})
    assert result.parts[0].value == [
        "/harbour/../a",
        "['/harbour/b', '/c']",
        "{PosixPath('/harbour/d'): PosixPath('/harbour/e')}",
        "None",
        "/harbour",
        "a",
    ]


async def test_a_check_sees_the_arguments_and_may_wait():
    def too_far(params, workspace):
        return f"{params.days} days from {workspace.root} is too far" if params.days > 9 else None

    async def slowly(params, workspace):
        return too_far(params, workspace)

    for check in (too_far, slowly):
        made = tool(check=check)(get_tide.__wrapped__)
        assert await made.bind({"port": "Brest", "days": 10}).check(WORKSPACE) == "10 days from /harbour is too far"
        assert await made.bind({"port": "Brest"}).check(WORKSPACE) is None
    assert await get_tide.bind({"port": "Brest"}).check(WORKSPACE) is None


async def test_a_person_sees_every_argument_before_saying_yes():
    invocation = get_tide.bind({"port": "Br\nest", "days": 2})
    assert invocation.describe() == 'get_tide: port="Br\\nest", days=2'
    shown = await invocation.confirmation("files", WORKSPACE)
    assert shown == InfoConfirmation("get_tide", 'port: "Br\\nest"\ndays: 2')


async def test_a_long_call_is_described_in_one_line_and_shown_in_full():
    invocation = tool(title="The tide")(get_tide.__wrapped__).bind({"port": "x" * 300})
    assert invocation.describe() == f'The tide: port="{"x" * 83}…'
    assert "x" * 300 in (await invocation.confirmation("files", WORKSPACE)).text


PICTURE = ImagePart(b"\x89PNG", "image/png")
RETURNED = {
    "text": ("high", TextPart("high")),
    "empty text": ("", TextPart("")),
    "nothing": (None, TextPart("Done.")),
    "an integer": (3, JsonPart(3)),
    "a number": (1.5, JsonPart(1.5)),
    "truth": (True, JsonPart(True)),
    "a list": ([1, "a", None], JsonPart([1, "a", None])),
    "a set": ({1}, JsonPart([1])),
    "a dict": ({1: Path("a")}, JsonPart({"1": "a"})),
    "a model": (Tide(port="Brest"), JsonPart({"port": "Brest", "metres": 1.0})),
    "models in a list": ([Tide(port="Brest")], JsonPart([{"port": "Brest", "metres": 1.0}])),
    "a dataclass": (Span(date(2024, 2, 29)), JsonPart({"start": "2024-02-29", "end": None})),
    "a TypedDict": (Style(colour="red"), JsonPart({"colour": "red"})),
    "an enum of text": (Kind.READ, TextPart("read")),
    "a date": (date(2024, 2, 29), TextPart("2024-02-29")),
    "what JSON has no number for": ([float("inf")], JsonPart(["Infinity"])),
    "a part": (PICTURE, PICTURE),
}


@pytest.mark.parametrize("case", RETURNED.values(), ids=RETURNED)
async def test_what_a_function_returns_is_its_result(case):
    returned, part = case

    @tool
    async def give() -> object:
        return returned

    @tool
    def give_from_a_thread() -> object:
        return returned

    assert await run(give) == await run(give_from_a_thread) == ToolResult((part,))


async def test_a_result_is_passed_on_as_it_is():
    made = ToolResult.of_text("a", data={"b": 1})

    @tool
    async def give() -> ToolResult:
        return made

    assert await run(give) is made


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (
            b"\x89PNG",
            r"give ran and returned 4 bytes, which say nothing of what they are\. It must return text, or an Im",
        ),
        (bytearray(b"a"), "returned 1 bytes"),
        (
            object(),
            r"returned a value of type object that has no JSON: .* It must return text, a ToolResult, or a value",
        ),
        ([{"a": object()}], "returned a value of type list that has no JSON"),
        ({"a": b"\xff"}, "returned a value of type dict that has no JSON: .*invalid utf-8"),
        ((loop := []).append(loop) or loop, "returned a value of type list that has no JSON: .*Circular"),
    ],
    ids=["bytes", "bytearray", "object", "object within", "bytes within", "circle"],
)
async def test_a_value_that_a_model_can_not_be_given_is_a_failure_in_clear_words(returned, problem):
    @tool
    async def give() -> object:
        return returned

    with pytest.raises(ToolFailed, match=problem):
        await run(give)


async def test_an_asynchronous_generator_streams_its_text():
    @tool
    async def count(to: int):
        for number in range(to):
            yield f"{number}\n"

    whole = context()
    result = await count.bind({"to": 3}).run(whole)
    assert count.output_streams
    assert not get_tide.output_streams
    assert whole.output.texts == ["0\n", "1\n", "2\n"]
    assert result == ToolResult.of_text("0\n1\n2\n")


async def test_a_result_that_is_yielded_adds_its_parts_and_ends_the_stream():
    went_on = []

    @tool
    async def build(target: str):
        yield f"building {target}\n"
        yield "warning: old\n"
        yield ToolResult.of_json({"errors": 0})
        went_on.append(True)

    result = await run(build, target="all")
    assert result.parts == (TextPart("building all\nwarning: old\n"), JsonPart({"errors": 0}))
    assert not went_on


async def test_a_stream_without_text_is_done():
    @tool
    async def nothing():
        for text in ():
            yield text

    assert await run(nothing) == ToolResult.of_text("Done.")


async def test_a_stream_of_anything_but_text_is_a_failure():
    @tool
    async def records():
        yield {"a": 1}

    with pytest.raises(ToolFailed, match=r"records ran and yielded a value of type dict\. It must yield strings"):
        await run(records)


async def test_a_stream_that_is_cancelled_is_closed_in_its_own_task():
    started, closed = asyncio.Event(), []

    @tool
    async def endless():
        try:
            yield "on\n"
            started.set()
            await asyncio.Event().wait()
        finally:
            closed.append(asyncio.current_task())

    task = asyncio.create_task(run(endless))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == [task]


async def test_a_plain_function_runs_in_a_thread_while_the_loop_goes_on():
    entered, released = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @tool
    def hold() -> bool:
        loop.call_soon_threadsafe(entered.set)
        released.wait()
        return threading.current_thread() is threading.main_thread()

    task = asyncio.create_task(run(hold))
    await entered.wait()
    released.set()
    assert (await task).parts == (JsonPart(False),)


async def test_functions_that_never_end_take_no_threads_from_others():
    released = threading.Event()
    count = 40
    all_in = threading.Barrier(count + 1)

    @tool
    def hold() -> None:
        all_in.wait()
        released.wait()

    tasks = [asyncio.create_task(run(hold)) for _ in range(count)]
    await asyncio.to_thread(all_in.wait)
    assert await asyncio.to_thread(lambda: "a thread of the loop's own") == "a thread of the loop's own"
    released.set()
    await asyncio.gather(*tasks)


async def test_a_cancelled_thread_is_left_alone_and_its_call_waits_no_longer():
    entered, released, ended = asyncio.Event(), threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @tool
    def hold(output: Output) -> None:
        loop.call_soon_threadsafe(entered.set)
        released.wait()
        output.text("too late to matter")
        ended.set()

    task = asyncio.create_task(run(hold))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended.is_set()
    released.set()
    assert await asyncio.to_thread(ended.wait)


def test_only_a_function_that_can_not_be_stopped_is_given_time_to_finish():
    def plain() -> None: ...
    async def waiting() -> None: ...

    assert (tool(plain).on_cancel, tool(waiting).on_cancel) == ("finish", "cancel")
    assert tool(on_cancel="cancel")(plain).on_cancel == "cancel"


def test_a_function_for_the_client_is_in_no_thread():
    @tool(client_side=True, timeout=5)
    def ask(question: str) -> None: ...

    assert (ask.on_cancel, ask.timeout) == ("cancel", 5)


async def test_after_its_time_a_thread_is_said_to_be_at_work_still():
    released = threading.Event()

    @tool(timeout=0.01)
    def hold() -> None:
        released.wait()

    result = await run(hold)
    released.set()
    assert hold.timeout is None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert result.text == result.fault.message
    assert result.text.startswith("hold did not end within 0.01 seconds. It runs in a thread, which can't be stopped")


async def test_a_timeout_of_the_functions_own_is_its_own_error():
    @tool(timeout=60)
    def fetch() -> None:
        raise TimeoutError("the almanac does not answer")

    with pytest.raises(TimeoutError, match="the almanac does not answer"):
        await run(fetch)


async def test_an_error_in_a_thread_comes_out_as_it_is():
    @tool
    def fail(what: str) -> None:
        raise ToolFailed(what)

    with pytest.raises(ToolFailed, match="no such port"):
        await run(fail, what="no such port")


async def test_an_iterator_that_ends_too_early_does_not_leave_the_call_waiting_for_ever():
    @tool
    def first(of: list[int]) -> int:
        return next(iter(of))

    with pytest.raises(RuntimeError, match="it raised StopIteration"):
        await run(first, of=[])


@pytest.mark.parametrize("waits", [False, True], ids=["in a thread", "on the loop"])
async def test_a_function_that_would_end_the_program_ends_its_call(waits):
    def leave() -> None:
        raise SystemExit(3)

    async def leave_waiting() -> None:
        leave()

    with pytest.raises(ToolFailed, match=r"tried to end the whole program, with exit code 3\."):
        await run(tool(leave_waiting if waits else leave))


async def test_a_plain_function_that_gives_something_to_wait_for_is_waited_for():
    def start(port: str):
        return get_tide(port)

    def stream(n: int):
        async def counted():
            yield str(n)

        return counted()

    assert (await run(tool(start), port="Brest")).parts == (JsonPart({"port": "Brest", "metres": 1.0}),)
    assert (await run(tool(stream), n=3)).text == "3"


async def test_a_tool_for_the_client_is_never_run_here():
    ran = []

    @tool(client_side=True)
    def ask(question: str) -> None:
        ran.append(question)

    assert ask.client_side
    assert ask.bind({"question": "Why?"}).params.question == "Why?"
    with pytest.raises(ToolDefinitionError, match="ask has no function to run: it is for the client"):
        await define_tool(name="ask", parameters={}, client_side=True).bind({}).run(context())
