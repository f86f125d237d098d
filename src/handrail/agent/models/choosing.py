"""Which model answers: by its name, or by the keys that are there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from handrail.agent.model import Model
from handrail.agent.models.provider import Provider, known_providers, providers_with
from handrail.errors import NoModel, UsageError
from handrail.policy.spelling import nearest
from handrail.settings.keys import MODEL, MODEL_PROVIDERS
from handrail.settings.load import Settings
from handrail.settings.provider_tables import NO_PROVIDERS, ProviderRows

if TYPE_CHECKING:
    from handrail.agent.models.endpoint import Endpoint
    from handrail.agent.models.patience import Patience

FORM = "provider:name"


def model_of(
    name: str = "",
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    patience: Patience | None = None,
) -> Model:
    """The model of a name: `provider:name`, a provider alone for its default, or a name that only one provider has.

    Without a name that of `settings` counts, which holds flag, variable and files; else the first provider whose key
    is in `environ` (the process's, if not given), in the order of `docs/reference/models.md`. Nothing is connected to.
    Raises NoModel where none is found, UsageError for a name that is none and for a key that is missing.
    """
    environ = os.environ if environ is None else environ
    rows: ProviderRows = NO_PROVIDERS if settings is None else settings[MODEL_PROVIDERS]
    providers = providers_with(rows)
    name = (name or ("" if settings is None else settings[MODEL])).strip()
    if name:
        provider, model = _named(name, providers)
        if provider is None:
            return _of_others(name, providers)
    else:
        provider, model = _found(providers, environ), ""
    # Here, since the API names this function, and most who use the API make no model.
    from handrail.agent.models.http_model import HttpModel

    return HttpModel(provider, _endpoint(provider, model or provider.model, environ), patience)


@runtime_checkable
class OfProvider(Protocol):
    """A model that somebody offers."""

    provider: str
    name: str


def whole_name(model: Model) -> str:
    """As `model_of` takes it: `provider:name`. Of a model that no provider offers, its name."""
    return f"{model.provider}:{model.name}" if isinstance(model, OfProvider) else model.name


def _named(name: str, providers: Mapping[str, Provider]) -> tuple[Provider | None, str]:
    """A provider and its model's name, which is empty for the default. None for a provider that is not known."""
    before, colon, after = name.partition(":")
    if before in providers:
        return providers[before], after
    if not colon:
        for provider in providers.values():
            if provider.begins and name.startswith(provider.begins):
                return provider, name
        raise UsageError(f"{name!r} names no provider; write {FORM}, of {', '.join(providers)}")
    return None, ""


def _of_others(name: str, providers: Mapping[str, Provider]) -> Model:
    """Those that pydantic-ai knows, if it is installed."""
    from handrail.agent.models.other import NotKnown, other_model

    try:
        return other_model(name)
    except NotKnown as error:
        provider = name.partition(":")[0]
        near = nearest(provider, providers)
        meant = f"did you mean {near}?" if near else f"known are {', '.join(providers)}"
        raise UsageError(f"there is no provider {provider!r}: {meant} {error}") from error


def _found(providers: Mapping[str, Provider], environ: Mapping[str, str]) -> Provider:
    for provider in providers.values():
        if provider.found and _key(provider, environ)[1]:
            return provider
    raise NoModel(_how_to_get_one(providers))


def _endpoint(provider: Provider, model: str, environ: Mapping[str, str]) -> Endpoint:
    if not model:
        raise UsageError(f"{provider.name} has no default model: name one, as {provider.name}:NAME")
    address = next((environ[name] for name in provider.variables if environ.get(name)), provider.address)
    if not address:
        raise UsageError(f"the setting providers.{provider.name} has no address")
    variable, key = _key(provider, environ)
    if provider.keys and not key:
        where = f" (to be had at {provider.get})" if provider.get else ""
        raise UsageError(f"{provider.name} wants a key{where}: export {provider.keys[0]}=…, or name another model")
    from handrail.agent.models.endpoint import Endpoint

    return Endpoint(provider.wire, address.rstrip("/"), model, key, variable)


def _key(provider: Provider, environ: Mapping[str, str]) -> tuple[str, str]:
    """The variable and what it holds; both empty where none is set."""
    held = ((name, environ.get(name, "").strip()) for name in provider.keys)
    return next(((name, key) for name, key in held if key), ("", ""))


def _found_by_key(providers: Mapping[str, Provider]) -> list[Provider]:
    """Without those that the settings have moved and name no key for."""
    return [provider for provider in providers.values() if provider.found and provider.keys]


def _how_to_get_one(providers: Mapping[str, Provider]) -> str:
    first, *rest = _found_by_key(providers) or _found_by_key(known_providers())
    others = [provider.keys[0] for provider in rest]
    listed = "\n".join(f"         {', '.join(others[at : at + 2])}" for at in range(0, len(others), 2))
    ollama = providers["ollama"]
    return f"""\
No model is configured. The three quickest ways to one:

  1. A key of a provider that you have an account with:
         export {first.keys[0]}=…
     (from {first.get}).
     The same goes for
{listed}

  2. A model on this machine, without an account: install Ollama
     ({ollama.get}), then
         ollama pull {ollama.model}
         handrail --model ollama:{ollama.model}

  3. Just look: handrail demo shows a session with a scripted model,
     in a folder of its own.

To keep your choice, write  model = "{first.name}:{first.model}"
into your config.toml (handrail config path). A server of your own
is said there, too: [model_providers.NAME] with its address."""
