"""Bytes in JSON."""

from __future__ import annotations

import base64


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64_text(data)}"
