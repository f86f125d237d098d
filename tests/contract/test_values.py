from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from handrail.contract.values import mutable, value


@value
class Point:
    x: int
    y: int = 0

    @property
    def swapped(self) -> Point:
        return Point(self.y, self.x)


@value
class Named(Point):
    """A point with a name."""

    name: str = ""


@value
class Nothing:
    pass


@pytest.mark.parametrize(
    "change", [lambda p: setattr(p, "x", 2), lambda p: delattr(p, "x"), lambda p: setattr(p, "z", 2)]
)
def test_a_value_never_changes(change: Any) -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match="Point is a value"):
        change(point)
    assert point == Point(1, 0)


@pytest.mark.parametrize("arguments", [(), (1, 2, 3)])
def test_a_value_is_made_with_its_fields_and_no_others(arguments: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\)"):
        Point(*arguments)
    assert Named(1, name="a") == Named(x=1, y=0, name="a")


def test_values_are_equal_when_class_and_contents_are() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(2, 1)
    assert Point(1, 2) != Named(1, 2)
    assert Nothing() == Nothing()
    assert {Point(1), Point(1), Named(1), Nothing(), Nothing()} == {Point(1), Named(1), Nothing()}


@pytest.mark.parametrize("made", [Point(1, 2), Named(1, 2, "a"), Nothing()], ids=repr)
def test_a_value_survives_copies_and_pickles(made: object) -> None:
    assert copy.copy(made) == copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made


def test_a_value_is_a_dataclass_to_all_who_look() -> None:
    assert is_dataclass(Named)
    assert [field.name for field in fields(Named)] == ["x", "y", "name"]
    assert replace(Named(1, 2, "a"), y=3) == Named(1, 3, "a")
    match Named(1, 2, "a"):
        case Named(x, y, name):
            assert (x, y, name) == (1, 2, "a")
    assert repr(Named(1, 2, "a")) == "Named(x=1, y=2, name='a')"
    assert (Point.__doc__, Named.__doc__) == ("Point(x, y)", "A point with a name.")
    assert not hasattr(Point(1), "__dict__")
    assert Point(1, 2).swapped == Point(2, 1)


def test_the_signature_is_there_before_the_first_value() -> None:
    @value
    class Unused:
        x: int
        y: int = 0

    assert str(inspect.signature(Unused)) == "(x, y=0)"
    assert Unused(1) == Unused(1, 0)


@value
class Bag:
    name: str
    things: list[int] = field(default_factory=list)


@mutable
class Heap:
    """Things that come and go."""

    things: list[int] = field(default_factory=list)
    most: int = 3


def test_each_value_has_what_a_factory_makes_for_it() -> None:
    one, other = Bag("a"), Bag("a", [1])
    one.things.append(1)
    assert (one, Bag("a").things) == (other, [])


def test_a_mutable_changes_is_compared_and_has_no_hash() -> None:
    heap = Heap()
    heap.most = 4
    assert heap == Heap([], 4) == copy.deepcopy(heap) == pickle.loads(pickle.dumps(heap)) != Heap()
    assert (repr(heap), Heap.__doc__) == ("Heap(things=[], most=4)", "Things that come and go.")
    assert not hasattr(heap, "__dict__")
    with pytest.raises(TypeError, match="unhashable"):
        hash(heap)


@pytest.mark.parametrize("make", [value, mutable])
def test_a_default_that_all_would_share_is_refused(make: Any) -> None:
    class Sharing:
        things: list[int] = []  # noqa: RUF012 (this is what is refused)

    with pytest.raises(TypeError, match=r"Sharing\.things: all would share this default; write field"):
        make(Sharing)


@pytest.mark.parametrize("option", [{"repr": False}, {"compare": False}, {"init": False}, {"kw_only": True}])
def test_a_field_that_would_be_left_out_or_given_otherwise_is_refused(option: dict[str, bool]) -> None:
    class Leaky:
        secret: str = field(default="", **option)

    with pytest.raises(TypeError, match=r"Leaky\.secret: a field has no such option here"):
        value(Leaky)


def test_a_value_keeps_the_methods_that_it_has_of_its_own() -> None:
    @value
    class Quiet:
        x: int

        def __repr__(self) -> str:
            return "…"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Quiet(1)) == "…"
    assert Quiet(1) == Quiet(2)


def test_a_dataclass_may_go_on_from_a_value() -> None:
    @dataclass
    class Further(Bag):
        more: int = 0

    assert [each.name for each in fields(Further)] == ["name", "things", "more"]
