"""A shell command taken apart: every simple command in it, wherever it stands, and every redirection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce

from tree_sitter import Node

from handrail.policy.shell.arithmetic import counters, unsafe_name
from handrail.policy.shell.assigning import ASSIGNMENT, appends, assigned_by, declared_words, has_options, reach_of
from handrail.policy.shell.conditions import condition_operands, condition_words
from handrail.policy.shell.folders import MOST_FOLDERS, MOVERS, After, Folders, after, either, union
from handrail.policy.shell.following import Following
from handrail.policy.shell.nodes import below, text_of
from handrail.policy.shell.quoting import words_of
from handrail.policy.shell.redirection import fed_expansions, fed_text, last_command, opening_nodes, stray_words
from handrail.policy.shell.script import SUBSTITUTION, Assigned, Command, Reach, Redirect, Script
from handrail.policy.shell.syntax import misread, parse, unjudged, unreadable
from handrail.policy.shell.variables import COUNTED, INHERITED, PRINTED, Variables, merged, read_into, widened
from handrail.policy.shell.words import Holds, Known, Word

MAX_DEPTH = 80
"""Levels of syntax, one inside the other."""

OWN_SHELL: Mapping[str, str] = {
    "subshell": "subshell",
    "command_substitution": SUBSTITUTION,
    "process_substitution": SUBSTITUTION,
}
"""A `cd` or an assignment inside one of these moves nothing outside it, and how a command stands in it."""

_LOOPS = frozenset(("for_statement", "while_statement", "c_style_for_statement"))


def read(text: str, folders: Folders, home: str) -> Script:
    """Takes a text apart. Whatever it is, this gives back what was found, and says what was not."""
    problem = unreadable(text)
    source = text.encode(errors="replace")
    root = parse(source)
    reader = _Reader(home)
    reached = reader.visit(root, folders, 0)
    problem = problem or misread(root, source) or reader.problem
    not_judged = problem or unjudged(root, source)
    return Script(
        tuple(reader.commands),
        tuple(reader.redirects),
        tuple(reader.assigned),
        problem,
        not_judged,
        tuple(reader.shows),
        frozenset(reader.functions),
        frozenset(reader.moving),
        not not_judged and _is_single(root, reader.commands),
        not (not_judged or reader.moving)
        and _are_all(folders, reached.either, *(command.folders for command in reader.commands)),
    )


def _are_all(start: Folders, *reached: Folders) -> bool:
    return all(folder in start for folders in reached for folder in folders)


def _is_single(root: Node, commands: list[Command]) -> bool:
    kinds = [child.type for child in root.children if child.type not in ("comment", ";", "\n")]
    return kinds == ["command"] and len(commands) == 1 and commands[0].bare


class _Reader:
    """Walks the tree once, in the order in which the shell would run it."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.commands: list[Command] = []
        self.redirects: list[Redirect] = []
        self.assigned: list[Assigned] = []
        self.functions: list[str] = []
        self.moving: list[str] = []
        self.problem = ""
        self._values = Following(home)
        self._stands: tuple[str, ...] = ()
        self._feeders: tuple[Command, ...] = ()
        self._more_words: dict[int, list[Node]] = {}
        self._opening: dict[int, list[Node]] = {}
        self._input: dict[int, str] = {}
        self._shows: dict[int, str] = {}
        self.shows: list[str] = []

    def visit(self, node: Node, at: Folders, depth: int) -> After:
        if depth > MAX_DEPTH:
            self._unknown(f"it is nested more than {MAX_DEPTH} levels deep")
            return After(at, at)
        if len(at) >= MOST_FOLDERS:
            self._unknown("it changes folder more often than can be followed")
        match node.type:
            case "command":
                return self._command(node, at, depth)
            case "list":
                return self._list(node, at, depth)
            case "pipeline":
                return self._pipeline(node, at, depth)
            case "redirected_statement":
                return self._redirected(node, at, depth)
            case "negated_command":
                return self._each(node.children, at, depth).negated
            case "if_statement":
                return self._branches(node, at, depth)
            case "case_statement":
                return self._cases(node, at, depth)
            case kind if kind in _LOOPS:
                return self._loop(node, at, depth)
            case "function_definition":
                return self._function(node, at, depth)
            case kind if kind in OWN_SHELL:
                return self._own_shell(node, at, depth)
            case "test_command":
                return self._condition(node, at, depth)
            case "file_redirect":
                self.redirects += self._redirect(node, at)
            case "variable_assignment":
                self._assign(node, at)
            case "declaration_command" | "unset_command":
                return self._declaration(node, at, depth)
            case "arithmetic_expansion":
                self._calculate(node)
            case "compound_statement" if node.children[0].type == "((":
                self._calculate(node)
            case "heredoc_body":
                with self._standing("here-document"):
                    return self._each(node.children, at, depth)
        return self._each(node.children, at, depth)

    def _unknown(self, problem: str) -> None:
        self.problem = self.problem or problem

    @contextmanager
    def _standing(self, *where: str) -> Iterator[None]:
        outside = self._stands
        self._stands = (*outside, *(each for each in where if outside[-1:] != (each,)))
        yield
        self._stands = outside

    def _each(self, nodes: list[Node], at: Folders, depth: int) -> After:
        """One after the other, whether the one before failed or not."""
        reached = After(at, at)
        for position, node in enumerate(nodes):
            if not node.is_named:
                continue
            if position + 1 < len(nodes) and nodes[position + 1].type == "&":
                with self._standing("background"), self._values.own():
                    self.visit(node, reached.either or at, depth + 1)
            else:
                reached = self.visit(node, reached.either or at, depth + 1)
        return reached

    def _list(self, node: Node, at: Folders, depth: int) -> After:
        """`a && b || c`: the parser nests it to the left, as deep as it is long."""
        spine = [node]
        while spine[-1].children[0].type == "list":
            spine.append(spine[-1].children[0])
        reached = self.visit(spine[-1].children[0], at, depth + 1)
        skipped = self._values.now
        for part in reversed(spine):
            is_and = any(child.type == "&&" for child in part.children)
            if not is_and:
                self._values.or_else(skipped)
            skipped = merged(skipped, self._values.now)
            for right in part.named_children[1:]:
                then = self.visit(right, (reached.ok if is_and else reached.failed) or at, depth + 1)
                reached = (
                    After(then.ok, union(reached.failed, then.failed))
                    if is_and
                    else After(union(reached.ok, then.ok), then.failed)
                )
        self._values.or_else(skipped)
        return reached

    def _pipeline(self, node: Node, at: Folders, depth: int) -> After:
        """Each part is a shell of its own; but the last may be this one, for some shells can be told to do that."""
        outside, self._feeders, before = self._feeders, (), self._values.now
        simple, end = True, before
        for part in node.named_children:
            count, self._values.now = len(self.commands), before
            with self._standing("pipe"):
                self.visit(part, at, depth + 1)
            made, end = self.commands[count:], self._values.now
            simple = simple and len(made) == 1
            self._feeders = (*self._feeders, *made) if simple else ()
        self._feeders, self._values.now = outside, merged(before, end)
        return After(at, at)

    def _own_shell(self, node: Node, at: Folders, depth: int) -> After:
        with self._standing(OWN_SHELL[node.type]), self._values.own():
            self._each(node.children, at, depth)
        return After(at, at)

    def _function(self, node: Node, at: Folders, depth: int) -> After:
        """Its body is judged where it stands; one that changes folder moves its caller, wherever that is."""
        name, count = text_of(node.child_by_field_name("name")), len(self.commands)
        self.functions.append(name)
        with self._standing("function"), self._values.function(node):
            self._each(node.children, at, depth)
        if any(command.words and command.words[0].value in MOVERS for command in self.commands[count:]):
            self.moving.append(name)
        return After(at, at)

    def _branches(self, node: Node, at: Folders, depth: int) -> After:
        """`if`: what one branch sets may be set afterwards, or not."""
        reached, ends, always = After(at, at), list[Variables](), False
        with self._standing("condition"):
            for conditions, body in _sections(node):
                reached = self._each(conditions, reached.either or at, depth)
                start = self._values.now
                reached = either(reached, self._each(body, reached.either or at, depth))
                ends.append(self._values.now)
                self._values.now, always = start, not conditions
        self._values.now = reduce(merged, ends if always else [*ends, self._values.now])
        return reached

    def _cases(self, node: Node, at: Folders, depth: int) -> After:
        """`case`: any of its items, or several of them one after the other, or none."""
        reached = After(at, at)
        with self._standing("condition"):
            for child in node.named_children:
                before = self._values.now
                reached = either(reached, self.visit(child, reached.either or at, depth + 1))
                self._values.or_else(before)
        return reached

    def _loop(self, node: Node, at: Folders, depth: int) -> After:
        variable = node.child_by_field_name("variable")
        nodes = node.children_by_field_name("value") if variable is not None else []
        values = tuple(word for around in self._values.ways(nodes, at) for word in words_of(nodes, around))
        self._each(nodes, at, depth)
        if node.type == "c_style_for_statement":
            for part in (child for child in node.named_children if child.type != "do_group"):
                self._calculate(part)
                self._each(list(below(part, ("command_substitution",))), at, depth)
        self._values.now = before = widened(self._values.now, node)
        if variable is not None:
            name = text_of(variable)
            self.assigned.append(Assigned(f"for {name}", name, PRINTED))
            self._values.set(name, *(values or (PRINTED,)))
        with self._standing("loop"):
            counting = node.type == "c_style_for_statement"
            inner = [node.child_by_field_name("body")] if counting else [c for c in node.children if c not in nodes]
            reached = either(After(at, at), self._each([child for child in inner if child is not None], at, depth))
        self._values.or_else(before)
        return reached

    def _calculate(self, node: Node) -> None:
        unsafe = unsafe_name(node, self._values.now)
        if unsafe:
            self._unknown(f"arithmetic evaluates what `{unsafe}` holds")
        for name in counters(node):
            self._values.set(name, COUNTED)
            self.assigned.append(Assigned(text_of(node), name, COUNTED))

    def _condition(self, node: Node, at: Folders, depth: int) -> After:
        with self._standing("condition"):
            for around in self._values.ways(list(condition_operands(node)), at):
                self._add(Command(text_of(node), condition_words(node, around), at, stands=self._stands))
            return self._each(node.children, at, depth)

    def _add(self, command: Command) -> None:
        if not self.commands or command != self.commands[-1]:
            self.commands.append(command)

    def _redirected(self, node: Node, at: Folders, depth: int) -> After:
        """The parser takes words after a redirection for more targets; they are the command's own words."""
        body = node.child_by_field_name("body")
        target = last_command(body)
        others = [child for child in node.children if child != body]
        strays = [word for child in others for word in stray_words(child)]
        fed = [text for child in others if (text := fed_text(child)) is not None]
        if target is not None:
            self._more_words[target.id] = strays
            self._opening[target.id] = [opening for child in others for opening in opening_nodes(child)]
            if fed:
                self._input[target.id], self._shows[target.id] = fed[-1], self._shown(others, at)
        elif shown := self._shown(others, at):
            self.shows.append(shown)
        if target is None and strays:
            words = words_of(strays, self._values.ways(strays, at)[0])
            self._add(Command(text_of(node), words, at, bare=False, stands=self._stands))
        outside = self._feeders
        if fed or any(child.type == "<" for other in others for child in other.children):
            self._feeders = ()
        reached = self.visit(body, at, depth + 1) if body is not None else After(at, at)
        self._feeders = outside
        for child in others:
            if target is not None and child.type == "file_redirect":
                self._each(child.children, at, depth)
            elif target is not None and child.type == "heredoc_redirect":
                self._each([inner for inner in child.children if inner.type != "file_redirect"], at, depth)
            else:
                self._each([child], at, depth)
        return reached

    def _shown(self, nodes: list[Node], at: Folders) -> str:
        """What the text that they feed holds of the environment."""
        expansions = [inner for node in nodes for inner in fed_expansions(node)]
        words = (word for around in self._values.ways(expansions, at) for word in words_of(expansions, around))
        return next((w.written for w in words if w.known is Known.UNKNOWN and w.holds is Holds.ANYTHING), "")

    def _redirect(self, node: Node, at: Folders) -> Iterator[Redirect]:
        targets = node.children_by_field_name("destination")[:1]
        operator = next((child.type for child in node.children if not child.is_named), "")
        for around in self._values.ways(targets, at) if targets else ():
            word, *_ = (*words_of(targets, around), Word("", Known.UNKNOWN))
            yield Redirect(operator, word, at, self._stands)

    def _command(self, node: Node, at: Folders, depth: int) -> After:
        fields = [(node.field_name_for_child(i), child) for i, child in enumerate(node.children)]
        nodes = [child for name, child in fields if name in ("name", "argument")]
        nodes += [word for child in node.children for word in stray_words(child)]
        nodes += self._more_words.get(node.id, [])
        fed = self._input.get(node.id, next((t for child in node.children if (t := fed_text(child)) is not None), None))
        opening = [child for child in node.children if child.type == "file_redirect"]
        opening += self._opening.get(node.id, [])
        redirects = tuple(redirect for each in opening for redirect in self._redirect(each, at))
        has_input = fed is not None or any(redirect.operator.startswith("<") for redirect in redirects)
        made = Command(
            text_of(node),
            (),
            at,
            bare=node.id not in self._more_words and all(name in ("name", "argument") for name, _ in fields),
            input=fed,
            shows=self._shows.get(node.id, "") or self._shown(node.children, at),
            stands=self._stands,
            redirects=redirects,
            assigned=tuple(self._prefix(child, at) for child in node.children if child.type == ASSIGNMENT),
            feeders=() if has_input else self._feeders,
        )
        self.assigned += made.assigned
        ways = [replace(made, words=words_of(nodes, around)) for around in self._values.ways(nodes, at)]
        reached = after(ways[0].words, at, self.home)
        for way in ways:
            self._add(way)
            self._set_by(way)
            reached = either(reached, after(way.words, at, self.home)) if way is not ways[0] else reached
        for child in node.named_children:
            inner = child.children if child.type in ("file_redirect", ASSIGNMENT) else [child]
            self._each(inner, at, depth)
        return reached

    def _prefix(self, node: Node, at: Folders) -> Assigned:
        """`A=1` before a command."""
        return assigned_by(node, self._values.ways([node], at)[0], "command")

    def _set_by(self, command: Command) -> None:
        """`read x`, and the like."""
        for word in read_into(command.words):
            self.assigned.append(Assigned(command.text, word.text if word.value is not None else "", PRINTED))
            self._values.set(word.text, PRINTED)

    def _declaration(self, node: Node, at: Folders, depth: int) -> After:
        """`export A=1`, `local x`, `unset y`. With options they may do anything to their names."""
        keyword, *rest = node.children
        for around in self._values.ways(rest, at):
            words = (Word(keyword.type), *(word for child in rest for word in declared_words(child, around)))
            self._add(Command(text_of(node), words, at, stands=self._stands))
        for child in rest:
            if child.type == ASSIGNMENT:
                self._assign(child, at, reach_of(node))
            elif child.is_named:
                self._values.set(text_of(child), INHERITED)
        if has_options(node):
            self._values.forget()
        inner = (each for child in rest for each in (child.children if child.type == ASSIGNMENT else [child]))
        return self._each(list(inner), at, depth)

    def _assign(self, node: Node, at: Folders, reach: Reach = "shell") -> None:
        found = [assigned_by(node, around, reach) for around in self._values.ways([node], at)]
        self.assigned += found[:1]
        values = (PRINTED,) if appends(node) else tuple(assigned.value for assigned in found)
        self._values.set(found[0].name, *values)


def _sections(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """The branches of an `if`: conditions and body of each; the last may have no conditions."""
    conditions, body, clauses = list[Node](), list[Node](), list[Node]()
    for child in node.children:
        if child.type in ("elif_clause", "else_clause"):
            clauses.append(child)
        elif child.type == "then":
            conditions, body = body, []
        else:
            body.append(child)
    yield conditions, body
    for clause in clauses:
        yield from _sections(clause)
