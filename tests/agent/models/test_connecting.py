"""TLS, certificates and proxies on the way to a model's provider."""

from __future__ import annotations

import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme
from asked import KEY, QUICK, asked, asked_in_vain, response_in

from handrail.agent.model import ResponseEnded
from handrail.agent.models.connecting import Proxy, proxy_for
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.http_model import HttpModel
from handrail.agent.models.provider import known_providers
from handrail.errors import ModelFault
from handrail.wire import Wire
from servers.anthropic_dialect import AnthropicDialect
from servers.provider_server import ProviderServer
from servers.proxy import proxy_to
from servers.script import says

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """Who is trusted on this machine, and nobody else."""
    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "trusted.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    return made


def server_for(name: str, authority: trustme.CA | None) -> ProviderServer:
    tls = None
    if authority is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert(name).configure_cert(tls)
    return ProviderServer(AnthropicDialect(), [says("Here.")], tls=tls)


def model_at(address: str, key: str = KEY) -> HttpModel:
    return HttpModel(known_providers()["anthropic"], Endpoint(Wire.ANTHROPIC, address, "local", key, "THE_KEY"), QUICK)


async def test_a_certificate_that_is_trusted_for_the_name_is_enough(authority: trustme.CA) -> None:
    with server_for("localhost", authority) as server:
        events = await asked(model_at(f"https://localhost:{server.port}"))
    assert isinstance(events[-1], ResponseEnded)


@pytest.mark.parametrize("named", ["other.example", "localhost"])
async def test_another_name_and_a_strangers_certificate_are_refused_at_once(authority: trustme.CA, named: str) -> None:
    issuer = trustme.CA() if named == "localhost" else authority
    with server_for(named, issuer) as server:
        events, error = await asked_in_vain(model_at(f"https://localhost:{server.port}"))
        assert server.headers == []
    assert (events, error.fault) == ([], ModelFault.OVERLOADED)
    assert "its certificate is not trusted" in str(error)


async def test_a_server_without_tls_is_told_of(authority: trustme.CA) -> None:
    with server_for("localhost", None) as server:
        _, error = await asked_in_vain(model_at(f"https://localhost:{server.port}"))
    assert error.fault is ModelFault.OVERLOADED


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
async def test_a_proxy_tunnels_what_it_can_not_read(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    with server_for("models.example", authority) as server:
        async with proxy_to(server.port) as proxy:
            monkeypatch.setenv(variable, f"http://me:p%40ss@127.0.0.1:{proxy.port}")
            events = await asked(model_at("https://models.example"))
    assert response_in(events, Wire.ANTHROPIC).text == "Here."
    (head,) = proxy.heads
    assert head.startswith("CONNECT models.example:443 HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in head
    assert KEY not in head


async def test_a_proxy_is_told_the_whole_address_of_a_request_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    with server_for("", None) as server:
        async with proxy_to(server.port) as proxy:
            monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.port}")
            events = await asked(model_at("http://models.example", key=""))
    assert response_in(events, Wire.ANTHROPIC).text == "Here."
    assert proxy.heads[0].startswith("POST http://models.example/v1/messages HTTP/1.1\r\n")


async def test_a_proxy_that_refuses_is_told_of(authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> None:
    async with proxy_to(1, refusing="HTTP/1.1 407 Proxy Authentication Required") as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        _, error = await asked_in_vain(model_at("https://models.example"))
    assert "says 'HTTP/1.1 407 Proxy Authentication Required'" in str(error)


async def test_a_proxy_of_another_kind_is_told_of_at_once(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    events, error = await asked_in_vain(model_at("https://models.example"))
    assert (events, error.fault) == ([], ModelFault.OVERLOADED)
    assert "a proxy of the kind socks5; only http proxies are used" in str(error)


@pytest.mark.parametrize("named", ["http://me:secret@127.0.0.1:99999", "me:secret@127.0.0.1:8o8o", "http://[::1"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_is_no_address_is_told_of_at_once_without_its_password(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch, named: str, scheme: str
) -> None:
    monkeypatch.setenv("all_proxy", named)
    events, error = await asked_in_vain(model_at(f"{scheme}://models.example", key=""))
    assert (events, error.fault) == ([], ModelFault.OVERLOADED)
    assert f"a proxy for {scheme}, and that is no address; write it as http://host:port" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("address", "proxied"),
    [
        ("http://models.example", True),
        ("https://models.example", False),
        ("http://inside.example", False),
        ("http://deep.inside.example:8000", False),
        ("http://outinside.example", True),
    ],
)
def test_a_proxy_is_for_the_scheme_and_the_names_it_is_meant_for(
    monkeypatch: pytest.MonkeyPatch, address: str, proxied: bool
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "inside.example, elsewhere.example")
    assert (proxy_for(urlsplit(address)) == Proxy("127.0.0.1", 9)) is proxied


async def test_a_name_that_can_be_none_is_told_of_at_once() -> None:
    events, error = await asked_in_vain(model_at(f"http://{'a' * 70}.example", key=""))
    assert (events, error.fault) == ([], ModelFault.OVERLOADED)
