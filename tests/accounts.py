"""Keeps account of recorded cases: which test is for which, and that none is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])


def case(*ids: str) -> Callable[[T], T]:
    """Says which reported cases a test is for."""

    def mark(test: T) -> T:
        test.cases = ids
        return test

    return mark


def accounted(tests: Mapping[str, Any], *others: Iterable[str]) -> list[str]:
    """The ids of all cases that one of these tests is for, or that are listed otherwise; sorted, repeated ones too."""
    tested = [id for test in tests.values() for id in getattr(test, "cases", ())]
    return sorted([*tested, *(id for listed in others for id in listed)])
