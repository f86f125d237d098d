"""What `handrail init` writes for each kind of project: it loads, and allows that project's commands and no others."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from handrail.contract.basics import Instant
from handrail.contract.decision import FromRule, Outcome
from handrail.policy import load_policy
from handrail.settings.load import Settings, load_settings
from handrail.settings.trust import TrustStore
from handrail.surfaces.cli.init.finding import look
from handrail.surfaces.cli.init.marks import script_names, target_names
from handrail.surfaces.cli.init.tables import tables
from handrail.surfaces.cli.init.texts import config_text, policy_text
from handrail.surfaces.cli.judged import AskedCall, CallJudge

KNOWN = tables()
SCRIPTS = '{"name": "tide", "scripts": {"test": "vitest", "lint": "eslint .", "format": "prettier .", "deploy": "x"}}'


@dataclass(frozen=True)
class Kind:
    """One kind of project: its files, what must run unasked there, and what must not."""

    files: dict[str, str]
    allowed: tuple[str, ...]
    asked: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=())


KINDS = {
    "python with pip": Kind(
        {"requirements.txt": "pytest\n"},
        ("pytest", "pytest -q tests/test_a.py", "python -m pytest -x", "cd tests && pytest", "pytest 2>&1 | tail -5"),
        ("pip install -r requirements.txt", "pytest && rm x", "python setup.py test", "uv run pytest"),
        ("pytest", "pip"),
    ),
    "python with tests and nothing else": Kind({"test_tide.py": "import pytest\n"}, ("pytest",), ("pip install x",)),
    "python with tests that are functions": Kind(
        {"tests/test_tide.py": "from tide import at\n\ndef test_it():\n    pass\n"}, ("pytest", "python -m pytest")
    ),
    "python with unittest": Kind({"tests/test_a.py": "import unittest\n"}, ("python -m unittest discover",)),
    "python with uv and ruff": Kind(
        {"uv.lock": "", "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n"},
        (
            "uv run pytest -q",
            "uv run python -m pytest",
            "pytest",
            "ruff check",
            "uv run ruff check .",
            "uv run ruff format",
            "ruff check src/a.py",
            "uv run mypy src",
        ),
        (
            "uv add requests",
            "uv sync",
            "uv run python x.py",
            "uv run --with x pytest",
            "ruff check --add-noqa",
            "uv run rm",
        ),
        ("pytest", "Ruff", "mypy", "uv"),
    ),
    "python with poetry": Kind(
        {"poetry.lock": "", "pyproject.toml": '[tool.poetry]\npytest = "*"\n[tool.black]\n'},
        ("poetry run pytest", "poetry run black ."),
        ("poetry add x", "poetry install", "poetry run python x.py", "poetry publish"),
    ),
    "python with pdm": Kind({"pdm.lock": "", "conftest.py": ""}, ("pdm run pytest -q",), ("pdm install",)),
    "python with pipenv": Kind({"Pipfile": "pytest"}, ("pipenv run pytest",), ("pipenv install x",)),
    "python with hatch": Kind(
        {"pyproject.toml": "[tool.hatch.envs.default]\npytest"}, ("hatch run pytest",), ("hatch publish",)
    ),
    "python in a virtual environment": Kind(
        {".venv/bin/python": "", "conftest.py": "", "pyproject.toml": ""},
        (".venv/bin/pytest -q", ".venv/bin/python -m pytest", "pytest"),
        (".venv/bin/python x.py", ".venv/bin/pip install x"),
    ),
    "python with tox": Kind({"tox.ini": "[testenv]"}, ("tox", "tox -e py312")),
    "python with nox": Kind({"noxfile.py": ""}, ("nox -s tests",)),
    "django": Kind({"manage.py": "import django"}, ("python manage.py test",), ("python manage.py migrate",)),
    "flake8 and pyright": Kind({".flake8": "", "pyrightconfig.json": "{}"}, ("flake8", "pyright", "flake8 src/a.py")),
    "node with npm": Kind(
        {"package.json": SCRIPTS, "package-lock.json": "{}"},
        ("npm test", "npm test -- --run", "npm run test", "npm run lint", "npm run format"),
        ("npm install x", "npm ci", "npm run deploy", "npm publish", "npx x", "pnpm test"),
        ("package.json", "npm"),
    ),
    "node with pnpm": Kind(
        {"package.json": SCRIPTS, "pnpm-lock.yaml": ""},
        ("pnpm test", "pnpm lint", "pnpm run lint"),
        ("pnpm add x", "pnpm deploy", "npm test"),
    ),
    "node with yarn": Kind(
        {"package.json": SCRIPTS, "yarn.lock": ""}, ("yarn test", "yarn lint"), ("yarn add x", "yarn deploy")
    ),
    "node with bun": Kind(
        {"package.json": SCRIPTS, "bun.lock": ""}, ("bun run test",), ("bun add x", "bun run deploy")
    ),
    "rust": Kind(
        {"Cargo.toml": ""},
        ("cargo test", "cargo test -p tide -- --nocapture", "cargo clippy", "cargo fmt", "cargo build"),
        ("cargo install x", "cargo publish", "cargo run", "cargo add x"),
    ),
    "go": Kind(
        {"go.mod": "", ".golangci.yml": ""},
        ("go test ./...", "go vet ./...", "go build ./...", "gofmt -w .", "golangci-lint run"),
        ("go get x", "go run .", "go install x", "go generate"),
    ),
    "make": Kind(
        {"Makefile": "CC := gcc\n.PHONY: test\ntest lint: x\n\trm y\ninstall:\n"},
        ("make test",),
        ("make", "make install", "make test install", "make -C /etc test"),
        ("Makefile",),
    ),
    "just": Kind({"justfile": "test *args:\n  x\nx := '1'\n@fmt:\n  y\n"}, ("just test", "just fmt"), ("just x",)),
    "maven": Kind({"pom.xml": ""}, ("mvn test", "mvn -q test", "./mvnw test -Dtest=A"), ("mvn deploy",)),
    "gradle": Kind({"build.gradle.kts": ""}, ("./gradlew test", "gradle build"), ("./gradlew publish",)),
    "dotnet": Kind({"Tide.sln": ""}, ("dotnet test", "dotnet build", "dotnet format"), ("dotnet run", "dotnet add x")),
    "ruby": Kind(
        {"Gemfile": "gem 'rspec'", "Rakefile": "test", ".rubocop.yml": ""},
        ("bundle exec rspec", "rspec spec/a_spec.rb", "bundle exec rake test", "rubocop"),
        ("bundle install", "gem install x", "rake release"),
    ),
    "php": Kind(
        {"composer.json": '{"scripts": {"test": "phpunit"}}', "phpunit.xml": ""},
        ("composer test", "vendor/bin/phpunit"),
        ("composer install", "composer require x"),
    ),
    "elixir": Kind({"mix.exs": ""}, ("mix test", "mix format"), ("mix deps.get", "mix run")),
    "swift": Kind({"Package.swift": ""}, ("swift test",), ("swift run",)),
    "nothing that is known": Kind({"tide.txt": "06:12"}, (), ("pytest", "npm test", "make test")),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def settings(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """As they hold where `handrail init` wrote its files and a person trusted them."""
    monkeypatch.setenv("HANDRAIL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HANDRAIL_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "state").mkdir(mode=0o700)
    work = tmp_path / "work"
    files = {**kind.files, ".handrail/config.toml": config_text()}
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    (work / ".handrail" / "policy.toml").write_text(policy_text(look(work, KNOWN), KNOWN.roles))
    TrustStore(tmp_path / "state").add([waiting.key for waiting in load_settings(work).waiting], Instant(1.0))
    return load_settings(work)


def test_what_is_written_loads_without_problems_and_waits_for_nothing_more(settings: Settings) -> None:
    assert settings.problems == ()
    assert settings.waiting == ()


async def test_the_projects_own_commands_are_allowed_by_its_rules_and_others_asked_about(
    settings: Settings, kind: Kind
) -> None:
    judge = CallJudge(settings, headless=False)
    for command in kind.allowed:
        decision = (await judge.judge(AskedCall("shell", {"command": command}))).decision
        assert decision.outcome is Outcome.ALLOW, f"{command}: {decision.reason}"
        assert isinstance(decision.source, FromRule), command
    for command in kind.asked:
        decision = (await judge.judge(AskedCall("shell", {"command": command}))).decision
        assert decision.outcome is Outcome.ASK, f"{command}: {decision.reason}"


def test_what_was_found_is_named(settings: Settings, kind: Kind) -> None:
    names = look(settings.workspace, KNOWN).names
    if kind.names:
        assert names == kind.names
    assert bool(names) == bool(kind.allowed or kind.files.get("tide.txt") is None)


@pytest.mark.parametrize("tool", KNOWN.tool, ids=lambda tool: f"{tool.name}-{tool.role}")
def test_some_project_of_the_table_has_each_tool(tool, tmp_path: Path) -> None:
    assert any(tool.name in (name for name in _names(kind, tmp_path / str(i))) for i, kind in enumerate(KINDS.values()))


@pytest.mark.parametrize("manager", KNOWN.manager, ids=lambda manager: manager.name)
def test_some_project_of_the_table_has_each_manager(manager, tmp_path: Path) -> None:
    marks = {mark.partition(" ")[0] for mark in manager.marks}
    assert any(marks & set(kind.files) for kind in KINDS.values())


def _names(kind: Kind, folder: Path) -> tuple[str, ...]:
    for name, text in kind.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return look(folder, KNOWN).names


def test_installing_stands_in_the_policy_and_needs_its_marks_taken_away(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    text = policy_text(look(tmp_path, KNOWN), KNOWN.roles)
    assert not load_policy(text, "policy.toml").rules
    taken_away = re.sub(r"^# (\[\[rule|command|path|decision|reason)", r"\1", text, flags=re.MULTILINE)
    decisions = [rule.outcome.value for rule in load_policy(taken_away, "policy.toml").rules]
    assert decisions == ["allow", "deny", "ask"]


def test_every_setting_of_the_written_config_can_be_taken_as_it_stands() -> None:
    text = re.sub(r"^# (\w+ = )", r"\1", config_text(), flags=re.MULTILINE)
    assert {"mode", "model", "pass_env"} <= tomllib.loads(text).keys()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("test:\n", ("test",)),
        ("test: build\n\techo lint:\n", ("test",)),
        ("TEST := 1\nX ::= 2\nY ?= 3\n", ()),
        ("test lint: x\n", ("test",)),
        ("# test:\n  test:\n", ()),
        ("\ufffd\x00", ()),
        ("", ()),
    ],
)
def test_targets_are_names_before_a_colon_that_assigns_nothing(tmp_path: Path, text: str, names: tuple[str]) -> None:
    (tmp_path / "Makefile").write_text(text)
    assert target_names(tmp_path, "Makefile") == names


@pytest.mark.parametrize("text", ["", "{", "[]", '{"scripts": 1}', '{"scripts": []}', "[" * 100_000])
def test_a_package_file_that_is_none_has_no_scripts(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    assert script_names(tmp_path, "package.json") == ()


def test_a_fifo_and_a_folder_in_place_of_a_file_hold_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Makefile")
    (tmp_path / "package.json").mkdir()
    assert look(tmp_path, KNOWN).names == ()
