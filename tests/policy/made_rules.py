"""Calls and rules of all kinds, for hypothesis: few words, so that rules often hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from made_facts import call, part, path, shell, unknown

from handrail.contract.tool import Kind, Opinion
from handrail.policy import Caller, Facts, Mode

WORDS = st.sampled_from(["git", "push", "x", "make", "a.txt", "$X", "*.c", "-f", "rm"])
PATHS = st.sampled_from(["a.txt", "src/a.py", "src/deep/b.py", ".env", "~/n/x", "/srv/x", "src", ".", "x y/z", "#a"])
HOSTS = st.sampled_from(["x.org", "a.x.org", "y.org", "*", "HTTPS://A.x.org/p"])
NAMES = st.sampled_from(["shell", "fetch", "mcp_gh_list", "mcp_gl_get", "mystery"])
VALUES = st.sampled_from(["a", "ab", "b", 1, True, None, ["a", "b"], {"x": "a"}])
ARGUMENTS = st.none() | st.dictionaries(st.sampled_from(["p", "q", "p.x"]), VALUES, max_size=2)
ACCESS = st.sampled_from(["read", "write"])

path_facts = st.builds(
    path, PATHS, ACCESS, st.sampled_from(["", "", "/srv/x", "/home/me/work/src/a.py"]), tree=st.booleans()
)


@st.composite
def parts(draw: st.DrawFn) -> Any:
    words = draw(st.lists(WORDS, min_size=1, max_size=4))
    return part(
        " ".join(words),
        reads=draw(st.booleans()),
        opaque=draw(st.sampled_from(["", "", "", "it can't be known"])),
        paths=tuple(draw(st.lists(path_facts, max_size=1))),
        redirected=tuple(draw(st.lists(path_facts, max_size=1))),
        connects=frozenset(draw(st.lists(HOSTS, max_size=1))),
        edits=draw(st.booleans()),
    )


shells = st.builds(shell, parts()) | st.builds(shell, parts(), parts())
plain = st.builds(call, NAMES, path_facts, path_facts, hosts=st.lists(HOSTS, max_size=2).map(tuple)) | st.builds(
    call, NAMES, hosts=st.lists(HOSTS, max_size=1).map(tuple)
)
circumstances = st.fixed_dictionaries(
    {
        "kind": st.sampled_from([Kind.OTHER, Kind.READ]),
        "server": st.sampled_from(["", "gh"]),
        "annotations": st.sampled_from([(), (("readOnlyHint", True),)]),
        "caller": st.builds(Caller, st.sampled_from(["", "kid"]), st.booleans()),
        "arguments": ARGUMENTS,
        "approval": st.sampled_from([None, None, None, "ask", "once", "always", "never"]),
        "opinion": st.sampled_from([None, None, None, Opinion("ask", "odd"), Opinion("deny", "no")]),
    }
)


@st.composite
def calls(draw: st.DrawFn) -> Facts:
    facts = draw(shells | plain | st.builds(unknown, NAMES))
    return replace(facts, **draw(circumstances))


TESTS = (
    st.sampled_from(["a", "a*", "*b", "?", "1", "true"])
    | st.builds(lambda value: {"equals": value}, VALUES)
    | st.builds(lambda regex: {"regex": regex}, st.sampled_from(["a", "^a$", "b$", "(?P<n>a)", "[01]"]))
)

EFFECTS = st.sampled_from(["read", "write", "run", "connect", "unknown", "secret", "outside"])

CONDITIONS = {
    "tool": st.sampled_from(["*", "shell", "mcp_*", "m*y", "?hell", "fetch", "mcp_gh_list", "Bash"]),
    "command": st.sampled_from(["*", "git *", "git push *", "git p*", "git push", "* x", "make", "r* -f *", "rm x"]),
    "path": st.sampled_from([
        "**", "src/**", "src/", "src", "*.py", "a*", "a.txt", "/src/a.py", "~/n/*", "~/**", "//srv/x", "//**", "x y",
        "\\#a", "**/a.py", "src/*/b.py",
    ]),
    "host": st.sampled_from(["*", "x.org", "*.x.org", "*.org"]),
    "kind": st.sampled_from(["other", "read"]),
    "server": st.sampled_from(["gh", "*"]),
    "subagent": st.sampled_from(["kid", "k*"]),
    "effect": st.lists(EFFECTS, min_size=1, max_size=4),
    "args": st.dictionaries(st.sampled_from(["p", "q", "p.x"]), TESTS, min_size=1, max_size=2),
    "annotations": st.just({"readOnlyHint": True}),
}  # fmt: skip
"""Values for one condition of a rule; of most a list is as good."""


@st.composite
def rule_tables(draw: st.DrawFn, decisions: tuple[str, ...] = ("allow", "ask", "deny")) -> dict[str, object]:
    table: dict[str, object] = {"decision": draw(st.sampled_from(decisions))}
    for key in draw(st.lists(st.sampled_from(list(CONDITIONS)), min_size=1, max_size=3, unique=True)):
        one = CONDITIONS[key]
        listed = key not in ("effect", "args", "annotations")
        table[key] = draw(one | st.lists(one, min_size=1, max_size=2)) if listed else draw(one)
    if draw(st.integers(0, 9)) == 0:
        table["mode"] = draw(st.sampled_from(list(Mode)))
    if draw(st.integers(0, 9)) == 0:
        table["interactive"] = draw(st.booleans())
    if table["decision"] == "ask" and draw(st.booleans()):
        table["grantable"] = True
    return table


modes = st.sampled_from(list(Mode))
