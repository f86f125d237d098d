from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.policy.toml_text import NotToml
from handrail.settings.toml_edit import CantEdit, with_table, without_table

PATH = ("mcp", "servers", "git")
CONTENT = {
    "command": "uvx",
    "args": ["mcp-server-git", "--x"],
    "env": {"A B": "é\n"},
    "trust": True,
    "call_within": 2.5,
}
WRITTEN = """[mcp.servers.git]
command = "uvx"
args = ["mcp-server-git", "--x"]
env = { "A B" = "é\\n" }
trust = true
call_within = 2.5
"""
OTHER = '# mine\nmode = "plan"   # for now\n\n[mcp.servers.time]  # keep\ncommand = "t"\n'


@pytest.mark.parametrize(
    "text", ["", OTHER, "[mcp]\ndisabled = []\n", "# nothing yet\n", '[mcp.servers]\n"a b".url = "u"\n']
)
def test_a_table_is_added_at_the_end_and_all_else_stays(text: str) -> None:
    made = with_table(text, PATH, CONTENT)
    assert made == (f"{text}\n{WRITTEN}" if text else WRITTEN)
    assert tomllib.loads(made)["mcp"]["servers"]["git"] == CONTENT


@pytest.mark.parametrize("text", [OTHER, "[mcp]\ndisabled = []\n", 'mode = "plan"\n'])
def test_what_was_added_is_taken_out_without_a_trace(text: str) -> None:
    assert without_table(with_table(text, PATH, CONTENT), PATH) == text


def test_comments_around_what_is_taken_out_stay() -> None:
    text = f"{OTHER}\n# about git\n{WRITTEN}# of git\n\n# about sh\n[mcp.servers.sh]\ncommand = 'sh' # here\n"
    left = without_table(text, PATH)
    assert left == f"{OTHER}\n# about git\n# of git\n\n# about sh\n[mcp.servers.sh]\ncommand = 'sh' # here\n"


def test_tables_within_go_with_it_wherever_they_stand() -> None:
    other = '[x]\ny = """\n[mcp.servers.git]\n"""\n'
    text = f'{WRITTEN}[mcp.servers.git.headers]\na = "b"\n{other}[mcp.servers.git.oauth]\nz = 1\n'
    assert tomllib.loads(without_table(text, PATH)) == {"x": {"y": "[mcp.servers.git]\n"}}


def test_line_ends_stay_as_they_are() -> None:
    text = 'mode = "plan"\r\n[mcp.servers.time]\r\ncommand = "t"\r\n'
    made = with_table(text, PATH, {"url": "u"})
    assert made == text + '\r\n[mcp.servers.git]\r\nurl = "u"\r\n'
    assert without_table(made, PATH) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WRITTEN, "is there already"),
        ('mcp = { servers = { time = { command = "t" } } }\n', "in one line"),
        ("mcp = 3\n", "is no table"),
        ("[mcp]\nservers = []\n", "is no table"),
    ],
)
def test_a_text_that_can_not_take_a_table_is_left_alone(text: str, why: str) -> None:
    with pytest.raises(CantEdit, match=why):
        with_table(text, PATH, CONTENT)


def test_a_name_that_is_no_text_is_refused_with_what_to_do() -> None:
    with pytest.raises(CantEdit, match="no UTF-8, which no TOML file can hold; give it another name"):
        with_table(OTHER, PATH, {"command": "a\udcff"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OTHER, "there is no"),
        ('mcp.servers.git.command = "x"\n', "in the midst"),
        ('[mcp.servers]\ngit = { command = "x" }\n', "in the midst"),
    ],
)
def test_a_table_that_can_not_be_taken_out_is_left_to_the_person(text: str, why: str) -> None:
    with pytest.raises(CantEdit, match=why):
        without_table(text, PATH)


def test_what_is_no_toml_is_told_with_its_line() -> None:
    with pytest.raises(NotToml) as wrong:
        with_table("a = 1\nb = \n", PATH, CONTENT)
    assert wrong.value.line == 2


_texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(name=_texts, texts=st.dictionaries(_texts, _texts), listed=st.lists(_texts))
def test_any_text_arrives_as_it_was_given(name: str, texts: dict[str, str], listed: list[str]) -> None:
    path = ("mcp", "servers", name)
    content = {"args": listed, "env": texts}
    made = with_table(OTHER, path, content)
    assert tomllib.loads(made)["mcp"]["servers"][name] == content
    assert without_table(made, path) == OTHER
