"""The Responses API's own shell calls, in the words of a shell tool that takes one command.

Field names: OpenAI's `shell_call.action` (commands, timeout_ms, max_output_length) and
`local_shell_call.action` (command as argv, env, working_directory, timeout_ms, user).
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence

from handrail.catalog.patch_form import patch_of
from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallForm

WIRE_FORMS = frozenset((CallForm.SHELL, CallForm.LOCAL_SHELL, CallForm.APPLY_PATCH))
"""Kinds of calls whose arguments have a shape of the provider's own."""
_FELT_BY_THE_NEXT = frozenset((
    ".", "alias", "break", "cd", "command", "continue", "enable", "eval", "exec", "exit", "export", "getopts", "hash",
    "local", "logout", "mapfile", "popd", "pushd", "read", "readarray", "readonly", "return", "set", "shift", "shopt",
    "source", "suspend", "times", "trap", "ulimit", "umask", "unalias", "unset", "wait",
))  # fmt: skip
"""Commands of the shell itself that change what follows in the same shell."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNFINISHED = re.compile(r"<<|\\\Z")


def in_own_words(form: CallForm, arguments: JsonObject) -> JsonObject:
    """Arguments as the shell tool takes them. What has not the provider's shape is left for validation to refuse."""
    match form, arguments:
        case CallForm.SHELL, {"commands": [*commands]} if commands and all(isinstance(c, str) for c in commands):
            return {"command": _one_script([str(c) for c in commands]), **_timeout(arguments)}
        case CallForm.LOCAL_SHELL, {"command": [*words]} if words and all(isinstance(w, str) for w in words):
            if not all(map(_VARIABLE.fullmatch, _environment(arguments))):
                return arguments
            return {"command": _local_command(map(str, words), arguments), **_timeout(arguments)}
        case CallForm.APPLY_PATCH, _:
            return patch_of(arguments)
        case _:
            return arguments


def _one_script(commands: Sequence[str]) -> str:
    """A script that runs the commands in their order, each in a shell of its own; its exit code is the last one's.

    As text for `eval`, one that ends itself, changes folder or has a quote left open does not touch the next. What
    a policy reads is the same. Commands that only read can't do such things and stay as they are, so that
    they are still known to only read.
    """
    if len(commands) == 1:
        return commands[0]
    if all(_keeps_to_itself(command) for command in commands):
        return "\n".join(commands)
    return "\n".join(f"(eval {shlex.quote(_no_option(command))})" for command in commands)


def _keeps_to_itself(command: str) -> bool:
    """Known to only read, and whole: no here-document and no line that goes on in the next."""
    # The parser is loaded with the first such call: sessions without one start without it.
    from handrail.policy.shell.reading import read_shell

    reading = read_shell(command, "/", "/")
    words = reading.runs[0].words if reading.single and reading.runs[0].literal else ()
    if not words or reading.unread:
        return False
    return words[0] not in _FELT_BY_THE_NEXT and not _UNFINISHED.search(command)


def _no_option(command: str) -> str:
    """`eval` takes options; a blank before the dash makes it a command."""
    return f" {command}" if command.startswith("-") else command


def _local_command(words: map[str], action: JsonObject) -> str:
    command = shlex.join(words)
    folder = action.get("working_directory")
    if env := _environment(action):
        command = " ".join([*(f"{name}={shlex.quote(str(value))}" for name, value in env.items()), command])
    return f"cd {shlex.quote(str(folder))} && {command}" if folder else command


def _environment(action: JsonObject) -> JsonObject:
    env = action.get("env")
    return env if isinstance(env, dict) else {}


def _timeout(action: JsonObject) -> dict[str, Json]:
    milliseconds = action.get("timeout_ms")
    if isinstance(milliseconds, (int, float)) and not isinstance(milliseconds, bool):
        return {"timeout": max(1, math.ceil(milliseconds / 1000))}
    return {}
