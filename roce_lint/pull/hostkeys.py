"""Known host keys: known_hosts files in OpenSSH format, read once for a whole run."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import threading
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from roce_lint.inventory.entry import SSH_PORT
from roce_lint.pull.dialog import CHANGED, UNKNOWN_KEY, Failure

_HASHED = "|1|"
_MODE = 0o600


@dataclass(frozen=True)
class HostKey:
    """One key of a host: its type and value in base64."""

    kind: str
    key: str


@dataclass
class KnownHosts:
    """The keys of known_hosts files.

    An unknown key is refused, or recorded in `path` if `accept_new` is set; a key that differs from
    the recorded one is always refused.
    """

    path: Path
    accept_new: bool = False
    _plain: dict[str, list[HostKey]] = field(default_factory=dict)
    _hashed: list[tuple[bytes, bytes, HostKey]] = field(default_factory=list)
    _patterns: list[tuple[tuple[str, ...], HostKey]] = field(default_factory=list)
    _revoked: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, path: Path) -> None:
        """Add the keys of a file, if it exists.

        Raises:
            OSError: it exists and cannot be read.
        """
        if path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                self._take(line)

    def of(self, host: str, port: int) -> list[HostKey]:
        """All recorded keys of a host."""
        name = known_hosts_name(host, port)
        found = list(self._plain.get(name, ()))
        found += [
            known
            for salt, digest, known in self._hashed
            if hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)
        ]
        found += [known for patterns, known in self._patterns if _matches(name, patterns)]
        return [known for known in found if known.key not in self._revoked]

    def check(self, host: str, port: int, kind: str, key: bytes) -> None:
        """Require that a host presents its recorded key.

        Raises:
            Failure: it is revoked, differs from the recorded one, or is unknown and not accepted.
        """
        text = base64.b64encode(key).decode()
        print_ = fingerprint(key)
        if text in self._revoked:
            raise Failure("host key revoked", f"{kind} {print_}")
        with self._lock:
            known = self.of(host, port)
            if any(one.key == text for one in known):
                return
            if known:
                raise Failure(CHANGED, f"{kind} {print_}")
            if not self.accept_new:
                raise Failure(UNKNOWN_KEY, f"{kind} {print_}")
            self._record(known_hosts_name(host, port), HostKey(kind, text))

    def _record(self, name: str, known: HostKey) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE)
        with os.fdopen(handle, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            begin = b"" if file.read(1) in (b"", b"\n") else b"\n"
            file.write(begin + f"{name} {known.kind} {known.key}\n".encode())
        self._plain.setdefault(name, []).append(known)

    def _take(self, line: str) -> None:
        words = line.split()
        mark = words.pop(0) if words and words[0].startswith("@") else ""
        if len(words) < 3 or words[0].startswith("#") or mark not in ("", "@revoked"):
            return  # an authority signs certificates, which are not requested here
        names, known = words[0], HostKey(words[1], words[2])
        if mark:
            self._revoked.add(known.key)
        elif names.startswith(_HASHED):
            self._take_hashed(names, known)
        elif any(sign in names for sign in "*?!"):
            self._patterns.append((tuple(names.lower().split(",")), known))
        else:
            for name in names.lower().split(","):
                self._plain.setdefault(name, []).append(known)

    def _take_hashed(self, text: str, known: HostKey) -> None:
        try:
            salt, digest = (base64.b64decode(part) for part in text[len(_HASHED) :].split("|", 1))
        except (ValueError, binascii.Error):
            return  # a broken line records nothing
        self._hashed.append((salt, digest, known))


def known_hosts_name(host: str, port: int) -> str:
    """The name of a host in known_hosts files."""
    return host.lower() if port == SSH_PORT else f"[{host.lower()}]:{port}"


def fingerprint(key: bytes) -> str:
    """The fingerprint of a key as OpenSSH prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    if any(one[0] == "!" and fnmatchcase(name, one[1:]) for one in patterns):
        return False
    return any(one[0] != "!" and fnmatchcase(name, one) for one in patterns)
