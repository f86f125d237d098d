"""The `handrail` command. `--version` is answered before anything else is imported."""

from __future__ import annotations

import gc
import sys

from handrail import __version__

SELDOM = 100_000
"""New objects after which the collector looks for garbage: loading our code makes many, and no garbage."""


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"handrail {__version__}\n")
        return
    gc.set_threshold(SELDOM)
    from handrail.surfaces.cli.app import run

    code = run(sys.argv[1:])
    if "handrail.providers.mcp.sdk" in sys.modules:
        from handrail.providers.mcp.sdk import give_up

        give_up()
    gc.freeze()  # the process ends: no need to look for garbage once more in all that was loaded
    sys.exit(code)


if __name__ == "__main__":
    main()
