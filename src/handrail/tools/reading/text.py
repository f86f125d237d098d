"""A page of text: numbered lines, and notes of what they leave out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.reading.view import MOST_CHARACTERS, View, range_name
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import FALLBACKS, TextFile, as_text, has_nul
from handrail.tools.text.lines import Line, LineScan
from handrail.tools.text.media import binary_file

LONGEST_LINE = 2_000
"""Characters shown of one line."""
_SHORTEST_ROW = 8
"""Characters of a numbered line that is empty, with its end."""
_PIECE = 1_000_000


@value
class Page:
    """Which lines are wanted, counted from 1."""

    offset: int
    limit: int
    characters: int = MOST_CHARACTERS
    """Of the whole result."""

    def scan(self, *, single_bytes: bool) -> LineScan:
        return LineScan(self.offset, min(self.limit, self.characters // _SHORTEST_ROW + 1), single_bytes=single_bytes)


def text_view(file: TextFile, page: Page, shown: str) -> View:
    """Raises ToolFailed for a page past the end."""
    scan = page.scan(single_bytes=file.has_single_bytes)
    for at in range(0, len(file.body), _PIECE):
        scan.take(file.body[at : at + _PIECE])
    return _view(file, scan, page, shown)


class LargeText:
    """Takes the pieces of a file that is too large to be held, and keeps one page."""

    def __init__(self, page: Page, shown: str) -> None:
        self._page = page
        self._shown = shown
        self._file: TextFile | None = None
        self._scan = page.scan(single_bytes=False)

    def take(self, piece: bytes) -> None:
        """Raises ToolFailed for what is not text that can be read in pieces."""
        if self._file is None:
            self._file = self._begun(piece)
            self._scan = self._page.scan(single_bytes=self._file.has_single_bytes)
            piece = piece[len(self._file.mark) :]
        self._scan.take(piece)

    def view(self) -> View:
        return _view(self._file or TextFile("utf-8", b"", b""), self._scan, self._page, self._shown)

    def _begun(self, piece: bytes) -> TextFile:
        """By the first piece, which may end within a character: it is cut where none can be, in either kind of text."""
        lines = piece[: piece.rfind(b"\n") + 1] or piece
        file = (as_text(lines) if has_nul(lines) == has_nul(piece) else None) or as_text(piece[: len(piece) // 4 * 4])
        if file is None:
            raise ToolFailed(binary_file(self._shown, piece, size=None))
        if not file.body_is_the_files_own:
            raise ToolFailed(
                f"{self._shown} is encoded in {file.name} and too large to be converted here. "
                "Convert the part you need by the shell, with iconv."
            )
        return file


def _view(file: TextFile, scan: LineScan, page: Page, shown: str) -> View:
    scan.finish()
    total = scan.total
    if total and page.offset > total:
        raise ToolFailed(f"offset {page.offset:,} is past the end: {shown} has {counted(total, 'line')}.")
    rows = numbered(scan.lines, page, file.part)
    last = page.offset + len(rows) - 1
    notes = _notes(file, page.offset, last, total)
    name = range_name("Lines", page.offset, last, total) if total else "Empty"
    return View.of_text(name, [*rows, *notes], {"lines": len(rows), "total": total})


def numbered(lines: Sequence[Line], page: Page, text_of: Callable[[bytes], str]) -> list[str]:
    """As many of the lines as the result holds, at least one."""
    rows: list[str] = []
    left = page.characters
    for number, line in enumerate(lines, page.offset):
        row = f"{number:>6}→{_clipped(text_of(line.data), line.characters)}"
        left -= len(row) + 1
        if left < 0 and rows:
            break
        rows.append(row)
    return rows


def _clipped(beginning: str, characters: int) -> str:
    rest = characters - LONGEST_LINE
    return f"{beginning[:LONGEST_LINE]} [… {counted(rest, 'more character')}]" if rest > 0 else beginning


def _notes(file: TextFile, first: int, last: int, total: int) -> list[str]:
    notes = []
    if not total:
        notes.append("[The file is empty.]")
    elif last < total:
        notes.append(f"[{range_name('Lines', first, last, total)}. To go on: offset={last + 1}.]")
    elif first > 1:
        notes.append(f"[{range_name('Lines', first, last, total)}: the end of the file.]")
    if file.encoding in FALLBACKS:
        notes.append(f"[Not valid UTF-8: shown as {file.name}. An edit keeps the bytes that it does not touch.]")
    elif file.encoding != "utf-8":
        notes.append(f"[Encoded in {file.name}; edits and writes keep that.]")
    return notes
