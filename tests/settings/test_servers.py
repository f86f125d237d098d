"""MCP servers in files, ours and other agents': filled in with variables, and trusted before they are started."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from settings_world import World

from handrail.settings.mcp.found import FoundServers
from handrail.settings.mcp.server import Concealed, Http, OAuth, ServerConfig, Stdio
from handrail.settings.origin import Layer

SECRET = "s3cr3t-value"


def home(world: World) -> Path:
    (world.root / "home").mkdir(mode=0o700, exist_ok=True)
    return world.root / "home"


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    path.chmod(0o644)


def found(world: World, **environ: str) -> FoundServers:
    return world.load({"HOME": str(home(world)), **environ}).servers


def only(world: World, **environ: str) -> ServerConfig:
    servers = found(world, **environ)
    (server,) = (*servers.usable, *servers.untrusted)
    return server


def of_home(world: World, said: object, name: str = ".gemini/settings.json", **environ: str) -> ServerConfig:
    write(home(world) / name, {"mcpServers": {"s": said}})
    return only(world, **environ)


def test_our_own_file_says_all_of_a_server(world: World) -> None:
    world.write(
        Layer.USER,
        """
        [mcp.servers.git]
        command = "uvx"
        args = ["mcp-server-git", "--repository", "."]
        env = { TOKEN = "${TOK}" }
        cwd = "sub"
        start_within = 5
        call_within = "never"
        include_tools = ["log", "diff"]
        exclude_tools = ["diff"]
        trust = true
        always_loaded = true

        [mcp.servers.web]
        url = "https://x.example/mcp"
        headers = { Authorization = "Bearer ${TOK}" }
        enabled = false
        oauth = { client_id = "me", scopes = ["a", "b"], callback_port = 8123 }
        """,
    )
    git, web = found(world, TOK=SECRET).usable
    assert git.transport == Stdio("uvx", ("mcp-server-git", "--repository", "."), {"TOKEN": SECRET}, "sub")
    assert (git.start_within, git.call_within, git.trusted, git.always_loaded) == (5, None, True, True)
    assert [name for name in ("log", "diff", "push") if git.wants(name)] == ["log"]
    assert web.transport == Http("https://x.example/mcp", {"Authorization": f"Bearer {SECRET}"}, or_older=True)
    assert web.oauth == OAuth(client_id="me", scopes=("a", "b"), callback_port=8123)
    assert not web.enabled
    assert git.shown == "uvx mcp-server-git --repository ."


@pytest.mark.parametrize("written", [SECRET, "${CLIENT_SECRET}"])
def test_the_secret_of_a_client_is_shown_nowhere_however_it_is_written(world: World, written: str) -> None:
    said = {"url": "https://x.example/mcp", "oauth": {"client_id": "me", "client_secret": written}}
    server = of_home(world, said, CLIENT_SECRET=SECRET)
    assert server.oauth is not None
    assert server.oauth.client_secret == SECRET
    assert SECRET not in repr(server)


GEMINI_ENTRIES: list[tuple[dict[str, Any], Any]] = [
    ({"command": "x", "args": ["-y"]}, Stdio("x", ("-y",))),
    ({"command": "x", "cwd": "/tmp"}, Stdio("x", cwd="/tmp")),
    ({"httpUrl": "https://h/mcp"}, Http("https://h/mcp")),
    ({"url": "https://h/sse"}, Http("https://h/sse", kind="sse")),
    ({"url": "https://h/mcp"}, Http("https://h/mcp", or_older=True)),
    ({"url": "https://h/mcp", "type": "sse"}, Http("https://h/mcp", kind="sse")),
    ({"url": "https://h/mcp", "type": "http"}, Http("https://h/mcp")),
    ({"url": "https://h/mcp", "type": "streamable-http"}, Http("https://h/mcp")),
]


@pytest.mark.parametrize(("said", "transport"), GEMINI_ENTRIES)
def test_how_a_server_is_reached_is_read_as_other_agents_write_it(world: World, said: object, transport: Any) -> None:
    server = of_home(world, said)
    assert (server.transport, server.problem) == (transport, "")


def test_times_are_seconds_in_our_files_and_milliseconds_in_others(world: World) -> None:
    server = of_home(world, {"command": "x", "timeout": 1500})
    assert (server.start_within, server.call_within) == (1.5, 1.5)
    write(home(world) / ".gemini/settings.json", {})
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "x", "timeout": 2000}}})
    server = only(world, MCP_TIMEOUT="60000")
    assert (server.start_within, server.call_within) == (60, 2)


FILLED = [
    ("Bearer ${TOK}", "Bearer abc"),
    ("${TOK}${TOK}", "abcabc"),
    ("${NONE:-d}", "d"),
    ("${NONE:-}", ""),
    ("${EMPTY:-d}", "d"),
    ("${EMPTY}", ""),
    ("$${x}", "${x}"),
    ("$${TOK} ${TOK}", "${TOK} abc"),
    ("${1x} $ {TOK} $TOKEN", "${1x} $ {TOK} $TOKEN"),
    ("100$", "100$"),
    ("${TOK} ${NONE:-", "abc ${NONE:-"),
    ("${NONE:-${NONE:-d}", "${NONE:-d"),
    ("${NONE:-" * 50_000, "${NONE:-" * 50_000),
]


@pytest.mark.parametrize(("written", "value"), FILLED, ids=lambda text: text[:40])
def test_variables_are_filled_in(world: World, written: str, value: str) -> None:
    write(
        world.workspace / ".mcp.json",
        {"mcpServers": {"s": {"url": "http://127.0.0.1:9/mcp", "headers": {"A": written}}}},
    )
    transport = only(world, TOK="abc", EMPTY="").transport
    assert isinstance(transport, Http)
    assert transport.headers == {"A": value}


def test_in_gemini_files_a_variable_needs_no_braces(world: World) -> None:
    server = of_home(world, {"command": "$BIN", "env": {"A": "$TOK", "B": "$NONE"}}, BIN="/bin/x", TOK="abc")
    assert server.transport == Stdio("/bin/x", env={"A": "abc", "B": "$NONE"})


def test_a_variable_that_is_not_set_fails_that_server_alone_and_says_where_it_stands(world: World) -> None:
    servers = {"bad": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${TOK}"}}, "good": {"command": "x"}}
    write(home(world) / ".claude.json", {"mcpServers": servers})
    bad, good = found(world).usable
    assert "headers.Authorization needs the variable TOK, which is not set" in bad.problem
    assert "~/.claude.json" in bad.problem
    assert bad.transport == Http("http://h/mcp")
    assert good.problem == ""


BAD_PARTS = [
    ({"url": "http://x.example:${V}/mcp"}, SECRET, "url is no address"),
    ({"url": "http://${V}/mcp"}, "", "url is no address"),
    ({"url": "http://[${V}/mcp"}, SECRET, "url is no address"),
    ({"url": "http://x.example/${V}"}, f"{SECRET} \n", "url is no address"),
    ({"url": "http://x.example", "headers": {"A": "Bearer ${V}"}}, f"{SECRET}\r\nX: y", 'headers."A" holds what no'),
    ({"url": "http://x.example", "headers": {"A": "${V}"}}, f"{SECRET}…", 'headers."A" holds what no'),
    ({"url": "http://x.example", "headers": {"A b": "${V}"}}, SECRET, 'headers."A b" holds what no'),
]


@pytest.mark.parametrize(("said", "value", "problem"), BAD_PARTS)
def test_what_makes_no_address_and_no_header_is_told_without_its_value(
    world: World, said: object, value: str, problem: str
) -> None:
    server = of_home(world, said, V=value)
    assert problem in server.problem
    assert SECRET not in server.problem


def test_the_end_of_a_line_behind_a_headers_value_is_no_part_of_it(world: World) -> None:
    server = of_home(world, {"url": "http://x.example", "headers": {"A": "Bearer ${V}"}}, V=f"{SECRET}\n")
    assert server.transport == Http("http://x.example", {"A": f"Bearer {SECRET}"}, or_older=True)


@pytest.mark.parametrize(
    ("url", "people_see"),
    [
        ("https://me:pw@x.example/mcp?key=k1&b=${B}", "https://me:…@x.example/mcp?key=…&b=${B}"),
        ("https://me:${PW}@x.example/mcp", "https://me:${PW}@x.example/mcp"),
        ("https://x.example/a:b@c?q", "https://x.example/a:b@c?q"),
        ("https://t0ken@x.example/mcp", "https://…@x.example/mcp"),
        ("https://${PW}@x.example/mcp?key=${B}", "https://${PW}@x.example/mcp?key=${B}"),
        ("https://x.example/mcp?key=${B}k1&b=2#f", "https://x.example/mcp?key=…&b=…#f"),
        ("https://x.example/mcp?key=${B:-k1}", "https://x.example/mcp?key=…"),
    ],
)
def test_people_see_an_address_without_what_may_be_a_secret_in_it(world: World, url: str, people_see: str) -> None:
    assert of_home(world, {"url": url}, B="b", PW="p").shown == people_see


@pytest.mark.parametrize(
    ("args", "people_see"),
    [
        (["--api-key=k1"], "--api-key=…"),
        (["--token", "k1", "--verbose"], "--token … --verbose"),
        (["-token", "k1"], "-token …"),
        (["--apiKey", "${B}", "--accessToken=${B}"], "--apiKey ${B} --accessToken=${B}"),
        (["--api-key=${B:-k1}"], "--api-key=…"),
        (["--token", "--verbose", "k1"], "--token --verbose k1"),
        (["run", "-e", "GITHUB_TOKEN=k1", "-e", "MODE=x", "image"], "run -e GITHUB_TOKEN=… -e MODE=x image"),
        (["run", "-e", "GITHUB_TOKEN", "image"], "run -e GITHUB_TOKEN image"),
        (["https://h/sse", "--header", "Authorization: Bearer k1"], "https://h/sse --header Authorization: …"),
        (["--header", "Authorization: Bearer ${B}"], "--header Authorization: Bearer ${B}"),
        (["--header=X-Api-Key:k1"], "--header=X-Api-Key:…"),
        (["postgresql://me:k1@h/db", "https://h/mcp?key=k1"], "postgresql://me:…@h/db https://h/mcp?key=…"),
        (["--url=https://k1@h/?token=k1"], "--url=https://…@h/?token=…"),
        (["-c", "TOKEN=k1 exec server"], "-c TOKEN=…"),
        (["-c", "TOKEN=${B} KEY=k1 exec server"], "-c TOKEN=${B} KEY=…"),
        (["-c", "curl https://h?a=1 -H x-api-key:k1"], "-c curl https://h?a=…"),
        (['{"password": "k1", "mode": "x"}'], '{"password": …'),
        (["1key=k1"], "1key=…"),
        (["a=b=token=k1"], "a=b=token=…"),
        (["a" * 50_000 + " --token=k1"], "a" * 197 + "…"),
        (["https://h/" + "?" * 50_000], "https://h/" + "?" * 187 + "…"),
        (["--key-file", "a.pem", "--port=80", "C:\\x", "a=b"], "--key-file a.pem --port=80 C:\\x a=b"),
    ],
    ids=lambda given: str(given)[:40],
)
def test_people_see_a_command_without_what_may_be_a_secret_in_it(
    world: World, args: list[str], people_see: str
) -> None:
    server = of_home(world, {"command": "x", "args": args}, ".claude.json", B="b")
    assert server.shown == f"x {people_see}"
    assert isinstance(server.transport, Stdio)
    assert "…" not in "".join(server.transport.args)


@pytest.mark.parametrize(
    "more",
    [
        {"env": {"A": "1"}},
        {"cwd": "sub"},
        {"args": ["x" * 300, "other"]},
        {"command": "other"},
    ],
)
def test_whatever_decides_what_is_started_is_in_its_digest(world: World, more: dict[str, object]) -> None:
    said = {"command": "c", "args": ["x" * 300, "one"]}
    before = of_home(world, said)
    assert before.digest == of_home(world, {**said, "trust": True, "timeout": 3}).digest
    assert before.digest != of_home(world, {**said, **more}).digest


def test_what_was_filled_in_is_in_no_repr(world: World) -> None:
    said = {"command": "${TOK}", "args": ["--key=${TOK}"], "env": {"A": "${TOK}", "B": "plain"}}
    server = of_home(world, said, TOK=SECRET)
    assert SECRET not in repr(server)
    assert "plain" not in repr(server)
    assert isinstance(server.transport, Stdio)
    assert str(server.transport.args[0]) == f"--key={SECRET}"
    assert isinstance(server.transport.args[0], Concealed)


BROKEN: list[tuple[object, str]] = [
    (7, "it is no table of fields"),
    ({}, "needs either a command"),
    ({"command": "x", "url": "http://h"}, "needs either a command"),
    ({"command": ""}, "command is empty"),
    ({"command": " "}, "command is empty"),
    ({"command": "x", "args": [1]}, "args is not a list of texts"),
    ({"command": "x", "env": ["A=1"]}, "env is not a table of names and values"),
    ({"command": "x", "env": {"A": None}}, "env.A is not a text"),
    ({"command": "x", "timeout": -1}, "timeout is not a number above 0"),
    ({"command": "x", "timeout": "5"}, "timeout is not a number above 0"),
    (
        {"url": "https://h", "oauth": {"callbackPort": 70_000}},
        "oauth.callback_port is no port: a whole number up to 65535",
    ),
    ({"url": "https://h", "oauth": {"callbackPort": 80.5}}, "oauth.callback_port is no port"),
    ({"command": "x", "trust": "yes"}, "trust is not true or false"),
    ({"command": "x\0"}, "holds a NUL"),
    ({"url": "file:///etc/passwd"}, "does not begin with http"),
    ({"url": "wss://h", "type": "ws"}, "WebSocket and TCP are not spoken"),
    ({"tcp": "h:1"}, "WebSocket and TCP are not spoken"),
    ({"url": "http://h", "type": "grpc"}, "it is stdio, http or sse"),
    ({"url": "http://h", "authProviderType": "google_credentials"}, "authProviderType"),
]


@pytest.mark.parametrize(("said", "problem"), BROKEN, ids=lambda each: str(each)[:40])
def test_a_server_that_is_written_wrong_fails_with_its_field(world: World, said: object, problem: str) -> None:
    write(home(world) / ".gemini/settings.json", {"mcpServers": {"s": said, "good": {"command": "x"}}})
    bad, good = found(world).usable
    assert problem in bad.problem
    assert good.problem == ""


UNREADABLE = ["{", "[]", '{"mcpServers": []}', '{"mcpServers": {"s": ', "\ufeff{,}"]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_file_that_can_not_be_read_is_told_of_and_takes_no_other_with_it(world: World, text: str) -> None:
    write(home(world) / ".gemini/settings.json", text + ' "mcpServers"' * ("mcpServers" not in text))
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "x"}}})
    settings = world.load({"HOME": str(home(world))})
    assert [server.name for server in settings.servers.usable] == ["s"]
    assert any("~/.gemini/settings.json" in problem for problem in settings.problems)


def test_comments_stand_in_files_as_people_write_them(world: World) -> None:
    write(home(world) / ".gemini/settings.json", '{"mcpServers": {"s": {"command": "x"}, /* and */}} // end')
    assert only(world).name == "s"


PROJECT_FILES = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json"]


@pytest.mark.parametrize("name", PROJECT_FILES)
def test_servers_of_a_workspace_wait_for_trust_in_this_very_text(world: World, name: str) -> None:
    write(world.workspace / name, {"mcpServers": {"s": {"command": "npx", "args": ["-y", "it"], "trust": True}}})
    settings = world.load({"HOME": str(home(world))})
    assert not settings.servers.usable
    assert [waiting.would for waiting in settings.waiting] == [("the server s: runs npx -y it",)]
    world.trust_all()
    settings = world.load({"HOME": str(home(world))})
    assert [server.name for server in settings.servers.usable] == ["s"]
    assert not settings.servers.usable[0].trusted
    assert settings.servers.trusted <= settings.trusted
    assert not settings.waiting
    write(world.workspace / name, {"mcpServers": {"s": {"command": "npx", "args": ["-y", "other"]}}})
    assert not found(world).usable


def test_so_do_those_of_our_own_file_and_a_yes_to_its_settings_is_none_to_its_servers(world: World) -> None:
    world.write(Layer.PROJECT, 'mode = "accept-edits"\n[mcp.servers.s]\ncommand = "x"\n')
    settings = world.load()
    assert [waiting.key.kind for waiting in settings.waiting] == ["settings", "servers"]
    from handrail.contract.basics import Instant

    world.store.add([settings.waiting[0].key], Instant(0.0))
    assert not world.load().servers.usable
    world.trust_all()
    assert [server.name for server in world.load().servers.usable] == ["s"]


def test_what_came_with_a_workspace_never_takes_the_name_of_what_the_person_has(world: World) -> None:
    write(home(world) / ".claude.json", {"mcpServers": {"git": {"command": "mine"}}})
    write(world.workspace / ".mcp.json", {"mcpServers": {"git": {"command": "theirs"}, "other": {"command": "x"}}})
    world.trust_all()
    settings = world.load({"HOME": str(home(world))})
    assert {each.name: each.shown for each in settings.servers.usable} == {"git": "mine", "other": "x"}
    assert any("the server git is left out: ~/.claude.json has one" in problem for problem in settings.problems)


def test_claude_codes_own_file_has_servers_for_this_folder_alone(world: World) -> None:
    here = {str(world.workspace): {"mcpServers": {"s": {"command": "here"}}}, "/elsewhere": {"mcpServers": {"t": {}}}}
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "all"}}, "projects": here})
    assert only(world).shown == "here"


OFF: list[tuple[str, object]] = [
    (".claude/settings.json", {"disabledMcpjsonServers": ["s"]}),
    (".claude/settings.local.json", {"disabledMcpjsonServers": ["s"]}),
    (".gemini/settings.json", {"mcp": {"excluded": ["s"]}}),
]


@pytest.mark.parametrize(("name", "said"), OFF)
def test_any_file_may_switch_a_server_off_trusted_or_not(world: World, name: str, said: object) -> None:
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "x"}, "t": {"command": "x"}}})
    write(world.workspace / name, said)
    assert {each.name: each.enabled for each in found(world).usable} == {"s": False, "t": True}


def test_so_may_our_own_file_by_its_list(world: World) -> None:
    world.write(Layer.USER, '[mcp.servers.s]\ncommand = "x"\n')
    world.write(Layer.PROJECT, '[mcp]\ndisabled = ["s"]\n')
    assert not only(world).enabled


def test_of_a_gemini_file_that_says_which_servers_may_run_only_those_do(world: World) -> None:
    servers = {"s": {"command": "x"}, "t": {"command": "x"}}
    write(home(world) / ".gemini/settings.json", {"mcpServers": servers, "mcp": {"allowed": ["t"]}})
    assert only(world).name == "t"


def test_names_of_servers_that_switch_themselves_on_are_no_trust(world: World) -> None:
    write(world.workspace / ".mcp.json", {"mcpServers": {"s": {"command": "x"}}})
    write(
        world.workspace / ".claude/settings.json", {"enableAllProjectMcpServers": True, "enabledMcpjsonServers": ["s"]}
    )
    assert not found(world).usable


def test_a_file_that_others_can_write_gives_no_servers(world: World) -> None:
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "x"}}})
    (home(world) / ".claude.json").chmod(0o666)
    settings = world.load({"HOME": str(home(world))})
    assert not settings.servers.usable
    assert any("chmod go-w" in problem for problem in settings.problems)


def test_writing_to_a_file_that_names_the_persons_servers_is_asked_about(world: World) -> None:
    write(home(world) / ".claude.json", {"mcpServers": {"s": {"command": "x"}}})
    assert home(world) / ".claude.json" in world.load({"HOME": str(home(world))}).files


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 129, "\x1b[2J"])
def test_a_name_that_nobody_could_read_is_told_of(world: World, name: str) -> None:
    write(home(world) / ".claude.json", {"mcpServers": {name: {"command": "x"}, "good": {"command": "x"}}})
    settings = world.load({"HOME": str(home(world))})
    assert [server.name for server in settings.servers.usable] == ["good"]
    assert any("can't name a server" in problem for problem in settings.problems)


def test_an_unknown_field_of_ours_is_told_of_and_leaves_the_server(world: World) -> None:
    world.write(Layer.USER, '[mcp.servers.s]\ncommand = "x"\ninclude_tool = ["a"]\n')
    settings = world.load()
    assert settings.servers.usable == (replace(only(world), include=()),)
    assert any('unknown field "include_tool"; did you mean include_tools?' in problem for problem in settings.problems)


def test_a_command_that_makes_headers_is_read_of_claude_codes_files_as_it_is_written(world: World) -> None:
    said = {"type": "http", "url": "https://h/mcp", "headersHelper": "get-token ${TOK}"}
    server = of_home(world, said, ".claude.json", TOK=SECRET)
    assert server.transport == Http("https://h/mcp", helper="get-token ${TOK}")
    assert server.digest != of_home(world, {**said, "headersHelper": "other"}, ".claude.json").digest


def test_what_makes_headers_is_told_before_trust_and_is_in_no_server_until_then(world: World) -> None:
    said = {"type": "http", "url": "https://h/mcp", "headersHelper": "./get-token"}
    write(world.workspace / ".mcp.json", {"mcpServers": {"s": said}})
    settings = world.load({"HOME": str(home(world))})
    assert not settings.servers.usable
    (waiting,) = settings.waiting
    assert waiting.would == ("the server s: connects to https://h/mcp, and runs ./get-token for its headers",)


@pytest.mark.parametrize(
    ("said", "name", "problem"),
    [
        ({"url": "https://h", "headersHelper": 7}, ".claude.json", "headersHelper is not a command"),
        ({"url": "https://h", "headersHelper": " "}, ".claude.json", "headersHelper is not a command"),
        ({"command": "x", "headersHelper": "y"}, ".claude.json", "headersHelper makes headers for a url"),
        ({"httpUrl": "https://h", "headersHelper": "y"}, ".gemini/settings.json", "from Claude Code's files alone"),
    ],
)
def test_a_command_for_headers_that_can_not_be_run_fails_its_server_with_the_reason(
    world: World, said: object, name: str, problem: str
) -> None:
    assert problem in of_home(world, said, name).problem


def test_however_deep_a_file_nests_it_costs_no_start(world: World) -> None:
    """Just below the depth at which the parser gives up, whoever goes down what it read gives up as well."""
    for levels in range(900, 1_000):
        write(world.workspace / ".mcp.json", f'{{"mcpServers": {{"s": {{"args": {"[" * levels}{"]" * levels}}}}}}}')
        servers = found(world)
        assert servers.untrusted or servers.problems


def test_many_fields_that_nobody_knows_are_told_of_together(world: World) -> None:
    odd = "".join(f"odd{n} = 1\n" for n in range(20_000))
    world.write(Layer.USER, f"[mcp.servers.git]\ncommand = 'x'\n{odd}")
    problems = found(world).problems
    assert len(problems) == 21
    assert problems[-1].endswith("the server git: and 19,980 more fields that are not known")
