"""Every command that a text would run: also behind wrappers, in the scripts of `bash -c`, and after `-exec`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from handrail.policy.facts import CommandFact
from handrail.policy.shell.adding import ADDED
from handrail.policy.shell.braced_commands import with_first_braces_out
from handrail.policy.shell.code import runs_code
from handrail.policy.shell.feeding import fed_text
from handrail.policy.shell.folders import Folders, also_put
from handrail.policy.shell.git_words import hides_command, sets_what_runs, undashed
from handrail.policy.shell.hidden import ASSIGNMENT, commands_in, hidden_in, runs_its_value
from handrail.policy.shell.meaning import Meaning, Meanings
from handrail.policy.shell.parse import read
from handrail.policy.shell.powershell.calls import Call, calls_in
from handrail.policy.shell.powershell.cmdlets import cmdlets
from handrail.policy.shell.powershell.meaning import meaning_in, normal_words
from handrail.policy.shell.powershell.options import SHELLS, script_of
from handrail.policy.shell.removal import Target, removals
from handrail.policy.shell.runners import Runners, runners
from handrail.policy.shell.script import Assigned, Command, Redirect, Script
from handrail.policy.shell.shells import follows_own_rules, script_or_input
from handrail.policy.shell.starts import with_starts
from handrail.policy.shell.words import Known, Word
from handrail.policy.wording import shortened

MAX_DEPTH = 5
"""`bash -c` in `bash -c`, `find -exec` in `find -exec`, and so on."""

MAX_LOOKS = 200
"""Commands within the words of commands that are followed, in one text."""

_QUOTING = re.compile(r"['\"\\]")
_RUN_IN_SUBSCRIPT = re.compile(r"\w\[[^\]]*(?:\$\(|`)")
_TAKES_NUMBERS = re.compile(
    r"\(\(|\[[\[\s]|\$\[|\b(?:declare|typeset|local|readonly|export|let|test|unset|read|getopts|wait|printf)\b"
)
"""What takes a text for a number or the name of a variable, and runs what stands in a subscript, quoted or not."""
_SPECIAL = re.compile(r"[\s\\'\"$`;&|<>(){}*?]")
_BLANKS_OF_ENV = re.compile(r"\\[_fnrtv]")
"""What `env -S` takes for a blank."""


@dataclass(frozen=True, slots=True)
class Found:
    """One simple command of the text, or of a script that may be in its words."""

    command: Command
    meaning: Meaning
    depth: int


@dataclass(frozen=True, slots=True)
class Findings:
    script: Script
    """The text itself."""
    commands: tuple[CommandFact, ...]
    parts: tuple[Found, ...]
    redirects: tuple[Redirect, ...]
    removals: tuple[Target, ...]
    opaque: str
    """Why not all that runs can be known, as a clause."""


def find(text: str, folders: Folders, meanings: Meanings) -> Findings:
    finder = _Finder(meanings)
    return _findings(finder, finder.script(text, folders, 0))


def find_powershell(text: str, folders: Folders, meanings: Meanings) -> Findings:
    """The same in a text of PowerShell."""
    finder = _Finder(meanings)
    return _findings(finder, finder.powershell(text, folders, 0))


def _findings(finder: _Finder, script: Script) -> Findings:
    return Findings(
        script,
        tuple(finder.facts),
        tuple(finder.parts),
        tuple(finder.redirects),
        tuple(dict.fromkeys(finder.removals)),
        finder.opaque,
    )


class _Finder:
    def __init__(self, meanings: Meanings) -> None:
        self.home = meanings.home
        self.meanings = meanings
        self.tables = runners()
        self.facts: list[CommandFact] = []
        self.parts: list[Found] = []
        self.redirects: list[Redirect] = []
        self.removals: list[Target] = []
        self.opaque = ""
        self._looks = 0

    def script(self, text: str, folders: Folders, depth: int) -> Script:
        script = read(text, folders, self.home)
        self._opaque(script.problem or _evaluated(text))
        if script.problem and depth < MAX_DEPTH and (plain := with_first_braces_out(text, self.home)) != text:
            self.script(plain, folders, depth + 1)
        self.redirects += script.redirects
        for assigned in script.assigned:
            self._assigned(assigned, folders)
        for command in script.commands:
            meaning = self.meanings.of(command.words, command.folders)
            if not meaning.only_reads:
                command = replace(command, folders=also_put(command.words, command.folders, self.home))
            self.parts.append(Found(command, meaning, depth))
            if command.words:
                self._look(command, command.words, depth, meaning)
        return script

    def powershell(self, text: str, folders: Folders, depth: int) -> Script:
        taken = calls_in(text, folders, self.home)
        for call in taken.calls:
            meaning = self.meanings.once(call, partial(meaning_in, call, self.home))
            self.parts.append(Found(call.command, meaning, depth))
            self._look_at_call(call, depth, meaning)
        if taken.problem:
            self._opaque(taken.problem)
            self._hidden(text, text, folders)
            self.facts.append(CommandFact(shortened(text), (ADDED,), maybe=True))
        commands = tuple(call.command for call in taken.calls)
        single = not taken.problem and len(commands) == 1 and commands[0].bare
        return Script(commands, problem=taken.problem, single=single)

    def _look_at_call(self, call: Call, depth: int, meaning: Meaning) -> None:
        """A rule on one name of a cmdlet holds for all of them."""
        command, cmdlet = call.command, call.cmdlet
        if cmdlet is None or call.may_be_program or cmdlet.name in cmdlets().listed("starts"):
            self._look(command, command.words, depth, meaning)
        arguments = normal_words(call)[1:]
        for name in cmdlet.names if cmdlet is not None else ():
            self._found(CommandFact(command.text, (Word(name), *arguments)), command.folders)
        if cmdlet is not None and cmdlet.name in cmdlets().listed("evaluates"):
            self._opaque(f"`{shortened(command.text)}` runs a text")
            for word in command.words[1:] if depth < MAX_DEPTH else ():
                self.powershell(word.text, command.folders, depth + 1)

    def _opaque(self, reason: str) -> None:
        self.opaque = self.opaque or reason

    def _look(self, command: Command, words: tuple[Word, ...], depth: int, meaning: Meaning | None = None) -> None:
        if words[0].value is None:
            self._opaque(
                f"which program `{shortened(command.text)}` runs depends on a variable or on what a command prints"
            )
        words, starts, suspect = with_starts(words, self.tables)
        suspects = tuple(i for i in range(suspect, len(words)) if i not in starts)
        self._found(CommandFact(command.text, words, tuple(sorted(starts)), suspects), command.folders)
        if any(self._hides(words[start:], command.folders, None if start else meaning) for start in starts):
            self.facts.append(CommandFact(command.text, (ADDED,), maybe=True))
        fed = fed_text(command) if words[0] is command.words[0] else ""
        for hidden in hidden_in(words, starts, self.tables, meaning, fed):
            self._hidden(command.text, hidden, command.folders)
        for word in words[1:]:
            if ASSIGNMENT.match(word.text):
                name, _, value = word.text.partition("=")
                self._assigned(Assigned(command.text, name, replace(word, text=value, source="")), command.folders)
        for start in (*starts, *suspects):
            self._look_at_git(command, words[start:])
            if self.tables.may_run_words(words[start].program):
                self._look_inside(command, words[start:], depth + 1, sure=start in starts)

    def _look_at_git(self, command: Command, words: tuple[Word, ...]) -> None:
        if not words[0].program.startswith("git"):
            return
        plain = undashed(words)
        if plain is not None:
            self.facts.append(CommandFact(command.text, plain))
        if sets_what_runs(plain or words) and not self.meanings.of(words, command.folders).only_reads:
            self.facts.append(CommandFact(command.text, (ADDED,), maybe=True))
        elif hides_command(plain or words):
            self.facts.append(CommandFact(command.text, (Word("git"), ADDED), maybe=True))

    def _hides(self, words: tuple[Word, ...], folders: Folders, meaning: Meaning | None) -> bool:
        """True where options of a program run what its words may not show; of `find`, `_after` shows it."""
        if self.tables.has("adding", words[0].program):
            return False
        return bool((meaning or self.meanings.of(words, folders)).hidden)

    def _found(self, fact: CommandFact, folders: Folders) -> None:
        self.facts.append(fact)
        self.removals += (replace(target, maybe=fact.maybe) for target in removals(fact, folders))

    def _hidden(self, part: str, text: str, folders: Folders) -> None:
        for words in commands_in(text, folders, self.home):
            self._found(CommandFact(part, words, (0,), tuple(range(1, len(words))), maybe=True), folders)

    def _assigned(self, assigned: Assigned, folders: Folders) -> None:
        if runs_its_value(assigned.name, assigned.value, self.tables):
            self._opaque(f"`{shortened(assigned.text)}` sets {assigned.name}, whose value programs run")
        self._hidden(assigned.text, assigned.value.text, folders)

    def _look_inside(self, command: Command, words: tuple[Word, ...], depth: int, *, sure: bool) -> None:
        """Scripts and commands in the words of one program; only what surely runs makes the whole opaque."""
        self._looks += 1
        if depth > MAX_DEPTH or self._looks > MAX_LOOKS:
            self._opaque("it holds commands within commands, more than can be followed")
            return
        name, rest, tables = words[0].program, words[1:], self.tables
        if name in SHELLS and self._powershell(command, words, depth):
            return
        if tables.has("shells", name):
            self._shell(command, name, rest, depth, sure)
        if tables.has("evaluators", name):
            self._scripts([" ".join(word.text for word in rest)], command, depth)
        if tables.has("scripted", name):
            self._scripts(_scripts_in(name, rest), command, depth)
        for inner in _after(words, tables.words("after", name) or ()):
            self._look(command, inner, depth)
            if len(inner[0].text.split()) > 1:
                self._scripts([" ".join(word.text for word in inner)], command, depth)
        for subcommand, maybe in _without_globals(words, tables.words("globals", name) or ()):
            self.facts.append(CommandFact(command.text, subcommand, maybe=maybe))
            self._look_at_git(command, subcommand)
        if sure and not (tables.has("opaque", name) and self.meanings.of(words, command.folders).only_reads):
            self._opaque(_unseen(name, words, command, tables))
            if runs_code(name, words, tables, fed_text(command)):
                self.facts.append(CommandFact(command.text, (ADDED,), maybe=True))

    def _shell(self, command: Command, name: str, rest: tuple[Word, ...], depth: int, sure: bool) -> None:
        given = script_or_input(rest)
        if isinstance(given, Word):
            self._scripts([given.text], command, depth)
            if sure and (given.value is None or follows_own_rules(name, given.text)):
                self._opaque(f"`{shortened(command.text)}` runs a text that is not known")
        elif given:
            if command.input is not None:
                self._scripts([command.input], command, depth)
            if sure:
                self._opaque(f"{name} in `{shortened(command.text)}` runs what it is fed")

    def _powershell(self, command: Command, words: tuple[Word, ...], depth: int) -> bool:
        """True where it is known what PowerShell would run."""
        script = script_of(words)
        if script is None:
            self._hidden(command.text, " ".join(word.text for word in words[1:]), command.folders)
            return False
        self.powershell(script, command.folders, depth)
        return True

    def _scripts(self, texts: list[str], command: Command, depth: int) -> None:
        for text in texts:
            self.script(text, command.folders, depth)


def _scripts_in(name: str, words: tuple[Word, ...]) -> list[str]:
    """The words that a shell may read again; the first of `trap` even where it is no more than a name."""
    first = next((word for word in words if not word.text.startswith("-")), None) if name == "trap" else None
    texts = [word.text for word in words if word is first or _may_be_script(word)]
    return [_BLANKS_OF_ENV.sub(" ", text) for text in texts] if name == "env" else texts


def _may_be_script(word: Word) -> bool:
    return _SPECIAL.search(word.text) is not None and not ASSIGNMENT.match(word.text)


def _evaluated(text: str) -> str:
    """Why a text may run what it seems to quote, as a clause: `declare -i a; a='b[$(rm x)]'`."""
    bare = _QUOTING.sub("", text)
    if _RUN_IN_SUBSCRIPT.search(bare) and _TAKES_NUMBERS.search(bare):
        return "it may run what stands in a subscript, which the shell evaluates"
    return ""


def _unseen(name: str, words: tuple[Word, ...], command: Command, tables: Runners) -> str:
    """Why it can't be seen from the words what a program would do, as a clause; empty when it can."""
    shown = f"`{shortened(command.text)}`"
    if tables.has("opaque", name):
        return f"what {shown} does can't be seen from its words"
    if not set(tables.words("running_globals", name) or ()).isdisjoint(_globals(words)):
        return f"{shown} may run what its options say"
    texts = words[1:] if tables.has("evaluators", name) or tables.has("scripted", name) else ()
    if any(word.known is Known.UNKNOWN and not ASSIGNMENT.match(word.text) for word in texts):
        return f"{shown} may run a text that is not known"
    if command.input is not None and tables.words("fed", name) is not None:
        return f"{shown} may run what it is fed"
    return ""


def _globals(words: tuple[Word, ...]) -> Iterator[str]:
    """The names of the options that may stand before the subcommand: up to two words that are none in a row."""
    for before, word in pairwise(words):
        if not (word.text.startswith("-") or before.text.startswith("-")):
            return
        yield word.text.partition("=")[0]


def _after(words: tuple[Word, ...], markers: tuple[str, ...]) -> list[tuple[Word, ...]]:
    """The commands that stand behind a marker, each up to `;` or `+`."""
    found, position = [], 0
    while position < len(words):
        start = position + 1
        if words[position].value in markers:
            end = next((i for i in range(start, len(words)) if words[i].text in (";", "+")), len(words))
            found += [words[start:end]] if end > start else []
            start = end
        position = start
    return found


def _without_globals(words: tuple[Word, ...], options: tuple[str, ...]) -> Iterator[tuple[tuple[Word, ...], bool]]:
    """The same command without the options before its subcommand; behind one that isn't known, every word may be that.

    With each comes whether that is only so maybe. None where there are no options.
    """
    position = 1
    while options and position < len(words):
        text = words[position].text
        name, equals, _ = text.partition("=")
        if text in options or (equals and f"{name}=" in options):
            position += 1
        elif f"{text}=" in options:
            position += 2
        elif f"{text[:2]}=" in options and not text.startswith("--"):
            position += 1
        else:
            break
    rest = words[position:]
    if rest and rest[0].text.startswith("-") and options:
        for later in range(1, len(rest)):
            yield (words[0], *rest[later:]), True
    elif rest and position > 1:
        yield (words[0], *rest), False
