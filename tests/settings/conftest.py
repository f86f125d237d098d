from __future__ import annotations

import pytest
from settings_world import World, made


@pytest.fixture
def world(tmp_path) -> World:
    return made(tmp_path)
