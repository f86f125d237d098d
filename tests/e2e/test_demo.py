from __future__ import annotations

from pathlib import Path

from e2e.command import environment, handrail
from e2e.terminal import Terminal

PROMPT = "[c]ancel the call: "


def test_the_demo_repairs_the_test_and_meets_an_approval_and_a_denial(tmp_path: Path) -> None:
    done = handrail("demo", state=tmp_path)
    assert done.code == 0, done.err
    assert done.err == ""
    fails, passes = done.out.index("FAIL:"), done.out.index("\n    OK")
    question, refused = done.out.index("Why this is asked"), done.out.index("git push origin main  rejected")
    assert fails < question < passes < refused
    assert "+    return depth_m + tide_m - draught_m" in done.out
    assert "the demo says yes" in done.out


def test_a_person_at_a_terminal_answers_in_the_demo(tmp_path: Path) -> None:
    with Terminal("demo", env=environment(tmp_path), cwd=tmp_path) as terminal:
        assert "+    return depth_m + tide_m - draught_m" in terminal.until(PROMPT)
        terminal.type("n I will do it myself\n")
        code, screen = terminal.end()
    assert code == 0
    assert "I will do it myself" in screen
    assert "All green" not in screen
