"""Every piece of Python in the docs is run as it stands: against local servers where it calls a model."""

from __future__ import annotations

import ast
import asyncio
import inspect
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from code_blocks import Block, blocks_of, chains_of
from doc_scripts import SCRIPTS

from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CHAINS = [chain for page in PAGES for chain in chains_of(page)]
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
ADDRESSES = {"ANTHROPIC_BASE_URL": "", "OPENAI_BASE_URL": "/v1", "GOOGLE_GEMINI_BASE_URL": ""}
GIVEN = {
    "client": AsyncAnthropic,
    "m": lambda: "claude-sonnet-5-5",
    "messages": lambda: [{"role": "user", "content": "When is high water at Brest?"}],
}


def place(block: Block) -> str:
    return f"{block.page.relative_to(ROOT)}:{block.line}"


def test_there_is_code_in_the_docs() -> None:
    assert CHAINS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_python_is_run_or_says_why_not(page: Path) -> None:
    blocks = blocks_of(page)
    assert len(blocks) == page.read_text("utf-8").count("```py")
    assert [place(block) for block in blocks if block.excerpt == ""] == []
    run = [block for chain in CHAINS for block in chain if block.page == page]
    assert run == [block for block in blocks if block.excerpt is None]


def test_a_comment_that_means_nothing_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- tset: continues -->\n```python\nassert False\n```\n")
    with pytest.raises(ValueError, match=r"page\.md:3: .* says 'tset: continues'"):
        blocks_of(page)


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the code runs: a folder of its own, with the workspace that the pages speak of."""
    workspace = tmp_path / "path" / "to" / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "tide.txt").write_text("Brest 06:12\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HANDRAIL_STATE", str(tmp_path / "state"))
    for key in KEYS:
        monkeypatch.setenv(key, "none")
    return tmp_path


@pytest.mark.parametrize("chain", CHAINS, ids=[place(chain[0]) for chain in CHAINS])
def test_the_code_runs_and_prints_what_the_page_says(
    chain: list[Block], surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    with asyncio.Runner() as runner:
        for block in chain:
            with served(block, monkeypatch):
                printed = run(block, module, runner, surroundings)
            if block.prints is not None:
                assert printed == block.prints


@contextmanager
def served(block: Block, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The SDKs of this process speak to the server that the block asks for. At the end it has told all it had."""
    with ExitStack() as stack:
        if "server" in block.words:
            dialect = DIALECTS[Wire(block.words["server"])]()
            server = stack.enter_context(ProviderServer(dialect, SCRIPTS[block.words["plays"]]))
            for name, path in ADDRESSES.items():
                monkeypatch.setenv(name, server.url + path)
        yield
        if "server" in block.words:
            assert server.wrong == []
            assert server.played == list(range(len(server.script)))


def run(block: Block, module: ModuleType, runner: asyncio.Runner, folder: Path) -> str:
    """What it printed. `await` may stand at the top, as in a notebook."""
    if "pytest" in block.words:
        return run_as_tests(block, folder)
    given = [name for name in block.words.get("given", "").split(",") if name]
    vars(module).update({name: GIVEN[name]() for name in given})
    code = compile(
        "\n" * (block.line - 1) + block.text,
        str(block.page),
        "exec",
        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        dont_inherit=True,
    )
    with redirect_stdout(StringIO()) as printed:
        if code.co_flags & inspect.CO_COROUTINE:
            runner.run(awaited(code, vars(module)))
        else:
            exec(code, vars(module))
    return printed.getvalue()


async def awaited(code: Any, names: dict[str, Any]) -> None:
    await eval(code, names)


def run_as_tests(block: Block, folder: Path) -> str:
    file = folder / "test_of_the_page.py"
    file.write_text(block.text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", file.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ""
