"""Scenes at a terminal as tables: what a person does, what then comes, and what is left in their project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from screen import Screen

CTRL_C, CTRL_D, CTRL_G, CTRL_O, CTRL_U = "\x03", "\x04", "\x07", "\x0f", "\x15"
ESCAPE, SHIFT_TAB, UP, DOWN, DELETE = "\x1b", "\x1b[Z", "\x1b[A", "\x1b[B", "\x7f"
READY = "   scripted"
PLAIN_READY = "   scripted]\n>"
KEYS = "s  no, and stop"
"""The last of the keys that answer a question: it takes them."""
PLAIN_KEYS = "y/1/2/3/e/n/s:"
FILES: Mapping[str, str] = {"a.txt": "one\ntwo\n"}
"""What is in the project."""

Opened: TypeAlias = Callable[..., Screen]
Does: TypeAlias = str | Callable[[Screen, Path], object]
"""What is typed, or done otherwise with the screen or in the project."""


@dataclass(frozen=True)
class Shows:
    """The screen becomes as in the snapshot of this name."""

    name: str


@dataclass(frozen=True)
class Gone:
    """This text goes away."""

    text: str


@dataclass(frozen=True)
class Ends:
    """The program ends, with this exit code."""

    code: int = 0


Comes: TypeAlias = str | Shows | Gone | Ends
"""What is waited for: a text that comes, or one of those."""


@dataclass(frozen=True)
class Scene:
    script: str
    steps: tuple[tuple[Does | Comes, ...], ...]
    """Each is what is done, and what comes of it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What is other in the project's folder when it is over: the rest must be as it was."""
    columns: int = 80
    rows: int = 40


def go(screen: Screen, project: Path) -> None:
    """Lets what waits go on."""
    (project / "go").touch()


def pasted(text: str) -> Does:
    return lambda screen, project: screen.paste(text)


def resized(columns: int, rows: int = 40) -> Does:
    return lambda screen, project: screen.resize(columns, rows)


def play(screen: Screen, project: Path, *steps: tuple[Does | Comes, ...]) -> None:
    for does, *comes in steps:
        if isinstance(does, str):
            screen.type(does)
        elif callable(does):
            does(screen, project)
        for each in comes:
            match each:
                case Shows(name):
                    screen.shows(name)
                case Gone(text):
                    screen.until_gone(text)
                case Ends(code):
                    assert screen.end() == code
                case _:
                    screen.until(str(each))


def files_of(project: Path) -> dict[str, str]:
    """Those that are no part of how a scene is played."""
    return {each.name: each.read_text() for each in project.iterdir() if each.is_file() and each.name not in _OF_PLAY}


_OF_PLAY = ("go", "started")
