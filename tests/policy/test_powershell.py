from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_world import World

from handrail.contract.decision import Outcome
from handrail.policy.shell.powershell.cmdlets import Cmdlets, cmdlets
from handrail.policy.shell.programs import BadTable, Takes
from handrail.policy.shell.reading import read_powershell

pytest.importorskip("tree_sitter_powershell", reason="the parser for PowerShell is an extra, and is not installed")

READ_ONLY = [
    ("a cmdlet", "Get-ChildItem src"),
    ("by its alias, in any case", "GCI -Recurse -Filter *.py src"),
    ("by the alias of another system", "dir src"),
    ("a name that is a program elsewhere, which only reads too", "ls src"),
    ("the same of a file", "cat a.txt"),
    ("a pipe", "Get-Content a.txt | Select-String -Pattern 'te xt' | Measure-Object -Line"),
    ("a list", "Get-Location; Get-Item a.txt"),
    ("lines", "Get-Location\nGet-Item a.txt\n"),
    ("a chain", "Test-Path a.txt && Get-Content a.txt || Write-Output missing"),
    ("numbers", "Get-Content a.txt -TotalCount 5"),
    ("its own words", 'Write-Output "done"'),
    ("echo", "echo 'it''s done'"),
    ("a parameter in capitals", "Get-Content -PATH a.txt -RAW"),
    ("a parameter that is shortened", "Get-ChildItem -Rec src"),
    ("a parameter with a colon", "Get-ChildItem -Filter:*.py src"),
    ("a switch that is given", "Get-ChildItem -Recurse:$true src"),
    ("a switch that is taken back", "Get-ChildItem -Recurse:$false src"),
    ("an alias of a parameter", "Get-Content a.txt -Head 3"),
    ("a parameter that all have", "Get-Item nothing -ErrorAction SilentlyContinue"),
    ("the same by its alias", "Get-Item nothing -ea 0"),
    ("several files", "Get-Content a.txt,src/app.py"),
    ("several files with blanks", "Get-Content a.txt, 'src/app.py' , \"a.txt\""),
    ("a literal path", "Get-Content -LiteralPath a.txt"),
    ("backslashes", r"Get-Content .\src\app.py"),
    ("a path in quotes", "Get-Content 'src/app.py'"),
    ("the folder by its full name", "Get-Content {root}/a.txt"),
    ("a pattern, since only names are shown", "Get-ChildItem *.txt"),
    ("files by a pattern that no secret fits", "Get-Content *.txt"),
    ("a search", "Select-String -Path src/*.py -Pattern text -Context 2,3"),
    ("a search without parameters", "sls text a.txt"),
    ("a search in what is found", "Get-ChildItem -Recurse -Filter *.py | Select-String text"),
    ("the same of several kinds", "gci -r -Include *.py, *.txt | sls 'text' | select Path, LineNumber, Line"),
    ("what is found is read", "Get-ChildItem src | Get-Content"),
    ("the same, chosen and sorted", "gci src | ? Length -gt 1 | sort Length | select -First 1 | gc"),
    ("a comparison", "Get-ChildItem | Where-Object { $_.Length -gt 2KB -and $_.Name -like '*.py' }"),
    ("a comparison without blanks", "gci|?{$_.Length -GT 1}"),
    ("a negation", "gci | ? { -not $_.PSIsContainer -and !($_.Name -match '^x') }"),
    ("one of several", "gci | ? { $_.Extension -in '.py', '.md' }"),
    ("a comparison without a block", "Get-ChildItem | Where-Object Extension -eq .py"),
    ("a property of each", "gci | ForEach-Object { $_.FullName }"),
    ("the same without a block", "gci | % FullName"),
    ("a text of each", "gci | % { '{0}: {1}' -f $_.Name, $_.Length }"),
    ("sorted by a block", "gci | Sort-Object { $_.Name.Length } -Descending"),
    ("properties", "Get-Process | Sort-Object CPU -Descending | Select-Object -First 5 Name, Id, CPU"),
    ("a property worked out", "gci | select Name, @{n='KB'; e={$_.Length / 1KB}}"),
    ("groups", "gci -r | group Extension -NoElement | sort Count | ft -AutoSize"),
    ("JSON read and written", "Get-Content a.txt -Raw | ConvertFrom-Json | ConvertTo-Json -Depth 5 -Compress"),
    ("a table as text", "Get-Process | Format-Table Name, Id -AutoSize | Out-String -Width 200"),
    ("sums", "gci -r -File | Measure-Object -Property Length -Sum"),
    ("the date", "Get-Date -Format 'yyyy-MM-dd'"),
    ("a command looked up", "Get-Command Get-Item, python | select Name, Source"),
    ("errors to nowhere", "Get-Content a.txt 2>$null"),
    ("errors to nowhere, with a blank", "Get-Content a.txt 2> $null"),
    ("errors along with output", "Get-Content a.txt 2>&1 | Select-String x"),
    ("everything to nowhere", "Get-Item a.txt *>$null"),
    ("output to nobody", "Get-Item a.txt | Out-Null"),
    ("a comment", "Get-Location # Remove-Item x, y"),
    ("a line broken in two", "Get-ChildItem `\n  -Recurse src"),
    ("a pipe on two lines", "Get-ChildItem |\n  Select-Object Name"),
    ("another folder in the workspace", "Set-Location src; Get-ChildItem"),
    ("a path from there", "cd src && Get-Content ../a.txt"),
    ("a file that everybody may read", "Get-Content /etc/passwd"),
    ("a secret file's name", "Get-Item .env"),
    ("parts of a path", "Split-Path -Leaf src/app.py"),
    ("a dash in quotes, which is no parameter", "Write-Output '-rf'"),
]

ASKED = [
    ("writes", "Set-Content a.txt x"),
    ("writes by its alias", "ac a.txt x"),
    ("removes", "Remove-Item a.txt"),
    ("removes by a program's name", "rm a.txt"),
    ("makes a file", "New-Item b.txt"),
    ("writes what it is given", "gc a.txt | Out-File b.txt"),
    ("writes on the way", "gc a.txt | Tee-Object b.txt"),
    ("is a program", "git status"),
    ("is a program by its path", "./build.ps1"),
    ("is not known", "Get-Unknown x"),
    ("has an argument that only programs know", "ls --hyperlink"),
    ("is a program elsewhere, which writes", "gci | sort -o b.txt"),
    ("is on the network by the name of a program", "curl example.org"),
    ("is on the network", "Invoke-WebRequest example.org"),
    ("waits for more", "Get-Content a.txt -Wait"),
    ("asks another machine", "Get-Process -ComputerName other"),
    ("has a parameter that is not listed", "Get-ChildItem -FollowSymlink"),
    ("has a beginning of several parameters", "Get-ChildItem -Fi x"),
    ("has a beginning of none", "Get-ChildItem -Recursed src"),
    ("sets a variable", "Get-Item a.txt -OutVariable PSDefaultParameterValues"),
    ("has a parameter without its value", "Get-Content -Path"),
    ("has a parameter for a value", "Get-Content -Path -Raw"),
    ("has a switch that is not known", "Get-ChildItem -Recurse:$x"),
    ("reads a variable", "Get-Content $x"),
    ("shows the environment", "Write-Output $env:TOKEN"),
    ("reads a variable in a text", 'Get-Content "$x"'),
    ("hides a command in a text", 'Write-Output "$(Remove-Item x)"'),
    ("has an escape", "Get-Content a`t"),
    ("has an escape in a text", 'Get-Content "a`0"'),
    ("has a command for a value", "Get-Content (Get-Item a.txt)"),
    ("has commands for a value", "Get-Content $(Remove-Item a.txt)"),
    ("has commands for values", "Get-Content @(Remove-Item a.txt)"),
    ("gives its arguments by a table", "Get-Content @more"),
    ("runs a block for each", "Get-ChildItem | ForEach-Object { Remove-Item $_ }"),
    ("runs a command to compare", "Get-ChildItem | Where-Object { rm $_ }"),
    ("calls a method of each", "Get-ChildItem | ForEach-Object { $_.Delete() }"),
    ("calls a method of each by its name", "Get-ChildItem | ForEach-Object Delete"),
    ("calls a method of each by parameter", "Get-ChildItem | ForEach-Object -MemberName Delete"),
    ("changes a property of each", "Get-ChildItem | ForEach-Object { $_.IsReadOnly = $false }"),
    ("counts a property up", "gci | % { $_.Length++ }"),
    ("calls a method of a type in a block", "gci | ? { [IO.File]::Delete($_) }"),
    ("has a variable in a block", "gci | ? { $_.Name -eq $name }"),
    ("has a redirection in a block", "gci | % { $_.Name > x }"),
    ("has an escape in a block", 'gci | % { "`e]0;x" }'),
    ("shows the environment of a process", "Get-Process | % { $_.StartInfo.EnvironmentVariables }"),
    ("shows it by a property", "Get-Process | select -ExpandProperty StartInfo"),
    ("works a property out by a command", "gci | select @{n='x'; e={Remove-Item $_}}"),
    ("has a block where none belongs", "Get-ChildItem | Get-Content -Path { $_.FullName }"),
    ("has a table where none belongs", "Get-Content @{n='a.txt'}"),
    ("calls a command by its name", "& 'Get-Item' a.txt"),
    ("calls a block", "& { Get-Item a.txt }"),
    ("runs a file in this shell", ". ./x.ps1"),
    ("runs its words", "Invoke-Expression 'Get-Item a.txt'"),
    ("runs its words by its alias", "iex 'gl'"),
    ("starts a program", "Start-Process git"),
    ("works in the background", "Get-Item a.txt &"),
    ("calls a type", "[System.IO.File]::Delete('a.txt')"),
    ("calls a type on the way", "gci | [IO.File]::Delete('a.txt')"),
    ("is an expression", "1 + 1"),
    ("is a text", "'a.txt' | Get-Content"),
    ("sets a variable first", "$x = Get-Item a.txt"),
    ("sets a variable of the environment", "$env:PATH = '.'; Get-Item a.txt"),
    ("gives a function the name of a cmdlet", "function Get-Item { Remove-Item x }; Get-Item a.txt"),
    ("is a condition", "if ($true) { Get-Item a.txt }"),
    ("is a loop", "foreach ($x in 1..3) { Get-Item a.txt }"),
    ("catches errors", "try { Get-Item a.txt } catch { Remove-Item x }"),
    ("gives names another meaning", "Set-Alias Get-Item Remove-Item; Get-Item a.txt"),
    ("loads a module", "using module ./x.psm1"),
    ("loads a module by a comment", "#Requires -Modules evil\nGet-Item a.txt"),
    ("names the module of a cmdlet", r"Evil\Get-Item a.txt"),
    ("writes by a redirection", "Get-Content a.txt > b.txt"),
    ("writes by a redirection without blanks", "Get-Content a.txt>b.txt"),
    ("writes errors", "Get-Content a.txt 2>b.txt"),
    ("writes all", "Get-Content a.txt *>b.txt"),
    ("adds by a redirection", "Get-Content a.txt >> b.txt"),
    ("writes where a variable says", "Get-Content a.txt > $x"),
    ("reads a secret file", "Get-Content .env"),
    ("reads a secret file in any case", "Get-Content -LiteralPath .ENV"),
    ("reads a secret file by a pattern", "Get-Content .e*"),
    ("reads all files", "Get-Content *"),
    ("reads secret files that are found", "Get-ChildItem -Recurse | Get-Content"),
    ("searches in secret files that are found", "Get-ChildItem -Force | Select-String KEY"),
    ("searches in what is found by an odd pattern", "gci -Force -Include '.e[n]v', '.e`nv' | sls KEY"),
    ("reads by names that it is given", "gci src -Name | Get-Content"),
    ("reads by names in a file", "Get-Content a.txt | Get-Content"),
    ("reads by names that it made", "gci src | select @{n='Path'; e={'/x'}} | gc"),
    ("looks where it is told", "Get-Content a.txt | Get-ChildItem"),
    ("reads outside", "Get-Content {outside}/b.txt"),
    ("reads outside by backslashes", r"Get-Content '..\outside\b.txt'"),
    ("reads outside by a link", "Get-Content link_out/b.txt"),
    ("reads outside by a link in a pattern", "Get-Content l*/b.txt"),
    ("reads files outside that are found", "gci {outside} | gc"),
    ("goes outside", "Set-Location ..; Get-Content outside/b.txt"),
    ("goes outside by its alias", "cd {outside}; ls"),
    ("goes back", "cd -; ls"),
    ("goes home", "cd; ls"),
    ("reads from home", "Get-Content ~/x"),
    ("reads from home in quotes", r"Get-Content '~\x'"),
    ("reads from somebody's home", "Get-Content ~root/x"),
    ("reads another drive", r"Get-Content C:\x"),
    ("reads by the name of a provider", "Get-Content FileSystem::/etc/shadow"),
    ("reads the environment", "Get-ChildItem env:"),
    ("reads the environment's entry", "Get-Content env:TOKEN"),
    ("reads the registry", "Get-ItemProperty HKLM:/Software"),
    ("reads another machine", r"Get-Content \\server\share\x"),
    ("reads by brackets", "Get-Content .en[v]"),
    ("has another dash", "Get-ChildItem \u2013Recurse"),
    ("has other quotes", "Write-Output \u201cx\u201d; rm x"),
    ("has a blank that is none", "Write-Output\u00a0x"),
    ("stops parsing", "Write-Output --% x > y"),
    ("has a text of several lines", "Write-Output @'\nx\n'@"),
    ("hides a command behind a comma in a comment", "Get-Location # a,\nRemove-Item x"),
    ("hides a command on another line", "Get-Content a.txt -Tail\nRemove-Item x"),
    ("hides a command in a long comment", "Get-Location <# x #>; Remove-Item x"),
    ("has a long comment", "Get-Item <# x #> a.txt"),
    ("has a list that goes on on another line", "Get-Content a.txt,\nGet-Location"),
    ("has a list that ends with a comma", "Get-Content a.txt, | Select-String x"),
    ("has a parameter with an equals sign", "Get-Content -Path=a.txt"),
    ("has a parameter and a value in one word", "Get-Content -Path'a.txt'"),
    ("has a letter that only looks like another", "Get-Loc\u0430tion"),
    ("has a letter that is another in small", "get-loo\u212a"),
    ("has a list that starts with a comma", "Get-Content ,a.txt"),
    ("can't be parsed", "Get-Content 'x"),
    ("ends too early", "gci |"),
    ("is nothing", ""),
    ("is a comment alone", "# Get-Item a.txt"),
]

OTHER_USES = [
    ("nothing to run", "pwsh"),
    ("a file", "pwsh x.ps1"),
    ("a file by its option", "pwsh -File x.ps1"),
    ("a file before a command", "pwsh -File x -c gl"),
    ("an encoded command", "pwsh -EncodedCommand ZwBsAA=="),
    ("an encoded command, shortened", "powershell -enc ZwBsAA=="),
    ("what it is fed", "echo gl | pwsh -Command -"),
    ("a text that is not known", 'pwsh -c "$x"'),
    ("a text of which a part is not known", 'pwsh -c gl "$x"'),
    ("more words than the cmdlet takes", "pwsh -c 'gl' x"),
    ("an option that is not known", "pwsh -SettingsFile x -c gl"),
    ("another folder", "pwsh -wd / -c gl"),
    ("a setting before it", "PSModulePath=/x pwsh -c gl"),
    ("its output as words", "ls $(pwsh -c gl)"),
    ("a program of that name", "./pwsh -c gl"),
    ("a redirection of the shell around it", "pwsh -c gl > b.txt"),
]

HARMLESS_USES = [
    "pwsh -NoProfile -NonInteractive -Command gl",
    "pwsh -nop -noni -c Get-Content a.txt",
    "powershell -NoLogo -ExecutionPolicy Bypass -Command 'gl'",
    "pwsh -COMM 'gl; gi a.txt' 2>/dev/null | head -5",
    "cd src && pwsh -c 'gc app.py'",
    "timeout 5 pwsh -c gl",
    "pwsh --version",
]

DENIED = [
    ("Remove-Item *", "Remove-Item x"),
    ("Remove-Item *", "remove-item -Path x"),
    ("Remove-Item *", "rm x"),
    ("Remove-Item *", "gci | % { del $_ }"),
    ("rm *", "Remove-Item x"),
    ("rm *", "gl; ri x"),
    ("rm *", 'Write-Output "$(erase x)"'),
    ("rm *", "if ($x) { & 'rm' x }"),
    ("rm *", "Invoke-Expression 'rm x'"),
    ("rm *", "bash -c 'rm x'"),
    ("git push *", "gl && git push origin"),
    ("Remove-Item -Recurse *", "ri -rec x"),
    ("Invoke-WebRequest *", "iwr example.org"),
]


def in_powershell(script: str) -> str:
    return "pwsh -NoProfile -Command " + shlex.quote(script)


@pytest.mark.parametrize(("why", "script"), READ_ONLY, ids=[why for why, _ in READ_ONLY])
def test_powershell_that_only_reads_is_allowed_unasked(world: World, why: str, script: str) -> None:
    decision = world.shell(in_powershell(script))
    assert decision.outcome is Outcome.ALLOW, decision.reason


@pytest.mark.parametrize(("why", "script"), ASKED, ids=[why for why, _ in ASKED])
def test_powershell_is_asked_about_where_it(world: World, why: str, script: str) -> None:
    decision = world.shell(in_powershell(script))
    assert decision.outcome is Outcome.ASK, decision.reason


@pytest.mark.parametrize(("why", "command"), OTHER_USES, ids=[why for why, _ in OTHER_USES])
def test_powershell_that_may_run_something_else_is_asked_about(world: World, why: str, command: str) -> None:
    decision = world.shell(command)
    assert decision.outcome is Outcome.ASK, decision.reason


@pytest.mark.parametrize("command", HARMLESS_USES)
def test_harmless_options_of_powershell_are_passed_over(world: World, command: str) -> None:
    decision = world.shell(command)
    assert decision.outcome is Outcome.ALLOW, decision.reason


@pytest.mark.parametrize(("rule", "script"), DENIED)
def test_a_rule_that_denies_a_cmdlet_holds_by_all_its_names_and_wherever_it_stands(
    world: World, rule: str, script: str
) -> None:
    rules: list[dict[str, object]] = [{"decision": "deny", "command": rule}, {"decision": "allow", "tool": "*"}]
    assert world.shell(in_powershell(script), "bypass", rules).outcome is Outcome.DENY


@pytest.mark.parametrize(
    "script", ["& $x y", "[IO.File]::Delete('x')", "iex $x", "$x.Delete()", "Get-Item $(", ". ./x.ps1"]
)
def test_powershell_that_can_t_be_seen_is_asked_about_where_anything_is_denied(world: World, script: str) -> None:
    rules: list[dict[str, object]] = [{"decision": "deny", "command": "rm *"}, {"decision": "allow", "tool": "*"}]
    assert world.shell(in_powershell(script), "bypass", rules).outcome is Outcome.ASK


@pytest.mark.parametrize("script", ["Write-Output 'rm x'", "gl # rm x", "Get-Content rm"])
def test_a_rule_that_denies_a_cmdlet_does_not_hold_for_texts(world: World, script: str) -> None:
    assert world.shell(in_powershell(script), "default", [{"decision": "deny", "command": "rm *"}]).outcome is not (
        Outcome.DENY
    )


@pytest.mark.parametrize("script", ["Remove-Item -Recurse -Force /", "del ~ -r", "cd /; rm -r *", "gl; ri {root}"])
def test_ruinous_removals_are_denied_in_powershell_too(world: World, script: str) -> None:
    assert world.shell(in_powershell(world.filled(script)), "bypass").outcome is Outcome.DENY


@pytest.mark.parametrize(
    "script",
    ["Set-Content .git/hooks/pre-commit x", r"ac .git\hooks\x y", "gl > .git/hooks/x", "Remove-Item -Recurse .git"],
)
def test_protected_paths_are_found_in_powershell_too(world: World, script: str) -> None:
    rules: list[dict[str, object]] = [{"decision": "allow", "tool": "*"}]
    assert world.shell(in_powershell(script), "default", rules).outcome is Outcome.ASK


def test_calls_of_handrail_from_powershell_are_denied(world: World) -> None:
    assert world.shell(in_powershell("gl; handrail approvals approve 1"), "bypass").outcome is Outcome.DENY


@pytest.mark.parametrize(
    ("rule", "script", "outcome"),
    [
        ("Remove-Item *", "ri x", Outcome.ALLOW),
        ("Remove-Item -Recurse *", "Remove-Item -rec x", Outcome.ALLOW),
        ("Remove-Item x", "Remove-Item y", Outcome.ASK),
        ("Remove-Item *", "ri x; git push", Outcome.ASK),
        ("Remove-Item *", "ri $(git push)", Outcome.ASK),
        ("Remove-Item *", "rm x", Outcome.ASK),
        ("git status", "git status", Outcome.ALLOW),
        ("pwsh *", "Set-Content a.txt x", Outcome.ASK),
        ("Get-Content *", "Get-Content $env:TOKEN", Outcome.ASK),
    ],
)
def test_a_rule_allows_a_command_in_powershell_by_its_own_name(
    world: World, rule: str, script: str, outcome: Outcome
) -> None:
    decision = world.shell(in_powershell(script), "default", [{"decision": "allow", "command": rule}])
    assert decision.outcome is outcome, decision.reason


@pytest.mark.parametrize(("why", "script"), READ_ONLY, ids=[why for why, _ in READ_ONLY])
def test_a_text_of_powershell_itself_is_read_the_same(why: str, script: str) -> None:
    reading = read_powershell(script.replace("{root}", "/workspace"), "/workspace", "/home/user")
    assert not reading.unread
    assert not reading.opaque


def test_a_part_of_powershell_says_where_it_stands_and_what_it_is() -> None:
    first, second, third = read_powershell("cd src && gci | rm", "/workspace", "/home/user").parts
    assert [word.text for word in first.words] == ["Set-Location", "src"]
    assert first.stands == ()
    assert second.stands == third.stands == ("pipe",)
    assert [operand.path for operand in second.operands] == ["/workspace/src/."]
    assert third.unread == "it removes files"


ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=30) | st.text("'\"`$(){}@#,;|&<>\n -ab.", max_size=30)


@given(read_only=st.sampled_from([script for _, script in READ_ONLY]), text=ANY_TEXT)
def test_a_command_that_is_not_known_is_never_made_read_only_by_what_follows(read_only: str, text: str) -> None:
    assert read_powershell(f"{read_only}\nRemove-Item x {text}", "/workspace", "/home/user").unread
    assert read_powershell(f"frobnicate {text}; {read_only}", "/workspace", "/home/user").unread


@given(read_only=st.sampled_from([script for _, script in READ_ONLY]), text=ANY_TEXT, sep=st.sampled_from(";|\n"))
def test_text_put_behind_read_only_powershell_runs_no_other_program(read_only: str, text: str, sep: str) -> None:
    reading = read_powershell(f"{read_only}{sep}{text}", "/workspace", "/home/user")
    if not reading.unread:
        assert all(cmdlets().find(part.words[0].text) for part in reading.parts)


@given(text=ANY_TEXT | st.text(max_size=200))
def test_reading_powershell_never_raises(text: str) -> None:
    assert read_powershell(text, "/workspace", "/home/user").parts


@pytest.mark.parametrize("cmdlet", [cmdlet for cmdlet in cmdlets() if cmdlet.usage.never], ids=lambda c: c.name)
def test_a_cmdlet_that_does_more_than_read_is_so_by_each_of_its_names(cmdlet: object) -> None:
    names = next(each.names for each in cmdlets() if each is cmdlet)
    for name in names:
        assert read_powershell(f"{name} x", "/workspace", "/home/user").unread
        assert read_powershell(f"gl | {name.upper()} x", "/workspace", "/home/user").unread


@pytest.mark.parametrize("cmdlet", [cmdlet for cmdlet in cmdlets() if not cmdlet.usage.never], ids=lambda c: c.name)
def test_a_parameter_that_is_not_listed_is_asked_about(cmdlet: object) -> None:
    name = next(each.name for each in cmdlets() if each is cmdlet)
    assert read_powershell(f"{name} -Frobnicate x", "/workspace", "/home/user").unread


def test_names_that_the_lists_mention_are_those_of_cmdlets_and_parameters() -> None:
    known = cmdlets()
    for key in ("blocks", "lists", "passes", "texts", "searches", "moves", "evaluates", "starts"):
        assert [name for name in known.listed(key) if name not in {cmdlet.name for cmdlet in known}] == []
    parameters = {name: flag.takes for cmdlet in known for name, flag in cmdlet.usage.flags.items()}
    for key in ("paths", "destinations", "filters"):
        assert {parameters[name] for name in known.listed(key)} == {Takes.VALUE}


def test_a_name_of_two_cmdlets_is_refused() -> None:
    with pytest.raises(BadTable, match=r"b\.toml: gi of \[Get-It\]"):
        Cmdlets({"a.toml": '[Get-Item]\nnames = ["gi"]', "b.toml": '[Get-It]\nnames = ["gi"]'}, "common = []")
