"""Kinds of agents in files: what they say, whose they are, and that a workspace's wait for trust."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from handrail.contract.basics import Instant
from handrail.policy.modes import Mode
from handrail.policy.reach import Reach
from handrail.settings.agents.reading import read_agent
from handrail.settings.load import Settings, load_settings
from handrail.settings.places import Folders
from handrail.settings.trust import TrustKind, TrustStore


def agent(description: str = "Looks.", role: str = "Look.", **fields: str) -> str:
    said = "".join(f"{name}: {text}\n" for name, text in fields.items())
    return f"---\ndescription: {description}\n{said}---\n{role}\n"


READ = [
    ({}, Reach(), None, ""),
    ({"tools": "Read, Grep, mcp__git__*"}, Reach(("Read", "Grep", "mcp__git__*")), None, ""),
    ({"tools": "[Read, Grep]"}, Reach(("Read", "Grep")), None, ""),
    ({"tools": ""}, Reach(()), None, ""),
    ({"tools": "Read, Bash(git log:*)"}, Reach(("Read",)), None, ""),
    ({"disallowedTools": "Write, Bash(rm:*)"}, Reach(None, ("Write", "Bash")), None, ""),
    ({"permissionMode": "acceptEdits"}, Reach(), Mode.ACCEPT_EDITS, ""),
    ({"permissionMode": "bypassPermissions", "mode": "plan"}, Reach(), Mode.PLAN, ""),
    ({"model": "inherit"}, Reach(), None, ""),
    ({"model": "haiku"}, Reach(), None, "haiku"),
]


@pytest.mark.parametrize(("fields", "reach", "mode", "model"), READ, ids=str)
def test_a_file_says_what_an_agent_of_its_kind_may(
    fields: dict[str, str], reach: Reach, mode: Mode | None, model: str
) -> None:
    kind = read_agent(agent(**fields), "looker").type
    assert kind is not None
    assert (kind.name, kind.description, kind.role) == ("looker", "Looks.", "Look.")
    assert (kind.reach, kind.mode, kind.model) == (reach, mode, model)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Look.",
        agent(description=""),
        agent(role=""),
        agent(mode="lax"),
        "---\n[[[\n---\nLook.\n",
        "---\n- a\n---\nLook.\n",
    ],
    ids=["nothing", "no front matter", "no description", "no role", "an unknown mode", "no YAML", "no table"],
)
def test_what_can_not_be_understood_is_no_agent_and_is_told(text: str) -> None:
    read = read_agent(text, "looker")
    assert read.type is None
    assert read.problems


NARROWED = [
    ({"tools": "Read, Grep"}, Reach(("Read", "Grep")), None),
    ({"disallowedTools": "Bash"}, Reach(None, ("Bash",)), None),
    ({"permissionMode": "plan", "model": "haiku"}, Reach(), Mode.PLAN),
]


@pytest.mark.parametrize(("fields", "reach", "mode"), NARROWED, ids=str)
def test_a_colon_in_the_description_takes_away_no_limit(
    fields: dict[str, str], reach: Reach, mode: Mode | None
) -> None:
    read = read_agent(agent("Use it: often.", **fields), "looker")
    assert read.type is not None
    assert (read.type.description, read.type.reach, read.type.mode) == ("Use it: often.", reach, mode)
    assert "line 2: the front matter is not YAML" in read.problems[0]


@pytest.mark.parametrize("description", ["Looks.", "Use it: often."])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tools", "{Read: true}"),
        ("tools", "\n- [Read]"),
        ("tools", "Read\n  : Grep"),
        ("disallowedTools", "[[Bash]]"),
        ("mode", "{a: plan}"),
        ("permissionMode", "\n- [plan]"),
    ],
)
def test_an_agent_whose_limits_can_not_be_read_is_left_out(description: str, name: str, text: str) -> None:
    read = read_agent(agent(description, **{name: text}), "looker")
    assert read.type is None
    assert f"what it says of {name} can't be read" in read.problems[-1]


ALIKE = [
    ("tool", "tools"),
    ("Tools", "tools"),
    ("TOOLS", "tools"),
    ("tols", "tools"),
    ("allowed-tools", "tools"),
    ("allowedTools", "tools"),
    ("allowed_tools", "tools"),
    ("disallowed-tools", "disallowedTools"),
    ("disallowed_tools", "disallowedTools"),
    ("disallowedtool", "disallowedTools"),
    ("denied-tools", "disallowedTools"),
    ("excludeTools", "disallowedTools"),
    ("Mode", "mode"),
    ("permission-mode", "permissionMode"),
    ("permission_mode", "permissionMode"),
    ("permissions", "permissionMode"),
]


@pytest.mark.parametrize(
    "matter",
    ["{0}: Read", "{0}:\n- Read", '"{0}": [Read]', "x: a: b\n{0}: {{Read: 1}}"],
    ids=["plain", "list", "quoted", "no YAML"],
)
@pytest.mark.parametrize(("name", "meant"), ALIKE, ids=[name for name, _ in ALIKE])
def test_an_agent_whose_limit_is_called_otherwise_is_left_out_and_told_its_name(
    name: str, meant: str, matter: str
) -> None:
    read = read_agent(f"---\ndescription: Looks.\n{matter.format(name)}\n---\nLook.\n", "looker")
    assert read.type is None
    assert f'unknown field "{name}"; did you mean {meant}?' in "\n".join(read.problems)


def test_more_unknown_fields_than_can_be_compared_leave_an_agent_out() -> None:
    assert read_agent(agent(**{f"x{n}": "y" for n in range(31)}), "looker").type is None


@pytest.mark.parametrize(
    "field",
    [
        "color", "skills", "hooks", "mcpServers", "maxTurns", "memory", "background", "effort", "isolation",
        "initialPrompt", "version", "author", "tags",
    ],
)  # fmt: skip
def test_fields_of_other_programs_change_nothing(field: str) -> None:
    assert read_agent(agent(**{field: "x"}), "looker") == read_agent(agent(), "looker")


def test_an_unknown_field_that_limits_nothing_is_told_wherever_the_agent_is_looked_at(world: World) -> None:
    told = 'line 3: unknown field "Model"; did you mean model?'
    world.write(world.work / ".claude" / "agents" / "looker.md", agent(Model="haiku"))
    (waiting,) = world.load().waiting
    assert waiting.would == ("the agent looker, with every tool: Looks.", told)
    TrustStore(world.where.state).add([waiting.key], Instant(time.time()))
    settings = world.load()
    assert [kind.name for kind in settings.agents.usable] == ["looker"]
    assert told in "".join(settings.problems)


def test_what_a_description_says_of_tools_is_no_limit() -> None:
    read = read_agent(agent("Use it: it has tools: many."), "looker")
    assert read.type is not None
    assert read.type.reach == Reach()


class World:
    def __init__(self, folder: Path) -> None:
        self.where = Folders(folder / "system", folder / "user", folder / "state")
        self.home, self.work = folder / "home", folder / "work"
        for each in (self.home, self.work, self.where.state):
            each.mkdir(mode=0o700, parents=True)

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def load(self) -> Settings:
        return load_settings(self.work, {"HOME": str(self.home)}, where=self.where)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("place", ["system/agents", "user/agents", "home/.claude/agents"])
def test_the_persons_own_are_usable_at_once(place: str, world: World, tmp_path: Path) -> None:
    world.write(tmp_path / place / "looker.md", agent())
    assert [kind.name for kind in world.load().agents.usable] == ["looker"]


@pytest.mark.parametrize("place", [".handrail/agents", ".claude/agents"])
def test_those_of_a_workspace_wait_for_trust_in_their_exact_content(place: str, world: World) -> None:
    file = world.work / place / "looker.md"
    world.write(file, agent(tools="Read"))
    (waiting,) = world.load().waiting
    assert world.load().agents.usable == ()
    assert (waiting.key.kind, waiting.name) == (TrustKind.AGENT, f"{place}/looker.md")
    assert waiting.would == ("the agent looker, with Read: Looks.",)
    TrustStore(world.where.state).add([waiting.key], Instant(time.time()))
    settings = world.load()
    assert [kind.name for kind in settings.agents.usable] == ["looker"]
    assert settings.waiting == ()
    assert settings.trusted == {waiting.key}
    world.write(file, agent())
    assert world.load().agents.usable == ()


def test_a_workspace_never_takes_a_name_that_the_person_has(world: World) -> None:
    world.write(world.where.user / "agents" / "looker.md", agent("Mine."))
    world.write(world.work / ".claude" / "agents" / "looker.md", agent("Theirs."))
    TrustStore(world.where.state).add([waiting.key for waiting in world.load().waiting], Instant(time.time()))
    settings = world.load()
    assert [kind.description for kind in settings.agents.usable] == ["Mine."]
    assert "comes first" in "".join(settings.problems)


def test_one_that_others_can_write_is_left_out_and_told(world: World) -> None:
    file = world.where.user / "agents" / "looker.md"
    world.write(file, agent())
    file.chmod(0o666)
    settings = world.load()
    assert settings.agents.usable == ()
    assert "can be written by others" in "".join(settings.problems)


def test_a_link_out_of_the_workspace_is_left_out_and_told(world: World) -> None:
    world.write(world.home / "looker.md", agent())
    folder = world.work / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "looker.md").symlink_to(world.home / "looker.md")
    settings = world.load()
    assert settings.agents.usable == ()
    assert "outside the workspace" in "".join(settings.problems)
