"""Cache of parsed devices, by the contents of their files, and of answers of `check`, by all that
they rest on.

The cache only makes a run faster: if anything is wrong with it, files are parsed instead.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from roce_lint._version import __version__
from roce_lint.loading.contents import as_bytes, sum_of
from roce_lint.loading.group import Group
from roce_lint.loading.serialization import ForeignError, unpack, words
from roce_lint.model.device import Device
from roce_lint.nos.base import Nos
from roce_lint.nos.registry import all_nos
from roce_lint.resources import resource_dir

T = TypeVar("T")

FILE = "devices.sqlite"
LAYOUT = 4
"""Version of the tables; a file with another version is reset."""

SIZE_LIMIT = 512 << 20
"""Bytes of cached devices; the least recently used are evicted. 5,000 switches take 60 MB."""

WAIT_SECONDS = 2.0
"""Seconds to wait for another run that is writing."""

BATCH = 500
"""Keys of one query."""

DAY = 86_400

DEVICE_LIMIT = 256 << 20
"""Maximum bytes of one cached device; the largest seen has 20 MB."""

ASIDE = "devices.sqlite.aside"
"""Name to which a file is moved that is not a valid cache of this program."""

_COLUMNS = "devices (key BLOB PRIMARY KEY, used INTEGER NOT NULL, device BLOB NOT NULL)"

_SCHEMA = [("table", "devices", "devices", f"CREATE TABLE {_COLUMNS}"),
           ("index", "sqlite_autoindex_devices_1", "devices", None)]  # fmt: skip
"""The complete schema of our cache: no view, no trigger, nothing that computes."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""Place in memory of a function that a source declares; another one in each process."""

_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}
"""SQLite errors that do not mean a bad file (primary result codes)."""


class Cache:
    """Devices in a private folder of the user."""

    def __init__(self, folder: Path, *, limit: int = SIZE_LIMIT, now: float | None = None):
        self._file = folder / FILE
        self._limit = limit
        self.remark = ""  # reason why the file was moved aside, if it was
        self._day = int((time.time() if now is None else now) // DAY)

    def get(self, groups: Sequence[Group]) -> dict[int, Device]:
        """The cached devices, by the index of their group."""
        index = {_key(group): number for number, group in enumerate(groups)}
        keys = list(index)

        def select(database: sqlite3.Connection) -> dict[int, Device]:
            known: dict[int, Device] = {}
            used: list[tuple[int, bytes]] = []
            for batch in (keys[n : n + BATCH] for n in range(0, len(keys), BATCH)):
                marks = ",".join("?" * len(batch))
                query = (
                    f"SELECT key, used, device FROM devices WHERE key IN ({marks}) "  # noqa: S608
                    "AND typeof(device) = 'blob' AND length(device) <= ?"
                )
                for key, day, data in database.execute(query, [*batch, DEVICE_LIMIT]):
                    device = _check(data, groups[index[key]])
                    if device is not None:
                        known[index[key]] = device
                        if day != self._day:
                            used.append((self._day, key))
            if used:
                database.executemany("UPDATE devices SET used = ? WHERE key = ?", used)
            return known

        return self._transaction(select) or {}

    def put(self, read: Iterable[tuple[Group, bytes]]) -> None:
        """Store devices, and evict the oldest where the limit is exceeded."""
        self._insert([(_key(group), self._day, data) for group, data in read])

    def _insert(self, rows: list[tuple[bytes, int, bytes]]) -> None:
        def insert(database: sqlite3.Connection) -> None:
            database.executemany("INSERT OR REPLACE INTO devices VALUES (?, ?, ?)", rows)
            sizes = database.execute(
                "SELECT key, LENGTH(device) FROM devices ORDER BY used, rowid"
            ).fetchall()
            over = sum(size for _, size in sizes) - self._limit
            gone = []
            for key, size in sizes:
                if over <= 0:
                    break
                over -= size
                gone.append((key,))
            database.executemany("DELETE FROM devices WHERE key = ?", gone)

        if rows:
            self._transaction(insert)

    def answer(self, key: bytes) -> bytes | None:
        """The bytes kept under a key; None if there are none, or they are not intact.

        A file that is not our cache stays until devices are looked up, which reports it.
        """

        def select(database: sqlite3.Connection) -> object:
            query = "SELECT used, device FROM devices WHERE key = ? AND typeof(device) = 'blob'"
            day, data = database.execute(query, (key,)).fetchone() or (self._day, b"")
            if day != self._day:
                database.execute("UPDATE devices SET used = ? WHERE key = ?", (self._day, key))
            return data

        kept = self._transaction(select, aside=False) or b""
        if not isinstance(kept, bytes) or kept[: len(key)] != sum_of((key, kept[len(key) :])):
            return None
        return kept[len(key) :]

    def keep(self, key: bytes, data: bytes) -> None:
        """Keep bytes under a key, a SHA-256."""
        self._insert([(key, self._day, sum_of((key, data)) + data)])

    def _transaction(
        self, work: Callable[[sqlite3.Connection], T], *, aside: bool = True
    ) -> T | None:
        """Do the work in one transaction; a file that is not our cache is moved `aside`."""
        reason = _foreign(self._file)
        try:
            if not reason:
                with closing(sqlite3.connect(self._file, timeout=WAIT_SECONDS)) as base, base:
                    base.execute("PRAGMA trusted_schema = OFF")
                    if _begin(base):
                        return work(base)
                reason = "is not a cache of this program"
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None or code & 0xFF not in _PASSING:
                reason = f"cannot be read ({error})"
        if reason and aside:
            self.remark = f"{reason}; it was moved aside as {ASIDE}, and all files are parsed again"
            with suppress(OSError):
                self._file.replace(self._file.with_name(ASIDE))
        return None


def _foreign(file: Path) -> str:
    """Reason why the file cannot be ours; empty if it can, or does not exist yet."""
    try:
        state = file.lstat()
    except OSError:
        return ""
    if not stat.S_ISREG(state.st_mode):
        return "is not a regular file"
    if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
        return "belongs to another user"
    return ""


def _begin(database: sqlite3.Connection) -> bool:
    """Create the table if missing or outdated; False if the file holds anything else."""
    (layout,) = database.execute("PRAGMA user_version").fetchone()
    found = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    if any(kind not in ("table", "index") for kind, *_ in found):
        return False
    if layout != LAYOUT and {name for _, _, name, _ in found} <= {"devices"}:
        database.execute("DROP TABLE IF EXISTS devices")
        database.execute(f"PRAGMA user_version = {LAYOUT}")
        found = []
    if not found:
        database.execute(f"CREATE TABLE IF NOT EXISTS {_COLUMNS}")
        return True
    return sorted(found, reverse=True) == sorted(_SCHEMA, reverse=True)


def _check(data: object, group: Group) -> Device | None:
    """The device, if the bytes are intact and belong to these files."""
    if not isinstance(data, bytes):
        return None
    try:
        device = unpack(data)
    except ForeignError:
        return None
    files = device.src.files
    if [ref.sha256 for ref in files] != [part.sha256 for part in group.parts]:
        return None
    for ref, part in zip(files, group.parts, strict=True):
        ref.path = part.path  # the same files may be reached from another folder
    return device


def _key(group: Group) -> bytes:
    """Everything that the parsing of a device depends on."""
    return sum_of((_reader_digest(group.nos), *map(as_bytes, words(group))))


@cache
def _reader_digest(name: str) -> bytes:
    """Hash of version, declarations, templates and code used to read a NOS."""
    nos = all_nos()[name]
    sha = hashlib.sha256(f"{__version__} {sys.implementation.cache_tag} {LAYOUT}".encode())
    declared = repr((nos.sources, sorted(nos.patterns.items())))
    sha.update(_ADDRESS.sub("", declared).encode())
    for path in sorted(_code(nos)):
        sha.update(str(path).encode("utf-8", "surrogateescape"))
        try:
            sha.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError:
            sha.update(os.urandom(32))  # unreadable, so never a match
    return sha.digest()


def _code(nos: Nos) -> Iterator[Path]:
    """Files that affect parsing: our shared code, the reader's package and its templates."""
    own = Path(__file__).parent.parent
    for floor in ("text", "model"):
        yield from (own / floor).glob("*.py")
    yield from (own / "nos").glob("*.py")
    yield own / "loading" / "decode.py"
    module = find_spec(nos.module)
    if module is not None and module.origin is not None:
        file = Path(module.origin)
        yield from file.parent.rglob("*.py") if module.parent else (file,)
    templates = nos.templates or resource_dir("templates") / nos.name
    yield from (resource_dir("rules") / "platforms").glob(f"{nos.name}.toml")
    yield from (path for path in Path(str(templates)).rglob("*") if path.is_file())


def open_cache() -> Cache | None:
    """The user's cache; None if there is no folder that is safely private."""
    folder = _folder()
    return Cache(folder) if folder is not None and _is_private(folder) else None


def _folder() -> Path | None:
    given = os.environ.get("XDG_CACHE_HOME", "")
    if Path(given).is_absolute():
        return Path(given) / "roce-lint"
    try:
        return Path.home() / ".cache" / "roce-lint"
    except RuntimeError:  # nobody's home
        return None


def _is_private(folder: Path) -> bool:
    """Make the folder if it is missing; True if only the user can access it.

    Its contents are trusted as our data. A folder that others may write to, or a link, could
    contain anything.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        state = folder.lstat()
        if not stat.S_ISDIR(state.st_mode):
            return False
        if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
            return False
        if state.st_mode & 0o022:
            return False
        if state.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError:
        return False
    return True
