"""Texts that were once allowed although bash 5.2 runs the marker in them, and their like."""

from __future__ import annotations

FOUND = [
    ("escaped backticks within backticks", "echo `ls \\`marker\\``"),
    ("the same within quotes", 'echo "`echo \\"\\`marker\\`\\"`"'),
    ("a subscript that test evaluates", "test -v 'x[$(m\\arker)]'"),
    ("a subscript that [ evaluates", "[ a = a -a -v 'x[$(m\\arker)]' ]"),
    ("a subscript that printf sets", "printf -v 'x[$(m\\arker)]' a"),
    ("a subscript that is unset", "x=(1); unset 'x[$(m\\arker)]'"),
    ("a subscript that is unset, by another spelling", "x=(1); un\\set 'x[$( '\\''marker'\\'' )]'"),
    ("a subscript that is read", "read 'x[$(m\\arker)]' <<< a"),
    ("a subscript that is waited for", "sleep 0 & wait -n -p 'x[$(m\\arker)]'"),
    ("a name reference to a subscript", "declare -n R='x[$(m\\arker)]'; echo $R"),
    ("a value that a condition takes for a number", "Y='x[$({marker,x})]'; [[ Y -eq 0 ]]"),
    ("the same by its value", "Y='x[$({marker,x})]'; [[ $Y -eq 0 ]]"),
    ("a value that an integer is set to", "declare -i Y; Y='x[$(eval '\\''m\\arker'\\'')]'"),
    ("a value that an integer is read from", "declare -i Y; read Y <<< 'x[$(m\\arker)]'"),
    ("a value that an integer takes in a loop", "declare -i Y; for Y in 'x[$(m\\arker)]'; do :; done"),
    ("an argument that is taken for a number", "set -- 'x[$(m\\arker)]'; echo $(($1))"),
    ("an argument in a condition", "set -- 'x[$(m\\arker)]'; [[ $1 -eq 0 ]]"),
    ("a value put together of two", "Y='x[$'; Y+='(m\\arker)]'; echo $((Y))"),
    ("sed that runs, without a blank", "sed -n '1emarker' a.txt"),
    ("sed that runs, with words", "sed -n '1emarker x' a.txt"),
    ("sed that runs what it substitutes", "echo 1 | sed 's|1|marker|e'"),
    ("sed that runs what it is fed", "echo marker | sed e"),
    ("sed that runs its last line", "echo marker | sed -n '$e'"),
    ("a trap of one word", "trap m\\arker DEBUG; ls"),
    ("a trap that is read again", "trap 'm\\arker' RETURN ERR; false"),
    ("a trap behind the end of its options", "trap -- m\\arker EXIT"),
    ("a completion", "compgen -C \\''marker'\\' x"),
    ("an editor that is fed", "ex -s <<< '!marker'"),
    ("a condition behind time", "time [[ a == b || -z $(marker) ]]"),
    ("a here-document that starts with a broken line", "bash <<'E'\n\\\nmarker\nE"),
    ("two negations", "! ! ${U:-marker}"),
    (
        "an option's value that a shell reads",
        "tar cf x.tar --checkpoint=1 --checkpoint-action=exec='${U:-marker}' a.txt",
    ),
    ("the same behind a wrapper", "time tar cf x.tar --checkpoint=1 --checkpoint-action=exec='${U:-marker}' a.txt"),
]
"""Each with what it hides the marker in."""
