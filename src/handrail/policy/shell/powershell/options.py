"""The command line of PowerShell itself: `pwsh -NoProfile -Command …`."""

from __future__ import annotations

from handrail.policy.shell.words import Word

SHELLS = frozenset(("pwsh", "powershell", "pwsh.exe", "powershell.exe", "pwsh-preview"))

_COMMAND = "command"
_HARMLESS = ("noprofile", "nologo", "noninteractive", "sta", "mta")
_VALUED = ("executionpolicy", "outputformat", "inputformat")
_SHORT = {"c": _COMMAND, "nop": "noprofile", "nol": "nologo", "noni": "noninteractive", "ep": "executionpolicy",
    "ex": "executionpolicy", "o": "outputformat", "of": "outputformat", "if": "inputformat"}  # fmt: skip


def script_of(words: tuple[Word, ...]) -> str | None:
    """The text behind `-Command`, to which PowerShell puts all words together that follow; None for any other use.

    So for `-EncodedCommand` and `-File`, for a text that it is fed (`-Command -`), and where a word is not known.
    """
    position = 1
    while position < len(words):
        match _option(words[position]):
            case "command":
                texts = [word.value for word in words[position + 1 :]]
                known = [text for text in texts if text is not None]
                return " ".join(known) if known and len(known) == len(texts) and known != ["-"] else None
            case option if option in _HARMLESS:
                position += 1
            case option if option in _VALUED:
                position += 2
            case _:
                return None
    return None


def _option(word: Word) -> str:
    """The full name of an option: it may be shortened, and start with one dash or two. Empty for anything else."""
    text = word.text.lower()
    if word.value is None or not text.startswith("-"):
        return ""
    name = text.removeprefix("-").removeprefix("-")
    fitting = [full for full in (_COMMAND, *_HARMLESS, *_VALUED) if len(name) > 2 and full.startswith(name)]
    return _SHORT.get(name) or (fitting[0] if len(fitting) == 1 else "")
