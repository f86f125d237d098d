from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from settings_world import World

from handrail.contract.decision import Outcome
from handrail.errors import UsageError
from handrail.policy.modes import Mode
from handrail.policy.rules import RuleScope
from handrail.settings.keys import ADD_DIRS, APPROVE, AT_ONCE, KEYS, MODE, MODEL
from handrail.settings.load import load_settings, no_settings
from handrail.settings.origin import Layer
from handrail.settings.trust import TrustKind

ALLOW = '[[rule]]\ncommand = "pytest *"\ndecision = "allow"\n'
ASK = '[[rule]]\npath = "migrations/"\ndecision = "ask"\ngrantable = true\n'
DENY = '[[rule]]\ncommand = "git push *"\ndecision = "deny"\n'
EFFECTS = '[effects."fetch_*"]\nconnects = ["example.org"]\n'
OWN = (Layer.SYSTEM, Layer.USER)
OF_WORKSPACE = (Layer.PROJECT, Layer.LOCAL)


def outcomes(settings):
    return [rule.outcome.value for rule in settings.rules.rules]


def test_without_files_every_default_holds_and_nothing_is_said(world: World) -> None:
    settings = world.load()
    assert {key.name: settings[key] for key in KEYS} == {key.name: key.default for key in KEYS}
    assert not any(folder.is_there for folder in settings.tool_folders)
    assert replace(settings, tool_folders=()) == no_settings(world.workspace)


def test_each_layer_wins_over_those_before_it(world: World) -> None:
    layers = [*OWN, *OF_WORKSPACE]
    for number, layer in enumerate(layers, 2):
        world.write(layer, f"at_once = {number}\n")
        world.trust_all()
        settings = world.load()
        assert settings[AT_ONCE] == number
        assert settings.all["at_once"].held[-1].origin.layer is layer
    settings = world.load({"HANDRAIL_AT_ONCE": "7"})
    assert settings[AT_ONCE] == 7
    assert [given.value for given in settings.all["at_once"].yielded] == [10, 2, 3, 4, 5]
    assert world.load({"HANDRAIL_AT_ONCE": "7"}, at_once=8)[AT_ONCE] == 8


def test_rules_of_all_layers_hold_at_once_and_know_whose_they_are(world: World) -> None:
    for layer in (*OWN, *OF_WORKSPACE):
        world.write(layer, DENY, "policy")
    listed = world.write(Layer.USER, ASK, "more")
    named = world.write(Layer.USER, ALLOW, "named")
    settings = world.load({"HANDRAIL_POLICIES": str(listed)}, policies=(named,))
    assert [(rule.scope, rule.outcome) for rule in settings.rules.rules] == [
        (RuleScope.SYSTEM, Outcome.DENY),
        (RuleScope.USER, Outcome.DENY),
        (RuleScope.PROJECT, Outcome.DENY),
        (RuleScope.LOCAL, Outcome.DENY),
        (RuleScope.COMMAND_LINE, Outcome.ASK),
        (RuleScope.COMMAND_LINE, Outcome.ALLOW),
    ]
    assert settings.rules.rules[2].ref.source == ".handrail/policy.toml"
    assert settings.rules.rules[0].ref.source == str(world.file(Layer.SYSTEM, "policy"))


@pytest.mark.parametrize("layer", OF_WORKSPACE)
def test_a_policy_that_came_with_the_workspace_only_tightens_until_it_is_trusted(world: World, layer: Layer) -> None:
    world.write(layer, ALLOW + ASK + DENY + EFFECTS, "policy")
    settings = world.load()
    assert outcomes(settings) == ["ask", "deny"]
    assert not any(rule.grantable for rule in settings.rules.rules)
    assert settings.rules.declared == ()
    (waiting,) = settings.waiting
    assert waiting.key.kind is TrustKind.POLICY
    assert waiting.would == (
        'line 1: command = "pytest *", decision = "allow"',
        'line 11: effects."fetch_*": connects = ["example.org"]',
    )
    world.trust_all()
    settings = world.load()
    assert outcomes(settings) == ["allow", "ask", "deny"]
    assert len(settings.rules.declared) == 1
    assert (settings.waiting, settings.problems) == ((), ())
    assert settings.trusted == {waiting.key}


@pytest.mark.parametrize("layer", OF_WORKSPACE)
def test_settings_that_came_with_the_workspace_only_tighten_until_they_are_trusted(world: World, layer: Layer) -> None:
    (world.root / "beside").mkdir()
    world.write(Layer.USER, 'mode = "default"\n')
    world.write(layer, 'mode = "accept-edits"\nadd_dirs = ["../beside"]\nat_once = 2\nmodel = "m"\n')
    settings = world.load()
    assert (settings[MODE], settings[ADD_DIRS], settings[AT_ONCE], settings[MODEL]) == ("default", (), 2, "")
    (waiting,) = settings.waiting
    beside = str(world.root / "beside")
    assert waiting.would == (
        'line 1: mode = "accept-edits"',
        'line 4: model = "m"',
        f'line 2: add_dirs = ["{beside}"]',
    )
    world.trust_all()
    settings = world.load()
    assert (settings[MODE], settings[ADD_DIRS], settings[MODEL]) == ("accept-edits", (Path(beside),), "m")
    assert settings.waiting == ()


def test_what_only_restricts_waits_for_nothing(world: World) -> None:
    world.write(Layer.PROJECT, 'mode = "plan"\nat_once = 1\n')
    world.write(Layer.PROJECT, DENY + ASK, "policy")
    settings = world.load()
    assert settings[MODE] == "plan"
    assert (settings.waiting, settings.problems) == ((), ())
    assert not (world.folders.state / "trust.json").exists()


@pytest.mark.parametrize("stem", ["config", "policy"])
def test_a_change_voids_the_trust(world: World, stem: str) -> None:
    text = {"config": 'mode = "bypass"\n', "policy": ALLOW}[stem]
    file = world.write(Layer.PROJECT, text, stem)
    world.trust_all()
    assert world.load().waiting == ()
    file.write_text(text + "# another line\n")
    settings = world.load()
    assert settings[MODE] == "default"
    assert outcomes(settings) == []
    assert [waiting.name for waiting in settings.waiting] == [f".handrail/{stem}.toml"]
    file.write_text(text)
    assert world.load().waiting == ()


def test_trust_in_one_workspace_is_none_in_a_copy_of_it(world: World) -> None:
    world.write(Layer.PROJECT, ALLOW, "policy")
    world.trust_all()
    copy = world.root / "copy" / ".handrail"
    copy.mkdir(parents=True)
    (copy / "policy.toml").write_text(ALLOW)
    assert len(load_settings(copy.parent, {}, {}, world.folders).waiting) == 1


def test_a_workspace_is_trusted_by_whatever_way_it_is_reached(world: World) -> None:
    world.write(Layer.PROJECT, ALLOW, "policy")
    world.trust_all()
    link = world.root / "link"
    link.symlink_to(world.workspace)
    assert load_settings(link, {}, {}, world.folders).waiting == ()


def test_a_damaged_trust_file_trusts_nothing_and_is_told(world: World) -> None:
    world.write(Layer.PROJECT, ALLOW, "policy")
    world.trust_all()
    (world.folders.state / "trust.json").write_text("{")
    settings = world.load()
    assert outcomes(settings) == []
    assert len(settings.waiting) == 1
    assert any("trust.json is damaged" in problem for problem in settings.problems)


@pytest.mark.parametrize("layer", [*OWN, *OF_WORKSPACE])
@pytest.mark.parametrize(
    ("stem", "text", "line"),
    [("config", 'mode = "bypass"\nmode = "plan"\n', 2), ("policy", DENY + "[[rule]\n", 4)],
)
def test_a_file_that_is_no_toml_denies_everything_and_is_told(world: World, layer, stem, text, line) -> None:
    world.write(layer, text, stem)
    settings = world.load()
    (rule,) = settings.rules.rules
    assert rule.outcome is Outcome.DENY
    assert rule.is_whole
    assert rule.names(("anything",))
    assert rule.ref.line == line
    (problem,) = settings.problems
    assert f"{stem}{'.local' if layer is Layer.LOCAL else ''}.toml:{line}: not valid TOML" in problem


@pytest.mark.parametrize("stem", ["config", "policy"])
def test_a_file_that_can_not_be_read_denies_everything(world: World, stem: str) -> None:
    os.mkfifo(world.file(Layer.PROJECT, stem))
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert settings.problems[0].startswith(f".handrail/{stem}.toml:1: is not an ordinary file; what it denies can't")


def test_a_link_out_of_the_workspace_is_no_policy_of_it(world: World) -> None:
    elsewhere = world.write(Layer.USER, ALLOW, "elsewhere")
    world.file(Layer.PROJECT, "policy").symlink_to(elsewhere)
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert "a link that leads there" in settings.problems[0]


def test_one_bad_rule_never_voids_its_file(world: World) -> None:
    world.write(Layer.USER, '[[rule]]\ncommand = "ls *"\ndecison = "allow"\n' + DENY, "policy")
    settings = world.load()
    assert "deny" in outcomes(settings)
    assert "allow" not in outcomes(settings)
    assert any("policy.toml:3: " in problem and "did you mean decision" in problem for problem in settings.problems)


def test_a_bad_mode_is_the_strictest_until_somebody_says_another(world: World) -> None:
    world.write(Layer.USER, 'mode = "plam"\nat_once = 3\n')
    settings = world.load()
    assert (settings[MODE], settings[AT_ONCE]) == ("plan", 3)
    assert 'mode = "plam" is none of' in settings.problems[0]
    assert "did you mean plan?" in settings.problems[0]
    assert world.load(mode="default")[MODE] == "default"


def test_a_bad_list_of_policies_denies_everything(world: World) -> None:
    world.write(Layer.USER, "policies = 7\n")
    assert outcomes(world.load()) == ["deny"]


def test_a_listed_policy_that_is_not_there_denies_everything(world: World) -> None:
    world.write(Layer.USER, f'policies = ["{world.root}/gone.toml"]\n')
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert "gone.toml" in settings.problems[0]
    assert f"{world.file(Layer.USER)}:1 lists it" in settings.problems[0]


def test_a_policy_that_a_workspace_lists_is_trusted_for_itself(world: World) -> None:
    world.write(Layer.PROJECT, 'policies = ["team.toml"]\n')
    (world.workspace / "team.toml").write_text(ALLOW + DENY)
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert [(waiting.key.kind, waiting.key.path) for waiting in settings.waiting] == [("policy", "team.toml")]
    world.trust_all()
    assert outcomes(world.load()) == ["allow", "deny"]


@pytest.mark.parametrize("path", ["../user/own.toml", "/etc/hostname"])
def test_a_workspace_lists_no_files_outside_it(world: World, path: str) -> None:
    world.write(Layer.USER, ALLOW, "own")
    world.write(Layer.PROJECT, f'policies = ["{path}"]\n')
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert "lies outside the workspace" in settings.problems[0]


def test_a_file_that_is_listed_twice_is_read_once(world: World) -> None:
    policy = world.write(Layer.USER, DENY, "policy")
    world.write(Layer.USER, f'policies = ["{policy}", "{policy.parent}/../user/policy.toml"]\n')
    assert outcomes(world.load()) == ["deny"]


def test_a_misspelled_list_of_policies_may_tighten(world: World) -> None:
    policy = world.write(Layer.USER, ALLOW + DENY, "more")
    world.write(Layer.USER, f'polices = ["{policy}"]\n')
    settings = world.load()
    assert outcomes(settings) == ["deny"]
    assert "did you mean policies?" in settings.problems[0]


@pytest.mark.parametrize("layer", OWN)
def test_a_file_that_others_can_write_only_restricts(world: World, layer: Layer) -> None:
    world.write(layer, 'mode = "bypass"\nat_once = 2\n').chmod(0o666)
    world.write(layer, ALLOW + DENY + EFFECTS, "policy").chmod(0o666)
    settings = world.load()
    assert (settings[MODE], settings[AT_ONCE]) == ("default", 2)
    assert outcomes(settings) == ["deny"]
    assert settings.rules.declared == ()
    assert settings.waiting == ()
    assert [problem for problem in settings.problems if "chmod go-w" in problem] == list(settings.problems)
    assert len(settings.problems) == 2


def test_the_system_forbids_bypass_and_allow_rules_of_lower_layers(world: World) -> None:
    world.write(Layer.SYSTEM, "forbid_bypass = true\nforbid_lower_allows = true\n" + ALLOW, "policy")
    world.write(Layer.USER, ALLOW + DENY, "policy")
    settings = world.load(mode="bypass")
    policy = settings.policy()
    assert policy.mode is Mode.BYPASS
    assert policy.decides_as is Mode.DEFAULT
    assert [(rule.scope, rule.outcome) for rule in policy.rules] == [
        (RuleScope.SYSTEM, Outcome.ALLOW),
        (RuleScope.USER, Outcome.DENY),
    ]
    assert any("forbids those of lower scopes" in problem for problem in settings.problems)


def test_only_the_system_forbids(world: World) -> None:
    world.write(Layer.PROJECT, "forbid_bypass = true\n", "policy")
    settings = world.load(mode="bypass")
    assert settings.policy().decides_as is Mode.BYPASS
    assert "only the system's policy file" in settings.problems[0]


def test_an_added_folder_that_is_gone_keeps_nobody_from_starting(world: World) -> None:
    world.write(Layer.USER, f'add_dirs = ["{world.root}/gone", "{world.root}"]\n')
    settings = world.load()
    assert settings[ADD_DIRS] == (world.root,)
    assert settings.problems == (
        f"{world.file(Layer.USER)}:1: add_dirs: {world.root}/gone is not a folder; it is left out",
    )


@pytest.mark.parametrize("name", ["x" * 5000, "~nobody-of-this-name", ".handrail/config.toml", "/proc/self/mem"])
def test_no_name_of_a_folder_keeps_anybody_from_starting(world: World, name: str) -> None:
    world.write(Layer.PROJECT, f'add_dirs = ["{name}"]\npolicies = ["{"y" * 5000}"]\n')
    settings = world.load()
    assert "is not a folder; it is left out" in settings.problems[0]
    assert "File name too long" in settings.problems[1]


@pytest.mark.parametrize("name", ["link", "link/../link", "link/below"])
def test_a_link_of_the_workspace_adds_no_folder_outside_it(world: World, name: str) -> None:
    outside = world.root / "outside" / "below"
    outside.mkdir(parents=True)
    (world.workspace / "link").symlink_to(outside.parent)
    world.write(Layer.PROJECT, f'add_dirs = ["{name}"]\n')
    world.trust_all()
    settings = world.load()
    assert settings[ADD_DIRS] == ()
    assert "is a link out of the workspace; name the folder itself" in settings.problems[0]


def test_a_project_can_not_say_who_answers_and_no_file_of_the_workspace_can_loosen_it(world: World) -> None:
    world.write(Layer.PROJECT, 'approve = "all"\n')
    world.trust_all()
    settings = world.load()
    assert settings[APPROVE] == "ask"
    assert "approve can't be set there" in settings.problems[0]


def test_what_the_command_line_gets_wrong_is_an_error(world: World) -> None:
    bad = world.write(Layer.USER, "[[rule]]\n", "bad")
    with pytest.raises(UsageError, match=r"bad\.toml:1: has no decision"):
        world.load(policies=(bad,))
    with pytest.raises(UsageError, match=r"gone\.toml can't be read: No such file"):
        world.load(policies=(world.root / "gone.toml",))
    with pytest.raises(UsageError, match="--mode"):
        world.load(mode="fast")


def test_settings_hold_for_the_workspace_they_were_loaded_for(world: World) -> None:
    settings = world.load()
    settings.check_workspace(world.workspace)
    with pytest.raises(UsageError, match="were loaded for"):
        settings.check_workspace(world.root)


def test_the_policy_files_that_hold_without_trust_are_known(world: World) -> None:
    world.write(Layer.PROJECT, DENY, "policy")
    user = world.write(Layer.USER, DENY, "policy")
    named = world.write(Layer.USER, DENY, "named")
    assert world.load(policies=(named,)).files == (user, named)
