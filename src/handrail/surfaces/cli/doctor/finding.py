"""What a check of `handrail doctor` found."""

from __future__ import annotations

from enum import StrEnum

from handrail.contract.values import value


class Health(StrEnum):
    OK = "ok"
    WARN = "warn"
    """It works, and something is not as it should be."""
    FAIL = "fail"
    """Something will not work."""


@value
class Finding:
    """One line about one thing."""

    about: str
    health: Health
    found: str
    mend: str = ""
    """What to do about it; may stand beside what is well, as advice."""
