"""The system's own keyring, by the Secret Service of a desktop: started for the test alone, on a bus of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("keyring_session.sh")
KEEPS = """
import asyncio, sys
from pathlib import Path
from handrail.providers.mcp.keychain import system_keyring
from handrail.providers.mcp.tokens import Login, Logins
from handrail.settings.mcp.server import Concealed

URL, FOLDER = "https://mcp.test/mcp", Path(sys.argv[1])
LOGIN = Login(Concealed("at-secret"), "https://auth.test/token", "client", refresh=Concealed("rt-secret"))

async def kept():
    print(type(system_keyring()).__module__)
    await Logins(FOLDER).save(URL, LOGIN)
    files = [file.read_text(errors="replace") for file in FOLDER.rglob("*") if file.is_file()]
    print("in a file" if "secret" in "".join(files) else "in no file")
    print(await Logins(FOLDER).load(URL) == LOGIN)
    print(await Logins(FOLDER).forget(URL), await Logins(FOLDER).load(URL))

asyncio.run(kept())
"""


def program(name: str, package: str) -> str:
    """Fails the test where it is not installed: without it nothing is known of a real keyring."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"there is no {name} on PATH; Debian and Ubuntu: apt-get install {package}", pytrace=False)
    return found


def test_a_login_is_kept_by_the_systems_keyring_and_stands_in_no_file(tmp_path: Path) -> None:
    program("gnome-keyring-daemon", "gnome-keyring")
    bus = program("dbus-run-session", "dbus")
    own = {name: str(tmp_path) for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [bus, "--", "sh", str(SESSION), sys.executable, "-c", KEEPS, str(tmp_path / "state")],
        env={**kept, **own},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = done.stdout.splitlines()
    assert told == ["keyring.backends.SecretService", "in no file", "True", "True None"], done.stderr
