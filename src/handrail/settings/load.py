"""Settings, put together: files of four layers, variables and flags go in; what holds comes out, with its origins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.modes import Mode
from handrail.policy.policy import Policy
from handrail.policy.rule_sets import RuleSet, together
from handrail.policy.rules import Rule
from handrail.settings.agents.finding import FoundAgents, find_agents
from handrail.settings.config_files import ConfigFile, config_files, only_folders
from handrail.settings.config_text import Said, read_environment, read_flags
from handrail.settings.keys import MODE, POLICIES, TOOLS, Key
from handrail.settings.mcp.found import FoundServers, may_name_servers
from handrail.settings.merging import Setting, merged
from handrail.settings.opening import Opened, Opener
from handrail.settings.origin import Layer
from handrail.settings.places import Folders, folders
from handrail.settings.policy_files import PolicyFile, policy_files
from handrail.settings.skills.finding import FoundSkills, find_skills
from handrail.settings.tool_commands import ToolCommands, find_tool_commands
from handrail.settings.tool_folders import ToolFolder, find_tool_folders
from handrail.settings.trust import TrustKey
from handrail.settings.waiting import Waiting, waiting

T = TypeVar("T")


@value
class Settings:
    """What holds in one workspace. `settings[MODE]` is a value; `settings.all` tells where each came from."""

    workspace: Path
    all: Mapping[str, Setting]
    configs: tuple[ConfigFile, ...]
    policies: tuple[PolicyFile, ...]
    rules: RuleSet
    """Those of all layers that hold, at once."""
    waiting: tuple[Waiting, ...]
    """What the workspace would loosen, and nobody trusted yet."""
    problems: tuple[str, ...]
    """For people, a line each: what is wrong with the files, and what was left out for it."""
    skills: FoundSkills = FoundSkills()
    tool_folders: tuple[ToolFolder, ...] = ()
    tool_commands: tuple[ToolCommands, ...] = ()
    servers: FoundServers = FoundServers()
    agents: FoundAgents = FoundAgents()

    def __getitem__(self, key: Key[T]) -> T:
        held: T = self.all[key.name].value
        return held

    def said_now(self, key: Key[T]) -> bool:
        """Whether it was said for this very start, by a flag: what is in files and variables holds for many."""
        return self.all[key.name].held[-1].origin.layer is Layer.FLAG

    def check_workspace(self, workspace: Path) -> None:
        """Raises UsageError for another folder: what was trusted there was not trusted here."""
        if os.path.realpath(workspace) != os.path.realpath(self.workspace):
            raise UsageError(f"these settings were loaded for {self.workspace}, not for {workspace}; load its own")

    def policy(self, mode: Mode | None = None, rules: Iterable[Rule] = ()) -> Policy:
        """What decides, with the rules that code adds. `mode` None: as the settings say."""
        said = together((self.rules, RuleSet(tuple(rules))))
        return Policy(
            mode or Mode(self[MODE]),
            said.rules,
            declared=said.declared,
            bypass_forbidden_by=said.bypass_forbidden_by,
        )

    @property
    def trusted(self) -> frozenset[TrustKey]:
        """What lies in the workspace and a person said yes to, as it is now."""
        files = frozenset(file.trust for file in self.opened if file.trust is not None and file.doubt is None)
        found: tuple[ToolFolder | ToolCommands, ...] = (*self.tool_folders, *self.tool_commands)
        tools = {each.trusted for each in found if each.trusted is not None}
        return files | self.skills.trusted | self.agents.trusted | self.servers.trusted | tools

    @property
    def files(self) -> tuple[Path, ...]:
        """The policy files, named folders and files with servers that hold without trust: whoever writes there decides
        what may run."""
        named = (folder.place for folder in self.tool_folders if folder.place.named)
        places = [*(file.place for file in self.policies), *(tools.place for tools in named)]
        own = (place.path.absolute() for place in places if not place.origin.layer.is_of_workspace)
        return (*own, *self.servers.files)

    @property
    def opened(self) -> tuple[Opened, ...]:
        """Every settings and policy file that was read."""
        both = (*(config.opened for config in self.configs), *(policy.opened for policy in self.policies))
        return tuple(opened for opened in both if opened is not None)


def no_settings(workspace: Path) -> Settings:
    """What holds where no file and nobody says anything."""
    return Settings(workspace, merged(()), (), (), RuleSet(), (), ())


def load_settings(
    workspace: str | Path,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    where: Folders | None = None,
) -> Settings:
    """The settings for a session in `workspace`. Blocks: it reads some small files.

    Without `environ` the variables of this process are read. `where` names other folders than the platform's.
    `flags` gives settings by key, as code or a command line has them, and wins. Raises UsageError for a flag that
    can't be used; what is wrong with a file is told in `problems`, and restricts rather than loosens.
    """
    root = Path(os.path.expanduser(workspace)).absolute()
    environ = os.environ if environ is None else environ
    where = where or folders(environ)
    opener = Opener(root, where.state)
    configs = tuple(config_files(opener, where))
    said = sum((config.said for config in configs), Said())
    said = only_folders(said + read_environment(environ, Path.cwd()) + read_flags(flags or {}), root)
    settings = merged(said.givens)
    policies = tuple(policy_files(opener, where, settings[POLICIES.name]))
    rules = together((*(config.denying for config in configs), *(policy.holds for policy in policies)))
    skills = find_skills(opener, where, _home(environ))
    agents = find_agents(opener, where, _home(environ))
    tools = find_tool_folders(opener, where, settings[TOOLS.name])
    commands = find_tool_commands(opener, settings, _home(environ))
    servers = _servers(opener, configs, environ)
    untrusted = (
        *waiting(configs, settings, policies),
        *skills.waiting,
        *agents.waiting,
        *_waiting_in((*tools, *commands)),
        *servers.waiting,
    )
    problems = (
        *said.problems,
        *rules.problems,
        *skills.problems,
        *agents.problems,
        *servers.problems,
        *(each for folder in tools for each in folder.problems),
    )
    found = Settings(
        root, settings, configs, policies, rules, untrusted, problems, skills, tools, commands, servers, agents
    )
    return replace(found, problems=(*found.problems, *_doubts(found, opener)))


def _waiting_in(found: Iterable[ToolFolder | ToolCommands]) -> Iterator[Waiting]:
    yield from (each.waiting for each in found if each.waiting is not None)


def _servers(opener: Opener, configs: tuple[ConfigFile, ...], environ: Mapping[str, str]) -> FoundServers:
    if not may_name_servers(configs, opener.workspace, home := _home(environ)):
        return FoundServers()
    from handrail.settings.mcp.finding import find_servers  # most workspaces have none

    return find_servers(opener, configs, home, environ)


def _home(environ: Mapping[str, str]) -> Path | None:
    """None where no variable tells: other agents' folders are then unknown."""
    named = environ.get("HOME", "")
    return Path(named) if os.path.isabs(named) else None


def _doubts(found: Settings, opener: Opener) -> Iterator[str]:
    for opened in found.opened:
        if opened.why:
            yield f"{opened.why}; until then {opened.place.origin.name} only restricts"
    if found.waiting and opener.book.problem:
        yield opener.book.problem
