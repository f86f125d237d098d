"""Collection that is left out comes back as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from handrail.runtime.collecting import no_collection


@pytest.fixture(params=[True, False], ids=["on", "off"])
def enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nothing_is_collected_within_and_afterwards_it_is_as_before(enabled: bool) -> None:
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_it_is_as_before_after_a_failure_too(enabled: bool) -> None:
    with pytest.raises(ValueError, match="for no reason"), no_collection():
        raise ValueError("for no reason")
    assert gc.isenabled() is enabled
