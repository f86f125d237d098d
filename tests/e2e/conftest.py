"""The command, loaded once for all tests that run it often."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from loaded import Loaded


@pytest.fixture(scope="session")
def loaded() -> Iterator[Loaded]:
    process = Loaded()
    yield process
    process.close()
