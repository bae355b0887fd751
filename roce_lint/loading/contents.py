"""Names and contents of all files that a run reads, to recognise an equal run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roce_lint.loading.discover import (
    ARCHIVES,
    BUNDLE,
    FILE_LIMIT,
    HEAD,
    Discovery,
    discover,
    read_file,
    reason,
)
from roce_lint.loading.workers import processors

ROUNDED = 2.0
"""Seconds by which a file system may round the time of a change."""

BATCH = 500
"""Files that a thread reads at once."""


@dataclass(slots=True, frozen=True)
class Contents:
    """Named files of a run, folders searched for others, and the hash of names and contents."""

    files: tuple[str, ...]
    folders: tuple[str, ...]
    sha: bytes
    found: Discovery | None  # None where bundles bring their own

    def are_older(self, moment: float) -> bool:
        """Whether no file and no folder has changed since a time (seconds since 1970)."""
        try:
            return all(
                max(state.st_mtime, state.st_ctime) < moment - ROUNDED for state in self._states()
            )
        except OSError:
            return False

    def _states(self) -> Iterator[os.stat_result]:
        yield from map(os.stat, (*self.files, *self.folders))
        for folder in self.folders:
            with os.scandir(folder) as entries:
                for entry in entries:
                    yield entry.stat(follow_symlinks=entry.is_file())


def contents_of(paths: Iterable[str], beside: Iterable[str]) -> Contents:
    """The contents of files below the paths, and of the files `beside` them that control a run.

    Raises:
        UsageError: a path does not exist.
    """
    bundles = [path for path in paths if path.endswith(BUNDLE)]
    found = discover(tuple(path for path in paths if path not in bundles))
    names = [file.name for file in found.files]
    beside = (*bundles, *beside, *(control.path for control in found.controls))
    files = [*(file.path for file in found.files if file.path is not None), *beside]
    batches = [files[n : n + BATCH] for n in range(0, len(files), BATCH)]
    if len(batches) > 1:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (large folders only)

        with ThreadPoolExecutor(processors()) as pool:  # reading and hashing release the lock
            hashes = list(pool.map(_hashes, batches))
    else:
        hashes = [_hashes(batch) for batch in batches]
    remarks = map(repr, (*found.skipped, *found.diagnostics))
    sha = sum_of([*map(as_bytes, (*names, "", *files, "", *remarks)), *hashes])
    named = (file.path for file in found.files if file.named and file.path is not None)
    return Contents((*named, *beside), tuple(found.walked), sha, None if bundles else found)


def as_bytes(text: str) -> bytes:
    """A text as bytes; names of files can hold parts of characters."""
    return text.encode("utf-8", "surrogatepass")


def sum_of(words: Iterable[bytes]) -> bytes:
    """One hash of words: of their bytes and lengths."""
    sha = hashlib.sha256()
    for word in words:
        sha.update(b"%d:%b" % (len(word), word))
    return sha.digest()


def _hashes(paths: list[str]) -> bytes:
    return b"".join(map(_hash, paths))


def _hash(path: str) -> bytes:
    """Hash of what is read of a file, or of the reason why it cannot be read."""
    try:
        if path.lower().endswith((*ARCHIVES, BUNDLE)) and os.path.isfile(path):  # noqa: PTH113
            with open(path, "rb") as file:  # noqa: PTH123
                return hashlib.file_digest(file, "sha256").digest()
        return hashlib.sha256(read_file(path, FILE_LIMIT, HEAD)[0]).digest()
    except OSError as error:
        return hashlib.sha256(f"unread: {reason(error)}".encode()).digest()
