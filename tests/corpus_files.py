"""Recorded data, read where it lies beside the repository. It is never part of the project."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def corpus_folder() -> Path:
    """The folder in `$HANDRAIL_CORPUS`, else `../shared/corpus` beside the repository. Skips where there is none."""
    folder = Path(os.environ.get("HANDRAIL_CORPUS") or _BESIDE)
    if not folder.is_dir():
        pytest.skip(f"the recorded corpus is not at {folder}; set HANDRAIL_CORPUS", allow_module_level=True)
    return folder


def corpus(name: str) -> list[dict[str, Any]]:
    """All records of `NAME.jsonl`. Skips where the corpus is absent; a file without records fails."""
    path = corpus_folder() / f"{name}.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    assert records, f"{path} holds no records"
    return records
