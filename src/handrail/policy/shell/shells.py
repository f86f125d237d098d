"""Scripts in the words of shells and of `env`, where it is known for sure what they run."""

from __future__ import annotations

import re
from dataclasses import replace

from handrail.policy.shell.arguments import plain_name
from handrail.policy.shell.code import ONLY_TELLS
from handrail.policy.shell.flags import looks_like_flag
from handrail.policy.shell.script import names_input
from handrail.policy.shell.words import Word

_LETTERS = re.compile(r"-[leuxvfnC]*c?[leuxvfnC]*")
"""Options of a shell that change nothing in what its script means."""
_LONG = frozenset(("--login", "--norc", "--noprofile"))
_SETTINGS = frozenset(("errexit", "nounset", "pipefail", "xtrace", "verbose"))
_OTHER_SHELLS = frozenset(("zsh", "fish", "csh", "tcsh"))
"""Their scripts mean the same only where these hold nothing but plain words."""
_PLAIN_WORDS = re.compile(r"(?:(?!(?<!\S)=)[\w@%+:,./= \t'\"-])*")
_ZSH_ALONE = re.compile(r"(?<![\w'\"$=<>!~+-])=\w|[\w*?\])]\(|\$\{[(^=~+]|\$[=~^]")
"""In zsh alone: `=rm` for the path of rm, flags of expansions, and what patterns for file names run."""
_VALUED = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
_PLAIN_TEXT = re.compile(r"[\w@%+:,./= \t-]*")


def plain_script(name: str, words: tuple[Word, ...]) -> str | None:
    """The script that `bash -c`, `zsh -lc` or `eval` would run; None where that is not known for sure."""
    rest = words[1:]
    if name == "eval":
        known = bool(rest) and all(word.value is not None for word in rest) and not rest[0].text.startswith("-")
        return " ".join(word.text for word in rest) if known else None
    script = _after_options(rest)
    if script is None or script.value is None:
        return None
    if name in _OTHER_SHELLS and not _PLAIN_WORDS.fullmatch(script.text):
        return None
    return script.text


def runs_file(words: tuple[Word, ...]) -> bool:
    """True for `bash build.sh`, with harmless options or none: a program like any other, by the name of its file."""
    return _after_options(words[1:]) is None and _after_options((Word("-c"), *words[1:])) is not None


def _after_options(words: tuple[Word, ...]) -> Word | None:
    """The word behind `-c`, where every option before it is harmless."""
    wants_script, position = False, 0
    while position < len(words):
        text = words[position].value
        position += 1
        if text is None:
            return None
        if text in ("-o", "+o") and position < len(words) and words[position].value in _SETTINGS:
            position += 1
        elif text != "-" and _LETTERS.fullmatch(text):
            wants_script = wants_script or "c" in text
        elif text not in _LONG:
            return words[position - 1] if wants_script and not looks_like_flag(text) else None
    return None


def split_by_env(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """`env -S 'A=1 ls'` as `env A=1 ls`, where the text holds nothing that env would act on."""
    if len(words) < 2 or plain_name(words[0]) != "env" or words[1].value is None:
        return words
    text, rest = words[1].text, words[2:]
    if text in ("-S", "--split-string") and rest and rest[0].value is not None:
        split, rest = rest[0].text, rest[1:]
    elif text.startswith(("-S", "--split-string=")) and text not in ("-S", "--split-string"):
        split = text.removeprefix("--split-string=") if text.startswith("--") else text[2:]
    else:
        return words
    if not _PLAIN_TEXT.fullmatch(split):
        return words
    return (words[0], *map(Word, split.split()), *rest)


def follows_own_rules(name: str, script: str) -> bool:
    """True for a script that means something else to its shell than to those whose syntax is parsed here."""
    return name == "zsh" and _ZSH_ALONE.search(script) is not None


def script_or_input(words: tuple[Word, ...]) -> Word | bool:
    """The script that a shell gets after `-c`; True when it runs what it is fed, False when it runs a file."""
    wants_script, rest = False, iter(words)
    for word in rest:
        if word.text in _VALUED:
            next(rest, None)
        elif word.text.startswith("--command="):
            return replace(word, text=word.text.partition("=")[2])
        elif word.text.startswith(("-", "+")) and len(word.text) > 1:
            wants_script = wants_script or word.text == "--command" or (word.text[1] != "-" and "c" in word.text)
        elif wants_script:
            return word
        elif word.value is None or word.text != "-":
            return word.value is None or names_input(word.text)
    return not (wants_script or (words and all(word.text in ONLY_TELLS for word in words)))
