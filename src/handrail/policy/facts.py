"""What a decision is made from: all that was looked up about one call. Two equal Facts mean nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.effects import Effects, PathEffect
from handrail.contract.tool import Kind, Opinion
from handrail.contract.values import value
from handrail.policy.modes import Mode
from handrail.policy.places import Places, Zone
from handrail.policy.reach import Reach
from handrail.policy.shell.words import Word

Approval: TypeAlias = Literal["ask", "once", "always", "never"]
"""What the tool's `needs_approval` came to for this call; None where it says nothing."""

Access: TypeAlias = Literal["read", "write", "mention"]
"""`mention`: a word of a command that nobody knows to be harmless, which may be a path."""


@value
class PathFact:
    """One path of a call, looked up."""

    effect: PathEffect
    access: Access
    named: str
    """As given, absolute and normal."""
    resolved: str
    zone: Zone
    """The stricter of the zones of both spellings."""
    secret: bool = False
    protected: str = ""
    """What protects it from being written, or stands in what is put there; empty for a path that is only read."""
    state: bool = False
    """Handrail's own state, or a tree that holds it."""
    elsewhere: bool = False
    """It leads through another process, as `/proc/1/cwd` does: what it comes to is not known here."""
    folder: bool = False
    """An existing folder that a command names: what it does below it is not known."""

    @property
    def is_tree(self) -> bool:
        return self.folder or self.effect.scope == "tree"

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.named,) if self.named == self.resolved else (self.named, self.resolved)


@value
class CommandFact:
    """One simple command found anywhere in a shell command, as deny and ask rules see it."""

    text: str
    words: tuple[Word, ...]
    starts: tuple[int, ...] = (0,)
    """Where in the words a command begins for sure: the first, and those behind a known wrapper."""
    suspects: tuple[int, ...] = ()
    """Where a command might begin, behind a program that nobody knows."""
    maybe: bool = False
    """It may be a text, and no command at all."""


@value
class Removal:
    """A path whose removal ruins something."""

    command: str
    path: str
    ruins: str
    doubt: str = ""
    """Why it may be meant or harmless after all, as a clause, so that a person is asked; else it is denied."""


@value
class ShellPart:
    """One simple command, or one redirection of a group, judged alone: as allow rules, grants and the mode see it."""

    text: str
    """As written."""
    words: tuple[Word, ...] = ()
    """In normal form: quotes gone, harmless assignments and known wrappers left out, the program by its plain name
    where a clean system PATH finds it there. Empty where no rule can name what it does."""
    unread: str = ""
    """Why its words are not known to only read, as a clause; empty when they do. What its redirections write is not
    counted here: `redirected` is judged apart."""
    opaque: str = ""
    """Why no rule on commands may allow it, as a clause: what it runs or sets can't be seen in its words."""
    paths: tuple[PathFact, ...] = ()
    """The paths that its words name."""
    redirected: tuple[PathFact, ...] = ()
    """What its redirections open, `/dev/null` and descriptors left out."""
    connects: frozenset[str] = frozenset()
    """Hosts that it reaches."""
    stands: tuple[str, ...] = ()
    """Where it stands, from the outside in: `pipe`, `substitution`, `subshell`, `function`, `here-document`,
    `background`, `loop`, `condition`, or the wrapper that runs it (`xargs`, `bash -c`)."""
    edits: bool = False
    """It is one of the plain file commands of `accept-edits`, all its paths known."""

    @property
    def only_reads(self) -> bool:
        """By its words and by its redirections."""
        return not self.unread and all(path.access == "read" for path in self.redirected)


@value
class ShellFacts:
    """What is known of a shell command. All that it may run is in `commands`, save what `opaque` names."""

    text: str
    commands: tuple[CommandFact, ...]
    parts: tuple[ShellPart, ...] = ()
    """Every part, in the order of the text; together they are all that the command does, save what is `opaque`."""
    opaque: str = ""
    """Why a part of it can't be known, as a clause; empty when all is known."""
    unread: str = ""
    """The first part that is not known to only read; empty when the whole is read-only."""
    unnamed: str = ""
    """The first part that may touch paths whose names are not known."""
    removals: tuple[Removal, ...] = ()
    answers_itself: str = ""
    """The part that would answer approvals or change policy from inside a call."""
    unjudged: bool = False
    """Not wholly taken apart, and it may well do what no call may do."""
    folder: str = ""
    """Where the shell starts: what was said of the command holds there."""

    @property
    def read_only(self) -> bool:
        return not self.unread


@value
class Caller:
    """On whose behalf a call is made."""

    subagent: str = ""
    """The name of the subagent that makes it; empty for the main agent."""
    interactive: bool = True
    """A person can be asked about it."""
    mode: Mode | None = None
    """No looser than this one, whatever mode the session is in; None: the session's."""
    reach: tuple[Reach, ...] = ()
    """The tools that it may call: those that each of these holds."""
    above: tuple[str, ...] = ()
    """The names of the subagents that it works for: what a rule denies these, or asks about, is so for it, too."""

    def may_call(self, names: Sequence[str]) -> bool:
        """Whether a tool with these names is one of them."""
        return all(reach.holds(names) for reach in self.reach)


MAIN_AGENT = Caller()
NOBODY_THERE = Caller(interactive=False)


@value
class Facts:
    """One call, as policy sees it."""

    tool: str
    names: tuple[str, ...]
    """The tool's name, its aliases and its faces."""
    kind: Kind
    effects: Effects
    places: Places
    approval: Approval | None = None
    opinion: Opinion | None = None
    paths: tuple[PathFact, ...] = ()
    shell: ShellFacts | None = None
    server: str = ""
    """The server that the tool comes from; empty for one that comes from none."""
    definitions: tuple[str, ...] = ()
    """Digests of what the server says: of the tool, and of all that it has."""
    annotations: tuple[tuple[str, bool], ...] = ()
    """What the server says of the tool: hints, which only a rule that asks for them believes."""
    caller: Caller = MAIN_AGENT
    arguments: JsonObject | None = None
    """As received; None where they were not looked at."""
