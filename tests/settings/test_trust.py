from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys

import pytest

from handrail.errors import UsageError
from handrail.settings.trust import TrustKey, TrustKind, TrustStore

POLICY = TrustKey("/work", TrustKind.POLICY, ".handrail/policy.toml", "a" * 64)
SETTINGS = TrustKey("/work", TrustKind.SETTINGS, ".handrail/config.toml", "b" * 64)
ELSEWHERE = TrustKey("/other", TrustKind.POLICY, ".handrail/policy.toml", "a" * 64)


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def store(state) -> TrustStore:
    return TrustStore(state)


def test_without_a_file_nothing_is_trusted_and_nothing_is_wrong(store) -> None:
    book = store.read()
    assert not book.trusts(POLICY)
    assert book.problem == ""


def test_a_yes_is_kept_for_this_very_thing(store, state) -> None:
    store.add([POLICY], 1.5)
    book = TrustStore(state).read()
    assert book.entries == {POLICY: 1.5}
    for other in (
        ELSEWHERE,
        TrustKey("/work", TrustKind.SETTINGS, POLICY.path, POLICY.digest),
        TrustKey("/work", TrustKind.POLICY, "policy.toml", POLICY.digest),
        TrustKey("/work", TrustKind.POLICY, POLICY.path, "c" * 64),
    ):
        assert not book.trusts(other)


def test_a_yes_to_new_content_takes_the_place_of_the_old_one(store) -> None:
    store.add([POLICY, SETTINGS, ELSEWHERE], 1)
    changed = TrustKey("/work", TrustKind.POLICY, POLICY.path, "c" * 64)
    store.add([changed], 2)
    assert store.read().entries == {SETTINGS: 1, ELSEWHERE: 1, changed: 2}


def test_trust_is_taken_back_by_path_or_for_a_whole_workspace(store) -> None:
    store.add([POLICY, SETTINGS, ELSEWHERE], 1)
    assert store.remove("/work", [POLICY.path]) == [POLICY]
    assert store.remove("/work", [POLICY.path]) == []
    assert store.remove("/work") == [SETTINGS]
    assert store.read().of("/other") == [ELSEWHERE]


def test_the_file_is_its_owners_alone_and_nothing_is_left_beside_it(store, state) -> None:
    store.add([POLICY], 1)
    store.add([SETTINGS], 2)
    assert sorted(path.name for path in state.iterdir()) == ["trust.json", "trust.json.lock"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}


def test_a_name_that_is_no_text_is_kept_as_it_is(store) -> None:
    odd = TrustKey(os.fsdecode(b"/w\xff"), TrustKind.POLICY, os.fsdecode(b"p\xfe\n"), "a" * 64)
    store.add([odd], 1)
    assert store.read().trusts(odd)


def test_a_kind_of_a_later_version_is_kept(store) -> None:
    hooks = TrustKey("/work", "hooks", ".handrail/hooks.toml", "d" * 64)
    store.add([hooks], 1)
    store.add([POLICY], 2)
    assert store.read().trusts(hooks)


ENTRY = {"workspace": "/work", "kind": "policy", "path": ".handrail/policy.toml", "sha256": "a" * 64, "at": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"version": 2, "trusted": []}',
        b'{"version": 1}',
        b'{"version": 1, "trusted": {}}',
        json.dumps({"version": 1, "trusted": [ENTRY, "x"]}).encode(),
        json.dumps({"version": 1, "trusted": [ENTRY, {**ENTRY, "sha256": None}]}).encode(),
        json.dumps({"version": 1, "trusted": [{**ENTRY, "at": "now"}]}).encode(),
    ],
    ids=lambda content: content[:60],
)
def test_a_damaged_file_trusts_nothing_and_is_not_written_over(store, state, content) -> None:
    (state / "trust.json").write_bytes(content)
    book = store.read()
    assert book.entries == {}
    assert f"the trust file {state / 'trust.json'} is damaged" in book.problem
    assert "Nothing is trusted; repair or remove the file" in book.problem
    for change in (lambda: store.add([POLICY], 1), lambda: store.remove("/work")):
        with pytest.raises(UsageError, match="is damaged"):
            change()
    assert (state / "trust.json").read_bytes() == content


def writable(file):
    file.chmod(0o666)


def a_link(file):
    file.rename(file.with_name("other.json"))
    file.symlink_to("other.json")


def a_fifo(file):
    file.unlink()
    os.mkfifo(file)


def in_an_open_folder(file):
    file.parent.chmod(0o777)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (writable, r"can be written by others \(mode 0666\)"),
        (in_an_open_folder, r"can be written by others \(mode 0777\)"),
        (a_link, "can't be read: Too many levels of symbolic links"),
        (a_fifo, "is not an ordinary file"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_file_that_somebody_else_could_have_written_trusts_nothing(store, state, spoil, problem) -> None:
    store.add([POLICY], 1)
    spoil(state / "trust.json")
    book = store.read()
    assert book.entries == {}
    assert re.search(problem, book.problem)


def test_a_folder_that_is_not_there_is_told(tmp_path) -> None:
    with pytest.raises(UsageError, match="can't be written: No such file or directory"):
        TrustStore(tmp_path / "gone").add([POLICY], 1)


CHILD = """
import sys
from pathlib import Path
from handrail.settings.trust import TrustKey, TrustStore
store = TrustStore(Path(sys.argv[1]))
for number in range(10):
    store.add([TrustKey(sys.argv[2], "policy", f"{number}.toml", "a" * 64)], number)
"""


def test_processes_that_trust_at_once_all_have_their_way(store, state) -> None:
    children = [subprocess.Popen([sys.executable, "-c", CHILD, str(state), f"/{name}"]) for name in "abc"]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    book = store.read()
    assert {name: len(book.of(f"/{name}")) for name in "abc"} == {"a": 10, "b": 10, "c": 10}
