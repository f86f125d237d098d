"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# Machines differ in speed, and no test is about time. In CI the same commit gives the same answer.
settings.register_profile(
    "handrail",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("handrail")

# A shell starts what it runs in the background deaf to Ctrl-C, and so would be all that tests start from there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_OF_TESTS = (
    "HANDRAIL_STATE",
    "HANDRAIL_CONFIG",
    "HANDRAIL_CORPUS",
    "HANDRAIL_WHOLE_CORPUS",
    "HANDRAIL_FAULTS",
    "HANDRAIL_FUZZ",
    "HANDRAIL_UPDATE_SNAPSHOTS",
)
"""Variables that tests set or obey."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: to look for garbage in it takes a fifth of the time, and finds none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory):
    """No test reads or writes what this machine's user has set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANDRAIL_STATE", str(tmp_path_factory.mktemp("state")))
        patch.setenv("HANDRAIL_CONFIG", str(tmp_path_factory.mktemp("config")))
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        for name in [name for name in os.environ if name.startswith("HANDRAIL_") and name not in _OF_TESTS]:
            patch.delenv(name)
        yield
