"""`[effects."tool-glob"]` tables: what tools that declare nothing may touch, by the word of whoever wrote them."""

from __future__ import annotations

from collections.abc import Mapping

from handrail.contract.decision import RuleRef
from handrail.contract.effects import Claims, PathClaim
from handrail.policy.declared import Declaration
from handrail.policy.hosts import HostPattern
from handrail.policy.patterns import BadPattern, ToolPattern
from handrail.policy.rule_table import Entry
from handrail.policy.spelling import as_written, shown, unknown

LISTS = ("reads", "writes", "connects", "keys")
FLAGS = ("destructive", "idempotent")
KEYS = (*LISTS, *FLAGS)


def read_declaration(glob: str, entry: Entry) -> Declaration | None:
    """What one table declares; None where anything is wrong with it: its tools stay unknown then."""
    table = entry.table
    if not isinstance(table, Mapping):
        entry.problem("", f"effects.{shown(glob)} is a table: reads, writes, connects, …")
        return None
    for key in table:
        if key not in KEYS:
            entry.problem(str(key), unknown("key", str(key), KEYS))
    if not table:
        entry.problem("", "declares nothing; for a tool that touches nothing write reads = []")
    lists = {key: _texts(entry, table, key) for key in LISTS}
    flags = {key: _flag(entry, table, key) for key in FLAGS}
    tools = _tools(entry, glob)
    for host in lists["connects"]:
        try:
            HostPattern.parse(host)
        except BadPattern as error:
            entry.problem("connects", f"connects {shown(host)} {error}")
    if tools is None or entry.problems:
        return None
    claims = Claims(
        reads=tuple(PathClaim(path, "tree") for path in lists["reads"]),
        writes=tuple(PathClaim(path, "tree") for path in lists["writes"]),
        connects=frozenset(lists["connects"]),
        keys=frozenset(lists["keys"]),
        destructive=flags["destructive"],
        idempotent=flags["idempotent"],
        certainty="bounded",
    )
    text = f"effects.{shown(glob)}: {as_written(table)}"
    return Declaration(RuleRef(entry.source, entry.lines.line, text), tools, claims)


def _tools(entry: Entry, glob: str) -> ToolPattern | None:
    try:
        return ToolPattern.parse(glob)
    except BadPattern as error:
        entry.problem("", f"effects.{shown(glob)} {error}")
        return None


def _texts(entry: Entry, table: Mapping[str, object], key: str) -> tuple[str, ...]:
    given = table.get(key, [])
    texts = tuple(given) if isinstance(given, (list, tuple)) else ()
    if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) and text.strip() for text in texts):
        entry.problem(key, f"{key} is {shown(given)}; give a list of texts")
        return ()
    return tuple(str(text) for text in texts)


def _flag(entry: Entry, table: Mapping[str, object], key: str) -> bool:
    given = table.get(key, False)
    if not isinstance(given, bool):
        entry.problem(key, f"{key} is {shown(given)}; give true or false")
    return given is True
