from __future__ import annotations

import pytest

import handrail.testing


@pytest.mark.parametrize("name", handrail.testing.__all__)
def test_every_name_that_is_offered_is_there_and_listed(name: str) -> None:
    assert getattr(handrail.testing, name).__name__ == name
    assert name in dir(handrail.testing)


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match=r"'handrail\.testing' has no attribute 'FakeTools'"):
        _ = handrail.testing.FakeTools
