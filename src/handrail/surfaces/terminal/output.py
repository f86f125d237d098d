"""Where the prompt draws: the terminal, which is asked nothing. Its answers would stand among the keys."""

from __future__ import annotations

import os
import sys

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from handrail.surfaces.cli.wrapping import size_of


def inline_output() -> Output:
    def size() -> Size:
        found = size_of(sys.stdout.fileno())
        return Size(rows=found.lines, columns=found.columns)

    return Vt100_Output(sys.stdout, size, term=os.environ.get("TERM"), enable_cpr=False)
