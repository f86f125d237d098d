"""What a SKILL.md says of itself before its text: YAML between two lines of `---`. Pure.

By the Agent Skills specification (agentskills.io/specification), with `when_to_use`, `paths` and
`disable-model-invocation` as Claude Code has them.
"""

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
_NO = frozenset(("", "false", "no", "off", "0"))


@value
class Words:
    """Some of a field's words, and the line that they stand in: a YAML list may have many."""

    line: int
    text: str


@value
class FrontMatter:
    """What can be read of it; what is wrong is among the problems."""

    name: str = ""
    description: str = ""
    allowed_tools: tuple[Words, ...] = ()
    paths: tuple[str, ...] = ()
    for_model: bool = True
    """False for a skill that only a person starts."""
    problems: tuple[str, ...] = ()
    """Each starts with its line: `line 3: …`."""


def split(text: str) -> tuple[str, str]:
    """The front matter, empty where there is none, and the text behind it."""
    found = _SPLIT.match(text)
    return (found[1], text[found.end() :]) if found else ("", text.removeprefix("\ufeff"))


@value
class Fields:
    """What some fields say, by their names; and what is wrong, each starting with its line."""

    said: Mapping[str, tuple[Words, ...]]
    problems: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        return " ".join(words.text for words in self.said.get(name, ())).strip()


def read_front_matter(matter: str) -> FrontMatter:
    """Never raises. Of what is no YAML, a plain name and description are read, and nothing that allows anything."""
    return _read(read_fields(matter, _FIELDS))


def read_fields(matter: str, names: Iterable[str]) -> Fields:
    """The fields of these names. Never raises; of what is no YAML, a plain name and description are read alone."""
    if len(matter) > MOST:
        return Fields({}, (f"line 1: the front matter is longer than {MOST} characters",))
    if matter.count("[") + matter.count("{") > MOST_BRACKETS:
        return Fields({}, (f"line 1: the front matter opens more than {MOST_BRACKETS} brackets",))
    if (simple := _simple(matter, names)) is not None:
        return simple
    import yaml  # costs as much as an interpreter's start, and most front matter has nothing that needs it

    try:
        # Composed and not constructed: no tag makes an object, no word a boolean, and an alias is never copied.
        root = yaml.compose(matter, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        return _plain(matter, error)
    if root is None:
        return Fields({})
    if not isinstance(root, yaml.MappingNode):
        return Fields({}, ("line 2: the front matter is not a table of names and values",))
    problems: list[str] = []
    fields = dict(_fields(root.value))
    said = {name: _texts(fields[name], name, problems) for name in names if name in fields}
    return Fields(said, tuple(problems))


def _simple(matter: str, names: Iterable[str]) -> Fields | None:
    """Without YAML's help; None for what might mean something else to it."""
    found = [_LINE.fullmatch(line.rstrip(" ")) for line in matter.removesuffix("\n").split("\n")]
    said = {pair[1]: (Words(number, pair[2]),) for number, pair in enumerate(found, 2) if pair is not None}
    if not all(found):
        return None
    return Fields({name: said[name] for name in names if name in said})


def _fields(pairs: Iterable[tuple[Node, Node]]) -> Iterator[tuple[str, Node]]:
    for key, field in pairs:
        if isinstance(key.value, str):
            yield key.value, field


def _read(fields: Fields) -> FrontMatter:
    return FrontMatter(
        fields.text("name"),
        f"{fields.text('description')} {fields.text('when_to_use')}".strip(),
        fields.said.get("allowed-tools", ()),
        tuple(path for words in fields.said.get("paths", ()) for path in re.split(r"[\s,]+", words.text) if path),
        fields.text("disable-model-invocation").lower() in _NO,
        fields.problems,
    )


_FIELDS = ("name", "description", "when_to_use", "allowed-tools", "paths", "disable-model-invocation")


def _texts(field: Node, name: str, problems: list[str]) -> tuple[Words, ...]:
    """A text, or a list of texts."""
    import yaml

    items = field.value if isinstance(field, yaml.SequenceNode) else [field]
    if all(isinstance(item, yaml.ScalarNode) for item in items):
        return tuple(Words(_line(item), item.value) for item in items)
    problems.append(f"line {_line(field)}: {name} is neither a text nor a list of texts; it is left out")
    return ()


def _line(node: Node) -> int:
    """In the file, from 1: the front matter starts in its second line."""
    mark = node.start_mark
    return 2 + (mark.line if mark is not None else 0)


def _plain(matter: str, error: Exception) -> Fields:
    """Many write `description: Use this: …` without quotes, which YAML takes for a table in a table."""
    said: dict[str, str] = {}
    for line in matter.splitlines():
        if (found := _PLAIN.fullmatch(line.rstrip())) and found[1] not in said:
            said[found[1]] = found[2].strip("\"'")
    mark = getattr(error, "problem_mark", None)
    line_number = 2 + (mark.line if mark is not None else 0)
    problem = f"line {line_number}: the front matter is not YAML; of it only plain lines of name and description count"
    return Fields({name: (Words(line_number, text),) for name, text in said.items()}, (problem,))
