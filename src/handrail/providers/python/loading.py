"""Loads one tool file: runs its text as a module of its own, which no other module can import by accident.

The text comes from whoever read, hashed and trusted it; the file is not opened again, and no compiled copy is written.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from hashlib import sha256
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import CodeType, ModuleType, TracebackType
from typing import Any, Literal

from handrail.contract.tool import Tool
from handrail.contract.values import value
from handrail.providers.python.holding import Held, held_by
from handrail.runtime.guard import Returned, guarded_in_thread
from handrail.settings.tool_folders import ToolFile

LOAD_WITHIN = 10.0
"""Seconds that a file may take to load; what takes long belongs into the tool's function."""


@value
class Loaded:
    """What became of one file."""

    module: str
    """The name under which `sys.modules` has it."""
    tools: tuple[Tool[Any], ...] = ()
    problems: tuple[str, ...] = ()
    """Each with file and line, as far as there is one."""

    def forget(self) -> None:
        """Takes the module out of `sys.modules`. Calls that run go on."""
        sys.modules.pop(self.module, None)


async def loaded(file: ToolFile) -> Loaded:
    """Runs the file in a thread of its own, for a bounded time. Never raises but when cancelled.

    From then on `sys.modules` has it, where dataclasses and annotations look names up; see `Loaded.forget`.
    """
    module, stop = _module(file), _Stop(str(file.path))
    outcome = await guarded_in_thread(lambda: _held(file, module, stop), LOAD_WITHIN)
    if isinstance(outcome, Returned):
        problems = tuple(f"{file.name}: {problem}" for problem in outcome.value.problems)
        return Loaded(module.__name__, outcome.value.tools, problems)
    where = f"{file.name}:{stop.line}" if stop.line else file.name
    return Loaded(module.__name__, problems=(f"{where}: {outcome.message if stop.passed else _HANGS}",))


_HANGS = (
    f"it did not load within {LOAD_WITHIN:g} seconds. Python can't stop it, and it may still be at work; it is tried "
    "again when the file changes. Move what takes long into the tool's function"
)


def _held(file: ToolFile, module: ModuleType, stop: _Stop) -> Held:
    with stop:
        _TextLoader(file).exec_module(module)
    return held_by(module, file.path.stem)


def _module(file: ToolFile) -> ModuleType:
    """A module in which nothing ran yet."""
    module = module_from_spec(ModuleSpec(_free_name(file), _TextLoader(file), origin=str(file.path)))
    module.__file__ = str(file.path)
    sys.modules[module.__name__] = module
    return module


def _free_name(file: ToolFile) -> str:
    """The same in every process: schemas and reports may hold it."""
    stem = re.sub(r"\W", "_", file.path.stem)
    digest = sha256(os.fsencode(file.path) + b"\0" + file.text.encode()).hexdigest()[:12]
    names = (f"_handrail_tool_{stem}_{digest}{f'_{number}' if number else ''}" for number in itertools.count())
    return next(name for name in names if name not in sys.modules)


class _TextLoader(InspectLoader):
    """Gives a text that was read before, to the interpreter and to whoever prints a traceback."""

    def __init__(self, file: ToolFile) -> None:
        self._file = file

    def get_source(self, fullname: str) -> str:
        return self._file.text

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._file.text, str(self._file.path))

    def is_package(self, fullname: str) -> bool:
        return False


class _Stop:
    """Notes where in a file an error came from; the guard alone catches it."""

    def __init__(self, path: str) -> None:
        self.line = 0
        """From 1; 0 where there is none."""
        self.passed = False
        """The block ended, one way or the other."""
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        if isinstance(error, SyntaxError) and error.filename == self._path:
            self.line = error.lineno or 0
        while trace is not None and not (isinstance(error, SyntaxError) and self.line):
            if trace.tb_frame.f_code.co_filename == self._path:
                self.line = trace.tb_lineno
            trace = trace.tb_next
        self.passed = True
        return False
