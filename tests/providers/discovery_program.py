"""Both commands of a discovery: `list` prints what the file `declared` beside it holds, `call NAME` does as named."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path


def list_() -> None:
    sys.stderr.write("looking for tools\n")
    sys.stdout.write(Path("declared.json").read_text())


def call(name: str) -> int:
    given = sys.stdin.buffer.read() if name != "deaf" else b""
    match name:
        case "echo" | "echo.it" | "deaf":
            arguments = json.loads(given) if given else None
            print(json.dumps({"arguments": arguments, "argv": sys.argv[2:], "cwd": os.getcwd()}))
        case "chatty":
            print("on stderr only", file=sys.stderr)
            print("fine")
        case "silent":
            pass
        case "fails":
            print("half")
            print("no such port", file=sys.stderr)
            return 3
        case "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        case "floods":
            while True:
                sys.stdout.write("x" * 65536)
        case "waits":
            Path("started").write_text(str(os.getpid()))
            print("waiting", flush=True)
            time.sleep(600)
    return 0


if __name__ == "__main__":
    sys.exit(call(sys.argv[2]) if sys.argv[1] == "call" else list_())
