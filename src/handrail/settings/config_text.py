"""What a config.toml, the environment or the command line says, key by key, and what is wrong with it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.spelling import nearest, shown, unknown
from handrail.policy.toml_lines import table_lines
from handrail.policy.toml_text import NotToml, normalized, parsed
from handrail.policy.wording import shortened
from handrail.settings.keys import KEYS, Key, keys_by_name
from handrail.settings.origin import Doubt, Given, Layer, Origin
from handrail.settings.places import CONFIG_VARIABLE, STATE_VARIABLE
from handrail.settings.value_types import BadValue

SERVERS_TABLE = "mcp"
"""A table that is no setting: see `settings.mcp`."""

MOST_UNKNOWN = 200
"""Names of one file that are no settings: each is told of, and looked for among those that are."""

_PREFIX = "HANDRAIL_"
_OTHER_VARIABLES = (STATE_VARIABLE, CONFIG_VARIABLE)


@value
class Said:
    """What one place says: values by key, in its order, and the problems, each beginning with where it is."""

    givens: tuple[tuple[Key[Any], Given], ...] = ()
    problems: tuple[str, ...] = ()

    def __add__(self, other: Said) -> Said:
        return Said(self.givens + other.givens, self.problems + other.problems)


def read_config(text: str, place: Origin, base: Path | None, doubt: Doubt | None = None) -> Said:
    """The settings of one file. One bad setting costs no other; what a bad one restricts, holds all the same.

    `place` names file and layer; relative paths start at `base`; `doubt` is about the file as a whole. Raises NotToml,
    also for a file that is full of something else.
    """
    text = normalized(text)
    document, known = parsed(text), keys_by_name()
    odd = len(document.keys() - known.keys() - {SERVERS_TABLE})
    if odd > MOST_UNKNOWN:
        raise NotToml(1, f"it holds {odd:,} names that are no settings")
    lines = _lines(text)
    return _together(
        _entry(name, given, Origin(place.layer, place.name, lines.get(name, 1)), base, doubt)
        for name, given in document.items()
    )


def read_environment(environ: Mapping[str, str], base: Path) -> Said:
    """The settings that variables give; an empty one gives none. One that is nearly named so is told of."""
    known = {key.variable: key for key in KEYS}
    said = _together(
        _value(key, environ[variable], Origin(Layer.ENVIRONMENT, variable), base, None)
        for variable, key in known.items()
        if environ.get(variable)
    )
    return said + Said((), tuple(_nearly_ours(environ, (*known, *_OTHER_VARIABLES))))


def _nearly_ours(environ: Mapping[str, str], known: tuple[str, ...]) -> Iterator[str]:
    """Others may set variables that begin as ours; those that look like a slip of the pen are told of."""
    words = {name.removeprefix(_PREFIX).lower(): name for name in known}
    for name in environ:
        if name.startswith(_PREFIX) and name not in known and (near := nearest(name.removeprefix(_PREFIX), words)):
            yield f"{name}: there is no such variable; did you mean {words[near]}?"


def read_flags(flags: Mapping[str, object]) -> Said:
    """The settings that the command line or code gives, by key; relative paths stay as they are.

    Raises UsageError for one that can't be used: whoever gave it is there.
    """
    known = keys_by_name()
    if odd := [name for name in flags if name not in known]:
        raise UsageError("\n".join(unknown("setting", name, tuple(known)) for name in odd))
    said = _together(
        _value(known[name], given, Origin(Layer.FLAG, known[name].flag or name), Path(), None)
        for name, given in flags.items()
    )
    if said.problems:
        raise UsageError("\n".join(said.problems))
    return said


def _together(each: Iterable[Said]) -> Said:
    return sum(each, Said())


def _entry(name: str, given: object, origin: Origin, base: Path | None, doubt: Doubt | None) -> Said:
    """A setting of a file. A name that is nearly a setting's may have meant that one: then it may tighten."""
    known = keys_by_name()
    if name == SERVERS_TABLE:
        return Said()
    if name in known:
        return _value(known[name], given, origin, base, doubt)
    near = nearest(name, known)
    meant = _value(known[near], given, origin, base, Doubt.MISSPELLED).givens if near else ()
    return Said(meant, (f"{origin}: {unknown('setting', name, tuple(known))}",))


def _value(key: Key[Any], given: object, origin: Origin, base: Path | None, doubt: Doubt | None) -> Said:
    try:
        of_text = origin.layer is Layer.ENVIRONMENT
        read = key.type.read_text(str(given), base) if of_text else key.type.read(given, base)
    except BadValue as error:
        strictest = key.type.strictest
        kept = ((key, Given(strictest, origin, Doubt.UNREADABLE)),) if strictest is not None else ()
        return Said(kept, (f"{origin}: {_written(key, given, origin)} {error}",))
    if origin.layer in key.layers:
        return Said(((key, Given(read, origin, doubt)),))
    where = ", ".join(layer.value for layer in key.layers)
    problem = f"{origin}: {key.name} can't be set there, only here: {where}; a stricter value holds all the same"
    return Said(((key, Given(read, origin, Doubt.MISPLACED)),), (problem,))


def _written(key: Key[Any], given: object, origin: Origin) -> str:
    text = shortened(shown(given))
    return text if origin.name in (key.variable, key.flag) else f"{key.name} = {text}"


def _lines(text: str) -> dict[str, int]:
    """The line of each name at the top of the text, be it written as a key or as a table."""
    top, *tables = table_lines(text)
    return {_first(table.name): table.line for table in reversed(tables)} | top.keys


def _first(name: str) -> str:
    """The first step of a table's name: blanks before a dot are no part of it."""
    step, dot, _ = name.partition(".")
    return step.strip() if dot else step
