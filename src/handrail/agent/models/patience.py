"""How often, and after how long, a request is sent again."""

from __future__ import annotations

import random

from handrail.agent.models.trouble import Trouble
from handrail.contract.values import value


@value
class Patience:
    """Pauses double from the first to the longest, each shortened at random by up to a half, so that many who were
    turned away at once don't come back at once."""

    tries: int = 8
    """About two minutes in all; an overload of minutes is common, one of hours is for the person to decide on."""
    first: float = 0.5
    longest: float = 32.0
    most: float = 300.0
    """Seconds that a server may ask for; if it asks for more, the person is told instead."""
    silence: float = 600.0
    """Seconds without a byte after which an answer counts as broken off: what the SDKs of OpenAI and Anthropic have."""

    def pause(self, trouble: Trouble, tried: int) -> float | None:
        """Seconds until the next try; None where there should be none."""
        if not trouble.again or tried >= self.tries or trouble.wait > self.most:
            return None
        own = min(self.longest, self.first * 2.0 ** (tried - 1))
        return trouble.wait or own * random.uniform(0.5, 1.0)  # noqa: S311 - nothing is kept secret by it
