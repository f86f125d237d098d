"""A text of PowerShell taken apart: every command in it, wherever it stands, with its arguments and redirections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from tree_sitter import Node

from handrail.policy.shell.folders import After, Folders, moved, union
from handrail.policy.shell.nodes import below
from handrail.policy.shell.powershell.cmdlets import Cmdlet, cmdlets
from handrail.policy.shell.powershell.paths import as_path
from handrail.policy.shell.powershell.syntax import COMPUTED, NOT_INSTALLED, Tree, elements, parse, redirected
from handrail.policy.shell.script import Command, Redirect
from handrail.policy.shell.words import Known, Word

BLOCK = "{}"
"""Stands for a block or a table in the words of a command."""

_WILD = frozenset("*?")
_NOWHERE = "$null"
_CONSTANTS = frozenset(("$true", "$false", _NOWHERE))


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter by its name, or the values that stand for one: several where commas stand between."""

    parameter: str = ""
    """As written, with its dash; empty for values."""
    values: tuple[Word, ...] = ()
    attached: bool = False
    """The values of the parameter before it, behind a colon."""
    computed: bool = False
    """A block or a table is among them."""


@dataclass(frozen=True, slots=True)
class Call:
    """One command, as PowerShell gives it its arguments."""

    command: Command
    """The same as other shells have it: a parameter and its value are words of their own."""
    arguments: tuple[Argument, ...] = ()
    feeders: tuple[Call, ...] = ()
    """All before it in its pipe."""

    @property
    def cmdlet(self) -> Cmdlet | None:
        """The cmdlet that it is; None for a program, and for what is not known."""
        name = self.command.words[0]
        return cmdlets().find(name.text) if name.value is not None else None

    @property
    def may_be_program(self) -> bool:
        """True for an alias that only Windows has: elsewhere it is a program."""
        return self.command.words[0].text.lower() in cmdlets().listed("programs")

    @property
    def parameters(self) -> tuple[Word, ...]:
        """Its parameters, as they stand in its words."""
        return tuple(Word(argument.parameter) for argument in self.arguments if argument.parameter)


@dataclass(frozen=True, slots=True)
class Calls:
    """All commands of a text."""

    calls: tuple[Call, ...] = ()
    problem: str = ""
    """Why they may not be all that it does, as a clause."""


@lru_cache(maxsize=8)
def calls_in(text: str, folders: Folders, home: str) -> Calls:
    """Takes a text apart. Whatever it is, this gives back what was found, and says what was not.

    Each text is asked for twice, for the rules that deny and for those that allow: so a few are kept.
    """
    tree = parse(text)
    if tree is None:
        return Calls(problem=NOT_INSTALLED)
    reader = _Reader(tree, home)
    if tree.problem:
        return Calls(tuple(reader.loosely(folders)), tree.problem)
    return Calls(tuple(reader.in_order(folders)))


class _Reader:
    def __init__(self, tree: Tree, home: str) -> None:
        self._tree = tree
        self._home = home
        self._found: list[Call] = []

    def loosely(self, at: Folders) -> Iterator[Call]:
        """The commands of a text that is not judged, each in all folders that one before it may have gone to."""
        for node in below(self._tree.root, ("command",)):
            call = self._call(node, at, ())
            yield call
            at = union(at, self._moved(call))

    def in_order(self, at: Folders) -> list[Call]:
        for statements in self._tree.root.children:
            for pipeline in statements.children:
                if pipeline.type == "pipeline":
                    at = self._pipeline(pipeline, at).either
        return self._found

    def _pipeline(self, node: Node, at: Folders) -> After:
        """Pipes between `&&` and `||`."""
        so_far, joint = After(at, at), ""
        for child in node.children:
            if child.type != "pipeline_chain":
                joint = self._tree.text(child)
            elif joint == "&&":
                after = self._pipe(child, so_far.ok)
                so_far = After(after.ok, union(so_far.failed, after.failed))
            elif joint == "||":
                after = self._pipe(child, so_far.failed)
                so_far = After(union(so_far.ok, after.ok), after.failed)
            else:
                so_far = self._pipe(child, at)
        return so_far

    def _pipe(self, node: Node, at: Folders) -> After:
        feeders: tuple[Call, ...] = ()
        commands = [child for child in node.children if child.type == "command"]
        for command in commands:
            call = self._call(command, at, feeders)
            call = replace(call, command=replace(call.command, stands=("pipe",) if len(commands) > 1 else ()))
            feeders += (call,)
        self._found += feeders
        return After(tuple(place for call in feeders for place in self._moved(call)) or at, at)

    def _moved(self, call: Call) -> Folders:
        """Where it goes; nowhere for a command that stays."""
        if call.cmdlet is None or call.cmdlet.name not in cmdlets().listed("moves"):
            return ()
        values = [word for argument in call.arguments for word in argument.values]
        return moved(tuple(as_path(word, self._home) for word in values[:1]), call.command.folders, self._home)

    def _call(self, node: Node, at: Folders, feeders: tuple[Call, ...]) -> Call:
        name, *rest = elements(node) or [node]
        arguments: list[Argument] = []
        redirects: list[Redirect] = []
        before = name
        if name.type == "command_invokation_operator" and rest:
            name, *rest = rest
        for element in rest:
            gap = self._tree.between(before.end_byte, element.start_byte)
            before = element
            redirection = self._redirection(element)
            if redirection is None:
                self._add(arguments, element, gap)
            elif redirection[1].text.lower() != _NOWHERE:
                redirects.append(Redirect(redirection[0], as_path(redirection[1], self._home), at))
        words = [self._name(name)]
        for argument in arguments:
            words += [Word(argument.parameter)] if argument.parameter else argument.values
        command = Command(
            self._tree.text(node).strip(), tuple(words), at, bare=not redirects, redirects=tuple(redirects)
        )
        return Call(command, tuple(arguments), feeders)

    def _name(self, node: Node) -> Word:
        text = self._tree.text(node)
        if node.type == "command_name":
            return Word(text)
        values = list(self._values(node))
        return values[0] if len(values) == 1 else Word("", Known.UNKNOWN, text)

    def _add(self, arguments: list[Argument], element: Node, gap: str) -> None:
        if element.type == "command_parameter":
            arguments.append(Argument(self._tree.text(element)))
            return
        values, computed = tuple(self._values(element)), _is_computed(element)
        if "," in gap and arguments and not arguments[-1].parameter:
            last = arguments.pop()
            arguments.append(replace(last, values=last.values + values, computed=computed or last.computed))
        else:
            arguments.append(Argument("", values, gap.startswith(":"), computed))

    def _values(self, node: Node) -> Iterator[Word]:
        """What an argument comes to; a word that is not known for what PowerShell works out."""
        text = self._tree.text(node)
        match node.type:
            case "generic_token" | "command_name":
                yield Word(text, Known.LITERAL if _WILD.isdisjoint(text) else Known.GLOB)
            case "integer_literal" | "real_literal":
                yield Word(text)
            case "verbatim_string_characters":
                yield Word(text[1:-1].replace("''", "'"), source=text)
            case "expandable_string_literal" if "$" not in text and "`" not in text:
                yield Word(text[1:-1].replace('""', '"'), source=text)
            case "variable" if text.lower() in _CONSTANTS:
                yield Word(text.lower(), source=text)
            case "script_block_expression" | "hash_literal_expression":
                yield Word(BLOCK, source=text)
            case "command_name_expr" | "string_literal" | "array_literal_expression" | "unary_expression":
                yield from (word for child in node.named_children for word in self._values(child))
            case _:
                yield Word("", Known.UNKNOWN, text)

    def _redirection(self, element: Node) -> tuple[str, Word] | None:
        """How a redirection leads where, to `$null` for one that opens nothing; None for what is none."""
        text = self._tree.text(element)
        if element.type == "generic_token":
            found = redirected(text)
            return (found["operator"], Word(found["target"])) if found is not None else None
        if element.type != "redirection":
            return None
        name = next((child for child in element.children if child.type == "redirected_file_name"), None)
        if name is None:
            return text, Word(_NOWHERE)
        words = [word for child in name.named_children for word in self._values(child)]
        known = words and not _is_computed(name)
        operator = self._tree.between(element.start_byte, name.start_byte).strip()
        return operator, words[-1] if known else Word("", Known.UNKNOWN, text)


def _is_computed(node: Node) -> bool:
    return any(True for _ in below(node, COMPUTED))
