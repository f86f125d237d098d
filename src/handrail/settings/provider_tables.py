"""The setting `model_providers`: servers of models that a person names, each a table of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from handrail.contract.values import value
from handrail.policy.spelling import did_you_mean, shown
from handrail.settings.value_types import BadValue

Row: TypeAlias = Mapping[str, str | int]
ProviderRows: TypeAlias = Mapping[str, Row]

NO_PROVIDERS: ProviderRows = MappingProxyType({})

WIRES = ("anthropic", "openai-chat", "openai-responses", "gemini")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_TOKENS = 100_000_000


@value
class ProviderTables:
    """`[model_providers.NAME]` with `address`, `wire`, `key_env`, `model`, `window`.

    Whoever says where a conversation goes decides who reads it, and who gets the key: nothing of it is taken from
    what nobody trusts.
    """

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return "a table of servers; each with address, wire, key_env, model, window"

    def read(self, given: object, base: object) -> ProviderRows:
        if not isinstance(given, Mapping):
            raise BadValue(f"is not {self.shape}")
        return {str(name): self._row(str(name), row) for name, row in given.items()}

    def read_text(self, text: str, base: object) -> ProviderRows:
        """`vllm=http://127.0.0.1:8000/v1,other=https://…`: of each server the address."""
        pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
        return self.read({name.strip(): {"address": address.strip()} for name, _, address in pairs}, base)

    def tightens(self, new: ProviderRows, old: ProviderRows) -> bool:
        return False

    def _row(self, name: str, row: object) -> Row:
        if not _NAME.fullmatch(name):
            raise BadValue(f"has the name {shown(name)}; names are of a-z, 0-9 and . _ -")
        if not isinstance(row, Mapping):
            raise BadValue(f"has {name} = {shown(row)}, which is not a table")
        return {str(key): self._field(name, str(key), said) for key, said in row.items()}

    def _field(self, name: str, key: str, said: object) -> str | int:
        if key not in _FIELDS:
            raise BadValue(f"has {name}.{key}, which is not known{did_you_mean(key, tuple(_FIELDS))}")
        if key == "window":
            if isinstance(said, int) and not isinstance(said, bool) and 0 < said <= _MOST_TOKENS:
                return said
        elif isinstance(said, str) and _FIELDS[key].fullmatch(said):
            return said
        raise BadValue(f"has {name}.{key} = {shown(said)}, which is not {_EXPECTED[key]}")


_FIELDS: Mapping[str, re.Pattern[str]] = {
    "address": re.compile(r"https?://[^\s@]+"),
    "wire": re.compile("|".join(WIRES)),
    "key_env": _VARIABLE,
    "model": re.compile(r"\S{1,200}"),
    "window": re.compile(""),
}

_EXPECTED: Mapping[str, str] = {
    "address": "an address: https://host/path, without name and password",
    "wire": f"one of {', '.join(WIRES)}",
    "key_env": "the name of a variable; the key itself stands in no file",
    "model": "the name of a model",
    "window": "a number of tokens",
}
