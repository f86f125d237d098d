"""What models take and cost, from `models.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from handrail.agent.model import Model, Usage
from handrail.contract.values import value

_MILLION = 1_000_000

_DATED = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
"""What providers put behind a model's name to mean the one of a day."""


@value
class Price:
    """US dollars for a million tokens."""

    input: float
    cached: float
    """Read from the provider's cache."""
    written: float
    """Put into the provider's cache."""
    output: float

    def of(self, usage: Usage) -> float:
        fresh = max(0, usage.input - usage.cached - usage.written)
        read = fresh * self.input + usage.cached * self.cached + usage.written * self.written
        return (read + usage.output * self.output) / _MILLION


@value
class Prices:
    """What a model costs: for requests up to a length, and for longer ones."""

    usual: Price
    above: int = 0
    """Tokens read; 0 where the length does not matter."""
    long: Price | None = None

    def of(self, usage: Usage) -> float:
        """For one response."""
        long = self.long if self.above and usage.input > self.above else None
        return (long or self.usual).of(usage)


@value
class KnownModel:
    window: int = 0
    prices: Prices | None = None


NOTHING_KNOWN = KnownModel()


@runtime_checkable
class Priced(Protocol):
    """A model that knows what it costs."""

    @property
    def prices(self) -> Prices | None: ...


def cost_of(model: Model, usage: Usage) -> float | None:
    """US dollars of one response's tokens; None where nobody knows the price."""
    prices = _prices_of(model)
    return None if prices is None else prices.of(usage)


def why_no_money_limit(model: Model) -> str:
    """Why a limit of money can't hold for this model, and what can; empty where it can."""
    if _prices_of(model) is not None:
        return ""
    return f"nobody knows the price of {model.name}, so no limit of money can hold: limit the tokens instead"


def _prices_of(model: Model) -> Prices | None:
    return model.prices if isinstance(model, Priced) else None


def known_model(provider: str, name: str, day: date) -> KnownModel:
    """What is known of a provider's model, with its prices of a day."""
    rows = _table().get(provider, {})
    row = rows.get(name) or rows.get(_DATED.sub("", name))
    return NOTHING_KNOWN if row is None else _known(row, day)


def _known(row: Mapping[str, object], day: date) -> KnownModel:
    later = row.get("later")
    if isinstance(later, Mapping) and isinstance(begins := later.get("from"), date) and begins <= day:
        row = {**row, **later, "beyond": later.get("beyond")}
    window = row.get("window")
    usual = _price(row)
    if usual is None:
        return KnownModel(window if isinstance(window, int) else 0)
    beyond = row.get("beyond")
    long = _price(beyond) if isinstance(beyond, Mapping) else None
    above = beyond.get("above") if isinstance(beyond, Mapping) else 0
    prices = Prices(usual, above if isinstance(above, int) else 0, long)
    return KnownModel(window if isinstance(window, int) else 0, prices)


def _price(row: Mapping[str, object]) -> Price | None:
    input, output = _dollars(row.get("input")), _dollars(row.get("output"))
    if input is None or output is None:
        return None
    cached, written = _dollars(row.get("cached")), _dollars(row.get("written"))
    return Price(input, input if cached is None else cached, input if written is None else written, output)


def _dollars(given: object) -> float | None:
    return float(given) if isinstance(given, int | float) else None


@cache
def _table() -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    text = Path(__file__).with_name("models.toml").read_text("utf-8")
    return {name: rows for name, rows in tomllib.loads(text).items() if isinstance(rows, dict)}
