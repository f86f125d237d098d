from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from search_harness import open_folder


@pytest.fixture
def open_root() -> Iterator[Path]:
    with open_folder() as root:
        yield root
