from __future__ import annotations

import os
from pathlib import Path

import pytest
from settings_world import World

from handrail.contract.basics import Instant
from handrail.policy.patterns import PathPattern
from handrail.policy.rules import RuleScope
from handrail.settings.load import Settings
from handrail.settings.skills.allowed_tools import entries
from handrail.settings.skills.front_matter import MOST, Words, split
from handrail.settings.skills.listing import listing
from handrail.settings.skills.reading import FrontMatter, read_front_matter
from handrail.settings.skills.skill import Skill

PLAIN = "---\nname: tides\ndescription: Reads tide tables.\n---\nRead the table.\n"


def put(folder: Path, text: str = PLAIN, **files: str) -> Path:
    for name, content in {"SKILL.md": text, **files}.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_text(content)
        path.chmod(0o644)
    return folder


def load(world: World) -> Settings:
    return world.load({"HOME": str(world.root / "home")})


def trust_all(world: World) -> None:
    world.store.add([waiting.key for waiting in load(world).waiting], Instant(0.0))


def names(settings: Settings) -> list[str]:
    return [skill.name for skill in settings.skills.usable]


# Front matter


@pytest.mark.parametrize(
    ("text", "matter", "rest"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n", "body"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody", "a: 1\r\n", "body"),
        ("---\n---\nbody", "", "body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("body\n---\n", "", "body\n---\n"),
        ("---\na: 1\nbody", "", "---\na: 1\nbody"),
        ("", "", ""),
    ],
)
def test_front_matter_stands_between_two_lines_at_the_start(text: str, matter: str, rest: str) -> None:
    assert split(text) == (matter, rest)


@pytest.mark.parametrize(
    ("matter", "read"),
    [
        ("name: a\ndescription: b", FrontMatter("a", "b")),
        ("name: 1.0\ndescription: yes", FrontMatter("1.0", "yes")),
        ("description: b\nwhen_to_use: always", FrontMatter("", "b always")),
        ("description: >\n  two\n  lines\n", FrontMatter("", "two lines")),
        (
            "allowed-tools: Read, Bash(git add:*)",
            FrontMatter(allowed_tools=(Words(2, "Read, Bash(git add:*)"),)),
        ),
        ("allowed-tools:\n- Read\n- Grep", FrontMatter(allowed_tools=(Words(3, "Read"), Words(4, "Grep")))),
        ("paths: '*.tide, src/**'", FrontMatter(paths=("*.tide", "src/**"))),
        ("disable-model-invocation: true", FrontMatter(for_model=False)),
        ("disable-model-invocation: ja", FrontMatter(for_model=False)),
        ("disable-model-invocation: off", FrontMatter()),
        ("metadata:\n  author: x\n  deep: [1, {a: b}]", FrontMatter()),
        ("name: !!python/object/apply:os.system [x]", FrontMatter("x")),
        ("description: {a: b}", None),
        ("- a list", None),
        ("", FrontMatter()),
    ],
)
def test_what_a_skill_says_of_itself_is_read_as_text(matter: str, read: FrontMatter | None) -> None:
    found = read_front_matter(matter)
    if read is None:
        assert (found.name, found.description, len(found.problems)) == ("", "", 1)
    else:
        assert found == read


def test_an_unquoted_colon_leaves_name_and_description_and_allows_nothing() -> None:
    found = read_front_matter("name: tides\ndescription: Use this: often\nallowed-tools: Bash\n")
    assert (found.name, found.description, found.allowed_tools) == ("tides", "Use this: often", ())
    assert found.problems[0].startswith("line 3: the front matter is not YAML")


@pytest.mark.parametrize(
    ("matter", "for_model"),
    [
        ("description: Use this: often\ndisable-model-invocation: true\n", False),
        ("description: Use this: often\ndisable-model-invocation: false\n", True),
        ("description: Use this: often\ndisable-model-invocation:\n  true\n", False),
        ("disable-model-invocation: {a: b}\n", False),
        ("- disable-model-invocation: true\n", False),
        ("disable-model-invocation: true\nx: " + "[" * 300, False),
        ("disable-model-invocation: true\nx: " + "y" * MOST, False),
        ("description: Use this: often\n", True),
        ("x: " + "y" * MOST, True),
    ],
    ids=lambda said: str(said)[:60],
)
def test_a_skill_for_people_is_offered_to_no_model_though_its_front_matter_can_not_be_read(
    matter: str, for_model: bool
) -> None:
    assert read_front_matter(matter).for_model is for_model


@pytest.mark.parametrize(
    ("matter", "for_model", "told"),
    [
        ("disable_model_invocation: true", False, 'line 2: unknown field "disable_model_invocation"; did you mean d'),
        ("Disable-Model-Invocation: true", False, "did you mean disable-model-invocation?"),
        ("name: [a]\nPath: src/**", False, 'line 3: unknown field "Path"; did you mean paths?'),
        ("description: Use this: often\npath: src/**", False, "did you mean paths? Until it is called so"),
        ("[[[\ndisable-model-invokation: true", False, "did you mean disable-model-invocation?"),
        ("allowed_tools: Bash", True, "did you mean allowed-tools?"),
        ("whenToUse: often", True, "did you mean when_to_use?"),
        ("disallowed-tools: Bash", True, "line 2: disallowed-tools takes nothing away here; write a rule that denies"),
        ("\n".join(f"x{n}: y" for n in range(31)), False, "more than 30 fields that are not known"),
    ],
    ids=lambda said: str(said)[:40],
)
def test_a_field_that_seems_to_mean_another_is_told_and_what_it_may_limit_is_limited(
    matter: str, for_model: bool, told: str
) -> None:
    found = read_front_matter(matter)
    assert (found.for_model, found.allowed_tools) == (for_model, ())
    assert told in found.problems[-1]


THEIR_FIELDS = (
    "license", "compatibility", "metadata", "version", "argument-hint", "arguments", "user-invocable", "model",
    "effort", "context", "agent", "hooks", "shell", "author", "tags", "color",
)  # fmt: skip


@pytest.mark.parametrize("field", THEIR_FIELDS)
def test_fields_of_other_programs_are_passed_over(field: str) -> None:
    assert read_front_matter(f"description: b\n{field}: x") == FrontMatter(description="b")


@pytest.mark.parametrize(
    "matter",
    ["a: " + "[" * 9_000, "x: " + "y" * MOST, "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]", "a: *nobody", "\t", "a: \x00"],
)
def test_hostile_front_matter_is_no_more_than_a_problem(matter: str) -> None:
    assert read_front_matter(matter).allowed_tools == ()


# Where skills lie


@pytest.mark.parametrize(
    "place", ["user/skills", "system/skills", "home/.agents/skills", "home/.claude/skills", "home/.gemini/skills"]
)
def test_what_the_person_has_is_used_at_once(world: World, place: str) -> None:
    put(world.root / place / "tides")
    settings = load(world)
    assert names(settings) == ["tides"]
    assert settings.waiting == settings.problems == ()


@pytest.mark.parametrize("place", [".handrail/skills", ".agents/skills", ".claude/skills", ".gemini/skills"])
def test_what_came_with_a_workspace_is_used_once_it_is_trusted(world: World, place: str) -> None:
    put(world.workspace / place / "tides", scripts__run="echo ready\n")
    settings = load(world)
    assert names(settings) == []
    [waiting] = settings.waiting
    assert (waiting.key.kind, waiting.key.path) == ("skill", f"{place}/tides")
    assert waiting.would == ("the skill tides: Reads tide tables.",)
    assert "Read the table." in waiting.text
    assert "scripts/run" in waiting.text
    trust_all(world)
    settings = load(world)
    assert names(settings) == ["tides"]
    assert settings.waiting == ()
    assert waiting.key in settings.trusted


@pytest.mark.parametrize("change", ["SKILL.md", "scripts/run", "added", "removed"])
def test_any_change_in_its_folder_voids_the_trust(world: World, change: str) -> None:
    folder = put(world.workspace / ".claude/skills/tides", scripts__run="echo ready\n")
    trust_all(world)
    if change == "removed":
        (folder / "scripts/run").unlink()
    else:
        (folder / change).write_text("changed\n")
    settings = load(world)
    assert names(settings) == []
    assert len(settings.waiting) == 1


def test_a_link_in_a_skill_of_a_workspace_leaves_it_out(world: World) -> None:
    folder = put(world.workspace / ".claude/skills/tides")
    (folder / "key").symlink_to("/etc/passwd")
    settings = load(world)
    assert settings.waiting == ()
    assert "holds a link, key" in settings.problems[0]


def test_a_skill_that_is_linked_into_a_workspace_from_outside_is_left_out(world: World) -> None:
    (world.workspace / ".claude/skills").mkdir(parents=True)
    (world.workspace / ".claude/skills/tides").symlink_to(put(world.root / "elsewhere/tides"))
    settings = load(world)
    assert (names(settings), settings.waiting) == ([], ())
    assert "lies outside the workspace" in settings.problems[0]


def test_a_folder_that_two_places_share_is_one_skill(world: World) -> None:
    put(world.workspace / ".agents/skills/tides")
    (world.workspace / ".claude").mkdir()
    (world.workspace / ".claude/skills").symlink_to("../.agents/skills")
    assert len(load(world).waiting) == 1


def test_what_came_with_a_workspace_never_takes_the_name_of_what_the_person_has(world: World) -> None:
    put(world.workspace / ".claude/skills/other-name", PLAIN.replace("Reads", "Steals"))
    trust_all(world)
    mine = put(world.root / "home/.claude/skills/tides")
    settings = load(world)
    assert [skill.folder for skill in settings.skills.usable] == [mine]
    assert "has the same name, tides, and comes first" in settings.problems[0]


def test_what_others_can_write_is_not_the_persons_own(world: World) -> None:
    folder = put(world.root / "home/.claude/skills/tides")
    (folder / "SKILL.md").chmod(0o666)
    settings = load(world)
    assert names(settings) == []
    assert "can be written by others" in settings.problems[0]


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        ("Just text.\n", "folder", "Just text."),
        ("# Title\n\ntext", "folder", "Title"),
        ("---\nname: Not A Name\ndescription: d\n---\n", "folder", "d"),
        ("---\nname: ../up\ndescription: d\n---\n", "folder", "d"),
        ('---\nname: a\ndescription: "one\\u2028- b: forged\\x1b[0m"\n---\n', "a", "one - b: forged [0m"),
    ],
)
def test_names_and_descriptions_are_one_line(world: World, text: str, name: str, description: str) -> None:
    put(world.root / "user/skills/folder", text)
    [skill] = load(world).skills.usable
    assert (skill.name, skill.description) == (name, description)


@pytest.mark.parametrize("text", ["", "---\nname: a\n---\n\n", "---\ndisable-model-invocation: true\n---\ntext"])
def test_what_says_nothing_of_its_use_or_is_for_people_is_left_out(world: World, text: str) -> None:
    put(world.root / "user/skills/a", text)
    assert names(load(world)) == []


def test_folders_that_are_no_skills_are_passed_over(world: World) -> None:
    (world.root / "user/skills/empty").mkdir(parents=True)
    (world.root / "user/skills/README.md").write_text("x")
    assert load(world).problems == ()


def test_a_skill_that_is_a_device_or_too_large_is_told_of(world: World) -> None:
    (world.workspace / ".claude/skills/a").mkdir(parents=True)
    os.mkfifo(world.workspace / ".claude/skills/a/SKILL.md")
    put(world.workspace / ".claude/skills/b", "x" * 2_000_000)
    assert ["is not an ordinary file" in p or "is larger" in p for p in load(world).problems] == [True, True]


def test_a_pattern_that_cannot_be_read_is_told_and_makes_no_skill_for_every_file(world: World) -> None:
    put(world.root / "user/skills/a", "---\ndescription: d\npaths: ['!x']\n---\n")
    put(world.root / "user/skills/b", "---\ndescription: d\npaths: ['!x', '*.b']\n---\n")
    settings = load(world)
    assert [[path.text for path in skill.paths] for skill in settings.skills.usable] == [["*.b"]]
    assert len(settings.problems) == 2


# What it allows


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("Read Grep", ["Read", "Grep"]),
        ("Bash(git add:*), Bash(git status:*)", ["Bash(git add:*)", "Bash(git status:*)"]),
        ('Bash(python -c "f(1, 2)") Read', ['Bash(python -c "f(1, 2)")', "Read"]),
        ("Bash(git", ["Bash(git"]),
        (") Read", [")", "Read"]),
        (" , ", []),
    ],
)
def test_entries_are_parted_outside_brackets(text: str, parted: list[str]) -> None:
    assert list(entries(text)) == parted


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("Read", 'tool = "Read", decision = "allow"'),
        ("Bash(*)", 'tool = "Bash", decision = "allow"'),
        ("Bash(git add:*)", 'tool = "Bash", decision = "allow", command = "git add *"'),
        ("Bash(npm test)", 'tool = "Bash", decision = "allow", command = "npm test"'),
        ("run_shell_command(git)", 'tool = "run_shell_command", decision = "allow", command = "git"'),
        ("Edit(src/**)", 'tool = "Edit", decision = "allow", path = "src/**"'),
        ("WebFetch(domain:example.com)", 'tool = "WebFetch", decision = "allow", host = "example.com"'),
        ("mcp__github__*", 'tool = "mcp__github__*", decision = "allow"'),
    ],
)
def test_allowed_tools_become_rules_for_one_turn(world: World, entry: str, rule: str) -> None:
    put(world.root / "user/skills/a", f"---\ndescription: d\nallowed-tools: '{entry}'\n---\n")
    settings = load(world)
    assert settings.problems == ()
    [allowed] = settings.skills.usable[0].allows
    assert (allowed.ref.text, allowed.ref.line, allowed.scope) == (rule, 3, RuleScope.SKILL)


@pytest.mark.parametrize(
    "entry", ["*", "*(git)", "Bash(a && b)", "Task(x)", "WebFetch(example.com)", "Edit(/etc/x)", "Bash(git", "Edit(!x)"]
)
def test_an_entry_that_cannot_be_read_allows_nothing_and_is_told(world: World, entry: str) -> None:
    put(world.root / "user/skills/a", f"---\ndescription: d\nallowed-tools: ['{entry}', Read]\n---\n")
    settings = load(world)
    assert [rule.ref.text for rule in settings.skills.usable[0].allows] == ['tool = "Read", decision = "allow"']
    assert len(settings.problems) == 1
    assert settings.problems[0].endswith("it allows nothing")


def test_an_entry_may_name_the_skills_folder(world: World) -> None:
    text = "---\ndescription: d\nallowed-tools: Bash(sh ${CLAUDE_SKILL_DIR}/a.sh *) Read(${SKILL_DIR}/**)\n---\n"
    folder = put(world.root / "user/skills/a", text)
    said = [rule.ref.text for rule in load(world).skills.usable[0].allows]
    assert f'command = "sh {folder}/a.sh *"' in said[0]
    assert f'path = "/{folder}/**"' in said[1]


def test_a_yes_is_shown_what_a_skill_would_allow(world: World) -> None:
    put(world.workspace / ".claude/skills/a", "---\ndescription: d\nallowed-tools: Bash(git add:*)\n---\n")
    [waiting] = load(world).waiting
    assert waiting.would[0].startswith(
        'line 3: allowed-tools: tool = "Bash", decision = "allow", command = "git add *"'
    )


# The list


def skill(name: str, description: str, *paths: str) -> Skill:
    return Skill(name, description, Path("/s") / name, "", (), tuple(map(PathPattern.parse, paths)))


def test_the_list_has_a_line_for_each_skill_that_is_offered_at_once() -> None:
    assert listing([skill("a", "one"), skill("b", "two", "*.b"), skill("c", "three")]) == "- a: one\n- c: three"
    assert listing([skill("b", "two", "*.b")]) == listing([]) == ""


@pytest.mark.parametrize("count", [1, 8, 60, 400, 3_000])
def test_the_list_keeps_its_budget_and_shortens_all_alike(count: int) -> None:
    text = listing([skill(f"skill-{number:04}", "word " * 400) for number in range(count)])
    assert len(text) <= 8_000
    assert text.startswith("- skill-0000")
    left_out = int(text.rsplit(" ", 2)[1]) if text.endswith("more") else 0
    assert text.count("\n") + 1 == count - left_out + bool(left_out)
