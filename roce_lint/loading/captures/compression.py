"""A single file that was packed to save space, unpacked within bounds."""

from __future__ import annotations

import lzma
import zlib

MEMORY = 64 << 20
"""Bytes that the unpacking of one file may take beside its result."""

RATIO_LIMIT = 20
"""Unpacked to packed size of an archive; configuration text packs 5 to 12 times."""

RATIO_FROM = 64 << 20
"""The ratio counts only above this unpacked size: small archives of repeated text pack better.
What the archives of a run unpack to beyond the ratio is no more than this in all, too.
"""

GZIP = zlib.MAX_WBITS | 16


class UnpackError(Exception):
    """A packed file that cannot be unpacked, or not within bounds."""


def unpack(data: bytes, limit: int) -> bytes:
    """The file inside a gzip or xz file; other bytes as they are. It is never unpacked twice.

    Raises:
        PackedError: it is broken off or spoilt, holds more than `limit` bytes, or another.
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
        raise UnpackError("is broken off: the rest of what was packed is missing")
    if found.startswith((b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"PK\x03\x04")):
        raise UnpackError("holds a packed file: unpack it first")
    return found


def beyond(packed: int, unpacked: int) -> int:
    """Bytes that a file unpacks to beyond what its packed size speaks for; 0 for most."""
    return max(0, unpacked - RATIO_LIMIT * packed)
