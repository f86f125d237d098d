"""Every part of a command judged alone, wrappers and scripts in words unwrapped: what allow rules and modes see.

Only what is known for sure is unwrapped here; what deny and ask rules must suspect is found in `finding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from handrail.policy.shell.arguments import Arguments, arguments_of, plain_name
from handrail.policy.shell.feeding import fed_word, filled, is_zero, names_fed, place_of_names
from handrail.policy.shell.languages.finding_files import taken_apart
from handrail.policy.shell.listing import Listing, names_in
from handrail.policy.shell.meaning import READ, WRITE, Meaning, Meanings
from handrail.policy.shell.operand import Operand, operands_at
from handrail.policy.shell.parse import read
from handrail.policy.shell.powershell.calls import Calls, calls_in
from handrail.policy.shell.powershell.meaning import meaning_in, normal_words
from handrail.policy.shell.powershell.options import SHELLS, script_of
from handrail.policy.shell.programs import Does, programs
from handrail.policy.shell.runners import Runners, runners
from handrail.policy.shell.script import SUBSTITUTION, Assigned, Command, Redirect, Script
from handrail.policy.shell.settable import hosts_set_by, problem_of
from handrail.policy.shell.shells import plain_script, runs_file, split_by_env
from handrail.policy.shell.words import Holds, Known, Word
from handrail.policy.wording import shortened

MAX_DEPTH = 5
"""Wrappers in wrappers, `bash -c` in `bash -c`, and so on."""

_WITHOUT_SHELL = frozenset(("-x", "--exec"))
"""With one of these, watch runs its words as they are."""
_PLAIN_WORD = re.compile(r"[\w@%+:,./=-]+")


@dataclass(frozen=True, slots=True)
class Part:
    """One simple command, or one redirection or assignment that stands by itself. See `ShellPart`."""

    text: str
    words: tuple[Word, ...] = ()
    inside: tuple[Word, ...] = ()
    """The words without the options that name the folder it works in, where that lies in the workspace."""
    entered: tuple[Operand, ...] = ()
    """Those folders."""
    unread: str = ""
    opaque: str = ""
    operands: tuple[Operand, ...] = ()
    redirected: tuple[Operand, ...] = ()
    hosts: frozenset[str] = frozenset()
    stands: tuple[str, ...] = ()
    edits: bool = False
    repositories: tuple[str, ...] = ()
    unnamed: bool = False


def parts_of(script: Script, text: str, meanings: Meanings) -> tuple[Part, ...]:
    """All parts of a text that was taken apart, in their order; the whole of one in which nothing runs."""
    found = dict.fromkeys(_Judge(meanings, script.functions - script.moving).script(script, text, (), 0))
    return tuple(found) or (Part(shortened(text) or "blanks"),)


def powershell_parts(taken: Calls, text: str, meanings: Meanings) -> tuple[Part, ...]:
    """The same of a text of PowerShell."""
    return tuple(dict.fromkeys(_Judge(meanings, frozenset()).powershell(taken, text, ())))


class _Judge:
    def __init__(self, meanings: Meanings, functions: frozenset[str]) -> None:
        self.meanings = meanings
        self.functions = functions
        self.tables: Runners = runners()

    def script(self, script: Script, text: str, stands: tuple[str, ...], depth: int) -> Iterator[Part]:
        if script.unjudged:
            yield Part(shortened(text), unread=script.unjudged, opaque=script.unjudged, stands=stands)
        for assigned in script.assigned:
            problem = problem_of(assigned) if assigned.reach != "command" else ""
            if problem:
                yield Part(assigned.text, unread=problem, opaque=problem, stands=stands)
        for shown in script.shows:
            yield Part(shown, unread=f"a here-document holds what {shortened(shown)} does", stands=stands)
        for command in script.commands:
            if _exports_all(command.words):
                problem = f"`{shortened(command.text)}` exports all that is set"
                yield Part(command.text, unread=problem, opaque=problem, stands=stands)
        for name in sorted(script.functions):
            if programs().get(name) or self.tables.knows(name):
                shadow = f"the function `{shortened(name)}` takes the name of a program"
                yield Part(name, unread=shadow, opaque=shadow, stands=stands)
        for command in script.commands:
            yield from self.command(replace(command, stands=(*stands, *command.stands)), depth)
        for redirect in script.redirects:
            if not redirect.quiet:
                yield self._redirection(redirect, stands)

    def command(self, command: Command, depth: int) -> Iterator[Part]:
        parts = list(self._parts(command, depth)) if command.words else [Part(command.text, stands=command.stands)]
        set_before = next((problem for assigned in command.assigned if (problem := problem_of(assigned))), "")
        for position, part in enumerate(parts):
            if hosts := frozenset(hosts_set_by(command.assigned)):
                part = replace(part, hosts=part.hosts | hosts)
            if set_before:
                part = replace(part, unread=part.unread or set_before, opaque=part.opaque or set_before)
            yield part if position else _with_redirects(part, command)

    def _redirection(self, redirect: Redirect, stands: tuple[str, ...]) -> Part:
        reason = f"where `{shortened(redirect.written)}` leads is not known" if _is_unknown(redirect) else ""
        return Part(
            redirect.written,
            unread=reason,
            opaque=reason,
            redirected=tuple(opened_by(redirect)),
            hosts=frozenset(filter(None, (redirect.host,))),
            stands=(*stands, *redirect.stands),
            unnamed=bool(reason),
        )

    def _parts(self, command: Command, depth: int) -> Iterator[Part]:
        """What one simple command comes to: itself, or what it runs."""
        words = split_by_env(command.words)
        name = plain_name(words[0])
        if depth > MAX_DEPTH:
            yield self._opaque(command, "it holds commands within commands, more than can be followed")
        elif words[0].value is None:
            yield self._opaque(command, "which program it runs is not known")
        elif name in self.functions and not depth:  # a wrapper or another shell would find a program of that name
            yield self._call(command, words)
        elif self.tables.has("shells", name) or self.tables.has("evaluators", name):
            yield from self._inner_script(command, name, words, depth)
        elif name in SHELLS:
            yield from self._powershell(command, words)
        elif self.tables.has("opaque", name) and not self.meanings.of(command.words, command.folders).only_reads:
            yield self._opaque(command, f"what {name} makes of its words can't be seen")
        else:
            yield from self._program(replace(command, words=words), name, depth)

    def _opaque(self, command: Command, reason: str) -> Part:
        words = _normal(command.words)
        meaning = self.meanings.of(command.words, command.folders)
        return Part(
            command.text,
            words,
            unread=reason,
            opaque=reason,
            operands=meaning.operands,
            stands=command.stands,
            unnamed=meaning.unnamed,
        )

    def _call(self, command: Command, words: tuple[Word, ...]) -> Part:
        """A function of the same text: its body is judged where it stands."""
        shows = next((word for word in words[1:] if word.holds is Holds.ANYTHING and word.value is None), None)
        reason = f"what the function does with {shortened(shows.written)} is not followed" if shows else ""
        return Part(command.text, words, unread=reason, stands=command.stands)

    def _inner_script(self, command: Command, name: str, words: tuple[Word, ...], depth: int) -> Iterator[Part]:
        """`bash -c 'ls'`, `eval 'ls'`: the script instead of the command."""
        text = plain_script(name, words)
        if text is None and name != "eval" and runs_file(words):
            yield replace(
                self._plain(command, self.meanings.of(words, command.folders)), unread="it runs what a file says"
            )
            return
        if text is None:
            yield self._opaque(command, f"what {name} would run is not known from its words")
            return
        if command.shows:
            yield Part(command.text, unread=f"it is fed what {shortened(command.shows)} holds", stands=command.stands)
        inner = read(text, command.folders, self.meanings.home)
        found = list(self.script(inner, text, (*command.stands, f"{name} -c" if name != "eval" else name), depth + 1))
        if inner.functions or not found:
            yield self._opaque(command, "its script is not followed")
        yield from found

    def _powershell(self, command: Command, words: tuple[Word, ...]) -> Iterator[Part]:
        """`pwsh -c 'Get-ChildItem'`: what it would run instead of the command."""
        script = script_of(words)
        meaning = self.meanings.of(words, command.folders)
        if script is not None:
            stands = (*command.stands, f"{words[0].program} -c")
            yield from self.powershell(calls_in(script, command.folders, self.meanings.home), script, stands)
        elif not meaning.problem:
            yield self._plain(command, meaning)
        else:
            yield self._opaque(command, "what PowerShell would run is not known from its words")

    def powershell(self, taken: Calls, text: str, stands: tuple[str, ...]) -> Iterator[Part]:
        """The parts of a text of PowerShell."""
        if taken.problem or not taken.calls:
            problem = taken.problem or "it runs nothing that is known"
            yield Part(shortened(text), unread=problem, opaque=problem, stands=stands, unnamed=True)
        for call in taken.calls:
            command = replace(call.command, stands=(*stands, *call.command.stands))
            meaning = self.meanings.once(call, partial(meaning_in, call, self.meanings.home))
            part = self._plain(command, meaning)
            yield _with_redirects(replace(part, words=normal_words(call), inside=()), command)

    def _program(self, command: Command, name: str, depth: int) -> Iterator[Part]:
        meaning = self.meanings.of(_without_executed(name, command.words), command.folders)
        if meaning.wraps:
            yield from self._wrapped(command, name, meaning, depth)
            return
        executed = taken_apart(command.words) if name == "find" else None
        if executed is not None and executed.problem:
            meaning = replace(meaning, problem=executed.problem, hidden=executed.problem)
        yield self._plain(command, meaning)
        for inner in executed.executed if executed is not None and not executed.problem else ():
            yield from self._executed(command, inner, depth)

    def _plain(self, command: Command, meaning: Meaning) -> Part:
        unread = meaning.problem or (f"it is fed what {shortened(command.shows)} holds" if command.shows else "")
        if not unread and SUBSTITUTION in command.stands and not self._prints_own_words(command, meaning):
            unread = "its output becomes words of another command (a command substitution)"
        words = _normal(command.words)
        return Part(
            command.text,
            _without_options(words, meaning, Does.NOTHING),
            inside=_without_options(words, meaning, Does.NOTHING, Does.ENTER),
            entered=meaning.entered,
            unread=unread,
            opaque=meaning.hidden,
            operands=meaning.operands,
            hosts=meaning.hosts,
            stands=command.stands,
            edits=meaning.edits,
            repositories=meaning.repositories,
            unnamed=meaning.unnamed,
        )

    def _prints_own_words(self, command: Command, meaning: Meaning) -> bool:
        """`$(echo x)`, and `$(cat <<EOF … EOF)`."""
        literal = all(word.value is not None for word in command.words)
        fed = command.input is not None and len(command.words) == 1 and command.words[0].text == "cat"
        return (literal and meaning.own_words) or fed

    def _wrapped(self, command: Command, name: str, meaning: Meaning, depth: int) -> Iterator[Part]:
        """The command that a wrapper runs, instead of the wrapper."""
        read_words = meaning.read or Arguments(programs()[name].usage)
        if name == "watch" and read_words.flags.isdisjoint(_WITHOUT_SHELL) and not _are_plain(read_words.inner):
            yield self._opaque(command, "a shell reads the words of watch again, and they may mean more there")
            return
        inner = replace(
            command,
            words=read_words.inner,
            redirects=(),
            assigned=tuple(_set_by(command, word) for word in read_words.before),
            stands=(*command.stands, name),
        )
        if name in ("xargs", "parallel"):
            yield from self._fed(inner, read_words, depth)
            return
        yield from self.command(inner, depth + 1)

    def _fed(self, command: Command, read_words: Arguments, depth: int) -> Iterator[Part]:
        """`xargs grep x`: with the names that it is fed, where these are known."""
        place = place_of_names(read_words)
        listing = names_fed(command, read_words)
        command = replace(command, feeders=())
        if listing is not None and listing.words is not None and not place:
            yield from self.command(replace(command, words=(*command.words, *listing.words)), depth + 1)
            return
        listing = listing if listing is not None and listing.words is None else None
        added = fed_word(listing, read_words, place)
        words = tuple(filled(word, place, added) for word in command.words) if place else (*command.words, added)
        for part in self.command(replace(command, words=words), depth + 1):
            yield _with_names(part, listing, splits=not is_zero(listing, read_words))

    def _executed(self, command: Command, words: tuple[Word, ...], depth: int) -> Iterator[Part]:
        """What `find -exec` runs, with the names that it finds."""
        listing = names_in(_without_executed("find", command.words), command.folders)
        found = listing.word if listing is not None else Word("", Known.UNKNOWN, "{}")
        with_names = tuple(filled(word, "{}", found) for word in words)
        inner = replace(command, words=with_names, redirects=(), assigned=(), stands=(*command.stands, "find -exec"))
        for part in self.command(inner, depth + 1):
            yield _with_names(part, listing, splits=False)


def _with_redirects(part: Part, command: Command) -> Part:
    """The first part of a command with what its redirections open, beside those that it has itself."""
    opened = tuple(o for redirect in command.redirects for o in opened_by(redirect))
    unknown = next((r.written for r in command.redirects if not r.quiet and _is_unknown(r)), "")
    if opened:
        hosts = frozenset(redirect.host for redirect in command.redirects if redirect.host)
        part = replace(part, redirected=(*part.redirected, *opened), hosts=part.hosts | hosts)
    if unknown:
        reason = f"where `{shortened(unknown)}` leads is not known"
        part = replace(part, unread=part.unread or reason, opaque=part.opaque or reason, unnamed=True)
    return part


def _exports_all(words: tuple[Word, ...]) -> bool:
    """`set -a` and `set -o allexport`."""
    options = [word.text for word in words[1:]] if words and words[0].value == "set" else []
    return any(text == "allexport" or (text[:1] == "-" and text[1:2] != "-" and "a" in text) for text in options)


def _normal(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The program by its plain name where the system has it."""
    name = plain_name(words[0]) if words else ""
    return (Word(name), *words[1:]) if name and name != words[0].text else words


def _without_options(words: tuple[Word, ...], meaning: Meaning, *harmless: Does) -> tuple[Word, ...]:
    """Without what stands before the subcommand, where that is harmless."""
    read_words = meaning.read
    if read_words is None or read_words.start == 1 or any(given.does not in harmless for given in read_words.before_it):
        return words
    return (words[0], *words[read_words.start :])


def _without_executed(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    return taken_apart(words).words if name == "find" else words


def _set_by(command: Command, word: Word) -> Assigned:
    name, _, text = word.text.partition("=")
    return Assigned(command.text, name, replace(word, text=text, source=""), "command")


def _with_names(part: Part, listing: Listing | None, *, splits: bool) -> Part:
    """With the trees that the names lie in: read, looked at, or perhaps written. `splits`: at blanks in a name."""
    read_words = arguments_of(part.words) if part.words else None
    if listing is None:
        return part
    kind = read_words.usage.operands if read_words is not None else ""
    within = tuple(
        replace(
            operand,
            access="read" if not part.unread else "mention",
            names_only=kind in ("names", "text"),
            scope="file" if kind in ("names", "text") or part.unread else "tree",
            plain=splits,
        )
        for operand in listing.within
    )
    return replace(part, operands=(*part.operands, *within))


def _is_unknown(redirect: Redirect) -> bool:
    return redirect.target.known is Known.UNKNOWN and redirect.target.holds is not Holds.PIPE


def opened_by(redirect: Redirect) -> Iterator[Operand]:
    """The path that a redirection opens; none for `2>&1` and `>/dev/null`."""
    if redirect.quiet:
        return
    yield from operands_at(redirect.target, redirect.folders, READ if redirect.operator == "<" else WRITE)


def _are_plain(words: tuple[Word, ...]) -> bool:
    """True where a shell that reads them again makes the same words of them."""
    return all(word.value is not None and _PLAIN_WORD.fullmatch(word.text) for word in words)
