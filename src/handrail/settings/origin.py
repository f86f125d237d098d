"""Where a setting was given: the layers, in the order in which they yield to each other."""

from __future__ import annotations

from enum import StrEnum

from handrail.contract.values import value
from handrail.policy.rules import RuleScope


class Layer(StrEnum):
    """From what yields to what wins."""

    DEFAULT = "default"
    SYSTEM = "system"
    """What the administrator of the machine says."""
    USER = "user"
    PROJECT = "project"
    """Came with the workspace, for everybody who works there."""
    LOCAL = "local"
    """Lies in the workspace, and is not for version control."""
    ENVIRONMENT = "environment"
    FLAG = "flag"

    @property
    def is_of_workspace(self) -> bool:
        """Whether it came with the workspace, or could have: until a person trusts it, it may only tighten."""
        return self in (Layer.PROJECT, Layer.LOCAL)

    @property
    def scope(self) -> RuleScope:
        """Whose the rules of its policy files are: the environment is set by whoever types the command."""
        return RuleScope.COMMAND_LINE if self in (Layer.ENVIRONMENT, Layer.FLAG) else RuleScope(self.value)


@value
class Origin:
    """One place where a setting stands."""

    layer: Layer
    name: str = ""
    """The file as people should see it named, the variable, or the flag; empty for a default."""
    line: int = 0
    """From 1; 0 where there are no lines."""

    def __str__(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name or self.layer.value


class Doubt(StrEnum):
    """Why a value may tighten what holds without it, and never loosen it."""

    UNTRUSTED = "nobody trusted the file yet"
    WRITABLE = "others can write the file"
    MISSPELLED = "its name is none, and nearly this one"
    UNREADABLE = "its value can't be used"
    MISPLACED = "it can't be set there"


@value
class Given:
    """A value, and where it was given."""

    value: object
    origin: Origin
    doubt: Doubt | None = None
