"""web_fetch against a server, names and pages that mean harm: bounded, checked at every hop, never led inside."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path

import pytest
from tool_harness import Bench
from web_server import Names, Send, answer, certified, redirect, web_server

from handrail.contract.results import ToolResult
from handrail.errors import ToolFailed
from handrail.testing import assert_conforms
from handrail.tools.web import exchange, following, page
from handrail.tools.web.following import LARGEST, MOST_REDIRECTS
from handrail.tools.web.network import MOST_TRIED
from handrail.tools.web_fetch import WebFetch


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def silent(send: Send) -> None:
    await asyncio.Event().wait()


async def endless(send: Send) -> None:
    await send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
    while True:
        await send(b"x" * 65_536)


async def endless_head(send: Send) -> None:
    await send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await send(b"x-more: " + b"y" * 1_000 + b"\r\n")


async def endless_promises(send: Send) -> None:
    while True:
        await send(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        await asyncio.sleep(0)


async def dripping(send: Send) -> None:
    await send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
    while True:
        await send(b"x")
        await asyncio.sleep(0)


BOMB = gzip.compress(bytes(LARGEST * 20), 9)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (silent, "was silent for"),
        (endless, "answers with more, and at most 10,000,000 bytes are taken"),
        (endless_head, "broke off or does not speak HTTP"),
        (endless_promises, "did not answer in full within"),
        (dripping, "did not answer in full within"),
        (answer(BOMB, content_encoding="gzip"), "answers with more, and at most 10,000,000 bytes are taken"),
        (answer(b"HTTP", content_length=str(LARGEST + 1)), "answers with 10,000,001 bytes"),
        (answer(b"HTTP", content_length="9" * 5_000), "broke off or does not speak HTTP"),
        (answer(BOMB[:500], content_encoding="gzip"), "was cut short"),
        (answer(b"not packed", content_encoding="gzip"), "is not what the server says it is"),
        (answer(gzip.compress(BOMB), content_encoding="gzip, gzip"), "in a compression that was not asked for"),
        (answer(b"x", content_encoding="br"), "in a compression that was not asked for ('br')"),
        (b"SSH-2.0-OpenSSH_9.9\r\n", "broke off or does not speak HTTP"),
        (b"", "broke off or does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\ncut", "broke off or does not speak HTTP"),
    ],
    ids=[
        "silent", "endless", "endless head", "endless promises", "dripping", "bomb", "announced", "absurd length",
        "half packed", "not packed", "packed twice", "other packing", "no http", "nothing", "cut",
    ],
)  # fmt: skip
async def test_a_server_that_means_harm_is_given_up_with_a_reason(
    bench: Bench, said: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "SILENCE", 1.0)
    monkeypatch.setattr(following, "SECONDS", 2.0)
    if why.startswith("answers"):
        monkeypatch.setattr(following, "SECONDS", 60.0)
    async with web_server({"/x": said}) as server:
        with pytest.raises(ToolFailed, match=re.escape(why)):
            await bench.run(server.tool(), url=server.url("/x"))


async def test_a_call_that_is_cancelled_leaves_its_server_at_once(bench: Bench) -> None:
    async with web_server({"/x": endless_promises}) as server:
        call = asyncio.create_task(bench.run(server.tool(), url=server.url("/x")))
        await server.asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await server.closed.wait()


@pytest.mark.parametrize(
    "html",
    ["<div>" * 60_000, "<ul><li>" * 60_000, "<pre>" * 60_000, "<p><font>" * 30_000, "<table><tr><td>" * 50_000],
    ids=lambda html: html[:9],
)
async def test_a_page_that_keeps_a_parser_busy_ends_with_its_process(
    bench: Bench, html: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "SECONDS", 1.0)
    async with web_server({"/x": answer(html.encode(), "text/html")}) as server:
        call = bench.run(server.tool(), url=server.url("/x"))
        (ended,) = await asyncio.gather(call, return_exceptions=True)
    assert isinstance(ended, ToolResult) or "could not be read within 1 s" in str(ended)


@pytest.mark.parametrize("status", ["301 A", "302 B", "303 C", "307 D", "308 E"])
async def test_a_redirect_to_another_host_is_a_call_of_its_own(bench: Bench, status: str) -> None:
    async with web_server({"/x": redirect("https://elsewhere.test/secret?a=b", status)}) as server:
        result = await bench.run(server.tool(), url=server.url("/x"))
    assert result.follow_up is not None
    assert (result.follow_up.tool, result.follow_up.arguments) == (
        "web_fetch",
        {"url": "https://elsewhere.test/secret?a=b"},
    )
    assert result.parts == ()


async def test_another_port_of_the_same_host_is_another_server(bench: Bench) -> None:
    async with web_server() as inner, web_server({"/x": redirect(inner.url("/secret"))}) as server:
        result = await bench.run(server.tool(), url=server.url("/x"))
        assert result.follow_up is not None
        assert not inner.requests


async def test_a_redirect_from_https_to_http_is_refused(bench: Bench) -> None:
    serves, believes = certified("docs.test")
    async with web_server() as plain, web_server(tls=serves) as server:
        server.answers["/x"] = redirect(plain.url("/x", "docs.test"))
        with pytest.raises(ToolFailed, match="where anybody on the way could read along"):
            await bench.run(
                server.tool({"docs.test": ["127.0.0.1"]}, believes), url=server.url("/x", "docs.test", "https")
            )
        assert not plain.requests


async def test_redirects_without_end_are_given_up(bench: Bench) -> None:
    answers = {f"/{hop}": redirect(f"/{hop + 1}") for hop in range(20)}
    async with web_server(answers) as server:
        with pytest.raises(ToolFailed, match=f"more than {MOST_REDIRECTS} times"):
            await bench.run(server.tool(), url=server.url("/0"))
        assert len(server.requests) == MOST_REDIRECTS + 1


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("file:///etc/passwd", "Only http and https are supported"),
        ("data:text/html,hello", "Only http and https are supported"),
        ("http://user:secret@elsewhere.test/", "user name or password"),
        ("http://elsewhere.test\\@127.0.0.1/", "which no address holds"),
        ("http://[::1", "redirects (302) to what is not fetched"),
        ("http://0x7f.0.0.999/", "is no IPv4 address"),
        ("https://", "names no host"),
    ],
)
async def test_a_redirect_to_what_is_no_address_is_refused(bench: Bench, location: str, why: str) -> None:
    async with web_server({"/x": redirect(location)}) as server:
        with pytest.raises(ToolFailed, match=re.escape(why)):
            await bench.run(server.tool(), url=server.url("/x"))


async def test_a_page_that_sends_browsers_on_sends_nobody_on_here(bench: Bench) -> None:
    html = b'<meta http-equiv="refresh" content="0; url=/secret"><p>Wait</p><iframe src="/secret"></iframe>'
    async with web_server({"/x": answer(html, "text/html", refresh="0; url=/secret")}) as server:
        assert "Wait" in (await bench.run(server.tool(), url=server.url("/x"))).text
        assert server.paths == ["/x"]


async def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(bench: Bench) -> None:
    """The endpoint that the test allows stands for a public one: only the first answer is it."""
    names = Names({"docs.test": ["127.0.0.1", "127.0.0.2", "10.0.0.1"]})
    async with web_server({"/x": answer(b"there")}) as server:
        tool = WebFetch(names, [("127.0.0.1", server.port)])
        assert "there" in (await bench.run(tool, url=server.url("/x", "docs.test"))).text
        assert names.asked == ["docs.test"]
        with pytest.raises(ToolFailed, match=r"docs\.test, which is at 127\.0\.0\.2: loopback"):
            await bench.run(tool, url=server.url("/x", "docs.test"))
        assert len(server.requests) == 1


async def test_a_name_that_changes_its_answer_before_a_redirect_is_refused_there(bench: Bench) -> None:
    names = Names({"docs.test": ["127.0.0.1", "169.254.169.254"]})
    async with web_server({"/x": redirect("/latest/meta-data/")}) as server:
        tool = WebFetch(names, [("127.0.0.1", server.port)])
        with pytest.raises(ToolFailed, match=r"169\.254\.169\.254: link-local, where clouds keep metadata"):
            await bench.run(tool, url=server.url("/x", "docs.test"))
        assert server.paths == ["/x"]


@pytest.mark.parametrize("told", ["127.0.0.1 10.0.0.1", "10.0.0.1 127.0.0.1", "127.0.0.1 ::1", "127.0.0.1 fd00::1"])
async def test_a_name_with_one_address_inside_is_not_connected_to_at_all(bench: Bench, told: str) -> None:
    async with web_server({"/x": answer(b"there")}) as server:
        with pytest.raises(ToolFailed, match="Nothing was sent to"):
            await bench.run(server.tool({"docs.test": [told]}), url=server.url("/x", "docs.test"))
        assert not server.requests


async def test_a_host_that_can_not_be_reached_says_what_was_tried(bench: Bench) -> None:
    async with web_server() as server:
        gone = server.url("/x", "docs.test")
        tool = server.tool({"docs.test": ["127.0.0.1"]})
    with pytest.raises(ToolFailed, match=r"No connection to docs\.test at port \d+: 127\.0\.0\.1: Connection refused"):
        await bench.run(tool, url=gone)
    with pytest.raises(ToolFailed, match=r"The host nowhere\.test was not found"):
        await bench.run(tool, url="http://nowhere.test/")


async def test_no_more_than_a_few_of_a_names_addresses_are_tried(bench: Bench) -> None:
    async with web_server() as server:
        gone, port = server.url("/x", "docs.test"), server.port
    addresses = [f"127.0.0.{number}" for number in range(1, 20)]
    tool = WebFetch(Names({"docs.test": [" ".join(addresses)]}), [(each, port) for each in addresses])
    with pytest.raises(ToolFailed) as failed:
        await bench.run(tool, url=gone)
    assert len(set(re.findall(r"127\.0\.0\.\d+", str(failed.value)))) == MOST_TRIED


async def test_a_fetch_can_be_cancelled_at_any_moment_and_keeps_to_what_it_declares() -> None:
    async with web_server({"/x": answer(b"<h1>There</h1>", "text/html")}) as server:
        await assert_conforms(server.tool(), {"url": server.url("/x")}, cancellations=200)
