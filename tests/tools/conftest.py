from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def open_root() -> Iterator[Path]:
    """A folder that any user may reach; pytest's own are the user's alone."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and there is no setpriv to become somebody else")
    with TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        root.mkdir()
        for path in (root, root.parent):
            path.chmod(0o755)
        yield root
