"""Keeps a wrong password from locking an account out: logins stop when too many are refused."""

from __future__ import annotations

import threading


class Gate:
    """Lets devices be asked one beside the other, but no more logins than may be refused.

    Until a first login succeeds nobody knows whether the password is right, so no more than
    `most` are tried at a time; then all are. `most` refused logins one after the other, without
    one that succeeds between them, end it all.
    """

    def __init__(self, most: int):
        self._most = most
        self._refused = 0
        self._inside = 0
        self._trusted = False
        self._stopped = False
        self._changed = threading.Condition()

    def enter(self) -> bool:
        """Wait for a turn; False where nothing is to be tried any more."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._stopped
                    or self._trusted
                    or self._refused >= self._most
                    or self._inside < self._most - self._refused
                )
            )
            if self._stopped or self._refused >= self._most:
                return False
            self._inside += 1
            return True

    def leave(self, *, refused: bool, logged_in: bool) -> None:
        """Tell how it went: a login that was refused, one that succeeded, or neither."""
        with self._changed:
            self._inside -= 1
            if self._refused >= self._most:
                return  # too many is too many, also where others were still being asked
            if refused:
                self._refused += 1
            elif logged_in:
                self._trusted, self._refused = True, 0
            self._changed.notify_all()

    def stop(self) -> None:
        """Let nobody in any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
