"""Everything Handrail raises, in one tree.

    HandrailError
    ├── UsageError              the caller's input can't be used; the message says where
    │   ├── WireError           a provider response that can't be read
    │   ├── RuleError           a policy rule or file that can't be used
    │   └── NoModel             nobody said which model is to answer, and none is found
    ├── ToolDefinitionError     a tool that can't be registered
    ├── CallError               one call can't go on; becomes that call's own result
    │   ├── UnknownTool
    │   ├── InvalidArguments
    │   └── ToolFailed          raised by tools: what happened, where, what to do next
    │       ├── FileTooLarge    to be held whole; `FileReader.scan` takes larger ones
    │       └── NoReply         nobody answered a tool's question
    ├── JournalError            the journal can't be written or read: nothing with effects starts
    ├── ModelError              a model's provider does not answer, or not so that it can be read
    ├── LauncherError           a child process can't be started
    └── LoginFailed             a person's login at a server came to nothing

A `CallError` never leaves the runtime: the executor turns it into the call's result. Messages are
written for two readers at once, a person and a model: what happened, where, what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class HandrailError(Exception):
    """The root: catch this to catch all that Handrail raises on purpose."""


class UsageError(HandrailError):
    """Input from the caller that can't be used. `str(error)` is one line that says where."""


class WireError(UsageError):
    """A provider response that can't be read: not one of the four wires, or cut in the middle."""


class RuleError(UsageError):
    """A policy rule or file that can't be used; the message starts with `FILE:LINE:`."""


class NoModel(UsageError):
    """Nobody said which model is to answer, and no key of a provider is there. The text is a page: how to get one."""


class ToolDefinitionError(HandrailError):
    """A tool whose name, schema or signature can't be used. Raised at definition or registration."""


class CallError(HandrailError):
    """One call can't go on. The executor turns it into that call's failed result."""


class UnknownTool(CallError):
    """No tool answers to this name, for this session."""


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """One thing wrong with one argument."""

    path: str
    """Where, as a model would write it: `edits[0].old_string`; empty for the arguments as a whole."""
    problem: str
    """What was found and what was expected, as a clause: `got a string, expected an integer`."""

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


class InvalidArguments(CallError):
    """The arguments don't fit the tool's schema; all problems are listed, each with its path."""

    def __init__(self, tool: str, problems: Sequence[ArgumentProblem]) -> None:
        self.tool = tool
        self.problems = tuple(problems)
        lines = "\n".join(f"- {problem}" for problem in self.problems)
        super().__init__(f"The arguments for {tool} are not valid:\n{lines}\nCorrect them and call {tool} again.")


class ToolFailed(CallError):
    """Raised by a tool that can't do what it was asked: what happened, where, what to do next."""


class FileTooLarge(ToolFailed):
    """A file that is too large to be held whole; read in pieces, it may not be."""


class NoReply(ToolFailed):
    """Nobody answered a tool's question: a person said no, or there is nobody to ask."""

    def __init__(self, why: str, *, cancelled: bool = False) -> None:
        self.cancelled = cancelled
        """Neither yes nor no: the question was called off."""
        super().__init__(why)


class JournalError(HandrailError):
    """The journal can't be written or read. No call with effects starts after this."""


class UnknownSession(JournalError, UsageError):
    """The journal holds no session with this id."""


class ModelFault(StrEnum):
    """What kind of trouble a model's provider is in, or has with us."""

    OVERLOADED = "overloaded"
    """It, or the network to it, was not able to answer, however often it was asked."""
    LIMITED = "limited"
    """It takes no more of our requests for now."""
    CUT = "cut"
    """The answer broke off: what came before stands."""
    UNREADABLE = "unreadable"
    """What it sent is not of its wire."""
    KEY = "key"
    """It knows the key not, or the key may not do this."""
    TOO_LONG = "too long"
    """The conversation does not fit its window."""
    REFUSED = "refused"
    """It says that the request is not right."""


class ModelError(HandrailError):
    """A model's provider does not answer, or not so that it can be read. One line, which says what to do."""

    def __init__(self, fault: ModelFault, message: str) -> None:
        self.fault = fault
        super().__init__(message)


class LauncherError(HandrailError):
    """A child process can't be started: program missing, folder gone, out of processes."""


class LoginFailed(HandrailError):
    """A person's login at a server came to nothing; the message says why, and what to do next."""
