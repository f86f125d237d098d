from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.contract.basics import SessionId
from handrail.errors import JournalError
from handrail.runtime.session_lock import SessionLock, holder_of

SESSION = SessionId("session-1")

HOLD = """
import sys
from pathlib import Path
from handrail.runtime.session_lock import SessionLock
lock = SessionLock.take(Path(sys.argv[1]), sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "journal.sqlite"


@pytest.fixture
def holding(journal):
    """A process that holds the session until it is ended."""
    command = [sys.executable, "-c", HOLD, os.fspath(journal), SESSION]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def files(journal: Path) -> list[Path]:
    return list(journal.with_name("journal.sqlite.locks").iterdir())


def test_a_session_is_held_until_it_is_released(journal):
    assert holder_of(journal, SESSION) is None
    lock = SessionLock.take(journal, SESSION)
    assert holder_of(journal, SESSION) == os.getpid()
    lock.release()
    assert holder_of(journal, SESSION) is None
    assert files(journal) == []


def test_a_session_that_a_living_process_holds_is_refused_with_its_id(journal, holding):
    with pytest.raises(JournalError, match=f"session-1 is held by process {holding.pid}; wait until it ends"):
        SessionLock.take(journal, SESSION)
    assert holder_of(journal, SESSION) == holding.pid


def test_other_sessions_are_free(journal, holding):
    SessionLock.take(journal, SessionId("session-2")).release()


def test_a_session_of_a_dead_process_is_taken_over_at_once(journal, holding):
    os.kill(holding.pid, signal.SIGKILL)
    holding.wait()
    assert len(files(journal)) == 1
    assert holder_of(journal, SESSION) is None
    SessionLock.take(journal, SESSION).release()


def test_a_session_can_be_seized_from_a_process_that_is_stopped(journal, holding):
    os.kill(holding.pid, signal.SIGSTOP)
    with pytest.raises(JournalError, match="is held by process"):
        SessionLock.take(journal, SESSION)
    lock = SessionLock.take(journal, SESSION, seize=True)
    assert holder_of(journal, SESSION) == os.getpid()
    with pytest.raises(JournalError, match=f"is held by process {os.getpid()}"):
        SessionLock.take(journal, SESSION)
    lock.release()


def test_the_old_holder_takes_nothing_away_from_the_one_that_seized(journal):
    old = SessionLock.take(journal, SESSION)
    new = SessionLock.take(journal, SESSION, seize=True)
    old.release()
    assert holder_of(journal, SESSION) == os.getpid()
    new.release()
    assert files(journal) == []


def test_a_child_does_not_keep_the_session_of_its_parent(journal):
    lock = SessionLock.take(journal, SESSION)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        SessionLock.take(journal, SESSION).release()
        child.communicate(b"\n")


@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b", "", "x" * 10_000, "\udc80", "nul\0"])
def test_a_session_of_any_name_has_a_lock_of_its_own_in_the_folder(journal, id):
    lock = SessionLock.take(journal, SessionId(id))
    assert len(files(journal)) == 1
    lock.release()


def test_locks_can_be_read_by_their_owner_alone(journal):
    lock = SessionLock.take(journal, SESSION)
    (file,) = files(journal)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    lock.release()
