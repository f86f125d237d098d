from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from command import Ran, handrail
from loaded import Loaded

from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import says


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and a model that is configured."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def doctor(loaded: Loaded):
    def doctor(work: Path, *arguments: str) -> Ran:
        return loaded.handrail("doctor", *arguments, state=work.parent / "state", cwd=work)

    return doctor


def found(ran: Ran) -> dict[str, dict[str, Any]]:
    return {finding["about"]: finding for finding in ran.report["findings"]}


def test_where_all_is_well_nothing_fails_and_nothing_is_written(work: Path, doctor) -> None:
    done = doctor(work)
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if "→" not in line]
    assert {line.split()[1] for line in lines} == {
        "python", "ripgrep", "git", "sandbox", "state", "journal", "settings", "project", "model", "terminal",
    }  # fmt: skip
    assert {line.split()[0] for line in lines} == {"ok"}
    assert not (work.parent / "state").exists()
    assert list(work.iterdir()) == []


def test_the_report_says_the_same_to_programs(work: Path, doctor) -> None:
    done = doctor(work, "--json")
    assert done.report["version"] == 1
    assert all(set(finding) == {"about", "health", "found", "mend"} for finding in done.report["findings"])


def test_every_finding_that_is_not_well_says_how_to_mend_it(
    work: Path, monkeypatch: pytest.MonkeyPatch, doctor
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("PATH", str(work))
    (work / ".handrail").mkdir()
    (work / ".handrail" / "config.toml").write_text('mode = "bypass"\nmoed = "plan"\n')
    done = doctor(work, "--json")
    unwell = {about: finding for about, finding in found(done).items() if finding["health"] != "ok"}
    assert {"git", "settings", "trust", "model"} <= unwell.keys()
    assert all(finding["mend"] for finding in unwell.values())
    assert done.code == 1


def test_a_model_that_is_not_configured_fails(work: Path, monkeypatch: pytest.MonkeyPatch, doctor) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    done = doctor(work)
    assert done.code == 1
    assert re.search(r"^fail  model +none is configured\n +→ export ANTHROPIC_API_KEY=", done.out, re.MULTILINE)


def test_a_state_folder_that_others_can_write_fails_with_the_command_that_mends_it(work: Path, doctor) -> None:
    state = work.parent / "state"
    state.mkdir()
    state.chmod(0o777)
    done = doctor(work, "--json")
    finding = found(done)["state"]
    assert (done.code, finding["health"]) == (1, "fail")
    assert f"chmod 700 '{state}'" in finding["found"]


def test_a_state_folder_that_others_can_read_is_warned_of(work: Path, doctor) -> None:
    state = work.parent / "state"
    state.mkdir()
    state.chmod(0o755)
    done = doctor(work, "--json")
    assert (done.code, found(done)["state"]["mend"]) == (0, f"chmod 700 '{state}'")


def test_a_journal_that_is_none_fails(work: Path, doctor) -> None:
    state = work.parent / "state"
    handrail("exec", "-", state=state, cwd=work, stdin='{"calls": []}')
    assert "1 sessions" in found(doctor(work, "--json"))["journal"]["found"]
    (journal,) = state.glob("*.sqlite")
    journal.write_bytes(b"no database" * 1000)
    done = doctor(work, "--json")
    assert (done.code, found(done)["journal"]["health"]) == (1, "fail")
    assert "move it away" in found(done)["journal"]["found"]


def test_questions_that_wait_are_told(work: Path, doctor) -> None:
    write = '{"calls": [{"id": "c", "name": "write_file", "arguments": {"file_path": "a", "content": "x"}}]}'
    handrail("exec", "-", "--approve", "wait", state=work.parent / "state", cwd=work, stdin=write)
    assert found(doctor(work, "--json"))["approvals"]["found"] == "1 call waits for an answer"


def test_what_the_project_needs_is_advised_until_it_is_there(work: Path, doctor) -> None:
    assert "handrail init" in found(doctor(work, "--json"))["project"]["mend"]
    handrail("init", "--yes", state=work.parent / "state", cwd=work)
    assert "project" not in found(doctor(work, "--json"))


def test_the_model_is_asked_only_when_that_is_wanted(work: Path, monkeypatch: pytest.MonkeyPatch, doctor) -> None:
    with ProviderServer(DIALECTS[Wire.ANTHROPIC](), [says("ok")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert "not asked yet" in found(doctor(work, "--json"))["model"]["found"]
        assert server.requests == []
        finding = found(doctor(work, "--online", "--json"))["model"]
        assert (finding["health"], finding["found"].endswith(" answers")) == ("ok", True)
        assert server.wrong == []
        assert server.requests[0]["max_tokens"] <= 64
    gone = doctor(work, "--online", "--json", "-C", str(work))
    assert (gone.code, found(gone)["model"]["health"]) == (1, "fail")


def test_completion_knows_the_commands(work: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = handrail("completion", shell, state=work.parent / "state")
        assert (done.code, done.err) == (0, "")
        assert "_HANDRAIL_COMPLETE" in done.out
    assert handrail("completion", "tcsh", state=work.parent / "state").code == 2


def test_a_shell_is_given_what_may_come_next(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, said in {"COMP_WORDS": "handrail do", "COMP_CWORD": "1", "_HANDRAIL_COMPLETE": "bash_complete"}.items():
        monkeypatch.setenv(name, said)
    assert handrail(state=work.parent / "state").out.split() == ["plain,doctor"]


def test_a_traceback_is_shown_only_to_who_asks_for_it(work: Path) -> None:
    state = work.parent / "state"
    plain = handrail("exec", "missing.json", state=state, cwd=work)
    assert (plain.code, plain.err.count("\n"), "Traceback" in plain.err) == (2, 1, False)
    asked = handrail("--debug", "exec", "missing.json", state=state, cwd=work)
    assert (asked.code, "Traceback" in asked.err) == (2, True)
    assert asked.err.endswith(plain.err)


def test_servers_are_looked_at_and_not_started(work: Path, monkeypatch: pytest.MonkeyPatch, doctor) -> None:
    config = work.parent / "config"
    config.mkdir()
    monkeypatch.setenv("HANDRAIL_CONFIG", str(config))
    (config / "config.toml").write_text(
        '[mcp.servers.there]\ncommand = "sh"\nargs = ["-c", "touch started"]\n'
        '[mcp.servers.gone]\ncommand = "no-such-program"\n'
        '[mcp.servers.unset]\nurl = "https://tides.example/${NOT_SET_ANYWHERE}"\n'
        '[mcp.servers.off]\ncommand = "sh"\nenabled = false\n'
    )
    (config / "config.toml").chmod(0o600)
    done = doctor(work, "--json")
    told = [each for each in done.report["findings"] if each["about"] == "mcp server"]
    assert [each["health"] for each in told] == ["ok", "fail", "fail"]
    assert told[0]["mend"] == "handrail mcp test there starts it"
    assert "no program no-such-program on PATH" in told[1]["found"]
    assert "NOT_SET_ANYWHERE" in told[2]["found"]
    assert done.code == 1
    assert not (work / "started").exists()


def test_a_server_in_the_workspace_is_looked_for_there_wherever_one_asks(
    work: Path, tmp_path: Path, monkeypatch
) -> None:
    config = work.parent / "config"
    config.mkdir()
    monkeypatch.setenv("HANDRAIL_CONFIG", str(config))
    (config / "config.toml").write_text(
        '[mcp.servers.there]\ncommand = "./there"\n[mcp.servers.below]\ncommand = "./below"\ncwd = "bin"\n'
        '[mcp.servers.gone]\ncommand = "bin/there"\n'
    )
    (config / "config.toml").chmod(0o600)
    for program in (work / "there", work / "bin" / "below"):
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o700)
    done = handrail("doctor", "--json", "-C", str(work), state=work.parent / "state", cwd=tmp_path)
    told = [each for each in done.report["findings"] if each["about"] == "mcp server"]
    assert [each["health"] for each in told] == ["ok", "ok", "fail"]
    assert told[2]["found"] == f"gone: there is no program bin/there in {work}"
