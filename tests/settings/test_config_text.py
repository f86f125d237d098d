from __future__ import annotations

from pathlib import Path

import pytest

from handrail.errors import UsageError
from handrail.policy.toml_text import NotToml
from handrail.settings.config_text import MOST_UNKNOWN, read_config, read_environment, read_flags
from handrail.settings.origin import Doubt, Layer, Origin

PROJECT = Origin(Layer.PROJECT, "config.toml")
USER = Origin(Layer.USER, "config.toml")
BASE = Path("/work")


def values(said):
    return {key.name: given.value for key, given in said.givens if given.doubt is None}


def doubted(said):
    return {key.name: (given.value, given.doubt) for key, given in said.givens if given.doubt is not None}


def test_each_setting_knows_its_line() -> None:
    said = read_config('# mine\nmode = "plan"\n\nadd_dirs = [\n  "a",\n]\nat_once = 2\n', USER, BASE)
    assert {key.name: str(given.origin) for key, given in said.givens} == {
        "mode": "config.toml:2",
        "add_dirs": "config.toml:4",
        "at_once": "config.toml:7",
    }
    assert said.problems == ()


@pytest.mark.parametrize("text", ["k{} = 1\n", "[k{}]\n", "mode{} = 1\n"])
def test_a_file_that_is_full_of_something_else_is_not_understood(text: str) -> None:
    def full(names: int) -> str:
        return 'mode = "plan"\n' + "".join(text.format(n) for n in range(names)) + "[mcp.servers]\n"

    assert len(read_config(full(MOST_UNKNOWN), USER, BASE).problems) == MOST_UNKNOWN
    with pytest.raises(NotToml, match="it holds 50,000 names that are no settings"):
        read_config(full(50_000), USER, BASE)


@pytest.mark.parametrize("header", ["[a{}.b]", "[{}a.b ] # ]", '["a]{}" ]', "[[ a.b{} ]]"])
def test_however_many_blanks_stand_in_a_tables_name_its_line_is_known(header: str) -> None:
    text = f"x = 1\n{header.format(' ' * 100_000)}\ny = 1\n"
    assert 'config.toml:2: unknown setting "a' in read_config(text, USER, BASE).problems[1]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('colour = "red"', 'config.toml:2: unknown setting "colour"; known are mode, '),
        ('mod = "plan"', 'config.toml:2: unknown setting "mod"; did you mean mode?'),
        ("[[mode]]\nx = 1", 'config.toml:2: mode = [{"x": 1}] is none of plan, '),
        ("[a.b]\nx = 1", 'config.toml:2: unknown setting "a"; known are'),
        ('mode = "bypas"', 'config.toml:2: mode = "bypas" is none of plan, default, accept-edits, sandboxed, bypass'),
        ("at_once = 0", "config.toml:2: at_once = 0 is not a whole number from 1 to 1000"),
        ("at_once = 1979-05-27", 'config.toml:2: at_once = "1979-05-27" is not a whole number'),
        ("policies = [7]", "config.toml:2: policies = [7] is not a list of files"),
        ('approve = "all"', "config.toml:2: approve can't be set there, only here: system, user, local, environment"),
    ],
)
def test_one_bad_setting_is_told_with_its_line_and_costs_no_other(text: str, problem: str) -> None:
    said = read_config(f'model = "m"\n{text}\n', PROJECT, BASE)
    assert len(said.problems) == 1
    assert said.problems[0].startswith(problem)
    assert values(said) == {"model": "m"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('mode = "plam"', {"mode": ("plan", Doubt.UNREADABLE)}),
        ("mode = 7", {"mode": ("plan", Doubt.UNREADABLE)}),
        ('mod = "plan"', {"mode": ("plan", Doubt.MISSPELLED)}),
        ('mod = "bypass"', {"mode": ("bypass", Doubt.MISSPELLED)}),
        ("mod = 7", {"mode": ("plan", Doubt.UNREADABLE)}),
        ("polices = ['a.toml']", {"policies": ((BASE / "a.toml",), Doubt.MISSPELLED)}),
        ("policies = 7", {"policies": ((), Doubt.UNREADABLE)}),
        ('approve = "none"', {"approve": ("none", Doubt.MISPLACED)}),
        ("at_once = 0", {}),
        ("add_dirs = 7", {}),
        ("colour = 7", {}),
    ],
)
def test_what_is_left_out_for_being_wrong_is_kept_for_what_it_may_restrict(text: str, kept: dict[str, object]) -> None:
    assert doubted(read_config(text, PROJECT, BASE)) == kept


def test_the_doubt_about_a_file_lies_on_all_it_says() -> None:
    said = read_config('mode = "bypass"\nat_once = 2\n', PROJECT, BASE, Doubt.UNTRUSTED)
    assert doubted(said) == {"mode": ("bypass", Doubt.UNTRUSTED), "at_once": (2, Doubt.UNTRUSTED)}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('mode = "plan"\nmode = "default"\n', 2, "not valid TOML: Cannot overwrite a value"),
        ("\n\nmode = plan\n", 3, "not valid TOML: Invalid value"),
        ("mode = 'plan", 1, "not valid TOML: "),
        ("a = " + "[" * 5000, 1, "not valid TOML: "),
        ("a = " + "9" * 5000, 1, "not valid TOML: Exceeds the limit"),
        ("a = 2026-02-30", 1, "not valid TOML: Invalid date or datetime"),
    ],
)
def test_a_text_that_is_no_toml_is_told_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(NotToml, match=problem) as caught:
        read_config(text, USER, BASE)
    assert caught.value.line == line


def test_a_byte_order_mark_and_line_ends_of_windows_are_nothing() -> None:
    said = read_config('\ufeffmodel = "m"\r\nat_once = 2\r\n', USER, BASE)
    assert values(said) == {"model": "m", "at_once": 2}


def test_variables_give_settings_and_an_empty_one_gives_none() -> None:
    said = read_environment(
        {"HANDRAIL_MODE": "plan", "HANDRAIL_MODEL": "", "HANDRAIL_ADD_DIRS": "/a:b", "MODE": "bypass"}, BASE
    )
    assert values(said) == {"mode": "plan", "add_dirs": (Path("/a"), BASE / "b")}
    assert said.problems == ()


def test_a_variable_that_is_wrong_is_told_and_may_restrict() -> None:
    said = read_environment({"HANDRAIL_MODE": "fast", "HANDRAIL_AT_ONCE": "many"}, BASE)
    assert said.problems == (
        'HANDRAIL_MODE: "fast" is none of plan, default, accept-edits, sandboxed, bypass',
        'HANDRAIL_AT_ONCE: "many" is not a whole number from 1 to 1000',
    )
    assert doubted(said) == {"mode": ("plan", Doubt.UNREADABLE)}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("HANDRAIL_MOED", ("HANDRAIL_MOED: there is no such variable; did you mean HANDRAIL_MODE?",)),
        ("HANDRAIL_CONFG", ("HANDRAIL_CONFG: there is no such variable; did you mean HANDRAIL_CONFIG?",)),
        ("HANDRAIL_STATE", ()),
        ("HANDRAIL", ()),
        ("HANDRAIL_SOMETHING_QUITE_DIFFERENT", ()),
    ],
)
def test_a_variable_that_is_nearly_ours_is_told_of(name: str, told: tuple[str, ...]) -> None:
    assert read_environment({name: "x"}, BASE).problems == told


def test_a_wrong_flag_is_an_error() -> None:
    with pytest.raises(UsageError, match=r'--mode: "fast" is none of plan'):
        read_flags({"mode": "fast"})
    with pytest.raises(UsageError, match=r'unknown setting "mod"; did you mean mode\?'):
        read_flags({"mod": "plan"})
    assert values(read_flags({"mode": "bypass", "policies": (Path("p.toml"),)})) == {
        "mode": "bypass",
        "policies": (Path("p.toml"),),
    }


def test_a_long_value_is_told_of_in_short() -> None:
    said = read_config("mode = '" + "x" * 100_000 + "'", USER, BASE)
    assert len(said.problems[0]) < 400
