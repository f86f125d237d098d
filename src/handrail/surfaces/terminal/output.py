"""Where the prompt draws: the terminal, which is asked nothing. Its answers would stand among the keys."""

from __future__ import annotations

import os
import sys

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

_USUAL = os.terminal_size((80, 24))


def inline_output() -> Output:
    """Raises OSError where stdout is no terminal."""

    def size() -> Size:
        found = os.get_terminal_size(sys.stdout.fileno())
        return Size(rows=found.lines or _USUAL.lines, columns=found.columns or _USUAL.columns)

    return Vt100_Output(sys.stdout, size, term=os.environ.get("TERM"), enable_cpr=False)
