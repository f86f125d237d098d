"""Where what a program says is cut: between lines, so that no secret is cut in two before it is seen. Pure."""

from __future__ import annotations

from collections.abc import Callable

from handrail.sandbox.kept_output import KeptOutput

MOST_BEGUN = 16_384
"""Bytes of a line that wait for its end; of a longer one the later half waits, once its secrets are gone."""


def lines_of(kept: KeptOutput, begun: bytes = b"") -> bytes:
    """What was kept, `begun` before it. Where bytes were left out, the lines that lack some are left out with them."""
    head, tail, dropped = begun + kept.head, kept.tail, kept.dropped
    if not dropped:
        return head + tail
    first, last = head.rfind(b"\n") + 1, tail.find(b"\n") + 1 or len(tail)
    note = f"[{dropped + len(head) - first + last:,} bytes left out]\n"
    return head[:first] + note.encode() + tail[last:]


def parted(said: bytes, without_secrets: Callable[[str], str], *, to_the_end: bool) -> tuple[str, bytes]:
    """What can be shown, without its secrets, and the beginning of a line that waits; `to_the_end`, nothing waits."""
    end = len(said) if to_the_end else said.rfind(b"\n") + 1
    if len(said) - end <= MOST_BEGUN:
        return without_secrets(said[:end].decode("utf-8", "replace")), said[end:]
    text = without_secrets(said.decode("utf-8", "replace"))
    shown = max(0, len(text) - MOST_BEGUN // 2)
    return text[:shown], text[shown:].encode()
