"""The process that lives are forked from, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lives import Lives


@pytest.fixture(scope="session")
def lives() -> Iterator[Lives]:
    started = Lives()
    yield started
    started.close()
