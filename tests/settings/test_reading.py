from __future__ import annotations

import os
import socket
from hashlib import sha256

import pytest

from handrail.settings.reading import MAX_BYTES, Unreadable, read_in_workspace, read_own

READERS = [read_own, lambda path: read_in_workspace(path, path.parent)]


@pytest.fixture
def file(tmp_path):
    """In a folder that is its owner's alone."""
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    path = folder / "config.toml"
    path.write_text("mode = 'plan'\n")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("read", READERS)
def test_what_is_read_is_what_is_hashed(read, file) -> None:
    found = read(file)
    assert found.text == "mode = 'plan'\n"
    assert found.digest == sha256(file.read_bytes()).hexdigest()
    assert found.doubt == ""


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there_is_none(read, file) -> None:
    assert read(file.with_name("other")) is None
    assert read(file / "below") is None


def a_fifo(path):
    os.mkfifo(path)


def a_folder(path):
    path.mkdir()


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(path.parent)
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def a_large_file(path):
    path.write_bytes(b"#" * (MAX_BYTES + 1))


def bytes_that_are_no_text(path):
    path.write_bytes(b"mode = '\xff'\n")


def a_link_to_nothing(path):
    path.symlink_to("nowhere")


def a_link_to_itself(path):
    path.symlink_to(path.name)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (a_fifo, "is not an ordinary file"),
        (a_folder, "is not an ordinary file"),
        (a_socket, "is not an ordinary file"),
        (a_large_file, "is larger than 1048576 bytes"),
        (bytes_that_are_no_text, "is not UTF-8: byte 8 is 0xff"),
        (a_link_to_nothing, "can't be read: No such file or directory"),
        (a_link_to_itself, "can't be read: Too many levels of symbolic links"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_there_and_can_not_be_read_is_never_taken_for_absent(read, make, problem, file) -> None:
    file.unlink()
    make(file)
    with pytest.raises(Unreadable, match=problem):
        read(file)


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666], ids=oct)
def test_a_file_that_others_can_write_is_doubted(file, bits) -> None:
    file.chmod(bits)
    assert read_own(file).doubt == f"{file} can be written by others (mode {bits:04o}); run: chmod go-w '{file}'"


def test_a_file_in_a_folder_that_others_can_write_is_doubted(file) -> None:
    file.parent.chmod(0o777)
    assert "folder can be written by others (mode 0777)" in read_own(file).doubt


def test_a_link_is_doubted_for_what_lies_at_its_end(file, tmp_path) -> None:
    link = tmp_path / "own" / "config.toml"
    link.parent.mkdir(mode=0o700)
    link.symlink_to(file)
    assert read_own(link).doubt == ""
    file.parent.chmod(0o770)
    assert "folder can be written by others" in read_own(link).doubt


def test_a_file_of_somebody_else_is_doubted(file, monkeypatch) -> None:
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 65534)
    owner, me = file.stat().st_uid, os.geteuid()
    assert read_own(file).doubt == f"{file} belongs to another user (uid {owner}); run: chown {me} '{file}'"


def test_whose_a_workspace_file_is_does_not_matter(file) -> None:
    file.chmod(0o666)
    assert read_in_workspace(file, file.parent).doubt == ""


@pytest.mark.parametrize("target", ["../secret.toml", "/etc/hostname", "/dev/null"])
def test_a_link_that_leads_out_of_the_workspace_is_not_followed(file, target) -> None:
    (file.parent.parent / "secret.toml").write_text("x = 1\n")
    file.unlink()
    file.symlink_to(target)
    with pytest.raises(Unreadable, match="lies outside the workspace, or is a link that leads there"):
        read_in_workspace(file, file.parent)


def test_a_folder_that_leads_out_of_the_workspace_is_not_followed(file, tmp_path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / ".handrail").symlink_to(file.parent)
    with pytest.raises(Unreadable, match="lies outside the workspace"):
        read_in_workspace(workspace / ".handrail" / "config.toml", workspace)


def test_a_link_within_the_workspace_is_followed(file) -> None:
    link = file.with_name("link.toml")
    link.symlink_to(file.name)
    assert read_in_workspace(link, file.parent).text == "mode = 'plan'\n"
