from __future__ import annotations

import asyncio
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from handrail.contract.context import Workspace
from handrail.contract.effects import Claims, Effects, PathClaim
from handrail.contract.results import ToolResult
from handrail.contract.tool import Invocation, Kind, Opinion, Reads, Tool, Writes
from handrail.policy import Facts, PathFact, Zone
from handrail.runtime import looking, resolver
from handrail.runtime.resolver import Resolver


class Params(BaseModel):
    path: str = ""


class Claiming(Tool[Params]):
    """Claims what it is told to."""

    name, kind = "claiming", Kind.OTHER

    def __init__(self, claims: Callable[[], Claims], needs_approval: Any = None) -> None:
        self._claims = claims
        self.needs_approval = needs_approval

    def effects(self, params: Params) -> Claims:
        return self._claims()

    async def run(self, params: Params) -> ToolResult:
        return ToolResult.of_text("")


class Marked(BaseModel):
    source: Annotated[str, Reads()]
    target: Annotated[str, Writes()]


class Copy(Tool[Marked]):
    name, kind, aliases = "edit_file", Kind.EDIT, ("copy",)

    async def run(self, params: Marked) -> ToolResult:
        return ToolResult.of_text("")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("workspace/src", "outside", "home", "temporary", "state"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path.resolve()


@pytest.fixture
def root(folder: Path) -> Path:
    return folder / "workspace"


def resolver_for(root: Path, *added: Path) -> Resolver:
    return Resolver(Workspace(root, added), root.parent / "home", root.parent / "state")


async def facts(root: Path, claims: Claims, needs_approval: Any = None) -> Facts:
    tool = Claiming(lambda: claims, needs_approval)
    return await resolver_for(root).facts(tool.bind({}))


async def path_fact(root: Path, path: str, access: str = "read", **claim: Any) -> PathFact:
    claimed = (PathClaim(path, **claim),)
    found = await facts(root, Claims(reads=claimed) if access == "read" else Claims(writes=claimed))
    return found.paths[0]


ZONES = [
    ("a.txt", Zone.WORKSPACE),
    (".", Zone.WORKSPACE),
    ("src/../a.txt", Zone.WORKSPACE),
    ("../outside/x", Zone.OUTSIDE),
    ("src/../../outside/x", Zone.OUTSIDE),
    ("../workspace/a.txt", Zone.WORKSPACE),
    ("../workspace-other/a.txt", Zone.OUTSIDE),
    ("../temporary/x", Zone.TEMPORARY),
    ("/usr/bin/env", Zone.SYSTEM),
    ("/etc/passwd", Zone.SYSTEM),
    ("/etc/shadow", Zone.OUTSIDE),
    ("/etc/no-such-file", Zone.OUTSIDE),
    ("/dev/null", Zone.SYSTEM),
    ("/", Zone.OUTSIDE),
    ("/proc/self/environ", Zone.OUTSIDE),
    ("~nobody-of-this-name/x", Zone.WORKSPACE),
    ("to_outside/x", Zone.OUTSIDE),
    ("to_outside/../workspace/a.txt", Zone.WORKSPACE),
    ("to_src/app.py", Zone.WORKSPACE),
    ("to_usr/bin/env", Zone.SYSTEM),
    ("loop", Zone.WORKSPACE),
    ("to_missing", Zone.OUTSIDE),
    ("nul\0byte", Zone.OUTSIDE),
    ("x" * 5000, Zone.WORKSPACE),
]


@pytest.mark.parametrize(("path", "zone"), ZONES, ids=[repr(path[:40]) for path, _ in ZONES])
async def test_a_path_lies_in_the_stricter_of_the_zones_of_its_spellings(root: Path, path: str, zone: Zone) -> None:
    (root / "to_outside").symlink_to(root.parent / "outside")
    (root / "to_src").symlink_to("src")
    (root / "to_usr").symlink_to("/usr")
    (root / "loop").symlink_to("loop")
    (root / "to_missing").symlink_to(root.parent / "outside" / "missing")
    assert (await path_fact(root, path)).zone is zone


async def test_a_workspace_behind_a_link_is_the_workspace_by_both_names(root: Path) -> None:
    behind = root.parent / "behind"
    behind.symlink_to(root)
    for path in ("a.txt", str(root / "a.txt"), str(behind / "a.txt")):
        fact = await path_fact(behind, path)
        assert fact.zone is Zone.WORKSPACE
        assert fact.resolved == str(root / "a.txt")


async def test_added_folders_are_the_workspace_too(root: Path) -> None:
    tool = Claiming(lambda: Claims(writes=(PathClaim("../outside/x"),)))
    found = await resolver_for(root, root.parent / "outside").facts(tool.bind({}))
    assert found.paths[0].zone is Zone.WORKSPACE


async def test_effects_hold_paths_as_named_and_as_resolved(root: Path) -> None:
    (root / "link").symlink_to("src")
    found = await resolver_for(root).facts(Copy().bind({"source": "link/a", "target": "b"}))
    (read,), (write,) = found.effects.reads, found.effects.writes
    assert (read.named, read.resolved) == (root / "link" / "a", root / "src" / "a")
    assert (write.named, write.resolved) == (root / "b", root / "b")
    assert [path.access for path in found.paths] == ["read", "write"]


async def test_facts_know_a_tool_by_name_alias_and_face(root: Path) -> None:
    found = await resolver_for(root).facts(Copy().bind({"source": "a", "target": "b"}))
    assert found.tool == "edit_file"
    assert {"edit_file", "copy", "Edit", "replace"} <= set(found.names)


async def test_a_tree_is_secret_when_it_holds_a_secret_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not (await path_fact(root, ".", scope="tree")).secret
    (root / "src" / "deep").mkdir()
    (root / "src" / "deep" / "server.pem").write_text("x")
    assert (await path_fact(root, ".", scope="tree")).secret
    assert not (await path_fact(root, ".", scope="tree", spares_secrets=True)).secret
    assert not (await path_fact(root, ".", "write", scope="tree")).secret
    (root / "src" / "deep" / "server.pem").unlink()
    monkeypatch.setattr(looking, "MAX_ENTRIES", 1)
    assert (await path_fact(root, ".", scope="tree")).secret, "a tree too large to look through counts as holding one"


@pytest.mark.parametrize("path", [".env", "innocent", "missing/.env"])
async def test_a_tree_spares_no_secret_that_it_is_itself(root: Path, path: str) -> None:
    (root / ".env").write_text("x")
    (root / "innocent").symlink_to(".env")
    fact = await path_fact(root, path, scope="tree", spares_secrets=True)
    assert fact.secret
    assert not fact.effect.spares_secrets


async def test_a_tree_that_is_a_file_is_that_file(root: Path) -> None:
    (root / "a.txt").write_text("x")
    assert not (await path_fact(root, "a.txt", scope="tree")).is_tree
    assert (await path_fact(root, "missing", scope="tree")).is_tree


async def test_a_link_out_of_a_tree_is_not_followed_by_the_look_into_it(root: Path) -> None:
    (root.parent / "outside" / ".env").write_text("x")
    (root / "link").symlink_to(root.parent / "outside")
    assert not (await path_fact(root, ".", scope="tree")).secret


async def test_a_path_that_is_only_read_is_not_protected(root: Path) -> None:
    assert (await path_fact(root, ".git/config")).protected == ""
    assert (await path_fact(root, ".git/config", "write")).protected == ".git"


async def test_a_workspace_that_lies_in_a_protected_folder_is_not_protected_as_a_whole(folder: Path) -> None:
    root = folder / "home" / ".claude" / "checkout"
    root.mkdir(parents=True)
    assert (await path_fact(root, "a.txt", "write")).protected == ""
    assert (await path_fact(root, ".claude/settings.json", "write")).protected == ".claude"


async def test_a_tree_that_holds_the_state_is_marked_unless_the_tool_spares_secrets(root: Path) -> None:
    assert (await path_fact(root, "..", scope="tree")).state
    assert not (await path_fact(root, "..", scope="tree", spares_secrets=True)).state
    assert (await path_fact(root, "../state/x", spares_secrets=True)).state


APPROVALS: list[tuple[object, str | None]] = [
    (None, None),
    (False, None),
    (True, "ask"),
    ("once", "once"),
    ("always", "always"),
    ("never", "never"),
    (lambda params: True, "ask"),
    (lambda params: False, None),
    (lambda params: None, "ask"),
    (lambda params: 1 / 0, "ask"),
    (lambda params: params.missing, "ask"),
]


@pytest.mark.parametrize(("needs", "approval"), APPROVALS)
async def test_needs_approval_comes_to_one_word(root: Path, needs: object, approval: str | None) -> None:
    assert (await facts(root, Claims.nothing(), needs)).approval == approval


async def test_an_approval_function_may_be_async(root: Path) -> None:
    async def wants(params: Params) -> bool:
        await asyncio.sleep(0)
        return params.path == ""

    async def fails(params: Params) -> bool:
        raise RuntimeError("no")

    assert (await facts(root, Claims.nothing(), wants)).approval == "ask"
    assert (await facts(root, Claims.nothing(), fails)).approval == "ask"


async def test_an_approval_function_that_takes_too_long_means_ask(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "APPROVAL_SECONDS", 0.01)
    never = asyncio.Event()
    release = threading.Event()

    async def waits(params: Params) -> bool:
        return await never.wait()

    assert (await facts(root, Claims.nothing(), waits)).approval == "ask"
    assert (await facts(root, Claims.nothing(), lambda params: release.wait(30))).approval == "ask"
    release.set()


async def test_a_tool_that_fails_to_say_what_it_touches_may_touch_anything(root: Path) -> None:
    def fail() -> Claims:
        raise ZeroDivisionError

    found = await resolver_for(root).facts(Claiming(fail).bind({}))
    assert found.effects == Effects.unknown()


async def test_an_opinion_that_fails_asks(root: Path) -> None:
    class Odd(Claiming):
        def opinion(self, params: Params) -> Opinion | None:
            raise ValueError("never mind")

    found = await resolver_for(root).facts(Odd(Claims.nothing).bind({}))
    assert found.opinion is not None
    assert found.opinion.outcome == "ask"
    assert "never mind" in found.opinion.reason


IMMEDIATE = [
    (Claims.nothing(), None, True),
    (Claims.unknown(), None, True),
    (Claims(connects=frozenset(("example.org",))), "always", True),
    (Claims(keys=frozenset(("todos",))), True, True),
    (Claims(reads=(PathClaim("a"),)), None, False),
    (Claims(writes=(PathClaim("a"),)), None, False),
    (Claims(shell="ls"), None, False),
    (Claims.nothing(), lambda params: True, False),
]


@pytest.mark.parametrize(("claims", "needs", "immediate"), IMMEDIATE)
async def test_facts_come_without_a_thread_where_nothing_is_to_be_looked_up(
    root: Path, claims: Claims, needs: object, immediate: bool
) -> None:
    invocation: Invocation = Claiming(lambda: claims, needs).bind({})
    now = resolver_for(root).facts_now(invocation)
    assert (now is not None) is immediate
    if now is not None:
        all_facts = await resolver_for(root).facts(invocation)
        assert now == replace(all_facts, arguments=now.arguments)
        assert now.arguments is None


async def test_the_next_call_of_a_tool_has_facts_of_its_own_where_it_claims_something_else(root: Path) -> None:
    resolver, hosts = resolver_for(root), iter(("a.org", "b.org", "b.org"))
    tool = Claiming(lambda: Claims(connects=frozenset((next(hosts),))))
    found = [resolver.facts_now(tool.bind({})) for _ in range(3)]
    assert [facts and facts.effects.connects for facts in found] == [{"a.org"}, {"b.org"}, {"b.org"}]
    assert found[1] is found[2]


async def shell_facts(root: Path, command: str) -> Facts:
    return await facts(root, Claims(shell=command))


async def test_a_read_only_command_reads_the_workspace_and_what_it_names(root: Path) -> None:
    found = await shell_facts(root, f"cat a.txt {root.parent}/outside/b.txt | head -1")
    assert found.effects.certainty == "bounded"
    assert found.effects.read_only
    assert {str(read.resolved) for read in found.effects.reads} == {
        str(root),
        str(root / "a.txt"),
        str(root.parent / "outside" / "b.txt"),
    }
    assert [command.words for command in found.effects.runs] == [
        ("cat", "a.txt", f"{root.parent}/outside/b.txt"),
        ("head", "-1"),
    ]


async def test_any_other_command_may_do_anything(root: Path) -> None:
    found = await shell_facts(root, "make && ls")
    assert found.effects.certainty == "unknown"
    assert [command.text for command in found.effects.runs] == ["make", "ls"]
    assert found.effects.conflicts_with((await shell_facts(root, "ls")).effects)


@pytest.mark.parametrize("command", ["git status", "git diff", "git log -p", "git show HEAD:a.txt"])
def test_git_only_reads_where_no_setting_of_the_repository_runs_a_program(root: Path, command: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    assert asyncio.run(shell_facts(root, command)).effects.certainty == "bounded"
    with (root / ".git" / "config").open("a") as config:
        config.write("[core]\n\tfsmonitor = ./x\n")
    found = asyncio.run(shell_facts(root, command))
    assert found.effects.certainty == "unknown"
    assert found.shell is not None
    assert any("fsmonitor" in part.unread for part in found.shell.parts)


async def test_a_pattern_is_written_out_as_the_shell_would(root: Path) -> None:
    for name in ("a.py", "b.py", ".hidden.py", "c.txt"):
        (root / name).write_text("x")
    named = {path.named for path in (await shell_facts(root, "ls *.py")).paths}
    assert named == {str(root), str(root / "a.py"), str(root / "b.py")}
    assert str(root / ".hidden.py") in {path.named for path in (await shell_facts(root, "ls .h*")).paths}
    assert str(root / "c.txt") in {path.named for path in (await shell_facts(root, "ls [^ab].*")).paths}


async def test_a_pattern_with_too_many_matches_stands_for_the_whole_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (root / "src" / f"{number}.py").write_text("x")
    monkeypatch.setattr(looking, "MAX_MATCHES", 3)
    (path,) = (await shell_facts(root, "ls src/*.py")).paths
    assert (path.named, path.is_tree) == (str(root / "src"), True)


async def test_dots_behind_a_link_lead_where_the_link_leads(root: Path) -> None:
    (root / "link").symlink_to(root.parent / "outside")
    (path,) = (await shell_facts(root, "cat link/../state/x")).paths
    assert path.resolved == str(root.parent / "state" / "x")
    assert path.state


async def test_what_a_command_names_is_looked_up_again_each_time(root: Path) -> None:
    first = await shell_facts(root, "cat a.txt")
    assert await shell_facts(root, "cat a.txt") == first
    (root / "a.txt").symlink_to(root.parent / "outside" / "b.txt")
    assert await shell_facts(root, "cat a.txt") != first
