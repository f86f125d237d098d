from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from notebook_files import markdown, notebook
from pdf_files import pdf
from tool_harness import Bench, CheckFailed

from handrail.contract.effects import PathClaim
from handrail.contract.results import ErrorKind, ImagePart
from handrail.errors import ToolFailed
from handrail.tools.read_many_files import MOST_FILES, ReadManyFiles
from handrail.tools.reading import gathering
from handrail.tools.reading.view import MOST_CHARACTERS

PNG = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.py", "b.txt", "src/c.py", "src/deep/d.py", "src/deep/e.txt", ".env", "src/.env", "built/f.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / ".gitignore").write_text("built/\n")
    return tmp_path


async def read(root: Path, *paths: str, **arguments: Any) -> str:
    return (await Bench(root).run(ReadManyFiles(), paths=list(paths), **arguments)).text


def files_in(text: str) -> list[str]:
    return [line[4:-4] for line in text.split("\n") if line.startswith("==> ")]


async def test_each_file_stands_under_its_name(root: Path) -> None:
    assert (await read(root, "a.py", "src/c.py")).split("\n") == [
        "==> a.py <==", "     1→a.py", "==> src/c.py <==", "     1→src/c.py", "[2 files of 2 shown.]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("paths", "arguments", "files"),
    [
        (["*.py"], {}, ["a.py", "src/c.py", "src/deep/d.py"]),
        (["src/*.py"], {}, ["src/c.py"]),
        (["src/**/*.py"], {}, ["src/c.py", "src/deep/d.py"]),
        (["./src/*.py"], {}, ["src/c.py"]),
        (["src/"], {}, ["src/c.py", "src/deep/d.py", "src/deep/e.txt"]),
        (["{a,b}.*"], {}, ["a.py", "b.txt"]),
        (["b.txt", "*.txt", "b.txt"], {}, ["b.txt", "src/deep/e.txt"]),
        (["src/"], {"exclude": ["*.txt", "src/c.py"]}, ["src/deep/d.py"]),
        (["a.py", "*.py"], {"exclude": ["*.py"]}, ["a.py"]),
        (["*.py"], {"include_ignored": True}, ["a.py", "built/f.py", "src/c.py", "src/deep/d.py"]),
        (["built/f.py"], {}, ["built/f.py"]),
        ([".env"], {}, [".env"]),
    ],
)
async def test_paths_and_globs_say_which(
    paths: list[str], arguments: dict[str, Any], files: list[str], root: Path
) -> None:
    assert files_in(await read(root, *paths, **arguments)) == files


async def test_secret_files_that_a_glob_finds_are_named_and_not_read(root: Path) -> None:
    text = await read(root, "src/*")
    assert files_in(text) == ["src/c.py"]
    assert "[1 secret file was not read: src/.env.]" in text
    assert "src/.env\n" not in text.replace("read: src/.env", "")


def test_what_is_claimed_is_what_is_read() -> None:
    claims = ReadManyFiles().bind({"paths": ["a.py", ".env", "src/*.py", "/etc/*.conf", "docs/", "*.md"]}).claims()
    assert claims.reads == (
        PathClaim("a.py"),
        PathClaim(".env"),
        PathClaim("src", "tree", spares_secrets=True),
        PathClaim("/etc", "tree", spares_secrets=True),
        PathClaim("docs/", "tree", spares_secrets=True),
        PathClaim(".", "tree", spares_secrets=True),
    )
    assert not claims.writes


async def test_a_name_that_only_looks_like_a_glob_is_a_name(root: Path) -> None:
    (root / "a[1].txt").write_text("odd\n")
    (root / "a1.txt").write_text("plain\n")
    assert files_in(await read(root, "a[1].txt")) == ["a[1].txt"]


async def test_what_can_not_be_read_says_so_in_its_place_and_stops_no_other(root: Path) -> None:
    (root / "x.bin").write_bytes(b"a\0")
    (root / "d.pdf").write_bytes(pdf(["page"]))
    (root / "src/p.png").write_bytes(PNG)
    os.mkfifo(root / "pipe")
    text = await read(root, "a.pi", "x.bin", "pipe", "src", "d.pdf", "src/*.png", "b.txt")
    assert text.split("\n")[1::2][:6] == [
        "[There is no a.pi. Nearest names in the workspace: a.py.]",
        "[x.bin is binary, 2 bytes, and can't be read as text. Use a program that knows its format, by the shell.]",
        "[pipe is a FIFO (named pipe), and only regular files are read or written. Use another path.]",
        "[src is a folder, not a file. List it to see what is in it.]",
        "[d.pdf is a PDF document. Read it by itself.]",
        "[src/p.png is an image (image/png). Name it to see it.]",
    ]
    assert text.endswith("==> b.txt <==\n     1→b.txt\n[1 file of 7 shown.]")


async def test_images_that_are_named_and_notebooks_are_shown(root: Path) -> None:
    (root / "p.png").write_bytes(PNG)
    (root / "n.ipynb").write_text(notebook(markdown("# Tides", id="aa")))
    result = await Bench(root).run(ReadManyFiles(), paths=["p.png", "*.ipynb"])
    assert ImagePart(PNG, "image/png") in result.parts
    assert "[Cell 1: markdown, id aa]\n# Tides" in result.text


async def test_long_files_share_the_room_and_say_how_to_go_on(root: Path) -> None:
    for number in range(4):
        (root / f"long{number}.txt").write_text("".join(f"{n} {'x' * 90}\n" for n in range(5_000)))
    text = await read(root, "b.txt", "long*.txt")
    assert len(text) < MOST_CHARACTERS + 2_000
    assert files_in(text) == ["b.txt", *(f"long{number}.txt" for number in range(4))]
    assert text.count("To go on: offset=") == 4
    assert min(len(part) for part in text.split("==> ")[2:]) > 20_000


async def test_files_without_room_are_named(root: Path) -> None:
    for number in range(MOST_FILES + 3):
        (root / f"n{number:03}.md").write_text("x\n")
    text = await read(root, "*.md")
    assert len(files_in(text)) == MOST_FILES
    assert text.endswith("[There was no room for 3 more files: n200.md, n201.md, n202.md.]\n[200 files of 203 shown.]")


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (
            ["*.rs"],
            "[*.rs: no file matches. Not looked at: what .gitignore leaves out (include_ignored=true looks there",
        ),
        (["sorc/*.py"], "[sorc/*.py: There is no sorc. Nearest names in the workspace: src.]"),
        (["nothing.here"], "==> nothing.here <==\n[There is no nothing.here. "),
    ],
)
async def test_nothing_at_all_is_a_failure_with_the_reason(paths: list[str], says: str, root: Path) -> None:
    result = await Bench(root).run(ReadManyFiles(), paths=paths)
    assert says in result.text
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.FAILED


async def test_a_look_that_takes_too_long_is_no_absence_of_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "TIMEOUT", -1_000.0)
    monkeypatch.setattr("handrail.tools.search.ripgrep._LEAST_TIME", 0.0001)
    result = await Bench(root).run(ReadManyFiles(), paths=["*.py", "b.txt"])
    assert "[*.py: the look for files took more than" in result.text
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert "==> b.txt <==" in result.text


@pytest.mark.parametrize("paths", [["{" + ",".join("abcdefghij") + "}" * 1 + "{a,b,c}" * 6], ["../{a,b}*/../x*"]])
async def test_a_bad_glob_is_explained(paths: list[str], root: Path) -> None:
    with pytest.raises(ToolFailed, match="is not a glob that can be used"):
        await read(root, *paths)


@pytest.mark.parametrize("paths", [["a\0b"], [""]])
async def test_paths_that_can_not_be_are_refused(paths: list[str], root: Path) -> None:
    with pytest.raises(CheckFailed):
        await read(root, *paths)


async def test_what_was_read_is_known_afterwards(root: Path) -> None:
    bench = Bench(root)
    await bench.run(ReadManyFiles(), paths=["a.py"])
    assert bench.ledger.last(root / "a.py") is not None


async def test_of_far_too_many_files_the_first_are_read_each_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST_FOUND", 5)
    for number in range(2_000):
        (root / f"many/{number % 40:02}/{number:04}").parent.mkdir(parents=True, exist_ok=True)
        (root / f"many/{number % 40:02}/{number:04}").write_text("x")
    text = await read(root, "many/**")
    assert files_in(text)[:3] == ["many/00/0000", "many/00/0040", "many/00/0080"]
    assert "[many/**: more than 5 files; those after the first were left out. Narrow the glob.]" in text
