from __future__ import annotations

import os
import shlex
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from handrail.policy.shell.programs import programs
from handrail.policy.shell.reading import read_shell
from handrail.runtime.environment import child_environment

GIT = {
    "tells the state of the working tree": [
        "git status", "git status -s", "git status --porcelain=v2 --branch", "git status -sb src",
        "git status -uno --ignored", "git ls-files", "git ls-files -m -o --exclude-standard", "git ls-files '*.py'",
        "git ls-files -s src", "git ls-files --error-unmatch a.txt", "git check-ignore -v a.txt",
        "git check-attr -a a.txt", "git stash list", "git stash show -p stash@{0}", "git stash show --stat",
        "git worktree list --porcelain", "git bisect log",
    ],
    "tells the history": [
        "git log", "git log --oneline -5", "git log -n 3 --stat", "git log --graph --all --decorate --oneline",
        "git log -p -- src/app.py", "git log --follow -- src/app.py", "git log --since='2 weeks ago' --author=me",
        "git log --grep=fix -i --oneline", "git log -S main -- src/app.py", "git log -S 'def .*' --pickaxe-regex -1",
        "git log --format='%h %s' -10", "git log --pretty=format:%H v1..HEAD", "git log HEAD~2..HEAD --name-only",
        "git log --merges --first-parent", "git log --diff-filter=A --summary", "git log -1 --format=%cd --date=iso",
        "git log --oneline --since=2019-01-01 --until=2030-07-01 src/app.py",
        "git log --all --oneline --grep='CTE\\|indent'", "git --no-pager log -3", "git -P log -3", "git log -- '*.py'",
        "git log --oneline -- 'src/**/*.py' ':!a.txt'", "git whatchanged -1", "git shortlog -sne HEAD",
        "git rev-list --count HEAD", "git rev-list --all --max-count=2", "git reflog", "git reflog -5",
        "git reflog show HEAD", "git cherry -v main HEAD", "git range-diff HEAD~2..HEAD~1 HEAD~1..HEAD",
        "git show-branch --all", "git format-patch --stdout -1", "git blame a.txt", "git blame -L 1,2 -w a.txt",
        "git blame HEAD~1 -- a.txt", "git annotate a.txt", "git notes list", "git notes show HEAD",
        "git describe --tags --always", "git name-rev HEAD", "git merge-base HEAD HEAD~1",
        "git merge-base --is-ancestor HEAD~1 HEAD",
    ],
    "shows a commit or an object": [
        "git show", "git show HEAD", "git show HEAD --stat", "git show HEAD:a.txt", "git show --name-only HEAD~1",
        "git show -s --format=%B HEAD", "git show v2", "git show stash@{0}", "git cat-file -p HEAD",
        "git cat-file -t HEAD:a.txt", "git cat-file blob HEAD:a.txt", "git ls-tree -r HEAD --name-only",
        "git ls-tree HEAD src/", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD",
        "git rev-parse --show-toplevel", "git rev-parse --short HEAD", "git hash-object a.txt", "git archive --list",
        "git count-objects -vH", "git fsck --no-dangling", "git var GIT_AUTHOR_IDENT",
    ],
    "shows differences": [
        "git diff", "git diff --stat", "git diff --cached", "git diff HEAD~1", "git diff HEAD~2..HEAD -- a.txt",
        "git diff main...feat", "git diff -- a.txt", "git diff --name-only HEAD~1 HEAD", "git diff -U10 a.txt",
        "git diff -w --word-diff a.txt", "git diff --no-index a.txt src/app.py", "git diff --no-color --no-ext-diff",
        "git diff --exit-code --quiet", "git diff --check", "git diff -M -C --find-copies-harder",
        "git diff --diff-filter=ACM --name-status", "git diff -- '*.py'", "git diff -- . ':!a.txt' ':(exclude)*.lock'",
        "git diff-tree --no-commit-id --name-only -r HEAD", "git diff-index --cached HEAD",
        "git diff-files --name-only",
    ],
    "searches what is tracked": [
        "git grep main", "git grep -n 'def .*' -- '*.py'", "git grep -i -E 'a|b' HEAD -- src", "git grep -l x",
        "git grep -e x --and -e y", "git grep -c -w x HEAD~1", "git grep -A3 -B1 'x[0-9]*'",
        "git grep --heading --break -n x -- src/app.py",
    ],
    "lists names": [
        "git branch", "git branch -a", "git branch -vv", "git branch --show-current", "git branch --list 'f*'",
        "git branch -r", "git branch --contains HEAD", "git branch -a --contains HEAD", "git branch --merged main",
        "git branch --no-merged", "git branch --format='%(refname:short)' --sort=-committerdate", "git tag",
        "git tag -l 'v*'", "git tag -n3", "git tag --contains HEAD", "git tag --sort=-creatordate",
        "git for-each-ref --sort=-committerdate refs/heads/", "git for-each-ref 'refs/tags/*' --format='%(refname)'",
        "git show-ref --heads", "git symbolic-ref HEAD", "git symbolic-ref --short HEAD", "git remote", "git remote -v",
        "git remote get-url origin", "git remote show -n origin", "git config --list", "git config --get user.name",
        "git config user.email", "git config -l --show-origin", "git config --local --get-regexp 'user.*'",
        "git config --global --get user.name", "git --version", "git version", "git help -a", "git --exec-path",
    ],
}  # fmt: skip
"""As a repository with a tag, a branch, a note, a stash and a bisection can answer them: each is run below."""

OTHERS = {
    "tells its version": [
        "python --version", "python3 -V", "python3.12 --version", "node -v", "node --version", "npm --version",
        "npm -v", "npx --version", "deno --version", "bun -v", "tsc --version", "eslint --version",
        "prettier --version", "java -version", "java --version", "javac -version", "kotlinc -version",
        "gradle --version", "ant -version", "ruby --version", "ruby -v", "gem -v", "perl -v", "perl --version",
        "php -v", "php --version", "composer --version", "lua -v", "R --version", "Rscript --version",
        "julia --version", "ghc --version", "ghc --numeric-version", "ocaml -version", "elixir --version",
        "swift --version", "dart --version", "zig version", "nim --version", "gcc --version", "gcc -v", "g++ --version",
        "clang --version", "cc -dumpmachine", "ld --version", "make --version", "cmake --version", "ninja --version",
        "meson --version", "bison --version", "protoc --version", "docker --version", "podman --version",
        "gh --version", "pip --version", "pip3 -V", "uv --version", "pipx --version", "conda --version",
        "pyenv --version", "mypy --version", "ruff --version", "black --version", "pylint --version",
        "pre-commit --version", "svn --version", "brew --version", "rpm --version", "clang-format --version",
        "shellcheck --version", "helm version --short", "kubectl version --client", "docker compose version",
        "git --help", "python3 -h", "make -h", "dotnet --list-sdks",
    ],
    "lists packages that are installed": [
        "pip list", "pip list --format=json", "pip list -e", "pip --disable-pip-version-check list",
        "pip show requests", "pip show -f numpy", "pip freeze", "pip freeze --local", "pip check",
        "pip inspect --local", "pip3 list", "pip cache dir", "npm ls", "npm ls --depth=0", "npm list -g --depth 0",
        "npm ls --all --json", "npm root -g", "npm prefix", "npm explain react", "npm run", "npm pkg get scripts",
        "npm config get registry", "npm version", "gem list", "gem list --local rails", "gem contents rake",
        "gem which json", "conda list", "conda list -n base", "conda env list", "conda info --envs", "pyenv versions",
        "pyenv which python", "pyenv local", "uv cache dir", "rustup toolchain list", "dpkg -l", "dpkg -l git",
        "dpkg -L git", "dpkg -S /bin/ls", "dpkg -s git", "dpkg-query -W git", "apt list --installed",
        "apt-cache policy git", "apt-cache search json", "apt show git", "rpm -qa", "rpm -qi git", "rpm -ql git",
        "brew list --versions", "pkg-config --modversion zlib", "pkg-config --cflags --libs zlib", "snap list",
    ],
    "asks the daemon or a settings file of this machine": [
        "docker ps", "docker ps -a --format '{{.Names}}'", "docker images", "docker image ls -q",
        "docker logs --tail 50 web", "docker logs web", "docker version", "docker info", "docker network ls",
        "docker volume ls", "docker port web", "docker stats --no-stream", "docker system df", "docker history app",
        "docker diff web", "docker context ls", "podman ps -a", "kubectl config current-context",
        "kubectl config get-contexts", "kubectl config view", "helm repo list", "jps -l",
    ],
    "checks files and changes none": [
        "black --check a.py", "black --diff -q a.py", "gofmt -l a.go", "gofmt -d a.go", "pyflakes a.py",
        "pycodestyle --max-line-length=100 a.py", "yamllint -s a.yaml", "shellcheck a.sh",
        "shellcheck -S warning -f gcc a.sh", "shfmt -d a.sh", "clang-format --dry-run a.c",
        "clang-format -style=llvm a.c", "php -l a.php", "hadolint Dockerfile", "ruff rule E501", "ruff linter",
    ],
    "takes something apart to show it": [
        "javap -c -p Foo.class", "javap -cp build Foo", "jar tf a.jar", "jar -tvf a.jar", "svn status", "svn info",
        "svn diff --internal-diff",
    ],
}  # fmt: skip

REACHES = {
    "github.com": [
        "gh pr view 12 --comments", "gh pr list --state open --limit 5 --json number,title", "gh pr diff 12",
        "gh pr checks 12", "gh issue list -l bug", "gh issue view 3", "gh run list --limit 3",
        "gh run view 7 --log-failed", "gh repo view cli/cli", "gh api repos/cli/cli/pulls", "gh auth status",
    ],
    "example.org": ["gh pr list -R example.org/a/b", "docker -H tcp://example.org ps", "npm ls --registry=https://example.org"],
    "registry.npmjs.org": ["npm view react versions", "npm outdated"],
    "pypi.org": ["pip index versions requests"],
    "rubygems.org": ["gem search rake"],
    "proxy.golang.org": ["go version", "go env GOPATH"],
    "checkpoint-api.hashicorp.com": ["terraform version", "terraform fmt -check"],
    "*": [
        "git fetch", "git push origin main", "git clone https://example.org/a.git", "kubectl get pods -A",
        "kubectl logs web -f", "pip list --outdated", "git archive --remote=\"$X\" HEAD",
    ],
}  # fmt: skip
"""By the host, `*` for any."""

READS = {**GIT, **OTHERS}
ALONE = [
    (name, word)
    for name, program in programs().items()
    for word in sorted(program.usage.alone)
    if program.usage.never and program.usage.operands != "command"
]


@pytest.mark.parametrize("commands", READS.values(), ids=READS)
def test_a_program_in_a_form_that_only_reads_is_not_asked_about(commands: list[str]) -> None:
    asked = {command: read_shell(command, "/w", "/home/u").unread for command in commands}
    assert {command: why for command, why in asked.items() if why} == {}


@pytest.mark.parametrize(
    ("host", "command"), [pytest.param(host, text, id=text) for host, texts in REACHES.items() for text in texts]
)
def test_what_looks_elsewhere_names_the_host_that_it_reaches(host: str, command: str) -> None:
    read = read_shell(command, "/w", "/home/u")
    assert read.unread
    assert host in read.parts[0].hosts


def test_a_word_that_is_harmless_alone_is_not_so_beside_another() -> None:
    beside = [
        command
        for name, word in ALONE
        for command in (f"{name} {word} x", f"{name} x {word}", f"{name} {word} -e x", f"{name} {word} {word}")
    ]
    assert len(ALONE) > 500
    assert not [command for command in (f"{name} {word}" for name, word in ALONE) if _asked(command)]
    assert not [command for command in beside if not _asked(command)]


def _asked(command: str) -> bool:
    return bool(read_shell(command, "/w", "/home/u").unread)


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *words],
        cwd=folder,
        env=child_environment(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    (folder / "src").mkdir()
    _git(folder, "init", "-q", "-b", "main")
    for setting in (
        ("user.name", "n"),
        ("user.email", "n@example.org"),
        ("remote.origin.url", "https://example.org/a"),
    ):
        _git(folder, "config", *setting)
    for number in range(4):
        (folder / "a.txt").write_text("line\n" * (number + 2))
        (folder / "src/app.py").write_text(f"x = {number}\n")
        _git(folder, "add", ".")
        _git(folder, "commit", "-q", "-m", f"fix {number}")
    _git(folder, "tag", "v1", "HEAD~1")
    _git(folder, "tag", "-a", "v2", "-m", "two")
    _git(folder, "branch", "feat")
    _git(folder, "notes", "add", "-m", "n")
    (folder / "a.txt").write_text("changed\n")
    _git(folder, "stash", "-q")
    _git(folder, "bisect", "start", "HEAD", "HEAD~3")
    _git(folder, "checkout", "-q", "main")
    (folder / "a.txt").write_text("changed again\n")
    return folder


def _contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("command", [text for texts in GIT.values() for text in texts])
def test_git_answers_what_is_listed_and_changes_no_file(repository: Path, command: str) -> None:
    before = _contents(repository)
    done = _git(repository, *shlex.split(command)[1:])
    assert done.returncode in (0, 1), done.stderr
    assert _contents(repository) == before
