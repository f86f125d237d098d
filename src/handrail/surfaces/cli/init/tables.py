"""The tables of `projects.toml`, checked as they are read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

Role = Literal["test", "check", "format", "install"]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scripts(_Row):
    """A file in which a project names its own commands."""

    files: tuple[str, ...]
    reads: Literal["scripts", "targets"]
    language: str = ""
    """Whose managers run them; empty where `commands` do."""
    commands: tuple[str, ...] = ()


class Manager(_Row):
    """A package manager, or an environment."""

    name: str
    language: str
    marks: tuple[str, ...]
    prefix: str = ""
    test: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    otherwise: bool = False


class ProjectTool(_Row):
    """A program that people of such projects run all day."""

    name: str
    language: str
    role: Role
    marks: tuple[str, ...]
    commands: tuple[str, ...]


class Tables(_Row):
    roles: Mapping[Role, str]
    script_roles: Mapping[Role, tuple[str, ...]]
    scripts: tuple[Scripts, ...]
    manager: tuple[Manager, ...]
    tool: tuple[ProjectTool, ...]


def tables() -> Tables:
    text = resources.files("handrail.surfaces.cli.init").joinpath("projects.toml").read_text("utf-8")
    return Tables.model_validate(tomllib.loads(text))
