"""Which shells there are, and how each is told to run a script. What differs between platforms is here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

_BASH = ("bash", "sh")
_POWERSHELL = ("pwsh", "powershell")
"""PowerShell, and the older one that comes with Windows."""
_QUIET = ("-NoLogo", "-NoProfile", "-NonInteractive")


def has_bash(find_program: Callable[[str], Path | None]) -> bool:
    return any(find_program(shell) for shell in _BASH)


def has_powershell(find_program: Callable[[str], Path | None]) -> bool:
    return any(find_program(shell) for shell in _POWERSHELL)


def bash_argv(command: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The script is one argument, as it is. `--` keeps one that starts with a dash from being taken for options."""
    return _found(_BASH, environment), "-c", "--", command


def powershell_argv(command: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The last argument is the script; `-Command` takes all that follows it. Output in UTF-8 is asked for first."""
    script = f"[Console]::OutputEncoding = [Text.Encoding]::UTF8; {command}"
    return _found(_POWERSHELL, environment), *_QUIET, "-Command", script


def _found(shells: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first that is on the child's own PATH; the last where none is, for the launcher to say so."""
    path = environment.get("PATH")
    return next((shell for shell in shells if shutil.which(shell, path=path)), shells[-1])
