"""A shell command taken apart: every simple command in it, wherever it stands, and every redirection."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from handrail.contract.effects import SimpleCommand
from handrail.policy.shell.folders import MOST_FOLDERS, After, Folder, Folders, after, union
from handrail.policy.shell.quoting import Surroundings, words_of
from handrail.policy.shell.syntax import is_plain, misread, parse, unreadable
from handrail.policy.shell.words import Known, Word

MAX_DEPTH = 80
"""Levels of syntax, one inside the other."""

OWN_SHELL = frozenset(("subshell", "command_substitution", "process_substitution", "function_definition"))
"""A `cd` inside one of these moves nothing outside it. A function may move its caller, but is no known program."""

BUILTIN_NODES = frozenset(("declaration_command", "unset_command"))


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command as it stands in the text."""

    text: str
    words: tuple[Word, ...]
    folders: Folders
    """Where it may run."""
    bare: bool
    """Nothing but words: no assignment before it, no redirection."""
    input: str | None = None
    """What a here-document or here-string feeds it."""

    @property
    def simple(self) -> SimpleCommand:
        """The same in the words of the contract."""
        known: list[str] = []
        for word in self.words:
            if word.value is None:
                break
            known.append(word.value)
        literal = self.bare and all(word.known is Known.LITERAL for word in self.words)
        return SimpleCommand(self.text, tuple(known), literal)


@dataclass(frozen=True, slots=True)
class Redirect:
    operator: str
    target: Word
    folders: Folders


@dataclass(frozen=True, slots=True)
class Assigned:
    text: str
    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Script:
    """All that is in one text."""

    commands: tuple[Command, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    assigned: tuple[Assigned, ...] = ()
    """Every variable that is set, for one command or for what follows."""
    problem: str = ""
    """Why not all of it may be known, as a clause."""
    plain: bool = False
    """Nothing but chains and pipes of simple commands."""
    single: bool = False
    """Nothing but one simple command."""


def read(text: str, folders: Folders, home: str) -> Script:
    """Takes a text apart. Whatever it is, this gives back what was found, and says what was not."""
    problem = unreadable(text)
    source = text.encode(errors="replace")
    root = parse(source)
    reader = _Reader(home)
    reader.visit(root, folders, 0)
    problem = problem or misread(root, source) or reader.problem
    plain = not problem and is_plain(root, source)
    return Script(
        tuple(reader.commands),
        tuple(reader.redirects),
        tuple(reader.assigned),
        problem,
        plain,
        plain and _is_single(root, reader.commands),
    )


def _is_single(root: Node, commands: list[Command]) -> bool:
    kinds = [child.type for child in root.children if child.type not in ("comment", ";", "\n")]
    return kinds == ["command"] and commands[0].bare


class _Reader:
    """Walks the tree once, in the order in which the shell would run it."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.commands: list[Command] = []
        self.redirects: list[Redirect] = []
        self.assigned: list[Assigned] = []
        self.problem = ""
        self._more_words: dict[int, list[Node]] = {}
        self._input: dict[int, str] = {}

    def visit(self, node: Node, at: Folders, depth: int) -> After:
        if depth > MAX_DEPTH:
            self.problem = f"it is nested more than {MAX_DEPTH} levels deep"
            return After(at, at)
        if len(at) >= MOST_FOLDERS:
            self.problem = "it changes folder more often than can be followed"
        match node.type:
            case "command":
                return self._command(node, at, depth)
            case "list":
                return self._list(node, at, depth)
            case "pipeline":
                for part in node.named_children:
                    self.visit(part, at, depth + 1)
                return After(at, at)
            case "negated_command":
                inner = self._each(node.named_children, at, depth)
                return After(inner.failed, inner.ok)
            case "redirected_statement":
                return self._redirected(node, at, depth)
            case "file_redirect" | "herestring_redirect":
                self._redirect(node, at)
            case "variable_assignment":
                self._assign(node, at)
            case kind if kind in BUILTIN_NODES:
                self._builtin(node, at)
        inner = self._each(node.named_children, at, depth)
        return After(at, at) if node.type in OWN_SHELL else inner

    def _each(self, nodes: list[Node], at: Folders, depth: int) -> After:
        """One after the other, whether the one before failed or not."""
        reached = After(at, at)
        for node in nodes:
            reached = self.visit(node, reached.either or at, depth + 1)
        return reached

    def _list(self, node: Node, at: Folders, depth: int) -> After:
        """`a && b || c`: the parser nests it to the left, as deep as it is long."""
        spine = [node]
        while spine[-1].children[0].type == "list":
            spine.append(spine[-1].children[0])
        reached = self.visit(spine[-1].children[0], at, depth + 1)
        for part in reversed(spine):
            is_and = any(child.type == "&&" for child in part.children)
            for right in part.named_children[1:]:
                then = self.visit(right, (reached.ok if is_and else reached.failed) or at, depth + 1)
                reached = (
                    After(then.ok, union(reached.failed, then.failed))
                    if is_and
                    else After(union(reached.ok, then.ok), then.failed)
                )
        return reached

    def _redirected(self, node: Node, at: Folders, depth: int) -> After:
        """The parser takes words after a redirection for more targets; they are the command's own words."""
        body = node.child_by_field_name("body")
        target = _last_command(body)
        strays = [word for child in node.children for word in _stray_words(child)]
        if target is not None:
            self._more_words[target.id] = strays
            fed = [text for child in node.children if (text := _fed(child)) is not None]
            if fed:
                self._input[target.id] = fed[-1]
        elif strays:
            self.commands.append(Command(_text(node), words_of(strays, self._around(at)), at, bare=False))
        reached = self.visit(body, at, depth + 1) if body is not None else After(at, at)
        self._each([child for child in node.named_children if child != body], at, depth)
        return reached

    def _redirect(self, node: Node, at: Folders) -> None:
        targets = node.children_by_field_name("destination")
        operator = next((child.type for child in node.children if not child.is_named), "")
        if targets:
            word, *_ = (*words_of(targets[:1], self._around(at)), Word("", Known.UNKNOWN))
            self.redirects.append(Redirect(operator, word, at))

    def _command(self, node: Node, at: Folders, depth: int) -> After:
        fields = [(node.field_name_for_child(i), child) for i, child in enumerate(node.children)]
        nodes = [child for name, child in fields if name in ("name", "argument")]
        nodes += [word for child in node.children for word in _stray_words(child)]
        nodes += self._more_words.get(node.id, [])
        words = words_of(nodes, self._around(at))
        fed = next((text for child in node.children if (text := _fed(child)) is not None), None)
        bare = node.id not in self._more_words and all(name in ("name", "argument") for name, _ in fields)
        self.commands.append(Command(_text(node), words, at, bare, self._input.get(node.id, fed)))
        self._each(node.named_children, at, depth)
        return after(words, at, self.home)

    def _builtin(self, node: Node, at: Folders) -> None:
        keyword, *rest = node.children
        words = (Word(keyword.type), *words_of(rest, self._around(at)))
        self.commands.append(Command(_text(node), words, at, bare=True))

    def _assign(self, node: Node, at: Folders) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            words = words_of([value], self._around(at)) if value is not None else (Word(""),)
            only = words[0] if len(words) == 1 else Word("", Known.UNKNOWN)
            self.assigned.append(Assigned(_text(node), _text(name), only))

    def _around(self, at: Folders) -> Surroundings:
        only = at[0] if len(at) == 1 else Folder("", certain=False)
        return Surroundings(self.home, only.path if only.certain else "")


def _last_command(node: Node | None) -> Node | None:
    """The command that a redirection after a chain or pipe belongs to."""
    while node is not None and node.type in ("list", "pipeline", "negated_command"):
        node = node.named_children[-1] if node.named_children else None
    return node if node is not None and node.type == "command" else None


def _stray_words(node: Node) -> list[Node]:
    """Words of the command that the parser hung on one of its redirections."""
    match node.type:
        case "file_redirect":
            return node.children_by_field_name("destination")[1:]
        case "heredoc_redirect":
            return node.children_by_field_name("argument")
    return []


def _fed(node: Node) -> str | None:
    """What this redirection feeds a command, where it holds the text itself."""
    match node.type:
        case "heredoc_redirect":
            bodies = [child for child in node.children if child.type == "heredoc_body"]
            return _text(bodies[0]) if bodies else ""
        case "herestring_redirect":
            words = words_of(node.named_children[-1:], Surroundings(""))
            return words[0].text if words else ""
    return None


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
