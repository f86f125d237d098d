from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.providers.mcp.keychain import Keychain
from handrail.providers.mcp.tokens import Login, Logins
from handrail.settings.mcp.server import Concealed
from providers.mcp.keyrings import NO_KEYRING, MemoryKeyring

URL = "https://mcp.example.com/mcp"
LOGIN = Login(
    access=Concealed("at-secret"),
    token_endpoint="https://auth.example.com/token",
    client_id="client",
    refresh=Concealed("rt-secret"),
    expires_at=1_000.5,
    client_secret=Concealed("cs-secret"),
    client_auth="client_secret_basic",
    scope="tools files",
    resource=URL,
)


@pytest.mark.parametrize("ring", [None, MemoryKeyring(), MemoryKeyring(takes_none=True)])
async def test_what_is_saved_is_loaded_with_any_keyring_or_none(tmp_path: Path, ring: MemoryKeyring | None) -> None:
    logins = Logins(tmp_path, Keychain(lambda: ring))
    assert await logins.load(URL) is None
    await logins.save(URL, LOGIN)
    assert logins.kept(URL)
    assert await Logins(tmp_path, Keychain(lambda: ring)).load(URL) == LOGIN
    assert await logins.forget(URL)
    assert not logins.kept(URL)
    assert await logins.load(URL) is None
    assert not await logins.forget(URL)


async def test_a_keyring_that_keeps_a_login_leaves_no_secret_in_the_folder(tmp_path: Path) -> None:
    ring = MemoryKeyring()
    logins = Logins(tmp_path, Keychain(lambda: ring))
    await logins.save(URL, LOGIN)
    assert "secret" not in "".join(file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    assert len(ring.entries) == 1
    await logins.forget(URL)
    assert not ring.entries


async def test_without_a_keyring_the_login_is_in_a_file_for_its_owner_alone(tmp_path: Path) -> None:
    await Logins(tmp_path, NO_KEYRING).save(URL, LOGIN)
    files = list(tmp_path.rglob("*.json"))
    assert [stat.S_IMODE(os.stat(file).st_mode) for file in files] == [0o600]
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700


async def test_who_has_no_login_never_wakes_the_keyring(tmp_path: Path) -> None:
    ring = MemoryKeyring()
    logins = Logins(tmp_path, Keychain(lambda: ring))
    assert not logins.kept(URL)
    assert await logins.load(URL) is None
    assert ring.asked == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"access": 3}', '{"kept": "keyring"}', "\ufeff", "[" * 9_999])
async def test_a_damaged_file_is_no_login(tmp_path: Path, text: str) -> None:
    logins = Logins(tmp_path, NO_KEYRING)
    await logins.save(URL, LOGIN)
    next(tmp_path.rglob("*.json")).write_text(text)
    assert await logins.load(URL) is None
    await logins.save(URL, LOGIN)
    assert await logins.load(URL) == LOGIN


async def test_a_login_is_of_one_address_however_that_is_written(tmp_path: Path) -> None:
    logins = Logins(tmp_path, NO_KEYRING)
    await logins.save(URL, LOGIN)
    assert await logins.load("HTTPS://MCP.example.com/mcp/") == LOGIN
    for other in ("http://mcp.example.com/mcp", "https://mcp.example.com:8443/mcp", "https://mcp.example.com/other"):
        assert await logins.load(other) is None


async def test_a_login_that_somebody_else_wrote_has_another_stamp(tmp_path: Path) -> None:
    ours, theirs = Logins(tmp_path, NO_KEYRING), Logins(tmp_path, NO_KEYRING)
    assert ours.stamp(URL) is None
    await theirs.save(URL, LOGIN)
    first = ours.stamp(URL)
    assert first == ours.stamp(URL) is not None
    await theirs.save(URL, replace(LOGIN, access=Concealed("at-other")))
    assert ours.stamp(URL) != first


def test_no_text_of_a_login_shows_a_secret() -> None:
    assert "secret" not in f"{LOGIN} {LOGIN!r} {[LOGIN]}".replace("client_secret", "")
