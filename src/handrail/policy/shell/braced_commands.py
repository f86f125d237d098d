"""Commands whose first word starts with a brace, `{rm,x}`: bash runs `rm x`, and the parser can't read them. Pure.

Deny and ask rules see what they come to. A text that the parser can't read stays opaque for all that.
"""

from __future__ import annotations

import re
import shlex

from handrail.policy.shell.folders import Folder
from handrail.policy.shell.parse import read
from handrail.policy.shell.words import Known

_BRACED = re.compile(r"""(?<![^\s;&|(!`])\{(?:\\.|'[^']*'|"[^"$`]*"|[^\s;&|()<>'"\\])+""", re.S)
"""A word that starts with a brace, to its end."""


def with_first_braces_out(text: str, home: str) -> str:
    """The text with such words written out, those of which all is known."""

    def written_out(found: re.Match[str]) -> str:
        commands = read(f": {found[0]}", (Folder("/"),), home).commands
        words = commands[0].words[1:] if len(commands) == 1 else ()
        values = [word.text for word in words if word.known is Known.EXPANDED]
        return shlex.join(values) if values and len(values) == len(words) else found[0]

    return _BRACED.sub(written_out, text)
