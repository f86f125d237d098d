from __future__ import annotations

from pathlib import Path

import pytest

from handrail.settings.keys import KEYS, Key
from handrail.settings.origin import Layer

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text()


def row(key: Key[object]) -> str:
    default = (
        "" if key.default in ("", ()) or key.name in ("limits", "model_providers") else f"`{str(key.default).lower()}`"
    )
    flag = f"`{key.flag}`" if key.flag else ""
    cells = (f"`{key.name}`", key.type.shape, default, f"`{key.variable}`", flag)
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_setting_stands_in_the_reference_as_it_is(key: Key[object]) -> None:
    assert row(key) in PAGE.splitlines()


@pytest.mark.parametrize("layer", Layer)
def test_every_layer_stands_in_the_reference(layer: Layer) -> None:
    assert f"| {layer} |" in PAGE
