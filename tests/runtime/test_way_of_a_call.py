"""One call through the whole runtime, in every way it can go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.basics import CallId
from handrail.contract.calls import (
    AwaitingApproval,
    CallForm,
    CallRequest,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    ObjectArguments,
    Pending,
    Rejected,
    SettledState,
)
from handrail.contract.confirmation import Answer, EditArguments, EditConfirmation, InfoConfirmation, Once, Reject
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.events import CallChanged, NoticeGiven, OutputArrived
from handrail.contract.parameters import SchemaParameters
from handrail.contract.ports import Unanswered
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import HandrailError, ToolDefinitionError, UsageError
from handrail.policy import rules_from
from handrail.runtime import scheduler
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool, Fault, FaultyTool, MemoryJournal
from handrail.tools import builtin_tools
from handrail.wire import Wire


class Person:
    """Gives the answers in order; afterwards, waits for ever."""

    surface = "test"

    def __init__(self, *answers: Answer | Unanswered | Callable[[AwaitingApproval], Answer]) -> None:
        self.asked: list[AwaitingApproval] = []
        self._answers = list(answers)

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        self.asked.append(call)
        if not self._answers:
            await asyncio.Event().wait()
        answer = self._answers.pop(0)
        return answer(call) if callable(answer) else answer


Opened = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    @asynccontextmanager
    async def opened(*tools: Any, mode: str = "bypass", rules: Any = (), **parts: Any) -> AsyncIterator[Session]:
        parts.setdefault("journal", MemoryJournal())
        async with Session.open(tmp_path, mode=mode, rules=rules, parts=Parts(tools=tools, **parts)) as session:
            yield session

    return opened


def request(name: str, arguments: dict[str, Any] | None = None, id: str = "c1") -> CallRequest:
    return CallRequest(CallId(id), name, ObjectArguments(arguments or {}), wire_id=id)


async def settled(session: Session, name: str, arguments: dict[str, Any] | None = None) -> SettledState:
    return await session.submit(request(name, arguments)).settled


def stubborn_until(release: asyncio.Event) -> Any:
    """A behaviour that swallows every cancellation until it is let go."""

    async def never_stop(params: Any, context: Any) -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "done after all"

    return never_stop


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (Fault.RAISES, ErrorKind.FAILED, "faulty failed by a fault of its own: ZeroDivisionError: division by zero"),
        (Fault.FAILS, ErrorKind.FAILED, "There is no such thing. Name another."),
        (Fault.WRONG_TYPE, ErrorKind.FAILED, "it returned str, not a ToolResult"),
        (Fault.CANCELS_ITSELF, ErrorKind.FAILED, "it was cancelled from within"),
        (Fault.SILENT, ErrorKind.FAILED, "KeyError"),
    ],
)
async def test_a_faulty_tool_fails_its_own_call_in_words(
    opened: Opened, fault: Fault, kind: ErrorKind, said: str
) -> None:
    async with opened(FaultyTool(fault)) as session:
        state = await settled(session, "faulty")
    assert isinstance(state, Failed)
    assert state.fault.kind is kind
    assert said in state.fault.message
    assert "Traceback" not in state.result.text


async def test_a_tool_that_takes_too_long_is_stopped(opened: Opened) -> None:
    tool = FaultyTool(Fault.HANGS)
    tool.timeout = 0.01
    async with opened(tool) as session:
        state = await settled(session, "faulty")
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.TIMEOUT


async def test_a_huge_result_is_cut_to_its_budget(opened: Opened) -> None:
    async with opened(FaultyTool(Fault.HUGE)) as session:
        state = await settled(session, "faulty")
    assert isinstance(state, Completed)
    assert len(state.result.text) < 41_000


async def test_a_cancelled_call_says_by_whom_and_what_it_had_printed(opened: Opened) -> None:
    running = asyncio.Event()

    async def print_and_wait(params: Any, context: Any) -> str:
        context.output.text("half of it")
        running.set()
        await asyncio.Event().wait()
        return "never"

    async with opened(FakeTool("slow", print_and_wait)) as session:
        live = session.submit(request("slow"))
        await running.wait()
        assert await session.cancel(CallId("c1"), "changed my mind")
        state = live.settled.result()
        assert not await session.cancel(CallId("c1"))
    assert isinstance(state, Cancelled)
    assert "the caller: changed my mind" in state.fault.message
    assert "half of it" in state.fault.message


async def test_a_call_cancelled_before_its_task_ran_has_its_result_too(opened: Opened) -> None:
    tool = FakeTool()
    async with opened(tool) as session:
        live = session.submit(request("fake"))
        await session.cancel(CallId("c1"))
        assert isinstance(live.settled.result(), Cancelled)
    assert tool.calls == []


async def test_a_tool_that_ignores_its_cancellation_is_taken_at_its_word(opened: Opened) -> None:
    async with opened(FaultyTool(Fault.STUBBORN)) as session:
        live = await _until_executing(session, request("faulty"))
        await session.cancel(CallId("c1"))
    assert isinstance(live.settled.result(), Completed)


async def test_a_tool_that_never_stops_leaves_an_interrupted_call(opened: Opened, monkeypatch: Any) -> None:
    monkeypatch.setattr(scheduler, "STUBBORN_GRACE", 0.01)
    release = asyncio.Event()

    async with opened(FakeTool("mule", stubborn_until(release))) as session:
        live = await _until_executing(session, request("mule"))
        await session.cancel(CallId("c1"))
        state = live.settled.result()
        release.set()
    assert isinstance(state, Interrupted)
    assert "nobody knows how it ended" in state.fault.message


async def test_a_finish_tool_gets_time_to_end(opened: Opened) -> None:
    release = asyncio.Event()

    async def save(params: Any, context: Any) -> str:
        await release.wait()
        return "saved"

    tool = FakeTool("save", save)
    tool.on_cancel = "finish"
    async with opened(tool) as session:
        live = await _until_executing(session, request("save"))
        cancelling = asyncio.create_task(session.cancel(CallId("c1")))
        await asyncio.sleep(0)
        release.set()
        await cancelling
    assert isinstance(live.settled.result(), Completed)


async def test_a_finish_tool_that_outlives_its_grace_is_interrupted(opened: Opened, monkeypatch: Any) -> None:
    monkeypatch.setattr(scheduler, "FINISH_GRACE", 0.01)
    tool = FaultyTool(Fault.HANGS)
    tool.on_cancel = "finish"
    async with opened(tool) as session:
        live = await _until_executing(session, request("faulty"))
        await session.cancel(CallId("c1"))
    assert isinstance(live.settled.result(), Interrupted)


async def _until_executing(session: Session, asked: CallRequest) -> Any:
    executing = asyncio.Event()
    session.subscribe(
        lambda event: executing.set() if isinstance(event, CallChanged) and isinstance(event.state, Executing) else None
    )
    live = session.submit(asked)
    await executing.wait()
    await asyncio.sleep(0)
    return live


async def test_children_end_with_their_parent(opened: Opened) -> None:
    async def leave_a_child_behind(params: Any, context: Any) -> str:
        child = asyncio.ensure_future(context.calls.call("faulty", {}))
        child.add_done_callback(lambda done: done.exception() if not done.cancelled() else None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "gone"

    journal = MemoryJournal()
    parent = FakeTool("parent", leave_a_child_behind, makes_calls=True)
    async with opened(parent, FaultyTool(Fault.HANGS), journal=journal) as session:
        assert isinstance(await settled(session, "parent"), Completed)
        children = [state for _, state in journal.states if state.request.parent == "c1"]
        assert isinstance(children[-1], Cancelled)
        assert "the call c1" in children[-1].fault.message


async def test_a_cancelled_parent_takes_its_children_along(opened: Opened) -> None:
    journal = MemoryJournal()
    waiting = asyncio.Event()

    async def hang(params: Any, context: Any) -> str:
        waiting.set()
        await asyncio.Event().wait()
        return "never"

    async def call(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("child", {})

    async with opened(FakeTool("parent", call, makes_calls=True), FakeTool("child", hang), journal=journal) as session:
        live = session.submit(request("parent"))
        await waiting.wait()
        await session.cancel(CallId("c1"))
        assert isinstance(live.settled.result(), Cancelled)
    assert isinstance([s for _, s in journal.states if s.request.parent == "c1"][-1], Cancelled)


@pytest.mark.parametrize(("deliver", "text"), [("late", "from the client"), ("twice", "from the client")])
async def test_a_client_side_call_is_held_until_its_result_comes(opened: Opened, deliver: str, text: str) -> None:
    async with opened(FakeTool("picker", client_side=True)) as session:
        assert not session.deliver(CallId("c1"), ToolResult.of_text("too early"))
        turn = await session.run({"calls": [{"id": "c1", "name": "picker", "arguments": {}}]}, Wire.NEUTRAL)
        assert isinstance(turn.calls[0], Executing)
        assert turn.messages == ()
        live = session.submit(request("picker", id="c2"))
        await live.rest()
        assert session.deliver(CallId("c2"), ToolResult.of_text(text))
        assert not session.deliver(CallId("c2"), ToolResult.of_text("again"))
        state = await live.settled
        assert not session.deliver(CallId("c2"), ToolResult.of_text("later still"))
    assert isinstance(state, Completed)
    assert state.result.text == text


async def test_nothing_with_effects_starts_when_its_start_cannot_be_kept(opened: Opened) -> None:
    tool = FakeTool(claims=Claims.unknown())
    async with opened(tool, journal=MemoryJournal(fails_at=3)) as session:
        state = await settled(session, "fake")
    assert tool.calls == []
    assert isinstance(state, Failed)
    assert "not started" in state.fault.message


async def test_an_outcome_that_cannot_be_kept_is_reported_as_the_journal_will_have_it(opened: Opened) -> None:
    async with opened(FakeTool(claims=Claims.unknown()), journal=MemoryJournal(fails_at=4)) as session:
        state = await settled(session, "fake")
    assert isinstance(state, Interrupted)
    assert "could not be kept" in state.fault.message


class Refusing:
    async def keep(self, call: Any) -> None:
        raise HandrailError("the checkpoint folder is full")


async def test_a_checkpoint_that_fails_stops_the_call(opened: Opened) -> None:
    tool = FakeTool()
    async with opened(tool, checkpoints=Refusing()) as session:
        state = await settled(session, "fake")
    assert isinstance(state, Failed)
    assert "the checkpoint folder is full" in state.fault.message
    assert tool.calls == []


async def test_an_edited_call_is_validated_and_decided_again(opened: Opened, tmp_path: Path) -> None:
    person = Person(EditArguments({"file_path": "b.txt", "content": "edited"}), Once())
    async with opened(*builtin_tools(), mode="default", asker=person) as session:
        state = await settled(session, "write_file", {"file_path": "a.txt", "content": "x"})
    assert isinstance(state, Completed)
    assert [call.invocation.arguments["file_path"] for call in person.asked] == ["a.txt", "b.txt"]
    assert (tmp_path / "b.txt").read_text() == "edited"
    assert "A person changed the arguments" in state.result.text
    assert not (tmp_path / "a.txt").exists()


async def test_an_asker_whose_edit_does_not_fit_the_tool_has_not_said_yes(opened: Opened) -> None:
    person = Person(EditArguments({"file_path": 7}))
    async with opened(*builtin_tools(), mode="default", asker=person) as session:
        state = await settled(session, "write_file", {"file_path": "a.txt", "content": "x"})
    assert isinstance(state, Rejected)
    assert "The one to ask failed (these arguments do not fit write_file" in state.fault.message


async def test_an_edit_into_what_is_denied_is_denied(opened: Opened, tmp_path: Path) -> None:
    person = Person(EditArguments({"file_path": "secret.txt", "content": "x"}))
    rules = rules_from([{"path": "secret.txt", "decision": "deny"}])
    async with opened(*builtin_tools(), mode="default", asker=person, rules=rules) as session:
        state = await settled(session, "write_file", {"file_path": "a.txt", "content": "x"})
    assert isinstance(state, Rejected)
    assert state.fault.kind is ErrorKind.DENIED


@pytest.mark.parametrize("claims", [Claims.nothing(), Claims.unknown()], ids=["nothing", "unknown"])
async def test_rules_on_arguments_hold_for_each_call_of_a_tool_whose_calls_touch_the_same(
    opened: Opened, claims: Claims
) -> None:
    rules = rules_from(
        [
            {"tool": "fake", "args": {"port": "brest"}, "decision": "allow"},
            {"tool": "fake", "args": {"port": "lorient"}, "decision": "deny"},
        ]
    )
    ports = ["brest", "lorient", "brest", "vannes", "lorient"]
    person = Person(Once())
    async with opened(FakeTool(claims=claims), mode="default", asker=person, rules=rules) as session:
        states = [await settled(session, "fake", {"port": port}) for port in ports]
    assert [type(state) for state in states] == [Completed, Rejected, Completed, Completed, Rejected]
    assert len(person.asked) == (1 if claims is Claims.unknown() else 0)


class Careless(FakeTool):
    """Its methods give what they may not."""

    def effects(self, params: Any) -> Any:
        return None

    def opinion(self, params: Any) -> Any:
        return "no"


async def test_a_tool_whose_own_word_is_none_is_taken_to_touch_anything_and_is_asked_about(opened: Opened) -> None:
    person = Person(Once())
    async with opened(Careless(), asker=person) as session:
        state = await settled(session, "fake")
    assert isinstance(state, Completed)
    assert state.effects.certainty == "unknown"
    (asked,) = person.asked
    assert "its own judgement of the call is str, and no Opinion" in asked.decision.reason


class CheckedByNumber(FakeTool):
    async def check(self, params: Any, workspace: Any) -> Any:
        return 7


async def test_a_check_that_gives_no_text_fails_the_call_and_says_so(opened: Opened) -> None:
    async with opened(CheckedByNumber()) as session:
        state = await settled(session, "fake")
    assert isinstance(state, Failed)
    assert state.fault.message == "The arguments could not be checked: the tool's check gave int, and no text"


async def test_a_no_with_feedback_reaches_the_model(opened: Opened) -> None:
    async with opened(*builtin_tools(), mode="default", asker=Person(Reject("use tabs"))) as session:
        state = await settled(session, "write_file", {"file_path": "a.txt", "content": "x"})
    assert isinstance(state, Rejected)
    assert state.fault.kind is ErrorKind.REJECTED
    assert "use tabs" in state.result.text
    assert str(state.decision.source) == "person:test"


async def test_a_yes_is_void_when_what_was_shown_has_changed(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")

    def change_it_first(call: AwaitingApproval) -> Answer:
        file.write_text("two\none\n")
        return Once()

    person = Person(change_it_first, Once())
    async with opened(*builtin_tools(), mode="default", asker=person) as session:
        arguments = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
        state = await settled(session, "edit_file", arguments)
    assert isinstance(state, Completed)
    shown = [call.confirmation for call in person.asked]
    assert [isinstance(c, EditConfirmation) and c.old for c in shown] == ["one\n", "two\none\n"]
    assert file.read_text() == "two\n1\n"


async def test_an_answer_by_id_wins_once(opened: Opened, tmp_path: Path) -> None:
    asked = asyncio.Event()

    class Slow(Person):
        async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
            asked.set()
            return await super().answer(call)

    async with opened(*builtin_tools(), mode="default", asker=Slow()) as session:
        live = session.submit(request("write_file", {"file_path": "a.txt", "content": "x"}))
        await asked.wait()
        (open_question,) = session.pending()
        assert session.answer(open_question.approval, Once(), "elsewhere")
        assert not session.answer(open_question.approval, Reject(), "too late")
        state = await live.settled
        assert session.pending() == ()
        assert not session.answer(open_question.approval, Once(), "much too late")
    assert isinstance(state, Completed)
    assert str(state.decision.source) == "person:elsewhere"


async def test_a_parked_call_goes_on_when_it_is_answered(opened: Opened, tmp_path: Path) -> None:
    async with opened(*builtin_tools(), mode="default", asker=Person(Unanswered.LATER)) as session:
        live = session.submit(request("write_file", {"file_path": "a.txt", "content": "x"}))
        behind = session.submit(request("read_file", {"file_path": "a.txt"}, id="c2"))
        await live.rest()
        await behind.rest()
        assert isinstance(live.state, AwaitingApproval)
        assert session.answer(live.state.approval, Once(), "web")
        assert isinstance(await live.settled, Completed)
        assert "x" in (await behind.settled).result.text
    assert (tmp_path / "a.txt").read_text() == "x"


async def test_a_session_that_closes_leaves_waiting_calls_as_they_are(opened: Opened) -> None:
    journal = MemoryJournal()
    async with opened(*builtin_tools(), mode="default", asker=Person(Unanswered.LATER), journal=journal) as session:
        live = session.submit(request("write_file", {"file_path": "a.txt", "content": "x"}))
        await live.rest()
    assert [type(state) for _, state in journal.states] == [Pending, AwaitingApproval]
    assert journal.closed


async def test_an_id_used_before_in_the_session_is_told_apart(opened: Opened) -> None:
    async with opened(FakeTool()) as session:
        first = await session.submit(request("fake")).settled
        second = await session.submit(request("fake")).settled
    assert (first.request.id, second.request.id) == ("c1", "c1~2")
    assert second.request.wire_id == "c1"


@pytest.mark.parametrize(
    ("rules", "state_type", "approved"),
    [
        ((), Rejected, False),
        (({"tool": "mcp_maps_route", "decision": "allow"},), Completed, True),
        (({"tool": "mcp_maps_*", "decision": "allow"},), Completed, True),
        (({"tool": "*", "decision": "allow"},), Rejected, False),
        (({"tool": "mcp_*", "decision": "allow"},), Rejected, False),
        (({"tool": "mcp_maps*", "decision": "allow"},), Rejected, False),
        (({"tool": "mcp_map?_*", "decision": "allow"},), Rejected, False),
    ],
)
async def test_a_hosted_server_runs_its_tool_only_where_a_rule_allows_it(
    opened: Opened, rules: Any, state_type: type, approved: bool
) -> None:
    asked = CallRequest(
        CallId("r1"), "route", ObjectArguments({"to": "Brest"}), "r1", CallForm.MCP_APPROVAL, server="maps"
    )
    async with opened(mode="bypass", rules=rules_from(rules), asker=Person(Once())) as session:
        state = await session.submit(asked).settled
    assert isinstance(state, state_type)
    assert (state.fault is None) is approved


async def test_a_listener_that_raises_is_dropped_and_the_others_hear_of_it(opened: Opened) -> None:
    heard: list[Any] = []

    async def speak(params: Any, context: Any) -> str:
        context.output.text("hello")
        context.output.progress(2.0, "done")
        return "ok"

    async with opened(FakeTool("talker", speak)) as session:
        session.subscribe(lambda event: {}[event])
        session.subscribe(heard.append)
        assert isinstance(await settled(session, "talker"), Completed)
    assert sum(isinstance(event, NoticeGiven) for event in heard) == 1
    assert [event.text for event in heard if isinstance(event, OutputArrived)] == ["hello"]


async def test_two_sessions_in_one_process_share_nothing(opened: Opened) -> None:
    async with opened(FakeTool("one")) as first, opened(FakeTool("two")) as second:
        assert [tool.name for tool in first.menu().tools] == ["one"]
        assert [tool.name for tool in second.menu().tools] == ["two"]
        assert isinstance(await settled(first, "two"), Failed)


async def test_a_fault_in_the_runtime_itself_still_gives_the_call_its_result(opened: Opened) -> None:
    class Broken(MemoryJournal):
        async def durable(self, sequence: int) -> None:
            if sequence == 3:
                raise ZeroDivisionError("a bug of ours")

    async with opened(FakeTool(claims=Claims.unknown()), journal=Broken()) as session:
        state = await settled(session, "fake")
    assert isinstance(state, Failed)
    assert "The runtime itself failed" in state.fault.message


async def test_an_argument_check_that_raises_fails_the_call_alone(opened: Opened) -> None:
    def explode(arguments: Any) -> Any:
        raise RuntimeError("this validator is broken")

    tool = FakeTool()
    tool.parameters = SchemaParameters({"type": "object"}, explode)
    async with opened(tool, FakeTool("other")) as session:
        state = await settled(session, "fake")
        assert isinstance(await session.submit(request("other", id="c2")).settled, Completed)
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.INVALID_ARGUMENTS
    assert "this validator is broken" in state.fault.message


async def test_a_tool_that_exits_takes_nobody_with_it(opened: Opened) -> None:
    async def leave(params: Any, context: Any) -> str:
        raise SystemExit(3)

    async with opened(FakeTool("leaver", leave)) as session:
        state = await settled(session, "leaver")
    assert isinstance(state, Failed)
    assert "SystemExit: 3" in state.fault.message


async def test_a_session_closes_though_a_tool_swallows_every_cancellation(opened: Opened, monkeypatch: Any) -> None:
    monkeypatch.setattr(scheduler, "STUBBORN_GRACE", 0.01)
    release = asyncio.Event()

    async with opened(FakeTool("mule", stubborn_until(release))) as session:
        live = await _until_executing(session, request("mule"))
    assert isinstance(live.settled.result(), Interrupted)
    release.set()
    assert live.task is not None
    await live.task


async def test_a_result_with_a_part_of_no_known_type_fails_the_call(opened: Opened) -> None:
    async def give_text(params: Any, context: Any) -> ToolResult:
        return ToolResult(("text",))  # a fault on purpose

    async with opened(FakeTool("odd", give_text)) as session:
        state = await settled(session, "odd")
    assert isinstance(state, Failed)


@pytest.mark.parametrize(
    ("answer", "said"),
    [(lambda call: 1 / 0, "ZeroDivisionError"), (lambda call: True, "True, which is no answer")],
    ids=["raises", "no answer"],
)
async def test_an_asker_that_fails_is_told_apart_from_nobody(opened: Opened, answer: Any, said: str) -> None:
    async with opened(*builtin_tools(), mode="default") as session:
        live = session.submit(request("write_file", {"file_path": "a.txt", "content": "x"}), on_ask=answer)
        state = await live.settled
    assert isinstance(state, Rejected)
    assert "The one to ask failed" in state.decision.reason
    assert said in state.decision.reason


async def test_a_closed_session_runs_nothing(opened: Opened) -> None:
    tool = FakeTool()
    async with opened(tool) as session:
        pass
    for use in (lambda: session.submit(request("fake")), lambda: session.add(FakeTool("late"))):
        with pytest.raises(UsageError, match="closed"):
            use()
    with pytest.raises(UsageError, match="closed"):
        await session.run({"calls": [{"id": "c1", "name": "fake", "arguments": {}}]}, Wire.NEUTRAL)
    assert tool.calls == []


@pytest.mark.parametrize(
    "wrong", [{"mode": "yolo"}, {"rules": [{"decision": "deny"}]}], ids=["a mode there is not", "a rule as a dict"]
)
async def test_what_can_not_be_used_to_open_a_session_is_said(opened: Opened, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        async with opened(FakeTool(), **wrong):
            pass


async def test_a_word_that_is_no_way_to_ask_is_refused(opened: Opened) -> None:
    async with opened(FakeTool()) as session:
        with pytest.raises(UsageError, match="parks"):
            session.submit(request("fake"), on_ask="parks")


async def test_a_function_that_is_no_tool_is_refused_with_what_to_do(opened: Opened) -> None:
    async with opened() as session:
        with pytest.raises(ToolDefinitionError, match="@tool"):
            session.add(lambda: None)


async def test_a_finish_tool_whose_outcome_is_slow_to_keep_is_settled_all_the_same(
    opened: Opened, monkeypatch: Any
) -> None:
    monkeypatch.setattr(scheduler, "FINISH_GRACE", 1.0)
    release = asyncio.Event()

    class SlowDisk(MemoryJournal):
        async def durable(self, sequence: int) -> None:
            if isinstance(self.states[sequence - 1][1], Completed):
                await asyncio.sleep(1.2)  # longer than the grace

    async def save(params: Any, context: Any) -> str:
        await release.wait()
        return "saved"

    tool = FakeTool("save", save)
    tool.on_cancel = "finish"
    async with opened(tool, journal=SlowDisk()) as session:
        live = await _until_executing(session, request("save"))
        cancelling = asyncio.create_task(session.cancel(CallId("c1")))
        await asyncio.sleep(0)
        release.set()
        await cancelling
    assert isinstance(live.settled.result(), Completed)


async def test_a_tool_that_can_not_describe_itself_is_asked_about_by_name(opened: Opened) -> None:
    class Mute(FakeTool):
        def describe(self, params: Any) -> str:
            raise ZeroDivisionError

    person = Person(Once())
    tool = Mute("mute", claims=Claims(reads=(PathClaim("/root"),)))
    async with opened(tool, mode="default", asker=person) as session:
        assert isinstance(await settled(session, "mute"), Completed)
    assert person.asked[0].confirmation == InfoConfirmation("mute", "There is no preview of this call.")


async def test_whoever_watches_sees_how_the_calls_ended_when_the_session_closes(opened: Opened) -> None:
    async def states(events: AsyncIterator[Any]) -> list[Any]:
        return [event.state async for event in events if isinstance(event, CallChanged)]

    async def tidy_up_when_stopped(params: Any, context: Any) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(20):
                await asyncio.sleep(0)
        return "never"

    async with opened(FakeTool("tidy", tidy_up_when_stopped)) as session:
        watching = asyncio.create_task(states(session.events()))
        await _until_executing(session, request("tidy"))
    assert [type(state).__name__ for state in await watching] == ["Pending", "Approved", "Executing", "Cancelled"]
