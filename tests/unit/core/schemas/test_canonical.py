"""The canonical form and the fingerprint."""

import hashlib
import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas import canonical, fingerprint, fingerprint_of_text

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def test_the_example_of_rfc_8785_comes_out_as_there():
    value = json.loads(
        r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
             "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"""
    )
    assert (
        canonical(value)
        == (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        ).encode()
    )


def test_keys_are_in_the_order_of_their_utf_16_code_units():
    keys = ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(reversed(keys), 0)))) == keys


@pytest.mark.parametrize(
    ("bits", "expected"),
    [  # RFC 8785, appendix B
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_a_double_is_written_as_ecmascript_writes_it(bits, expected):
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value).decode() == expected


@pytest.mark.parametrize("value", [0, 1, -7, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**400 + 1])
def test_an_integer_stays_exact(value):
    assert canonical(value).decode() == str(value)


def test_an_integer_of_more_digits_than_python_prints_has_a_form():
    assert canonical(10**5000 + 1).decode() == f"1{'0' * 4999}1"


def test_neighbouring_large_integers_have_two_forms():
    assert fingerprint({"maximum": 2**63 - 1}) != fingerprint({"maximum": 2**63})


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (10**21, 1e21), (10**30, 1e30), (0, -0.0)])
def test_one_number_has_one_form(one, other):
    assert canonical(one) == canonical(other)


@given(JSON_VALUES)
def test_the_form_reads_back_as_the_same_value_and_is_its_own_form(value):
    form = canonical(value)
    # As doubles: above 2^53 the shortest digits of a double name a neighbouring integer.
    assert json.loads(form, parse_int=float) == json.loads(json.dumps(value), parse_int=float)
    assert canonical(json.loads(form)) == form


@given(st.integers(), st.integers())
def test_no_two_integers_have_one_form(one, other):
    assert (canonical(one) == canonical(other)) == (one == other)


def test_the_order_of_keys_does_not_matter_and_the_order_of_items_does():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint([1, 2]) != fingerprint([2, 1])


def test_true_is_not_one():
    assert canonical([True, 1, False, 0]) == b"[true,1,false,0]"


def test_a_lone_surrogate_stands_as_its_escape():
    assert canonical({"\ud800": "\udfff"}) == b'{"\\ud800":"\\udfff"}'
    assert canonical("\ud800") != canonical("\\ud800")


def test_the_fingerprint_is_the_sha_256_of_the_form():
    assert fingerprint({}) == f"sha256:{hashlib.sha256(b'{}').hexdigest()}"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_not_is_refused_with_its_place(number):
    with pytest.raises(RecordError, match=r"schema\.properties\.\\x1b\[1\]: .* is not a JSON number"):
        canonical({"properties": {"\x1b": [0, number]}})


def test_what_is_no_json_is_refused():
    with pytest.raises(RecordError, match=r"schema\.a: set has no JSON form"):
        canonical({"a": set()})
    with pytest.raises(RecordError, match="the key 1 is not a string"):
        canonical({1: 0})


def test_nesting_past_the_stack_is_refused_and_does_not_crash():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(RecordError, match="nested too deeply"):
        canonical(nested)


def test_the_fingerprint_of_a_text_is_that_of_its_value():
    assert fingerprint_of_text('{"a" : 1.0}') == fingerprint({"a": 1})


@pytest.mark.parametrize("text", [None, "", "{", "NaN", '{"a": 1e400}', "[" * 100_000, "9" * 5000])
def test_a_text_without_a_canonical_form_has_no_fingerprint(text):
    assert fingerprint_of_text(text) is None
