"""What kinds of values settings have: how each is read, and which of two is the stricter one. Pure.

`read` takes what TOML or a flag gives, `read_text` what a variable holds; both raise BadValue. `tightens` says
whether a source that nobody trusted may put `new` in the place of `old`. `strictest` holds where a value was given
and can't be read; it is None where leaving the value out loosens nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from handrail.contract.values import value
from handrail.policy.spelling import nearest, shown
from handrail.settings.command_line import BadCommandLine, command_line

T = TypeVar("T")
Given = TypeVar("Given")

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_()]*")


class BadValue(Exception):
    """The message completes `mode = "fast" …`."""


class ValueType(Protocol[T]):
    @property
    def strictest(self) -> T | None: ...
    @property
    def shape(self) -> str:
        """What may be given, for people: `true or false`."""

    def read(self, given: object, base: Path | None) -> T:
        """`base` is the folder that relative paths start at; None where there is none."""

    def read_text(self, text: str, base: Path | None) -> T: ...
    def tightens(self, new: T, old: T) -> bool: ...


@value
class Choice:
    """One of some words, the strictest first."""

    words: tuple[str, ...]

    @property
    def strictest(self) -> str:
        return self.words[0]

    @property
    def shape(self) -> str:
        return ", ".join(self.words)

    def read(self, given: object, base: Path | None) -> str:
        if isinstance(given, str) and given in self.words:
            return given
        near = nearest(given, self.words) if isinstance(given, str) else ""
        raise BadValue(f"is none of {self.shape}" + (f"; did you mean {near}?" if near else ""))

    read_text = read

    def tightens(self, new: str, old: str) -> bool:
        return self.words.index(new) <= self.words.index(old)


@value
class Count:
    """A whole number within bounds. Fewer is stricter."""

    least: int
    most: int
    unit: str = ""

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return f"a whole number from {self.least} to {self.most}{f' ({self.unit})' if self.unit else ''}"

    def read(self, given: object, base: Path | None) -> int:
        if isinstance(given, int) and not isinstance(given, bool) and self.least <= given <= self.most:
            return given
        raise BadValue(f"is not {self.shape}")

    def read_text(self, text: str, base: Path | None) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self.most))
        return self.read(int(text) if is_number else text, base)

    def tightens(self, new: int, old: int) -> bool:
        return new <= old


NEVER = "never"


@value
class Seconds:
    """After how long something ends by itself, or `never`. Sooner is stricter."""

    most: int

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return f"{self._count.shape}, or {NEVER}"

    @property
    def _count(self) -> Count:
        return Count(1, self.most, "seconds")

    def read(self, given: object, base: Path | None) -> int | str:
        return NEVER if given == NEVER else self._number(self._count.read, given, base)

    def read_text(self, text: str, base: Path | None) -> int | str:
        return NEVER if text == NEVER else self._number(self._count.read_text, text, base)

    def _number(self, read: Callable[[Given, Path | None], int], given: Given, base: Path | None) -> int:
        try:
            return read(given, base)
        except BadValue as error:
            raise BadValue(f"is not {self.shape}") from error

    def tightens(self, new: int | str, old: int | str) -> bool:
        """Numbers are compared; `never` is later than any."""
        return old == NEVER or (new != NEVER and int(new) <= int(old))


@value
class Switch:
    """Yes or no. Yes is the stricter one."""

    @property
    def strictest(self) -> bool:
        return True

    @property
    def shape(self) -> str:
        return "true or false"

    def read(self, given: object, base: Path | None) -> bool:
        if isinstance(given, bool):
            return given
        raise BadValue(f"is not {self.shape}")

    def read_text(self, text: str, base: Path | None) -> bool:
        return self.read({"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text), base)

    def tightens(self, new: bool, old: bool) -> bool:
        return new or not old


@value
class Name:
    """A text on one line. None is stricter than another."""

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return "a text"

    def read(self, given: object, base: Path | None) -> str:
        if isinstance(given, str) and given.isprintable():
            return given.strip()
        raise BadValue("is not a text on one line")

    read_text = read

    def tightens(self, new: str, old: str) -> bool:
        return new == old


@value
class Names:
    """A list of names, by default of environment variables. Fewer are stricter."""

    what: str = "variables"
    pattern: re.Pattern[str] = _VARIABLE

    @property
    def strictest(self) -> tuple[str, ...]:
        return ()

    @property
    def shape(self) -> str:
        return "a list of names"

    def read(self, given: object, base: Path | None) -> tuple[str, ...]:
        listed = given if isinstance(given, (list, tuple)) else [given]
        if not all(isinstance(name, str) and self.pattern.fullmatch(name) for name in listed):
            raise BadValue(f"is not a list of names of {self.what}")
        return tuple(dict.fromkeys(listed))

    def read_text(self, text: str, base: Path | None) -> tuple[str, ...]:
        """Separated by commas."""
        return self.read([name.strip() for name in text.split(",") if name.strip()], base)

    def tightens(self, new: tuple[str, ...], old: tuple[str, ...]) -> bool:
        return {name.upper() for name in new} <= {name.upper() for name in old}


@value
class CommandLine:
    """A program and its arguments. Anything may run there; only none is stricter."""

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return "a command line, or a list of words"

    def read(self, given: object, base: Path | None) -> tuple[str, ...]:
        try:
            return command_line(given) if given != "" and given != [] else ()
        except BadCommandLine as error:
            raise BadValue(str(error)) from error

    def read_text(self, text: str, base: Path | None) -> tuple[str, ...]:
        return self.read(text, base)

    def tightens(self, new: tuple[str, ...], old: tuple[str, ...]) -> bool:
        return not new


@value
class Counts:
    """A table of names and whole numbers. A smaller number, or one more name, is stricter."""

    each: Count

    @property
    def strictest(self) -> None:
        return None

    @property
    def shape(self) -> str:
        return f"a table; for each name {self.each.shape}"

    def read(self, given: object, base: Path | None) -> Mapping[str, int]:
        if not isinstance(given, Mapping):
            raise BadValue(f"is not {self.shape}")
        return {str(name): self._read_one(str(name), number, base) for name, number in given.items()}

    def _read_one(self, name: str, number: object, base: Path | None) -> int:
        try:
            return self.each.read(number, base)
        except BadValue as error:
            raise BadValue(f"has {name} = {shown(number)}, which {error}") from error

    def read_text(self, text: str, base: Path | None) -> Mapping[str, int]:
        """`shell=4,browser=1`."""
        pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
        return {name.strip(): self.each.read_text(number.strip(), base) for name, _, number in pairs}

    def tightens(self, new: Mapping[str, int], old: Mapping[str, int]) -> bool:
        return all(name in new and new[name] <= number for name, number in old.items())


@value
class Paths:
    """A list of folders or files, made absolute, links left as they are. Lists of all layers add up."""

    what: str
    """`folders` or `files`."""
    strictest: tuple[Path, ...] | None = None
    may_be_untrusted: bool = False
    """The list may come from anywhere: what it names is looked at for itself."""

    @property
    def shape(self) -> str:
        return f"a list of {self.what}"

    def read(self, given: object, base: Path | None) -> tuple[Path, ...]:
        listed = given if isinstance(given, (list, tuple)) else [given]
        return tuple(self._path(each, base) for each in listed)

    def read_text(self, text: str, base: Path | None) -> tuple[Path, ...]:
        """Separated as in PATH."""
        return self.read([part for part in text.split(os.pathsep) if part], base)

    def _path(self, given: object, base: Path | None) -> Path:
        if not isinstance(given, (str, Path)) or not str(given) or "\0" in str(given):
            raise BadValue(f"is not {self.shape}")
        path = Path(os.path.expanduser(given))
        if base is None and not path.is_absolute():
            raise BadValue(f"has the relative path {path}; write it absolute, or beginning with ~/")
        return path if base is None else base / path

    def tightens(self, new: tuple[Path, ...], old: tuple[Path, ...]) -> bool:
        return self.may_be_untrusted or not new
