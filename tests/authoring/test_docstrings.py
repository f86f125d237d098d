from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.authoring.docstrings import Documented, read_docstring

SUMMARY_AND_BODY = "Looks up the tide.\n\nThe almanac knows: harbours of Europe."

GOOGLE = """Looks up the tide.

    The almanac knows: harbours of Europe.

    Args:
        port (str): Harbour to look up,
            such as 'Brest': see the map.
        days (int, optional): How many. Defaults to 3.
        *units: One of:
            * metres
            * feet

    Returns:
        The tide.

    Raises:
        KeyError: if there is no such port.
    """

NUMPY = """Looks up the tide.

    The almanac knows: harbours of Europe.

    Parameters
    ----------
    port : str
        Harbour to look up,
        such as 'Brest': see the map.
    days : int, optional
        How many. Defaults to 3.
    x, y : float
        The place.

    Returns
    -------
    Tide
        The tide.

    Notes
    -----
    Of no use to a model.
    """

REST = """Looks up the tide.

    The almanac knows: harbours of Europe.

    :param port: Harbour to look up,
        such as 'Brest': see the map.
    :param int days: How many. Defaults to 3.
    :type port: str
    :returns: The tide.
    :raises KeyError: if there is no such port.
    """

PORT = "Harbour to look up,\nsuch as 'Brest': see the map."
DAYS = "How many. Defaults to 3."

CASES = {
    "google": (GOOGLE, SUMMARY_AND_BODY, {"port": PORT, "days": DAYS, "units": "One of:\n* metres\n* feet"}),
    "numpy": (NUMPY, SUMMARY_AND_BODY, {"port": PORT, "days": DAYS, "x": "The place.", "y": "The place."}),
    "reST": (REST, SUMMARY_AND_BODY, {"port": PORT, "days": DAYS}),
    "none": (None, "", {}),
    "empty": ("", "", {}),
    "no sections": ("One line.", "One line.", {}),
    "a body of several paragraphs": ("One.\n\n    Two.\n\n    Three: x.\n    ", "One.\n\nTwo.\n\nThree: x.", {}),
    "arguments right under the summary": ("One.\n    Args:\n        a: x\n    ", "One.", {"a": "x"}),
    "nothing but arguments": ("\n    Args:\n        a: x\n    ", "", {"a": "x"}),
    "only a result": ("One.\n\n    Returns:\n        Nothing.\n    ", "One.", {}),
    "a note stays": (
        "One.\n\n    Note:\n        x\n\n    Args:\n        a: x\n    ",
        "One.\n\nNote:\n    x",
        {"a": "x"},
    ),
    "a note after the arguments is not theirs": (
        "One.\n\n    Args:\n        a: x\n\n    Note:\n        y\n    ",
        "One.",
        {"a": "x"},
    ),
    "an address is no parameter": (
        "One.\n\n    Args:\n        a: See https://example.org:80/a: there.\n    ",
        "One.",
        {"a": "See https://example.org:80/a: there."},
    ),
    "a role is no field": ("One of :class:`Tide`.\n\n    :param a: x", "One of :class:`Tide`.", {"a": "x"}),
    "a parameter without words": ("One.\n\n    Args:\n        a:\n        b: x\n    ", "One.", {"b": "x"}),
    "arguments without indentation are text": ("\n    Args:\n    a: x\n    ", "Args:\na: x", {}),
    "a field without its colon is text": (
        "One.\n\n    :param a x\n    :param b: y",
        "One.\n\n:param a x\n:param b: y",
        {},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_docstring_gives_its_summary_and_body_and_what_it_says_of_each_parameter(case):
    text, description, parameters = case
    assert read_docstring(text) == Documented(description, parameters)


LINES = st.sampled_from(
    [*GOOGLE.split("\n"), *NUMPY.split("\n"), *REST.split("\n"), "", ":param", ":param a b:", "::", "Args:", "---"]
)


@given(st.lists(LINES | st.text(max_size=12), max_size=8).map("\n".join))
def test_any_docstring_is_read_and_nothing_is_made_up(text):
    read = read_docstring(text)
    for said in (read.description, *read.parameters.values()):
        assert all(line.strip() in inspect.cleandoc(text) for line in said.split("\n"))
