"""TOML that takes its parser for ever is none: who wrote it may be whoever made the repository."""

from __future__ import annotations

import pytest

from handrail.policy.toml_text import MOST_STEPS, NotToml, parsed

STEPS = "a." * MOST_STEPS + "a"
MANY = "a." * 20_000 + "a"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{STEPS} = 1", 1),
        (f"[{STEPS}]", 1),
        (f"x = 1\n[[ {STEPS} ]]", 2),
        ('"x" = """\n\n"""\n' + '"a" . ' * MOST_STEPS + "a = 1", 4),
        (f"x = {{y = 1, {STEPS} = 1}}", 1),
        (f'x = {{y = """b""""", {STEPS} = 1}} # "', 1),
        (f"x = {{y = '''b''''', {STEPS} = 1}} # '", 1),
        (f"{MANY} = 1", 1),
        (f"[{MANY}]\n" + "b = 1\n" * 20_000, 1),
    ],
)
def test_a_name_of_too_many_parts_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(NotToml, match=f"a name has more than {MOST_STEPS} parts between dots") as caught:
        parsed(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text",
    [
        f"{'a.' * (MOST_STEPS - 1)}a = 1",
        f'x = "{STEPS}" # {STEPS}',
        f"x = '{STEPS}'",
        f'x = """\n{STEPS}\n"""',
        f"x = '''{STEPS} '' {STEPS}'''",
        f'x = """\\"""{STEPS}"""',
        f"x = [{'1.5, ' * 100}]",
        f'"{STEPS}" = 1',
    ],
)
def test_dots_in_texts_comments_and_numbers_part_no_names(text: str) -> None:
    assert len(parsed(text)) == 1


@pytest.mark.parametrize("piece", ['"""', '"""\\"""', "'''x''", '"a\\', "'", "#", ".", "a.\n"])
def test_no_text_takes_long_to_be_looked_through(piece: str) -> None:
    """Were a piece looked at again from each place, this would take hours."""
    with pytest.raises(NotToml):
        parsed("x = 1\n=" + piece * 300_000)
