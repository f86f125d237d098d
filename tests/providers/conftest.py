from __future__ import annotations

import pytest

from handrail.providers import folder
from handrail.providers.entry_points import EntryPointTools

_LONG = 60.0
"""Seconds: on a machine with much to do, files take longer to load than a person would want to wait."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loads is there when a session is open. A test about what loads for ever sets its own bound."""
    monkeypatch.setattr(folder, "SOON", _LONG)
    monkeypatch.setattr(folder, "REFRESH_WITHIN", _LONG)
    monkeypatch.setattr(folder.FolderTools, "opens_within", 2 * _LONG)
    monkeypatch.setattr(EntryPointTools, "opens_within", _LONG)
