"""What the played model says when code of the docs asks it."""

from __future__ import annotations

from servers.script import Turn, Use, says

TIDE = Use("get_tide", {"port": "Brest"})

SCRIPTS: dict[str, list[Turn]] = {
    "one": [says("", Use("read_file", {"file_path": "tide.txt"}))],
    "task": [says("", Use("read_file", {"file_path": "tide.txt"})), says("High water at Brest is at 06:12.")],
    "tide": [says("I look it up.", TIDE), says("High water at Brest is at 06:12.")],
    "berth": [
        says("", TIDE),
        says("", Use("book_berth", {"port": "Brest", "boat": "Pen Duick"})),
        says("Berth 7 at Brest is yours; high water is at 06:12."),
    ],
}
