"""What servers ask during a call: put to the approval desk, answered by people, declined where there is nobody."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.calls import AwaitingApproval, Completed
from handrail.contract.confirmation import Answer, CancelCall, QuestionConfirmation, Reject, Reply
from handrail.contract.ports import Unanswered
from handrail.contract.results import ImagePart, TextPart
from handrail.contract.sampling import Sampled, SampleMessage, Sampler, SampleRequest
from handrail.errors import ToolFailed
from handrail.runtime.askers import Nobody
from providers.mcp.mcp_world import World, called, ready, text_of, tool

FORM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}


class Person:
    """Gives these answers one after the other, and keeps what was asked."""

    surface = "test"

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[AwaitingApproval] = []

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        self.asked.append(call)
        return self.answers.pop(0)

    @property
    def shown(self) -> list[QuestionConfirmation]:
        return [call.confirmation for call in self.asked if isinstance(call.confirmation, QuestionConfirmation)]


def asking(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"tools": [tool("ask")], "answers": {"ask": [{"ask": {"method": method, "params": params}}]}}


def form(message: str = "Who are you?", schema: Any = FORM) -> dict[str, Any]:
    return asking("elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema})


async def answered(
    folder: Path,
    script: dict[str, Any],
    asker: Any = None,
    sampler: Sampler | None = None,
    call_within: float = 60,
) -> Any:
    """What the server got for its question."""
    world = World(folder, sampler=sampler)
    config = world.config("s", script, call_within=call_within)
    async with world.session(config, asker=asker or Nobody()) as session:
        await ready(session)
        state = await called(session, "mcp_s_ask")
        assert isinstance(state, Completed), state
        text = text_of(state)
        return json.loads(text[text.index("{") : text.rindex("}") + 1])


async def test_a_form_is_answered_by_the_person_and_the_words_are_known_to_be_the_servers(tmp_path: Path) -> None:
    person = Person(Reply({"name": "Ada", "age": 36}))
    assert await answered(tmp_path, form(), person) == {
        "action": "accept",
        "content": {"name": "Ada", "age": 36},
    }
    (shown,) = person.shown
    assert (shown.from_server, shown.form, shown.question) == ("s", FORM, "Who are you?")


@pytest.mark.parametrize("wrong", ["Ada", {"age": 36}, {"name": "Ada", "age": -1}, {"name": 3}, []])
async def test_a_reply_that_does_not_fit_the_form_is_asked_for_again(tmp_path: Path, wrong: Any) -> None:
    person = Person(Reply(wrong), Reply({"name": "Ada"}))
    assert (await answered(tmp_path, form(), person))["content"] == {"name": "Ada"}
    assert "was not taken" in person.shown[1].question


async def test_a_person_whose_replies_never_fit_has_declined(tmp_path: Path) -> None:
    person = Person(*[Reply({})] * 3)
    assert await answered(tmp_path, form(), person) == {"action": "decline"}


@pytest.mark.parametrize(
    ("answer", "action"), [(Reject("no"), "decline"), (Reject(), "decline"), (CancelCall(), "cancel")]
)
async def test_a_no_declines_and_a_cancelled_question_cancels(tmp_path: Path, answer: Answer, action: str) -> None:
    assert await answered(tmp_path, form(), Person(answer)) == {"action": action}


async def test_where_nobody_is_there_the_server_hears_a_no(tmp_path: Path) -> None:
    assert await answered(tmp_path, form()) == {"action": "decline"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/missing"}}},
        {"type": "object", "description": "x" * 30_000},
        {"type": "nonsense"},
    ],
)
async def test_a_form_that_nobody_could_fill_in_is_refused_and_nobody_is_asked(tmp_path: Path, schema: Any) -> None:
    person = Person()
    assert "message" in await answered(tmp_path, form(schema=schema), person)
    assert not person.asked


async def test_an_address_is_shown_with_its_host_and_only_the_person_opens_it(tmp_path: Path) -> None:
    params = {"mode": "url", "message": "Pay here", "url": "https://pay.example/x?t=1", "elicitationId": "1"}
    person = Person(Reply("done"))
    assert await answered(tmp_path, asking("elicitation/create", params), person) == {"action": "accept"}
    assert "at pay.example" in person.shown[0].question
    assert "https://pay.example/x?t=1" in person.shown[0].question
    person = Person(Reply("Not done"))
    assert await answered(tmp_path, asking("elicitation/create", params), person) == {"action": "decline"}


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "javascript:alert(1)", "calculator:x", "", "https://", f"https://x.example/{'y' * 4_000}"],
)
async def test_an_address_that_is_no_page_or_can_not_be_shown_whole_is_refused(tmp_path: Path, url: str) -> None:
    params = {"mode": "url", "message": "m", "url": url, "elicitationId": "1"}
    person = Person()
    assert "http" in (await answered(tmp_path, asking("elicitation/create", params), person))["message"]
    assert not person.asked


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (
            {"elicitations": [{"url": "https://pay.example/x", "message": "m"}]},
            "visit first, if they trust it: https://pay",
        ),
        ({"elicitations": [{"url": "file:///etc"}, {"url": "http://[x"}, {}, 3]}, "pay first (error -32042)."),
        ({"elicitations": 3}, "pay first (error -32042)."),
        (None, "pay first (error -32042)."),
    ],
)
async def test_a_call_that_needs_a_visit_first_says_where(tmp_path: Path, data: Any, told: str) -> None:
    error = {"code": -32042, "message": "pay first", "data": data}
    world = World(tmp_path)
    async with world.session(
        world.config("s", {"tools": [tool("a")], "answers": {"a": [{"error": error}]}})
    ) as session:
        await ready(session)
        assert told in text_of(await called(session, "mcp_s_a"))


async def test_the_time_that_a_person_takes_is_not_the_servers(tmp_path: Path) -> None:
    class Slow(Person):
        async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
            await asyncio.sleep(1.0)
            return await super().answer(call)

    person = Slow(Reply({"name": "Ada"}))
    assert (await answered(tmp_path, form(), person, call_within=0.8))["action"] == "accept"


class Model:
    """Answers with what it was asked."""

    def __init__(self, fails: str = "") -> None:
        self.asked: list[SampleRequest] = []
        self.fails = fails

    async def sample(self, request: SampleRequest) -> Sampled:
        self.asked.append(request)
        if self.fails:
            raise ToolFailed(self.fails)
        return Sampled("four", "model-1")


def sampling(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return asking("sampling/createMessage", {"messages": messages, "maxTokens": 100, **more})


QUESTION = {"role": "user", "content": {"type": "text", "text": "2 + 2?"}}


async def test_without_a_model_sampling_is_refused_with_a_clear_error(tmp_path: Path) -> None:
    said = await answered(tmp_path, sampling(QUESTION), Person())
    assert "ampling" in said["message"] or "no model" in said["message"]


async def test_a_model_answers_once_a_person_said_yes(tmp_path: Path) -> None:
    person, model = Person(Reply("allow")), Model()
    image = {"role": "user", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}}
    said = await answered(
        tmp_path, sampling(QUESTION, image, systemPrompt="Be short.", temperature=0.5), person, sampler=model
    )
    assert said["content"] == {"type": "text", "text": "four"}
    assert said["model"] == "model-1"
    (request,) = model.asked
    assert request == SampleRequest(
        "s",
        (SampleMessage("user", (TextPart("2 + 2?"),)), SampleMessage("user", (ImagePart(b"\0\0\0", "image/png"),))),
        "Be short.",
        100,
        0.5,
    )
    assert "2 + 2?" in person.shown[0].question
    assert person.shown[0].from_server == "s"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": {"type": "text", "text": text}}


async def test_a_person_is_shown_all_that_would_be_sent(tmp_path: Path) -> None:
    person, model = Person(Reply("allow")), Model()
    long = user("word " * 10_000 + "and the end")
    await answered(
        tmp_path, sampling(long, systemPrompt="Be brief.", stopSequences=["leak this"]), person, sampler=model
    )
    (request,) = model.asked
    (part,) = request.messages[0].parts
    assert isinstance(part, TextPart)
    for sent in (part.text, request.system, *request.stop):
        assert sent in person.shown[0].question


@pytest.mark.parametrize("text", ["x" * 100_001, "x\n" * 1_000], ids=["characters", "lines"])
async def test_what_is_too_long_to_be_shown_is_sent_to_no_model(tmp_path: Path, text: str) -> None:
    person, model = Person(), Model()
    said = await answered(tmp_path, sampling(user(text)), person, sampler=model)
    assert "has to be shown all of it" in said["message"]
    assert not person.asked
    assert not model.asked


@pytest.mark.parametrize("answer", [Reply("refuse"), Reply("yes please"), Reject("no"), CancelCall()])
async def test_without_a_yes_no_model_is_asked(tmp_path: Path, answer: Answer) -> None:
    model = Model()
    assert "message" in await answered(tmp_path, sampling(QUESTION), Person(answer), sampler=model)
    assert not model.asked


async def test_a_model_that_fails_is_told_to_the_server(tmp_path: Path) -> None:
    said = await answered(tmp_path, sampling(QUESTION), Person(Reply("Allow")), sampler=Model("over quota"))
    assert said["message"] == "over quota"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"type": "image", "data": "?", "mimeType": "image/png"}, "data that is not base64"),
        ({"type": "audio", "data": "é", "mimeType": "audio/wav"}, "data that is not base64"),
        ({"type": "tool_use", "id": "1", "name": "x", "input": {}}, "holds 'tool_use'"),
    ],
)
async def test_a_message_that_no_model_takes_is_refused_before_anybody_is_asked(
    tmp_path: Path, content: Any, why: str
) -> None:
    person = Person()
    said = await answered(tmp_path, sampling({"role": "user", "content": content}), person, sampler=Model())
    assert why in said["message"]
    assert not person.asked


async def test_roots_are_the_folders_of_the_workspace(tmp_path: Path) -> None:
    said = await answered(tmp_path, asking("roots/list", {}))
    assert [root["uri"] for root in said["roots"]] == [tmp_path.as_uri()]
