from __future__ import annotations

from pathlib import Path

import pytest
from tool_harness import Bench

from handrail.errors import ToolFailed
from handrail.tools.text.omissions import omissions
from handrail.tools.write_file import WriteFile

OMISSIONS = [
    "// rest of code ...", "# rest of code ...", "// ... existing code ...", "...existing code...",
    "unchanged code ...",
    "# ... rest of the code remains the same", "<!-- rest of file unchanged -->", "/* ... other methods ... */",
    "// ... (rest unchanged)", "rest of methods ...", "{/* ... rest of component ... */}", "-- ... remaining code",
    "    // \u2026 rest of the implementation \u2026", "[... rest of file ...]", "# ... (same as before)",
    " * ... rest of the class", "(rest of code ...)", "// ... keep existing code", "; rest of the file is unchanged",
    "# The rest of the code remains unchanged", "% ... same content as above", "''' ... other imports ... '''",
]  # fmt: skip
CODE = [
    "x = 1 // rest of code ...", "...", "# ...", "    ...", "# the rest of the arguments", "print('...')", "Loading...",
    "# existing code paths are tested here", "a, *rest = other", "// same as above", "// TODO ...", "[...rest]",
    "# remaining lines are kept in a buffer", "{...props}", "(...args)", "", "# rest of the tests need a server",
    "the rest of the file is read lazily, see below ...", "def rest(self): ...", "# unchanged", "* other items",
]  # fmt: skip


@pytest.mark.parametrize("line", OMISSIONS)
def test_a_line_that_stands_for_code_is_seen(line: str) -> None:
    assert list(omissions(f"a = 1\n{line}\nb = 2\n")) == [line.strip()]


@pytest.mark.parametrize("line", CODE)
def test_a_line_that_says_something_is_left_alone(line: str) -> None:
    assert list(omissions(f"a = 1\n{line}\nb = 2\n")) == []


async def test_a_file_is_not_written_with_a_line_in_place_of_code(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a = 1\nb = 2\n")
    with pytest.raises(ToolFailed, match=r"The text for f has the line `# \.\.\. rest of the code`, .* Nothing was"):
        await Bench(tmp_path).run(WriteFile(), file_path="f", content="a = 2\n# ... rest of the code\n")
    assert (tmp_path / "f").read_text() == "a = 1\nb = 2\n"


async def test_such_a_line_may_stay_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a = 1\n# ... rest of the code\n")
    await Bench(tmp_path).run(WriteFile(), file_path="f", content="a = 2\n# ... rest of the code\n")
    with pytest.raises(ToolFailed, match="stands for code that was left out"):
        await Bench(tmp_path).run(WriteFile(), file_path="f", content="a = 2\n" + "# ... rest of the code\n" * 2)
