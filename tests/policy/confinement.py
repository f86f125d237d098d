"""Runs commands where nothing can be written or reached, and says what they tried: for the proof of read-only ones.

A command sees the system's programs, a sample of the workspace and nothing else, all read-only, without network
(bubblewrap). strace follows it and its children, so that an attempt counts whether or not it would have succeeded.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.runtime.environment import child_environment

PACKAGES = {"bwrap": "bubblewrap", "strace": "strace"}
"""By program: the Debian package that it comes in."""

SECONDS = 5.0
"""How long a command may take; what it tried until then counts."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
HOME = "/home/somebody"

_CHANGES = (
    "mkdir", "mkdirat", "mknod", "mknodat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link",
    "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat", "chown",
    "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "mount", "umount2", "chroot", "pivot_root", "sethostname",
    "settimeofday", "clock_settime", "creat",
)  # fmt: skip
_OPENS = ("open", "openat", "openat2")
_NETWORK = ("connect", "bind", "listen", "sendto", "sendmsg", "sendmmsg")
_TRACED = ",".join(f"?{name}" for name in (*_CHANGES, *_OPENS, *_NETWORK))
"""`?`: some kernels lack some of these."""

_CALL = re.compile(r"\A(?:\[pid +\d+\] |\d+ +)?(?P<call>(?P<name>\w+)\((?P<arguments>.*))")
_OPENED_TO_WRITE = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")
_DEVICE = re.compile(r'"/dev/(?:null|tty|stdout|stderr|fd/[12])"')
_INTERNET = re.compile(r"\bAF_(?:INET6?|PACKET|VSOCK)\b")
_IPV6_TRIED = re.compile(r'\Abind\(\d+, \{sa_family=AF_INET6, sin6_port=htons\(0\), .*"::1"')
"""How libraries find out whether the machine knows IPv6: nobody is reached by it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one command."""

    attempts: tuple[str, ...]
    """System calls that would write or connect, as strace writes them."""
    ended: bool
    """It ended by itself, in time."""


def missing() -> str:
    """What keeps commands from being confined here, and what to install; empty where nothing does."""
    for program, package in PACKAGES.items():
        if shutil.which(program) is None:
            return f"{program} is not installed: install the package {package}"
    try:
        subprocess.run([*_confined(Path("/usr"), "/usr"), "true"], check=True, capture_output=True, timeout=30)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        return f"bwrap (package bubblewrap) or strace (package strace) can't work here: {said}"
    return ""


def run_confined(command: str, sample: Path, at: str) -> Trial:
    """Runs it by bash in a copy of the workspace that lies at `sample`, seen at `at`."""
    words = [*_confined(sample, at), "sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh", "bash", "-c", command]
    environment = child_environment({"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": HOME, "LANG": "C.UTF-8"})
    child = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    try:
        _, said = child.communicate(timeout=SECONDS)
        ended = True
    except subprocess.TimeoutExpired:
        child.kill()
        _, said = child.communicate()
        ended = False
    return Trial(tuple(_attempts(said.decode(errors="replace").splitlines())), ended)


def lay_out(sample: Path, files: Iterable[str], folders: Iterable[str]) -> None:
    """Makes a repository that holds all of these paths, relative ones, so that commands find what they name."""
    for name in files:
        (sample / name).parent.mkdir(parents=True, exist_ok=True)
        (sample / name).write_text(_TEXT)
    for name in folders:
        (sample / name).mkdir(parents=True, exist_ok=True)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a sample"], ["tag", "v1"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=sample, check=True)


_TEXT = 'import os\n\n\ndef answer(value):\n    """Say it."""\n    return os.path.join("a", value)\n'


def walls(*mounts: str) -> Sequence[str]:
    """The beginning of a command that runs the rest with the system's programs, `mounts`, and nothing else."""
    shared = (word for folder in SYSTEM if Path(folder).exists() for word in ("--ro-bind", folder, folder))
    return (
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--tmpfs", "/", *shared, "--dev", "/dev", "--proc", "/proc", "--dir", "/tmp", "--dir", HOME),
        *(*mounts, "--remount-ro", "/"),
    )


def _confined(sample: Path, at: str) -> Sequence[str]:
    tracing = ("strace", "--follow-forks", "--seccomp-bpf", "-qqq", "--signal=none", f"--trace={_TRACED}")
    return (*walls("--ro-bind", str(sample), at), "--chdir", at, *tracing)


def _attempts(lines: Iterable[str]) -> Iterator[str]:
    calls = ((line, _CALL.match(line)) for line in lines)
    yield from (line for line, call in calls if call is not None and _is_attempt(call))


def _is_attempt(call: re.Match[str]) -> bool:
    name, arguments = call["name"], call["arguments"]
    if name in _OPENS:
        return _OPENED_TO_WRITE.search(arguments) is not None and not _DEVICE.search(arguments)
    if name in _NETWORK:
        return _INTERNET.search(arguments) is not None and not _IPV6_TRIED.match(call["call"])
    return name in _CHANGES
