from __future__ import annotations

from pathlib import Path

from command import handrail, neutral

SKILL = "---\nname: tides\ndescription: Reads tables.\nallowed-tools: Bash(touch:*)\n---\nRead the table.\n"
FOLDER = ".claude/skills/tides"


def test_a_skill_of_a_repository_works_once_it_is_trusted_and_until_it_changes(tmp_path: Path) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    (work / FOLDER).mkdir(parents=True)
    (work / FOLDER / "SKILL.md").write_text(SKILL)
    take_up, touch = ("Skill", {"skill": "tides"}), ("Bash", {"command": "touch made"})
    responses = "\n".join((neutral(take_up), neutral(touch)))

    def run() -> list[str]:
        done = handrail(
            "exec", "-", "--json", "--model", "claude-x", "--approve", "none", state=state, cwd=work, stdin=responses
        )
        return [call["state"] for report in done.reports for call in report["calls"]]

    assert run() == ["failed", "rejected"]
    shown = handrail("trust", "show", state=state, cwd=work).out
    assert "Read the table." in shown
    assert 'allowed-tools: tool = "Bash"' in shown
    assert handrail("trust", "add", "--yes", FOLDER, state=state, cwd=work).code == 0
    assert "- tides: Reads tables." in handrail("tools", "--json", state=state, cwd=work).out
    assert run() == ["completed", "completed"]
    (work / FOLDER / "more.md").write_text("more")
    assert run() == ["failed", "rejected"]
    assert f"{FOLDER}  skill     changed" in handrail("trust", "list", state=state, cwd=work).out
