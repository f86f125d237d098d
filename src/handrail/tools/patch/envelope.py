"""Takes a patch apart: `*** Begin Patch`, a section for each file, `*** End Patch`.

The format is that of OpenAI's `apply_patch`, which its GPT-4.1 prompting guide and the Codex CLI describe: hunks
without line numbers, found by the lines in them. `\\ No newline at end of file` is taken too, as diffs have it.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from handrail.contract.values import value

BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_NO_NEWLINE = "\\ No newline at end of file"
_NUMBERED = re.compile(r"-\d+(,\d+)? \+\d+(,\d+)? @@.*")

Sign: TypeAlias = Literal[" ", "-", "+"]


class BadPatch(ValueError):
    """The text is no patch; the argument says where and what to do."""


@value
class Hunk:
    headers: tuple[str, ...]
    """Lines that stand somewhere before it, each after the one before."""
    old: tuple[str, ...]
    """Lines that it stands on, without their ends."""
    new: tuple[str, ...]
    at_end: bool = False
    """Its last line is the last of the file."""
    final_newline: bool | None = None
    """Whether the file's last line is to end with a newline; None leaves that as it is."""


@value
class AddFile:
    path: str
    text: str


@value
class DeleteFile:
    path: str


@value
class UpdateFile:
    path: str
    to: str | None
    """A new path for the file."""
    hunks: tuple[Hunk, ...]


Section: TypeAlias = AddFile | DeleteFile | UpdateFile


def sections(patch: str) -> tuple[Section, ...]:
    """Raises BadPatch."""
    return _Reader(patch).sections()


class _Reader:
    def __init__(self, patch: str) -> None:
        self._lines = [line.removesuffix("\r") for line in patch.strip("\r\n").split("\n")]
        self._at = 0

    def sections(self) -> tuple[Section, ...]:
        if self._lines[0].strip() != BEGIN:
            raise BadPatch(f"The patch must begin with the line `{BEGIN}`.")
        if self._lines[-1].strip() != END:
            raise BadPatch(f"The patch must end with the line `{END}`; its end is missing.")
        self._lines[-1] = END
        self._at = 1
        found: list[Section] = []
        while (line := self._lines[self._at]) != END:
            found.append(self._section(line))
        if self._at < len(self._lines) - 1:
            raise self._bad(f"`{END}` ends the patch, but more lines follow")
        if not found:
            raise BadPatch(f"The patch names no file. Begin a section with `{_UPDATE.strip()} PATH`, Add or Delete.")
        return tuple(found)

    def _section(self, line: str) -> Section:
        for heading, read in ((_ADD, self._added), (_DELETE, DeleteFile), (_UPDATE, self._updated)):
            if line.startswith(heading):
                path = line.removeprefix(heading).strip()
                if not path:
                    raise self._bad("the path is missing")
                self._at += 1
                return read(path)
        raise self._bad(
            f"expected `{_ADD.strip()} PATH`, `{_UPDATE.strip()} PATH`, `{_DELETE.strip()} PATH` or `{END}`"
        )

    def _added(self, path: str) -> AddFile:
        lines: list[str] = []
        newline = "\n"
        while not self._lines[self._at].startswith("*** "):
            line = self._lines[self._at]
            if line == _NO_NEWLINE and lines:
                newline = ""
            elif line.startswith("+") and newline:
                lines.append(line[1:])
            else:
                raise self._bad("every line of a new file must begin with `+`")
            self._at += 1
        return AddFile(path, "\n".join(lines) + (newline if lines else ""))

    def _updated(self, path: str) -> UpdateFile:
        to = None
        if (line := self._lines[self._at]).startswith(_MOVE):
            to = line.removeprefix(_MOVE).strip()
            if not to:
                raise self._bad("the path is missing")
            self._at += 1
        hunks: list[Hunk] = []
        while not (line := self._lines[self._at]).startswith("*** "):
            if hunks and not line.startswith("@@"):
                raise self._bad("after `*** End of File`, a hunk must begin with `@@`")
            hunks.append(self._hunk())
        if not hunks and to is None:
            raise self._bad(f"the section of {path} has no hunks")
        return UpdateFile(path, to, tuple(hunks))

    def _hunk(self) -> Hunk:
        headers: list[str] = []
        while (line := self._lines[self._at]).startswith("@@"):
            header = line.removeprefix("@@").removeprefix(" ").removesuffix(" @@")
            if header.strip() and not _NUMBERED.fullmatch(line.removeprefix("@@ ")):
                headers.append(header)
            self._at += 1
        lines: list[tuple[Sign, str]] = []
        newlines: dict[Sign, bool] = {}
        while not (line := self._lines[self._at]).startswith(("@@", "*** ")):
            self._take(line, lines, newlines)
            self._at += 1
        at_end = line == END_OF_FILE
        self._at += at_end
        if not any(sign != " " for sign, _ in lines):
            raise self._bad("the hunk before this line changes nothing: it has no line that begins with `+` or `-`")
        while lines[-1] == (" ", "") and not at_end:  # an empty line before the next section is none of the file's
            lines.pop()
        old = tuple(text for sign, text in lines if sign != "+")
        new = tuple(text for sign, text in lines if sign != "-")
        final = newlines.get("+", newlines.get(" "))
        if final is None and "-" in newlines:
            final = True
        return Hunk(tuple(headers), old, new, at_end or bool(newlines), final)

    def _take(self, line: str, lines: list[tuple[Sign, str]], newlines: dict[Sign, bool]) -> None:
        if line == _NO_NEWLINE and lines:
            newlines[lines[-1][0]] = False
            return
        match line[:1]:
            case " " | "":
                lines.append((" ", line[1:]))
            case "-":
                lines.append(("-", line[1:]))
            case "+":
                lines.append(("+", line[1:]))
            case _:
                raise self._bad("every line of a hunk must begin with a space, `-` or `+`")

    def _bad(self, problem: str) -> BadPatch:
        return BadPatch(f"Line {self._at + 1} of the patch, `{self._lines[self._at][:80]}`: {problem}.")
