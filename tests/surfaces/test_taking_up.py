"""What a person is told of the settings that a session goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.runtime.openings import HowOpened
from handrail.surfaces.cli.taking_up import settings_as_left


def test_what_stands_in_tables_is_told_by_its_full_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = {"address": "http://127.0.0.1:9/v1"}
    how = HowOpened({"mode": "plan", "limits": {"shell": 4, "browser": 1}, "model_providers": {"ours": ours}}, rules=0)
    settings_as_left(tmp_path, how, {})
    told = "mode plan, limits.shell 4, limits.browser 1, model_providers.ours.address http://127.0.0.1:9/v1"
    assert capsys.readouterr().err == f"handrail: going on as the session was opened: {told}\n"
