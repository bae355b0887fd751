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
    for mark, coding in MARKS:
        if data.startswith(mark):
            return coding
    head = data[:PROBE]
    if len(head) < 4 or b"\0" not in head[:4]:
        return None
    for first, coding in ((0, "utf-16-le"), (1, "utf-16-be")):
        said, empty = head[first::2], head[1 - first :: 2]
        if empty.count(0) * 10 >= len(empty) * SHARE and 0 not in said:
            return coding
    return None
