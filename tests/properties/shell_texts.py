"""Texts of shell that run a command, hide it, quote it or only mention it: nested, wrapped, chained and damaged."""

from __future__ import annotations

import shlex

from hypothesis import strategies as st

MARKER = "marker"
"""A program that no table knows."""

SPELLINGS = (
    "marker", "marker x", "'marker'", '"marker" x', "m\\arker", "mar''ker", 'mark"e"r x', "$'\\x6darker'",
    "$'mark\\145r' x", "/marks/marker", "/marks/../marks/marker x", "{marker,x}", "mark{er,}", "m=marker; $m",
    "m=mark; ${m}er x", "${U:-marker}", "$(echo marker) x", "`echo marker`", "marke[r]", "/marks/mark?r", "/marks/*",
    "A=1 marker", "LANG=C marker x", ">/dev/null marker", "marker <a.txt", "marker\t2>&1", "\\\nmarker", "mar\\\nker",
    "set -- marker; $1", "x=(marker x); \"${x[@]}\"", "printf -v m mar; ${m}ker", "m=rekram; $(rev <<< $m)",
    "m=MARKER; ${m,,}", "m=xmarker; ${m#x}", "m=marker; ${m:0}", "m=marker n=m; ${!n}", "command marker",
    "\\command \\marker", "builtin command marker",
)  # fmt: skip
"""Ways to write a command that runs it."""

RUNNING = (
    "{c}", "{c}; ls", "ls; {c}", "ls && {c}", "false || {c}", "ls | {c}", "{c} | cat", "ls |& {c}", "{c} & wait",
    "! {c}", "ls\n{c}", "ls # x\n{c}", "ls \\\n; {c}", "( {c} )", "{{ {c}; }}", "{{ {c}\n}} | cat",
    "if {c}; then ls; fi", "if true; then {c}; fi", "if false; then ls; else {c}; fi", "while {c}; do break; done",
    "until ! {c}; do break; done", "for i in 1 2; do {c}; done", "for ((i=0;i<1;i++)); do {c}; done",
    "while true; do {c}; break; done", "case a in a) {c};; esac", "case a in b) ls;; *) {c};; esac",
    "f() {{ {c}; }}; f", "function f {{ {c}\n}}\nf", "f() ( {c} ); f", "ls() {{ {c}; }}; ls", "echo $( {c} )",
    'echo "$( {c} )"', "echo a$( {c} )b", 'echo "a $( {c} ) b"', "X=$( {c} )", "X=$( {c} ) ls", "X+=$( {c} )",
    "export X=$( {c} )", "declare X=$( {c} )", "readonly X=$( {c} )", "x=($( {c} ))", "x[$( {c} )0]=1",
    "[[ -n $( {c} ) ]]", "[ -n \"$( {c} )\" ]", "test a$( {c} )", "echo $(( $( {c} ) + 1 ))", "(( $( {c} ) 1 ))",
    "let x=$( {c} )1", "cat <( {c} )", "ls > >( {c} )", "cat < <( {c} )", "tee >( {c} ) < a.txt",
    "cat <<E\n$( {c} )\nE", "cat <<-E\n\ta $( {c} )\n\tE", 'cat <<< "$( {c} )"', "ls > /dev/null$( {c} )",
    "echo ${{U:-$( {c} )}}", 'echo "${{U:-$( {c} )}}"', "echo ${{U:=$( {c} )}}", "echo ${{PWD/$( {c} )/x}}",
    "echo ${{PWD:$( {c} )0}}", "echo $(echo $( {c} ))", "for i in $( {c} ); do ls; done",
    "case $( {c} ) in *) ls;; esac", "time {c}", "coproc {c}\nwait", "{{ ls; {c}; }} > /dev/null 2>&1",
    "[[ a == b || -z $( {c} ) ]]", "echo [$( {c} )]*", "echo {{a,$( {c} )}}", "ls & {c}", "time ( {c} )", "eval {q}",
    "eval eval {qq}", "bash -c {q}", "sh -c {q}", "bash -ec {q}", "bash -o pipefail -c {q}", "/bin/bash -c {q} x y",
    "env bash -c {q}", "bash <<'E'\n{c}\nE", "bash <<< {q}", "sh -s <<< {q}", "echo {q} | bash",
    "printf '%s\\n' {q} | sh", "cat <<'E' | sh\n{c}\nE", "trap {q} EXIT", "X={q}; eval \"$X\"", "X={q}; eval $X",
    "X={q} bash -c 'eval \"$X\"'", ". <(echo {q})", "source /dev/stdin <<< {q}",
    "shopt -s expand_aliases\nalias l={q}\nl", "echo x | xargs -I% bash -c {q}",
    "find . -maxdepth 0 -exec bash -c {q} \\;", "timeout 5 bash -c {q}", "nice bash -c {q}", "env A=1 sh -c {q}",
    "nohup bash -c {q}", "setsid -w bash -c {q}", "stdbuf -o0 bash -c {q}", "exec bash -c {q}", "command eval {q}",
    "builtin eval {q}", "env -S {envq}", "BASH_ENV=<(echo {q}) bash -c ls", "mapfile -C {evalq} -c 1 x < a.txt",
    "compgen -C {q} x", "X={q}; bash <<< \"$X\"", "f() {{ eval \"$1\"; }}; f {q}", "set -- {q}; eval \"$1\"",
    "read -r X <<< {q}; eval \"$X\"", "printf -v X %s {q}; eval \"$X\"", "Y='$( {c2} )'; echo \"${{Y@P}}\"",
    "Y='x[$( {c2} )]'; echo $((Y))", "Y='x[$( {c2} )]'; [[ $Y -eq 0 ]]", "test -v 'x[$( {c2} )]'",
    "printf -v 'x[$( {c2} )]' a", "x=(1); unset 'x[$( {c2} )]'", "Y='x[$( {c2} )]'; echo ${{!Y}}",
    "declare -i Y; Y='x[$( {c2} )]'", "echo ${{PWD:Y}}$((${{Y:-0}}))$( {c} )", "awk {system}",
    "sed -n '1e{c2}' a.txt", "sed '1e {c2}' a.txt", "echo a | sed 's/a/{c2}/e'", "perl -e {perl}",
    "git -c alias.x='!{c2}' x", "GIT_PAGER={q} git -p help -a",
    "tar cf x.tar --checkpoint=1 --checkpoint-action=exec={q} a.txt",
    "sort --compress-program=/marks/marker -S 1b a.txt; {c}", "hash -p /marks/marker ls; ls; {c}",
    "exec 3> >( {c} ); exec 3>&-; wait", "wait <( {c} )", "ls -d $'a'$( {c} )", "echo `{bt}`", 'echo "`{bt}`"',
)  # fmt: skip
"""Texts that run a command, where they are valid: `{c}` is the command as it is, `{q}` as one word; see `wrapped`."""

MENTIONING = (
    "echo {q}", "ls # {c1}", "cat <<'E'\n{c}\nE", "cat <<\\E\n{c}\nE", "grep -n {q} a.txt", "X={q}; echo \"$X\"",
    ": {q}", "for t in {q}; do echo \"$t\"; done", "[[ a == {q} ]]", "echo {q} | cat", "printf '%s' {q} | wc -c",
    "echo \"a\"{q}",
)  # fmt: skip
"""Texts that hold a command and do not run it."""

_EDITS = (*"\\'\"$()`{};&|<>#!~*?[]=\n\t ", "$(", "<<E\n", "\\\n", "''", "${", "))", "&&", "E\n", "\r")


def wrapped(template: str, command: str) -> str:
    """The command in one of the templates. Never raises."""
    inner = command.replace("'", "'\\''")
    doubled = command.replace("\\", "\\\\").replace('"', '\\"')
    return template.format(
        c=command,
        c1=command.partition("\n")[0],
        c2=inner,
        q=shlex.quote(command),
        qq=shlex.quote(shlex.quote(command)),
        envq=shlex.quote(f"bash -c {shlex.quote(command)}"),
        evalq=shlex.quote(f"eval {shlex.quote(command)} #"),
        system=shlex.quote(f'BEGIN {{ system("{doubled}") }}'),
        perl=shlex.quote(f'system "{doubled}"'),
        bt=command.replace("\\", "\\\\").replace("`", "\\`"),
    )


@st.composite
def running(draw: st.DrawFn) -> str:
    """A text that runs the marker, if it is valid."""
    text = draw(st.sampled_from(SPELLINGS))
    for template in draw(st.lists(st.sampled_from(RUNNING), max_size=4)):
        text = wrapped(template, text)
    return text


@st.composite
def any_texts(draw: st.DrawFn) -> str:
    """A text that runs the marker or mentions it, or has been damaged."""
    text = draw(st.sampled_from(SPELLINGS))
    for template in draw(st.lists(st.sampled_from(RUNNING + MENTIONING), max_size=4)):
        text = wrapped(template, text)
    for place, edit in draw(st.lists(st.tuples(st.floats(0, 1), st.sampled_from(("", *_EDITS))), max_size=3)):
        at = int(place * len(text))
        text = text[:at] + edit + text[at + (not edit) :]
    return text
