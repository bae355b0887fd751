"""Names of files and devices made fit to be shown, compared and written into reports."""

from __future__ import annotations

NAME_LIMIT = 253
"""Characters of a device's name: what DNS allows (RFC 1035, 2.3.4)."""


def printable(name: str) -> str:
    r"""A name without characters that move the cursor or cannot be encoded.

    They are written as Python would (`leaf\x1b1.cfg`, `leaf\n1.cfg`); a byte that is not UTF-8,
    which Python keeps as a surrogate, as `\xff`.
    """
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else _escape(char) for char in name)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def device_name(text: str | None) -> str | None:
    """A device's name as a file, folder or header gives it; None where nothing is left of it."""
    if text is None:
        return None
    name = text[: 4 * NAME_LIMIT].strip().strip("\"'")
    return printable(name)[:NAME_LIMIT] or None
