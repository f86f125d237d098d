"""`handrail run` while servers start: they never delay the first request, which says that their tools come later."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from test_run import MODELS, played, run, work

from e2e.command import handrail
from handrail.wire import Wire
from servers.provider_server import DIALECTS
from servers.script import Use, says

__all__ = ["played", "run", "work"]

PLAIN_SERVER = Path(__file__).parents[1] / "providers/mcp/plain_server.py"
TOLD = "Starting, so that their tools are not there yet, but come in a later turn: tides"
AFTER_GO = 'until [ -e go ]; do sleep 0.02; done; exec "$@"'
"""The server starts when the model's first turn lets it."""


def add_tides(work: Path, *before: str) -> None:
    script = work.parent / "tides.json"
    high = {"name": "high", "description": "High water.", "inputSchema": {"type": "object"}}
    script.write_text(json.dumps({"tools": [high]}))
    command = (*before, sys.executable, "-S", str(PLAIN_SERVER), str(script))
    added = handrail("mcp", "add", "tides", "--", *command, state=work.parent / "state", cwd=work)
    assert added.code == 0, added.err


@pytest.mark.parametrize("wire", MODELS)
def test_the_first_request_says_which_servers_start_and_the_next_has_their_tools(
    work: Path, played, wire: Wire, run
) -> None:
    add_tides(work, "sh", "-c", AFTER_GO, "tides")
    name = "mcp__tides__high" if wire is Wire.ANTHROPIC else "mcp_tides_high"
    first = says("I look.", Use("shell", {"command": "touch go"}), Use(name, {"port": "Brest"}))
    with played((first, says("Done.")), wire) as server:
        done = run(work, "When is high water?", "--mode", "bypass")
    assert done.code == 0, done.err
    dialect, (before, after) = DIALECTS[wire](), server.requests
    assert TOLD in json.dumps(dialect.tools(before))
    assert name not in dialect.names(dialect.tools(before))
    assert name in dialect.names(dialect.tools(after))
    assert TOLD not in json.dumps(dialect.tools(after))
    assert "✓ mcp_tides_high" in done.err


@pytest.mark.parametrize("option", [None, "--json", "--stream-json"])
def test_a_line_says_which_servers_start_when_a_model_is_asked_and_programs_get_an_event(
    work: Path, played, option: str | None, run
) -> None:
    add_tides(work, "sh", "-c", AFTER_GO, "tides")
    first = says("I look.", Use("shell", {"command": "touch go"}), Use("mcp__tides__high", {"port": "Brest"}))
    with played((first, says("Done."))):
        done = run(work, *filter(None, [option]), "When is high water?", "--mode", "bypass")
    assert done.code == 0, done.err
    assert "handrail: still starting: tides; their tools come in a later turn of the model\n" in done.err
    if option is None:
        assert done.out == "I look.\nDone.\n"
    elif option == "--json":
        assert [line["type"] for line in done.reports] == ["finished"]
    else:
        began, starting, *_ = done.reports
        assert began["type"] == "began"
        assert (starting["type"], starting["name"], starting["condition"]) == ("source_changed", "tides", "starting")
        assert "ready" in [line["condition"] for line in done.reports if line["type"] == "source_changed"]
        assert done.reports[-1]["type"] == "finished"


def test_where_no_server_starts_there_is_no_such_line(work: Path, played, run) -> None:
    with played((says("Done."),)):
        assert "starting" not in run(work, "When is high water?").err


def test_the_list_of_tools_says_whom_it_waits_for(work: Path) -> None:
    add_tides(work)
    done = handrail("tools", "--start", state=work.parent / "state", cwd=work)
    assert done.err == "handrail: waiting for tides to start\n"
    assert "mcp_tides_high" in done.out
