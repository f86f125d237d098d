from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_harness import Bench

from corpus_files import corpus, corpus_folder
from handrail.errors import ToolFailed
from handrail.tools.edit_file import EditFile

FOLDER = corpus_folder()
EXPLAINED = r"Nearest: line \d+|Nothing in it is like old_string|The file is empty"


def edits(matches: int) -> list[Any]:
    """Edits that change something: where old and new text are the same, there is no file to compare."""
    chosen = [
        record
        for record in corpus("edits")
        if record.get("exact_matches_in_before") == matches and record["old_string"] != record["new_string"]
    ]
    assert chosen, f"no recorded edit has {matches} exact matches"
    return [pytest.param(record, id=record["id"]) for record in chosen]


def stored(digest: str) -> bytes:
    return (FOLDER / "edit_files" / digest).read_bytes()


@pytest.mark.parametrize("record", edits(1))
async def test_a_recorded_edit_that_fits_gives_the_recorded_file(record: Any, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(stored(record["before_sha1"]))
    arguments = {"old_string": record["old_string"], "new_string": record["new_string"]}
    await Bench(tmp_path).run(EditFile(), file_path="f", **arguments)
    assert (tmp_path / "f").read_bytes() == stored(record["after_sha1"])


FIT_IN_NORMAL_FORM = {"ed-0143"}
"""Found though not written exactly so: the file has no blanks where the model put some, at the end of a line."""


@pytest.mark.parametrize("record", edits(0))
async def test_a_recorded_edit_that_does_not_fit_changes_nothing_and_says_why(record: Any, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(stored(record["before_sha1"]))
    arguments = {"old_string": record["old_string"], "new_string": record["new_string"]}
    if record["id"] in FIT_IN_NORMAL_FORM:
        await Bench(tmp_path).run(EditFile(), file_path="f", **arguments)
        before, after = (
            normal(data.decode()) for data in (stored(record["before_sha1"]), (tmp_path / "f").read_bytes())
        )
        assert before.count(normal(record["old_string"])) == 1
        assert after == before.replace(normal(record["old_string"]), normal(record["new_string"]))
        return
    with pytest.raises(ToolFailed, match=EXPLAINED):
        await Bench(tmp_path).run(EditFile(), file_path="f", **arguments)
    assert (tmp_path / "f").read_bytes() == stored(record["before_sha1"])


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))
