from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    (folder / "docs").mkdir(parents=True)
    (folder / "tides.txt").write_text("Brest 5.2\nCalais 6.1\n")
    (folder / "docs" / "notes.md").write_text("# Notes\n")
    return folder
