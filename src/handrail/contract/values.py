"""`value` makes a class of immutable values, and `mutable` one of objects that change: what
`dataclass(frozen=True, slots=True)` and `dataclass(slots=True)` make, at a fraction of their cost.

Some twenty values are made for each call, and three hundred such classes are defined before the command line says a
word. The standard library compiles up to nine methods for each of them, which takes a millisecond, and its `__init__`
finds every field by name. Here all classes share their methods but `__init__`, which writes to the slots themselves;
it is compiled when needed, and so is what a dataclass tells of its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, replace
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_MADE: Any = object()
"""Stands for an argument that nobody gave, where a factory makes one."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots: `fields`, `replace`, `match`, `copy` and `pickle` take it for one.

    Of the options of a field it knows `default` and `default_factory`; for others it raises TypeError. It calls no
    `__post_init__`.
    """
    return _made(cls, {"__setattr__": _refused, "__delattr__": _refused})


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """As `value`, of what can change, and therefore has no hash."""
    return _made(cls, {"__hash__": None})


def _made(cls: type[T], kind: Mapping[str, object]) -> type[T]:
    """The class anew, for slots can't be added to one that is there."""
    own = {name: said for name, said in cls.__annotations__.items() if "ClassVar" not in str(said)}
    contents = {name: each for name, each in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    defaults = {name: contents.pop(name) for name in own if name in contents}
    for name, each in defaults.items():
        if isinstance(each, Field) and not _is_plain(each):
            raise TypeError(f"{cls.__qualname__}.{name}: a field has no such option here; make the class a dataclass")
        if type(each).__hash__ is None:
            raise TypeError(f"{cls.__qualname__}.{name}: all would share this default; write field(default_factory=…)")
    inherited: dict[str, tuple[object, object]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= getattr(base, "__handrail_fields__", {})
    known = inherited | {name: (said, defaults.get(name, MISSING)) for name, said in own.items()}
    parts = attrgetter(*known, "__class__")

    def same(self: object, other: object) -> Any:
        return parts(self) == parts(other) if type(other) is type(self) else NotImplemented

    shared: dict[str, object] = {
        "__doc__": f"{cls.__name__}({', '.join(known)})",
        "__eq__": same,
        "__hash__": lambda self: hash(parts(self)),
        "__repr__": _shown,
        "__reduce__": _taken_apart,
        "__replace__": replace,
        **kind,
    }
    given = {name: each for name, each in contents.items() if each is not None or name not in ("__doc__", "__hash__")}
    fixed = {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in own if name not in inherited),
        "__match_args__": tuple(known),
        "__handrail_fields__": known,
        "__init__": _Init(),
        "__dataclass_fields__": _AsDataclass(),
        "__dataclass_params__": _AsDataclass(),
    }
    kind_of_class: Any = type(cls)
    made: type[T] = kind_of_class(cls.__name__, cls.__bases__, {**shared, **given, **fixed})
    return made


def _is_plain(said: Field[object]) -> bool:
    return said.init and said.repr and said.compare and said.hash is None and said.kw_only is not True


class _AsDataclass:
    """What the standard library wants to know of a dataclass: found out when somebody asks."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        of = vars(self._owner)
        known = of["__handrail_fields__"]
        defaults = {name: default for name, (_, default) in known.items() if default is not MISSING}
        said = {"__module__": of["__module__"], "__annotations__": {name: said for name, (said, _) in known.items()}}
        plain = type(self._owner.__name__, (), {**defaults, **said})
        told = getattr(dataclass(init=False, repr=False, eq=False)(plain), self._name)
        setattr(self._owner, self._name, told)
        return told


class _Init:
    """A class's `__init__`, compiled when it is first looked for: of most classes a short run makes no value."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner: Any = owner

    def __get__(self, instance: object, owner: type) -> Any:
        self._owner.__init__ = _compiled_init(self._owner)
        return self._owner.__init__.__get__(instance, owner)


def _compiled_init(made: Any) -> Any:
    """`def __init__(self, a, b=default_b)`, with a call of each slot's own setter for a body."""
    parameters, stores = [], ["pass"]
    names: dict[str, Any] = {}
    for name, (_, said) in made.__handrail_fields__.items():
        default, factory = (said.default, said.default_factory) if isinstance(said, Field) else (said, MISSING)
        names[f"set_{name}"], stored = getattr(made, name).__set__, name
        if factory is not MISSING:
            names[f"make_{name}"], default = factory, _MADE
            stored = f"make_{name}() if {name} is default_{name} else {name}"
        if default is not MISSING:
            names[f"default_{name}"] = default
        parameters.append(name if default is MISSING else f"{name}=default_{name}")
        stores.append(f"set_{name}(self, {stored})")
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
