from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from handrail.runtime.environment import child_environment
from handrail.runtime.repository import MAX_CONFIG_BYTES, MAX_INDEX_BYTES, running_settings


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for words in (
        ["init", "-q"],
        ["config", "user.email", "a@example.org"],
        ["remote", "add", "origin", "https://example.org/x.git"],
        ["config", "branch.main.merge", "refs/heads/main"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (tmp_path / "src").mkdir()
    return tmp_path


def test_a_plain_repository_and_no_repository_run_nothing(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert running_settings(str(repository)) == ""
    assert running_settings(str(repository / "src")) == ""
    assert running_settings(str(tmp_path_factory.mktemp("none"))) == ""


def test_a_clone_runs_nothing(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = tmp_path_factory.mktemp("clone")
    subprocess.run(["git", "clone", "-q", str(repository), str(clone)], check=True, capture_output=True)
    assert running_settings(str(clone)) == ""


SETTINGS = [
    ("fsmonitor", "[core]\n\tfsmonitor = ./x"),
    ("in capitals", "[CORE]\n\tFsMonitor = ./x"),
    ("the pager", "[core]\n\tpager = ./x"),
    ("hooks from elsewhere", "[core]\n\thooksPath = x"),
    ("ssh", "[core]\n\tsshCommand = ./x"),
    ("another working tree", "[core]\n\tworktree = /"),
    ("external diff", "[diff]\n\texternal = ./x"),
    ("a driver that makes text", '[diff "x"]\n\ttextconv = ./x'),
    ("a filter", '[filter "x"]\n\tclean = ./x'),
    ("signatures", "[gpg]\n\tprogram = ./x"),
    ("signatures shown", "[log]\n\tshowSignature = true"),
    ("an alias", "[alias]\n\tst = !x"),
    ("credentials", "[credential]\n\thelper = !x"),
    ("another file", "[include]\n\tpath = x"),
    ("another file, maybe", '[includeIf "gitdir:/"]\n\tpath = x'),
    ("objects fetched as they are needed", '[remote "origin"]\n\tpromisor = true'),
    ("a program at the other end", '[remote "origin"]\n\tuploadpack = ./x'),
    ("more repositories", '[submodule "x"]\n\turl = x'),
    ("extensions", "[extensions]\n\tworktreeConfig = true"),
    ("a section and a setting on one line", "[core] fsmonitor = ./x"),
    ("a section in the old form", "[diff.x]\n\ttextconv = ./x"),
    ("a setting over several lines", "[user]\n\tname = a\\\n[core]\n\tfsmonitor = ./x"),
    ("what is no setting", "[core]\n\t= x"),
]


@pytest.mark.parametrize(("why", "text"), SETTINGS, ids=[why for why, _ in SETTINGS])
def test_a_setting_that_may_run_a_program_is_found(repository: Path, why: str, text: str) -> None:
    with (repository / ".git" / "config").open("a") as config:
        config.write(f"{text}\n")
    assert "settings that may run programs" in running_settings(str(repository / "src"))


def test_a_bare_repository_is_not_trusted_wherever_it_lies_above(repository: Path) -> None:
    for name in ("objects", "refs"):
        (repository / "src" / name).mkdir()
    assert running_settings(str(repository / "src")) == ""
    (repository / "src" / "HEAD").write_text("ref: refs/heads/main\n")
    assert "itself a repository" in running_settings(str(repository / "src"))
    assert "itself a repository" in running_settings(str(repository / "src" / "objects"))


def test_a_bare_repository_with_its_objects_elsewhere_is_not_trusted(repository: Path) -> None:
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / "commondir").write_text("src\n")
    assert "itself a repository" in running_settings(str(repository))


def test_a_repository_that_lies_elsewhere_is_not_followed(repository: Path) -> None:
    (repository / "src" / ".git").write_text("gitdir: /somewhere\n")
    assert "lies elsewhere" in running_settings(str(repository / "src"))
    (repository / ".git" / "commondir").write_text("/somewhere\n")
    assert "commondir" in running_settings(str(repository))


def test_a_hook_that_reading_runs_is_found(repository: Path) -> None:
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    (repository / ".git" / "hooks" / "pre-commit").write_text("x")
    assert running_settings(str(repository)) == ""
    (repository / ".git" / "hooks" / "post-index-change").write_text("x")
    assert "post-index-change" in running_settings(str(repository))


def test_settings_too_long_to_look_at_count_as_running_programs(repository: Path) -> None:
    (repository / ".git" / "config").write_text("#" * (MAX_CONFIG_BYTES + 1))
    assert "too long" in running_settings(str(repository))


def test_settings_that_can_not_be_read_count_as_running_programs(repository: Path) -> None:
    (repository / ".git" / "config").unlink()
    (repository / ".git" / "config").mkdir()
    assert "can't be looked at" in running_settings(str(repository))


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def nested(repository: Path) -> Path:
    """A repository within the repository, with a filter of its own that leaves a mark."""
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "f").write_text("x")
    (inner / ".gitattributes").write_text("* filter=mark")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "x")
    git(repository, "add", "inner")
    git(inner, "config", "filter.mark.clean", f"touch {repository / 'ran'}; cat")
    os.utime(inner / "f", (1, 1))
    return repository


def test_a_repository_within_the_index_is_found_for_its_filters_run(nested: Path) -> None:
    assert not (nested / ".git" / "modules").exists()
    assert "names a repository within" in running_settings(str(nested))
    subprocess.run(["git", "status"], cwd=nested, env=child_environment(os.environ), check=True, capture_output=True)
    assert (nested / "ran").exists(), "what is guarded against does not happen any more"


@pytest.mark.parametrize("words", [("--split-index",), ("--index-version", "4"), ("--index-version", "2")])
def test_a_repository_within_the_index_is_found_in_each_form_of_it(nested: Path, words: tuple[str, ...]) -> None:
    git(nested, "update-index", *words)
    assert "names a repository within" in running_settings(str(nested))


def test_an_index_of_files_runs_nothing(repository: Path) -> None:
    for number in range(300):
        (repository / "src" / str(number)).write_text(str(number))
    git(repository, "add", "src")
    assert running_settings(str(repository)) == ""


def test_an_index_too_long_to_look_at_counts_as_running_programs(repository: Path) -> None:
    with (repository / ".git" / "index").open("wb") as index:
        index.truncate(MAX_INDEX_BYTES + 1)
    assert "too long" in running_settings(str(repository))
