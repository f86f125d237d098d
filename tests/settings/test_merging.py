from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from handrail.settings.keys import ADD_DIRS, APPROVE, AT_ONCE, MODE
from handrail.settings.merging import merged
from handrail.settings.origin import Doubt, Given, Layer, Origin

LAYERS = [layer for layer in Layer if layer is not Layer.DEFAULT]


def said(key, layer, value, doubt=None):
    return key, Given(value, Origin(layer, layer.value), doubt)


def givens(key, values):
    """One value at most from each layer, in doubt or not."""
    one = st.tuples(values, st.sampled_from([None, *Doubt]))
    table = st.dictionaries(st.sampled_from(LAYERS), one)
    return table.map(lambda table: [said(key, layer, *pair) for layer, pair in table.items()])


MODES = givens(MODE, st.sampled_from(MODE.type.words))


@given(MODES)
def test_without_doubt_the_last_layer_holds(modes) -> None:
    sure = [(key, each) for key, each in modes if each.doubt is None]
    last = max(sure, key=lambda pair: LAYERS.index(pair[1].origin.layer), default=None)
    assert merged(sure)["mode"].value == (last[1].value if last else "default")


@given(MODES)
def test_doubt_never_loosens(modes) -> None:
    sure = [(key, each) for key, each in modes if each.doubt is None]
    strictness = MODE.type.words.index
    assert strictness(merged(modes)["mode"].value) <= strictness(merged(sure)["mode"].value)


@given(MODES, st.randoms())
def test_the_order_in_which_values_come_does_not_matter(modes, random) -> None:
    shuffled = list(modes)
    random.shuffle(shuffled)
    assert merged(shuffled) == merged(modes)


@given(MODES)
def test_every_value_is_accounted_for(modes) -> None:
    setting = merged(modes)["mode"]
    found = [*setting.held, *setting.yielded, *setting.kept_out]
    assert sorted(str(each.origin) for each in found) == sorted(["default", *(str(each.origin) for _, each in modes)])


def test_lists_of_all_layers_add_up_and_name_each_thing_once() -> None:
    a, b = Path("/a"), Path("/b")
    setting = merged(
        [said(ADD_DIRS, Layer.FLAG, (b, a)), said(ADD_DIRS, Layer.SYSTEM, (a,)), said(ADD_DIRS, Layer.USER, ())]
    )["add_dirs"]
    assert setting.value == (a, b)
    assert [each.origin.layer for each in setting.held] == [Layer.DEFAULT, Layer.SYSTEM, Layer.USER, Layer.FLAG]


def test_a_folder_in_doubt_is_not_added() -> None:
    setting = merged(
        [said(ADD_DIRS, Layer.USER, (Path("/a"),)), said(ADD_DIRS, Layer.PROJECT, (Path("/b"),), Doubt.UNTRUSTED)]
    )["add_dirs"]
    assert setting.value == (Path("/a"),)
    assert [each.value for each in setting.kept_out] == [(Path("/b"),)]


def test_a_doubted_value_that_tightens_takes_part_and_yields_as_any_other() -> None:
    modes = [said(MODE, Layer.USER, "accept-edits"), said(MODE, Layer.PROJECT, "plan", Doubt.UNTRUSTED)]
    assert merged(modes)["mode"].value == "plan"
    assert merged([*modes, said(MODE, Layer.FLAG, "bypass")])["mode"].value == "bypass"
    assert merged([said(AT_ONCE, Layer.PROJECT, 2, Doubt.UNTRUSTED)])["at_once"].value == 2
    assert merged([said(AT_ONCE, Layer.PROJECT, 900, Doubt.UNTRUSTED)])["at_once"].value == AT_ONCE.default
    assert merged([said(APPROVE, Layer.LOCAL, "all", Doubt.UNTRUSTED)])["approve"].value == "ask"
