"""Finds the rules that may hold for a call among thousands, in the order in which they stand. Pure.

Each rule is filed once, under the condition that tells most: the first words of a command, the first folders of a
path, a host, the tool's name, an argument. What is found is a superset of the rules that hold, so the index changes
how long a decision takes and never what it says; `tests/policy/test_index.py` compares it with trying every rule.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from handrail.contract.effects import OPEN_WORLD
from handrail.policy.argument_index import ArgumentIndex, filed_by_arguments
from handrail.policy.facts import Facts
from handrail.policy.hosts import host_named
from handrail.policy.path_index import PathIndex, is_tied_to_a_name
from handrail.policy.pieces import parts_of
from handrail.policy.rules import Rule, hosts_in_words, hosts_of
from handrail.policy.shell.words import Word
from handrail.policy.tries import Prefixes, Step, Trie, literal_start

GLOB = "*?["
STAR = "*"


class RuleIndex:
    """Rules of one outcome."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self._commands, self._by_command = Trie(), list[int]()
        self._paths, self._by_path = PathIndex(), list[int]()
        self._hosts, self._by_host = _Hosts(), list[int]()
        self._tools = _Tools()
        self._arguments, self._by_argument = ArgumentIndex(), list[int]()
        self._always: list[int] = []
        for position, rule in enumerate(rules):
            self._file(position, rule)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def _file(self, position: int, rule: Rule) -> None:
        tools = rule.tools
        if rule.commands and all(pattern.words and literal_start(pattern.words[0], STAR) for pattern in rule.commands):
            self._by_command.append(position)
            for command in rule.commands:
                self._commands.add(command.words, STAR, position)
        elif rule.paths and all(map(is_tied_to_a_name, rule.paths)):
            self._by_path.append(position)
            for path in rule.paths:
                self._paths.add(path, position)
        elif rule.hosts and all(pattern.name for pattern in rule.hosts):
            self._by_host.append(position)
            for host in rule.hosts:
                self._hosts.add(host.name, position)
        elif tools and all(pattern.is_exact for pattern in tools):
            self._tools.add((pattern.text for pattern in tools), position)
        elif (condition := filed_by_arguments(rule.when.arguments)) is not None:
            self._by_argument.append(position)
            self._arguments.add(condition, position)
        elif tools and all(literal_start(pattern.text, GLOB) for pattern in tools):
            self._tools.add((pattern.text for pattern in tools), position)
        else:
            self._always.append(position)

    def that_may_cover(self, facts: Facts) -> list[Rule]:
        """Allow rules that may cover some piece of a call."""
        if not self.rules:
            return []
        found = set(self._plainly(facts))
        for part in parts_of(facts):
            found.update(self._commands.of([_known(word) for word in part.words]))
            for path in (*part.paths, *part.redirected):
                found.update(self._paths.of(path, facts.places))
        return [self.rules[position] for position in sorted(found)]

    def that_hold(self, facts: Facts) -> list[Rule]:
        """Ask or deny rules, all that surely hold for a call among them."""
        if not self.rules:
            return []
        return [self.rules[position] for position in sorted(self._surely(facts))]

    def that_may_hold(self, facts: Facts) -> Iterator[Rule]:
        """Ask or deny rules, all that hold for a call or may hold among them."""
        if not self.rules:
            return
        last = -1
        for position in heapq.merge(sorted(self._surely(facts)), *self._perhaps(facts)):
            if position != last:
                yield self.rules[position]
            last = position

    def _surely(self, facts: Facts) -> set[int]:
        found = set(self._plainly(facts))
        if self._by_command and facts.shell is not None:
            for command in facts.shell.commands:
                for start in (*command.starts, *command.suspects):
                    first, *rest = command.words[start:] or (None,)
                    if first is not None:
                        steps = [_spellings(first, is_program=True), *(_spellings(word) for word in rest)]
                        found.update(self._commands.of(steps))
        return found

    def _plainly(self, facts: Facts) -> Iterator[int]:
        """By all but the words of commands."""
        yield from self._always
        yield from self._tools.of(facts.names)
        if self._by_path:
            for path in facts.paths:
                yield from self._paths.of(path, facts.places)
        if self._by_host:
            for host in (*map(host_named, hosts_of(facts)), *hosts_in_words(facts)):
                yield from self._hosts.of(host)
        if self._by_argument:
            yield from self._by_argument if facts.arguments is None else self._arguments.of(facts.arguments)

    def _perhaps(self, facts: Facts) -> Iterator[Iterable[int]]:
        """All rules of a kind, where what a call does of that kind is not wholly known."""
        opaque = facts.shell is not None and bool(facts.shell.opaque)
        unnamed = facts.shell is not None and bool(facts.shell.unnamed)
        if opaque:
            yield self._by_command
        if unnamed or any(path.is_tree or path.elsewhere for path in facts.paths):
            yield self._by_path
        if opaque or OPEN_WORLD in map(host_named, hosts_of(facts)):
            yield self._by_host


def _known(word: Word) -> Step:
    """For allow: the value alone."""
    return (word.text,) if word.value is not None else None


def _spellings(word: Word, *, is_program: bool = False) -> Step:
    """For ask and deny: as `CommandPattern.reaches` tries them."""
    if word.value is None:
        return None
    return {word.written, word.text, *word.programs} if is_program else {word.written, word.text}


class _Tools:
    """Positions by tools' names, and by what globs for them start with."""

    def __init__(self) -> None:
        self._exact: dict[str, list[int]] = {}
        self._globs = Prefixes()

    def add(self, texts: Iterable[str], position: int) -> None:
        for text in texts:
            start = literal_start(text, GLOB)
            if start == text:
                self._exact.setdefault(text, []).append(position)
            else:
                self._globs.add(start, position)

    def of(self, names: tuple[str, ...]) -> Iterator[int]:
        for name in names:
            yield from self._exact.get(name, ())
            yield from self._globs.of(name)


class _Hosts:
    """Positions by hosts, and by what lies below one (a name that starts with a dot)."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[int]] = {}

    def add(self, name: str, position: int) -> None:
        self._by_name.setdefault(name, []).append(position)

    def of(self, host: str) -> Iterator[int]:
        yield from self._by_name.get(host, ())
        for place, character in enumerate(host):
            if character == ".":
                yield from self._by_name.get(host[place:], ())
