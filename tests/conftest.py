"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Machines differ in speed, and no test is about time. In CI the same commit gives the same answer.
settings.register_profile(
    "handrail",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("handrail")
