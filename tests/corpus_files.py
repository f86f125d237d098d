"""Recorded data, read where it lies beside the repository. It is never part of the project."""

from __future__ import annotations

import json
import os
from fnmatch import fnmatchcase
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
    return _records(corpus_folder() / f"{name}.jsonl")


def cases(name: str, *areas: str) -> dict[str, dict[str, Any]]:
    """The cases of these areas in `NAME.jsonl`, by id. They lie beside the corpus; a selection that is empty fails.

    An area that ends in `*` stands for all whose names begin so.
    """
    records = _records(corpus_folder().parent / "cases" / f"{name}.jsonl")
    found: dict[str, dict[str, Any]] = {}
    for area in areas:
        selected = {case["id"]: case for case in records if fnmatchcase(case["area"], area)}
        assert selected, f"{name}.jsonl has no case in the area {area!r}"
        found |= selected
    return found


def _records(path: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    assert records, f"{path} holds no records"
    return records
