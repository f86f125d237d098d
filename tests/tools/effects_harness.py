"""Runs one call of a built-in tool where nothing else can be reached, and tells what it touched and what it declared.

The call goes through a whole session in a process of its own (`effects_child.py`), behind walls (bubblewrap) that hold
the system's programs, the Python that runs the tests, and a workspace; strace follows the process and its children,
so that an attempt counts whether or not it succeeds.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from confinement import HOME, walls
from effects_child import BEGIN, END

from handrail.settings.places import STATE_VARIABLE

SECONDS = 120.0
"""For one call with the start of its process; more means that it hangs."""

CHILD = Path(__file__).with_name("effects_child.py")
SOURCE = Path(__file__).parents[2] / "src"

RULES = (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")
"""What a search reads in the folders above the one it searches, whoever named that: rules for names, never shown."""

_CHANGES = (
    "mkdir", "mkdirat", "mknod", "mknodat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link",
    "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat", "fchmodat2",
    "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr",
    "fsetxattr", "creat",
)  # fmt: skip
_OPENS = ("open", "openat", "openat2")
_CONNECTS = ("connect", "sendto", "sendmsg", "sendmmsg")
_FORKS = ("clone", "clone3", "fork", "vfork")
_MOVES = ("chdir", "fchdir")
_TRACED = ",".join(f"?{name}" for name in (*_CHANGES, *_OPENS, *_CONNECTS, *_FORKS, *_MOVES))

_CALL = re.compile(r"\A(?P<at>\d+\.\d+) (?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>.*)\Z")
_OPENED_TO_WRITE = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")
_NO_CONTENT = re.compile(r"\bO_PATH\b")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<name>(?:[^"\\]|\\.)*)"')
_HANDLE = re.compile(r"\A\d+<(?P<path>/[^>]*)>")
_INTERNET = re.compile(r'\bAF_INET6?\b.*?(?:inet_addr\("|inet_pton\(AF_INET6, ")(?P<host>[^"]+)"')


@dataclass(frozen=True)
class Touch:
    how: str
    """`read`, `wrote` or `connected to`."""
    what: str
    """A path, absolute, or a host."""


@dataclass(frozen=True)
class Seen:
    state: str
    text: str
    declared: Mapping[str, Any] | None
    touches: frozenset[Touch]

    def undeclared(self) -> list[str]:
        """What was touched and not declared, as `wrote /path`. Only what may be touched freely is left out."""
        declared = self.declared or {"certainty": "exact", "reads": [], "writes": [], "connects": []}
        if declared["certainty"] == "unknown":
            return []
        found = (touch for touch in self.touches if not _is_declared(touch, declared))
        return sorted(f"{touch.how} {touch.what}" for touch in found)


def seen(workspace: Path, calls: Sequence[Mapping[str, Any]]) -> Seen:
    """The last of these calls is watched; the others come before it."""
    with TemporaryDirectory() as notes, TemporaryDirectory() as state:
        shared = {SOURCE, CHILD.parent, *(Path(prefix) for prefix in (sys.prefix, sys.base_prefix))}
        mounts = [word for folder in sorted(shared) for word in ("--ro-bind", str(folder), str(folder))]
        mounts += [word for folder in (workspace, notes, state) for word in ("--bind", str(folder), str(folder))]
        tracing = ("strace", "-ff", "-ttt", "-y", "-qqq", "--signal=none", "-s", "4096", f"--trace={_TRACED}")
        child = (sys.executable, "-B", str(CHILD), str(workspace), json.dumps(list(calls)))
        ran = subprocess.run(
            [*walls(*mounts), "--chdir", str(workspace), *tracing, "-o", f"{notes}/trace", *child],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            env=_environment(state),
            check=False,
        )
        if ran.returncode:
            raise AssertionError(f"the call could not be watched: {ran.stderr.decode(errors='replace')[-2_000:]}")
        told = json.loads(ran.stdout.splitlines()[-1])
        free = (Path(state), *shared)
        touches = frozenset(touch for touch in _touches(Path(notes), str(workspace)) if not _is_free(touch, free))
        return Seen(told["state"], told["text"], told["declared"], touches)


def _environment(state: str) -> dict[str, str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin"))
    return {"PATH": path, "HOME": HOME, "LANG": "C.UTF-8", STATE_VARIABLE: state, "PYTHONPATH": str(SOURCE)}


def _touches(notes: Path, folder: str) -> Iterator[Touch]:
    """What lies between the marks, of all processes and threads. `folder` is where the first process starts."""
    calls = sorted(_calls(notes), key=lambda call: call.at)
    begin = next((call.at for call in calls if f'"{BEGIN}"' in call.arguments), None)
    if begin is None:
        return  # it never ran
    end = max(call.at for call in calls if f'"{END}"' in call.arguments)
    folders: dict[str, str] = {}
    for call in calls:
        here = folders.setdefault(call.process, folder)
        if call.name in _FORKS and call.result.isdigit():
            folders[call.result] = here
        elif call.name in _MOVES and call.result == "0":
            folders[call.process] = next(_paths(call.arguments, here), here)
        elif begin < call.at < end:
            yield from _touched(call, here)


@dataclass(frozen=True)
class _Call:
    process: str
    at: float
    name: str
    arguments: str
    result: str


def _calls(notes: Path) -> Iterator[_Call]:
    for file in notes.iterdir():
        for line in file.read_text().splitlines():
            if call := _CALL.match(line):
                at, *rest = call.group("at", "name", "arguments", "result")
                yield _Call(file.suffix.removeprefix("."), float(at), *rest)


def _touched(call: _Call, here: str) -> Iterator[Touch]:
    if call.name in _CONNECTS:
        if host := _INTERNET.search(call.arguments):
            yield Touch("connected to", host["host"])
        return
    paths = list(_paths(call.arguments, here))
    how = "wrote"
    if call.name in _OPENS:
        how = "wrote" if _OPENED_TO_WRITE.search(call.arguments) else "read"
        if how == "read" and (call.result.startswith("-1") or _NO_CONTENT.search(call.arguments)):
            return
        if opened := _HANDLE.match(call.result):
            paths = [opened["path"]]
    yield from (Touch(how, path) for path in paths)


def _paths(arguments: str, here: str) -> Iterator[str]:
    """All that are named; without any, that of the handle which is given."""
    named = False
    for found in _PATH.finditer(arguments):
        named = True
        name = found["name"].encode().decode("unicode_escape")
        yield os.path.normpath(os.path.join(here, found["folder"] or "", name))
    if not named and (handle := _HANDLE.match(arguments)):
        yield handle["path"]


def _is_free(touch: Touch, free: Sequence[Path]) -> bool:
    """Programs and libraries may be read; what the session keeps, and devices, are no business of the call."""
    if touch.how == "connected to":
        return False
    where = Path(touch.what)
    if where.is_relative_to("/dev") or where.is_relative_to("/proc"):
        return True
    if where.is_relative_to(free[0]):
        return True
    system = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
    return touch.how == "read" and any(where.is_relative_to(folder) for folder in (*system, *free))


def _is_declared(touch: Touch, declared: Mapping[str, Any]) -> bool:
    if touch.how == "connected to":
        return "*" in declared["connects"] or touch.what in declared["connects"]
    where = Path(touch.what)
    if any(_holds(effect, where) for effect in declared["writes"]):
        return True
    if touch.how == "read":
        held = any(_holds(effect, where) for effect in declared["reads"])
        return held or _leads_to(where, declared) or _rules(where, declared)
    return _serves_a_write(where, declared)


def _holds(effect: Mapping[str, Any], where: Path) -> bool:
    path = Path(effect["path"])
    return where == path or (effect["scope"] == "tree" and where.is_relative_to(path))


def _leads_to(where: Path, declared: Mapping[str, Any]) -> bool:
    """A folder on the way is opened, so that no link leads elsewhere meanwhile, and looked into for near names."""
    return any(Path(effect["path"]).is_relative_to(where) for kind in ("reads", "writes") for effect in declared[kind])


def _rules(where: Path, declared: Mapping[str, Any]) -> bool:
    above = (folder for effect in declared["reads"] for folder in Path(effect["path"]).parents)
    return any(where == folder / rule for folder in above for rule in RULES)


def _serves_a_write(where: Path, declared: Mapping[str, Any]) -> bool:
    """A folder made on the way, or a file beside the written one that takes its name when it is whole, or is gone."""
    paths = [Path(effect["path"]) for effect in declared["writes"]]
    on_the_way = any(path.is_relative_to(where) for path in paths)
    return on_the_way or (any(where.parent == path.parent for path in paths) and not where.exists())
