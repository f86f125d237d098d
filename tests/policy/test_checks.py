from __future__ import annotations

import pytest
from policy_world import World

from handrail.policy import Mode

MODES = [str(mode) for mode in Mode]
ALLOW_ALL: list[dict[str, object]] = [{"decision": "allow", "tool": "*", "mode": MODES}]

RUINOUS = [
    "rm -rf /",
    "rm -fr /",
    "rm -r -f /",
    "rm --recursive --force /",
    "rm -rf -- /",
    "rm -rf --no-preserve-root /",
    "rm / -rf",
    "rm -rf //",
    "rm -rf /.",
    "rm -rf /../",
    "rm -rf '/'",
    "rm -rf /*",
    "rm -rf /etc",
    "rm -rf /etc/",
    "rm -rf /etc/*",
    "rm -rf /us?",
    "rm -rf /{etc,usr}",
    "rmdir /usr",
    "unlink /bin",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf $HOME",
    'rm -rf "$HOME"',
    "rm -rf ${HOME}/",
    'rm -rf "$HOME"/*',
    "rm -rf $HOME/.*",
    "rm -rf {home}",
    "rm -rf .",
    "rm -rf ./",
    "rm -rf src/..",
    "rm -rf ..",
    "rm -rf ../..",
    "rm -rf ../*",
    "rm -rf $PWD",
    'rm -rf "$PWD"',
    'rm -rf "$(pwd)"',
    "rm -rf {root}",
    "rm -rf {root}/",
    "rm -rf a.txt / b.txt",
    "rm -rf link_out/../../workspace",
    "r\\m -rf /",
    "/bin/rm -rf /",
    "sudo rm -rf /",
    "env A=1 rm -rf /",
    "echo / | xargs rm -rf /etc",
    "anywrapper rm -rf /",
    "bash -c 'rm -rf /'",
    "eval 'rm -rf ~'",
    "ls; rm -rf ~ &",
    "echo $(rm -rf ~)",
    "echo `rm -rf ~`",
    "cat <(rm -rf ~)",
    "if true; then rm -rf ~; fi",
    "f() { rm -rf ~; }; f",
    "cat <<EOF\n$(rm -rf ~)\nEOF",
    "cd / && rm -rf *",
    "cd .. && rm -rf workspace",
    "cd ~; rm -rf .",
    "cd src && rm -rf ..",
    "cd && rm -rf *",
    "(cd /; rm -rf etc)",
    "find / -delete",
    "find ~ -type f -delete",
    "find / -name '*' -delete",
    "find / -exec rm -rf {} +",
    "find ~ ! -name keep -delete",
    "find / -name x -o -delete",
    "shred /etc",
    "rm -rf '/' 'unterminated",
    "rm -rf ~home",
    "rm -rf {x,~}",
    "rm -rf ~home/",
    "env -C / rm -rf etc",
    "env --chdir=/ rm -rf etc",
    "sudo -D / rm -rf etc",
    "sudo -D/ rm -rf etc",
    "cd .. && rm -rf w*",
    "rm -rf ../w?rkspace",
    "rm -rf ../[v-x]orkspace",
    "rm -rf {root}/../work*",
    "rm -rf link_out/../w*",
    "rm -rf ~/../h*",
    "mv ~ x",
    "mv /etc x",
    "mv . {outside}/x",
    "mv -t x ~",
    "mv --target-directory=x ~ a.txt",
    "cd .. && mv workspace other",
    "find .. -exec mv {} /tmp/x +",
    "git submodule foreach 'rm -rf /'",
]


@pytest.mark.parametrize("command", RUINOUS)
def test_a_ruinous_removal_is_denied_in_every_mode_whatever_the_rules(world: World, command: str) -> None:
    for mode in MODES:
        decision = world.shell(command, mode, ALLOW_ALL)
        assert (decision.outcome, str(decision.source)) == ("deny", "check:removal"), (mode, decision.reason)
        assert "denied in every mode" in decision.reason


NEEDS_A_PERSON = [
    'rm -rf "$D"/*',
    "rm -rf $D/",
    "rm -rf ${D}/*",
    "rm -rf /$D",
    "rm -rf $D/usr",
    "rm -rf ~/$D",
    'rm -rf "$(mktemp -d)"/*',
    'cd "$D" && rm -rf *',
    "rm -rf *",
    "rm -rf ./*",
    "rm -rf -- *",
    "find . -delete",
    "find {root} -type f -delete",
    "cd build; rm -rf *",
    "rm -rf / ; echo " + "x" * 10_000,
    "rm -rf $D",
    'rm -rf "$D"',
    'rm -rf "$(cat list)"',
    "rm -rf ${D:-/}",
    "rm -rf $A$B",
    "for d in $(ls); do rm -rf $d; done",
    "find . -name x -exec sh -c 'rm -rf \"$1\"' _ {} +",
    "ls | xargs rm -rf",
    "ls | xargs -I% rm -rf %",
    "parallel rm -rf ::: a b",
    "rm -rf ~somebody",
    "rm -rf ~somebody/x",
    "mv * src",
    "find .. -name workspace -exec rm -rf {} +",
    "find ~ -name '*.log' -delete",
    "find / -name x -exec rm {} +",
    "anywrapper 'rm -rf /'",
    "tar xf a.tar --to-command='rm -rf ~'",
    "sed '1e rm -rf /' a.txt",
    "h=$(ls); $h approvals approve 1",
    "$(echo handrail) trust add .",
]


@pytest.mark.parametrize("mode", ["default", "accept-edits", "sandboxed", "bypass"])
@pytest.mark.parametrize("command", NEEDS_A_PERSON)
def test_a_removal_that_may_be_ruinous_is_asked_of_a_person_every_time(world: World, mode: str, command: str) -> None:
    decision = world.shell(command, mode, ALLOW_ALL)
    assert (decision.outcome, str(decision.source)) == ("ask", "check:removal"), decision.reason
    assert decision.needs_person


ORDINARY = [
    "rm -rf build",
    "rm -rf ./build/",
    "rm -rf build/*",
    "rm -rf src/__pycache__",
    "rm a.txt",
    "rm *.pyc",
    "rm -f *.log",
    "rm *",
    "rm -rf {temporary}/x",
    "rm -rf {temporary}/*",
    "rm -rf {outside}/x",
    "rm $D",
    "ls | xargs rm",
    "rm -rf w*",
    "rm -rf ../w?",
    "rm -rf src/w*",
    'rm -rf "$BUILD/out"',
    "rm -rf ~/x/y",
    "cd build && rm -rf *",
    "cd build && rm -rf .",
    "cd build || exit 1; rm -rf *",
    "cd src && rm -rf ../build",
    "(cd /); rm -rf build",
    "find . -name '*.pyc' -delete",
    "find . -type d -name __pycache__ -exec rm -rf {} +",
    r"find . \( -name a -o -name b \) -delete",
    "find . -name '*.log' ! -path './keep/*' -delete",
    "find build -delete",
    "find {root} -name '*.pyc' -delete",
    "find {temporary} -name x -delete",
    "mv a.txt /etc",
    "mv *.txt src",
    "mv -t /etc a.txt",
    "mv a.txt ~",
    "sed 's/rm x/ /'",
    "env -C src rm -rf build",
    "find / -ok rm {} \\;",
    "git rm -r .",
    "echo rm -rf /",
    "grep -r 'rm -rf /' src",
    "git commit -m 'rm -rf /'",
    "ls # rm -rf /",
    "cat <<'EOF'\nrm -rf /\nEOF",
]


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_removal_is_judged_by_rules_and_mode_alone(world: World, command: str) -> None:
    assert world.shell(command, "bypass").outcome == "allow"


def test_the_removal_of_what_an_inner_link_leads_to_is_seen(world: World) -> None:
    (world.root / "to_root").symlink_to("/")
    assert world.shell("rm -rf to_root/etc", "bypass").outcome == "deny"
    assert world.shell("rm -rf to_root/", "bypass").outcome == "deny"
    assert world.shell("rm to_root", "bypass").outcome == "allow"


def test_a_file_tool_that_deletes_is_held_to_the_same(world: World) -> None:
    for path in (".", "..", "/etc", str(world.home), "/"):
        decision = world.decide("delete_file", "bypass", ALLOW_ALL, file_path=path)
        assert (decision.outcome, str(decision.source)) == ("deny", "check:removal")
    assert world.decide("delete_file", "bypass", file_path="a.txt").outcome == "allow"


PROTECTED = [
    ".git/config",
    ".git/hooks/pre-commit",
    "vendored/.git/config",
    ".GIT/config",
    ".vscode/settings.json",
    ".idea/x.xml",
    ".husky/pre-push",
    ".cargo/config.toml",
    ".devcontainer/devcontainer.json",
    ".claude/settings.json",
    ".gemini/settings.json",
    ".handrail/policy.toml",
    ".mcp.json",
    ".gitmodules",
    ".npmrc",
    ".envrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "gradle/wrapper/gradle-wrapper.properties",
    "pyrightconfig.json",
    "{home}/.bashrc",
    "{home}/.zshenv",
    "{home}/.profile",
    "{home}/.gitconfig",
    "{home}/.config/git/config",
    "{home}/.config/handrail/policy.toml",
    "{home}/.ssh/authorized_keys",
]


@pytest.mark.parametrize("mode", ["default", "accept-edits", "sandboxed", "bypass"])
@pytest.mark.parametrize("path", PROTECTED)
def test_a_write_to_a_protected_path_is_asked_of_a_person_every_time(world: World, mode: str, path: str) -> None:
    decision = world.decide("write_file", mode, ALLOW_ALL, file_path=world.filled(path))
    assert (decision.outcome, str(decision.source)) == ("ask", "check:protected-path")
    assert decision.needs_person


@pytest.mark.parametrize("path", ["a.txt", "git/config", "docs/.gitignore", ".claude/worktrees/x/src/a.py", "bashrc"])
def test_a_write_elsewhere_is_not_protected(world: World, path: str) -> None:
    assert world.decide("write_file", "accept-edits", file_path=path).outcome == "allow"


def test_a_protected_path_may_be_read(world: World) -> None:
    assert world.decide("read_file", file_path=".git/config").outcome == "allow"
    assert world.shell("cat .git/config").outcome == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /proc/self/cwd/.git/hooks/pre-commit",
        "cd .git && touch /proc/self/cwd/hooks/pre-commit",
        "tee /proc/$$/cwd/a.txt",
        "cp a.txt /proc/1/root/etc/x",
        "touch /dev/fd/../cwd/.git/hooks/x",
        "sed -n 'w .git/hooks/pre-commit' a.txt",
        "awk '{print > \".git/config\"}' a.txt",
        'python3 -c \'open(".git/hooks/pre-commit", "w")\'',
    ],
)
def test_a_write_through_another_process_or_by_code_is_held_to_the_same(world: World, command: str) -> None:
    decision = world.shell(command, "bypass", ALLOW_ALL)
    assert (decision.outcome, decision.needs_person) == ("ask", True), decision.reason


def test_a_deny_rule_comes_before_a_protected_path(world: World) -> None:
    decision = world.decide("write_file", rules=[{"decision": "deny", "path": ".git/**"}], file_path=".git/config")
    assert decision.outcome == "deny"


def test_a_link_to_a_protected_path_is_protected(world: World) -> None:
    (world.root / "innocent").symlink_to(world.root / ".git" / "config")
    assert str(world.decide("write_file", file_path="innocent").source) == "check:protected-path"


WRITES_PROTECTED = [
    "echo x > .git/hooks/pre-commit",
    "echo x >> ~/.bashrc",
    "ls &> .git/config",
    "tee .git/config",
    "cp a.txt .git/hooks/post-commit",
    "sed -i s/a/b/ .git/config",
    "rm -rf .git",
    "ln -s x ~/.ssh/config",
    "dd of=.git/config",
    "install -m 755 a.txt .husky/pre-push",
    "python tool.py --out=.vscode/tasks.json",
    "cd .git && touch config",
    "bash -c 'echo x > .git/config'",
    "mv a.txt $HOME/.profile",
    "tar xf a.tar -C .git hooks",
    "git -C vendored apply .git/hooks/x.patch",
    "install --directory=x -C .git config",
    "touch .g*/config",
]


@pytest.mark.parametrize("command", WRITES_PROTECTED)
def test_a_command_that_may_write_a_protected_path_needs_a_person(world: World, command: str) -> None:
    decision = world.shell(command, "bypass", ALLOW_ALL)
    assert (decision.outcome, str(decision.source)) == ("ask", "check:protected-path"), decision.reason


@pytest.mark.parametrize(
    "command", ["git add .gitmodules", "git commit .npmrc", "cat .gitmodules", "ls .git", "jq . .mcp.json"]
)
def test_a_program_known_not_to_write_its_operands_may_name_a_protected_path(world: World, command: str) -> None:
    assert world.shell(command, "bypass").outcome == "allow"


@pytest.mark.parametrize("mode", MODES)
def test_the_runtimes_own_state_is_out_of_reach(world: World, mode: str) -> None:
    inside = world.state / "journal.sqlite"
    for tool in ("read_file", "write_file"):
        decision = world.decide(tool, mode, ALLOW_ALL, file_path=str(inside))
        assert (decision.outcome, str(decision.source)) == ("deny", "check:state")
    for command in (f"cat {inside}", f"ls {world.state}", f"sqlite3 {inside} 'select 1'", f"cp {inside} ."):
        assert str(world.shell(command, mode, ALLOW_ALL).source) == "check:state"
    for command in (f"tar cf x -C {world.state.parent} handrail", f"make --directory={world.state} journal.sqlite"):
        assert str(world.shell(command, mode, ALLOW_ALL).source) == "check:state"
    assert world.decide("read_tree", mode, ALLOW_ALL, path=str(world.home)).outcome == "deny"


def test_a_link_into_the_state_is_out_of_reach_too(world: World) -> None:
    (world.root / "to_state").symlink_to(world.state)
    assert str(world.decide("read_file", file_path="to_state/journal.sqlite").source) == "check:state"


ANSWERING = [
    "handrail approvals approve 1",
    "handrail approvals reject 1",
    "handrail approvals answer 1 yes",
    "handrail approvals edit 1",
    "handrail -C . approvals approve 1",
    "/usr/local/bin/handrail approvals approve 1",
    "python -m handrail approvals approve 1",
    "python3 -mhandrail approvals approve 1",
    "python3 -Imhandrail approvals approve 1",
    "python3 -m handrail.__main__ approvals approve 1",
    "uvx handrail approvals approve 1",
    "timeout 5 handrail approvals approve 1",
    "h=handrail; $h approvals approve 1",
    "bash -c 'handrail approvals approve 1'",
    "ls | xargs handrail approvals approve",
    "handrail grants add x",
    "handrail grants revoke x",
    "handrail trust add .",
    "handrail mcp add x -- sh -c true",
    "handrail mcp login x",
    "handrail trust remove .",
    "handrail policy add x",
    "handrail init",
    "handrail --debug init --yes",
    "python -m handrail init",
    "handrail $WHAT approve 1",
    "handrail approvals $WHAT 1",
    "hand\\rail approvals approve 1",
]


@pytest.mark.parametrize("command", ANSWERING)
def test_a_call_can_not_answer_approvals_or_change_policy(world: World, command: str) -> None:
    for mode in MODES:
        decision = world.shell(command, mode, ALLOW_ALL)
        assert (decision.outcome, str(decision.source)) == ("deny", "check:self-approval"), (mode, decision.reason)


@pytest.mark.parametrize(
    "command",
    [
        "handrail approvals list",
        "handrail exec init",
        "handrail tools",
        "handrail exec file.json",
        "handrail trust list",
        "handrail grants show",
        "handrail policy check f",
        "echo handrail approvals approve 1",
        "grep handrail trust a.txt",
    ],
)
def test_handrail_may_be_asked_to_show_things(world: World, command: str) -> None:
    assert world.shell(command, "bypass").outcome == "allow"
