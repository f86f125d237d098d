from __future__ import annotations

import json
import subprocess
import sys
import threading
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from command import Ran, environment, handrail, neutral
from loaded import Loaded

from providers.mcp.oauth_server import OAuthServer

SERVER = Path(__file__).parents[1] / "providers" / "mcp" / "plain_server.py"
TOOL = {"name": "echo", "description": "Says it again.\nMore of it.", "inputSchema": {"type": "object"}}


class Place:
    """A workspace, and the person's own folders beside it."""

    def __init__(self, folder: Path, loaded: Loaded) -> None:
        self._loaded = loaded
        self.work = folder / "work"
        self.work.mkdir()
        self.state = folder / "state"
        self.config = folder / "config" / "config.toml"

    def mcp(self, *arguments: str) -> Ran:
        return self._loaded.handrail("mcp", *arguments, state=self.state, cwd=self.work)

    def script(self, name: str, **script: Any) -> tuple[str, ...]:
        """A command that runs a server with this script."""
        file = self.work.parent / f"{name}.json"
        file.write_text(json.dumps(script))
        return (sys.executable, "-S", str(SERVER), str(file))

    def listed(self) -> dict[str, dict[str, Any]]:
        return {server["name"]: server for server in self.mcp("list", "--json").report["servers"]}


@pytest.fixture
def place(tmp_path: Path, loaded: Loaded) -> Place:
    return Place(tmp_path, loaded)


def test_a_server_is_added_listed_tested_called_and_removed(place: Place) -> None:
    command = place.script("echo", tools=[TOOL])
    added = place.mcp("add", "echo", "--env", "TOKEN=${MY_TOKEN:-none}", "--", *command)
    assert (added.code, added.err) == (0, "")
    assert "handrail mcp test echo" in added.out
    (server,) = place.listed().values()
    assert (server["transport"], server["trust"], server["status"]) == ("stdio", "yours", "configured")
    assert server["origin"] == str(place.config)
    tested = handrail("mcp", "test", "echo", state=place.state, cwd=place.work)
    assert tested.code == 0, tested.err
    assert "echo: ready in " in tested.out
    assert "mcp_echo_echo" in tested.out
    assert "Says it again." in tested.out
    called = handrail(
        "exec", "-", "--json", "--approve", "all", state=place.state, cwd=place.work,
        stdin=neutral(("mcp_echo_echo", {"n": 1})),
    )  # fmt: skip
    assert called.call["state"] == "completed", called
    assert place.mcp("remove", "echo").code == 0
    assert place.listed() == {}


def test_the_rest_of_the_file_stays_as_it_was(place: Place) -> None:
    place.config.parent.mkdir()
    before = '# mine\nmode = "plan" # for now\n\n[mcp.servers.time]\ncommand = "time-server"\n'
    place.config.write_text(before)
    place.config.chmod(0o640)
    assert place.mcp("add", "files", "--", "npx", "files", "-y").code == 0
    assert place.config.read_text() == f'{before}\n[mcp.servers.files]\ncommand = "npx"\nargs = ["files", "-y"]\n'
    assert place.config.stat().st_mode & 0o777 == 0o640
    assert place.mcp("remove", "files").code == 0
    assert place.config.read_text() == before


def test_an_address_is_added_with_its_headers(place: Place) -> None:
    done = place.mcp("add", "web", "--url", "https://mcp.test/x", "--header", "X-Key=${KEY}", "--sse")
    assert done.code == 0
    assert tomllib.loads(place.config.read_text())["mcp"]["servers"]["web"] == {
        "url": "https://mcp.test/x",
        "transport": "sse",
        "headers": {"X-Key": "${KEY}"},
    }
    server = place.listed()["web"]
    assert server["status"] == "failed"
    assert "KEY" in server["detail"]
    assert place.config.stat().st_mode & 0o777 == 0o600


def test_no_list_shows_a_secret_that_stands_in_a_command_or_an_address(place: Place) -> None:
    shaped = "ghp_" + "aB3" * 12
    place.mcp("add", "one", "--", "npx", "one", "--api-key=k3y", "--token", "k3y", shaped)
    place.mcp("add", "two", "--url", "https://k3y@mcp.test/x?key=k3y")
    shown = place.mcp("list").out + place.mcp("list", "--json").out + handrail("doctor", state=place.state).out
    assert "k3y" not in shown
    assert place.listed()["one"]["reached"] == "npx one --api-key=… --token … [redacted:github-token]"
    assert shaped not in place.mcp("list").out
    assert place.listed()["two"]["reached"] == "https://…@mcp.test/x?key=…"


@pytest.mark.parametrize("typed", ["X-Key=${KEY}=", "X-Key: ${KEY}=", "X-Key:${KEY}="])
def test_a_header_is_taken_as_it_is_written_in_requests_too(place: Place, typed: str) -> None:
    done = place.mcp("add", "web", "--url", "https://mcp.test/x", "--header", typed)
    assert (done.code, done.err) == (0, "")
    made = tomllib.loads(place.config.read_text())["mcp"]["servers"]["web"]
    assert made["headers"] == {"X-Key": "${KEY}="}


def test_a_secret_that_is_written_down_is_told_of(place: Place) -> None:
    header = place.mcp("add", "web", "--url", "https://mcp.test/x", "--header", "Authorization: Bearer k3y")
    variable = place.mcp("add", "one", "--env", "API_TOKEN=k3y", "--env", "MODE=x", "--", "c")
    for done, name in ((header, "Authorization"), (variable, "API_TOKEN")):
        assert done.code == 0
        assert done.err.startswith(f"handrail: the value of {name} is written down in {place.config}; ")
        assert done.err.count("\n") == 1
        assert "k3y" not in done.out + done.err


def test_a_server_of_the_project_waits_for_trust(place: Place) -> None:
    done = place.mcp("add", "echo", "--scope", "project", "--", *place.script("echo", tools=[TOOL]))
    assert "handrail trust add" in done.out
    assert place.listed()["echo"]["status"] == "untrusted"
    refused = place.mcp("test", "echo")
    assert refused.code == 2
    assert "waits for your trust" in refused.err
    assert handrail("trust", "add", "--yes", state=place.state, cwd=place.work).code == 0
    assert place.listed()["echo"]["trust"] == "trusted"
    assert place.mcp("test", "echo").code == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("add", "x"), "either a command"),
        (("add", "x", "--url", "u", "--", "c"), "either a command"),
        (("add", "x", "--url", "ftp://a"), "does not begin with http"),
        (("add", " ", "--", "c"), "can't name a server"),
        (("add", "x", "https://a.test/mcp"), "an address is no command: handrail mcp add x --url ADDRESS"),
        (("add", "x", "--env", "A", "--", "c"), "NAME=VALUE"),
        (("add", "x", "--header", "A=b", "--", "c"), "--header and --sse with --url"),
        (("add", "x", "--url", "http://a", "--env", "A=b"), "--env goes with a command"),
        (("remove", "x"), "no config.toml here has the server x"),
        (("test", "x"), "no server is configured here"),
        (("test",), "no server that is on"),
        (("login", "x"), "no server is configured here"),
        (("logs", "x"), "nothing is kept of a server x"),
    ],
)
def test_what_can_not_be_done_is_one_line_with_what_to_do(place: Place, arguments: tuple[str, ...], why: str) -> None:
    done = place.mcp(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert why in done.err
    assert done.err.count("\n") == 1


def test_a_name_that_is_taken_and_a_file_that_is_no_toml_are_left_alone(place: Place) -> None:
    assert place.mcp("add", "x", "--", "c").code == 0
    before = place.config.read_text()
    taken = place.mcp("add", "x", "--", "d")
    assert (taken.code, place.config.read_text()) == (2, before)
    assert "is there already" in taken.err
    place.config.write_text("a = \n")
    broken = place.mcp("add", "y", "--", "d")
    assert broken.code == 2
    assert f"{place.config}:1: " in broken.err


def test_a_server_that_does_not_start_is_told_with_what_it_wrote(place: Place) -> None:
    command = place.script("bad", start=[{"stderr": ["no such database\n", 1]}, {"exit": 3}])
    place.mcp("add", "bad", "--", *command)
    place.mcp("add", "good", "--", *place.script("good", tools=[TOOL]))
    place.mcp("add", "gone", "--", "/no/such/program")
    done = place.mcp("test", "--json")
    assert done.code == 1
    bad, good, gone = done.report["servers"]
    assert (bad["status"], good["status"], gone["status"]) == ("failed", "ready", "failed")
    assert "no such database" in bad["detail"]
    assert bad["stderr"] == ["no such database"]
    assert "/no/such/program" in gone["detail"]
    assert not [server for server in (bad, gone) if "started again" in server["detail"]]
    assert "did you mean bad?" in place.mcp("logs", "bat").err
    assert place.mcp("logs", "bad", "-n", "1").out == "no such database\n"


def test_what_a_server_has_beside_its_tools_is_shown(place: Place) -> None:
    prompt = {"name": "review", "description": "Reviews code."}
    command = place.script(
        "notes",
        hello={"capabilities": {"resources": {}, "prompts": {}}},
        methods={
            "resources/list": [{"reply": {"resources": [{"uri": "note://1", "name": "first"}]}}],
            "prompts/list": [{"reply": {"prompts": [prompt]}}],
        },
    )
    place.mcp("add", "notes", "--", *command)
    done = place.mcp("test", "notes")
    assert done.code == 0
    assert ": 0 tools, 1 resource, 1 prompt\n  /notes:review " in done.out
    assert place.mcp("test", "notes", "--json").report["servers"][0]["prompts"] == [prompt]


def test_in_a_governed_call_nothing_is_added(place: Place) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "handrail", "mcp", "add", "x", "--", "c"],
        env={**environment(place.state), "HANDRAIL": "1"},
        cwd=place.work,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "only a person adds servers" in done.stderr
    assert not place.config.exists()


class LogsIn:
    """Runs `mcp login`, and visits the address that it prints."""

    def __init__(self, place: Place, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "handrail", "mcp", "login", name, "--no-browser"],
            env={**environment(place.state), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"},
            cwd=place.work,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Ran:
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        if first:
            address = self.process.stdout.readline().strip()
            urllib.request.urlopen(address, timeout=30).read()
        out, err = self.process.communicate()
        timer.cancel()
        return Ran(self.process.returncode, first + out, err)

    def __exit__(self, *_: object) -> None:
        self.process.wait()


def test_a_person_logs_in_once_and_sessions_use_it(place: Place) -> None:
    with OAuthServer() as server:
        assert place.mcp("add", "locked", "--url", server.url).code == 0
        before = place.mcp("test", "locked")
        assert before.code == 1
        assert "locked: needs login after " in before.out
        assert before.out.endswith(" s: handrail mcp login locked\n")
        with LogsIn(place, "locked") as login:
            assert (login.code, login.err) == (0, ""), login
            assert "Logged in at locked" in login.out
        assert place.listed()["locked"]["status"] == "logged in"
        assert "mcp_locked_echo" in place.mcp("test", "locked").out
        called = handrail(
            "exec", "-", "--json", "--approve", "all", state=place.state, cwd=place.work,
            stdin=neutral(("mcp_locked_echo", {"n": 1})),
        )  # fmt: skip
        assert called.call["state"] == "completed", called
        kept = "".join(file.read_text(errors="replace") for file in place.state.rglob("*.sqlite*") if file.is_file())
        kept += "".join(file.read_text() for file in place.state.rglob("*.log"))
        assert not [secret for secret in server.issued if secret in kept + called.out + called.err]
        written = place.config.read_text()
        place.config.write_text(f'{written}headers = {{ X-Team = "${{NOT_SET_HERE}}" }}\n')  # to log out sends none
        assert "NOT_SET_HERE" in place.mcp("login", "locked").err
        assert place.mcp("logout", "locked").out == "Forgot the login at locked.\n"
        place.config.write_text(written)
        assert place.mcp("test", "locked").code == 1
        assert not server.wrong


def test_a_login_that_is_refused_is_one_line(place: Place) -> None:
    with OAuthServer(denies=True) as server:
        place.mcp("add", "locked", "--url", server.url)
        with LogsIn(place, "locked") as login:
            assert login.code == 1
            assert login.err == (
                "handrail: locked: the authorization server refused: access_denied the person said no\n"
            )
    assert not list(place.state.rglob("*.json"))


def test_a_command_has_no_login(place: Place) -> None:
    place.mcp("add", "x", "--", "c")
    assert "needs no login" in place.mcp("login", "x").err
    assert "has no login" in place.mcp("logout", "x").err


def test_a_login_at_an_address_that_is_not_known_is_not_looked_for(place: Place) -> None:
    place.mcp("add", "x", "--url", "https://${NOT_SET_HERE}/mcp")
    done = place.mcp("logout", "x")
    assert (done.code, "url needs the variable NOT_SET_HERE" in done.err) == (2, True)


def test_a_link_that_came_with_the_workspace_gets_no_server_into_a_file_elsewhere(place: Place) -> None:
    elsewhere = place.work.parent / "elsewhere"
    elsewhere.mkdir()
    (place.work / ".handrail").symlink_to(elsewhere)
    for scope in ("project", "local"):
        done = place.mcp("add", "x", "--scope", scope, "--", "cat")
        assert (done.code, "leads out of the workspace" in done.err) == (2, True)
    assert list(elsewhere.iterdir()) == []
    assert place.mcp("add", "x", "--", "cat").code == 0
    assert place.mcp("remove", "x").code == 0
