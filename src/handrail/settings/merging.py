"""Which value of a setting holds, when many are given. Pure.

Of most settings the last layer's value holds; lists of all layers add up. A value in doubt takes part only where
it tightens what holds without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handrail.contract.values import value
from handrail.settings.keys import KEYS, Key
from handrail.settings.origin import Doubt, Given, Layer, Origin


@value
class Setting:
    """One setting as it holds, with all that was given for it."""

    key: Key[Any]
    held: tuple[Given, ...]
    """What holds: one value, or of a list the parts from all layers."""
    yielded: tuple[Given, ...] = ()
    """What a later layer, or a stricter value, took the place of."""
    kept_out: tuple[Given, ...] = ()
    """What is in doubt and would loosen."""

    @property
    def value(self) -> Any:
        if self.key.adds_up:
            return tuple(dict.fromkeys(part for given in self.held for part in _parts(given)))
        return self.held[-1].value


def merged(givens: Iterable[tuple[Key[Any], Given]]) -> Mapping[str, Setting]:
    """Every setting, by name. `givens` may stand in any order."""
    by_layer = sorted(givens, key=lambda each: _LAYERS.index(each[1].origin.layer))
    return {key.name: _setting(key, [given for other, given in by_layer if other is key]) for key in KEYS}


_LAYERS = tuple(Layer)


def _setting(key: Key[Any], givens: list[Given]) -> Setting:
    default = Given(key.default, Origin(Layer.DEFAULT))
    held, yielded, kept_out = [default], [], []
    for given in givens:
        if given.doubt is not None and not key.type.tightens(given.value, held[-1].value):
            kept_out.append(given)
        elif key.adds_up:
            held.append(given)
        else:
            yielded += held
            held = [given]
    return Setting(key, tuple(held), tuple(yielded), tuple(kept_out))


def kept_out_by(doubt: Doubt, settings: Mapping[str, Setting]) -> Iterator[tuple[Key[Any], Given]]:
    for setting in settings.values():
        yield from ((setting.key, given) for given in setting.kept_out if given.doubt is doubt)


def _parts(given: Given) -> tuple[object, ...]:
    return given.value if isinstance(given.value, tuple) else ()
