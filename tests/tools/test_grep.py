from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from search_harness import Impatient, Unprivileged, make
from test_glob import TREE
from tool_harness import Bench, CheckFailed

from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import ToolFailed
from handrail.tools.grep import Grep
from handrail.tools.search import searching
from handrail.tools.search.rendering import MOST_CHARACTERS

HINT = (
    "[Not looked at: what .gitignore leaves out (include_ignored=true looks there too), binary files, .git, and where "
    "links lead.]"
)


async def grepped(root: Path, pattern: str, **arguments: Any) -> ToolResult:
    return await Bench(root).run(Grep(), **{"pattern": pattern, "context": 0, **arguments})


async def test_matching_lines_come_by_file_with_numbers(tmp_path: Path) -> None:
    make(tmp_path, {"b.txt": "x\nhit 2\nhit 3\n", "a/c.txt": "hit\n", "a.txt": "none\n"})
    result = await grepped(tmp_path, "hit")
    assert result.text == "a/c.txt\n1:hit\n\nb.txt\n2:hit 2\n3:hit 3"
    assert result.data == {"lines": 3, "files": 2, "secret": 0}


async def test_context_is_told_from_matches_and_gaps_are_marked(tmp_path: Path) -> None:
    make(tmp_path, {"f": "1\n2\nhit\n4\n5\n6\nhit\nhit\n9\n"})
    result = await grepped(tmp_path, "hit", context=1)
    assert result.text == "f\n2-2\n3:hit\n4-4\n--\n6-6\n7:hit\n8:hit\n9-9"


@pytest.mark.parametrize(
    ("mode", "text"),
    [("files", "a/c.txt\nb.txt"), ("count", "a/c.txt: 1\nb.txt: 2")],
)
async def test_paths_or_counts_alone(mode: str, text: str, tmp_path: Path) -> None:
    make(tmp_path, {"b.txt": "hit 2\nhit hit\n", "a/c.txt": "hit\n", "a.txt": "none\n"})
    assert (await grepped(tmp_path, "hit", output_mode=mode)).text == text


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"path": "src"}, ["src/a.py", "src/deep/b.py", "src/deep/c.ts"]),
        ({"glob": "*.ts"}, ["src/deep/c.ts", "src.py/x.ts"]),
        ({"glob": "src/*.py"}, ["src/a.py"]),
        ({"glob": "deep/*", "path": "src"}, ["src/deep/b.py", "src/deep/c.ts"]),
        ({"glob": "**/deep/**"}, ["src/deep/b.py", "src/deep/c.ts"]),
        ({"glob": "*.log"}, []),
        ({"glob": "*.log", "include_ignored": True}, ["b.log"]),
        ({"path": "node_modules"}, ["node_modules/m.py"]),
        ({"path": "b.log"}, ["b.log"]),
        ({"path": "src/a.py", "glob": "*.ts"}, ["src/a.py"]),
        ({"glob": ".env*"}, [".env.example"]),
    ],
)
async def test_the_search_stays_where_it_was_told_to(
    arguments: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    make(tmp_path, {name: text or "hit\n" for name, text in TREE.items()})
    result = await grepped(tmp_path, "hit", output_mode="files", **arguments)
    assert [row for row in result.text.split("\n") if not row.startswith(("[", "No match"))] == names


async def test_secret_files_are_passed_by_and_said(tmp_path: Path) -> None:
    make(tmp_path, {name: text or "MARK\n" for name, text in TREE.items()})
    result = await grepped(tmp_path, "MARK", glob="*e*")
    assert result.text.endswith("[3 secret files were not searched: .env, keys/server.pem, src/.env.local.]")
    assert "\n.env\n" not in result.text


SECRET = [
    ".env", ".ENV", "a/.env.local", "prod.env", "id_rsa", "x/Server.PEM", ".ssh/config", "b/.AWS/credentials",
    ".docker/config.json", ".config/gcloud/x/y.json", "client_secret_1.json", "etc/shadow", "terraform.tfvars.json",
]  # fmt: skip
OPEN = [".env.example", "a/.env.Sample", "config.json", "x/shadow", "rsa", "environment", "docker/config.json"]


@pytest.mark.parametrize("arguments", [{}, {"include_ignored": True}, {"glob": "*"}, {"glob": "!*.q"}, {"path": "up"}])
async def test_no_secret_file_is_even_opened(arguments: dict[str, Any], open_root: Path) -> None:
    """Opening one would fail, and be told."""
    below = "up/" if "path" in arguments else ""
    make(open_root, {f"{below}{name}": "MARK\n" for name in (*SECRET, *OPEN)} | {".gitignore": "!.env\nid_rsa\n"})
    for name in SECRET:
        (open_root / below / name).chmod(0)
    bench = Bench(open_root, launcher=Unprivileged())
    result = await bench.run(Grep(), pattern="MARK", output_mode="files", **arguments)
    rows = result.text.split("\n")
    assert sorted(rows[:-1]) == sorted(f"{below}{name}" for name in OPEN)
    assert rows[-1].startswith(f"[{len(SECRET)} secret files were not searched: ")


async def test_what_makes_a_file_secret_may_begin_above_the_folder_searched(open_root: Path) -> None:
    make(open_root, {".config/gcloud/x/y.json": "MARK\n", ".config/other/y.json": "MARK\n"})
    (open_root / ".config/gcloud/x/y.json").chmod(0)
    result = await Bench(open_root, launcher=Unprivileged()).run(Grep(), pattern="MARK", path=".config", context=0)
    assert result.text == (".config/other/y.json\n1:MARK\n[1 secret file was not searched: .config/gcloud/x/y.json.]")


async def test_a_folder_of_secrets_is_not_searched_at_all(tmp_path: Path) -> None:
    make(tmp_path, {".ssh/config": "MARK\n"})
    text = (await grepped(tmp_path, "MARK", path=".ssh")).text
    assert "[1 secret file was not searched: .ssh/config.]" in text
    assert "1:MARK" not in text


async def test_an_ignored_secret_file_is_said_too(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": ".env\n", ".env": "MARK\n", "a.txt": "MARK\n"})
    result = await grepped(tmp_path, "MARK")
    assert result.text == "a.txt\n1:MARK\n[1 secret file was not searched: .env.]"


@pytest.mark.parametrize("path", [".env", "keys/id_rsa"])
async def test_a_secret_file_that_is_named_is_searched(path: str, tmp_path: Path) -> None:
    make(tmp_path, {".env": "MARK\n", "keys/id_rsa": "MARK\n"})
    assert (await grepped(tmp_path, "MARK", path=path)).text == f"{path}\n1:MARK"


async def test_a_link_does_not_make_secret_files_open_ones(tmp_path: Path) -> None:
    make(tmp_path, {".ssh/config": "MARK\n"})
    os.symlink(".ssh", tmp_path / "link")
    result = await grepped(tmp_path, "MARK", path="link")
    assert "1:MARK" not in result.text
    assert result.text.endswith("[1 secret file was not searched: link/config.]")


async def test_a_secret_name_with_special_characters_is_passed_by(tmp_path: Path) -> None:
    names = [
        "[a].pem",
        "{b,c}.pem",
        "*.pem",
        "back\\slash.pem",
        "!not.pem",
        "new\nline.pem",
        os.fsdecode(b"bad\xff.pem"),
    ]
    for name in names:
        (tmp_path / name).write_text("MARK\n")
    result = await grepped(tmp_path, "MARK")
    assert "MARK\n" not in result.text.replace("for MARK", "")
    assert result.data == {"lines": 0, "files": 0, "secret": len(names)}


async def test_no_match_is_no_failure_and_says_where_it_did_not_look(tmp_path: Path) -> None:
    make(tmp_path, {"f": "a\n"})
    result = await grepped(tmp_path, "absent", glob="*.x", path=".")
    assert result.text == f"No match for absent in the workspace (glob *.x).\n{HINT}"
    assert result.fault is None


async def test_running_out_of_time_is_no_empty_result(tmp_path: Path) -> None:
    result = await Bench(tmp_path, launcher=Impatient()).run(Grep(), pattern="x", path=".")
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert "The search took more than 30 s and was stopped." in result.text
    assert "No match" not in result.text


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("[", "The search can't be made: unclosed character class. Correct the pattern, or set literal=true"),
        ("(?<=a)b", "look-around, including look-ahead and look-behind, is not supported"),
        (r"(a)\1", "backreferences are not supported"),
        ("a\nb", "is not allowed in a regex. Set multiline=true to match across lines."),
    ],
)
async def test_a_bad_pattern_is_explained(pattern: str, says: str, tmp_path: Path) -> None:
    make(tmp_path, {"f": "a\n"})
    with pytest.raises(ToolFailed) as caught:
        await grepped(tmp_path, pattern)
    assert says in str(caught.value)


async def test_a_nul_in_a_pattern_is_found_before_anybody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="NUL character"):
        await grepped(tmp_path, "a\0b")


@pytest.mark.parametrize(
    ("pattern", "arguments", "text"),
    [
        ("-e", {}, "1:x -e y"),
        ("--files", {}, "2:--files"),
        ("HIT", {"ignore_case": True}, "3:hit"),
        (r"\d+$", {}, "4:CRLF 1"),
        ("^$", {}, "5:"),
        ("(a+)+$", {}, "6:" + "a" * 40),
    ],
)
async def test_a_pattern_is_a_pattern_whatever_it_looks_like(
    pattern: str, arguments: dict[str, Any], text: str, tmp_path: Path
) -> None:
    make(tmp_path, {"f": "x -e y\n--files\nhit\nCRLF 1\r\n\r\n" + "a" * 40 + "\n", "empty": ""})
    assert (await grepped(tmp_path, pattern, **arguments)).text == f"f\n{text}"


async def test_odd_names_survive(tmp_path: Path) -> None:
    for name in ("-n", "two\nlines", os.fsdecode(b"bad\xff"), "co:lon"):
        (tmp_path / name).write_text("hit\n")
    result = await grepped(tmp_path, "hit", output_mode="count")
    assert result.text.split("\n") == ["-n: 1", r'"bad\xff": 1', "co:lon: 1", r'"two\nlines": 1']


async def test_a_long_line_is_cut_around_its_match(tmp_path: Path) -> None:
    make(tmp_path, {"f": "x" * 500_000 + "needle" + "y" * 500_000})
    text = (await grepped(tmp_path, "needle")).text
    assert text == f"f\n1:[… 499,875 bytes] {'x' * 125}needle{'y' * 369} [… 499,631 bytes]"


async def test_text_that_is_not_utf8_is_shown(tmp_path: Path) -> None:
    make(tmp_path, {"latin": b"caf\xe9 hit\n", "utf16": "hit \u4e2d\n".encode("utf-16"), "binary": b"\0hit\n"})
    assert (await grepped(tmp_path, "hit")).text == "latin\n1:caf\ufffd hit\n\nutf16\n1:hit \u4e2d"


async def test_more_than_the_limit_is_counted_and_the_first_files_shown(tmp_path: Path) -> None:
    make(tmp_path, {f"d{number % 3}/f{number:03}": "hit\n" * 3 for number in range(300)})
    first, second = await grepped(tmp_path, "hit", limit=10), await grepped(tmp_path, "hit", limit=10)
    assert first.text == second.text
    assert first.text.split("\n")[0] == "d0/f000"
    assert first.text.count(":hit") == 10
    assert first.text.endswith(
        "\n[Matching lines 1-10 of 900; offset=10 shows the next. Narrow the search to see fewer.]"
    )


async def test_the_size_of_a_result_is_bounded(tmp_path: Path) -> None:
    make(tmp_path, {f"f{number}": ("hit " + "z" * 400 + "\n") * 20 for number in range(50)})
    result = await grepped(tmp_path, "hit", limit=1000)
    shown = result.text.count(":hit")
    assert len(result.text) < MOST_CHARACTERS + 200
    assert result.text.endswith(
        f"[Matching lines 1-{shown} of 1,000; offset={shown} shows the next. Narrow the search to see fewer.]"
    )


async def test_far_too_many_matches_stop_the_search_and_the_first_are_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_COUNTED", 100)
    make(tmp_path, {f"d{number % 3}/f{number:02}": "hit\n" * 1000 for number in range(20)})
    result = await grepped(tmp_path, "hit", limit=2, offset=999)
    assert result.text == (
        "d0/f00\n1000:hit\n\nd0/f03\n1:hit\n[Matching lines 1,000-1,001 of more than 100; offset=1001 shows the next. "
        "Narrow the search to see fewer.]"
    )


async def test_links_lead_nowhere_and_cycles_end(tmp_path: Path) -> None:
    make(tmp_path, {"ws/sub/a": "SECRET\n", "outside/leak": "SECRET\n"})
    os.symlink("../outside", tmp_path / "ws/link")
    os.symlink("..", tmp_path / "ws/sub/loop")
    os.symlink("/nope", tmp_path / "ws/broken")
    assert (await grepped(tmp_path / "ws", "SECRET")).text == "sub/a\n1:SECRET"


async def test_a_fifo_is_passed_by_and_refused_when_named(tmp_path: Path) -> None:
    make(tmp_path, {"f": "hit\n"})
    os.mkfifo(tmp_path / "pipe")
    assert (await grepped(tmp_path, "hit")).text == "f\n1:hit"
    with pytest.raises(ToolFailed, match="pipe is neither a file nor a folder"):
        await grepped(tmp_path, "hit", path="pipe")


async def test_a_missing_path_is_told_with_its_neighbours(tmp_path: Path) -> None:
    make(tmp_path, {"src/a": ""})
    with pytest.raises(ToolFailed, match=r"There is no scr\. Nearest names in the workspace: src\."):
        await grepped(tmp_path, "hit", path="scr")


async def test_what_cannot_be_read_is_told(open_root: Path) -> None:
    make(open_root, {"a.txt": "needle\n", "closed/b.txt": "needle\n", "c.txt": "needle\n"})
    (open_root / "closed").chmod(0)
    (open_root / "c.txt").chmod(0)
    result = await Bench(open_root, launcher=Unprivileged()).run(Grep(), pattern="needle")
    (open_root / "closed").chmod(0o755)
    shown, *notes = result.text.split("\n[")
    assert shown == "a.txt\n1:needle"
    assert sorted(notes) == ["Not searched: c.txt: Permission denied.]", "Not searched: closed: Permission denied.]"]


async def test_the_same_files_are_ignored_as_by_git(tmp_path: Path) -> None:
    files = {"a.log": "", "sub/.gitignore": "!keep.log\n", "sub/keep.log": "", "sub/x.log": "", ".gitignore": "*.log\n"}
    make(tmp_path, {name: text or "hit\n" for name, text in files.items()})
    assert (await grepped(tmp_path, "hit", output_mode="files")).text == "sub/keep.log"


TEXT = "one\nTwo\nthree (x)\nfour\nfive\n"


@pytest.mark.parametrize(
    ("pattern", "arguments", "lines"),
    [
        ("(x)", {}, ["3:three (x)"]),
        ("(x)", {"literal": True}, ["3:three (x)"]),
        ("e (", {"literal": True}, ["3:three (x)"]),
        ("two", {"ignore_case": True}, ["2:Two"]),
        ("four", {"before": 1}, ["3-three (x)", "4:four"]),
        ("four", {"after": 1}, ["4:four", "5-five"]),
        ("four", {"context": 1, "after": 2, "before": 2}, ["2-Two", "3-three (x)", "4:four", "5-five"]),
        ("Two.thr", {"multiline": True}, ["2:Two", "3:three (x)"]),
        (r"Two\nthr", {"multiline": True}, ["2:Two", "3:three (x)"]),
        (r"(?m)Two$", {"multiline": True}, ["2:Two"]),
    ],
)
async def test_what_is_a_match_and_what_is_shown_around_it_can_be_said(
    pattern: str, arguments: dict[str, Any], lines: list[str], tmp_path: Path
) -> None:
    make(tmp_path, {"f": TEXT})
    found = (await grepped(tmp_path, pattern, **arguments)).text.split("\n")
    assert (found[1:] if found[0] == "f" else []) == lines


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"type": "py"}, ["a.py", "x/b.pyi"]),
        ({"type": "py", "glob": "x/*"}, ["x/b.pyi"]),
        ({"glob": "!*.md"}, ["a.py", "x/b.pyi"]),
        ({"glob": "!x/**"}, ["a.py", "c.md"]),
    ],
)
async def test_files_are_chosen_by_type_and_by_what_they_are_not(
    arguments: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    make(tmp_path, {"a.py": "hit\n", "x/b.pyi": "hit\n", "c.md": "hit\n"})
    assert (await grepped(tmp_path, "hit", output_mode="files", **arguments)).text.split("\n") == names


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"type": "pyton"}, "The search can't be made: unrecognized file type: pyton. Use glob instead, such as *.py."),
        ({"encoding": "martian"}, "unknown encoding: martian. Use a name such as latin1, gbk, shift_jis or utf-16le."),
        ({"glob": "../*"}, "glob can't be used: it can't go up with '..'"),
    ],
)
async def test_an_option_that_can_not_be_used_is_explained(
    arguments: dict[str, Any], says: str, tmp_path: Path
) -> None:
    make(tmp_path, {"f": "a\n"})
    with pytest.raises(ToolFailed) as caught:
        await grepped(tmp_path, "a", **arguments)
    assert says in str(caught.value)


@pytest.mark.parametrize("hits", [1, 2, 3, 4])
async def test_a_few_matches_bring_what_is_around_them(hits: int, tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    for hit in range(hits):
        lines[49 + 40 * (hit % 2) - hit // 2] = "hit"
    make(tmp_path, {"f": "\n".join(lines)})
    text = (await grepped(tmp_path, "hit", context=None)).text
    assert ("\n36-line 36\n" in text, "\n35:line 35\n" in text) == (hits <= 3, False)
    assert text.count(":hit") == hits


@pytest.mark.parametrize("arguments", [{"context": 0}, {"after": 1}, {"output_mode": "count"}])
async def test_context_that_was_asked_for_is_left_as_it_was(arguments: dict[str, Any], tmp_path: Path) -> None:
    make(tmp_path, {"f": "before\nhit\nafter\n"})
    assert "before" not in (await grepped(tmp_path, "hit", **{"context": None, **arguments})).text


@pytest.mark.parametrize("mode", ["content", "files", "count"])
@pytest.mark.parametrize("size", [1, 4, 7, 100])
async def test_the_pages_together_are_the_whole(mode: str, size: int, tmp_path: Path) -> None:
    make(tmp_path, {f"d{number % 3}/f{number}": "hit\nno\nhit\n" * (number % 4) for number in range(12)})
    whole = await grepped(tmp_path, "hit", output_mode=mode)
    total = 36 if mode == "content" else 9
    pages = [
        (await grepped(tmp_path, "hit", output_mode=mode, limit=size, offset=at)).text for at in range(0, total, size)
    ]
    assert [row for page in pages for row in _counted(page, mode)] == _counted(whole.text, mode)
    assert len(_counted(whole.text, mode)) == total


def _counted(text: str, mode: str) -> list[str]:
    rows = [row for row in text.split("\n") if row and not row.startswith("[")]
    return [row for row in rows if row[0].isdigit()] if mode == "content" else rows


async def test_a_page_has_the_context_of_its_own_matches(tmp_path: Path) -> None:
    make(tmp_path, {"f": "\n".join(f"hit {number}" if number % 4 == 0 else f"{number}" for number in range(1, 20))})
    text = (await grepped(tmp_path, "hit", context=1, offset=1, limit=2)).text
    assert text == (
        "f\n7-7\n8:hit 8\n9-9\n--\n11-11\n12:hit 12\n13-13\n"
        "[Matching lines 2-3 of 4; offset=3 shows the next. Narrow the search to see fewer.]"
    )


async def test_the_last_page_and_what_is_past_it_are_said(tmp_path: Path) -> None:
    make(tmp_path, {"f": "hit\n" * 5})
    assert (await grepped(tmp_path, "hit", offset=3)).text == "f\n4:hit\n5:hit\n[Matching lines 4-5 of 5: the last.]"
    past = await grepped(tmp_path, "hit", offset=9)
    assert past.text == "[There is nothing at offset 9: it is 5 matching lines in all.]"


async def test_no_header_stands_without_a_line_below_it(tmp_path: Path) -> None:
    make(tmp_path, {"a": "hit\n", "b": "hit\n"})
    assert (await grepped(tmp_path, "hit", limit=1)).text.split("\n")[:-1] == ["a", "1:hit"]


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("", "caf\u00e9".encode()),
        ("latin1", b"caf\xe9"),
        ("gbk", "caf\u00e9".encode("gbk")),
        ("utf-16le", "caf\u00e9".encode("utf-16le")),
    ],
)
async def test_text_is_found_in_any_encoding_that_is_named(encoding: str, data: bytes, tmp_path: Path) -> None:
    make(tmp_path, {"f": data})
    assert (await grepped(tmp_path, "caf\u00e9", encoding=encoding)).text == "f\n1:caf\u00e9"


async def test_a_search_for_what_another_encoding_would_hide_says_so(tmp_path: Path) -> None:
    make(tmp_path, {"f": b"caf\xe9\n"})
    text = (await grepped(tmp_path, "caf\u00e9")).text
    assert text.endswith("[Files were read as UTF-8, or as their byte order mark says; encoding=… reads others.]")


async def test_a_file_that_turns_binary_is_said(tmp_path: Path) -> None:
    late = b"hit 1\n" + b"x" * 300_000 + b"\nhit 2\n\0\nhit 3\n"
    make(tmp_path, {"late": late, "early": b"\0\nhit\n"})
    tree = (await grepped(tmp_path, "hit")).text
    assert tree == "late\n1:hit 1\n[late is binary from some place on, and was searched up to it.]"
    named = (await grepped(tmp_path, "hit", path="early")).text
    assert named == "early\n2:hit\n[early is a binary file.]"


async def test_time_that_runs_out_while_secret_files_are_looked_for_is_said(tmp_path: Path) -> None:
    make(tmp_path, {"a": "hit\n"})
    result = await Bench(tmp_path, launcher=Impatient("--files")).run(Grep(), pattern="hit", context=0)
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert result.text.startswith("a\n1:hit\n[The search took more than 30 s and was stopped.")
