"""What stands behind the words of git, as deny and ask rules must see it: names of commands, and settings that run."""

from __future__ import annotations

from handrail.policy.shell.arguments import arguments_of
from handrail.policy.shell.git_settings import is_harmless_setting
from handrail.policy.shell.programs import programs
from handrail.policy.shell.words import Known, Word

_DASHED = "git-"
_WHOSE = frozenset((
    "--global", "--system", "--local", "--worktree", "--add", "--replace-all", "--unset", "--unset-all", "set", "unset",
    "--all", "--append",
))  # fmt: skip
"""Between `git config` and the name of the setting; behind any other option the name is looked for no further."""
_RUNS_SUBCOMMANDS = frozenset(("for-each-repo",))


def undashed(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """`git-push origin` as `git push origin`: git keeps a program for each of its commands. None for any other."""
    name = words[0].program
    if not name.startswith(_DASHED) or name == _DASHED:
        return None
    return (Word("git"), Word(name.removeprefix(_DASHED)), *words[1:])


def hides_command(words: tuple[Word, ...]) -> bool:
    """True for `git SUBCOMMAND …` that may stand for another: an alias, or a command that the words behind it name."""
    if len(words) < 2 or words[0].program != "git" or words[1].value is None or words[1].text.startswith("-"):
        return False
    name = words[1].text
    return name in _RUNS_SUBCOMMANDS or not any(known.split()[0] == name for known in programs()["git"].subcommands)


def sets_what_runs(words: tuple[Word, ...]) -> bool:
    """True where `git config` sets what later commands of git may run: `alias.x`, `core.pager`."""
    read = arguments_of(words)
    if words[0].program != "git" or read is None:
        return False
    behind = words[read.start + 1 :] if read.subcommand.split()[:1] == ["config"] else ()
    name = next((word for word in behind if word.text not in _WHOSE), None)
    return name is not None and (name.known is Known.UNKNOWN or not is_harmless_setting(name.text))
