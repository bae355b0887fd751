"""Unpacks and decodes bytes to text, or states why they are not text; detects truncation."""

from __future__ import annotations

import codecs
import lzma
import re
import zlib
from dataclasses import dataclass

from roce_lint.nos.declare import Ending, Form, Source
from roce_lint.text.excerpts import wide_coding

PROBE = 8 << 10
"""Bytes at the beginning that are tested for binary data."""

CONTROL = bytes(byte for byte in (*range(32), 127) if byte not in b"\b\t\n\v\f\r\x1b")
"""Characters that are rare in text. Console captures do contain backspaces and escape sequences."""

CONTROL_SHARE = 20
"""One control character in this many means binary data; random bytes have one in ten."""

FOREIGN_SHARE = 3
"""One byte outside ASCII in this many, where the text is not UTF-8, means binary data."""

RETURNS = 3
"""Carriage returns that a progress bar may leave in a text without a line feed."""

PACKED = (b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
"""Magic numbers of zip, gzip, bzip2, xz and zstd; a stored member of a zip is plain text."""


COMPRESSED = (b"\x1f\x8b\x08", b"\xfd7zXZ\x00")
"""The magic numbers of gzip and xz, which pack a single file."""


@dataclass(slots=True, frozen=True)
class DecodedFile:
    """A decoded file. `text` is None if the bytes are not text; `problem` describes any oddity."""

    text: str | None
    problem: str = ""
    line: int | None = None


def decode(data: bytes) -> DecodedFile:
    """Decode UTF-8 and UTF-16, both with or without a byte-order mark, or UTF-32 with one.

    Undecodable bytes become U+FFFD, and the first line with one is reported; so is the first NUL,
    which a truncated file or a serial console leaves behind.
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
            None, "lines end with a carriage return only: convert them (tr '\\r' '\\n')"
        )
    return _with_nul(text)


def is_noise(data: bytes) -> bool:
    """Whether the first PROBE bytes are binary data."""
    if wide_coding(data) is not None:
        return False  # UTF-16 is detected when it is decoded
    head = data[:PROBE]
    if (len(head) - len(head.translate(None, CONTROL))) * CONTROL_SHARE > len(head):
        return True
    if head.isascii() or sum(byte > 0x7F for byte in head) * FOREIGN_SHARE <= len(head):
        return False
    try:
        # Incrementally: a character cut off at the end of the probe is not an error in the text.
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
    return DecodedFile(text, "NUL characters: a truncated file?", text.count("\n", 0, nul) + 1)


# Unpacking of a single packed file, within bounds.

MEMORY = 64 << 20
"""Memory in bytes for unpacking one file, beside its result."""

RATIO_LIMIT = 20
"""Maximum unpacked to packed size of an archive; configuration text packs 5 to 12 times."""

RATIO_FROM = 64 << 20
"""The ratio applies only above this unpacked size: small archives of repeated text pack better. It
also limits the total excess over the ratio of all archives in a run."""

GZIP = zlib.MAX_WBITS | 16


class UnpackError(Exception):
    """A packed file that is broken or over a limit."""


def unpack(data: bytes, limit: int) -> bytes:
    """The file inside a gzip or xz file; other bytes unchanged. Only one level is unpacked.

    Raises:
        UnpackError: it is truncated or corrupt, or contains more than `limit` bytes or another
            packed file.
    """
    try:
        if data.startswith(b"\x1f\x8b\x08"):
            gzip = zlib.decompressobj(GZIP)
            found = gzip.decompress(data, limit + 1)
            whole = gzip.eof
        elif data.startswith(b"\xfd7zXZ\x00"):
            xz = lzma.LZMADecompressor(memlimit=MEMORY)
            found = xz.decompress(data, limit + 1)
            whole = xz.eof
        else:
            return data
    except (zlib.error, lzma.LZMAError, EOFError) as error:
        raise UnpackError(f"cannot be unpacked: {error}") from error
    if len(found) > limit:
        raise UnpackError(f"holds more than {limit >> 20} MiB")
    if not whole:
        raise UnpackError("is truncated: the end of the packed data is missing")
    if found.startswith((b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"PK\x03\x04")):
        raise UnpackError("holds a packed file: unpack it first")
    return found


def beyond(packed: int, unpacked: int) -> int:
    """Unpacked bytes in excess of the ratio to the packed size; 0 for most files."""
    return max(0, unpacked - RATIO_LIMIT * packed)


# Detection of truncated configurations: a missing end, or a last line cut inside a word.

HEADING = 20
"""Lines at the beginning in which a device identifies its output."""

BACK = 50
"""Lines at the end that contain the end mark of the configuration."""

CUT_OFF = "cut off"
"""First words of a message about a truncated text."""

_WORD_GOES_ON = re.compile(r"[a-z-]")


def cut_off(source: Source, text: str, *, at_end: bool) -> str:
    """Evidence that a configuration is truncated; empty if there is none.

    `at_end`: its last line is the last of the file and has no line end.
    """
    if not source.base:
        return _describe_missing(text) if source.never_empty else ""
    if source.ending is not None and _lacks_end(source, source.ending, text):
        return f"its end line {source.ending.ends!r} is missing"
    if at_end and source.form in (Form.INDENTED, Form.STATEMENTS, Form.RAW):
        return _broken_word(text)
    return ""


def _lacks_end(source: Source, ending: Ending, text: str) -> bool:
    head = [line.strip() for line in text.split("\n", HEADING)[:HEADING]]
    tail = [line.strip() for line in text.rstrip().rsplit("\n", BACK)[-BACK:]]
    whole = any(re.fullmatch(ending.begins, line) for line in head)
    if not whole or any(re.fullmatch(ending.ends, line) for line in tail):
        return False
    pieces = ending.excerpted and any(re.fullmatch(ending.excerpted, line) for line in head)
    return not (pieces and source.comment and re.match(source.comment, tail[-1]))


def _describe_missing(text: str) -> str:
    """Describe an output that consists of its heading, if its command always prints more."""
    heading, _, output = text.partition("\n")
    if output and not output.isspace():
        return ""
    return "the command output is missing, or the command failed" if heading.startswith("#") else ""


def _broken_word(text: str) -> str:
    """Describe an unterminated last line that repeats the beginning of another line."""
    last = text[text.rfind("\n") + 1 :].lstrip()
    if not last or not last[-1].isalpha() or len(last) > 1000:
        return ""
    at = text.find(last)
    end = len(text) - len(last)
    while 0 <= at < end:
        start = text.rfind("\n", 0, at) + 1
        if not text[start:at].strip() and _WORD_GOES_ON.match(text, at + len(last)):
            return f"its last line, {last[-60:]!r}, ends in the middle of a word"
        at = text.find(last, at + 1)
    return ""
