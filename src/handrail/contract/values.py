"""`value` makes a class of immutable values: `dataclass(frozen=True, slots=True)`, at a fraction of its cost.

Some twenty values are made for each call, and a hundred such classes are defined before the command line says a
word. The standard library compiles six methods for each of them, and its `__init__` finds every field by name.
Here all classes share their methods but `__init__`, which writes to the slots themselves and is compiled when needed.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots: `fields`, `replace`, `match`, `copy` and `pickle` take it for one.

    Of the options of a field it knows `default` alone.
    """
    cls.__doc__ = cls.__doc__ or f"{cls.__name__}({', '.join(cls.__annotations__)})"
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    _give_methods(made)
    return made


def _give_methods(made: Any) -> None:
    contents = attrgetter(*made.__match_args__, "__class__")
    made.__init__ = _Init(made)
    made.__eq__ = lambda self, other: contents(self) == contents(other) if type(other) is type(self) else NotImplemented
    made.__hash__ = lambda self: hash(contents(self))
    made.__repr__ = _shown
    made.__reduce__ = _taken_apart
    made.__setattr__ = made.__delattr__ = _refused


class _Init:
    """A class's `__init__`, compiled when it is first looked for: of most classes a short run makes no value."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __get__(self, instance: object, owner: type) -> Any:
        self._made.__init__ = _compiled_init(self._made)
        return self._made.__init__.__get__(instance, owner)


def _compiled_init(made: Any) -> Any:
    """`def __init__(self, a, b=default_b)`, with a call of each slot's own setter for a body."""
    parameters, stores = [], ["pass"]
    names: dict[str, Any] = {}
    for each in fields(made):
        names[f"set_{each.name}"] = getattr(made, each.name).__set__
        stores.append(f"set_{each.name}(self, {each.name})")
        if each.default is MISSING:
            parameters.append(each.name)
        else:
            names[f"default_{each.name}"] = each.default
            parameters.append(f"{each.name}=default_{each.name}")
    exec(f"def __init__(self, {', '.join(parameters)}): {'; '.join(stores)}", names)
    init = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _shown(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"


def _taken_apart(self: Any) -> tuple[type, tuple[object, ...]]:
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


def _refused(self: Any, name: str, new: object = None) -> None:
    raise FrozenInstanceError(f"{type(self).__name__} is a value: make another one with `dataclasses.replace`")
