"""What skills and kinds of agents say of themselves before their text: YAML between two lines of `---`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from handrail.contract.values import value

if TYPE_CHECKING:
    from yaml import Node

MOST = 16 * 1024
"""Characters of front matter; the specification's longest fields come to less than 3,000."""
MOST_BRACKETS = 200
"""The parser takes the square of their depth: 9,000 of them held it for half a minute."""

_SPLIT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"(name|description)[ \t]*:[ \t]+(\S.*)")
_LINE = re.compile(r"([A-Za-z_][\w-]{0,63}): ([A-Za-z0-9][\w ,.;()'/+=*-]*)", re.ASCII)
"""A name and one line of text, which YAML takes as they stand: nothing in it has a meaning there."""
_NAMES = re.compile(r"(?:[-{][ \t]*)?[\"']?([A-Za-z_][\w-]{0,63})[\"']?[ \t]*:", re.ASCII)
"""The name of a field, as it may stand in what can't be read."""
_ALLOWING = frozenset(("allowed-tools",))


@value
class Words:
    """Some of a field's words, and the line that they stand in: a YAML list may have many."""

    line: int
    text: str


def split(text: str) -> tuple[str, str]:
    """The front matter, empty where there is none, and the text behind it."""
    found = _SPLIT.match(text)
    return (found[1], text[found.end() :]) if found else ("", text.removeprefix("\ufeff"))


@value
class Fields:
    """What some fields say, by their names; and what is wrong, each starting with its line."""

    said: Mapping[str, tuple[Words, ...]]
    problems: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
    """Those that stand there and can't be read: what they would have forbidden is forbidden all the same."""
    others: tuple[Words, ...] = ()
    """The names of all other fields that stand there, each with its line."""

    def text(self, name: str) -> str:
        return " ".join(words.text for words in self.said.get(name, ())).strip()


def read_fields(matter: str, names: tuple[str, ...]) -> Fields:
    """The fields of these names. Never raises; of what is no YAML, plain lines are read that allow nothing."""
    if len(matter) > MOST:
        return _nothing(f"line 1: the front matter is longer than {MOST} characters", matter, names)
    if matter.count("[") + matter.count("{") > MOST_BRACKETS:
        return _nothing(f"line 1: the front matter opens more than {MOST_BRACKETS} brackets", matter, names)
    if (simple := _simple(matter, names)) is not None:
        return simple
    import yaml  # costs as much as an interpreter's start, and most front matter has nothing that needs it

    try:
        # Composed and not constructed: no tag makes an object, no word a boolean, and an alias is never copied.
        root = yaml.compose(matter, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        return _plain(matter, error, names)
    if root is None:
        return Fields({})
    if not isinstance(root, yaml.MappingNode):
        return _nothing("line 2: the front matter is not a table of names and values", matter, names)
    said: dict[str, tuple[Words, ...]] = {}
    unread: dict[str, str] = {}
    fields = dict(_fields(root.value))
    others = tuple(Words(_line(key), key.value) for key, _ in root.value if _is_other(key.value, names))
    for name in filter(fields.__contains__, names):
        texts = _texts(fields[name])
        if texts is None:
            problem = f"{name} is neither a text nor a list of texts; it is left out"
            unread[name] = f"line {_line(fields[name])}: {problem}"
        else:
            said[name] = texts
    return Fields(said, tuple(unread.values()), frozenset(unread), others)


def _is_other(name: object, names: Iterable[str]) -> bool:
    return isinstance(name, str) and name not in names


def _nothing(problem: str, matter: str, names: Iterable[str]) -> Fields:
    return Fields({}, (problem,), frozenset(_named(matter, names)), tuple(_others(matter, names)))


def _others(text: str, names: Iterable[str]) -> Iterator[Words]:
    """Of what is no YAML: the names of other fields that seem to be meant by a line."""
    for number, line in enumerate(text.splitlines(), 2):
        if (found := _NAMES.match(line)) and found[1] not in names:
            yield Words(number, found[1])


def _named(text: str, names: Iterable[str]) -> Iterator[str]:
    """The fields that may be meant in what is no YAML."""
    return (name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}[\"']?[ \t]*:", text))


def _simple(matter: str, names: Iterable[str]) -> Fields | None:
    """Without YAML's help; None for what might mean something else to it."""
    found = [_LINE.fullmatch(line.rstrip(" ")) for line in matter.removesuffix("\n").split("\n")]
    said = {pair[1]: (Words(number, pair[2]),) for number, pair in enumerate(found, 2) if pair is not None}
    if not all(found):
        return None
    others = tuple(Words(words[0].line, name) for name, words in said.items() if name not in names)
    return Fields({name: said[name] for name in names if name in said}, others=others)


def _fields(pairs: Iterable[tuple[Node, Node]]) -> Iterator[tuple[str, Node]]:
    for key, field in pairs:
        if isinstance(key.value, str):
            yield key.value, field


def _texts(field: Node) -> tuple[Words, ...] | None:
    """A text, or a list of texts; None for what is neither."""
    import yaml

    items = field.value if isinstance(field, yaml.SequenceNode) else [field]
    if all(isinstance(item, yaml.ScalarNode) for item in items):
        return tuple(Words(_line(item), item.value) for item in items)
    return None


def _line(node: Node) -> int:
    """In the file, from 1: the front matter starts in its second line."""
    mark = node.start_mark
    return 2 + (mark.line if mark is not None else 0)


def _plain(matter: str, error: Exception, names: Iterable[str]) -> Fields:
    """Many write `description: Use this: …` without quotes, which YAML takes for a table in a table. Of the other
    fields those count that stand in one line, and once."""
    said: dict[str, tuple[Words, ...]] = {}
    unread: set[str] = set()
    lines = matter.splitlines()
    for number, line in enumerate(lines, 2):
        if (found := _PLAIN.fullmatch(line.rstrip())) and found[1] not in said:
            said[found[1]] = (Words(number, found[2].strip("\"'")),)
            continue
        pair = _LINE.fullmatch(line.rstrip())
        goes_on = lines[number - 1 : number] and lines[number - 1][:1] in (" ", "\t", "-")
        if pair and pair[1] not in said and pair[1] not in _ALLOWING and not goes_on:
            said[pair[1]] = (Words(number, pair[2]),)
        else:
            unread.update(_named(line, names))
    mark = getattr(error, "problem_mark", None)
    line_number = 2 + (mark.line if mark is not None else 0)
    problem = (
        f"line {line_number}: the front matter is not YAML, for which a text with a colon stands in quotes; of it "
        "plain lines count, and nothing that allows anything"
    )
    others = tuple(_others(matter, names))
    return Fields({name: said[name] for name in names if name in said}, (problem,), frozenset(unread), others)
