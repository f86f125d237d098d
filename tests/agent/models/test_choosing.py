"""Which model answers: by name, by settings, by the keys that are there; and what is known of providers and models."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from asked import KEY, request

from handrail.agent.model import Usage
from handrail.agent.models.choosing import model_of
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.http_model import HttpModel
from handrail.agent.models.known_models import Price, Prices, cost_of, known_model
from handrail.agent.models.provider import Provider, known_providers
from handrail.agent.scripted import ScriptedModel
from handrail.errors import NoModel, UsageError
from handrail.settings.load import Settings, load_settings
from handrail.settings.places import Folders
from handrail.wire import Wire

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "models.md").read_text()
PROVIDERS = known_providers()
ALL_KEYS = {name: KEY for provider in PROVIDERS.values() for name in provider.keys}
TODAY = date(2026, 11, 30)


def chosen(name: str = "", environ: Mapping[str, str] = ALL_KEYS, settings: Settings | None = None) -> str:
    """The provider, the model, and where it is asked."""
    model = model_of(name, settings=settings, environ=environ)
    assert isinstance(model, HttpModel)
    return f"{model!r} {model.wire}"[1:]


def settings_with(tmp_path: Path, user: str = "", environ: Mapping[str, str] | None = None, **flags: str) -> Settings:
    folder = tmp_path / "user"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(user)
    where = Folders(tmp_path / "system", folder, tmp_path / "state")
    return load_settings(tmp_path, environ or {}, flags, where)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic:claude-x", "anthropic:claude-x at https://api.anthropic.com> anthropic"),
        ("anthropic", "anthropic:claude-sonnet-5-5 at https://api.anthropic.com> anthropic"),
        ("anthropic:", "anthropic:claude-sonnet-5-5 at https://api.anthropic.com> anthropic"),
        ("claude-x", "anthropic:claude-x at https://api.anthropic.com> anthropic"),
        ("gpt-x", "openai:gpt-x at https://api.openai.com/v1> openai-responses"),
        ("o3", "openai:o3 at https://api.openai.com/v1> openai-responses"),
        ("openai-chat:gpt-x", "openai-chat:gpt-x at https://api.openai.com/v1> openai-chat"),
        ("gemini-x", "google:gemini-x at https://generativelanguage.googleapis.com> gemini"),
        ("ollama:qwen3:8b", "ollama:qwen3:8b at http://127.0.0.1:11434/v1> openai-chat"),
        ("openrouter:a/b:free", "openrouter:a/b:free at https://openrouter.ai/api/v1> openai-chat"),
        (" groq ", "groq:openai/gpt-oss-120b at https://api.groq.com/openai/v1> openai-chat"),
    ],
)
def test_a_name_names_a_provider_and_its_model(name: str, expected: str) -> None:
    assert chosen(name) == expected


@pytest.mark.parametrize(
    ("name", "environ", "said"),
    [
        ("foo", ALL_KEYS, "'foo' names no provider; write provider:name"),
        ("antropic:claude", ALL_KEYS, "did you mean anthropic"),
        ("nonsuch:x", ALL_KEYS, "known are anthropic, openai"),
        ("anthropic", {}, "anthropic wants a key (to be had at https://platform.claude.com/settings/keys): export"),
        ("anthropic", {"ANTHROPIC_API_KEY": "  "}, "anthropic wants a key"),
        ("anthropic", {"ANTHROPIC_API_KEY": "a b\nc"}, "what ANTHROPIC_API_KEY holds can't be a key"),
        ("anthropic", {"ANTHROPIC_API_KEY": "schlüssel"}, "can't be a key"),
        ("vllm", {}, "vllm has no default model"),
        ("openai", {**ALL_KEYS, "OPENAI_BASE_URL": "models.example"}, "is no address"),
        ("openai", {**ALL_KEYS, "OPENAI_BASE_URL": "http://models.example/v1"}, "is not sent to http://models.example"),
        ("openai", {**ALL_KEYS, "OPENAI_BASE_URL": "https://me:pw@models.example"}, "without a name or password"),
        ("bedrock:x", {}, "another library"),
    ],
)
def test_what_can_not_be_chosen_says_why(name: str, environ: Mapping[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        model_of(name, environ=environ)


def test_the_keys_are_looked_for_in_the_order_that_the_page_names() -> None:
    (listed,) = re.findall(r"4\. the first of these variables .*?\n\n", PAGE, re.DOTALL)
    found = [provider for provider in PROVIDERS.values() if provider.found]
    named = re.findall(r"`([A-Z_]+)`", listed)
    assert named == [name for provider in found for name in provider.keys]
    for place, provider in enumerate(found):
        environ = {name: KEY for later in found[place:] for name in later.keys}
        assert chosen("", environ).startswith(f"{provider.name}:{provider.model} ")


def test_settings_say_before_keys_do_and_the_name_before_settings(tmp_path: Path) -> None:
    user = 'model = "google:gemini-x"\n'
    assert chosen("", settings=settings_with(tmp_path, user)).startswith("google:gemini-x ")
    assert chosen("grok-4", settings=settings_with(tmp_path, user)).startswith("xai:grok-4 ")
    variables = settings_with(tmp_path, user, {"HANDRAIL_MODEL": "mistral"})
    assert chosen("", settings=variables).startswith("mistral:mistral-medium-latest ")
    flags = settings_with(tmp_path, user, {"HANDRAIL_MODEL": "mistral"}, model="deepseek:x")
    assert chosen("", settings=flags).startswith("deepseek:x ")
    assert chosen("", settings=settings_with(tmp_path)).startswith("anthropic:")


def test_without_any_model_a_page_tells_the_three_quickest_ways() -> None:
    with pytest.raises(NoModel) as told:
        model_of("", environ={"OPENAI_BASE_URL": "https://x"})
    page = str(told.value)
    assert "export ANTHROPIC_API_KEY=" in page
    assert "ollama pull qwen3-coder" in page
    assert "handrail demo" in page
    assert max(map(len, page.splitlines())) < 80
    assert len(page.splitlines()) <= 24


@pytest.mark.parametrize("moved", [["anthropic"], ["openai"], ["anthropic", "xai"], list(PROVIDERS)])
def test_the_page_names_no_key_that_the_settings_have_made_useless(moved: list[str], tmp_path: Path) -> None:
    elsewhere = "".join(f'[model_providers.{name}]\naddress = "https://models.example"\n' for name in moved)
    with pytest.raises(NoModel) as told:
        model_of("", settings=settings_with(tmp_path, elsewhere), environ={})
    useless = [name for name in moved if len(moved) < len(PROVIDERS) for name in PROVIDERS[name].keys]
    assert [name for name in useless if name in str(told.value)] == []
    assert len(str(told.value).splitlines()) <= 24


OURS = (
    '[model_providers.ours]\naddress = "https://models.example/v1/"\nkey_env = "OURS"\nmodel = "big"\nwindow = 32768\n'
)


def test_a_server_of_ones_own_is_asked_as_the_settings_say(tmp_path: Path) -> None:
    settings = settings_with(
        tmp_path, OURS + '[model_providers.wired]\naddress = "https://a.example"\nwire = "anthropic"\n'
    )
    assert chosen("ours", {"OURS": KEY}, settings) == "ours:big at https://models.example/v1> openai-chat"
    assert chosen("wired:m", {}, settings) == "wired:m at https://a.example> anthropic"
    assert model_of("ours", settings=settings, environ={"OURS": KEY}).window == 32_768
    with pytest.raises(UsageError, match="export OURS="):
        model_of("ours", settings=settings, environ={})


@pytest.mark.parametrize(("wire", "bound"), [("anthropic", 8192), ("openai-chat", None), ("openai-responses", None)])
def test_an_answer_is_bounded_where_the_wire_must_be_told(tmp_path: Path, wire: str, bound: int | None) -> None:
    settings = settings_with(tmp_path, f'[model_providers.ours]\naddress = "https://a.example"\nwire = "{wire}"\n')
    model = model_of("ours:m", settings=settings, environ={})
    assert isinstance(model, HttpModel)
    assert model.body(request(model.wire)).get("max_tokens") == bound


def test_a_known_provider_at_another_address_gets_no_key_that_was_meant_for_it(tmp_path: Path) -> None:
    moved = '[model_providers.openai]\naddress = "https://models.example/v1"\n'
    model = model_of("openai:m", settings=settings_with(tmp_path, moved), environ=ALL_KEYS)
    assert isinstance(model, HttpModel)
    assert "authorization" not in model._endpoint.headers
    named = model_of("openai:m", settings=settings_with(tmp_path, moved + 'key_env = "OURS"\n'), environ={"OURS": KEY})
    assert isinstance(named, HttpModel)
    assert named._endpoint.headers["authorization"] == f"Bearer {KEY}"


def test_of_a_known_provider_only_what_is_said_is_another(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, "[model_providers.ollama]\nwindow = 8192\n")
    model = model_of("ollama:m", settings=settings, environ={"OLLAMA_BASE_URL": "http://10.0.0.7:11434/v1"})
    assert (model.window, repr(model)) == (8192, "<ollama:m at http://10.0.0.7:11434/v1>")


@pytest.mark.parametrize(
    ("address", "may"),
    [
        ("https://models.example", True),
        ("http://localhost:1", True),
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.7", True),
        ("http://10.0.0.7", True),
        ("http://models.example", False),
        ("http://1.2.3.4", False),
        ("http://127.0.0.1.models.example", False),
        ("ftp://models.example", False),
        ("models.example", False),
        ("https://", False),
    ],
)
def test_a_key_travels_where_nobody_reads_along(address: str, may: bool) -> None:
    if may:
        assert Endpoint(Wire.OPENAI_CHAT, address, "m", KEY, "K").headers["authorization"] == f"Bearer {KEY}"
    else:
        with pytest.raises(UsageError) as told:
            Endpoint(Wire.OPENAI_CHAT, address, "m", KEY, "K")
        assert KEY not in str(told.value)


@pytest.mark.parametrize("address", ["https://m\u00fcller.example", "https://a.example/a b", "https://a.example/a\nb"])
def test_an_address_that_no_request_can_have_says_how_to_write_it(address: str) -> None:
    with pytest.raises(UsageError, match="write them as requests have them"):
        Endpoint(Wire.OPENAI_CHAT, address, "m")


@pytest.mark.parametrize(
    ("wire", "address", "url"),
    [
        (Wire.ANTHROPIC, "https://a.example", "https://a.example/v1/messages"),
        (Wire.ANTHROPIC, "https://a.example/v1", "https://a.example/v1/messages"),
        (Wire.OPENAI_CHAT, "https://a.example/v1", "https://a.example/v1/chat/completions"),
        (Wire.OPENAI_RESPONSES, "https://a.example/v1", "https://a.example/v1/responses"),
        (Wire.GEMINI, "https://a.example", "https://a.example/v1beta/models/a%2Fb%3F:streamGenerateContent?alt=sse"),
        (
            Wire.GEMINI,
            "https://a.example/v1beta",
            "https://a.example/v1beta/models/a%2Fb%3F:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_the_wires_path_is_added_to_the_address(wire: Wire, address: str, url: str) -> None:
    assert Endpoint(wire, address, "a/b?").url == url


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=PROVIDERS)
def test_what_the_table_says_of_a_provider_can_be_used_and_stands_on_the_page(provider: Provider) -> None:
    assert urlsplit(provider.address).hostname
    assert not provider.address.endswith("/")
    assert bool(provider.output) is (provider.wire is Wire.ANTHROPIC)
    assert provider.model or not provider.found
    assert provider.keys or not provider.found
    assert provider.get.startswith("https://")
    cells = (
        f"`{provider.name}`",
        provider.wire,
        ", ".join(f"`{name}`" for name in provider.keys),
        f"`{provider.model}`" if provider.model else "",
        ", ".join(f"`{name}`" for name in provider.variables),
    )
    assert "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) in PAGE.splitlines()


@pytest.mark.parametrize(
    "provider", [provider for provider in PROVIDERS.values() if provider.found], ids=lambda provider: provider.name
)
def test_the_default_model_of_a_provider_has_a_price(provider: Provider) -> None:
    assert known_model(provider.name, provider.model, TODAY).prices is not None


@pytest.mark.parametrize(
    ("provider", "name", "window", "dollars"),
    [
        ("anthropic", "claude-sonnet-5-5", 1_000_000, 12.0),
        ("anthropic", "claude-haiku-4-5-20251001", 200_000, 6.0),
        ("anthropic", "claude-sonnet-5-5-fast", 0, None),
        ("openai", "gpt-5-2025-08-07", 400_000, 11.25),
        ("openai", "gpt-5-pro", 0, None),
        ("nobody", "claude-sonnet-5-5", 0, None),
    ],
)
def test_window_and_price_are_those_of_the_table(provider: str, name: str, window: int, dollars: float | None) -> None:
    known = known_model(provider, name, TODAY)
    cost = None if known.prices is None else known.prices.usual.of(Usage(1_000_000, 0, 0, 1_000_000))
    assert (known.window, cost) == (window, dollars)


def test_prices_change_on_their_day() -> None:
    before, after = (known_model("google", "gemini-4-argon", day).prices for day in (TODAY, date(2026, 12, 1)))
    assert (before, after) == (Prices(Price(2, 0.1, 2, 10)), Prices(Price(4, 0.2, 4, 20)))


def test_tokens_cost_by_what_became_of_them() -> None:
    prices = Prices(Price(10, 1, 20, 100), above=1000, long=Price(20, 2, 40, 200))
    assert prices.of(Usage(1000, 500, 250, 10)) == pytest.approx((250 * 10 + 500 * 1 + 250 * 20 + 10 * 100) / 1e6)
    assert prices.of(Usage(1001, 0, 0, 0)) == pytest.approx(1001 * 20 / 1e6)
    assert prices.of(Usage()) == 0


def test_a_model_without_a_price_costs_nobody_knows_what() -> None:
    assert cost_of(ScriptedModel([]), Usage(1, 0, 0, 1)) is None
    assert cost_of(model_of("ollama:m", environ={}), Usage(1, 0, 0, 1)) is None
    assert cost_of(model_of("claude-sonnet-5-5", environ=ALL_KEYS), Usage(1_000_000, 0, 0, 0)) == pytest.approx(2.0)


def test_choosing_a_model_loads_no_http() -> None:
    code = (
        "import sys; from handrail.agent.models.choosing import model_of;"
        "model_of('anthropic', environ={'ANTHROPIC_API_KEY': 'x'});"
        "print([name for name in ('h11', 'httpx2', 'pydantic_ai', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr
