"""Notebooks for tests, as Jupyter writes them."""

from __future__ import annotations

import json
from typing import Any


def code(source: str, *outputs: dict[str, Any], id: str = "", run: int | None = None) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": run, "metadata": {}, "outputs": list(outputs)}
    return _with_id(cell, id) | {"source": source.splitlines(keepends=True)}


def markdown(source: str, id: str = "") -> dict[str, Any]:
    return _with_id({"cell_type": "markdown", "metadata": {}}, id) | {"source": source.splitlines(keepends=True)}


def notebook(*cells: dict[str, Any], minor: int = 5) -> str:
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    whole = {"cells": list(cells), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": minor}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"name": name, "output_type": "stream", "text": text.splitlines(keepends=True)}


def shown(**forms: Any) -> dict[str, Any]:
    data = {kind.replace("_", "/", 1): form for kind, form in forms.items()}
    return {"data": data, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}


def _with_id(cell: dict[str, Any], id: str) -> dict[str, Any]:
    return cell | ({"id": id} if id else {})
