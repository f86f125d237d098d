"""web_search: each service in its own wire format, spoken by a server on loopback."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tool_harness import Bench, CheckFailed
from web_server import WebServer, answer, redirect, web_server

from call_harness import settled
from handrail.catalog import Registry, menu_for, this_machine
from handrail.contract.calls import Failed
from handrail.contract.confirmation import InfoConfirmation
from handrail.errors import ToolFailed
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import assert_conforms
from handrail.tools.web.searching import configured as configured_module
from handrail.tools.web.searching.brave import Brave
from handrail.tools.web.searching.configured import configured
from handrail.tools.web.searching.duckduckgo import DuckDuckGo
from handrail.tools.web.searching.provider import SearchProvider
from handrail.tools.web.searching.searxng import SearXNG
from handrail.tools.web.searching.tavily import Tavily
from handrail.tools.web_search import WebSearch

KEY = "tvly-0123456789abcdef"
FOUND = [
    ("Harbours &amp; <strong>piers</strong>", "https://a.org/x", "All about\n harbours."),
    ("Second", "https://docs.b.org/y", "More."),
    ("Script", "javascript:alert(1)", "No."),
    ("Twice", "https://a.org/x", "Again."),
    ("", "https://c.org/z", ""),
]


def json_answer(said: object) -> bytes:
    return answer(json.dumps(said).encode(), "application/json")


def tavily_answer() -> bytes:
    rows = [{"title": title, "url": url, "content": text, "score": 0.9} for title, url, text in FOUND]
    return json_answer({"query": "q", "answer": None, "images": [], "results": rows, "response_time": 0.5})


def brave_answer() -> bytes:
    rows = [{"title": title, "url": url, "description": text, "type": "search_result"} for title, url, text in FOUND]
    return json_answer({"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": rows}})


def searxng_answer() -> bytes:
    rows = [{"title": title, "url": url, "content": text, "engines": ["x"]} for title, url, text in FOUND]
    return json_answer({"query": "q", "number_of_results": 0, "results": rows, "suggestions": []})


def duckduckgo_answer() -> bytes:
    rows = "".join(
        f'<div class="links_main result__body"><h2><a>{title}</a></h2><a href="{url}">{text}</a></div>'
        for title, url, text in FOUND
    )
    return answer(f"<html><body>{rows}</body></html>".encode(), "text/html; charset=utf-8")


SERVICES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "Tavily": ("/search", tavily_answer),
    "Brave Search": ("/res/v1/web/search", brave_answer),
    "SearXNG": ("/searx/search", searxng_answer),
    "DuckDuckGo": ("/html/", duckduckgo_answer),
}


def provider_at(name: str, server: WebServer, monkeypatch: pytest.MonkeyPatch) -> SearchProvider:
    match name:
        case "Tavily":
            return Tavily(KEY, server.url("/search"))
        case "Brave Search":
            return Brave(KEY, server.url("/res/v1/web/search"))
        case "SearXNG":
            return SearXNG(server.url("/searx/"))
        case _:
            from ddgs.engines.duckduckgo import Duckduckgo

            monkeypatch.setattr(Duckduckgo, "search_url", server.url("/html/"))
            return DuckDuckGo()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def asked_for(server: WebServer) -> str:
    """The words that came, however the service takes them."""
    (head,), (body,) = server.requests, server.bodies
    in_target = parse_qs(urlsplit(head.split(" ")[1]).query).get("q")
    if in_target:
        return in_target[0]
    return json.loads(body)["query"] if body.startswith(b"{") else parse_qs(body.decode())["q"][0]


@pytest.mark.parametrize("name", SERVICES)
async def test_results_come_with_title_address_and_snippet(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = SERVICES[name]
    async with web_server({path: said()}) as server:
        result = await bench.run(WebSearch(provider_at(name, server, monkeypatch)), query="harbour  depth")
        assert asked_for(server) == "harbour depth"
    listed = result.text.partition(">\n")[2].rpartition("\n</web_content_")[0]
    assert listed == (
        "1. Harbours & piers\n   https://a.org/x\n   All about harbours.\n\n"
        "2. Second\n   https://docs.b.org/y\n   More.\n\n3. c.org\n   https://c.org/z"
    )
    assert f'source="{name}"' in result.text
    assert "written by strangers" in result.text
    assert result.data is not None
    assert result.data["provider"] == name


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize(
    ("arguments", "hosts", "words"),
    [
        ({"allowed_domains": ["https://B.org/x"]}, ["docs.b.org"], "q1 (site:b.org)"),
        ({"allowed_domains": ["a.org", "c.org"]}, ["a.org", "c.org"], "q1 (site:a.org OR site:c.org)"),
        ({"blocked_domains": ["b.org", "a.org"]}, ["c.org"], "q1 -site:b.org -site:a.org"),
    ],
)
async def test_hosts_are_kept_to_though_a_service_may_not_listen(
    bench: Bench, name: str, arguments: dict[str, Any], hosts: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = SERVICES[name]
    async with web_server({path: said()}) as server:
        result = await bench.run(WebSearch(provider_at(name, server, monkeypatch)), query="q1", **arguments)
        if name == "Tavily":
            body = json.loads(server.bodies[0])
            operators = [f"site:{host}" for host in body["include_domains"]]
            operators += [f"-site:{host}" for host in body["exclude_domains"]]
            assert " ".join(operators) == words.replace("q1 ", "").strip("()").replace(" OR", "")
        else:
            assert asked_for(server) == words
    shown = re.findall(r"^   (https://\S+)$", result.text, re.MULTILINE)
    assert [urlsplit(url).hostname for url in shown] == hosts


@pytest.mark.parametrize(
    ("name", "header"), [("Tavily", f"authorization: Bearer {KEY}"), ("Brave Search", f"x-subscription-token: {KEY}")]
)
async def test_the_key_goes_to_its_service_and_nowhere_else(
    tmp_path: Path, name: str, header: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path, said = SERVICES[name]
    monkeypatch.setenv("HANDRAIL_STATE", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    async with web_server({path: said()}) as server:
        tool = WebSearch(provider_at(name, server, monkeypatch))
        async with Session.open(tmp_path / "work", mode="bypass", parts=Parts(tools=[tool])) as session:
            good = await settled(session, "web_search", {"query": "harbour"})
            assert header in server.requests[0]
            for refused in (
                answer(f"bad key {KEY}".encode(), status="401 Unauthorized"),
                redirect("https://elsewhere.test/"),
                answer(f"no JSON but {KEY}".encode()),
                answer(b'{"results": [', "application/json"),
                answer(b"[" * 100_000, "application/json"),
            ):
                server.answers[path] = refused
                bad = await settled(session, "web_search", {"query": "harbour"})
                assert isinstance(bad, Failed)
                assert f"The search at {name} failed" in bad.fault.message
                assert KEY not in bad.fault.message
    assert KEY not in good.result.text
    written = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert b"web_search" in written
    assert KEY.encode() not in written
    assert KEY not in caplog.text
    assert KEY not in repr(tool) + repr(vars(tool))


@pytest.mark.parametrize(
    ("name", "status", "advice"),
    [
        ("Tavily", "401 U", "The key in TAVILY_API_KEY was refused: ask the user to look at it."),
        ("Brave Search", "403 F", "The key in BRAVE_API_KEY was refused: ask the user to look at it."),
        ("SearXNG", "403 F", "add json to search.formats in its settings.yml."),
        ("Tavily", "429 T", "It was asked too often, or its quota is used up: wait, or tell the user."),
        ("Tavily", "432 P", "The plan's limit is reached: tell the user."),
        ("Brave Search", "422 U", "Search for less, in other words."),
        ("SearXNG", "500 I", "Try later, or tell the user."),
        ("DuckDuckGo", "403 F", "tell the user that a search service can be configured."),
    ],
)
async def test_a_refusal_says_what_to_do_about_it(
    bench: Bench, name: str, status: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with web_server({SERVICES[name][0]: answer(b"no", status=status)}) as server:
        with pytest.raises(ToolFailed) as failed:
            await bench.run(WebSearch(provider_at(name, server, monkeypatch)), query="harbour")
    assert str(failed.value).endswith(advice)


@pytest.mark.parametrize("name", ["Tavily", "Brave Search", "SearXNG"])
@pytest.mark.parametrize("said", [{}, [], None, {"results": None, "web": []}, {"results": [1, None, {"url": 5}]}])
async def test_nothing_found_is_said(bench: Bench, name: str, said: object, monkeypatch: pytest.MonkeyPatch) -> None:
    async with web_server({SERVICES[name][0]: json_answer(said)}) as server:
        result = await bench.run(WebSearch(provider_at(name, server, monkeypatch)), query="harbour")
    assert result.text == f"{name} found nothing. Search in other words."


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, None),
        ({"TAVILY_API_KEY": ""}, None),
        ({"TAVILY_API_KEY": "k", "BRAVE_API_KEY": "k", "SEARXNG_URL": "http://localhost:8888"}, "Tavily"),
        ({"BRAVE_API_KEY": "k", "SEARXNG_URL": "http://localhost:8888"}, "Brave Search"),
        ({"BRAVE_SEARCH_API_KEY": "k"}, "Brave Search"),
        ({"SEARXNG_URL": "http://localhost:8888"}, "SearXNG"),
    ],
)
def test_the_environment_says_who_searches_and_without_anybody_the_tool_is_hidden(
    environ: dict[str, str], name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configured_module, "_PACKAGE", "no_such_package")
    for variable in (*configured_module.TAVILY, *configured_module.BRAVE, *configured_module.SEARXNG):
        monkeypatch.delenv(variable, raising=False)
    for variable, text in environ.items():
        monkeypatch.setenv(variable, text)
    provider = configured(environ)
    assert (provider and provider.name) == name
    menu = menu_for(Registry([WebSearch()]), "", this_machine(), lambda tool: None)
    assert [tool.name for tool in menu.tools] == (["web_search"] if name else [])


def test_without_a_key_the_package_searches_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = configured({})
    assert provider is not None
    assert (provider.name, provider.host) == ("DuckDuckGo", "html.duckduckgo.com")


@pytest.mark.parametrize(
    ("provider", "host"),
    [
        (Tavily(KEY), "api.tavily.com"),
        (Brave(KEY), "api.search.brave.com"),
        (SearXNG("https://search.example.org/searx"), "search.example.org"),
        (SearXNG("http://user:pw@search.example.org"), "*"),
        (DuckDuckGo(), "html.duckduckgo.com"),
    ],
)
def test_a_search_claims_the_host_that_it_asks(provider: SearchProvider, host: str) -> None:
    assert WebSearch(provider).bind({"query": "harbour"}).claims().connects == {host}


async def test_an_address_of_searxng_that_can_not_be_used_is_said(bench: Bench) -> None:
    with pytest.raises(ToolFailed, match=r"The address in SEARXNG_URL can't be used.*user name or password"):
        await bench.run(WebSearch(SearXNG("http://user:pw@search.example.org")), query="harbour")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"allowed_domains": ["a.org"], "blocked_domains": ["b.org"]}, "Give one of them"),
        ({"allowed_domains": [""]}, "names no host"),
    ],
)
async def test_hosts_that_make_no_sense_are_refused(bench: Bench, arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(CheckFailed, match=why):
        await bench.run(WebSearch(Tavily(KEY)), query="harbour", **arguments)


async def test_a_person_is_shown_the_words_and_who_gets_them(bench: Bench) -> None:
    shown = await bench.confirm(WebSearch(Tavily(KEY)), query="harbour depth", allowed_domains=["a.org"])
    assert shown == InfoConfirmation(
        "Search Tavily for harbour depth", "The words that are sent: harbour depth (site:a.org)"
    )


async def test_a_search_can_be_cancelled_at_any_moment_and_keeps_to_what_it_declares() -> None:
    async with web_server({"/search": tavily_answer()}) as server:
        tool = WebSearch(Tavily(KEY, server.url("/search")))
        await assert_conforms(tool, {"query": "harbour"}, cancellations=200)


def test_listing_the_tools_loads_nothing_of_the_web() -> None:
    import subprocess

    program = (
        "import sys\nfrom handrail.tools import builtin_tools\nfrom handrail.catalog import this_machine\n"
        "[tool.enabled(this_machine()) for tool in builtin_tools()]\n"
        "print([name for name in ('httpcore2', 'anyio', 'idna', 'selectolax', 'ddgs') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
