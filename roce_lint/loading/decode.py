"""Bytes to text, or the reason why they are no text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from roce_lint.text.codings import wide_coding

PROBE = 8 << 10
"""Bytes at the beginning that tell text from noise."""

CONTROL = bytes(byte for byte in (*range(32), 127) if byte not in b"\b\t\n\v\f\r\x1b")
"""What no text holds many of. Console captures do hold backspaces and escape sequences."""

CONTROL_SHARE = 20
"""One control character in this many is noise; random bytes have one in ten."""

FOREIGN_SHARE = 3
"""One byte outside ASCII in this many, where the text is not UTF-8, is noise."""

RETURNS = 3
"""Carriage returns in a text without a line feed that a progress bar may have left."""

PACKED = (b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
"""How what zip, gzip, bzip2, xz and zstd make begins; a member that zip stored is plain text."""


COMPRESSED = (b"\x1f\x8b\x08", b"\xfd7zXZ\x00")
"""The same for gzip and xz, which pack a single file."""


@dataclass(slots=True, frozen=True)
class DecodedFile:
    """A decoded file. `text` is None when the bytes are no text; `problem` says what is odd."""

    text: str | None
    problem: str = ""
    line: int | None = None


def decode(data: bytes) -> DecodedFile:
    """Decode UTF-8 and UTF-16, both with or without a byte-order mark, or UTF-32 with one.

    What cannot be decoded becomes U+FFFD, and the first line that holds such is reported; so is
    the first NUL, which a torn file or a serial console leaves behind.
    """
    if not data or data.isspace():
        return DecodedFile(None, "empty file")
    if (coding := wide_coding(data)) is not None:
        return _in_wide(data, coding)
    if data.startswith(PACKED):
        return DecodedFile(None, "packed; unpack it first")
    if is_noise(data):
        return DecodedFile(None, "binary file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode("utf-8-sig", "replace")
        return DecodedFile(text, "not UTF-8; undecodable bytes are shown as \ufffd", line)
    if "\r" in text and "\n" not in text and text.count("\r") > RETURNS:
        return DecodedFile(
            None, "lines that end with a carriage return alone: convert them (tr '\\r' '\\n')"
        )
    return _with_nul(text)


def is_noise(data: bytes) -> bool:
    """True where the first PROBE bytes are those of no text."""
    if wide_coding(data) is not None:
        return False  # UTF-16 is seen when it is decoded
    head = data[:PROBE]
    if (len(head) - len(head.translate(None, CONTROL))) * CONTROL_SHARE > len(head):
        return True
    if head.isascii() or sum(byte > 0x7F for byte in head) * FOREIGN_SHARE <= len(head):
        return False
    try:
        # Incrementally: a character cut off at the end of the probe is no fault of the text.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return True
    return False


def _in_wide(data: bytes, coding: str) -> DecodedFile:
    text = data.decode(coding, "replace")
    if "\0" in text[:PROBE]:
        return DecodedFile(None, "binary file")
    broken = text.find("\ufffd")
    if broken < 0:
        return _with_nul(text)
    if text.count("\ufffd") * CONTROL_SHARE > len(text):
        return DecodedFile(None, "binary file")
    return DecodedFile(text, f"broken {coding.upper()[:6]}", text.count("\n", 0, broken) + 1)


def _with_nul(text: str) -> DecodedFile:
    nul = text.find("\0")
    if nul < 0:
        return DecodedFile(text)
    return DecodedFile(text, "holds NUL characters: a torn file?", text.count("\n", 0, nul) + 1)
