"""What stands in the way of an answer: what is tried again, how long is waited, and what a person is told."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from asked import KEY, QUICK, WIRES, asked, asked_in_vain, endpoint, model_at, response_in

from handrail.agent.model import Received, ResponseEnded, TextArrived, Waiting
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.http_model import HttpModel
from handrail.agent.models.patience import Patience
from handrail.agent.models.provider import known_providers
from handrail.agent.models.trouble import Trouble, answered, cut, failed
from handrail.errors import ModelFault
from handrail.wire import Wire
from servers.faults import Fault
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import says

each_wire = pytest.mark.parametrize("wire", WIRES)


def server_of(wire: Wire, *faults: Fault) -> ProviderServer:
    return ProviderServer(DIALECTS[wire](), [says("Here.", thinking="Hm.")], faults)


PASSING = {
    "429": Fault(429, "slow down"),
    "429 with seconds": Fault(429, headers={"Retry-After": "0.01"}),
    "429 with milliseconds": Fault(429, headers={"retry-after-ms": "10", "retry-after": "600"}),
    "408": Fault(408),
    "409": Fault(409),
    "500": Fault(500),
    "502, a page": Fault(502, body="<html>Bad gateway</html>", media_type="text/html"),
    "503, nothing": Fault(503, body=""),
    "529": Fault(529, "Overloaded"),
    "no word": Fault(hangs_up=True),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
@each_wire
async def test_what_passes_is_waited_for(wire: Wire, fault: Fault) -> None:
    with server_of(wire, fault, fault) as server:
        events = await asked(model_at(server))
    assert len([event for event in events if isinstance(event, Waiting)]) == 2
    assert len(server.headers) == 3
    assert response_in(events, wire).text == "Here."
    assert isinstance(events[-1], ResponseEnded)


@each_wire
async def test_patience_ends(wire: Wire) -> None:
    with server_of(wire, *[Fault(529, "Overloaded")] * 3) as server:
        events, error = await asked_in_vain(model_at(server))
    assert error.fault is ModelFault.OVERLOADED
    assert "529" in str(error)
    assert "3 times in a row" in str(error)
    assert [type(event) for event in events] == [Waiting, Waiting]


def google(**detail: Any) -> Any:
    kind = detail.pop("kind", "RetryInfo")
    details = [{"@type": f"type.googleapis.com/google.rpc.{kind}", **detail}]
    return {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.", "details": details}}


def at(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


SOMEWHERE = Endpoint(Wire.GEMINI, "https://models.example", "big", KEY, "THE_KEY")


HERE = "http://127.0.0.1:9/v1"
NOT_FOUND = [
    (Wire.OPENAI_CHAT, "https://models.example/v1", "is there a model 'big' at that address?"),
    (Wire.OPENAI_CHAT, HERE, "is there a model 'big' at that address? With Ollama: ollama pull big"),
    (Wire.OPENAI_RESPONSES, HERE, "does it speak the Responses API? If not, name the model as openai-chat:big"),
]


@pytest.mark.parametrize(("wire", "address", "advice"), NOT_FOUND)
def test_of_what_is_not_found_the_likeliest_reason_is_named(wire: Wire, address: str, advice: str) -> None:
    found = answered(Endpoint(wire, address, "big"), 404, {}, b"")
    assert found.fault is ModelFault.REFUSED
    assert str(found.error(1)).endswith(advice)


def trouble(status: int, body: Any = "", **headers: str) -> Trouble:
    text = body if isinstance(body, str) else json.dumps(body)
    return answered(SOMEWHERE, status, {name.replace("_", "-"): said for name, said in headers.items()}, text.encode())


@pytest.mark.parametrize(
    ("found", "wait"),
    [
        (trouble(429), 0.0),
        (trouble(429, retry_after="7"), 7.0),
        (trouble(529, retry_after="1.5"), 1.5),
        (trouble(429, retry_after="7", retry_after_ms="250"), 0.25),
        (trouble(429, retry_after="soon"), 0.0),
        (trouble(429, retry_after="-7"), 0.0),
        (trouble(429, retry_after="1e9"), 0.0),
        (trouble(429, google(retryDelay="34.5s")), 34.5),
        (trouble(429, [google(retryDelay="2s")]), 2.0),
        (trouble(429, google(retryDelay="soon")), 0.0),
        (trouble(429, google(retryDelay=3)), 0.0),
        (trouble(503, retry_after=at(-60)), 0.0),
    ],
)
def test_the_servers_wait_is_read(found: Trouble, wait: float) -> None:
    assert found.again
    assert found.wait == wait


def test_a_wait_may_be_a_time_of_day() -> None:
    assert 0 < trouble(503, retry_after=at(60)).wait <= 60


@pytest.mark.parametrize(
    "named",
    [
        "Fri, 31 Dec 9999 23:59:59 -1200",
        "Mon, 01 Jan 0001 00:00:00 -0000",
        f"Fri, 31 Dec {'9' * 12} 23:59:59 +0000",
        "x",
    ],
)
def test_a_time_that_no_clock_has_is_none(named: str) -> None:
    assert trouble(503, retry_after=named).wait == 0.0


async def test_the_servers_wait_is_told_and_kept_to() -> None:
    with server_of(Wire.GEMINI, Fault(429, body=google(retryDelay="0.02s"))) as server:
        events = await asked(model_at(server))
    assert events[0] == Waiting(0.02, f"{server.url} answered 429 Too Many Requests (RESOURCE_EXHAUSTED: Quota.)")


async def test_a_longer_wait_than_anybody_has_patience_for_is_told_of_at_once() -> None:
    with server_of(Wire.ANTHROPIC, Fault(429, headers={"retry-after": "3600"})) as server:
        events, error = await asked_in_vain(model_at(server))
    assert (events, error.fault) == ([], ModelFault.LIMITED)


def test_pauses_grow_to_a_bound_and_differ() -> None:
    patience = Patience()
    passing = Trouble(ModelFault.OVERLOADED, "", "", again=True)
    for tried in range(1, patience.tries):
        whole = min(patience.longest, patience.first * 2 ** (tried - 1))
        pauses = {patience.pause(passing, tried) for _ in range(20)}
        assert len(pauses) > 1
        assert all(pause is not None and whole / 2 <= pause <= whole for pause in pauses)
    assert patience.pause(passing, patience.tries) is None
    assert patience.pause(Trouble(ModelFault.KEY, "", ""), 1) is None


LASTING = [
    (trouble(401, {"error": {"message": "Incorrect API key provided"}}), ModelFault.KEY, "check the key in THE_KEY"),
    (trouble(403), ModelFault.KEY, "check the key in THE_KEY"),
    (
        trouble(
            400, {"error": {"status": "INVALID_ARGUMENT", "message": "API key not valid. Please pass a valid one."}}
        ),
        ModelFault.KEY,
        "check the key",
    ),
    (trouble(402, {"error": {"message": "Insufficient Balance"}}), ModelFault.LIMITED, "no more credit"),
    (trouble(400, {"error": {"message": "Your credit balance is too low."}}), ModelFault.LIMITED, "no more credit"),
    (trouble(429, {"error": {"code": "insufficient_quota", "message": "You exceeded"}}), ModelFault.LIMITED, "credit"),
    (
        trouble(429, google(kind="QuotaFailure", violations=[{"quotaId": "RequestsPerDay"}])),
        ModelFault.LIMITED,
        "quota",
    ),
    (trouble(400, {"error": {"code": "context_length_exceeded", "message": "x"}}), ModelFault.TOO_LONG, "shorter"),
    (
        trouble(400, {"error": {"message": "prompt is too long: 250000 tokens > 200000"}}),
        ModelFault.TOO_LONG,
        "shorter",
    ),
    (
        trouble(
            400, {"error": {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}}
        ),
        ModelFault.TOO_LONG,
        "shorter",
    ),
    (trouble(413), ModelFault.TOO_LONG, "shorter"),
    *(
        (trouble(status, {"error": {"message": told}}), ModelFault.TOO_LONG, "shorter")
        for status, told in (
            (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
            (400, "request (4390 tokens) exceeds the available context size (4096 tokens)"),
            (500, "Context size has been exceeded."),
            (400, "This model's maximum prompt length is 131072 but the request contains 136973 tokens."),
        )
    ),
    (trouble(404, {"error": {"message": "model not found"}}), ModelFault.REFUSED, "is there a model 'big'"),
    (trouble(400, {"error": {"message": "tools are not supported"}}), ModelFault.REFUSED, "tools are not supported"),
    (trouble(400, {"detail": "no"}), ModelFault.REFUSED, "no"),
    (trouble(400, "not JSON"), ModelFault.REFUSED, "400 Bad Request"),
    (trouble(307), ModelFault.REFUSED, "redirects are not followed"),
    (trouble(299), ModelFault.REFUSED, "299"),
]


@pytest.mark.parametrize(("found", "fault", "said"), LASTING)
def test_what_lasts_is_not_tried_again_and_says_what_to_do(found: Trouble, fault: ModelFault, said: str) -> None:
    error = found.error(1)
    assert (found.again, error.fault) == (False, fault)
    assert said in str(error)
    assert "\n" not in str(error)


IN_PLACE = [
    ("insufficient_quota", "You exceeded your current quota.", ModelFault.LIMITED, False),
    ("context_length_exceeded", "Your input exceeds the context window.", ModelFault.TOO_LONG, False),
    (400, "the request exceeds the available context size.", ModelFault.TOO_LONG, False),
    (500, "Context size has been exceeded.", ModelFault.TOO_LONG, False),
    ("invalid_prompt", "no", ModelFault.REFUSED, False),
    ("server_error", "The server had an error.", ModelFault.OVERLOADED, True),
    ("rate_limit_exceeded", "Please try again in 11.054s.", ModelFault.OVERLOADED, True),
]


@pytest.mark.parametrize(("code", "told", "fault", "again"), IN_PLACE)
def test_an_error_within_a_stream_means_what_it_means_by_itself(
    code: int | str, told: str, fault: ModelFault, again: bool
) -> None:
    found = failed(SOMEWHERE, {"error": {"code": code, "message": told}})
    assert (found.fault, found.again) == (fault, again)


def test_what_broke_an_answer_off_is_told_on_one_short_line_without_the_key() -> None:
    line = str(cut(SOMEWHERE, f"illegal chunk header: {KEY}\x1b[31m" + "x" * 20_000).cut_short())
    assert KEY not in line
    assert line.isprintable()
    assert len(line) < 500


def test_a_server_may_say_that_another_try_is_no_use() -> None:
    assert not trouble(500, x_should_retry="false").again


@pytest.mark.parametrize(
    "told",
    [f"Incorrect API key provided: {KEY}", f"line\nline\x1b[31m {KEY}", "x" * 100_000],
    ids=["key", "lines", "long"],
)
def test_what_a_provider_says_is_repeated_on_one_short_line_without_the_key(told: str) -> None:
    line = str(trouble(401, {"error": {"message": told}}).error(1))
    assert KEY not in line
    assert line.isprintable()
    assert len(line) < 500


@each_wire
async def test_a_wrong_key_is_told_with_the_variable_it_came_from(wire: Wire) -> None:
    with server_of(wire, Fault(401, f"invalid key {KEY}")) as server:
        events, error = await asked_in_vain(model_at(server))
    assert (events, error.fault) == ([], ModelFault.KEY)
    assert "check the key in THE_KEY" in str(error)
    assert KEY not in str(error)


IN_STREAM = {
    Wire.ANTHROPIC: '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
    Wire.OPENAI_CHAT: '{"error": {"code": 503, "message": "Overloaded"}}',
    Wire.OPENAI_RESPONSES: '{"type": "error", "code": "server_error", "message": "Overloaded", "sequence_number": 9}',
    Wire.GEMINI: '{"error": {"code": 503, "status": "UNAVAILABLE", "message": "Overloaded"}}',
}


@each_wire
async def test_an_error_in_place_of_an_answer_is_tried_again(wire: Wire) -> None:
    with server_of(wire, Fault(instead=(0, f"data: {IN_STREAM[wire]}\n\n"))) as server:
        events = await asked(model_at(server))
    assert isinstance(events[0], Waiting)
    assert "Overloaded" in events[0].why
    assert response_in(events, wire).text == "Here."


@each_wire
async def test_an_error_in_the_middle_of_an_answer_cuts_it(wire: Wire) -> None:
    last = len(list(DIALECTS[wire]().events(says("Here.", thinking="Hm.")))) - 3
    with server_of(wire, Fault(instead=(last, f"data: {IN_STREAM[wire]}\n\n"))) as server:
        events, error = await asked_in_vain(model_at(server))
    assert error.fault is ModelFault.CUT
    assert "Overloaded" in str(error)
    assert any(isinstance(event, Received) for event in events)


async def test_a_call_that_the_provider_can_not_read_is_asked_for_again() -> None:
    told = '{"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(x"}]}'
    with server_of(Wire.GEMINI, Fault(instead=(0, f"data: {told}\n\n"))) as server:
        events = await asked(model_at(server))
    assert isinstance(events[0], Waiting)
    assert response_in(events, Wire.GEMINI).text == "Here."


@each_wire
async def test_an_answer_of_another_kind_says_that_the_address_may_be_wrong(wire: Wire) -> None:
    for fault in (
        Fault(body="<html>Welcome</html>", media_type="text/html"),
        Fault(body="pong", media_type="application/json"),
        Fault(body="[1]", media_type="application/json"),
        Fault(body='data: {"hello": 1}\n\n', media_type="text/event-stream"),
    ):
        with server_of(wire, fault) as server:
            events, error = await asked_in_vain(model_at(server))
        assert (events, error.fault) == ([], ModelFault.UNREADABLE)
        assert "check the address" in str(error)


@each_wire
async def test_a_redirect_is_not_followed_for_the_key_would_go_along(wire: Wire) -> None:
    with server_of(wire) as other, server_of(wire, Fault(307, headers={"Location": other.url})) as server:
        _, error = await asked_in_vain(model_at(server))
        assert other.headers == []
    assert error.fault is ModelFault.REFUSED


@each_wire
async def test_a_server_that_is_not_there_is_told_of(wire: Wire) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        model = HttpModel(known_providers()["ollama"], Endpoint(wire, address, "local"), QUICK)
        events, error = await asked_in_vain(model)
    assert error.fault is ModelFault.OVERLOADED
    assert "is the server running" in str(error)
    assert events == [], "nobody listens until somebody starts it: waiting is no use"


@each_wire
async def test_silence_before_an_answer_is_tried_again(wire: Wire) -> None:
    with server_of(wire, Fault(silent_after=0)) as server:
        events = await asked(model_at(server, replace(QUICK, silence=1.0)))
    assert isinstance(events[0], Waiting)
    assert [event.text for event in events if isinstance(event, TextArrived)] == ["He", "re."]


async def test_proxies_of_the_environment_are_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with server_of(Wire.ANTHROPIC) as server:
        events = await asked(model_at(server))
    assert isinstance(events[-1], ResponseEnded)
    assert endpoint(server, Wire.ANTHROPIC).is_here
