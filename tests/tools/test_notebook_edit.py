from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook_files import code, markdown, notebook, stream
from tool_harness import Bench, CheckFailed

from handrail.errors import ToolFailed
from handrail.tools.notebook.document import Notebook
from handrail.tools.notebook.editing import NotebookText
from handrail.tools.notebook_edit import NotebookEdit
from handrail.tools.read_file import ReadFile

CELLS = [markdown("# Tides", id="aa"), code("x = 1\nx", stream("1\n"), id="bb", run=7), code("y", id="cc")]
TEXT = notebook(*CELLS)


async def edit(root: Path, text: str = TEXT, **arguments: Any) -> str:
    path = root / "n.ipynb"
    path.write_bytes(text.encode())
    bench = Bench(root)
    result = await bench.run(NotebookEdit(), notebook_path="n.ipynb", **arguments)
    assert bench.ledger.last(path) is not None
    return result.text


def written(root: Path) -> str:
    return (root / "n.ipynb").read_bytes().decode()


async def test_a_replaced_source_keeps_outputs_metadata_and_id(tmp_path: Path) -> None:
    done = await edit(tmp_path, cell_id="bb", new_source="x = 2\nx")
    assert written(tmp_path) == TEXT.replace('"x = 1\\n"', '"x = 2\\n"')
    assert done == "Replaced cell 2 of n.ipynb. Its outputs are those of the old source until it is run."


async def test_a_cell_can_be_named_by_its_number(tmp_path: Path) -> None:
    await edit(tmp_path, cell_id="3", new_source="z")
    assert written(tmp_path) == TEXT.replace('"y"', '"z"')


async def test_an_id_goes_before_a_number(tmp_path: Path) -> None:
    await edit(tmp_path, notebook(markdown("one", id="2"), markdown("two", id="1")), cell_id="1", new_source="new")
    assert written(tmp_path) == notebook(markdown("one", id="2"), markdown("new", id="1"))


@pytest.mark.parametrize(
    ("after", "kind", "place"), [("", None, 0), ("aa", "markdown", 1), ("3", "raw", 3)], ids=["first", "middle", "last"]
)
async def test_an_inserted_cell_looks_as_jupyter_writes_it(
    after: str, kind: str | None, place: int, tmp_path: Path
) -> None:
    given_kind = {"cell_type": kind} if kind else {}
    done = await edit(tmp_path, edit_mode="insert", cell_id=after, new_source="a\nb", **given_kind)
    found = re.search(rf"^Inserted cell {place + 1} \(id ([0-9a-f]{{8}})\) in n.ipynb, which now has 4 cells\.", done)
    assert found is not None
    made = code("a\nb", id=found[1]) if kind is None else markdown("a\nb", id=found[1]) | {"cell_type": kind}
    assert written(tmp_path) == notebook(*CELLS[:place], made, *CELLS[place:])


async def test_before_ids_existed_none_is_made(tmp_path: Path) -> None:
    done = await edit(tmp_path, notebook(code("x"), minor=4), edit_mode="insert", cell_id="1", new_source="y")
    assert done == "Inserted cell 2 in n.ipynb, which now has 2 cells."
    assert written(tmp_path) == notebook(code("x"), code("y"), minor=4)


async def test_a_cell_can_be_put_into_a_notebook_without_any(tmp_path: Path) -> None:
    done = await edit(tmp_path, notebook(), edit_mode="insert", new_source="x")
    id = done.split("(id ")[1][:8]
    assert written(tmp_path) == notebook(code("x", id=id))


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_a_deleted_cell_leaves_the_others_as_they_were(number: int, tmp_path: Path) -> None:
    done = await edit(tmp_path, edit_mode="delete", cell_id=str(number))
    assert written(tmp_path) == notebook(*[cell for place, cell in enumerate(CELLS, 1) if place != number])
    moved = "" if number == 3 else f" The numbers from {number} on have changed."
    assert done == f"Deleted cell {number} of n.ipynb, which now has 2 cells.{moved}"


async def test_the_only_cell_can_be_deleted(tmp_path: Path) -> None:
    await edit(tmp_path, notebook(code("x")), edit_mode="delete", cell_id="1")
    assert written(tmp_path) == notebook()


async def test_another_kind_has_what_its_kind_has(tmp_path: Path) -> None:
    await edit(tmp_path, cell_id="bb", new_source="text", cell_type="markdown")
    assert written(tmp_path) == notebook(CELLS[0], markdown("text", id="bb"), CELLS[2])
    await edit(tmp_path, cell_id="aa", new_source="1", cell_type="code")
    assert json.loads(written(tmp_path)) == json.loads(notebook(code("1", id="aa"), *CELLS[1:]))


FORMS = {
    "compact": json.dumps(json.loads(TEXT), separators=(",", ":")),
    "one line": json.dumps(json.loads(TEXT)),
    "four spaces, no final newline": json.dumps(json.loads(TEXT), indent=4),
    "tabs": json.dumps(json.loads(TEXT), indent="\t") + "\n\n",
    "CRLF": TEXT.replace("\n", "\r\n"),
    "escapes": json.dumps(json.loads(TEXT.replace("Tides", "T\u00eddes")), indent=1),
    "sources as strings": TEXT.replace('[\n    "y"\n   ]', '"y"'),
}


@pytest.mark.parametrize("form", FORMS)
async def test_the_form_of_the_file_is_kept(form: str, tmp_path: Path) -> None:
    text = FORMS[form]
    assert '"y"' in text
    source = "z" if "strings" in form else "z\n\u00fc"
    await edit(tmp_path, text, cell_id="cc", new_source=source)
    data = json.loads(text)
    data["cells"][2]["source"] = source if "strings" in form else source.splitlines(keepends=True)
    assert json.loads(written(tmp_path)) == data
    await edit(tmp_path, written(tmp_path), cell_id="cc", new_source="y")
    assert written(tmp_path) == text
    done = await edit(tmp_path, text, edit_mode="insert", cell_id="bb", new_source="new")
    assert len(json.loads(written(tmp_path))["cells"]) == 4
    await edit(tmp_path, written(tmp_path), edit_mode="delete", cell_id=done.split("(id ")[1][:8])
    assert written(tmp_path) == text


@pytest.mark.parametrize("form", ["four spaces, no final newline", "tabs", "one line", "compact"])
async def test_what_is_put_in_is_laid_out_as_the_rest(form: str, tmp_path: Path) -> None:
    done = await edit(tmp_path, FORMS[form], edit_mode="insert", cell_id="aa", new_source="a\nb", cell_type="raw")
    whole = json.loads(FORMS[form])
    whole["cells"].insert(1, markdown("a\nb", id=done.split("(id ")[1][:8]) | {"cell_type": "raw"})
    layout: dict[str, dict[str, Any]] = {
        "four": {"indent": 4}, "tabs": {"indent": "\t"}, "one ": {}, "comp": {"separators": (",", ":")},
    }  # fmt: skip
    whole["cells"][1] = dict(sorted(whole["cells"][1].items()))
    assert written(tmp_path).rstrip("\n") == json.dumps(whole, **layout[form[:4]])


async def test_numbers_and_escapes_elsewhere_stay_as_they_were_written(tmp_path: Path) -> None:
    text = TEXT.replace('"metadata": {}', '"metadata": {"a": 1.50, "b": 1E3, "c": "\\u00e9\\/", "a": 2}')
    await edit(tmp_path, text, cell_id="cc", new_source="z")
    assert written(tmp_path) == text.replace('"y"', '"z"')


async def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    await edit(tmp_path, "\ufeff" + TEXT, cell_id="cc", new_source="z")
    assert written(tmp_path) == "\ufeff" + TEXT.replace('"y"', '"z"')


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cell_id": "dd"}, "n.ipynb has no cell dd: it has 3 cells. Read it for their ids and numbers."),
        ({"cell_id": "4"}, "n.ipynb has no cell 4"),
        ({"cell_id": "0"}, "n.ipynb has no cell 0"),
        ({"cell_id": "cc", "new_source": "y"}, "Cell 3 of n.ipynb has exactly this source already"),
        ({"cell_id": "cc", "new_source": "# ... rest of code"}, "rest of code"),
    ],
)
async def test_what_can_not_be_done_changes_nothing(arguments: dict[str, str], says: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as caught:
        await edit(tmp_path, **arguments)
    assert says in str(caught.value)
    assert written(tmp_path) == TEXT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", r"n\.ipynb is no notebook that can be edited: it is not JSON: .+ Mend it as a file of text\."),
        ('{"nbformat": 3, "worksheets": []}', "is a notebook of nbformat 3; only 4 can be edited. Convert it"),
        ("a\0b", "n.ipynb is binary and no notebook"),
        (notebook(code("1", id="dd"), code("2", id="dd")), "Cells 1, 2 of n.ipynb all have the id dd. Name the one"),
    ],
)
async def test_what_is_no_notebook_of_this_format_is_left(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=says):
        await edit(tmp_path, text, cell_id="dd", new_source="x")
    assert written(tmp_path) == text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"new_source": "x"}, "replace needs a cell_id"),
        ({"edit_mode": "delete"}, "delete needs a cell_id"),
        ({"edit_mode": "delete", "cell_id": "1", "new_source": "x"}, "delete takes no new_source"),
    ],
)
async def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, str], says: str, tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match=says):
        await edit(tmp_path, **arguments)


async def test_a_notebook_that_changed_since_it_was_read_is_left(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(TEXT)
    bench = Bench(tmp_path)
    await bench.run(ReadFile(), file_path="n.ipynb")
    await bench.run(NotebookEdit(), notebook_path="n.ipynb", cell_id="2", new_source="mine")
    await bench.run(NotebookEdit(), notebook_path="n.ipynb", cell_id="2", new_source="mine again")
    path.write_text(notebook(*CELLS[1:]))
    with pytest.raises(ToolFailed, match=r"n\.ipynb has changed since you last read it"):
        await bench.run(NotebookEdit(), notebook_path="n.ipynb", cell_id="2", new_source="theirs?")
    assert written(tmp_path) == notebook(*CELLS[1:])


async def test_the_person_sees_the_change_as_text(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(TEXT)
    confirmation = await Bench(tmp_path).confirm(NotebookEdit(), notebook_path="n.ipynb", cell_id="cc", new_source="z")
    assert confirmation.new == TEXT.replace('"y"', '"z"')  # type: ignore[union-attr]
    assert confirmation.title == "Replace cell cc in n.ipynb"


CELL = st.builds(
    lambda source, is_code: code(source) if is_code else markdown(source), st.text(max_size=12), st.booleans()
)


@given(st.lists(CELL, max_size=4), st.integers(0, 4), st.text(max_size=12), st.sampled_from([None, 1, 2, "\t"]))
def test_what_is_inserted_and_deleted_again_leaves_the_same_bytes(
    cells: list[dict[str, Any]], place: int, source: str, indent: int | str | None
) -> None:
    whole = json.loads(notebook(*cells, minor=4))
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    before = Notebook.parse(text)
    after = before.cells[place - 1] if 0 < place <= len(cells) else None
    inserted = Notebook.parse(NotebookText.of(before, "n").with_cell(after, source, "code", ""))
    number = after.number if after else 0
    whole["cells"].insert(number, code(source))
    assert json.loads(inserted.text) == whole
    assert NotebookText.of(inserted, "n").without(inserted.cells[number]) == text
