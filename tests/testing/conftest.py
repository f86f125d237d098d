from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOK = '{"cells": [{"cell_type": "raw", "metadata": {}, "source": ""}], "nbformat": 4, "nbformat_minor": 4}\n'


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    (folder / "docs").mkdir(parents=True)
    (folder / "tides.txt").write_text("Brest 5.2\nCalais 6.1\n")
    (folder / "docs" / "notes.md").write_text("# Notes\n")
    (folder / "log.ipynb").write_text(NOTEBOOK)
    return folder
