"""The environment of child processes: what programs need to work, by name, and no secrets.

A variable that no list names is left out; so is one whose value carries a password in a URL. Pagers and
prompts are off: a child has no terminal and nobody to ask. So are the looks of pip and npm for newer versions of
themselves: to list what is installed reaches nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

INSIDE = "HANDRAIL"
"""Set in every child: where the command line finds it, it approves nothing."""

PASSED = frozenset((
    # who, where, which language
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "HOSTNAME",
    # Python
    "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH", "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONIOENCODING",
    "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONNOUSERSITE", "PYTEST_ADDOPTS", "UV_CACHE_DIR", "PIP_CACHE_DIR",
    # JavaScript
    "NODE_ENV", "NODE_PATH", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
    # other languages and their tools
    "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "CARGO_HOME", "CARGO_TARGET_DIR",
    "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE", "JAVA_HOME", "MAVEN_HOME", "M2_HOME",
    "GRADLE_HOME", "GRADLE_USER_HOME", "ANDROID_HOME", "GEM_HOME", "GEM_PATH", "RBENV_ROOT", "RBENV_VERSION",
    "BUNDLE_PATH", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "PERL5LIB", "R_HOME", "DOTNET_ROOT",
    # building
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH", "CI",
    # folders of the desktop
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_DIRS",
    # the way out, and whom to believe there
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT",
    # Windows
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA",
    "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
))  # fmt: skip
_BEGINNINGS = ("LC_",)

_GIT_SETTINGS = {
    "core.fsmonitor": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
}
"""Stronger than a repository's own: what it names must not run when git only reads, nor be found where no `.git` is."""


def _settings_for_git() -> dict[str, str]:
    """As git takes them from the environment; those that the parent has there are not passed on."""
    numbered = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, setting in enumerate(_GIT_SETTINGS.items())
        for part, text in zip(("KEY", "VALUE"), setting, strict=True)
    }
    return {"GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS)), **numbered}


_FIXED = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GH_PAGER": "cat",
    "AWS_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    **_settings_for_git(),
    "GH_PROMPT_DISABLED": "1",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "DEBIAN_FRONTEND": "noninteractive",
    INSIDE: "1",
}

_PASSWORD_IN_URL = re.compile(r"://[^/\s@]*:[^/\s@]+@|://[^/\s:@]+@")


def child_environment(parent: Mapping[str, str], also: Collection[str] = ()) -> dict[str, str]:
    """What a child gets of the parent's environment, and what it gets besides. `also`: more names, in upper case.

    A password in a URL is kept back even under a name that somebody listed: who lists `HTTPS_PROXY` or
    `DATABASE_URL` may not know what it holds.
    """
    passed = {
        name: value
        for name, value in parent.items()
        if _is_passed(name.upper(), also) and not _PASSWORD_IN_URL.search(value)
    }
    return passed | _FIXED


def _is_passed(name: str, also: Collection[str]) -> bool:
    """`name` is in upper case: proxies are written in lower case as often, and Windows knows no case."""
    return name in PASSED or name.startswith(_BEGINNINGS) or name in also
