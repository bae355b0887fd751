"""Texts whose characters take two bytes or four: told by a mark, or by the bytes beside ASCII."""

from __future__ import annotations

MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
PROBE = 8 << 10
"""Bytes at the beginning that tell."""

SHARE = 9
"""Of ten characters without a mark, so many are ASCII with a NUL beside them."""


def wide_coding(data: bytes) -> str | None:
    """The name of the coding; None for a text of single bytes, and for what is no text."""
    begin = data[:4]
    if begin.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0")):
        for mark, coding in MARKS:
            if begin.startswith(mark):
                return coding
    if b"\0" not in begin or len(begin) < 4:
        return None  # nearly every text: the look has to cost nothing
    head = data[:PROBE]
    for first, coding in ((0, "utf-16-le"), (1, "utf-16-be")):
        said, empty = head[first::2], head[1 - first :: 2]
        if empty.count(0) * 10 >= len(empty) * SHARE and 0 not in said:
            return coding
    return None
