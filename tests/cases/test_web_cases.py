"""Faults that people reported of web tools, and how another product reads addresses: each with its whole kind.

Every case of the areas below has a test here, or is about files and output and tested there.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from web_server import Names, redirect, web_server

from accounts import accounted, case
from call_harness import Person, opened, settled
from corpus_files import cases
from handrail.contract.calls import Completed, Failed, Rejected
from handrail.contract.confirmation import InfoConfirmation, Once, Reject
from handrail.contract.results import ErrorKind
from handrail.policy import rules_from
from handrail.runtime.running import MOST_FOLLOW_UPS
from handrail.tools.web.address import BadAddress, addresses_in, parse, raw_form
from handrail.tools.web_fetch import WebFetch

REPORTED = cases("reported_faults", "web_security")
GEMINI = cases("gemini_behaviour", "web-fetch-urls")

TESTED_ELSEWHERE = {
    "WS08": "tests/runtime/test_file_links.py",
    "WS10": "tests/runtime/test_resolver.py",
    "WS14": "tests/providers/mcp/test_words_of_servers.py",  # names of files: tests/tools/test_list_directory.py
}
WAITING = {
    "WS13": "results cleaned of secrets: journal, logs and what people see are, in tests/runtime/test_redaction.py",
}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), TESTED_ELSEWHERE, WAITING) == sorted({**REPORTED, **GEMINI})


@pytest.mark.parametrize("path", sorted(set(TESTED_ELSEWHERE.values())))
def test_what_is_tested_elsewhere_is_there(path: str) -> None:
    assert (Path(__file__).parents[2] / path).is_file()


TABLE = tomllib.loads(Path(__file__).with_name("web_cases.toml").read_text("utf-8"))


@case("WS01")
@pytest.mark.parametrize("url", TABLE["inside"])
async def test_what_is_inside_is_refused_before_anybody_is_asked_and_anything_looked_up(
    tmp_path: Path, url: str
) -> None:
    names, person = Names({}), Person(Once())
    async with opened(tmp_path, WebFetch(names), mode="default", asker=person) as session:
        state = await settled(session, "web_fetch", {"url": url})
    assert isinstance(state, Failed)
    assert "Only addresses of the public internet are fetched" in state.fault.message
    assert (names.asked, person.asked) == ([], [])


@case("WS04")
@pytest.mark.parametrize("told", TABLE["told"])
async def test_a_name_for_what_is_inside_is_refused_after_it_was_looked_up(tmp_path: Path, told: str) -> None:
    tool = WebFetch(Names({"innocent.test": [told]}))
    async with opened(tmp_path, tool) as session:
        state = await settled(session, "web_fetch", {"url": "https://innocent.test/"})
    assert isinstance(state, Failed)
    assert "Nothing was sent to innocent.test, which is at" in state.fault.message


@pytest.mark.parametrize("url", ["http://8.8.8.8/", "http://[2606:4700::1111]/", "http://[64:ff9b::808:808]/"])
async def test_what_is_public_is_not_refused_for_its_address(tmp_path: Path, url: str) -> None:
    async with opened(tmp_path, WebFetch(), mode="default", asker=Person(Reject("no"))) as session:
        assert isinstance(await settled(session, "web_fetch", {"url": url}), Rejected)


@case("WS02")
@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect"])
async def test_a_redirect_inside_is_refused_with_the_reason(tmp_path: Path, status: str) -> None:
    """Pages that refresh themselves, https to http and 20 hops are in tests/tools/test_web_fetch_hostile.py."""
    async with web_server() as inner, web_server({"/x": redirect(inner.url("/secret"), status)}) as server:
        async with opened(tmp_path, server.tool({"docs.test": ["127.0.0.1"]})) as session:
            state = await settled(session, "web_fetch", {"url": server.url("/x", "docs.test")})
        assert isinstance(state, Failed)
        assert "Nothing was sent to 127.0.0.1: loopback" in state.fault.message
        assert not inner.requests


def test_https_and_http_are_one_server_in_one_direction_only() -> None:
    from_https = parse("https://docs.test/x")
    assert not from_https.stays_with(parse("http://docs.test/x"))
    assert parse("http://docs.test/x").stays_with(from_https)


async def test_a_redirect_to_another_host_is_asked_about_and_goes_on_with_a_yes(tmp_path: Path) -> None:
    names = {"docs.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]}
    async with web_server() as server:
        server.answers = {"/x": redirect(server.url("/y", "other.test")), "/y": b"HTTP/1.1 200 OK\r\n\r\nthere"}
        person = Person(Once(), Once())
        async with opened(tmp_path, server.tool(names), mode="default", asker=person) as session:
            state = await settled(session, "web_fetch", {"url": server.url("/x", "docs.test")})
        shown = [asked.confirmation for asked in person.asked]
    assert isinstance(state, Completed)
    assert "there" in state.result.text
    assert [each.urls for each in shown if isinstance(each, InfoConfirmation)] == [
        (server.url("/x", "docs.test"),),
        (server.url("/y", "other.test"),),
    ]


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ([{"host": "other.test", "decision": "deny"}], ErrorKind.DENIED),
        ([{"host": "other.test", "decision": "ask"}, {"host": "docs.test", "decision": "allow"}], ErrorKind.REJECTED),
    ],
)
async def test_rules_on_hosts_hold_for_where_a_redirect_leads(
    tmp_path: Path, rules: list[dict[str, object]], kind: ErrorKind
) -> None:
    names = {"docs.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]}
    async with web_server() as server:
        server.answers = {"/x": redirect(server.url("/y", "other.test"))}
        person = Person(Reject("not there"))
        async with opened(tmp_path, server.tool(names), rules=rules_from(rules), asker=person) as session:
            state = await settled(session, "web_fetch", {"url": server.url("/x", "docs.test")})
        assert server.paths == ["/x"]
    assert isinstance(state, Failed)
    assert state.fault.kind is kind


async def test_two_hosts_that_redirect_to_each_other_come_to_an_end(tmp_path: Path) -> None:
    names = {"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]}
    async with web_server() as server:
        server.answers = {
            "/a": redirect(server.url("/b", "b.test")),
            "/b": redirect(server.url("/a", "a.test")),
        }
        async with opened(tmp_path, server.tool(names)) as session:
            state = await settled(session, "web_fetch", {"url": server.url("/a", "a.test")})
        assert isinstance(state, Failed)
        assert len(server.requests) == MOST_FOLLOW_UPS + 1


@case("WS03")
async def test_a_name_that_is_looked_up_again_is_checked_again(tmp_path: Path) -> None:
    """That one look-up serves check and connection is in tests/tools/test_web_fetch_hostile.py."""
    for told in (["127.0.0.1", "127.0.0.2"], ["127.0.0.1 127.0.0.2"]):
        async with web_server({"/x": redirect("/y"), "/y": b"HTTP/1.1 200 OK\r\n\r\nsecret"}) as server:
            async with opened(tmp_path, server.tool({"docs.test": told})) as session:
                state = await settled(session, "web_fetch", {"url": server.url("/x", "docs.test")})
            assert "/y" not in server.paths
        assert isinstance(state, Failed)
        assert "127.0.0.2: loopback" in state.fault.message


@case("WS05")
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file:///etc/passwd", "Only http and https are supported"),
        ("gopher://a.test/", "Only http and https are supported"),
        ("data:text/html,hello", "Only http and https are supported"),
        ("ftp://a.test/", "Only http and https are supported"),
        ("javascript:alert(1)", "Only http and https are supported"),
        ("http:/a.test/", "Only http and https are supported"),
        ("//a.test/", "no whole address"),
        ("a.test", "no whole address"),
        ("http://user:pw@127.0.0.1/", "user name or password"),
        ("http://user@a.test/", "user name or password"),
        ("http://a.test@127.0.0.1/", "user name or password"),
        ("http://@127.0.0.1/", "user name or password"),
        ("http://a.test\\@127.0.0.1/", "which no address holds"),
        ("http:\\\\a.test/", "which no address holds"),
        ("http://a.test/\r\nHost:", "which no address holds"),
        ("http://a.te\tst/", "which no address holds"),
        ("http://%31%32%37.0.0.1/", "holds an escape"),
        ("http://a.test:0/", "port 0"),
        ("http://a.test:99999/", "Port out of range"),
        ("http://a.test:8o/", "is no address"),
        ("http://[::1%25lo]/", "is no IPv6 address"),
        ("http://[::1]a.test/", "is no IPv6 address"),
        ("http://[a.test]/", "no"),
        ("http://256.0.0.1/", "is no IPv4 address"),
        ("http://1.2.3.4.5/", "is no IPv4 address"),
        ("http://a.1/", "is no IPv4 address"),
        ("http:///path", "names no host"),
        ("http://a..test/", "can't be the name of a host"),
        ("http://a,b/", "can't be the name of a host"),
        ("https://" + "a" * 9_000, "at most 8,000"),
        ("", "no whole address"),
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_refused(url: str, why: str) -> None:
    with pytest.raises(BadAddress) as refused:
        parse(url)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://a.test#@127.0.0.1/", "a.test", 80),
        ("http://a.test?@127.0.0.1/", "a.test", 80),
        ("http://a.test/@127.0.0.1:1/", "a.test", 80),
        ("HTTPS://A.Test.:8443/", "a.test", 8443),
        ("http://xn--bcher-kva.test/", "xn--bcher-kva.test", 80),
        ("http://BÜCHER.test/", "xn--bcher-kva.test", 80),
        ("http://[2606:4700:0::1111]:80/", "2606:4700::1111", 80),
        ("http://1.1/", "1.0.0.1", 80),
    ],
)
def test_an_address_is_read_once_for_the_check_and_for_the_use(url: str, host: str, port: int) -> None:
    """What is requested is written of the parts that were checked: read again, it is the same."""
    address = parse(url)
    assert (address.host, address.port) == (host, port)
    assert parse(str(address)) == address


@case("gm-web-fetch-urls-247", "gm-web-fetch-urls-248")
@pytest.mark.parametrize("id", ["gm-web-fetch-urls-247", "gm-web-fetch-urls-248"])
def test_addresses_are_found_among_the_words_of_a_prompt(id: str) -> None:
    addresses, wrong = addresses_in(GEMINI[id]["given"]["prompt"])
    expected = GEMINI[id]["expect"]
    assert list(map(str, addresses)) == expected["validUrls"]
    assert [message.partition(":")[0] for message in wrong] == [text.partition(":")[0] for text in expected["errors"]]
    assert all(error.split('"')[1] in message for error, message in zip(expected["errors"], wrong, strict=True))


@case("gm-web-fetch-urls-250", "gm-web-fetch-urls-252")
@pytest.mark.parametrize("id", ["gm-web-fetch-urls-250", "gm-web-fetch-urls-252"])
def test_a_files_page_at_github_is_the_file_and_one_address_has_one_form(id: str) -> None:
    url, expected = GEMINI[id]["given"]["url"], GEMINI[id]["expect"]
    assert (raw_form(url), parse(url).normal) == (expected["raw"], expected["normal"])


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/o/r/tree/main/a",
        "https://github.com/o/r",
        "https://evil.test/https://github.com/o/r/blob/main/a.py",
        "https://github.com.evil.test/o/r/blob/main/a.py",
        "https://github.com/blob/main",
    ],
)
def test_other_addresses_stay_as_they_are(url: str) -> None:
    assert raw_form(url) == url


def test_one_address_in_two_forms_is_fetched_once() -> None:
    addresses, _ = addresses_in("https://EX.com:443/p/ and https://ex.com/p and http://ex.com/p")
    assert list(map(str, addresses)) == ["https://ex.com/p/", "http://ex.com/p"]
