from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.loading.decode import decode

NOISE = random.Random(7).randbytes(20_000)  # noqa: S311  (the same every time)


@pytest.mark.parametrize("data", [b"", b" \r\n\t\n"])
def test_nothing_but_blanks_is_empty(data: bytes) -> None:
    assert (decode(data).text, decode(data).problem) == (None, "empty file")


@pytest.mark.parametrize(
    "data",
    [
        NOISE,
        b"\xff" * 5000,
        b"\x7fELF\x02\x01\x01" + bytes(500),
        b"\x89PNG\r\n\x1a\n" + NOISE,
        b"\xff\xfe\0\0" + b"\xff" * 80,  # no UTF-32
        b"\xff\xfe" + b"\x00\xd8" * 50,  # no pair of surrogates
    ],
)
def test_noise_is_binary(data: bytes) -> None:
    assert (decode(data).text, decode(data).problem) == (None, "binary file")


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00"])
def test_what_is_packed_is_no_text_though_a_text_may_stand_in_it(start: bytes) -> None:
    found = decode(start + b"\x14\0a.cfg" + b"hostname leaf1\n" * 100)
    assert (found.text, found.problem) == (None, "packed; unpack it first")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"hostname leaf1\n", "hostname leaf1\n"),
        (b"\xef\xbb\xbfhostname leaf1\n", "hostname leaf1\n"),
        ("hostname leaf1\r\n".encode("utf-16"), "hostname leaf1\r\n"),
        (b"\xfe\xff" + "mtu 9216\n".encode("utf-16-be"), "mtu 9216\n"),
        (b"h\0o\0s\0t\0n\0a\0m\0e\0", "hostname"),  # UTF-16 without its mark
        (b"\xff\xfe\0\0h\0\0\0o\0\0\0", "ho"),  # UTF-32
        ("description Übergang → spine1\n".encode(), "description Übergang → spine1\n"),
        (("描述 到骨干交换机一号\n" * 2000).encode(), "描述 到骨干交换机一号\n" * 2000),
        (b"\x1b[0mleaf1#\x08\x08 show run\n", "\x1b[0mleaf1#\x08\x08 show run\n"),
    ],
)
def test_text_is_taken_as_it_is(data: bytes, text: str) -> None:
    assert (decode(data).text, decode(data).problem) == (text, "")


def test_a_character_cut_by_the_probe_is_no_fault() -> None:
    text = "x" + "→" * 5000  # the probe ends inside an arrow
    assert (decode(text.encode()).text, decode(text.encode()).problem) == (text, "")


def test_the_first_line_that_is_not_utf8_is_told() -> None:
    found = decode(b"hostname leaf1\ninterface Ethernet1\n   description B\xfcro\n mtu 9\xff\n")
    assert found.text == "hostname leaf1\ninterface Ethernet1\n   description B�ro\n mtu 9�\n"
    assert (found.line, found.problem) == (3, "not UTF-8; undecodable bytes are shown as �")


def test_the_first_line_with_a_nul_is_told() -> None:
    found = decode(b"hostname leaf1\ninterface Ethernet1\n   mtu 92\x0014\n")
    assert found.text == "hostname leaf1\ninterface Ethernet1\n   mtu 92\x0014\n"
    assert (found.line, found.problem) == (3, "NUL characters: a truncated file?")


def test_utf16_torn_off_inside_a_character_keeps_the_rest() -> None:
    found = decode("hostname leaf1\nmtu 9216\n".encode("utf-16")[:-1])
    assert found.text == "hostname leaf1\nmtu 9216�"
    assert (found.line, found.problem) == (2, "broken UTF-16")


@given(st.binary(max_size=400))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    found = decode(data)
    assert (found.text is None) <= bool(found.problem)


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), min_size=1))
def test_every_text_comes_back(text: str) -> None:
    data = text.encode()
    if text.isspace() and data.isspace():
        assert decode(data).text is None
    else:
        assert decode(data).text == text.removeprefix("\ufeff")
