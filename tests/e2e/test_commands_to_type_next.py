"""Commands that a person is told to type do what is said of them, whatever the names in them hold."""

from __future__ import annotations

import shlex
from pathlib import Path

from e2e.command import handrail

NAME = "my tides; echo 'x'"


def test_a_server_is_named_as_a_shell_takes_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    added = handrail("mcp", "add", NAME, "--", "no-such-program", state=state, cwd=tmp_path)
    _, _, command = added.out.strip().partition("Try it: handrail ")
    assert shlex.split(command) == ["mcp", "test", NAME]
    tested = handrail(*shlex.split(command), "--json", state=state, cwd=tmp_path)
    assert [server["name"] for server in tested.report["servers"]] == [NAME]


def test_doctor_and_the_list_name_servers_as_a_shell_takes_them(tmp_path: Path) -> None:
    state = tmp_path / "state"
    handrail("mcp", "add", NAME, "--url", "http://127.0.0.1:9/mcp", state=state, cwd=tmp_path)
    with (tmp_path / "config" / "config.toml").open("a") as config:
        config.write("oauth = { client_id = 'x' }\n")
    found = handrail("doctor", "--json", state=state, cwd=tmp_path).report["findings"]
    (mend,) = (each["mend"] for each in found if each["about"] == "mcp server")
    assert shlex.split(mend)[:4] == ["handrail", "mcp", "test", NAME]
    (server,) = handrail("mcp", "list", "--json", state=state, cwd=tmp_path).report["servers"]
    assert shlex.split(server["detail"]) == ["handrail", "mcp", "login", NAME]
