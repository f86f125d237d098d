"""What a model reads beside a result, word for word."""

from __future__ import annotations

import pytest

from handrail.contract.results import ToolResult
from handrail.runtime import notes
from handrail.runtime.hook_outcome import Note

RESULT = ToolResult.of_text("ok")

TOLD = [
    (
        notes.with_rewrite(RESULT, ["tidy"], {"path": "é"}).text,
        'ok\n(The hook tidy changed the arguments before this ran: {"path": "é"})',
    ),
    (
        notes.with_rewrite(RESULT, ["a", "b"], {}).text,
        "ok\n(The hooks a, b changed the arguments before this ran: {})",
    ),
    (notes.with_context(RESULT, [Note("tidy", "look twice")]).text, "ok\n(From the hook tidy: look twice)"),
    (
        notes.beside_jobs(RESULT, ["npm start"]).text,
        "ok\n(A background job was running meanwhile and may be writing there: npm start. "
        "What is there may yet change.)",
    ),
    (
        notes.beside_jobs(RESULT, ["a", "b"]).text,
        "ok\n(Background jobs were running meanwhile and may be writing there: a, b. What is there may yet change.)",
    ),
    (
        notes.result_withheld("fetch", "The hook dlp blocks it: a password."),
        "fetch ran, but its result is withheld. The hook dlp blocks it: a password. Don't run it again for that.",
    ),
    (
        notes.endless_follow_ups("a", "b", 8),
        "a ran and asked for b to follow, but 8 calls have followed each other already. "
        "Call b yourself if you need it.",
    ),
    (
        notes.follow_up_failed("a", "b", "No such file."),
        "a ran, and handed on to b, which did not go well. No such file.",
    ),
]


@pytest.mark.parametrize(("said", "wanted"), TOLD)
def test_a_model_is_told_what_happened_beside_its_call(said: str, wanted: str) -> None:
    assert said == wanted
