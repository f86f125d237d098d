"""Who offers models, from `providers.toml`, and what a person says of others in their settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from handrail.contract.values import value
from handrail.wire import Habits, Wire


@value
class Provider:
    """As `providers.toml` describes it."""

    name: str
    wire: Wire
    address: str
    """Without a slash at its end."""
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    get: str = ""
    model: str = ""
    begins: tuple[str, ...] = ()
    output: int = 0
    window: int = 0
    """Of its models, where a person says so: one in `models.toml` has its own."""
    found: bool = False
    sealed: tuple[str, ...] = ()
    models: str = ""
    """Whose models of `models.toml` they are, if not its own."""
    habits: Habits = Habits()

    def habits_of(self, model: str) -> Habits:
        return (
            replace(self.habits, sealed_thinking=True) if self.sealed and model.startswith(self.sealed) else self.habits
        )


@cache
def known_providers() -> Mapping[str, Provider]:
    """By name, in the order in which keys are looked for."""
    table = tomllib.loads(Path(__file__).with_name("providers.toml").read_text("utf-8"))
    return {name: _provider(name, row) for name, row in table.items()}


def providers_with(said: Mapping[str, Mapping[str, str | int]]) -> Mapping[str, Provider]:
    """The known ones, and the new ones of the setting `model_providers`; of a known one what is said otherwise."""
    found = dict(known_providers())
    for name, row in said.items():
        found[name] = _changed(found.get(name), name, row)
    return found


def _changed(known: Provider | None, name: str, row: Mapping[str, str | int]) -> Provider:
    # A known provider's key is not sent to an address of somebody else's: whoever moves it names the key's variable.
    base = known or Provider(name, Wire.OPENAI_CHAT, "")
    address = str(row.get("address", base.address)).rstrip("/")
    key = row.get("key_env")
    wire = Wire(str(row.get("wire", base.wire)))
    keys = (str(key),) if key else base.keys if address == base.address else ()
    return replace(
        base,
        wire=wire,
        address=address,
        variables=() if "address" in row else base.variables,
        keys=keys,
        model=str(row.get("model", base.model)),
        window=int(row.get("window", base.window)),
        output=base.output or (_ANSWER if wire is Wire.ANTHROPIC else 0),
    )


_ANSWER = 8192
"""Tokens of an answer on a wire that must be told, from a server nobody knows."""


def _provider(name: str, row: Mapping[str, object]) -> Provider:
    def texts(key: str) -> tuple[str, ...]:
        listed = row.get(key, ())
        return tuple(map(str, listed)) if isinstance(listed, list) else ()

    output = row.get("output", 0)
    return Provider(
        name,
        Wire(str(row["wire"])),
        str(row["address"]),
        texts("variables"),
        texts("keys"),
        str(row.get("get", "")),
        str(row.get("model", "")),
        texts("begins"),
        output if isinstance(output, int) else 0,
        found=row.get("found") is True,
        sealed=texts("sealed"),
        models=str(row.get("models", "")),
        habits=Habits(
            str(row.get("length_key", "")), row.get("cache_key") is True, row.get("asks_usage", True) is True
        ),
    )
