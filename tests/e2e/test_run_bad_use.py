"""What `handrail run` can't use is exit code 2, with a message, and nothing is asked of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loaded import Loaded

from servers.anthropic_dialect import AnthropicDialect
from servers.provider_server import ProviderServer

# What was typed, what came on stdin, what is said.
WRONG = [
    pytest.param(("-",), "x" * 10_000_000, "that is too much for one message, 10,000,000 characters", id="10 MB"),
    pytest.param(("-",), "é" * 800_000, "that is too much for one message, 800,000 characters", id="longer when kept"),
    pytest.param(("-",), "x" * 20_000_001, "the task is too long", id="without end"),
    pytest.param(("-",), " \n", "the task is empty", id="empty"),
    pytest.param(("  ",), "", "the task is empty", id="blank"),
    pytest.param(("x", "--max-money", "nan"), "", "'nan' is no amount", id="money nan"),
    pytest.param(("x", "--max-seconds", "nan"), "", "'nan' is no amount", id="seconds nan"),
    pytest.param(("x", "--max-seconds", "inf"), "", "'inf' is no amount", id="seconds inf"),
    pytest.param(
        ("x", "--max-money", "1", "--model", "anthropic:tide-1"), "", "nobody knows the price of tide-1", id="no price"
    ),
    pytest.param(("x", "--max-turns", "0"), "", "Invalid value for '--max-turns'", id="turns 0"),
    pytest.param(("x", "--resume", "none"), "", "no session has run in", id="no session"),
    pytest.param(("x", "--resume", "s", "--continue"), "", "give one of them", id="two sessions"),
    pytest.param(("x", "--json", "--stream-json"), "", "give one of them", id="two outputs"),
    pytest.param(("x", "--model", "nobody:x"), "", "there is no provider 'nobody'", id="provider"),
    pytest.param(("x", "--policy", "gone.toml"), "", "gone.toml can't be read", id="policy"),
    pytest.param(("x", "--add-dir", "gone"), "", "gone is not a folder", id="folder"),
    pytest.param(("x", "-C", "gone"), "", "gone is not a folder", id="workspace"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with ProviderServer(AnthropicDialect(), ()) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.mark.parametrize(("words", "stdin", "said"), WRONG)
def test_what_can_not_be_used_is_said_before_anything_is_asked(
    tmp_path: Path, server: ProviderServer, words: tuple[str, ...], stdin: str, said: str, loaded: Loaded
) -> None:
    done = loaded.handrail("run", "--model=anthropic", *words, state=tmp_path / "state", cwd=tmp_path, stdin=stdin)
    assert (done.code, done.out) == (2, ""), done.err
    assert said in done.err
    assert server.requests == []


@pytest.mark.parametrize("address", ["tides", "http://[::1", "ftp://tides.example", "https://tides.example:port"])
def test_an_address_that_is_none_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, loaded: Loaded
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    done = loaded.handrail("run", "--model=anthropic", "x", state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "is no address of a model's provider" in done.err
