"""What some faces say in another form than the tool takes it, where other names and units don't do. Pure.

The parameters of a form are named here as the face's data has them before: `to = "end_line"`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.parameters import BadArguments
from handrail.contract.values import value
from handrail.errors import ArgumentProblem

Arguments = dict[str, Json]
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/usr/bin/bash", "/bin/zsh"))
_TAKES_SCRIPT = frozenset(("-c", "-lc", "-cl"))


@value
class Form:
    """How arguments become the tool's own, and which further parameters a face may name for it."""

    takes: frozenset[str]
    convert: Callable[[Arguments], None]
    """Changes the arguments in place."""

    def own_arguments(self, arguments: JsonObject) -> JsonObject:
        """Raises BadArguments, with the family's names."""
        own = dict(arguments)
        self.convert(own)
        return own


def _lines(own: Arguments) -> None:
    """A last line in place of a number of lines."""
    first, last = own.get("offset", 1), own.pop("end_line", None)
    if isinstance(first, (int, float)) and isinstance(last, (int, float)):
        if last < first:
            raise BadArguments([ArgumentProblem("end_line", f"got {last}, expected at least start_line: {first}")])
        own["limit"] = int(last) - int(first) + 1


def _command(own: Arguments) -> None:
    """A program with its arguments, and a folder for this command alone."""
    command, folder = own.get("command"), own.pop("folder", None)
    if isinstance(command, list):
        own["command"] = command = _script([str(word) for word in command])
    if isinstance(command, str) and isinstance(folder, str) and folder not in ("", "."):
        own["command"] = f"(cd -- {shlex.quote(folder)} &&\n{command}\n)"


def _questions(own: Arguments) -> None:
    """Questions of a kind: one that wants yes or no has these two options, one that wants text has none."""
    asked = own.get("questions")
    for question in asked if isinstance(asked, list) else ():
        kind = question.pop("type", None) if isinstance(question, dict) else None
        if kind == "yesno":
            question["options"] = [{"label": "Yes"}, {"label": "No"}]
        elif kind == "text":
            question.pop("options", None)


def _script(words: list[str]) -> str:
    """The shell that the words start is the tool's own, where all they do is to start one."""
    match words:
        case [shell, option, script] if shell in _SHELLS and option in _TAKES_SCRIPT:
            return script
        case _:
            return shlex.join(words)


FORMS: Mapping[str, Form] = {
    "lines": Form(frozenset({"end_line"}), _lines),
    "command": Form(frozenset({"folder"}), _command),
    "questions": Form(frozenset({"type"}), _questions),
}
