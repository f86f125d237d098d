from __future__ import annotations

import tempfile

import pytest
from policy_world import World, make_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world").resolve()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(folder / "temporary"))
        return make_world(folder)
